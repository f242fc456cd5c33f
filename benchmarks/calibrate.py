"""Hold ratings against known truths: `python -m benchmarks.calibrate [--runs N] [--plot FILE]`.

With `--forecast DATABASE`, instead: fit the first half of each real tournament in it, forecast the
second half, and keep score.

For every world of `benchmarks.worlds` and 5 to 100 games a bot: how often 95 % intervals hold the
truth, how near the order comes to the true one (Kendall's tau), whether chances to be first come
true as often as they say. Then how often a tournament that stopped by the rule has the right
leader, and how often the sequential test of two bots errs.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

# Many small matrices: threads of the linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks.plot import Line, Panel, drawing
from benchmarks.worlds import WORLDS, World, play
from niagara_arena.ratings.columns import Floats
from niagara_arena.ratings.facts import select
from niagara_arena.ratings.forecast import half_split
from niagara_arena.ratings.settle import EPSILON, outlook
from niagara_arena.ratings.skill import rate
from niagara_arena.ratings.standing import better, standings
from niagara_arena.ratings.strength import fit
from niagara_arena.ratings.trial import Plan, Verdict, judge
from niagara_arena.store import open_store

SIZES = (5, 10, 20, 50, 100)
CLAIMS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 1.0001)


@dataclass(frozen=True)
class Measured:
    """Hold what many runs of one world showed."""

    world: str
    asked: int
    games_per_bot: float
    games_played: float
    games_counted: float
    coverage: float
    coverage_error: float
    """Standard error of the coverage; the intervals of one world are not independent."""
    tau_strength: float
    tau_skill: float
    first_claims: tuple[tuple[float, float], ...]
    """Chance said to be first, and 1 if it was: one pair a bot and run."""
    better_claims: int
    """How often one bot was called better than another with at least 95 %."""
    better_right: float
    """How often that was true."""


def measure(world: World, games_per_bot: int, runs: int, first_seed: int = 0) -> Measured:
    """Play a world again and again, and hold what is claimed against what is true."""
    inside: list[float] = []
    taus: list[tuple[float, float]] = []
    firsts: list[tuple[float, float]] = []
    right: list[float] = []
    counts: list[tuple[int, int]] = []
    for seed in range(first_seed, first_seed + runs):
        played = play(world, games_per_bot, seed)
        facts = select(played.games)
        strengths = fit(facts)
        found = standings(strengths, world.seats)
        held = [s.low <= t <= s.high for s, t in zip(found, played.truth, strict=True)]
        inside.append(float(np.mean(held)))
        skills = rate(facts)
        skill = np.array([skills.of(bot).mu for bot in played.bots])
        taus.append((kendall(strengths.mean, played.truth), kendall(skill, played.truth)))
        best = int(np.argmax(played.truth))
        firsts += [(standing.first, float(i == best)) for i, standing in enumerate(found)]
        above = played.truth[:, None] > played.truth[None, :]
        right += above[better(strengths) >= 0.95].tolist()
        counts.append((len(played.games), len(facts.games)))
    strength_tau, skill_tau = np.mean(taus, axis=0).tolist()
    total, counted = np.mean(counts, axis=0).tolist()
    return Measured(
        world.name,
        games_per_bot,
        total * world.seats / world.bots,
        total,
        counted,
        float(np.mean(inside)),
        float(np.std(inside)) / math.sqrt(runs),
        strength_tau,
        skill_tau,
        tuple(firsts),
        len(right),
        float(np.mean(right)) if right else float("nan"),
    )


def kendall(x: Floats, y: Floats) -> float:
    """Return Kendall's tau: pairs in the same order less pairs in the other, over all pairs."""
    agree = np.sign(x[:, None] - x[None, :]) * np.sign(y[:, None] - y[None, :])
    return float(agree.sum() / (len(x) * (len(x) - 1)))


