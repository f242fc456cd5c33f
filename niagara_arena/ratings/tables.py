"""Who met whom and how it went: crosstable, head to head, seats. Counts, from the facts alone."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from niagara_arena.ratings.columns import Columns, Ints, columns
from niagara_arena.ratings.facts import Facts
from niagara_arena.ratings.standing import SeatEffect
from niagara_arena.records import RatedGame

__all__ = [
    "Encounter",
    "Meeting",
    "SeatLine",
    "crosstable",
    "head_to_head",
    "opponents",
    "seat_table",
]


class Meeting(Struct, frozen=True):
    """Count how a bot fared against another, at all tables where both sat."""

    bot: str
    opponent: str
    games: int
    better: int
    """Games in which it was placed above the other."""
    tied: int
    worse: int

    @property
    def share(self) -> float:
        """Return the part of the meetings it had the better of, ties as halves."""
        return (self.better + self.tied / 2) / self.games


class Encounter(Struct, frozen=True):
    """Hold one game of a head to head."""

    game: str
    tournament: str
    rules: str
    day: str
    seats: int
    seat: int
    placing: int
    opponent_seat: int
    opponent_placing: int
    winners: tuple[int, ...]


class SeatLine(Struct, frozen=True):
    """Count what a seat won, beside what it is worth by the fit."""

    rules: str
    seats: int
    seat: int
    games: int
    wins: int
    share: float
    """First places over games; a shared one counts in part."""
    fair: float
    """The share of a seat without advantage."""
    worth: float
    low: float
    high: float
    """Worth in logits with its 95 % interval, who sat there taken into account."""

    @property
    def matters(self) -> bool:
        """Tell whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def crosstable(facts: Facts) -> dict[tuple[str, str], Meeting]:
    """Count every pair that met, both ways round, sorted by id."""
    data = columns(facts)
    better, tied, games = _pair_counts(data)
    found = {}
    for a, b in zip(*np.nonzero(games), strict=True):
        bot, opponent = data.bots[a], data.bots[b]
        met, won, even = int(games[a, b]), int(better[a, b]), int(tied[a, b])
        found[bot, opponent] = Meeting(bot, opponent, met, won, even, met - won - even)
    return found


def _pair_counts(data: Columns) -> tuple[Ints, Ints, Ints]:
    """Return by pair of bots: how often the first was better, even, and at a table with the other.

    A bot that sits twice at a table meets each other twice, and itself not at all.
    """
    n = len(data.bots)
    better, tied, games = (np.zeros(n * n, dtype=np.int64) for _ in range(3))
    begin = np.cumsum(data.size) - data.size
    for size in np.unique(data.size).tolist():
        rows = begin[data.size == size][:, None] + np.arange(size)
        bot, placing = data.bot[rows], data.placing[rows]
        for a in range(size):
            for b in range(size):
                other = bot[:, a] != bot[:, b]
                place = (bot[:, a] * n + bot[:, b])[other]
                lead = (placing[:, b] - placing[:, a])[other]
                games += np.bincount(place, minlength=n * n)
                better += np.bincount(place[lead > 0], minlength=n * n)
                tied += np.bincount(place[lead == 0], minlength=n * n)
    return better.reshape(n, n), tied.reshape(n, n), games.reshape(n, n)


def opponents(facts: Facts, bot: str) -> list[Meeting]:
    """Return whom a bot met, the most frequent first."""
    met = [meeting for (one, _), meeting in crosstable(facts).items() if one == bot]
    return sorted(met, key=lambda meeting: (-meeting.games, meeting.opponent))


def head_to_head(facts: Facts, bot: str, opponent: str) -> list[Encounter]:
    """List the games in which both sat, in the order of the facts."""
    return [
        found
        for game in facts.games
        if bot in game.seats and opponent in game.seats
        for found in _encounters(game, bot, opponent)
    ]


def _encounters(game: RatedGame, bot: str, opponent: str) -> Iterable[Encounter]:
    for seat, one in enumerate(game.seats):
        for other_seat, other in enumerate(game.seats):
            if one == bot and other == opponent and seat != other_seat:
                yield Encounter(
                    game.game,
                    game.tournament,
                    game.rules,
                    game.day,
                    len(game.seats),
                    seat,
                    game.placings[seat],
                    other_seat,
                    game.placings[other_seat],
                    game.winners,
                )


def seat_table(facts: Facts, effects: Iterable[SeatEffect]) -> list[SeatLine]:
    """Count by ruleset, table size and seat; `effects` come from the fit."""
    worth = {(effect.rules, effect.seats, effect.seat): effect for effect in effects}
    games: dict[tuple[str, int], int] = {}
    wins: dict[tuple[str, int, int], int] = {}
    shares: dict[tuple[str, int, int], float] = {}
    for game in facts.games:
        kind = (game.rules, len(game.seats))
        games[kind] = games.get(kind, 0) + 1
        for seat in game.winners:
            wins[(*kind, seat)] = wins.get((*kind, seat), 0) + 1
        first = game.placings.count(1)
        for seat, placing in enumerate(game.placings):
            if placing == 1:
                shares[(*kind, seat)] = shares.get((*kind, seat), 0.0) + 1 / first
    found = []
    for (rules, seats), count in sorted(games.items()):
        for seat in range(seats):
            key = (rules, seats, seat)
            effect = worth.get(key) or SeatEffect(*key, 0.0, -math.inf, math.inf, 1 / seats)
            share = shares.get(key, 0.0) / count
            line = SeatLine(
                *key,
                games=count,
                wins=wins.get(key, 0),
                share=share,
                fair=1 / seats,
                worth=effect.worth,
                low=effect.low,
                high=effect.high,
            )
            found.append(line)
    return found
