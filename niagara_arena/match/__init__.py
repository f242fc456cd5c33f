"""Drive one match: the referee on one side, real bot processes on the other."""

from __future__ import annotations

from niagara_arena.match.runner import Contestant, play_match
from niagara_arena.match.watching import Watcher

__all__ = ["Contestant", "Watcher", "play_match"]
