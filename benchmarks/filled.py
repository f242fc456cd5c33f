"""A database filled with rated games that nobody played, to read them back from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from niagara_arena.ratings.leaderboard import Bot
from niagara_arena.records import RatedGame, Settings
from niagara_arena.schedule.plan import Planned
from niagara_arena.schedule.spec import Entrant, Spec
from niagara_arena.store import EndState, GameFacts, MatchEnd, Store, open_store
from niagara_arena.store.facts import STANDINGS
from niagara_arena.tournament.planning import make_facts

__all__ = ["fill"]

_TOGETHER = 5000
"""Games of one match: it is written in one go."""


def fill(path: Path, games: Sequence[RatedGame], bots: Mapping[str, Bot]) -> None:
    """Write the games, sorted by tournament, with records that are empty."""
    with open_store(path, write=True) as store:
        for submission, bot in bots.items():
            authors = [bot.author] if bot.author else []
            store.writer.add_submission(submission, bot.name, bot.version, "none", authors)
        for name, part in groupby(games, key=lambda game: game.tournament):
            _fill_tournament(store, name, list(part), bots)


def _fill_tournament(
    store: Store, name: str, games: Sequence[RatedGame], bots: Mapping[str, Bot]
) -> None:
    names = sorted({bot for game in games for bot in game.seats})
    entrants = [Entrant(bot, bots[bot].name, bots[bot].version) for bot in names]
    settings = Settings(rules=games[0].rules)
    seats = tuple(sorted({len(game.seats) for game in games}))
    spec = Spec(seed=name, settings=settings, seats=seats, games_per_bot=1)
    facts = make_facts(name, spec, entrants)
    tournament = store.writer.add_tournament(facts, "2026-01-01T00:00:00Z")
    store.writer.begin_run(tournament, "2026-01-01T00:00:00Z", 1, "none")
    numbering = {entrant.submission: i for i, entrant in enumerate(facts.entrants)}
    for order, first in enumerate(range(0, len(games), _TOGETHER)):
        part = games[first : first + _TOGETHER]
        planned = Planned(order, first, 0, f"m-{order:016x}", part[0].seats)
        store.writer.add_schedule(tournament, [planned], numbering)
        stored = tuple(_facts(game, first + i, numbering) for i, game in enumerate(part))
        store.writer.end_match(tournament, MatchEnd(order, EndState.PLAYED, games=stored))


def _facts(game: RatedGame, place: int, numbering: Mapping[str, int]) -> GameFacts:
    medians = game.cpu_median_us or (0,) * len(game.seats)
    worst = game.cpu_worst_us or (0,) * len(game.seats)
    return GameFacts(
        game=game.game,
        place=place,
        seats=tuple(numbering[bot] for bot in game.seats),
        winners=game.winners,
        placings=game.placings,
        standings=tuple(STANDINGS.index(verdict) for verdict in game.verdicts),
        faults=game.faults,
        rounds=1,
        reason="won",
        cluster=hashlib.sha256(game.cluster.encode()).digest()[:8],
        fingerprint=hashlib.sha256(game.fingerprint.encode()).digest()[:16],
        hash=bytes(32),
        cpu_us=tuple(n for pair in zip(medians, worst, strict=True) for n in pair),
        day=game.day,
        record=b"",
        measured=b"",
    )
