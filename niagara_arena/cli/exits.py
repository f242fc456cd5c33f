"""How `niagara` ends: every exit code, and which error means which."""

from __future__ import annotations

from enum import IntEnum

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere

__all__ = ["Exit", "exit_for"]


class Exit(IntEnum):
    """Tell a script how a command ended; a command returns one, or None for DONE."""

    DONE = 0
    NO = 1
    """Done, and the answer is no: a check failed, a position was refused, a replay differs."""
    USAGE = 2
    """The command line or a file named on it is wrong."""
    NOT_HERE = 3
    """Not possible on this machine or in this folder."""
    BUG = 70
    """A bug of ours (EX_SOFTWARE)."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C (128 + SIGINT), or by SIGTERM, which is treated alike."""


def exit_for(error: ArenaError) -> Exit:
    """Choose the exit code for an error raised on purpose."""
    match error:
        case InputError():
            return Exit.USAGE
        case NotPossibleHere():
            return Exit.NOT_HERE
        case _:
            return Exit.NO
