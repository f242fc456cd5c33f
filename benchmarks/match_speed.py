"""What the referee costs: instant C bots, beside a control in C that only moves the bytes.

Everything is pinned: one match to one core, with its bots. The sides alternate, medians are
printed. `referee CPU` is this process's own CPU time a request: rules, observation, encoding,
clocks, record and system calls included.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import multiprocess

from niagara_arena.match import Contestant, play_match
from niagara_arena.records import GameJob, GameRecord, Limits, MatchJob, Played
from niagara_arena.referee import Answer, Ask, Done, Referee, make_settings
from niagara_arena.replay.codec import encode
from niagara_arena.rules import (
    State,
    action_from_json,
    apply,
    legal,
    legal_text,
    observation_text,
    pending,
)
from niagara_arena.sandbox import Launch, choose
from niagara_arena.schedule.seeds import game_id, game_seed
from niagara_arena.wire.messages import Act
from niagara_arena.wire.replies import read_act

HERE = Path(__file__).parent / "c"

SEATS = 4
GAMES = 12
TURNS = 5
MAX_ROUNDS = 60


def build(folder: Path) -> tuple[str, str]:
    """Compile the bot and the control."""
    made = []
    for name in ("instant", "control"):
        target = folder / name
        command = ["cc", "-O2", "-o", str(target), str(HERE / f"{name}.c")]
        subprocess.run(command, check=True)
        made.append(str(target))
    return made[0], made[1]


def play(
    bot: str,
    *,
    freeze: bool,
    core: int | None,
    games: int = GAMES,
    on_game: Callable[[GameRecord], None] | None = None,
) -> list[GameRecord]:
    """Play one match of instant bots and return its records."""
    launch = Launch(str(Path(bot).parent), ("./instant",), Limits())
    bots = [Contestant(f"{i:064x}", f"instant{i}", "1", {}, launch) for i in range(SEATS)]
    settings = make_settings("standard", {"freeze": freeze, "max_rounds": MAX_ROUNDS})
    jobs = tuple(
        GameJob(game_id("bench", "m", i), tuple(range(SEATS)), game_seed("bench", "m", i))
        for i in range(games)
    )
    job = MatchJob("m-bench", tuple(one.submission for one in bots), jobs, settings)
    return play_match(job, bots, choose("none"), core=core, on_game=on_game)


def count(records: list[GameRecord]) -> int:
    """Return how many requests were answered."""
    return sum(len(record.measured.cpu_us) for record in records)


@contextmanager
def pinned(core: int | None) -> Iterator[None]:
    """Run on one core for a while."""
    before = os.sched_getaffinity(0)
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure(bot: str, freeze: bool, core: int) -> tuple[float, float]:
    """Return requests a second and referee CPU a request in µs, from the second game on.

    The first starts the bots and warms up.
    """
    ends: list[tuple[float, float]] = []
    with pinned(core):
        records = play(
            bot,
            freeze=freeze,
            core=core,
            on_game=lambda _: ends.append((time.process_time(), time.perf_counter())),
        )
    cpu, wall = (last - first for first, last in zip(ends[0], ends[-1], strict=True))
    requests = count(records[1:])
    return requests / wall, cpu / requests * 1e6


def measure_control(control: str, bot: str, size: int, core: int) -> tuple[float, float]:
    """Return the control's requests a second and CPU a request."""
    with pinned(core):
        command = [control, bot, str(SEATS), "40000", str(size)]
        words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(words[0]), float(words[1])


def two_at_once(bot: str, cores: list[int]) -> float:
    """Return the requests a second of as many matches at once as there are cores given."""

    def work(core: int, pipe: Any) -> None:
        rate, _ = measure(bot, True, core)
        pipe.send(rate)

    workers = []
    for core in cores:
        ours, theirs = multiprocess.Pipe()
        worker = multiprocess.Process(target=work, args=(core, theirs))
        worker.start()
        workers.append((worker, ours))
    rates = [ours.recv() for _, ours in workers]
    for worker, _ in workers:
        worker.join()
    return float(sum(rates))


