"""Run the benchmarks named on the command line, or all of them."""

from __future__ import annotations

import sys

from benchmarks import rules_core, sandbox_start

BENCHMARKS = {"rules": rules_core.run, "sandbox": sandbox_start.run}


def main(names: list[str]) -> int:
    """Run them one after another."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"error: no benchmark {unknown[0]}\n\nhint: there are {', '.join(BENCHMARKS)}")
        return 2
    for name in names or BENCHMARKS:
        BENCHMARKS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
