"""Level `bwrap`: namespaces, a read-only view of little, limits, and a system-call filter.

What the bot sees: /usr and the links into it, a few files of /etc, its own /proc and /dev, a small
/tmp and /dev/shm, /bot, /arena with the rules, /runtime with what it asked for. No network, no
other process, nothing of the host's that it could write to.

As root we run bwrap under another uid: bwrap run by root would be a way out.
"""

from __future__ import annotations

import os
import shutil
from typing import Any

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox import cgroups, limits, offer, reach, seccomp
from niagara_arena.sandbox.interface import Launch, Process
from niagara_arena.sandbox.keeper.cage import FIRST
from niagara_arena.sandbox.keeping import Keeper
from niagara_arena.sandbox.process import CagedProcess
from niagara_arena.sandbox.view import View

__all__ = ["NOBODY", "Bwrap", "find_bwrap", "hand_over", "system_paths"]

NOBODY = 65534
"""The uid and gid that bots run as when we are root, and that every bot sees as its own."""

_ISOLATION = """
--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try
--disable-userns --cap-drop ALL --hostname bot --die-with-parent --new-session --clearenv
""".split()


class Bwrap:
    """Start bots under bubblewrap."""

    level = "bwrap"

    def __init__(self, program: str, veil: bool = True, use_cgroups: bool = True) -> None:
        self._program = program
        self._veil = veil
        self._uid = NOBODY if os.geteuid() == 0 else None
        self._groups = cgroups.find() if use_cgroups else None
        bases = self._groups.bases.values() if self._groups else ()
        self._keeper = Keeper(tuple(dict.fromkeys(map(str, bases))))

    @property
    def veiled(self) -> bool:
        """Whether host paths are hidden and scratch space is bounded in files too."""
        return self._veil

    @property
    def cgroup(self) -> str | None:
        """The kind of control group that bots are held in: ``v1``, ``v2`` or None."""
        return self._groups.kind if self._groups else None

    def start(self, launch: Launch) -> Process:
        """Start a bot, or a build, in its cage."""
        limits.check(launch)
        if launch.multi_process and self._groups is None:
            raise NotPossibleHere(
                "this bot wants to fork, and no control group can hold it here",
                "run as root, or in a group of your own: "
                "`systemd-run --user --scope -p Delegate=yes niagara …`",
            )
        program = reach.find_program(launch, "/bot", self._uid)
        if launch.writable:
            hand_over(launch.directory, self._uid)
        reach.require(launch.directory, self._uid, f"the bot is in `{launch.directory}`")
        for one in launch.runtimes:
            reach.require(one.path, self._uid, f"the runtime {one.name} is in `{one.path}`")
        plan = self._plan(launch, program)
        forks = launch.multi_process or launch.writable
        group = self._groups.create(launch.limits, clock=forks) if self._groups else None
        try:
            started = self._keeper.start(plan, group)
        except BaseException:
            if group:
                group.remove()
            raise
        return CagedProcess(started, self.level, launch, group)

    def _plan(self, launch: Launch, program: reach.Program) -> dict[str, Any]:
        scratch = self._keeper.scratch
        view = View(launch, offer.lay_out(scratch), program.shown)
        fork = launch.multi_process or launch.writable
        runtimes = {one.name: f"/runtime/{one.name}" for one in launch.runtimes}
        words = [*_ISOLATION, "--uid", str(NOBODY), "--gid", str(NOBODY)]
        for name, value in limits.environment(launch, "/arena", "/tmp", runtimes).items():
            words += ["--setenv", name, value]
        veil = None
        if self._veil:
            at = os.path.join(scratch, "mnt")
            os.makedirs(at, exist_ok=True)
            veil, shown = view.veil(at)
        else:
            shown = view.options()
        words += [*shown, "--chdir", "/bot"]
        for offset, option in enumerate(("--seccomp", "--info-fd", "--block-fd"), 1):
            words += [option, str(FIRST + offset)]
        return {
            "executable": self._program,
            "bwrap": words,
            "argv": [program.path, *launch.command[1:]],
            "core": launch.core,
            "drop": None if self._uid is None else [NOBODY, NOBODY],
            "rlimits": limits.resources(launch),
            "by_user": limits.by_user(launch.limits.processes + 3),
            "filter": seccomp.written(
                fork=fork, shared=False, build=launch.writable, held=self._groups is not None
            ),
            "veil": veil,
            "hold": self._groups is not None,
        }


def system_paths() -> list[str]:
    """List what every bot may read of the system, as far as it exists."""
    names = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"]
    names += [f"/etc/{name}" for name in (*offer.ETC_FILES, "ssl/openssl.cnf")]
    names += offer.etc_folders()
    return [name for name in names if os.path.exists(name)]


def find_bwrap() -> str | None:
    """Return bwrap's path, from the system's own directories only."""
    return shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")


def hand_over(directory: str, uid: int | None) -> None:
    """Give a build's directory to the uid that builds in it."""
    if uid is None:
        return
    for folder, folders, files in os.walk(directory):
        for name in (".", *folders, *files):
            os.chown(os.path.join(folder, name), uid, uid, follow_symlinks=False)
