"""Find the programs that a submission's commands name, before anything is started."""

from __future__ import annotations

import json
import os
import shutil

from niagara_arena.sandbox import Runtime

__all__ = ["is_program", "missing_hint", "placed"]

_MOUNTS = "bwrap"
"""The level at which /runtime/NAME exists; elsewhere a runtime is where the organiser has it."""


def is_program(word: str, runtimes: tuple[Runtime, ...]) -> bool:
    """Tell whether a program stands at that path, or under that name in a runtime or PATH."""
    place = _on_this_machine(word, runtimes)
    if os.path.isabs(place):
        return os.access(place, os.X_OK) and not os.path.isdir(place)
    folders = [os.environ.get("PATH", ""), "/usr/bin", "/bin"]
    return shutil.which(place, path=os.pathsep.join(folders)) is not None


def missing_hint(program: str, key: str) -> str:
    """Say what to do about a program that is not there."""
    words = program.split()
    if len(words) > 1:  # a list with a whole command in one word
        return f"in a list every word stands alone: `{key} = {json.dumps(words)}`"
    return f"install it, or change `{key}` in its bot.toml"


def placed(command: tuple[str, ...], runtimes: tuple[Runtime, ...], level: str) -> tuple[str, ...]:
    """Return the command as the sandbox needs it, with runtimes where they are at that level.

    The program itself is always named as on this machine: the sandbox finds and shows it.
    """
    if not runtimes:
        return command
    rest = command[1:]
    if level != _MOUNTS:
        rest = tuple(_replaced(word, runtimes) for word in rest)
    return (_on_this_machine(command[0], runtimes), *rest)


def _on_this_machine(program: str, runtimes: tuple[Runtime, ...]) -> str:
    """Return where a program of a runtime is; any other word as it is."""
    if "/" in program:
        return _replaced(program, runtimes)
    for runtime in runtimes:
        path = os.path.join(runtime.path, "bin", program)
        if os.access(path, os.X_OK):
            return path
    return program


def _replaced(word: str, runtimes: tuple[Runtime, ...]) -> str:
    for runtime in runtimes:
        prefix = f"/runtime/{runtime.name}/"
        if word.startswith(prefix):
            return os.path.join(runtime.path, word.removeprefix(prefix))
    return word
