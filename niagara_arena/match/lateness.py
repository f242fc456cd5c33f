"""Was it the host? Judged from our own lateness, and never so that a bot could bring it about.

When a bot runs out of wall time, the machine itself may have been too busy. The witness is this
process: how late its own timers fired and how long it had to wait for a core. A bot can make that
happen too, with many threads on the referee's core; but then the bots' own CPU time shows it. So
the host is to blame only if we were late *and* the bots that were asked did not use the core.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

LATE_SHARE: Final = 0.25
"""We were late for this share of the time."""
IDLE_SHARE: Final = 0.5
"""… while the bots that were asked used less than this share of it."""

_SCHEDSTAT: Final = "/proc/thread-self/schedstat"


def own_wait_ns() -> int:
    """Return how long this thread has waited for a core; 0 where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        fd = os.open(_SCHEDSTAT, os.O_RDONLY)
        try:
            return int(os.read(fd, 100).split()[1])
        finally:
            os.close(fd)
    return 0


class Lateness:
    """Watch our own lateness from now on, while some bots think."""

    def __init__(self, bots_cpu_ns: Sequence[int]) -> None:
        self._began = time.monotonic_ns()
        self._wait = own_wait_ns()
        self._bots_cpu = sum(bots_cpu_ns)
        self._late_ns = 0

    def timer(self, expected_ns: int, took_ns: int) -> None:
        """Note how long a pause took that should have taken ``expected_ns``."""
        self._late_ns += max(0, took_ns - expected_ns)

    def host_is_to_blame(self, bots_cpu_ns: Sequence[int]) -> bool:
        """Say whether the time was lost to something that is neither we nor the bots."""
        elapsed = max(1, time.monotonic_ns() - self._began)
        late = max(self._late_ns, own_wait_ns() - self._wait)
        used = sum(bots_cpu_ns) - self._bots_cpu
        return late >= LATE_SHARE * elapsed and used < IDLE_SHARE * elapsed
