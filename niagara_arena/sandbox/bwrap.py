"""Level `bwrap`: namespaces, a read-only view of little, limits, and a system-call filter.

What the bot sees: /usr and the links into it, a few files of /etc, its own /proc and /dev, a small
/tmp and /dev/shm, /bot, /arena with the rules, /runtime with what it asked for. No network, no
other process, nothing of the host's that it could write to.

As root we run bwrap under another uid: bwrap run by root would be a way out.
"""

from __future__ import annotations

import glob
import os
import shutil
from typing import Any

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox import cgroups, limits, offer, reach
from niagara_arena.sandbox.interface import Launch, Process
from niagara_arena.sandbox.keeper.cage import FIRST
from niagara_arena.sandbox.keeping import Keeper
from niagara_arena.sandbox.process import CagedProcess
from niagara_arena.sandbox.seccomp import assemble

__all__ = ["NOBODY", "Bwrap", "find_bwrap", "hand_over", "system_paths"]

NOBODY = 65534
"""The uid and gid that bots run as when we are root, and that every bot sees as its own."""

TMP_FILES, SHM_FILES, BUILD_FILES = 2048, 256, 65536
"""How many files a bot's /tmp and /dev/shm, and a build's /tmp, may hold."""

_ETC = """
alternatives java* ld.so.cache ld.so.conf ld.so.conf.d localtime ssl/certs ssl/openssl.cnf
""".split()
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
        group = self._groups.create(launch.limits) if self._groups else None
        try:
            started = self._keeper.start(plan, group.add if group else None)
        except BaseException:
            if group:
                group.remove()
            raise
        return CagedProcess(started, self.level, launch, group)

    def _plan(self, launch: Launch, program: reach.Program) -> dict[str, Any]:
        view = _View(launch, self._keeper.scratch, self._veil)
        fork = launch.multi_process or launch.writable
        runtimes = {one.name: f"/runtime/{one.name}" for one in launch.runtimes}
        environment = limits.environment(launch, "/arena", "/tmp", runtimes)
        words = [*_ISOLATION, "--uid", str(NOBODY), "--gid", str(NOBODY)]
        for name, value in environment.items():
            words += ["--setenv", name, value]
        words += [*view.system(), *view.scratch(), *view.shown(program.shown)]
        words += ["--chdir", "/bot", "--remount-ro", "/"]
        for offset, option in enumerate(("--seccomp", "--info-fd", "--block-fd"), 1):
            words += [option, str(FIRST + offset)]
        return {
            "executable": self._program,
            "bwrap": words,
            "argv": [program.path, *launch.command[1:]],
            "core": launch.core,
            "drop": None if self._uid is None else [NOBODY, NOBODY],
            "rlimits": limits.resources(launch),
            "processes": launch.limits.processes + 3,
            "filter": assemble(fork=fork, shared=False).hex(),
            "veil": view.veil,
            "hold": self._groups is not None,
        }


class _View:
    """Collect what a bot sees, as bwrap's options and, where we may mount, as a veil's plan."""

    def __init__(self, launch: Launch, scratch: str, veil: bool) -> None:
        self._launch = launch
        self._offer = offer.lay_out(scratch)
        self._at = os.path.join(scratch, "mnt")
        os.makedirs(self._at, exist_ok=True)
        self.veil: dict[str, Any] | None = None
        if veil:
            self.veil = {"at": self._at, "scratch": {}, "shown": {}}

    def system(self) -> list[str]:
        """Show the system: /usr, the links into it, and what programs need of /etc."""
        words: list[str] = []
        for path in system_paths():
            if os.path.islink(path) and not path.startswith("/etc/"):
                words += ["--symlink", os.readlink(path), path]
            else:
                words += ["--ro-bind", path, path]
        return [*words, "--proc", "/proc", "--dev", "/dev"]

    def scratch(self) -> list[str]:
        """Give it /tmp and /dev/shm."""
        asked = self._launch.limits
        tmp_files = BUILD_FILES if self._launch.writable else TMP_FILES
        words = []
        for name, path, size_mb, files in (
            ("shm", "/dev/shm", asked.shm_mb, SHM_FILES),
            ("tmp", "/tmp", asked.tmp_mb, tmp_files),
        ):
            size = size_mb * limits.MB
            if self.veil is None:
                words += ["--perms", "1777", "--size", str(size), "--tmpfs", path]
            else:
                self.veil["scratch"][name] = (size, files)
                words += ["--bind", os.path.join(self._at, name), path]
        return [*words, "--remount-ro", "/dev"]

    def shown(self, programs: tuple[str, ...]) -> list[str]:
        """Show its directory, the rules, its runtimes, and programs from outside /usr."""
        launch = self._launch
        words = [word for path in programs for word in ("--ro-bind", path, path)]
        directory = os.path.abspath(launch.directory)
        if launch.writable:
            words += ["--bind", directory, "/bot"]
            words += self._show("offer", self._offer, "/arena", below=offer.ARENA)
        elif self.veil is None:
            words += ["--ro-bind", directory, "/bot"]
            words += self._show("offer", self._offer, "/arena", below=offer.ARENA)
        else:
            self.veil["shown"]["bot"] = [directory, self._offer]
            words += ["--ro-bind", f"{self._at}/bot", "/bot"]
            words += ["--ro-bind", f"{self._at}/bot/{offer.ARENA}", "/arena"]
        for number, runtime in enumerate(launch.runtimes):
            words += self._show(f"r{number}", runtime.path, f"/runtime/{runtime.name}")
        return words

    def _show(self, name: str, source: str, target: str, below: str = "") -> list[str]:
        if self.veil is not None:
            self.veil["shown"][name] = [os.path.abspath(source)]
            source = os.path.join(self._at, name)
        return ["--ro-bind", os.path.join(source, below).rstrip("/"), target]


def system_paths() -> list[str]:
    """List what every bot may read of the system, as far as it exists."""
    names = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"]
    names += [path for name in _ETC for path in sorted(glob.glob(f"/etc/{name}"))]
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
