"""Look at processes from outside, in the kernel's own books: what a bot can't talk its way around.

Every function here answers for a process that may be gone; what can't be read counts as nothing.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

__all__ = [
    "alive",
    "birth",
    "cgroups",
    "cpu_ticks",
    "descendants",
    "hard_limits",
    "link",
    "marked",
    "open_descriptors",
    "resident_bytes",
    "status",
    "vanished",
    "weight_of_files",
]


def _text(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("latin-1")
    except OSError:
        return ""


def status(pid: int) -> dict[str, str]:
    """Return the fields of a process's status."""
    pairs = (line.partition(":") for line in _text(f"/proc/{pid}/status").splitlines())
    return {name: value.strip() for name, _, value in pairs}


def _stat(pid: int) -> list[str]:
    return _text(f"/proc/{pid}/stat").rpartition(")")[2].split()


def birth(pid: int) -> int:
    """Return when a process began, in ticks since boot; 0 for none."""
    fields = _stat(pid)
    return int(fields[19]) if len(fields) > 19 else 0


def alive(pid: int) -> bool:
    """Tell whether a process runs; a zombie does not."""
    fields = _stat(pid)
    return bool(fields) and fields[0] not in ("Z", "X")


def cpu_ticks(pid: int) -> int:
    """Return the CPU time of one process, in ticks."""
    fields = _stat(pid)
    return int(fields[11]) + int(fields[12]) if len(fields) > 12 else 0


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def descendants(pid: int) -> list[int]:
    """List everything below a process, zombies included."""
    quick = os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    parents = {} if quick else _parents()
    found, todo = [], [pid]
    while todo:
        one = todo.pop()
        below = _children(one) if quick else parents.get(one, [])
        found += below
        todo += below
    return found


def _children(pid: int) -> list[int]:
    """List the children of all threads of a process, by the kernel's own list."""
    with contextlib.suppress(OSError):
        tasks = os.listdir(f"/proc/{pid}/task")
        words = (_text(f"/proc/{pid}/task/{task}/children").split() for task in tasks)
        return [int(word) for line in words for word in line]
    return []


def _parents() -> dict[int, list[int]]:
    """Sort all processes by parent, for a kernel that keeps no list of children."""
    parents: dict[int, list[int]] = {}
    for one in _pids():
        fields = _stat(one)
        if len(fields) > 1:
            parents.setdefault(int(fields[1]), []).append(one)
    return parents


def marked(marker: str) -> list[int]:
    """List the living processes whose command line holds a word, except ourselves."""
    word, here = marker.encode().decode("latin-1"), os.getpid()
    return [
        pid
        for pid in _pids()
        if pid != here and word in _text(f"/proc/{pid}/cmdline") and alive(pid)
    ]


def vanished(marker: str, known: dict[int, int], seconds: float) -> list[int]:
    """Wait until no process is left that has the marker or is known by birth; return who is."""
    ends = time.monotonic() + seconds
    while True:
        left = [pid for pid, born in known.items() if alive(pid) and birth(pid) == born]
        left += [pid for pid in marked(marker) if pid not in left]
        if not left or time.monotonic() > ends:
            return left
        time.sleep(0.02)


def open_descriptors(pid: int) -> list[int]:
    """List a process's descriptors; empty where we may not look."""
    try:
        return sorted(int(name) for name in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return []


def resident_bytes(pid: int) -> int:
    """Return the memory a process holds: shared memory and page tables too, files left out."""
    found = status(pid)
    names = ("RssAnon", "RssShmem", "VmPTE")
    kilobytes = sum(int(found.get(name, "0 kB").split()[0]) for name in names)
    return kilobytes << 10


def hard_limits(pid: int) -> dict[str, str]:
    """Return a process's hard limits by the kernel's names."""
    found = {}
    for line in _text(f"/proc/{pid}/limits").splitlines()[1:]:
        words = line[26:].split()
        if len(words) > 1:
            found[line[:26].strip()] = words[1]
    return found


def link(pid: int, name: str) -> str:
    """Return where a link below /proc/PID points, such as `ns/user`; empty where we may not."""
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/{name}")
    return ""


def cgroups(pid: int) -> str:
    """Return the cgroups of a process."""
    return _text(f"/proc/{pid}/cgroup")


def weight_of_files(pid: int, directories: list[str], prefix: str) -> tuple[int, int] | None:
    """Count bytes and files that a bot made in its own view; None where we may not look."""
    size = count = 0
    for directory in directories:
        seen_from_here = f"/proc/{pid}/root{directory}"
        try:
            names = os.listdir(seen_from_here)
        except FileNotFoundError:
            continue
        except OSError:
            return None
        for name in names:
            if name.startswith(prefix):
                count += 1
                with contextlib.suppress(OSError):
                    size += os.stat(f"{seen_from_here}/{name}").st_blocks * 512
    return size, count
