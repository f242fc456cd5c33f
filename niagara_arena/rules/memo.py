"""Remember what a pure function returned, within bounds.

A `Memo` is a dict that works out what it lacks. It keeps two generations: when the young one is
full it becomes the old one, and the old one goes. What is asked for again moves up, so a game in
progress never loses all it knows at once, and no more than twice the limit is ever held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memo(dict[K, V], Generic[K, V]):
    """Map a key to what ``make`` returns for it; ask by ``memo[key]``."""

    __slots__ = ("_limit", "_make", "_old")

    def __init__(self, make: Callable[[K], V], limit: int) -> None:
        super().__init__()
        self._make = make
        self._limit = limit
        self._old: dict[K, V] = {}

    def __missing__(self, key: K) -> V:
        """Fetch the value from the old generation or work it out."""
        value = self._old[key] if key in self._old else self._make(key)
        if len(self) >= self._limit:
            self._old = dict(self)
            self.clear()
        self[key] = value
        return value
