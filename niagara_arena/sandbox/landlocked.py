"""Level `landlock`: where there are no namespaces, the kernel's Landlock and a stricter filter.

The bot sees the host's file system and processes, but may only read what it needs of the first
(names and sizes of other files show) and touch nothing of the second. It has no directory to write
to. How much Landlock itself stops grows with its version; the filter closes what it leaves: no
socket, no fork, no signal to anybody else.

As root, each bot runs under a uid that no other has. Otherwise all of a user's processes share one
count of threads: a bot that exceeds its own share is found by its warden, 20 times a second.
"""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox import limits, offer, reach, seccomp, uids
from niagara_arena.sandbox.bwrap import hand_over, system_paths
from niagara_arena.sandbox.interface import Launch, Process
from niagara_arena.sandbox.keeper.removing import remove_tree
from niagara_arena.sandbox.keeping import Keeper, Started
from niagara_arena.sandbox.process import BotProcess
from niagara_arena.sandbox.seccomp import SELF

__all__ = ["Landlocked"]

HEADROOM = 4096
"""How many threads our user may get besides its own. All its bots are counted together: this only
protects the machine, for the moment until a warden looks."""

_DEVICES = ("/dev/null", "/dev/full")
_ZERO = "/dev/zero"
"""For builds only: mapped, it is memory that no process seems to hold."""
_SOURCES = ("/dev/random", "/dev/urandom")
COUNT_S = 5.0


class Landlocked:
    """Start bots under Landlock."""

    level = "landlock"

    def __init__(self) -> None:
        self._keeper = Keeper()
        self._root = os.geteuid() == 0
        self._counted = (-COUNT_S, 0)

    def start(self, launch: Launch) -> Process:
        """Start a bot, or a build, that may read little and write nothing."""
        limits.check(launch)
        if launch.multi_process:
            raise NotPossibleHere(
                "this bot wants to fork, and at the level landlock nothing can hold it",
                "use the level bwrap; `niagara doctor` shows what it needs",
            )
        claim = uids.claim() if self._root else None
        try:
            return self._start(launch, claim)
        except BaseException:
            if claim is not None:
                claim.release()
            raise

    def _start(self, launch: Launch, claim: uids.Claim | None) -> Process:
        uid = claim.uid if claim is not None else None
        directory = os.path.abspath(launch.directory)
        program = reach.find_program(launch, directory, uid)
        tmp = ""
        if launch.writable:
            tmp = tempfile.mkdtemp(dir=self._keeper.scratch)
            hand_over(tmp, uid)
            hand_over(directory, uid)
        reach.require(directory, uid, f"the bot is in `{directory}`")
        for one in launch.runtimes:
            reach.require(one.path, uid, f"the runtime {one.name} is in `{one.path}`")
        started = self._keeper.start(self._plan(launch, program, uid, tmp))
        return _Landlocked(started, self.level, launch, tmp, claim)

    def _plan(
        self, launch: Launch, program: reach.Program, uid: int | None, tmp: str
    ) -> dict[str, Any]:
        directory = os.path.abspath(launch.directory)
        offered = offer.lay_out(self._keeper.scratch)
        arena = os.path.join(offered, offer.ARENA)
        runtimes = {one.name: os.path.abspath(one.path) for one in launch.runtimes}
        read = [*system_paths(), *_SOURCES, directory, arena, *program.shown, *runtimes.values()]
        processes = launch.limits.processes
        if not self._root:
            processes = HEADROOM + self._tasks()
        return {
            "executable": program.path,
            "argv": launch.command,
            "env": limits.environment(launch, arena, tmp or "/nonexistent", runtimes),
            "cwd": directory,
            "core": launch.core,
            "drop": None if uid is None else [uid, uid],
            "rlimits": limits.resources(launch) | limits.by_user(processes),
            "threads": None if launch.writable else launch.limits.processes,
            "landlock": {
                "read": read,
                "write": [*_DEVICES, *([_ZERO, directory, tmp] if launch.writable else [])],
                "filter": seccomp.written(
                    fork=launch.writable, shared=True, build=launch.writable, held=False
                ),
                "self": SELF,
            },
        }

    def _tasks(self) -> int:
        """Count our user's threads, which the kernel counts together with the bot's."""
        when, found = self._counted
        if time.monotonic() - when > COUNT_S:
            found = _count_tasks(os.geteuid())
            self._counted = (time.monotonic(), found)
        return found


class _Landlocked(BotProcess):
    """Hold a bot, and with it a build's scratch directory and its claim to a uid."""

    def __init__(
        self, started: Started, level: str, launch: Launch, tmp: str, claim: uids.Claim | None
    ) -> None:
        super().__init__(started, level, launch)
        self._tmp = tmp
        self._claim = claim

    def close(self) -> None:
        """Kill, wait until nothing is left, close what we hold."""
        super().close()
        if self._tmp:
            remove_tree(self._tmp)
        if self._claim is not None:
            self._claim.release()


def _count_tasks(uid: int) -> int:
    found = 0
    with os.scandir("/proc") as entries:
        for entry in entries:
            try:
                if entry.name.isdigit() and entry.stat().st_uid == uid:
                    found += len(os.listdir(f"/proc/{entry.name}/task"))
            except OSError:
                continue
    return found
