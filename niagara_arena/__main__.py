"""Run the command line, as `niagara` and as `python -m niagara_arena`."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""As `cli.exits.Exit.INTERRUPTED`, which may not be loaded yet."""


def run() -> int:
    """Load the command line and run it; Ctrl-C while it loads ends it without a traceback."""
    try:
        from niagara_arena.cli.main import main  # noqa: PLC0415 - an interrupt may fall into it
    except KeyboardInterrupt:
        return INTERRUPTED
    return main()


if __name__ == "__main__":
    sys.exit(run())
