"""Judge one game of Niagara without doing any I/O."""

from __future__ import annotations

from niagara_arena.referee.game import Answer, Ask, Done, Referee, Request, Tell
from niagara_arena.referee.profiles import PROFILES, make_settings, profile
from niagara_arena.referee.reports import FaultReport

__all__ = [
    "PROFILES",
    "Answer",
    "Ask",
    "Done",
    "FaultReport",
    "Referee",
    "Request",
    "Tell",
    "make_settings",
    "profile",
]
