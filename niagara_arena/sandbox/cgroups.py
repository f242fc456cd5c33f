"""Hold a bot in a control group where we may make one: version 1 and 2 behind one face.

A group bounds the memory of all its processes together, shared and kernel memory included, and
their number; it counts kills for lack of memory. Nothing else can hold a bot that forks.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from pathlib import Path

from niagara_arena.records import Limits
from niagara_arena.sandbox.limits import MB

__all__ = ["Cgroups", "Group", "find"]

SLACK_MB = 16
"""For the processes of the cage itself, and what the kernel keeps for a bot."""

RUNNERS_LEAF = "niagara-runner"
"""Where the runner itself goes in a v2 group, whose inner nodes may hold no process."""

PLAIN_PASSES, STOP_PASSES = 3, 1000
"""How often to signal a group before forking is refused in it, and before giving up."""


class Cgroups:
    """Name the directories below which we may make groups."""

    def __init__(self, kind: str, bases: dict[str, Path]) -> None:
        self.kind = kind
        """``v1`` or ``v2``."""
        self.bases = bases
        """By controller; for v2 all the same."""
        self._counter = itertools.count()

    def create(self, limits: Limits, *, clock: bool = True) -> Group:
        """Make a group with a bot's limits; tmpfs pages count as its memory too.

        `clock`: whether its CPU time will be asked for.
        """
        name = f"niagara-{os.getpid()}-{next(self._counter)}"
        places = {
            controller: base / name
            for controller, base in self.bases.items()
            if clock or controller != "cpuacct"
        }
        for place in dict.fromkeys(places.values()):
            place.mkdir()
        memory = (limits.memory_mb + limits.tmp_mb + limits.shm_mb + SLACK_MB) * MB
        group = Group(self.kind, places, self.bases["pids"])
        try:
            if self.kind == "v1":
                group.write("memory", "memory.limit_in_bytes", memory)
                with contextlib.suppress(OSError):  # only where swap is counted
                    group.write("memory", "memory.memsw.limit_in_bytes", memory)
            else:
                group.write("memory", "memory.max", memory)
                with contextlib.suppress(OSError):
                    group.write("memory", "memory.swap.max", 0)
            group.write("pids", "pids.max", limits.processes + 3)
        except OSError:
            group.remove()
            raise
        return group


class Group:
    """Hold one bot's group."""

    def __init__(self, kind: str, places: dict[str, Path], base: Path) -> None:
        self._kind = kind
        self._places = places
        self._base = base
        self._processes = 0
        """The limit of processes to go back to, while forking is refused; 0: it is not."""

    def write(self, controller: str, file: str, value: int) -> None:
        """Set a value of the group."""
        (self._places[controller] / file).write_text(f"{value}\n", "ascii")

    def brace(self) -> None:
        """Have the kernel get ready for `add`, while we wait for a process to add.

        The first move between groups after a pause waits some milliseconds until every core has
        taken note that there are moves; those that follow soon do not. So we move to where we are.
        """
        with contextlib.suppress(OSError):  # then `add` waits
            home = self._base / RUNNERS_LEAF
            (home if home.is_dir() else self._base).joinpath("cgroup.procs").write_text("0\n")

    def add(self, pid: int) -> None:
        """Move a process into the group; its children follow it."""
        for place in dict.fromkeys(self._places.values()):
            (place / "cgroup.procs").write_text(f"{pid}\n", "ascii")

    def memory_kills(self) -> int:
        """Count the processes of the group that were killed for lack of memory."""
        file = "memory.oom_control" if self._kind == "v1" else "memory.events"
        return self._counter("memory", file, "oom_kill")

    def cpu_ns(self) -> int | None:
        """Read the CPU time of all that ever ran in the group; None where it is not counted."""
        try:
            if self._kind == "v1":
                return int((self._places["cpuacct"] / "cpuacct.usage").read_text("ascii"))
            return self._counter("memory", "cpu.stat", "usage_usec") * 1000
        except (OSError, KeyError):
            return None

    def pids(self) -> list[int]:
        """List the processes in the group."""
        try:
            return [
                int(word) for word in (self._places["pids"] / "cgroup.procs").read_text().split()
            ]
        except OSError:
            return []

    def signal(self, number: int) -> None:
        """Signal every process of the group."""
        if self._kind == "v2" and number in (signal.SIGSTOP, signal.SIGCONT):
            with contextlib.suppress(OSError):
                self.write("pids", "cgroup.freeze", int(number == signal.SIGSTOP))
                return
        if number == signal.SIGSTOP:
            self._stop()
            return
        for pid in self.pids():
            with contextlib.suppress(OSError):
                os.kill(pid, number)
        if self._processes:
            self.write("pids", "pids.max", self._processes)
            self._processes = 0

    def _stop(self) -> None:
        """Stop every process; return when all stand still.

        A tree that forks without end, and wakes whoever was stopped, would outrun us. When a few
        passes were not enough, forking is refused until the group is let go again.
        """
        for turn in range(STOP_PASSES):
            moving = [pid for pid in self.pids() if not _stands_still(pid)]
            if not moving:
                return
            if turn == PLAIN_PASSES and not self._processes:
                with contextlib.suppress(OSError, ValueError):
                    self._processes = int((self._places["pids"] / "pids.max").read_text("ascii"))
                    self.write("pids", "pids.max", 0)
            for pid in moving:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGSTOP)

    def remove(self, patience_s: float = 2.0) -> None:
        """Remove the group, which must be empty; the last process may still be leaving it."""
        end = time.monotonic() + patience_s
        for place in dict.fromkeys(self._places.values()):
            while place.is_dir():
                try:
                    place.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    if time.monotonic() > end:
                        break
                    time.sleep(0.0005)

    def _counter(self, controller: str, file: str, key: str) -> int:
        try:
            lines = (self._places[controller] / file).read_text("ascii").splitlines()
        except OSError:
            return 0
        return next((int(words[1]) for words in map(str.split, lines) if words[0] == key), 0)


