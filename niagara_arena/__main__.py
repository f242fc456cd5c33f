"""The program `niagara`, also as `python -m niagara_arena`.

Ctrl-C and SIGTERM are heeded from the first moment to the last: also while the command line is
being imported, and once it has ended, they end the program quietly.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130


def start() -> int:
    """Run the command line and return the exit code."""
    meanings = {
        number: meaning
        for number in (signal.SIGINT, signal.SIGTERM)
        if (meaning := signal.getsignal(number)) is not signal.SIG_IGN  # who wants us deaf means it
    }
    for number in meanings:
        signal.signal(number, _leave)
    from niagara_arena.cli.main import main  # noqa: PLC0415 - this takes the longest

    try:
        for number, meaning in meanings.items():
            signal.signal(number, meaning)
        return main()
    except KeyboardInterrupt:  # at the very threshold
        return _INTERRUPTED
    finally:
        for number in meanings:
            signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    # What was started ends by itself when we are gone.
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    raise SystemExit(start())
