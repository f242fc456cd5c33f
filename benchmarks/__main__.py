"""Run the benchmarks named on the command line, or all of them."""

from __future__ import annotations

import importlib
import sys

from niagara_arena import compiled

BENCHMARKS = {
    "rules": "benchmarks.rules_core",
    "match": "benchmarks.match_speed",
    "sandbox": "benchmarks.sandbox_start",
    "tournament": "benchmarks.tournament",
    "ratings": "benchmarks.ratings",
}


def main(names: list[str]) -> int:
    """Run them one after another."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"error: no benchmark {unknown[0]}\n\nhint: there are {', '.join(BENCHMARKS)}")
        return 2
    print(f"rules and referee: {compiled.state()[1]}")
    for name in names or BENCHMARKS:
        importlib.import_module(BENCHMARKS[name]).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
