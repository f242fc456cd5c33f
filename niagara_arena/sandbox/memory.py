"""Know what memory a bot holds, and whether memory is what ended it.

Two limits work together. RLIMIT_DATA refuses a bot's own allocations beyond its limit; what happens
then is up to the bot: Python raises MemoryError, node aborts, C may get NULL and crash. The gauge,
read about twenty times a second, covers what that limit does not count, such as shared mappings.

A bot's end is put down to memory when

- the gauge found it over its limit, or
- it failed (a non-zero exit or a signal) and held, or had asked for, nine tenths of its limit: as
  the kernel's peak of resident memory or a reading of the gauge has it, or
- its cgroup, where it has one, counts a kill for lack of memory.

A process that asks for far too much in a single call dies without ever having held it. The kernel
keeps no trace of that; only the bot's own last words tell, which `out_of_memory_words` reads.
"""

from __future__ import annotations

import os
import re

from niagara_arena.records import Limits
from niagara_arena.sandbox.cgroups import Group

__all__ = ["Gauge", "out_of_memory_words"]

MB = 1 << 20
NEAR = 0.9
"""How much of the limit a bot that failed must have held for memory to be the reason."""

_WORDS = re.compile(
    rb"^(?:MemoryError\b"  # Python
    rb"|.*JavaScript heap out of memory"  # node
    rb"|.*FATAL ERROR:.*(?:Allocation failed|out of memory)"
    rb"|.*java\.lang\.OutOfMemoryError"
    rb"|.*There is insufficient memory for the Java Runtime"
    rb"|.*std::bad_alloc"  # C++
    rb"|memory allocation of \d+ bytes failed"  # Rust
    rb"|(?:fatal error: )?runtime: (?:out of memory|cannot allocate memory)"  # Go
    rb"|.*\bCannot allocate memory"
    rb"|.*\bout of memory\b)",
    re.MULTILINE | re.IGNORECASE,
)


def out_of_memory_words(log: bytes) -> str | None:
    """Find the line of a bot's log in which its language reports a refused allocation.

    Only a bot that failed should be judged by its words. They may be forged, to no gain: a crash
    costs what an overrun costs.
    """
    found = _WORDS.search(log)
    return found[0].decode("utf-8", "replace")[:200] if found else None


class Gauge:
    """Watch one process's memory through an open descriptor."""

    def __init__(self, pid: int, limits: Limits, group: Group | None = None) -> None:
        self._group = group
        self._limit = limits.memory_mb * MB
        self._over = False
        self._peak = 0
        try:
            self._status = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._status = -1

    def look(self) -> bool:
        """Take a reading; tell whether the bot is, or ever was, over its limit."""
        sizes = self._read()
        resident = sizes.get(b"VmRSS", 0)
        self._peak = max(self._peak, resident, sizes.get(b"VmHWM", 0), sizes.get(b"VmData", 0))
        # Page tables too: a vast empty mapping has nothing else, and no other limit counts them.
        if resident - sizes.get(b"RssFile", 0) + sizes.get(b"VmPTE", 0) > self._limit:
            self._over = True
        return self._over

    def verdict(self, status: int, peak: int = 0) -> str:
        """Say why a process that ended with `status` ended for memory; empty if it did not.

        `peak` is what the kernel says was resident at most.
        """
        self._peak = max(self._peak, peak)
        limit = f"its limit of {self._limit // MB} MB"
        if self._group is not None and self._group.memory_kills():
            return f"its control group was killed at {limit}"
        if self._over:
            return f"it held more than {limit}"
        if status != 0 and self._peak >= NEAR * self._limit:
            return f"it failed with {self._peak // MB} MB of {limit}"
        return ""

    def close(self) -> None:
        """Close the descriptor."""
        if self._status >= 0:
            os.close(self._status)
            self._status = -1

    def _read(self) -> dict[bytes, int]:
        """Return sizes in bytes by name; empty for a process that has ended."""
        if self._status < 0:
            return {}
        try:
            lines = os.pread(self._status, 4096, 0).splitlines()
        except OSError:
            return {}
        words = (line.split() for line in lines if line.endswith(b" kB"))
        return {word[0][:-1]: int(word[1]) << 10 for word in words}
