"""Find the languages that bots here can be written in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from msgspec import Struct

from niagara_arena.errors import ArenaError
from niagara_arena.sandbox import reach
from niagara_arena.sandbox.limits import PATH

__all__ = ["Toolchain", "find_toolchains"]

_LANGUAGES = {
    "Python": ("python3", "--version", "python3"),
    "JavaScript": ("node", "--version", "nodejs"),
    "Java": ("java", "-version", "default-jre-headless"),
    "Java compiler": ("javac", "-version", "default-jdk-headless"),
    "Go": ("go", "version", "golang-go"),
    "C": ("cc", "--version", "gcc"),
    "C++": ("c++", "--version", "g++"),
    "Rust": ("rustc", "--version", "rustc"),
}


class Toolchain(Struct, frozen=True):
    """Say what there is of a language."""

    language: str
    program: str
    path: str
    """Where a bot would find it; empty when it is not installed."""
    version: str
    caged: bool
    """Whether a caged bot can run it."""
    problem: str = ""
    fix: str = ""


def find_toolchains(uid: int | None) -> tuple[Toolchain, ...]:
    """Look for each language's program as a caged bot would; `uid` as in `reach.require`."""
    return tuple(_look(language, *rest, uid) for language, rest in _LANGUAGES.items())


def _look(language: str, program: str, flag: str, package: str, uid: int | None) -> Toolchain:
    path = shutil.which(program, path=f"{PATH}:{os.environ.get('PATH', '')}")
    if path is None:
        fix = f"`sudo apt install {package}`"
        return Toolchain(language, program, "", "", False, "not installed", fix)
    version = _version(path, flag)
    try:
        if not path.startswith(reach.SYSTEM):
            reach.require(path, uid, f"`{program}` is {path}")
    except ArenaError as error:
        return Toolchain(language, program, path, version, False, str(error), error.hint or "")
    return Toolchain(language, program, path, version, True)


def _version(path: str, flag: str) -> str:
    try:
        done = subprocess.run(
            [path, flag], capture_output=True, text=True, check=False, timeout=20, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return found[0] if found else ""
