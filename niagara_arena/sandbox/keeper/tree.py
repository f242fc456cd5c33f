"""Find and kill everything below a process that adopts orphans."""

from __future__ import annotations

import contextlib
import os
import signal
import time

__all__ = ["children", "descendants", "sweep"]

PATIENCE_S = 5.0
"""How long a sweep goes on against something that forks as fast as it is killed."""


def children(pid: int) -> list[int]:
    """List the children of a process; empty where /proc can't tell."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return [one for one, parent in _parents() if parent == pid]
    except OSError:
        return []


def descendants(pid: int, spare: frozenset[int] = frozenset()) -> list[int]:
    """List everything below a process, parents first; `spare` and what is below it is left out."""
    found: list[int] = []
    todo = [pid]
    while todo:
        for child in children(todo.pop()):
            if child not in spare:
                found.append(child)
                todo.append(child)
    return found


def sweep(pid: int, spare: frozenset[int], keep: int = 0) -> None:
    """Kill everything below `pid`, which must be us and a reaper; reap all but the zombie `keep`.

    All are stopped before any is killed, so that a tree that forks can't outrun us.
    """
    if not os.path.isdir("/proc/self"):
        with contextlib.suppress(
            OSError
        ):  # no list of processes: its process group is what we know
            os.killpg(keep, signal.SIGKILL)
        return
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        left = [one for one in descendants(pid, spare | {keep}) if not _is_dead(one)]
        if keep and not _is_dead(keep):
            left += [keep, *descendants(keep)]
        for sign in (signal.SIGSTOP, signal.SIGKILL):
            for one in left:
                with contextlib.suppress(OSError):
                    os.kill(one, sign)
        if left:
            time.sleep(0.0003)
        for one in children(pid):
            if one != keep and one not in spare:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(one, os.WNOHANG)
        if not left:
            return


def _is_dead(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except OSError:
        return True


def _parents() -> list[tuple[int, int]]:
    """List every process with its parent, for a /proc without `children`."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                found.append((int(name), int(file.read().rpartition(b")")[2].split()[1])))
    return found
