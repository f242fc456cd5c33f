"""What a tournament costs beside its matches: caged bots, by hand in a loop, with 1 and 2 jobs.

Everything is pinned and freezes its bots, as in ranked play. The sides alternate; medians are
printed. An organiser of a nightly run has each match play several openings, so that bots start less
often: that is measured first, and beside it what one opening a match comes to.

Light bots cost little and are stopped after as many rounds as a game of the bundled bots takes: in
C one that draws an action at random, in Python the starter kit. What a finished game adds to the
database is measured with @greedy, whose games end by themselves.
"""

from __future__ import annotations

import hashlib
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.match_speed import HERE, pinned
from niagara_arena.match import Contestant
from niagara_arena.records import GameRecord, MatchJob, Settings
from niagara_arena.sandbox import Backend, choose
from niagara_arena.schedule.heats import next_heat
from niagara_arena.schedule.plan import Planned, fixed_plan, make_job
from niagara_arena.schedule.spec import Entrant, Spec
from niagara_arena.schedule.standings import Outcome
from niagara_arena.store import MatchEnd, open_store
from niagara_arena.submissions import load, prepare, starter_kits
from niagara_arena.tournament.agenda import Agenda
from niagara_arena.tournament.entering import match_players
from niagara_arena.tournament.planning import make_facts
from niagara_arena.tournament.running import Runner, now_text
from niagara_arena.tournament.workers import Player, PlayerFactory, Worker, available_cores

FIELD = 8
GAMES_A_BOT = 48
LENGTHS = ((8, 256), (1, 48))
"""Openings a match, and games a bot: 16 matches of 32 games, 24 matches of 4."""
TURNS = 3
ROUNDS = 20
"""The bundled bots, all at one table, take 17 in the middle."""


def c_bot(folder: Path) -> str:
    """Build a submission of the instant bot; return its folder."""
    target = folder / "instant"
    target.mkdir()
    subprocess.run(
        ["cc", "-O2", "-o", str(target / "instant"), str(HERE / "instant.c")], check=True
    )
    (target / "bot.toml").write_text('name = "instant"\nrun = "./instant"\n')
    return str(target)


def field_of(reference: str, backend: Backend) -> tuple[list[Entrant], dict[str, Contestant]]:
    """Return a field of copies of one bot under made-up ids."""
    submission = load(reference)
    launch = prepare(submission, backend).launch()
    entrants, contestants = [], {}
    for number in range(FIELD):
        name = hashlib.sha256(f"{submission.id} {number}".encode()).hexdigest()
        entrants.append(Entrant(name, f"{submission.name}-{number}", "1"))
        contestants[name] = Contestant(name, entrants[-1].name, "1", {}, launch)
    return entrants, contestants


class Measure(NamedTuple):
    """Hold what one run came to."""

    rate: float
    """Games a second."""
    busy: float = 1.0
    """Share of the time in which workers played, all workers together."""
    grown: float = 0.0
    """Bytes that a game added to the database."""


class Onlooker:
    """Add up how long workers took for their matches."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def began(self, agenda: Agenda, workers: Sequence[Worker]) -> None:
        """Do nothing."""

    def handed_out(self, match: Planned, worker: Worker) -> None:
        """Do nothing."""

    def ended(self, match: Planned, end: MatchEnd, seconds: float) -> None:
        """Add a match."""
        self.seconds += seconds

    def trouble(self, match: Planned, sentence: str) -> None:
        """Say that the machine spoiled the figures."""
        print(f"    (match {match.order} is played again: {sentence})")

    def idle(self) -> None:
        """Do nothing."""


def by_hand(spec: Spec, entrants: Sequence[Entrant], make: PlayerFactory, core: int) -> Measure:
    """Play the same matches, one after another, and store nothing."""
    jobs = [make_job(spec, match) for match in fixed_plan(spec, entrants)]
    player = make(core)
    with pinned(core):
        began = time.perf_counter()
        games = sum(len(player(job)) for job in jobs)
        return Measure(games / (time.perf_counter() - began))


def as_tournament(
    spec: Spec, entrants: Sequence[Entrant], make: PlayerFactory, cores: Sequence[int | None]
) -> Measure:
    """Play a tournament in a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arena.db"
        with open_store(path, write=True) as store:
            for entrant in entrants:
                store.writer.add_submission(entrant.submission, entrant.name, "1", "", [])
            number = store.writer.add_tournament(make_facts("bench", spec, entrants), now_text())
            onlooker = Onlooker()
            runner = Runner(store, number, make, cores, observer=onlooker)
            store.writer.scrub()
            empty = path.stat().st_size
            finish = runner.run()
            store.writer.scrub()
        return Measure(
            finish.games / finish.seconds,
            onlooker.seconds / finish.seconds / len(cores),
            (path.stat().st_size - empty) / finish.games,
        )


def throughput(title: str, reference: str, settings: Settings, backend: Backend) -> None:
    """Print games a second of the three sides, with several openings a match and with one."""
    entrants, contestants = field_of(reference, backend)
    make = match_players(contestants, backend)
    print(f"tournament: {title}, {FIELD} bots, tables of 4, sandbox {backend.level}, freeze on")
    for openings, games in LENGTHS:
        spec = Spec(
            seed="bench",
            settings=settings,
            games_per_bot=games,
            openings="random:2",
            openings_per_match=openings,
        )
        matches = len(fixed_plan(spec, entrants))
        print(f"  {matches} matches of {openings} × 4 games")
        compare(spec, entrants, make)


