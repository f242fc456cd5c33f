"""Choose a back end: the best that works here, never a weaker one than asked for."""

from __future__ import annotations

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.sandbox.interface import LEVELS, Backend
from niagara_arena.sandbox.none import NoCage

__all__ = ["choose"]


def choose(asked: str, minimum: str = "none") -> Backend:
    """Return the back end for `auto`, `bwrap`, `landlock` or `none`."""
    for level in (asked if asked != "auto" else "none", minimum):
        if level not in LEVELS:
            raise InputError(
                f"there is no sandbox `{level}`", f"there are auto, {', '.join(LEVELS)}"
            )
    if asked == "none" and minimum == "none":
        return NoCage()
    raise NotPossibleHere(
        "there is no sandbox on this machine yet", "play without one: `--sandbox none`"
    )
