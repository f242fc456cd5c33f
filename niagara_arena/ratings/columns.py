"""Facts as arrays: one row a seat that was taken, for everything that counts and fits.

The rows are in the order of the facts and, within a game, of the seats. Bots are numbered by id,
so equal facts give equal arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from niagara_arena.ratings.facts import Facts
from niagara_arena.records import RatedGame

__all__ = ["Columns", "Floats", "Ints", "columns", "inverse", "summed"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Columns:
    """Hold games as arrays."""

    bots: tuple[str, ...]
    """Number → submission."""
    kinds: tuple[tuple[str, int], ...]
    """Number → ruleset and seats at the table."""
    games: int
    size: Ints
    """By game: how many seats it had."""
    kind: Ints
    """By game: its number among `kinds`."""
    cluster: Ints
    """By game: games of one table and opening share a number."""
    table: Ints
    """By game: games of one table share a number."""
    game: Ints
    """By row: the game."""
    bot: Ints
    seat: Ints
    placing: Ints
    share: Floats
    """By row: 1 / number of first places for a seat placed first, else 0; sums to 1 in a game."""


def columns(facts: Facts) -> Columns:
    """Turn facts into arrays."""
    games = facts.games
    bots = facts.bots()
    number = {bot: i for i, bot in enumerate(bots)}
    kinds = tuple(sorted({(game.rules, len(game.seats)) for game in games}))
    kind_number = {kind: i for i, kind in enumerate(kinds)}
    size = _ints([len(game.seats) for game in games])
    rows = _ints(list(chain.from_iterable(g.placings for g in games)))
    game_of = np.repeat(np.arange(len(games)), size)
    begin = np.concatenate(([0], np.cumsum(size)[:-1])) if len(games) else size
    first = (rows == 1).astype(np.float64)
    firsts = np.bincount(game_of, first, minlength=len(games))
    table, cluster = _groups(games)
    return Columns(
        bots=bots,
        kinds=kinds,
        games=len(games),
        size=size,
        kind=_ints([kind_number[game.rules, len(game.seats)] for game in games]),
        cluster=cluster,
        table=table,
        game=game_of,
        bot=_ints([number[bot] for bot in chain.from_iterable(g.seats for g in games)]),
        seat=np.arange(len(rows)) - begin[game_of],
        placing=rows,
        share=first / firsts[game_of],
    )


def summed(place: Ints, values: Floats, size: int) -> Floats:
    """Add the values up by place."""
    return np.asarray(np.bincount(place, values, size), dtype=np.float64)


def inverse(matrix: Floats) -> Floats:
    """Invert a matrix."""
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _groups(games: Sequence[RatedGame]) -> tuple[Ints, Ints]:
    """Number the tables, and the clusters within them.

    A cluster lies within one table by definition; one that does not is split.
    """
    tables: dict[tuple[str, ...], int] = {}
    clusters: dict[tuple[int, str], int] = {}
    table, cluster = [], []
    for game in games:
        # A ruleset's games say little of another's: a table is of one ruleset.
        members = (game.rules, *sorted(game.seats))
        here = tables.setdefault(members, len(tables))
        key = (here, game.cluster or game.game)
        table.append(here)
        cluster.append(clusters.setdefault(key, len(clusters)))
    return _ints(table), _ints(cluster)


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)