def parts(record: GameRecord, io_us: float) -> None:
    """Print where the time of a request goes, by doing each part alone on a recorded game."""
    states: list[tuple[State, int]] = []
    sans_io = min(_referee_alone(record, states) for _ in range(TURNS))
    del states[len(states) // TURNS :]
    requests = len(states)
    each = {
        "observation": _alone(states, observation_text),
        "legal list": _alone(states, legal_text),
        "rules (apply)": _alone(
            states, lambda s, seat: apply(s, pending(s)[0].seat, legal(s, pending(s)[0].seat)[0])
        ),
        "reading a reply": _alone(states, lambda s, seat: read_act(b'{"id":7,"choice":1}', 7)),
    }
    begun = time.perf_counter()
    encode(record)
    kept = (time.perf_counter() - begun) / requests * 1e6
    print("  parts of a request, µs, each alone and warm:")
    for name, us in each.items():
        print(f"    {name:<18}{us:6.2f}")
    print(f"    {'record, encoded':<18}{kept:6.2f}")
    print(f"    {'referee, sans I/O':<18}{sans_io:6.2f}")
    print(f"    {'I/O and clocks':<18}{io_us - sans_io:6.2f}  (the rest of the referee's CPU)")


def _referee_alone(record: GameRecord, states: list[tuple[State, int]]) -> float:
    """Play a recorded game without bots; add the states asked about, return µs a request."""
    referee = Referee(record.header, [0] * SEATS)
    acts = iter(a for page in record.rounds for a in page.acts if isinstance(a, Played))
    spent = 0.0
    requests = 0
    while True:
        begun = time.perf_counter()
        step = referee.next_step()
        spent += time.perf_counter() - begun
        if isinstance(step, Done):
            return spent / requests * 1e6
        if not isinstance(step, Ask):
            continue
        answers = []
        for request in step.requests:
            states.append((referee.state, request.seat))
            action = action_from_json(_decoded(next(acts)))
            index = legal(referee.state, request.seat).index(action)
            answers.append(Answer(request.seat, Act(request.number, choice=index), None, 1, 1, 0))
        requests += len(answers)
        begun = time.perf_counter()
        referee.answer(answers)
        spent += time.perf_counter() - begun


def _decoded(act: Played) -> Any:
    return msgspec.json.decode(act.action)


def _alone(states: list[tuple[State, int]], call: Callable[..., object]) -> float:
    best = float("inf")
    for _ in range(TURNS):
        begun = time.process_time()
        for state, seat in states:
            call(state, seat)
        best = min(best, (time.process_time() - begun) / len(states) * 1e6)
    return best


def memory_of_another_match(bot: str) -> float:
    """Return how much a worker grows from its second match to its tenth, in MB a match."""
    play(bot, freeze=True, core=None, games=1)
    play(bot, freeze=True, core=None, games=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(8):
        play(bot, freeze=True, core=None, games=1)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 / 8


def run() -> None:
    """Alternate the sides and print medians."""
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        bot, control = build(Path(folder))
        sample = play(bot, freeze=False, core=None, games=2)
        size = _request_size(sample[0])
        sides: dict[str, Callable[[], tuple[float, float]]] = {
            "control, C to C": lambda: measure_control(control, bot, size, cores[0]),
            "freeze off": lambda: measure(bot, False, cores[0]),
            "freeze on": lambda: measure(bot, True, cores[0]),
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
        for _ in range(TURNS):
            for name, side in sides.items():
                found[name].append(side())
        print(f"referee: one match of {SEATS} instant C bots, base game, requests of {size} bytes")
        floor = found["control, C to C"]
        for name, rows in found.items():
            rate = statistics.median(row[0] for row in rows)
            cpu = statistics.median(row[1] for row in rows)
            pairs = zip(rows, floor, strict=True)
            ratio = statistics.median(mine[0] / base[0] for mine, base in pairs)
            print(
                f"  {name:<18}{rate:>9,.0f} requests/s  {cpu:6.2f} µs CPU  {ratio:5.2f} × control"
            )
        parts(sample[1], statistics.median(row[1] for row in found["freeze off"]))
        if len(cores) > 1:
            pairs2 = [(two_at_once(bot, cores[:2]), two_at_once(bot, cores[:1])) for _ in range(3)]
            ratio = statistics.median(two / one for two, one in pairs2)
            print(f"  two matches at once over one: {ratio:.2f} ×")
        print(f"  memory of one more match: {memory_of_another_match(bot):.2f} MB")


def _request_size(record: GameRecord) -> int:
    """Return the mean size of a request, from a game played again."""
    referee = Referee(record.header, [0] * SEATS)
    acts = iter(a for page in record.rounds for a in page.acts if isinstance(a, Played))
    sizes = []
    while not isinstance(step := referee.next_step(), Done):
        if isinstance(step, Ask):
            answers = []
            for request in step.requests:
                sizes.append(len(request.line))
                act = Act(request.number, action=_decoded(next(acts)))
                answers.append(Answer(request.seat, act, None))
            referee.answer(answers)
    return round(statistics.mean(sizes))
