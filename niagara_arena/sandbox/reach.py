"""Find out what a bot can reach: programs, their interpreters, directories.

In a cage a bot sees /usr, its own directory and little else. A program elsewhere is shown to it
together with the installation that it belongs to, if the bot's uid may read that.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.sandbox.commands import resolve
from niagara_arena.sandbox.interface import Launch
from niagara_arena.sandbox.limits import PATH

__all__ = ["SYSTEM", "Program", "find_program", "require"]

SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/")


class Program:
    """Say what to execute in the cage, and which host paths must be shown for it."""

    def __init__(self, path: str, shown: tuple[str, ...] = ()) -> None:
        self.path = path
        self.shown = shown


def find_program(launch: Launch, inside: str, uid: int | None) -> Program:
    """Find the command's program; `inside` is where the bot sees its directory."""
    path = resolve(launch, f"{PATH}:{os.environ.get('PATH', '')}")
    home = os.path.abspath(launch.directory) + "/"
    if path.startswith(home):
        _check_script(path, launch.command[0], inside)
        return Program(os.path.join(inside, os.path.relpath(path, home)))
    if path.startswith(SYSTEM):
        return Program(path)
    shown: list[str] = []
    for step in _links(path):
        if not step.startswith(SYSTEM):
            place = _installation(step)
            require(step, uid, f"the program `{launch.command[0]}` is {step}")
            shown.append(place)
    return Program(path, tuple(dict.fromkeys(shown)))


def require(path: str, uid: int | None, what: str) -> None:
    """Refuse a path that the bot's uid can't read; None: bots run as we do."""
    barrier = _barrier(path, uid)
    if barrier is None:
        return
    other = "bots, which run here as another user," if uid is not None else "we"
    raise NotPossibleHere(
        f"{what}, but {other} may not read `{barrier}`",
        "install it where everybody can read, such as /usr or /opt (`apt install python3`), "
        f"or open the way: `chmod o+rx {barrier}`",
    )


def _barrier(path: str, uid: int | None) -> str | None:
    """Return the first directory or file on the way to `path` that stops the bot."""
    real = Path(os.path.realpath(path))
    for place in (*reversed(real.parents), real):
        try:
            found = place.stat()
        except OSError:
            return str(place)
        if uid is None:
            if not os.access(place, os.X_OK if place.is_dir() else os.R_OK):
                return str(place)
        elif not _may(found, uid, 1 if stat.S_ISDIR(found.st_mode) else 4):
            return str(place)
    return None


def _may(found: os.stat_result, uid: int, right: int) -> bool:
    """Judge as the kernel does for a user in no group but its own."""
    if found.st_uid == uid:
        return bool(found.st_mode >> 6 & right)
    if found.st_gid == uid:
        return bool(found.st_mode >> 3 & right)
    return bool(found.st_mode & right)


def _links(path: str) -> list[str]:
    """List the path and everything that its links lead through."""
    steps = [path]
    while os.path.islink(steps[-1]) and len(steps) < 40:
        target = os.path.join(os.path.dirname(steps[-1]), os.readlink(steps[-1]))
        steps.append(os.path.normpath(target))
    real = os.path.realpath(path)
    return steps if steps[-1] == real else [*steps, real]


def _installation(path: str) -> str:
    """Return what to show for a program: the prefix that it is installed in, or just its file.

    A prefix has a `lib` beside its `bin`. A home directory, or ~/.local, is more than an
    installation: from there only the file itself is shown.
    """
    folder = Path(path).parent
    prefix = folder.parent
    private = (Path.home(), Path.home() / ".local", Path("/"), Path("/home"), Path("/root"))
    installed = folder.name in ("bin", "sbin") and (prefix / "lib").is_dir()
    return str(prefix) if installed and prefix not in private else path


def _check_script(path: str, name: str, inside: str) -> None:
    """Refuse a script whose interpreter the bot will not find."""
    with open(path, "rb") as file:
        head = file.read(256)
    if not head.startswith(b"#!"):
        return
    words = head[2:].split(b"\n")[0].decode("utf-8", "replace").split()
    if not words:
        raise InputError(f"`{name}` begins with `#!` but names no interpreter")
    seen = (*SYSTEM, inside + "/", "/runtime/")
    if not words[0].startswith(seen) or (
        words[0].startswith(SYSTEM) and not os.path.exists(words[0])
    ):
        raise InputError(
            f"`{name}` asks for the interpreter `{words[0]}`, which a bot can't reach",
            "begin the file with `#!/usr/bin/env python3`, or name the interpreter in `run`",
        )
