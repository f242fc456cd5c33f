"""How fair a set of tables is: counted from the tables themselves, never assumed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from msgspec import Struct

from niagara_arena.schedule.seating import seatings

__all__ = ["Balance", "Range", "balance_of", "balances"]


class Range(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold the least and the most of a count over all entrants, pairs or seats."""

    least: int
    most: int

    @property
    def even(self) -> bool:
        """Whether all counts are equal, within one."""
        return self.most - self.least <= 1


class Balance(Struct, frozen=True, forbid_unknown_fields=True):
    """Say how evenly the tables of one size treat everybody."""

    seats: int
    entrants: int
    matches: int
    games: int
    games_per_bot: Range
    games_per_seat: Range
    """Over all entrants and seats."""
    games_per_pair: Range
    """Over all pairs of entrants: how many games both sat in."""
    tables_per_pair: Range
    owner_clashes: int = 0
    """Tables at which two bots of one owner meet."""


def balances(
    tables: Iterable[tuple[str, ...]],
    entrants: Sequence[str],
    seating: str,
    owners: dict[str, str] | None = None,
    openings: int = 1,
) -> list[Balance]:
    """Return the balance of each size of table; a match plays the seating once an opening."""
    by_size: dict[int, list[tuple[str, ...]]] = {}
    for table in tables:
        by_size.setdefault(len(table), []).append(table)
    return [
        balance_of(by_size[size], entrants, seating, owners or {}, openings)
        for size in sorted(by_size)
    ]


def balance_of(
    tables: Sequence[tuple[str, ...]],
    entrants: Sequence[str],
    seating: str,
    owners: dict[str, str],
    openings: int = 1,
) -> Balance:
    """Count the tables of one size; `owners` says which entrants should not meet."""
    seats = len(tables[0])
    rows = seatings(seating, seats) * openings
    games: Counter[str] = Counter()
    places: Counter[tuple[str, int]] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    clashes = 0
    in_seat = Counter((member, seat) for row in rows for seat, member in enumerate(row))
    for table in tables:
        for name in table:
            games[name] += len(rows)
        for (member, seat), times in in_seat.items():
            places[table[member], seat] += times
        pairs.update(combinations(sorted(table), 2))
        owned = [owners[name] for name in table if owners.get(name)]
        clashes += len(set(owned)) < len(owned)
    met = _range(pairs.values(), len(entrants) * (len(entrants) - 1) // 2)
    return Balance(
        seats=seats,
        entrants=len(entrants),
        matches=len(tables),
        games=len(tables) * len(rows),
        games_per_bot=_range(games.values(), len(entrants)),
        games_per_seat=_range(places.values(), len(entrants) * seats),
        games_per_pair=Range(met.least * len(rows), met.most * len(rows)),
        tables_per_pair=met,
        owner_clashes=clashes,
    )


def _range(counts: Iterable[int], expected: int) -> Range:
    """Return the range of counts; fewer than expected means that some are 0."""
    values = list(counts)
    return Range(min(values) if len(values) == expected else 0, max(values))
