"""Find the program that a bot's command names, before anything is started."""

from __future__ import annotations

import os
import shutil

from niagara_arena.errors import InputError
from niagara_arena.sandbox.interface import Launch

__all__ = ["resolve"]


def resolve(launch: Launch, path: str) -> str:
    """Return the program's path: in the bot's directory if it is there, else along `path`."""
    if not launch.command or not launch.command[0]:
        raise InputError("the bot's command is empty", "say what to run: `run` in its bot.toml")
    if not os.path.isdir(launch.directory):
        raise InputError(f"`{launch.directory}` is not a directory", "name a folder")
    word = launch.command[0]
    inside = os.path.join(launch.directory, word)
    if os.path.lexists(inside):
        if not os.path.isfile(inside):
            raise InputError(f"`{word}` is not a file", "a command must name a program")
        if not os.access(inside, os.X_OK):
            raise InputError(
                f"`{word}` is not executable",
                f"`chmod +x {word}`, or name its interpreter first: `python3 {word}`",
            )
        return os.path.abspath(inside)
    found = None if "/" in word and not word.startswith("/") else shutil.which(word, path=path)
    if found is None:
        raise InputError(
            f"there is no program `{word}`, neither in the bot's directory nor in {path}",
            "install it, or correct the command",
        )
    return found
