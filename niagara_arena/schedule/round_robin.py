"""Round robins for tables of k: all tables where that is affordable, else a cyclic design.

Both are built of orbits: a table and what becomes of it when 0, 1, … n-1 is added to each number,
modulo n. In an orbit everybody plays equally often, so that an orbit is also a good *block*: at
its border, standings mean something and a tournament may stop.

All tables are all orbits; a cyclic design is a few of them, chosen by `design`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import ceil, comb

from niagara_arena.errors import InputError
from niagara_arena.schedule.chance import Chance
from niagara_arena.schedule.design import base_tables, spread
from niagara_arena.schedule.exchange import Tables, exchange
from niagara_arena.schedule.places import balance_places

__all__ = ["AFFORDABLE_GAMES", "round_robin"]

AFFORDABLE_GAMES = 3_000
"""Up to how many games all tables are played when nobody says how many."""
DEFAULT_GAMES_PER_BOT = 60

_SMALL_FIELD = 24
"""Up to how many entrants a design that is not flat is mended by exchanging."""
_EXCHANGES = 30_000


def round_robin(
    entrants: int,
    seats: int,
    games_a_table: int,
    games_per_bot: int,
    key: str,
    owners: Sequence[str] = (),
    openings: int = 1,
) -> Tables:
    """Return blocks of tables of entrants' numbers, their places balanced.

    `games_a_table` is the length of the seating; `games_per_bot` a minimum, 0 for the default.
    With `owners`, one for each entrant, bots of one owner do not meet. A match plays the seating
    once for each of its `openings`.
    """
    passes, designed = _amounts(entrants, seats, games_a_table, games_per_bot, openings)
    chance = Chance(key, "round robin", entrants, seats)
    blocks: Tables = []
    if passes:
        orbits = chance.shuffled(list(_orbits(entrants, seats)))
        tables = [_spaced(orbit, entrants) for _ in range(passes) for orbit in orbits]
        blocks += _placed(tables) if games_a_table % seats else tables
    if designed:
        bases = base_tables(entrants, seats, designed, key)
        developed = [_develop(base, entrants) for base in bases]
        low, high = spread(entrants, bases)
        if high - low > 1 and entrants <= _SMALL_FIELD:
            developed = exchange(developed, entrants, (), chance, _EXCHANGES)
        blocks += [_spaced(block, entrants) for block in developed]
    if owners:
        _check_owners(owners, seats)
        blocks = exchange(blocks, entrants, owners, chance, _EXCHANGES)
    return blocks


def _amounts(
    entrants: int, seats: int, seating: int, games_per_bot: int, openings: int
) -> tuple[int, int]:
    """Return how often all tables are played, and how many orbits of a design besides."""
    games_a_table = seating * openings
    tables_a_bot = comb(entrants - 1, seats - 1)
    a_pass = tables_a_bot * games_a_table
    if not games_per_bot:
        affordable = comb(entrants, seats) * games_a_table <= AFFORDABLE_GAMES
        games_per_bot = a_pass if affordable else DEFAULT_GAMES_PER_BOT
    passes, rest = divmod(games_per_bot, a_pass)
    orbits = ceil(rest / (seats * games_a_table))
    if rest and 2 * a_pass <= 3 * orbits * seats * games_a_table:
        passes, orbits = passes + 1, 0
    if seating % seats:
        # One place a table, however many openings: only so many passes give everybody every seat
        # equally often.
        while passes * tables_a_bot % seats:
            passes += 1
    return passes, orbits


def _orbits(entrants: int, seats: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield the tables of each orbit of all tables, each table once."""
    for rest in combinations(range(1, entrants), seats - 1):
        table = (0, *rest)
        gaps = [b - a for a, b in zip(table, (*rest, entrants), strict=True)]
        turns = [gaps[turn:] + gaps[:turn] for turn in range(seats)]
        if min(turns) != gaps:
            continue
        period = next(turn for turn in range(1, seats + 1) if turns[turn % seats] == gaps)
        yield _develop(table, entrants)[: sum(gaps[:period])]


def _develop(table: Sequence[int], entrants: int) -> list[tuple[int, ...]]:
    return [tuple((number + shift) % entrants for number in table) for shift in range(entrants)]


def _spaced(orbit: list[tuple[int, ...]], entrants: int) -> list[tuple[int, ...]]:
    """Put tables in an order in which everybody comes round as evenly as they can."""
    ordered: list[tuple[int, ...]] = []
    waiting = orbit
    while waiting:
        busy: set[int] = set()
        later = []
        for table in waiting:
            if busy.isdisjoint(table):
                busy.update(table)
                ordered.append(table)
            else:
                later.append(table)
        waiting = later
    return ordered


def _placed(blocks: Tables) -> Tables:
    """Balance the places over all blocks."""
    placed = iter(balance_places([table for block in blocks for table in block]))
    return [[next(placed) for _ in block] for block in blocks]


def _check_owners(owners: Sequence[str], seats: int) -> None:
    """Refuse a field in which one owner's bots must meet if all play equally often."""
    for owner in sorted(set(owners)):
        count = owners.count(owner)
        if count * seats > len(owners):
            raise InputError(
                f"owner `{owner}` has {count} of {len(owners)} bots:"
                f" they would meet at tables of {seats}",
                "enter fewer of them, or allow several entries of one owner at a table",
            )
