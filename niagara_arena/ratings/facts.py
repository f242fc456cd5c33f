"""Which games count, and in which order.

Laws kept here:

- What comes out is a pure function of the *set* of games that goes in: any order of the input
  gives the same tuple. Everything else in this package starts from here.
- The order is the schedule's: by tournament, then by place in its schedule, then by game id.
- Void and annulled games do not count. Of identical games (equal fingerprints) the first counts;
  of a game that is handed in twice, one. What was left out is counted, so that it can be said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from niagara_arena.errors import InputError
from niagara_arena.records import RatedGame, Standing

__all__ = ["ALL", "Digest", "Facts", "Selection", "select"]


class Selection(Struct, frozen=True):
    """Say which games to look at; None leaves everything in."""

    rules: str | None = None
    seats: int | None = None
    since: str | None = None
    """The first day, YYYY-MM-DD; games without a day are then left out."""
    tournament: str | None = None
    epoch: str | None = None

    def holds(self, game: RatedGame) -> bool:
        """Tell whether the game is among those asked for."""
        return (
            (self.rules is None or game.rules == self.rules)
            and (self.seats is None or len(game.seats) == self.seats)
            and (self.since is None or game.day >= self.since)
            and (self.tournament is None or game.tournament == self.tournament)
            and (self.epoch is None or game.epoch == self.epoch)
        )


ALL = Selection()


class Facts(Struct, frozen=True):
    """Hold the games that count, in the order in which ratings see them."""

    games: tuple[RatedGame, ...]
    void: int = 0
    """How many were left out because they are void."""
    annulled: int = 0
    duplicates: int = 0
    """How many were left out because an identical game is in already."""

    def bots(self) -> tuple[str, ...]:
        """Return every submission that played, by id."""
        return tuple(sorted({bot for game in self.games for bot in game.seats}))


def select(games: Iterable[RatedGame], selection: Selection = ALL) -> Facts:
    """Sort the games, and leave out what does not count or was not asked for."""
    asked = sorted(
        (game for game in games if selection.holds(game)),
        key=lambda game: (game.tournament_order, game.order, game.game),
    )
    counted: list[RatedGame] = []
    seen: set[str] = set()
    void = annulled = duplicates = 0
    for game in asked:
        if _is_void(game):
            void += 1
            continue
        if game.annulled:
            annulled += 1
            continue
        keys = {f"id {game.tournament_order} {game.game}"}
        if game.fingerprint:
            keys.add(f"fp {game.fingerprint}")
        if keys & seen:
            duplicates += 1
            continue
        seen |= keys
        _check(game)
        counted.append(game)
    return Facts(tuple(counted), void, annulled, duplicates)


def _is_void(game: RatedGame) -> bool:
    return not game.placings or all(verdict is Standing.VOID for verdict in game.verdicts)


def _check(game: RatedGame) -> None:
    """Refuse a game whose parts do not fit: it could only be rated wrongly."""
    seats = len(game.seats)
    if seats < 2 or len(game.placings) != seats or min(game.placings) != 1:
        raise InputError(
            f"game `{game.game}` of `{game.tournament}` has {seats} seats "
            f"and the placings {list(game.placings)}",
            "every seat needs a placing, and the best is 1",
        )
    if not all(0 <= seat < seats for seat in game.winners):
        raise InputError(
            f"game `{game.game}` of `{game.tournament}` names the winners {list(game.winners)} "
            f"of {seats} seats"
        )


class Digest:
    """Hash all of the games that ratings depend on; more games can be added later."""

    def __init__(self, games: Sequence[RatedGame] = ()) -> None:
        self._hash = hashlib.sha256()
        self.add(games)

    def add(self, games: Sequence[RatedGame]) -> None:
        """Take in games, in the order of the facts."""
        encode = msgspec.msgpack.Encoder().encode
        parts = (
            (g.tournament_order, g.order, g.game, g.rules, g.cluster, g.seats, g.placings)
            for g in games
        )
        self._hash.update(b"".join(map(encode, parts)))

    def text(self) -> str:
        """Return the hash of what was taken in so far."""
        return self._hash.hexdigest()
