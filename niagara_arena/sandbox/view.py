"""Say what a caged bot sees, and put it as bwrap's options or as a veil's plan.

bwrap reads the whole table of mounts after each thing it binds, so many small binds are slow. With
a veil (`keeper/veil.py`) we mount everything ourselves and bwrap binds one finished root; and /etc
is a copy of the little that programs need of it.
"""

from __future__ import annotations

import os
from typing import Any

from niagara_arena.sandbox import offer
from niagara_arena.sandbox.interface import Launch
from niagara_arena.sandbox.keeper.veil import EMPTY
from niagara_arena.sandbox.limits import MB

__all__ = ["BUILD_FILES", "SHM_FILES", "TMP_FILES", "View"]

TMP_FILES, SHM_FILES, BUILD_FILES = 2048, 256, 65536
"""How many files a bot's /tmp and /dev/shm, and a build's /tmp, may hold."""

FIRST = "/proc/1"
"""Hidden: through its `mem` a bot could make the first process of its namespace play in its stead,
whom nobody times or freezes."""

_LINKED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
_DEVICES = ("null", "full", "random", "urandom")
_ZERO = "zero"
"""For builds only: mapped, it is memory that no process seems to hold."""


class View:
    """Collect what is shown; `offered` is the directory that `offer.lay_out` returns."""

    def __init__(self, launch: Launch, offered: str, programs: tuple[str, ...]) -> None:
        directory = os.path.abspath(launch.directory)
        self.system = {"/usr": "/usr", **{path: path for path in programs}}
        """Target → source: shown read-only, under the same name."""
        self.links: dict[str, str] = {}
        for path in _LINKED:
            if os.path.islink(path):
                self.links[path] = os.readlink(path)
            elif os.path.isdir(path):
                self.system[path] = path
        self.hidden = {f"/{name}": f"{offered}/{name}" for name in ("arena", "etc")}
        """Target → source: shown read-only, if possible without a word of where it is."""
        self.inner = {path: path for path in offer.etc_folders()}
        """Target → source: as `system`, but inside what is hidden."""
        self.hidden |= {f"/runtime/{one.name}": one.path for one in launch.runtimes}
        self.devices = (*_DEVICES, _ZERO) if launch.writable else _DEVICES
        self.writable: dict[str, str] = {}
        (self.writable if launch.writable else self.hidden)["/bot"] = directory
        files = BUILD_FILES if launch.writable else TMP_FILES
        self.scratch = {
            "/dev/shm": (launch.limits.shm_mb * MB, SHM_FILES),
            "/tmp": (launch.limits.tmp_mb * MB, files),
        }
        """Target → bytes and files."""

    def options(self) -> list[str]:
        """Put it as bwrap's options, for want of a veil."""
        words: list[str] = []
        for target, source in self.system.items():
            words += ["--ro-bind", source, target]
        for link, target in self.links.items():
            words += ["--symlink", target, link]
        words += ["--proc", "/proc", "--dev", "/dev"]
        words += ["--size", "4096", "--perms", "0555", "--tmpfs", FIRST, "--remount-ro", FIRST]
        if _ZERO not in self.devices:
            words += ["--dev-bind", "/dev/null", f"/dev/{_ZERO}"]
        for target, (size, _) in self.scratch.items():
            words += ["--perms", "1777", "--size", str(size), "--tmpfs", target]
        words += ["--remount-ro", "/dev"]
        for target, source in self.hidden.items():
            words += ["--ro-bind", source, target]
        for target, source in self.inner.items():
            words += ["--ro-bind", source, target]
        for target, source in self.writable.items():
            words += ["--bind", source, target]
        return [*words, "--remount-ro", "/"]

    def veil(self, at: str) -> tuple[dict[str, Any], list[str]]:
        """Put it as the plan of a veil below `at`, and the options that use what it mounts."""
        plan = {
            "at": at,
            "links": {**self.links, "/dev/fd": "/proc/self/fd"},
            "read": {**self.system},
            "overlays": self.hidden,
            "inner": self.inner,
            "write": self.writable,
            "devices": {f"/dev/{name}": f"/dev/{name}" for name in self.devices},
            "scratch": self.scratch,
            "folders": ["/proc"],
        }
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            plan["links"][f"/dev/{name}"] = f"/proc/self/fd/{number}"  # type: ignore[index]
        return plan, [
            *("--dev-bind", f"{at}/root", "/", "--proc", "/proc"),
            *("--ro-bind", f"{at}/{EMPTY}", FIRST),
        ]
