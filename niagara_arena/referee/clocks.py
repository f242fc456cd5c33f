"""A seat's clock: arithmetic on durations that it is handed; it never looks at a real one.

Before each question the increment is added to the bank; what the seat used is then taken off.
Everything is whole microseconds, so that a record of what was used rebuilds what was shown.
"""

from __future__ import annotations

from niagara_arena.records import Clock
from niagara_arena.wire.text import clock_end, clock_text


class SeatClock:
    """Keep one seat's bank through a game."""

    __slots__ = ("_ends", "_increment_ms", "_increment_us", "_wall", "bank_us", "mode", "wall_ms")

    def __init__(self, settings: Clock) -> None:
        self.mode = settings.mode
        self.bank_us = settings.bank_ms * 1000
        self.wall_ms = settings.wall_ms
        self._increment_ms = settings.increment_ms
        self._increment_us = settings.increment_ms * 1000
        self._wall = settings.mode == "wall"
        self._ends: dict[int, str] = {}
        """By how many seats are asked: the text after the bank, which is always the same."""

    def ask(self, seats_asked: int) -> str:
        """Add the increment; return the clock as it is sent with the question."""
        if self.mode == "off":
            return "null"
        self.bank_us += self._increment_us
        end = self._ends.get(seats_asked)
        if end is None:
            end = clock_end(self._increment_ms, self.wall_ms * seats_asked)
            self._ends[seats_asked] = end
        return clock_text(self.bank_us // 1000, end)

    def charge(self, cpu_us: int, wall_us: int) -> bool:
        """Take off what was used; return whether that was more than the bank held."""
        if self.mode == "off":
            return False
        self.bank_us -= wall_us if self._wall else cpu_us
        if self.bank_us >= 0:
            return False
        self.bank_us = 0
        return True