@dataclass(frozen=True)
class Stopped:
    """Hold what tournaments that stopped by the rule showed."""

    world: str
    runs: int
    settled: int
    within: float
    """How often the leader of a settled tournament was within epsilon of the best."""
    games_per_bot: float
    """How many games a bot a settled tournament took, on average."""


def stopping(world: World, runs: int, first_seed: int) -> Stopped:
    """Run tournaments that look after every block whether they are settled."""
    right, lengths = [], []
    for seed in range(first_seed, first_seed + runs):
        played = play(world, 600, seed)
        games, size = played.games, len(played.games) // 30
        for end in range(size, len(games) + 1, size):
            found = outlook(fit(select(games[:end])))
            if found.settled:
                place = played.bots.index(found.leader)
                right.append(played.truth[place] >= played.truth.max() - EPSILON)
                lengths.append(end * world.seats / world.bots)
                break
    within = float(np.mean(right)) if right else float("nan")
    return Stopped(world.name, runs, len(right), within, float(np.mean(lengths or [np.nan])))


@dataclass(frozen=True)
class Tried:
    """Hold what trials of two bots showed."""

    difference: float
    better: float
    not_better: float
    blocks: float
    covered: float


def trials(difference: float, runs: int, plan: Plan) -> Tried:
    """Try a B that wins more often by the difference, in blocks of four paired games."""
    rng = np.random.default_rng(round(difference * 1000) + 500)
    verdicts, blocks, covered = [], [], []
    for _ in range(runs):
        luck = rng.random((3000, 4))
        other = np.where(rng.random((3000, 4)) < 0.3, luck, rng.random((3000, 4)))
        data = (other < 0.25 + difference).mean(1) - (luck < 0.25).mean(1)
        found = judge(data.tolist(), plan)
        verdicts.append(found.verdict)
        blocks.append(found.blocks)
        covered.append(found.low <= difference <= found.high)
    return Tried(
        difference,
        verdicts.count(Verdict.BETTER) / runs,
        verdicts.count(Verdict.NOT_BETTER) / runs,
        float(np.mean(blocks)),
        float(np.mean(covered)),
    )


def reliability(claims: Sequence[tuple[float, float]]) -> list[tuple[int, float, float]]:
    """Return by bin of claims: how many, what they said on average, how often they came true."""
    data = np.array(claims)
    found = []
    for low, high in pairwise(CLAIMS):
        here = data[(data[:, 0] >= low) & (data[:, 0] < high)]
        if len(here):
            found.append((len(here), float(here[:, 0].mean()), float(here[:, 1].mean())))
    return found


def _sizes(world: World) -> tuple[int, ...]:
    """Return games a bot; a table that plays through its seatings plays no fewer than 16."""
    if world.openings_per_match > 1:
        return SIZES[3:]
    return SIZES if world.seating == "single" else SIZES[1:]


def _measure(job: tuple[World, int, int, int]) -> Measured:
    return measure(*job)


def _stop(job: tuple[World, int, int]) -> Stopped:
    return stopping(*job)


def plot(results: Sequence[Measured]) -> str:
    """Draw coverage, order and the truth of claims."""
    worlds = list(dict.fromkeys(result.world for result in results))
    by_world = {w: [r for r in results if r.world == w] for w in worlds}
    coverage = [
        Line(
            w,
            [(r.games_per_bot, r.coverage) for r in rows],
            errors=[r.coverage_error for r in rows],
        )
        for w, rows in by_world.items()
    ]
    order = [
        Line(w, [(r.games_per_bot, r.tau_strength) for r in rows]) for w, rows in by_world.items()
    ]
    claims = [claim for result in results for claim in result.first_claims]
    bins = [(said, came) for count, said, came in reliability(claims) if count >= 20]
    truth = [Line("said = came true", [(0, 0), (1, 1)], dashed=True), Line("all worlds", bins)]
    return drawing(
        [
            Panel(
                "95 % intervals that hold the truth",
                coverage,
                (5, 140),
                (0.9, 1.0),
                "games a bot",
                True,
                0.95,
            ),
            Panel(
                "Kendall’s tau of strength and truth",
                order,
                (5, 140),
                (0, 1.0),
                "games a bot",
                True,
            ),
            Panel(
                "P(first): how often it came true", truth, (0, 1), (0, 1), "chance that was said"
            ),
        ]
    )


