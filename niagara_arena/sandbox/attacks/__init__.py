"""The attack suite: what hostile bots would do, tried for real on this machine.

`run_attacks` starts each probe of `PROBES` as a bot of a back end and decides, from outside where
it can, whether the cage stopped it. docs/attacks.md lists the probes and what to expect of them.
"""

from niagara_arena.sandbox.attacks.catalogue import GROUPS, PROBES, select
from niagara_arena.sandbox.attacks.model import Machine, Outcome, Probe, ProbeResult, expected
from niagara_arena.sandbox.attacks.runner import run_attacks

__all__ = [
    "GROUPS",
    "PROBES",
    "Machine",
    "Outcome",
    "Probe",
    "ProbeResult",
    "expected",
    "run_attacks",
    "select",
]
