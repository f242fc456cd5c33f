"""Turn a scenario of an ordinary bot into one of a bot that may fork, or of a build."""

from __future__ import annotations

from collections.abc import Callable

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox.attacks.model import Scenario, Seen
from niagara_arena.sandbox.attacks.stage import Trial

__all__ = ["building", "forking"]


def forking(scenario: Callable[..., Seen]) -> Scenario:
    """Make a scenario of one that is played by a bot that may fork, where a cage allows such."""

    def run(trial: Trial) -> Seen:
        try:
            return scenario(trial, multi_process=True)
        except NotPossibleHere as error:
            return Seen(False, f"refused at the start: {error}")

    return run


def building(scenario: Callable[..., Seen]) -> Scenario:
    """Make a scenario of one that is played by a build."""
    return lambda trial: scenario(trial, writable=True)