def _stands_still(pid: int) -> bool:
    """Tell whether a process is stopped, dead or gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"T", b"t", b"Z", b"X")
    except OSError:
        return True


def find(proc: Path = Path("/proc/self")) -> Cgroups | None:
    """Find where this process may make groups that bound memory and processes; None: nowhere."""
    try:
        own = [line.split(":", 2) for line in (proc / "cgroup").read_text().splitlines()]
        mounts = [line.split() for line in (proc / "mounts").read_text().splitlines()]
    except OSError:
        return None
    return _find_v1(own, mounts) or _find_v2(own, mounts)


def _find_v1(own: list[list[str]], mounts: list[list[str]]) -> Cgroups | None:
    bases = {}
    for _, controllers, path in own:
        for controller in set(controllers.split(",")) & {"memory", "pids", "cpuacct"}:
            for mount in mounts:
                if mount[2] == "cgroup" and controller in mount[3].split(","):
                    bases[controller] = Path(mount[1] + path)
    if not {"memory", "pids"} <= bases.keys():
        return None
    usable = {name: base for name, base in bases.items() if _may_make(base)}
    return Cgroups("v1", usable) if {"memory", "pids"} <= usable.keys() else None


def _find_v2(own: list[list[str]], mounts: list[list[str]]) -> Cgroups | None:
    path = next((path for number, _, path in own if number == "0"), None)
    mount = next((mount[1] for mount in mounts if mount[2] == "cgroup2"), None)
    if path is None or mount is None:
        return None
    base = Path(mount + path)
    if not _may_make(base) or not _delegate(base):
        return None
    return Cgroups("v2", dict.fromkeys(("memory", "pids"), base))


def _delegate(base: Path) -> bool:
    """Have memory and pids counted below `base`, which can't hold processes of its own then.

    The runner moves itself into a leaf, but only when nobody else is in the group.
    """
    wanted = {"memory", "pids"}
    try:
        if not wanted <= set((base / "cgroup.controllers").read_text().split()):
            return False
        control = base / "cgroup.subtree_control"
        if wanted <= set(control.read_text().split()):
            return True
        if (base / "cgroup.procs").read_text().split() == [str(os.getpid())]:
            leaf = base / RUNNERS_LEAF
            leaf.mkdir(exist_ok=True)
            (leaf / "cgroup.procs").write_text(f"{os.getpid()}\n")
        control.write_text("+memory +pids\n")
    except OSError:
        return False
    return True


def _may_make(base: Path) -> bool:
    """Try it: permissions, read-only mounts and namespaces all have a say."""
    trial = base / f"niagara-trial-{os.getpid()}"
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError:
        return False
    return True
