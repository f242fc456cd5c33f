"""Run the suite: every probe in a cage of its own, several at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from niagara_arena.errors import ArenaError
from niagara_arena.sandbox.attacks import outside
from niagara_arena.sandbox.attacks.catalogue import PROBES
from niagara_arena.sandbox.attacks.model import (
    Machine,
    NotTried,
    Outcome,
    Probe,
    ProbeResult,
    Seen,
    expected,
)
from niagara_arena.sandbox.attacks.stage import Stage, Trial
from niagara_arena.sandbox.interface import Backend
from niagara_arena.sandbox.keeper import landlock

__all__ = ["look_at_machine", "run_attacks"]

TOGETHER = 4
"""How many probes run at once: most of them wait for a process to start."""


def run_attacks(
    backend: Backend,
    probes: Sequence[Probe] = PROBES,
    *,
    together: int = TOGETHER,
    progress: Callable[[ProbeResult], None] | None = None,
) -> list[ProbeResult]:
    """Run probes as bots of a back end; return what came of each, in their order."""
    with Stage(backend) as stage:
        machine = look_at_machine(stage)

        def one(probe: Probe) -> ProbeResult:
            return _attempt(stage, probe, machine)

        # What forks goes first, while this process has no threads of the suite's making.
        found = {}
        for probe in probes:
            if _forks(probe):
                found[probe.name] = one(probe)
        with ThreadPoolExecutor(together) as pool:
            for result in pool.map(one, [p for p in probes if p.name not in found]):
                found[result.probe] = result
                if progress is not None:
                    progress(result)
    return [found[probe.name] for probe in probes]


def look_at_machine(stage: Stage) -> Machine:
    """Find out what the expectations depend on, by looking at a harmless bot."""
    trial = Trial(stage)
    try:
        bot = trial.run("kernel.nothing")
        held = _controllers(bot.pid) != _controllers(os.getpid())
    finally:
        trial.close()
    return Machine(root=os.geteuid() == 0, landlock_abi=landlock.abi(), cgroup=held)


def _controllers(pid: int) -> list[str]:
    lines = outside.cgroups(pid).splitlines()
    return sorted(line for line in lines if ":memory" in line or ",memory" in line or "::" in line)


def _forks(probe: Probe) -> bool:
    return probe.name.startswith(("outlive", "kill-keepers"))


def _attempt(stage: Stage, probe: Probe, machine: Machine) -> ProbeResult:
    began = time.monotonic()
    trial = Trial(stage)
    left: list[int] = []
    try:
        try:
            seen = probe.scenario(trial)
            outcome = Outcome.OPEN if seen.open else Outcome.STOPPED
        finally:
            left = trial.close()
    except NotTried as reason:
        outcome, seen = Outcome.NOT_RUN, Seen(False, str(reason))
    except ArenaError as error:
        outcome, seen = Outcome.NOT_RUN, Seen(False, f"could not be tried: {error}")
    if left:
        outcome, seen = Outcome.OPEN, Seen(True, f"{len(left)} processes survived the kill")
    return ProbeResult(
        probe=probe.name,
        group=probe.group,
        title=probe.title,
        level=stage.level,
        outcome=outcome,
        expected=expected(probe.word(stage.level), machine),
        detail=seen.detail,
        seconds=round(time.monotonic() - began, 3),
        inside=seen.inside,
    )
