"""What a bot did, counted: games, wins, placings, faults and time. No model, no opinion."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import numpy as np
from msgspec import Struct

from niagara_arena.ratings.columns import Columns, Floats, Ints, columns
from niagara_arena.ratings.facts import Facts
from niagara_arena.records import RatedGame

__all__ = ["Tally", "tallies"]


class Tally(Struct, frozen=True):
    """Hold what one bot did in the games that count."""

    bot: str
    games: int
    wins: int
    """Games it won, alone or shared, by the rules; a round limit has no winner."""
    win_share: float
    """First places over seats taken; a shared one counts in part."""
    mean_placing: float
    faults: int
    cpu_median_us: int | None
    """Median over its games of the median decision; None where nothing was measured."""
    cpu_worst_us: int | None


def tallies(facts: Facts, data: Columns | None = None) -> dict[str, Tally]:
    """Count for every bot."""
    data = data or columns(facts)
    count = len(data.bots)
    won = np.zeros(len(data.bot))
    begin = np.cumsum(data.size) - data.size
    seats = [seat for game in facts.games for seat in game.winners]
    of_game = np.repeat(np.arange(data.games), [len(game.winners) for game in facts.games])
    won[begin[of_game] + np.array(seats, dtype=np.int64)] = 1
    taken = np.bincount(data.bot, minlength=count)
    medians = _by_bot(_numbers(facts, lambda game: game.cpu_median_us), data.bot, count, np.median)
    worst = _by_bot(_numbers(facts, lambda game: game.cpu_worst_us), data.bot, count, np.max)
    faults = np.bincount(data.bot, np.maximum(_numbers(facts, lambda g: g.faults), 0), count)
    return {
        bot: Tally(
            bot,
            games=int(games),
            wins=int(wins),
            win_share=float(share / seats),
            mean_placing=float(placing / seats),
            faults=int(fault),
            cpu_median_us=medians[i],
            cpu_worst_us=worst[i],
        )
        for i, (bot, games, wins, share, placing, seats, fault) in enumerate(
            zip(
                data.bots,
                _distinct(data, np.ones(len(data.bot))),
                _distinct(data, won),
                np.bincount(data.bot, data.share, count),
                np.bincount(data.bot, data.placing, count),
                taken,
                faults,
                strict=True,
            )
        )
    }


def _distinct(data: Columns, flag: Floats) -> Ints:
    """Count the games in which a bot has the flag, in however many seats."""
    rows, count = flag > 0, len(data.bots)
    if not _sits_twice(data):
        return np.bincount(data.bot[rows], minlength=count)
    pairs = np.unique(data.game[rows] * count + data.bot[rows])
    return np.bincount(pairs % count, minlength=count)


def _sits_twice(data: Columns) -> bool:
    """Tell whether any bot takes two seats of a table: rare, and dear to count."""
    begin = np.cumsum(data.size) - data.size
    for size in np.unique(data.size).tolist():
        table = data.bot[begin[data.size == size][:, None] + np.arange(size)]
        table.sort(axis=1)
        if bool(np.any(table[:, 1:] == table[:, :-1])):
            return True
    return False


def _numbers(facts: Facts, pick: Callable[[RatedGame], tuple[int, ...]]) -> Ints:
    """Return one number a row; -1 where a game has none."""
    found = (pick(game) or (-1,) * len(game.seats) for game in facts.games)
    return np.array(list(chain.from_iterable(found)), dtype=np.int64)


def _by_bot(
    values: Ints, bot: Ints, count: int, summary: Callable[[Ints], np.floating | np.integer]
) -> list[int | None]:
    order = np.argsort(bot, kind="stable")
    parts = np.split(values[order], np.searchsorted(bot[order], np.arange(1, count)))
    known = [part[part >= 0] for part in parts]
    return [round(float(summary(part))) if len(part) else None for part in known]
