"""In which order a table sits down: one game, each rotation, or a balanced set.

`balanced` is a Williams design: a zigzag of the members (0, 1, k-1, 2, k-2 …) and its rotations of
numbers, for odd tables also backwards. Every member sits in every seat equally often, and for any
two, one sits just left of the other equally often, within one: around the table there is one more
neighbour than in a row, so that not all counts can be equal.
"""

from __future__ import annotations

from functools import cache

from niagara_arena.errors import InputError

__all__ = ["SEATING_KINDS", "seatings"]

SEATING_KINDS = ("single", "rotations", "balanced")


@cache
def seatings(kind: str, seats: int) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of a match, in order of play.

    Entry s of one says which member of the table sits in seat s.
    """
    if seats < 2:
        raise InputError(f"a table has at least 2 seats, not {seats}")
    match kind:
        case "single":
            return (tuple(range(seats)),)
        case "rotations":
            return _developed(tuple(range(seats)))
        case "balanced":
            row = _zigzag(seats)
            return _developed(row) if seats % 2 == 0 else _developed(row) + _developed(row[::-1])
        case _:
            raise InputError(
                f"unknown seating `{kind}`", f"it is {', '.join(SEATING_KINDS[:-1])} or balanced"
            )


def _zigzag(seats: int) -> tuple[int, ...]:
    """Return 0, 1, k-1, 2, k-2 …: neighbouring differences are all of 1 … k-1, each once."""
    return tuple((step + 1) // 2 if step % 2 else -step // 2 % seats for step in range(seats))


def _developed(row: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the row with 0, 1, … k-1 added to each member, modulo k."""
    seats = len(row)
    return tuple(tuple((member + shift) % seats for member in row) for shift in range(seats))
