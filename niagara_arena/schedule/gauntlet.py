"""Gauntlets: each challenger meets the same tables of a field, in the same seats.

The field's tables of k-1 are a round robin of their own. Challengers never meet one another, and
the games of all challengers at one table of the field share their seeds and openings, so that the
difference between two challengers is theirs alone.
"""

from __future__ import annotations

from math import ceil

from niagara_arena.schedule.exchange import Tables
from niagara_arena.schedule.places import balance_places
from niagara_arena.schedule.round_robin import round_robin

__all__ = ["gauntlet"]

DEFAULT_GAMES = 60


def gauntlet(
    challengers: int,
    field: int,
    seats: int,
    games_a_table: int,
    games_per_bot: int,
    key: str,
    openings: int = 1,
) -> Tables:
    """Return blocks of tables: numbers below `challengers` challenge, the rest are the field.

    `games_a_table` is the length of the seating, which a match plays once for each of its
    `openings`; `games_per_bot` a minimum for each challenger, 0 for the default.
    """
    tables = ceil((games_per_bot or DEFAULT_GAMES) / (games_a_table * openings))
    inner = seats - 1
    if field == inner:
        count = ceil(tables / seats) * seats if games_a_table % seats else tables
        blocks = [[tuple(range(field))] for _ in range(count)]
    else:
        each = ceil(tables * inner / field)
        blocks = round_robin(field, inner, inner, each * inner, key)
    rows = [(0, *(number + challengers for number in t)) for block in blocks for t in block]
    if games_a_table % seats:
        rows = balance_places(rows)
    seated = iter(rows)
    return [
        [
            tuple(challenger if number == 0 else number for number in row)
            for row in [next(seated) for _ in block]
            for challenger in range(challengers)
        ]
        for block in blocks
    ]
