"""Kill the runner or its workers at random moments, again and again: nothing is lost or changed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from niagara_arena.errors import ArenaError
from niagara_arena.store import open_store
from niagara_arena.tournament.verifying import verify_tournament
from tests.tournament.fakes import entrants, factory, quick
from tests.tournament.helpers import exported, play

SPECS = {"round-robin": "games_per_bot=40", "swiss": "format='swiss', heats=5, seating='single'"}
FIELD = 10
PROGRAM = """
import sys
from pathlib import Path
from tests.tournament.fakes import entrants, quick, slow
from tests.tournament.helpers import play
path, options, jobs = sys.argv[1:]
spec = eval(f"quick({options})")
finish = play(Path(path), spec, entrants(10), slow(0.03), int(jobs))
print(finish.how, flush=True)
"""
MARK = "NIAGARA_INTERRUPTION_TEST"


def start(path: Path, options: str, jobs: int) -> subprocess.Popen[str]:
    environment = {**os.environ, MARK: str(path), "PYTHONPATH": str(Path.cwd())}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), options, str(jobs)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def family(path: Path) -> Iterator[int]:
    """Yield the processes that a run has started, itself included."""
    mark = f"{MARK}={path}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    yield int(entry.name)
            except OSError:
                continue


def assert_all_gone(path: Path) -> None:
    deadline = time.monotonic() + 10
    while left := list(family(path)):
        assert time.monotonic() < deadline, f"processes {left} are left"
        time.sleep(0.01)


def stored(path: Path) -> int:
    """Count the matches stored so far, from outside, while a run goes on."""
    try:
        with open_store(path, check=False) as store:
            return len(store.ended(1))
    except ArenaError:  # not made yet
        return 0


def wait_for_matches(run: subprocess.Popen[str], path: Path, more_than: int) -> None:
    while run.poll() is None and stored(path) <= more_than:
        time.sleep(0.005)


def next_kill_may_quarantine(path: Path) -> bool:
    """Tell whether a match that is still to be played has cost two workers already."""
    with open_store(path, check=False) as store:
        hits = Counter(order for order, _, _ in store.incidents(1))
        return any(hits[order] == 2 for order in hits.keys() - store.ended(1))


def finish_and_compare(path: Path, options: str, expected: bytes) -> None:
    run = start(path, options, 2)
    output, errors = run.communicate(timeout=100)
    assert (output, errors) == ("finished\n", "")
    assert exported(path) == expected
    with open_store(path) as store:
        assert all(found is None for found in verify_tournament(store, 1))
    assert_all_gone(path)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return what uninterrupted tournaments export."""
    found = {}
    for name, options in SPECS.items():
        path = tmp_path_factory.mktemp("whole") / "a.db"
        spec = eval(f"quick({options})", {"quick": quick})
        play(path, spec, entrants(FIELD), factory())
        found[name] = exported(path)
    return found


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_again_and_again_ends_the_same(
    name: str, number: signal.Signals, expected: dict[str, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    source = random.Random(f"{name} {number}")
    interrupted = 0
    for attempt in range(5):
        before = stored(path)
        run = start(path, SPECS[name], source.choice((1, 2)))
        if attempt % 2:
            wait_for_matches(run, path, before + source.randrange(4))
        time.sleep(source.random() * 0.05)
        run.send_signal(number)
        output, errors = run.communicate(timeout=30)
        interrupted += output == "interrupted\n"
        assert number == signal.SIGKILL or "Traceback" not in errors or not output
        assert_all_gone(path)
        assert stored(path) >= before
    assert number == signal.SIGKILL or interrupted
    finish_and_compare(path, SPECS[name], expected[name])


@pytest.mark.parametrize("name", SPECS)
def test_workers_that_are_killed_again_and_again_change_nothing(
    name: str, expected: dict[str, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    source = random.Random(name)
    run = start(path, SPECS[name], 2)
    killed = 0
    while run.poll() is None and killed < 8:
        wait_for_matches(run, path, stored(path) + 1)  # until the last kill was noticed, too
        if next_kill_may_quarantine(path):
            continue
        workers = [pid for pid in family(path) if pid != run.pid]
        if workers and run.poll() is None:
            try:
                os.kill(source.choice(workers), signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed += 1
    output, errors = run.communicate(timeout=60)
    assert (output, errors) == ("finished\n", "")
    assert killed >= 3
    with open_store(path) as store:
        assert store.unplayed(1) == []
        assert len(store.incidents(1)) >= 1
    assert exported(path) == expected[name]
    assert_all_gone(path)


def test_a_signal_ends_a_run_within_a_second(tmp_path: Path) -> None:
    """A bound far above what it takes: workers in the middle of long matches stop at once."""
    path = tmp_path / "a.db"
    program = PROGRAM.replace("slow(0.03)", "slow(60)")
    environment = {**os.environ, MARK: str(path), "PYTHONPATH": str(Path.cwd())}
    run = subprocess.Popen(
        [sys.executable, "-c", program, str(path), "games_per_bot=40", "2"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    while len(list(family(path))) < 3:
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=20)  # a match takes 60 s
    assert output == "interrupted\n"
    assert_all_gone(path)
