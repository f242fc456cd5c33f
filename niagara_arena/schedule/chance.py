"""Chance that is the same everywhere: numbers out of a hash, in counter mode.

Python's own `random` may change between versions, and the pure half must not own randomness. A
`Chance` is made from texts; the same texts give the same numbers, on any machine, for ever.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from struct import unpack
from typing import TypeVar

__all__ = ["Chance", "keyed"]

T = TypeVar("T")

_NUMBERS = 512
_FORMAT = f"<{_NUMBERS}Q"
_RANGE = 1 << 64


def keyed(key: str, *texts: str | int, size: int = 32) -> bytes:
    """Return a hash of `texts` under a secret key; nobody without the key can work it out.

    Texts are joined by a byte that no UTF-8 has, so that no two lists are the same input.
    """
    data = b"\xff".join(str(text).encode() for text in texts)
    secret = hashlib.blake2b(key.encode(), digest_size=32).digest()
    return hashlib.blake2b(data, key=secret, digest_size=size).digest()


class Chance:
    """Draw numbers that depend on the texts alone."""

    def __init__(self, key: str, *texts: str | int) -> None:
        self._key = keyed(key, *texts)
        self._block = 0
        self._numbers: list[int] = []

    def _refill(self) -> None:
        data = self._key + self._block.to_bytes(8, "little")
        self._numbers = list(unpack(_FORMAT, hashlib.shake_256(data).digest(8 * _NUMBERS)))
        self._block += 1

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1, each equally likely."""
        if not 0 < limit <= _RANGE:
            raise ValueError(f"the limit is from 1 to 2**64, not {limit}")
        fair = _RANGE - _RANGE % limit
        while True:
            if not self._numbers:
                self._refill()
            number = self._numbers.pop()
            if number < fair:
                return number % limit

    def choice(self, things: Sequence[T]) -> T:
        """Return one of the things."""
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """Return the things in another order."""
        order = list(things)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
