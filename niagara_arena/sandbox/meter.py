"""What a bot has used of the machine, as the kernel counts it: CPU time, and waits for a core.

Read for every decision, so this is one of the hot modules. Descriptors stay open from the start to
the end: what was used stays true, and can still be asked for, when the process is gone.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from niagara_arena.errors import NotPossibleHere

__all__ = ["GroupMeter", "Meter", "ProcessMeter"]

_SCHEDSTAT_BYTES = 96


class Meter:
    """Count nothing: for who is no process of ours."""

    __slots__ = ()

    def cpu_ns(self) -> int:
        """Read the CPU time used since the bot's program began, all its threads together."""
        return 0

    def wait_ns(self) -> int:
        """Read how long the bot's first thread has waited for a core; 0 where unknown."""
        return 0

    def close(self) -> None:
        """Give back what is held."""


class ProcessMeter(Meter):
    """Count one process."""

    __slots__ = ("_base_ns", "_clock", "_cpu_ns", "_schedstat")

    def __init__(self, pid: int, base_ns: int) -> None:
        self._clock = (~pid) << 3 | 2
        """The kernel's number for the CPU clock of another process."""
        self._base_ns = base_ns
        self._cpu_ns = 0
        try:
            self._schedstat = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._schedstat = -1

    def cpu_ns(self) -> int:
        """Read the CPU time; what it was when last read, once the process is gone."""
        try:
            self._cpu_ns = time.clock_gettime_ns(self._clock) - self._base_ns
        except OSError as error:
            if sys.platform == "linux":
                return self._cpu_ns
            raise NotPossibleHere(
                "this system can't read another process's CPU clock",
                "set the clock's mode to `wall` or `off`",
            ) from error
        return self._cpu_ns

    def wait_ns(self) -> int:
        """Read the wait."""
        if self._schedstat < 0:
            return 0
        try:
            return int(os.pread(self._schedstat, _SCHEDSTAT_BYTES, 0).split()[1])
        except (OSError, IndexError, ValueError):
            return 0

    def close(self) -> None:
        """Close the descriptor."""
        if self._schedstat >= 0:
            os.close(self._schedstat)
            self._schedstat = -1


class GroupMeter(ProcessMeter):
    """Count all processes of a bot that may fork; ``read`` tells what they have used together."""

    __slots__ = ("_group_base_ns", "_read")

    def __init__(self, pid: int, base_ns: int, read: Callable[[], int | None]) -> None:
        super().__init__(pid, base_ns)
        self._read = read
        self._group_base_ns = read() or 0

    def cpu_ns(self) -> int:
        """Read the CPU time of all, ended ones included."""
        used = self._read()
        return super().cpu_ns() if used is None else used - self._group_base_ns
