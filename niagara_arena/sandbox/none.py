"""Level `none`: no cage, only limits of time and an end that is sure.

The bot runs as the user who runs the arena, with that user's environment and rights. It may fork;
when it ends, or is ended, so does everything it started, in whatever process group or session.
"""

from __future__ import annotations

import os

from niagara_arena.sandbox.commands import resolve
from niagara_arena.sandbox.interface import Launch, Process
from niagara_arena.sandbox.keeping import Keeper
from niagara_arena.sandbox.process import BotProcess

__all__ = ["NoCage"]


class NoCage:
    """Start bots without any isolation."""

    level = "none"

    def __init__(self) -> None:
        self._keeper = Keeper()

    def start(self, launch: Launch) -> Process:
        """Start a bot in its directory."""
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **launch.env}
        environment["PWD"] = launch.directory
        limits = {"CORE": 0}
        if launch.limits.cpu_s is not None:
            limits["CPU"] = launch.limits.cpu_s
        plan = {
            "executable": resolve(launch, os.environ.get("PATH", os.defpath)),
            "argv": launch.command,
            "env": environment,
            "cwd": launch.directory,
            "core": launch.core,
            "rlimits": limits,
        }
        return BotProcess(self._keeper.start(plan), self.level, launch.limits)
