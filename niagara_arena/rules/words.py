"""States, actions and events as the JSON texts that are sent and kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from niagara_arena.rules.actions import Action, Arm, BuyBack, Paddle, Stay, Weather, action_to_json
from niagara_arena.rules.components import CARGO_NAMES, GEM_BY_NAME, ONE
from niagara_arena.rules.events import Event, event_to_json
from niagara_arena.rules.game import legal
from niagara_arena.rules.geometry import LOST, SPACE_NAMES
from niagara_arena.rules.position import read_position
from niagara_arena.rules.state import BANK, WEATHER, State, block
from niagara_arena.rules.text import gems_text
from niagara_arena.rules.text import position_text as _position_text


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def position_text(state: State) -> str:
    """Return a state's position as canonical JSON text."""
    return _position_text(state._setup, state._v)


def action_text(action: Action) -> str:
    """Return an action as compact JSON text."""
    return _compact(action_to_json(action))


def event_text(event: Event) -> str:
    """Return an event as compact JSON text."""
    return _compact(event_to_json(event))


def canonical_position(position: Mapping[str, Any]) -> dict[str, Any]:
    """Check a position and return it in canonical form."""
    setup, v = read_position(position, 1_000_000, "progress")
    canonical: dict[str, Any] = json.loads(_position_text(setup, tuple(v)))
    return canonical


def legal_text(state: State, seat: int) -> str:
    """Return a seat's legal actions as a JSON list, each with what it leads to under `result`."""
    entries = []
    options = {action: option for menu in state._menus for action, option in menu.options.items()}
    v = state._v
    at = block(seat)
    for action in legal(state, seat):
        entry = action_to_json(action)
        match action:
            case Paddle():
                option = options[action]
                entry["result"] = {
                    "at": SPACE_NAMES[option.end],
                    "cargo": list(CARGO_NAMES[option.cargo]),
                    "banked": list(CARGO_NAMES[option.banked]),
                    "lost": option.end == LOST,
                }
            case Stay():
                entry["result"] = {"at": "jetty", "cargo": [], "banked": [], "lost": False}
            case Weather(step):
                entry["result"] = {"weather": v[WEATHER] + step}
            case Arm(arm):
                entry["result"] = {"at": f"6{arm}", "lost": False}
            case BuyBack(canoes, gems):
                bank = v[at + BANK] - sum(ONE[GEM_BY_NAME[gem]] for gem in gems)
                here = (v[at] != LOST) + (v[at + 2] != LOST) + len(canoes)
                entry["result"] = {"bank": json.loads(gems_text(bank)), "canoes": here}
        entries.append(entry)
    return _compact(entries)
