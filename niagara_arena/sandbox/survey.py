"""Survey a machine: what it offers to a cage, what each missing piece costs, and its remedy.

Everything `niagara doctor` shows comes from here, as data.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from pathlib import Path

from msgspec import Struct

from niagara_arena import compiled
from niagara_arena.sandbox import cgroups, remedies
from niagara_arena.sandbox.bwrap import NOBODY, Bwrap, find_bwrap
from niagara_arena.sandbox.choosing import trial
from niagara_arena.sandbox.interface import LEVELS, Runtime
from niagara_arena.sandbox.keeper import landlock
from niagara_arena.sandbox.runtimes import fingerprint
from niagara_arena.sandbox.syscalls import NUMBERS
from niagara_arena.sandbox.toolchains import Toolchain, find_toolchains

__all__ = ["Finding", "LevelFinding", "RuntimeFinding", "Survey", "survey"]

FULL_LANDLOCK = 6
"""The version since which a bot can't signal, or reach an abstract socket, outside its cage."""


class Finding(Struct, frozen=True):
    """Say whether the machine has one thing."""

    name: str
    ok: bool
    found: str
    """What there is, in a few words."""
    cost: str = ""
    """What its lack costs; empty when it is there."""
    fix: str = ""
    """The command that would mend it."""


class LevelFinding(Struct, frozen=True):
    """Say whether a level passed its trial."""

    level: str
    ok: bool
    reason: str = ""
    fix: str = ""


class RuntimeFinding(Struct, frozen=True):
    """Say what a runtime of the organiser's is."""

    name: str
    path: str
    ok: bool
    fingerprint: str
    """SHA-256 over its names and contents; empty when it can't be read."""
    problem: str = ""


class Survey(Struct, frozen=True):
    """Hold everything that was found."""

    level: str | None
    """The best level whose trial passed, `none` aside."""
    levels: tuple[LevelFinding, ...]
    """Strongest first."""
    findings: tuple[Finding, ...]
    toolchains: tuple[Toolchain, ...]
    runtimes: tuple[RuntimeFinding, ...]
    machine: str
    kernel: str
    root: bool
    """Whether we are root; bots then run under another uid."""
    cores: tuple[int, ...]
    """The cores that we may use: our affinity mask."""
    landlock_abi: int
    cgroup: str | None
    """The kind of control groups that we may make: ``v1``, ``v2`` or None."""
    veiled: bool
    """Whether the cage hides host paths and bounds the number of files in scratch space."""


def survey(runtimes: tuple[Runtime, ...] = ()) -> Survey:
    """Look at this machine; the trials of the levels really run."""
    levels = tuple(_level(level) for level in reversed(LEVELS))
    caged = [one.level for one in levels if one.ok and one.level != "none"]
    groups = cgroups.find()
    backend = trial("bwrap").backend
    veiled = isinstance(backend, Bwrap) and backend.veiled
    uid = NOBODY if os.geteuid() == 0 else None
    return Survey(
        level=caged[0] if caged else None,
        levels=levels,
        findings=(
            _bwrap(),
            _namespaces(levels),
            _veil(veiled, bool(backend)),
            _landlock(),
            _filter(),
            _cgroup(groups),
            _clock(),
            _cores(),
            _hot_modules(),
        ),
        toolchains=find_toolchains(uid),
        runtimes=tuple(_runtime(one) for one in runtimes),
        machine=platform.machine(),
        kernel=platform.release(),
        root=uid is not None,
        cores=_mask(),
        landlock_abi=landlock.abi(),
        cgroup=groups.kind if groups else None,
        veiled=veiled,
    )


def _level(level: str) -> LevelFinding:
    tried = trial(level)
    return LevelFinding(level, tried.backend is not None, tried.reason, tried.hint)


