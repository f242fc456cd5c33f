"""Give every entrant each place of its tables equally often, whatever the tables are.

Tables and entrants are the two sides of a graph, and a seat is a colour of an edge: at a table all
differ, and of k tables of one entrant all differ too. König showed that k colours always do; the
colouring here is his, edge by edge, turning over a chain of two colours where no common one is
free.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["balance_places"]

_FREE = -1


def balance_places(tables: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the tables of one size with their members in balanced places.

    An entrant of r tables holds each of k places r/k times, within one where k does not divide r.
    """
    if not tables:
        return []
    seats = len(tables[0])
    at_table: list[list[int]] = [[_FREE] * seats for _ in tables]
    at_copy: list[list[int]] = []
    copies: dict[int, tuple[int, int]] = {}  # entrant: its open copy, and how many edges that has
    member: list[int] = []
    for number, table in enumerate(tables):
        for entrant in table:
            copy, used = copies.get(entrant, (_FREE, seats))
            if used == seats:
                copy, used = len(at_copy), 0
                at_copy.append([_FREE] * seats)
                member.append(entrant)
            copies[entrant] = (copy, used + 1)
            _colour(at_table, at_copy, number, copy)
    return [tuple(member[copy] for copy in row) for row in at_table]


def _colour(at_table: list[list[int]], at_copy: list[list[int]], table: int, copy: int) -> None:
    """Seat one more copy at a table."""
    here, there = at_table[table], at_copy[copy]
    for colour, taken in enumerate(here):
        if taken == _FREE and there[colour] == _FREE:
            here[colour], there[colour] = copy, table
            return
    first, second = here.index(_FREE), there.index(_FREE)
    # `first` is free at the table and taken at the copy: turn over the chain of first and second
    # that starts at the copy. It can't end at the table, so `first` is then free at both ends.
    chain: list[tuple[int, int, int]] = []
    colour, other, node, on_copy = first, second, copy, True
    while True:
        following = (at_copy if on_copy else at_table)[node][colour]
        if following == _FREE:
            break
        chain.append((following, node, colour) if on_copy else (node, following, colour))
        node, on_copy = following, not on_copy
        colour, other = other, colour
    for t, c, old in chain:
        at_table[t][old] = at_copy[c][old] = _FREE
    for t, c, old in chain:
        new = second if old == first else first
        at_table[t][new], at_copy[c][new] = c, t
    here[first], there[first] = copy, table
