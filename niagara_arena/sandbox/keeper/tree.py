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
        return [int(word) for word in _read(f"/proc/{pid}/task/{pid}/children").split()]
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
    pause = 0.0003
    while time.monotonic() < end:
        kept = keep and not _is_dead(keep)
        found = descendants(pid, spare | {keep})
        left = [one for one in found if not _is_dead(one)]
        if kept:
            left += [keep, *descendants(keep)]
        for sign in (signal.SIGSTOP, signal.SIGKILL):
            for one in left:
                with contextlib.suppress(OSError):
                    os.kill(one, sign)
        if left:
            time.sleep(pause)
            pause = min(2 * pause, 0.005)  # a namespace takes some milliseconds to go
        for one in children(pid):
            if one != keep and one not in spare:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(one, os.WNOHANG)
        if not left and not found:  # the dead may just have passed their children on to us
            return


def _is_dead(pid: int) -> bool:
    try:
        return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except OSError:
        return True


def _read(path: str) -> bytes:
    """Read a file of /proc in a quarter of the system calls that `open` makes."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        content = b""
        while part := os.read(descriptor, 65536):
            content += part
        return content
    finally:
        os.close(descriptor)


def _parents() -> list[tuple[int, int]]:
    """List every process with its parent, for a /proc without `children`."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            with contextlib.suppress(OSError):
                fields = _read(f"/proc/{name}/stat").rpartition(b")")[2].split()
                found.append((int(name), int(fields[1])))
    return found
