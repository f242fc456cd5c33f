"""Run the command line, as `niagara` and as `python -m niagara_arena`."""

from __future__ import annotations

import signal
import sys

INTERRUPTED = 130
"""As `cli.exits.Exit.INTERRUPTED`, which may not be loaded yet."""


def run() -> int:
    """Load the command line and run it; Ctrl-C at the wrong moment, or twice, is no traceback."""
    try:
        from niagara_arena.cli.main import main  # noqa: PLC0415 - an interrupt may fall into it

        return main()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # what is left to do is to tidy up, quickly


if __name__ == "__main__":
    sys.exit(run())
