"""What only a cage makes hard to see: a stdout that others hold, a keeper that is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from niagara_arena.errors import NotPossibleHere
from niagara_arena.match import Contestant, play_match
from niagara_arena.records import (
    Fault,
    GameHeader,
    GameRecord,
    Limits,
    RulingRecord,
    Standing,
    Void,
)
from niagara_arena.referee import FaultReport, Request
from niagara_arena.rules import State
from niagara_arena.sandbox import Backend, Launch, choose
from niagara_arena.sandbox.bwrap import Bwrap
from niagara_arena.sandbox.keeper import tree
from tests.match.playing import ZOO, job, settings

PYTHON = shutil.which("python3", path="/usr/bin:/bin")


@pytest.fixture
def cage() -> Backend:
    try:
        return choose("bwrap")
    except NotPossibleHere as error:
        pytest.skip(f"no cage here: {error}")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a copy of the zoo that the cage's own user can read."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        Path(made).chmod(0o755)
        shutil.copy(ZOO / "animal.py", made)
        yield Path(made)


def animal(folder: Path, kind: str) -> Contestant:
    if PYTHON is None:
        pytest.skip("no Python in /usr")
    launch = Launch(str(folder), (PYTHON, "-S", "animal.py", kind, "2"), Limits())
    return Contestant(f"{len(kind):064x}", kind, "1", {}, launch)


def test_a_closed_stdout_is_a_crash_in_the_cage_too(cage: Backend, folder: Path) -> None:
    bots = [animal(folder, kind) for kind in ("random_play", "close_stdout", "random_play")]
    [record] = play_match(job(bots, settings()), bots, cage)
    [ruling] = record.end.rulings
    assert (ruling.seat, ruling.fault, ruling.detail) == (1, Fault.CRASH, "stdout")


class Killer:
    """Kill the keeper of our bots in the middle of the first game, and see its wardens go."""

    def __init__(self, cage: Backend) -> None:
        assert isinstance(cage, Bwrap)
        self.scratch = cage._keeper.scratch
        self.killed = False

    def game_started(self, header: GameHeader, state: State, events: Sequence[str]) -> None:
        """Wait for the first step."""

    def stepped(
        self,
        state: State,
        events: Sequence[str],
        bank_ms: Sequence[int],
        rulings: Sequence[RulingRecord],
    ) -> None:
        """Kill it once; a game this short would be over before slow wardens had ended the bots."""
        if not self.killed:
            self.killed = True
            keeper = _keeper(self.scratch)
            wardens = tree.children(keeper)
            bots = [bot for warden in wardens for bot in tree.children(warden)]
            os.kill(keeper, signal.SIGKILL)
            while any(_runs(one) for one in (*wardens, *bots)):
                time.sleep(0.001)

    def game_ended(
        self, record: GameRecord, incidents: Sequence[tuple[Request | None, FaultReport]]
    ) -> None:
        """Do nothing."""


def _keeper(scratch: str) -> int:
    """Return the keeper with this scratch directory; others, of older tests, may end meanwhile."""
    for child in tree.children(os.getpid()):
        with contextlib.suppress(OSError):
            if scratch in Path(f"/proc/{child}/cmdline").read_text().split("\0"):
                return child
    raise AssertionError("there is no keeper")


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_bots_whose_keeper_is_killed_are_not_to_blame(cage: Backend, folder: Path) -> None:
    bots = [animal(folder, "random_play") for _ in range(3)]
    killer = Killer(cage)
    first, second = play_match(job(bots, settings(), games=2), bots, cage, watcher=killer)
    assert killer.killed
    assert first.end.void is Void.KILLED
    assert "killed from outside" in first.end.void_sentence
    assert {verdict.standing for verdict in first.end.verdicts} == {Standing.VOID}
    assert second.end.reason == "max_rounds"
