"""What is worth keeping between two leaderboards: ratings that took long, with proof that they fit.

TrueSkill goes on from where it was (`skill.rate`); strengths are taken as they are if no fact has
changed. A kept state is a hint, never a source: what does not fit the facts is computed again.
"""

from __future__ import annotations

import msgspec
import numpy as np
from msgspec import Struct

from niagara_arena.ratings.columns import Floats
from niagara_arena.ratings.skill import SkillState
from niagara_arena.ratings.strength import Strengths

__all__ = ["Kept"]

VERSION = 4
"""Goes up with every change of what ratings compute from the same facts."""

_ARRAYS = ("mean", "covariance", "seat_mean", "seat_covariance", "information")


class Kept(Struct, frozen=True):
    """Hold ratings between two runs."""

    version: int
    digest: str
    """Of the facts that the strengths were fitted to."""
    skills: SkillState
    plain: dict[str, object]
    """The strengths' fields that are no arrays."""
    arrays: dict[str, bytes]
    """The others, as doubles in the machine's order."""

    @classmethod
    def of(cls, skills: SkillState, strengths: Strengths) -> Kept:
        """Keep these."""
        arrays: dict[str, Floats] = {name: getattr(strengths, name) for name in _ARRAYS}
        plain = {
            "bots": strengths.bots,
            "kinds": strengths.kinds,
            "spread": strengths.spread,
            "dispersion": strengths.dispersion,
            "games": strengths.games,
            "parts": strengths.parts,
        }
        packed = {name: array.astype(np.float64).tobytes() for name, array in arrays.items()}
        return cls(VERSION, skills.digest, skills, plain, packed)

    def strengths_for(self, digest: str) -> Strengths | None:
        """Return the strengths if they were fitted to just these facts."""
        if digest != self.digest:
            return None
        plain = msgspec.convert(self.plain, _Plain)
        bots, seats = len(plain.bots), sum(size for _, size in plain.kinds)
        shapes = {
            "mean": (bots,),
            "covariance": (bots, bots),
            "seat_mean": (seats,),
            "seat_covariance": (seats, seats),
            "information": (bots, bots),
        }
        arrays = {
            name: np.frombuffer(self.arrays[name], dtype=np.float64).reshape(shape)
            for name, shape in shapes.items()
        }
        return Strengths(
            bots=plain.bots,
            kinds=plain.kinds,
            spread=plain.spread,
            dispersion=plain.dispersion,
            games=plain.games,
            parts=plain.parts,
            **arrays,
        )

    def encode(self) -> bytes:
        """Return the bytes to keep."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def decode(cls, data: bytes) -> Kept | None:
        """Read what was kept; None if it is damaged or of another version."""
        try:
            found = msgspec.msgpack.decode(data, type=cls)
        except msgspec.MsgspecError:
            return None
        return found if found.version == VERSION else None


class _Plain(Struct, frozen=True):
    bots: tuple[str, ...]
    kinds: tuple[tuple[str, int], ...]
    spread: float
    dispersion: float
    games: int
    parts: tuple[tuple[str, ...], ...]
