"""Run the command line as `python -m niagara_arena`."""

import sys

from niagara_arena.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
