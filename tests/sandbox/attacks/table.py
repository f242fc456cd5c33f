"""Draw one table of all runs of the suite, a column a run."""

from __future__ import annotations

import platform
from collections.abc import Sequence

import msgspec

from niagara_arena.sandbox.attacks import PROBES, Outcome, ProbeResult
from niagara_arena.sandbox.keeper import landlock

PROPERTY = "attacks"


class Run(msgspec.Struct, frozen=True):
    """Hold one run of the suite, or the reason why there was none."""

    who: str
    level: str
    results: list[ProbeResult] = []
    skipped: str = ""

    @property
    def title(self) -> str:
        return f"{self.who}/{self.level}"


def summary(properties: Sequence[str]) -> list[str]:
    """Return the lines to show for what the tests recorded."""
    runs = [msgspec.json.decode(text, type=Run) for text in dict.fromkeys(properties)]
    ran = sorted((run for run in runs if run.results), key=lambda run: (run.who, run.level))
    if not runs:
        return []
    lines = []
    if ran:
        lines.append("".join([f"{'probe':26}", *(f"{run.title:>15}" for run in ran)]))
    for probe in PROBES:
        cells = [_cell(run, probe.name) for run in ran]
        if any(cells):
            lines.append("".join([f"{probe.name:26}", *(f"{cell:>15}" for cell in cells)]))
    lines += [_count(run) for run in ran]
    for run in runs:
        if run.skipped:
            lines.append(f"not run here: {run.title}: {run.skipped}")
        lines += [
            f"not run here: {run.title}: {one.probe}: {one.detail}"
            for one in run.results
            if one.outcome is Outcome.NOT_RUN
        ]
    lines.append(
        f"run with Landlock ABI {landlock.abi()} on {platform.machine()}, and with ABI 1 as if the "
        "kernel were older; other ABIs, machines and kinds of cgroup were not run here"
    )
    return lines


def _cell(run: Run, probe: str) -> str:
    for one in run.results:
        if one.probe == probe:
            return f"{one.outcome}{' !' if one.surprising else ''}"
    return ""


def _count(run: Run) -> str:
    counts = {word: sum(r.outcome is word for r in run.results) for word in Outcome}
    words = ", ".join(f"{count} {word}" for word, count in counts.items())
    return f"{run.title}: {words}"
