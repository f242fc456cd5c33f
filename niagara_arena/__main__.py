"""The program `niagara`, also as `python -m niagara_arena`.

Ctrl-C and SIGTERM make no noise at the wrong moment: while the command line is being imported they
end the program at once, and when it has ended, what is left is to tidy up, which they don't stop.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130
"""As `cli.exits.Exit.INTERRUPTED`, which may not be loaded yet."""


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
            signal.signal(number, signal.SIG_IGN)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    raise SystemExit(start())