def main(arguments: Sequence[str]) -> int:
    """Measure everything, print tables, and draw if asked to."""
    parser = argparse.ArgumentParser(prog="benchmarks.calibrate", description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="runs of each world and size")
    parser.add_argument("--seed", type=int, default=0, help="of the first run; others count on")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--plot", type=Path, help="where to draw the figures, as SVG")
    parser.add_argument("--forecast", type=Path, metavar="DATABASE", help="score forecasts of it")
    given = parser.parse_args(arguments)
    if given.forecast:
        _print_forecasts(given.forecast)
        return 0
    jobs = [(world, size, given.runs, given.seed) for world in WORLDS for size in _sizes(world)]
    ends = [(world, max(10, given.runs // 4), given.seed + 10_000) for world in WORLDS]
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        results = _print_measured(pool.imap(_measure, jobs))
        _print_stopped(pool.imap(_stop, ends))
    _print_trials(given.runs * 5)
    if given.plot:
        given.plot.write_text(plot(results), encoding="utf-8")
    return 0


def _print_measured(found: Iterable[Measured]) -> list[Measured]:
    """Print a line as soon as it is measured; return them all."""
    print("| world | games a bot | coverage | tau strength | tau TrueSkill | “better” right |")
    print("|---|--:|--:|--:|--:|--:|")
    results = []
    for r in found:
        results.append(r)
        right = f"{r.better_right:.1%} of {r.better_claims}" if r.better_claims else "never said"
        print(
            f"| {r.world} | {r.games_per_bot:.0f} | {r.coverage:.1%} ± {r.coverage_error:.1%} "
            f"| {r.tau_strength:.2f} | {r.tau_skill:.2f} | {right} |",
            flush=True,
        )
    print("\n| P(first) said | came true | claims |\n|--:|--:|--:|")
    for count, said, came in reliability([c for r in results for c in r.first_claims]):
        print(f"| {said:.3f} | {_share(came, count)} |")
    return results


def _print_stopped(stopped: Iterable[Stopped]) -> None:
    print("\n| world | settled | leader within 0.2 of the best | games a bot |\n|---|--:|--:|--:|")
    for s in stopped:
        print(
            f"| {s.world} | {s.settled} of {s.runs} | {s.within:.1%} | {s.games_per_bot:.0f} |",
            flush=True,
        )


def _print_trials(runs: int) -> None:
    plan = Plan()
    print(
        f"\nTrials with margin {plan.margin}, alpha {plan.alpha}, power {plan.power}: {runs} each\n"
        "\n| true difference | called better | called not better | blocks | interval holds |"
        "\n|--:|--:|--:|--:|--:|"
    )
    for difference in (-0.05, 0.0, 0.025, 0.05, 0.1):
        t = trials(difference, runs, plan)
        print(
            f"| {t.difference:+.3f} | {t.better:.1%} | {t.not_better:.1%} | {t.blocks:.0f} "
            f"| {t.covered:.1%} |"
        )


def _share(came: float, count: int) -> str:
    """Return two cells of a table: how many came true with the standard error, and of how many."""
    return f"{came:.3f} ± {math.sqrt(came * (1 - came) / count):.3f} | {count}"


def _print_forecasts(database: Path) -> None:
    with open_store(database) as store:
        for tournament in store.tournaments():
            found = half_split(select(store.rated_games(tournament.name)))
            print(
                f"{tournament.name}: {found.scored} games forecast from {found.fitted}: log loss "
                f"{found.log_loss:.3f}, knowing nothing {found.uniform_loss:.3f}\n"
                "\n| said | came true | forecasts |\n|--:|--:|--:|"
            )
            for part in found.calibration:
                print(f"| {part.claimed:.2f} | {_share(part.observed, part.forecasts)} |")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
