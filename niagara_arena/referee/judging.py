"""A reply to a question → an action of the rules, or the fault that it is."""

from __future__ import annotations

from typing import Final

from msgspec import UNSET

from niagara_arena.errors import RulesError
from niagara_arena.records import Fault
from niagara_arena.referee.reports import FaultReport
from niagara_arena.rules import Action, State, action_from_json, apply
from niagara_arena.wire.messages import Act

_MOST: Final = 10**9
"""Longer numbers are not repeated."""


def judge(state: State, seat: int, actions: tuple[Action, ...], act: Act) -> Action | FaultReport:
    """Return the action that a reply chooses, or why it chooses none [P-4.2]."""
    choice = act.choice
    if choice is not UNSET:
        if choice < len(actions):
            return actions[choice]
        return FaultReport(
            Fault.ILLEGAL,
            "choice",
            f"`$.choice` is {choice if choice <= _MOST else f'more than {_MOST}'}, but `legal`"
            f" has the indices 0 to {len(actions) - 1} [P-4.2]",
        )
    spelled = act.action
    assert spelled is not UNSET
    spelled.pop("result", None)
    try:
        action = action_from_json(spelled)
    except RulesError as error:
        path = (error.path or "$").replace("$", "$.action", 1)
        clause = error.clause or "P-4.3"
        return FaultReport(Fault.MALFORMED, "action", f"{path}: {error.message} [{clause}]")
    if action in actions:
        return action
    try:
        apply(state, seat, action)
    except RulesError as error:
        return FaultReport(Fault.ILLEGAL, "action", f"$.action: {error}")
    raise AssertionError("`apply` took an action that `legal` does not list")
