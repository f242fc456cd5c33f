"""Climb the bundled opponents: who is met next, when enough is known, and what was found.

Laws kept here:

- Everything is a pure function of the games so far: no clock, no chance, no terminal.
- A rung is an opponent. It is met at a table with its neighbours on the ladder, so that all games
  hang together. Who is stronger is judged by placings (TrueSkill), since of two that both
  lose to the third a winner-only fit learns nothing.
- A rung is decided when the bot is stronger, or weaker, with 95 %; after `most` blocks the better
  half of the evidence must do. The climb ends below the first opponent that is not passed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from niagara_arena.ratings.facts import select
from niagara_arena.ratings.skill import rate
from niagara_arena.ratings.standing import normal
from niagara_arena.records import GameRecord, RatedGame
from niagara_arena.replay.codec import fingerprint

__all__ = ["LADDER", "Climb", "Met", "rungs"]

LADDER: Final = ("random", "homing", "thief", "greedy", "pilot")
"""The bundled opponents by strength, the weakest first, as the tests find them."""

SURE: Final = 0.95


def rungs(known: Sequence[str]) -> tuple[str, ...]:
    """Return the known opponents from weak to strong; those without a place come last."""
    placed = [name for name in LADDER if name in known]
    return (*placed, *sorted(set(known) - set(placed)))


@dataclass(frozen=True)
class Met:
    """Say how the bot fared against one opponent, over all games in which both sat."""

    opponent: str
    games: int
    won: int
    lost: int
    """Games that the opponent won."""
    ahead: int
    """Games in which the bot was placed before the opponent."""
    chance: float
    """The chance that the bot is stronger."""

    @property
    def verdict(self) -> str:
        """``passed``, ``ahead``, ``behind`` or ``beaten by``: how sure the order is."""
        if self.chance >= SURE:
            return "passed"
        if self.chance <= 1 - SURE:
            return "beaten by"
        return "ahead" if self.chance >= 0.5 else "behind"


class Climb:
    """Follow one bot up the ladder; ids are those of submissions, `ladder` goes upwards."""

    def __init__(self, bot: str, ladder: Sequence[str], most_blocks: int, seats: int = 3) -> None:
        if len(ladder) < seats - 1:
            raise ValueError("a ladder needs an opponent for each other seat")
        self._seats = seats
        self._bot = bot
        self._ladder = tuple(ladder)
        self._most = most_blocks
        self._rung = 0
        self._blocks = 0
        self.records: list[GameRecord] = []
        self._rated: list[RatedGame] = []

    @property
    def block(self) -> int:
        """How many blocks have been played on this rung."""
        return self._blocks

    def table(self) -> tuple[str, ...] | None:
        """Return who plays the next block, the bot first; None when the climb is over."""
        if self._rung >= len(self._ladder):
            return None
        near = sorted(range(len(self._ladder)), key=lambda i: (abs(i - self._rung), i))
        return (self._bot, *(self._ladder[i] for i in near[: self._seats - 1]))

    def add(self, records: Sequence[GameRecord]) -> None:
        """Take the games of a block, and go on to what follows from them."""
        for record in records:
            cluster = f"{self._rung} {record.header.opening}"
            self._rated.append(rated(record, len(self._rated), cluster))
            self.records.append(record)
        self._blocks += 1
        chance = self.chances().get(self._ladder[self._rung], 0.5)
        if max(chance, 1 - chance) < SURE and self._blocks < self._most:
            return
        self._blocks = 0
        self._rung = self._rung + 1 if chance >= 0.5 else len(self._ladder)

    def chances(self) -> dict[str, float]:
        """Return by opponent the chance that the bot is stronger, as far as games tell."""
        skills = rate(select(self._rated)).skills
        own = skills.get(self._bot)
        if own is None:
            return {}
        return {
            bot: normal((own.mu - skill.mu) / math.hypot(own.sigma, skill.sigma))
            for bot, skill in skills.items()
            if bot != self._bot
        }

    def met(self) -> list[Met]:
        """Return how the bot fared, by opponent, in the order of the ladder."""
        chances = self.chances()
        return [
            self._fared(opponent, chances[opponent])
            for opponent in self._ladder
            if opponent in chances
        ]

    def _fared(self, opponent: str, chance: float) -> Met:
        games = [game for game in self._rated if game.placings and opponent in game.seats]
        mine = [game.seats.index(self._bot) for game in games]
        theirs = [game.seats.index(opponent) for game in games]
        pairs = list(zip(games, mine, theirs, strict=True))
        return Met(
            opponent,
            games=len(games),
            won=sum(me in game.winners for game, me, _ in pairs),
            lost=sum(them in game.winners for game, _, them in pairs),
            ahead=sum(game.placings[me] < game.placings[them] for game, me, them in pairs),
            chance=chance,
        )

    def ranks(self) -> tuple[int, int]:
        """Return the best and the worst rank that the bot may have among all that met."""
        chances = self.chances().values()
        above = sum(chance <= 1 - SURE for chance in chances)
        below = sum(chance >= SURE for chance in chances)
        return 1 + above, 1 + len(chances) - below

    def beat_next(self) -> str | None:
        """Return the lowest opponent that is not passed for sure; None if all are."""
        chances = self.chances()
        return next((name for name in self._ladder if chances.get(name, 0) < SURE), None)

    def repeated(self) -> int:
        """Count the games that were the same as another, action for action."""
        return select(self._rated).duplicates

    def worst(self, number: int) -> list[GameRecord]:
        """Return the games that the bot lost worst: by its placing, then the quickest."""
        lost = [
            (-record.end.placings[seat], record.end.rounds, record.header.game, record)
            for record in self.records
            if record.end.placings and (seat := self._seat(record)) not in record.end.winners
        ]
        return [record for *_, record in sorted(lost, key=lambda one: one[:3])[:number]]

    def _seat(self, record: GameRecord) -> int:
        return [seat.submission for seat in record.header.seats].index(self._bot)

    def faults(self) -> Mapping[str, int]:
        """Return how often the bot was at fault, by kind."""
        found: dict[str, int] = {}
        for record in self.records:
            for ruling in record.end.rulings:
                if ruling.seat == self._seat(record):
                    found[ruling.fault.value] = found.get(ruling.fault.value, 0) + 1
        return found


def rated(record: GameRecord, order: int, cluster: str) -> RatedGame:
    """Return what ratings need of a game."""
    return RatedGame(
        tournament="practice",
        tournament_order=0,
        order=order,
        game=record.header.game,
        rules=record.header.settings.rules,
        seats=tuple(seat.submission for seat in record.header.seats),
        winners=record.end.winners,
        placings=record.end.placings,
        cluster=cluster,
        fingerprint=fingerprint(record),
        verdicts=tuple(verdict.standing for verdict in record.end.verdicts),
        faults=tuple(verdict.faults for verdict in record.end.verdicts),
    )
