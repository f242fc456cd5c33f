"""Kill what plays caged bots, one after another: a worker, a warden, the runner.

What comes out is what comes out undisturbed, and nothing is left running. `test_interruptions` does
this far more often with fakes; here are the processes of the cage.
"""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox import choose
from niagara_arena.store import open_store
from niagara_arena.submissions import starter_kits
from niagara_arena.tournament.workers import available_cores
from tests.cli.conftest import Niagara

KIT = starter_kits()["python"]
SETTINGS = (
    "--seats 3 --seating rotations --openings random:2 --openings-per-match 2 --games-per-bot 72"
    " --set max_rounds=8 --seed 0123456789abcdef --name caged --sandbox bwrap --require-all"
).split()
SEATS, MATCHES, GAMES = 3, 16, 96
JOBS = min(2, len(available_cores()))


class Living(NamedTuple):
    """Tell a process from a later one of the same id."""

    pid: int
    started: str
    name: str
    parent: int


def living() -> dict[int, Living]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                head, _, rest = (entry / "stat").read_text("utf-8", "replace").rpartition(")")
                words = rest.split()
                if words[0] not in "ZX":
                    pid = int(entry.name)
                    found[pid] = Living(pid, words[19], head.partition("(")[2], int(words[1]))
    return found


def family(pid: int) -> list[Living]:
    """List everything below a process."""
    now = living()
    found: list[Living] = []
    todo = [pid]
    while todo:
        parent = todo.pop()
        children = [one for one in now.values() if one.parent == parent]
        found += children
        todo += [child.pid for child in children]
    return found


def children_of(parents: Sequence[int], below: Sequence[Living]) -> list[Living]:
    return [one for one in below if one.parent in parents]


def is_keeper(one: Living) -> bool:
    return one.name == "niagara-keeper"


def wardens_with_bots(worker: int, below: Sequence[Living]) -> list[int]:
    """List a worker's wardens whose bwrap, in its namespace's first process, has started a bot."""
    keepers = [one.pid for one in children_of([worker], below)]
    found = []
    for warden in children_of(keepers, below):
        generation = [warden.pid]
        for _ in ("bwrap", "the first process", "the bot"):
            generation = [one.pid for one in children_of(generation, below)]
        if generation:
            found.append(warden.pid)
    return found


Hit = tuple[str, signal.Signals]
"""Whom to send a signal: the runner, a worker or a warden."""


class Scene:
    """Run one tournament in a folder of its own, by the command line."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.path = folder / database
        self.seen: set[Living] = set()
        """Whatever was running below a runner when we looked."""

    def start(self) -> subprocess.Popen[bytes]:
        bots = ["--bots", "ann", "--bots", "bob", "--bots", "@greedy", "--bots", "@homing"]
        command = [sys.executable, "-m", "niagara_arena", "-q", "tournament", "run"]
        return subprocess.Popen(
            [*command, *bots, *SETTINGS, "--db", str(self.path), "--jobs", str(JOBS)],
            cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.folder / "scratch")},
        )

    def disturb(self, *hits: Hit) -> int:
        """Begin or go on; in the middle of play send signals, and return how many found a target.

        The last one ends the run, if it has not come to its end before.
        """
        run = self.start()
        done = 0
        for who, number in hits:
            victim = self._find(run, who)
            if victim is None:
                break
            time.sleep(source.random() * 0.1)
            with suppress(ProcessLookupError):
                os.kill(victim, number)
                done += 1
        run.wait(60)
        return done

    def _find(self, run: subprocess.Popen[bytes], who: str) -> int | None:
        """Wait until every worker's table is complete, then name one of the processes asked for."""
        while run.poll() is None:
            below = family(run.pid)
            self.seen.update(below)
            workers = [one.pid for one in children_of([run.pid], below) if not is_keeper(one)]
            tables = [wardens_with_bots(worker, below) for worker in workers]
            if len(workers) == JOBS and all(len(table) == SEATS for table in tables):
                return source.choice(
                    {"runner": [run.pid], "worker": workers, "warden": tables[0]}[who]
                )
            time.sleep(0.005)
        return None

    def assert_nothing_is_left(self) -> None:
        deadline = time.monotonic() + 15
        while True:
            now = living()
            left = [one for one in self.seen if (found := now.get(one.pid)) and same(found, one)]
            scratch = [one for one in (self.folder / "scratch").iterdir() if not abandoned(one)]
            if not left and not scratch:
                return
            assert time.monotonic() < deadline, (left, scratch)
            time.sleep(0.02)


def abandoned(scratch: Path) -> bool:
    """Tell whether nobody uses a directory any more, so that a later start removes it.

    What is killed before its keeper runs can't do that itself.
    """
    with suppress(OSError):
        lock = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(lock)
        return True
    return not scratch.exists()


def same(one: Living, other: Living) -> bool:
    return (one.pid, one.started) == (other.pid, other.started)


source = random.Random("caged")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder with two bots that the cage's own user can reach."""
    try:
        choose("bwrap")
    except NotPossibleHere as error:
        pytest.skip(f"no cage here: {error}")
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        folder = Path(made)
        folder.chmod(0o755)
        (folder / "scratch").mkdir()
        for name in ("ann", "bob"):
            shutil.copytree(KIT, folder / name)
            manifest = folder / name / "bot.toml"
            manifest.write_text(manifest.read_text("utf-8").replace('name = "', f'name = "{name}-'))
        yield folder


def facts(niagara: Niagara, path: Path) -> str:
    run = niagara("tournament", "export", "--facts", "--db", str(path))
    assert run.exit == 0, run.stderr
    return run.stdout


def test_what_is_killed_in_the_cage_is_played_again_and_ends_the_same(
    niagara: Niagara, folder: Path
) -> None:
    whole, again = Scene(folder, "whole.db"), Scene(folder, "again.db")
    assert whole.start().wait(60) == 0
    kill = signal.SIGKILL
    hits = again.disturb(("worker", kill), ("runner", kill))
    again.assert_nothing_is_left()
    hits += again.disturb(("warden", kill), ("runner", signal.SIGINT))
    again.assert_nothing_is_left()
    assert again.start().wait(60) == 0
    again.assert_nothing_is_left()
    assert hits >= 3
    expected = facts(niagara, whole.path)
    assert len(expected.splitlines()) == 1 + MATCHES + GAMES
    assert facts(niagara, again.path) == expected
    run = niagara("tournament", "verify", "--db", str(again.path))
    assert (run.exit, f"{GAMES} games and their schedule are proved" in run.stderr) == (0, True)
    with open_store(again.path) as store:
        assert store.unplayed(1) == []
        last = next(game for game in store.games(1) if game.place == 4)  # of the second opening
    run = niagara("tournament", "rerun", last.game, "--db", str(again.path))
    assert (run.exit, "the same, to the byte" in run.stderr) == (0, True), run.stderr
