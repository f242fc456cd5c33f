"""Matches of the zoo's animals through real processes, small and quick."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from niagara_arena.match import Contestant, Watcher, play_match
from niagara_arena.records import Clock, GameJob, GameRecord, Limits, MatchJob, Settings
from niagara_arena.referee import make_settings
from niagara_arena.sandbox import Launch, choose
from niagara_arena.schedule.seeds import game_id, game_seed

ZOO = Path(__file__).parents[1] / "zoo"
SEED = "5eed"
PATIENT = Clock(startup_ms=60_000, bank_ms=60_000, wall_ms=60_000)
"""For animals whose fault is not time: a busy machine must not make them look slow."""


def contestant(kind: str, when: int = 2, limits: Limits | None = None) -> Contestant:
    """Return an animal of the zoo, ready to be started."""
    command = (sys.executable, "-S", "animal.py", kind, str(when))
    launch = Launch(str(ZOO), command, limits or Limits())
    return Contestant(f"{abs(hash(kind)) % 16**8:064x}", kind, "1", {}, launch)


def settings(profile: str = "standard", **changes: Any) -> Settings:
    """Return settings for short games that wait patiently."""
    given = {"max_rounds": 3, "clock": {"startup_ms": 60_000, "bank_ms": 60_000, "wall_ms": 60_000}}
    return make_settings(profile, given | changes)


def job(contestants: list[Contestant], under: Settings, games: int = 1) -> MatchJob:
    """Return a match of some games, everybody always in the same seat."""
    table = tuple(one.submission for one in contestants)
    seating = tuple(range(len(contestants)))
    return MatchJob(
        "m-0000000000000000",
        table,
        tuple(
            GameJob(game_id(SEED, "m", i), seating, game_seed(SEED, "m", i)) for i in range(games)
        ),
        under,
    )


def play(
    *kinds: str | Contestant,
    under: Settings | None = None,
    games: int = 1,
    watcher: Watcher | None = None,
) -> list[GameRecord]:
    """Play animals against each other at level none and return the records."""
    bots = [contestant(kind) if isinstance(kind, str) else kind for kind in kinds]
    return play_match(job(bots, under or settings(), games), bots, choose("none"), watcher=watcher)
