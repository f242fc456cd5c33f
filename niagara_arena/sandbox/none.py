"""Level `none`: no cage, only limits of time and an end that is sure.

The bot runs as the user who runs the arena, with that user's environment and rights. It may fork;
when it ends, or is ended, so does everything it started, in whatever process group or session.
"""

from __future__ import annotations

import os

from niagara_arena.sandbox.commands import resolve
from niagara_arena.sandbox.interface import Launch, Process
from niagara_arena.sandbox.keeping import Keeper
from niagara_arena.sandbox.limits import check, resources, variable
from niagara_arena.sandbox.offer import ARENA, lay_out
from niagara_arena.sandbox.process import BotProcess

__all__ = ["NoCage"]


class NoCage:
    """Start bots without any isolation."""

    level = "none"

    def __init__(self) -> None:
        self._keeper = Keeper()

    def start(self, launch: Launch) -> Process:
        """Start a bot in its directory."""
        check(launch)
        arena = os.path.join(lay_out(self._keeper.scratch), ARENA)
        paths = [arena, os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PWD": launch.directory,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            **{variable(one.name): os.path.abspath(one.path) for one in launch.runtimes},
            **launch.env,
        }
        found = resources(launch)
        limits = {name: found[name] for name in ("CORE", "CPU") if name in found}
        plan = {
            "executable": resolve(launch, os.environ.get("PATH", os.defpath)),
            "argv": launch.command,
            "env": environment,
            "cwd": launch.directory,
            "core": launch.core,
            "rlimits": limits,
        }
        return BotProcess(self._keeper.start(plan), self.level, launch)