def compare(spec: Spec, entrants: Sequence[Entrant], make: PlayerFactory) -> None:
    """Print games a second of the three sides."""
    cores = available_cores()
    sides: dict[str, Callable[[], Measure]] = {
        "by hand in a loop": lambda: by_hand(spec, entrants, make, cores[0]),
        "1 job": lambda: as_tournament(spec, entrants, make, cores[:1]),
        "2 jobs": lambda: as_tournament(spec, entrants, make, cores[:2]),
    }
    found: dict[str, list[Measure]] = {name: [] for name in sides}
    for _ in range(TURNS):
        for name, side in sides.items():
            found[name].append(side())
    hand, one = found["by hand in a loop"], found["1 job"]
    for name, runs in found.items():
        told = f"{statistics.median(run.rate for run in runs):8.1f} games/s"
        told += f"  {_ratio(runs, hand):5.2f} × by hand"
        if name != "by hand in a loop":
            busy = statistics.median(run.busy for run in runs)
            told += f", workers play {busy:.3f} of the time"
        if name == "2 jobs":
            told += f", {_ratio(runs, one):.2f} × 1 job"
        print(f"    {name:<20}{told}")


def _ratio(runs: Sequence[Measure], others: Sequence[Measure]) -> float:
    return statistics.median(a.rate / b.rate for a, b in zip(runs, others, strict=True))


def growth(reference: str, backend: Backend) -> None:
    """Print what a game that ended by itself adds to the database."""
    entrants, contestants = field_of(reference, backend)
    spec = Spec(seed="bench", games_per_bot=GAMES_A_BOT, openings="random:2")
    make = match_players(contestants, backend)
    found = as_tournament(spec, entrants, make, available_cores()[:1])
    print(f"  the database grows by {found.grown:,.0f} bytes a finished game of {reference}")


class Sleeper:
    """Take 10 ms for a match, and return the same games each time."""

    def __init__(self, player: Player, job: MatchJob) -> None:
        self._records = player(job)

    def __call__(self, job: MatchJob) -> list[GameRecord]:
        """Sleep, then name the games as the job does."""
        time.sleep(0.01)
        return [
            msgspec.structs.replace(
                record, header=msgspec.structs.replace(record.header, game=game.game)
            )
            for record, game in zip(self._records, job.games, strict=False)
        ]


def dispatch(backend: Backend) -> None:
    """Print how much of its time a worker sleeps when a match is 10 ms of sleep, and memory."""
    entrants, contestants = field_of(str(starter_kits()["python"]), backend)
    short = Settings(max_rounds=3)
    spec = Spec(seed="bench", settings=short, games_per_bot=1200, seating="single")
    jobs = [make_job(spec, match) for match in fixed_plan(spec, entrants)]
    real = match_players(contestants, backend)(None)
    by_table = {frozenset(job.entrants): Sleeper(real, job) for job in jobs[:70]}

    def make(core: int | None) -> Player:
        return lambda job: by_table[frozenset(job.entrants)](job)

    known = {frozenset(job.entrants) for job in jobs}
    assert known <= by_table.keys(), "the first 70 tables are all tables of 8 bots"
    for count in (1, 2):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        rate = as_tournament(spec, entrants, make, [None] * count).rate
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(
            f"  dispatch, {count} job{'s' * (count > 1)}: {rate / count / 100:.3f} of the time is"
            f" play at 10 ms a match; the runner grew {grown / 1024:.1f} MB over {len(jobs)} games"
        )


def planning() -> None:
    """Print how long it takes to plan for 1,000 entrants."""
    entrants = [
        Entrant(hashlib.sha256(str(n).encode()).hexdigest(), str(n), owner=f"o{n // 3}")
        for n in range(1000)
    ]
    cases = {
        "round robin, tables of 4": Spec(seed="s"),
        "round robin, tables of 5, 200 games a bot": Spec(seed="s", seats=(5,), games_per_bot=200),
        "round robin, one entry an owner": Spec(seed="s", one_per_owner=True),
    }
    print("planning for 1,000 entrants")
    for name, spec in cases.items():
        began = time.process_time()
        fixed_plan(spec, entrants)
        print(f"  {name:<44}{time.process_time() - began:6.2f} s")
    worst = 0.0
    spec = Spec(seed="s", format="swiss")
    outcomes: list[Outcome] = []
    for heat in range(8):
        began = time.process_time()
        tables = next_heat(spec, entrants, outcomes, heat)
        worst = max(worst, time.process_time() - began)
        outcomes += [Outcome(f"{heat} {n}", t, (1, 2, 3, 4)) for n, t in enumerate(tables)]
    print(f"  {'Swiss, the slowest of 8 heats':<44}{worst:6.2f} s")


def run() -> None:
    """Print everything."""
    backend = choose("auto")
    planning()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        short = Settings(max_rounds=ROUNDS)
        throughput("light C bots", c_bot(Path(folder)), short, backend)
    throughput("light Python bots", str(starter_kits()["python"]), short, backend)
    growth("@greedy", backend)
    dispatch(backend)


if __name__ == "__main__":
    run()
