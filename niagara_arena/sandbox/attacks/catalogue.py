"""The list of all probes, in the order in which they are shown."""

from __future__ import annotations

from typing import Final

import msgspec

from niagara_arena.errors import InputError
from niagara_arena.sandbox.attacks.model import Probe
from niagara_arena.sandbox.attacks.scenarios import (
    channels,
    clocks,
    files,
    kernel,
    memory,
    network,
    processes,
)

__all__ = ["GROUPS", "PROBES", "select"]

GROUPS: Final = {
    "files": files.PROBES,
    "network": network.PROBES,
    "processes": processes.PROBES,
    "clocks": clocks.PROBES,
    "memory": memory.PROBES,
    "kernel": kernel.PROBES,
    "covert": channels.PROBES,
}

PROBES: Final[tuple[Probe, ...]] = tuple(
    msgspec.structs.replace(probe, group=group)
    for group, probes in GROUPS.items()
    for probe in probes
)


def select(names: tuple[str, ...]) -> tuple[Probe, ...]:
    """Return the probes of these names or groups; all for none."""
    known = {probe.name for probe in PROBES} | set(GROUPS)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"there is no probe `{unknown[0]}`",
            "`niagara docs attacks` lists the probes and their groups",
        )
    return tuple(p for p in PROBES if not names or p.name in names or p.group in names)