def _bwrap() -> Finding:
    program = find_bwrap()
    if program is None:
        cost = "no level bwrap: bots share the host's processes and see names of its files"
        return Finding("bwrap", False, "not installed", cost, remedies.BWRAP)
    done = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=False, timeout=20
    )
    version = re.search(r"\d+(\.\d+)+", done.stdout)
    return Finding("bwrap", True, f"{version[0] if version else 'unknown version'} at {program}")


def _namespaces(levels: tuple[LevelFinding, ...]) -> Finding:
    works = next(one for one in levels if one.level == "bwrap")
    if works.ok:
        return Finding("namespaces", True, "user, pid, net, ipc, uts and mount work for bots")
    cost = "no level bwrap"
    if remedies.apparmor_refuses():
        found = "kept from bots by AppArmor (kernel.apparmor_restrict_unprivileged_userns)"
        return Finding("namespaces", False, found, cost, remedies.APPARMOR)
    return Finding("namespaces", False, works.reason, cost, remedies.namespaces() or works.fix)


def _veil(veiled: bool, caged: bool) -> Finding:
    if veiled:
        return Finding("veil", True, "host paths are hidden, scratch files are counted")
    cost = "a bot can read where it is staged, fill its /tmp with small files, date /dev/null"
    fix = remedies.namespaces() if caged else "get the level bwrap first"
    return Finding("veil", False, "we may not mount in a namespace of our own", cost, fix)


def _landlock() -> Finding:
    version = landlock.abi()
    if version == 0:
        cost = "no level landlock, the fallback where there are no namespaces"
        return Finding("landlock", False, "not in this kernel", cost, remedies.landlock())
    found = f"ABI {version}"
    if version < FULL_LANDLOCK:
        cost = "at the level landlock only the system-call filter keeps bots from signals"
        return Finding("landlock", True, found, cost, "Linux 6.12 or newer")
    return Finding("landlock", True, found)


def _filter() -> Finding:
    machine = platform.machine()
    if machine not in NUMBERS:
        cost = "no cage at all"
        fix = f"a machine of the kind {' or '.join(sorted(NUMBERS))}"
        return Finding("seccomp", False, f"no filter for {machine}", cost, fix)
    if not os.path.exists("/proc/sys/kernel/seccomp/actions_avail"):
        cost = "no cage at all"
        return Finding("seccomp", False, "not in this kernel", cost, "a kernel with seccomp")
    return Finding("seccomp", True, f"system calls are filtered ({machine})")


def _cgroup(groups: cgroups.Cgroups | None) -> Finding:
    if groups is not None:
        return Finding("cgroup", True, f"{groups.kind}, memory and processes")
    cost = "bots that fork (multi_process) are refused; memory is watched 20 times a second instead"
    return Finding("cgroup", False, "we may not make any", cost, remedies.CGROUP)


def _clock() -> Finding:
    try:
        time.clock_gettime_ns((~os.getppid()) << 3 | 2)
    except (OSError, AttributeError):
        cost = "only wall clocks: a bot can be robbed of time by the host"
        return Finding("cpu clock", False, "not readable", cost, "set the clock's mode to `wall`")
    return Finding("cpu clock", True, "the kernel tells a bot's CPU time")


def _hot_modules() -> Finding:
    ok, words = compiled.state()
    if ok:
        return Finding("rules", True, "compiled")
    cost = "the referee takes 1.7 times as long"
    return Finding("rules", False, f"interpreted: {words}", cost, "make compile, in a checkout")


def _cores() -> Finding:
    mask = _mask()
    total = os.cpu_count() or 1
    found = f"{len(mask)} of {total} in our affinity mask: {','.join(map(str, mask))}"
    return Finding("cores", True, found)


def _mask() -> tuple[int, ...]:
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def _runtime(runtime: Runtime) -> RuntimeFinding:
    try:
        found = fingerprint(Path(runtime.path))
    except OSError as error:
        return RuntimeFinding(runtime.name, runtime.path, False, "", error.strerror or str(error))
    return RuntimeFinding(runtime.name, runtime.path, True, found)
