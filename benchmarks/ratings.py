"""Ratings of 100,000 five-seat games: how long the fit, TrueSkill and the leaderboard take."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# Many small matrices: threads of the linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks.filled import fill
from niagara_arena.ratings.facts import select
from niagara_arena.ratings.leaderboard import Bot
from niagara_arena.ratings.skill import rate
from niagara_arena.ratings.strength import fit
from niagara_arena.records import RatedGame, Standing

GAMES, NIGHT, SEATS, BOTS = 100_000, 1_000, 5, 50


def made_games(count: int, seed: int = 1) -> list[RatedGame]:
    """Return games of random tables, tied placings among them."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.7, BOTS)
    ids = [f"{number:064x}" for number in range(BOTS)]
    games = []
    for number in range(count):
        table = rng.permutation(BOTS)[:SEATS]
        force = strength[table] + rng.gumbel(size=SEATS)
        placings = np.empty(SEATS, dtype=np.int64)
        placings[np.argsort(-force)] = [1, 2, 3, 3, 5] if number % 3 else [1, 2, 3, 4, 5]
        games.append(
            RatedGame(
                tournament="bench",
                tournament_order=1,
                order=number,
                game=f"g-{number:016x}",
                rules="base",
                seats=tuple(ids[i] for i in table),
                winners=(int(np.argmax(force)),),
                placings=tuple(placings.tolist()),
                cluster=f"{number // SEATS}",
                fingerprint=f"{number}",
                verdicts=(Standing.FINISHED,) * SEATS,
                faults=(0,) * SEATS,
                cpu_median_us=(100,) * SEATS,
                cpu_worst_us=(900,) * SEATS,
                day="2026-01-01",
            )
        )
    return games


def timed(name: str, limit_s: float, call: Callable[[], object]) -> object:
    """Run the call and print how long it took, by the wall and in CPU time."""
    wall, cpu = time.perf_counter(), _cpu()
    found = call()
    wall, cpu = time.perf_counter() - wall, _cpu() - cpu
    print(f"  {name:<46}{wall:7.2f} s wall {cpu:7.2f} s cpu   (goal {limit_s:g} s)", flush=True)
    return found


def _cpu() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def run() -> None:
    """Measure and print."""
    print(f"ratings: {GAMES:,} games of {SEATS} among {BOTS} bots")
    games = made_games(GAMES + NIGHT)
    facts, before = select(games[:GAMES]), select(games[:GAMES])
    timed("strength", 3, lambda: fit(facts))
    kept = rate(select(games[:0]))
    state = timed("TrueSkill, from the first game", 90, lambda: rate(before, kept))
    everything = select(games)
    timed(
        f"TrueSkill, {NIGHT:,} new games on a kept state",
        1,
        lambda: rate(everything, state),  # type: ignore[arg-type]  # it is what `rate` returned
    )
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "arena.db"
        bots = {f"{number:064x}": Bot(f"bot{number}", "1") for number in range(BOTS)}
        fill(database, games[:GAMES], bots)
        command = [
            sys.executable,
            "-m",
            "niagara_arena",
            "-q",
            "leaderboard",
            "--db",
            str(database),
        ]
        for name, limit in (("niagara leaderboard, nothing kept", 95), ("again, kept", 5)):
            timed(name, limit, lambda: subprocess.run(command, check=True, capture_output=True))


if __name__ == "__main__":
    run()
