"""Niagara itself: complete, pure, and fit to search with.

Standard library only, so that a caged bot can import it. The door is in `game`; positions and
observations are plain JSON. See `game` for a loop that plays a game.
"""

from __future__ import annotations

from niagara_arena.errors import RulesError
from niagara_arena.rules.actions import (
    Action,
    Arm,
    BuyBack,
    Moose,
    Paddle,
    PlayCard,
    Stay,
    Theft,
    Weather,
    action_from_json,
    action_to_json,
)
from niagara_arena.rules.codec import state_from_json, state_to_json
from niagara_arena.rules.events import Event, event_from_json, event_name, event_to_json
from niagara_arena.rules.game import (
    Step,
    apply,
    first_events,
    legal,
    pending,
    retire,
    start,
    start_from,
)
from niagara_arena.rules.observation import from_observation, observation_text, observe
from niagara_arena.rules.outcome import Outcome, outcome
from niagara_arena.rules.position import canonical_position
from niagara_arena.rules.registry import RULES_VERSION, RULESETS
from niagara_arena.rules.state import Decision, State
from niagara_arena.rules.text import position_text
from niagara_arena.rules.wording import action_text, event_text, legal_text

__all__ = [
    "RULESETS",
    "RULES_VERSION",
    "Action",
    "Arm",
    "BuyBack",
    "Decision",
    "Event",
    "Moose",
    "Outcome",
    "Paddle",
    "PlayCard",
    "RulesError",
    "State",
    "Stay",
    "Step",
    "Theft",
    "Weather",
    "action_from_json",
    "action_text",
    "action_to_json",
    "apply",
    "canonical_position",
    "event_from_json",
    "event_name",
    "event_text",
    "event_to_json",
    "first_events",
    "from_observation",
    "legal",
    "legal_text",
    "observation_text",
    "observe",
    "outcome",
    "pending",
    "position_text",
    "retire",
    "start",
    "start_from",
    "state_from_json",
    "state_to_json",
]
