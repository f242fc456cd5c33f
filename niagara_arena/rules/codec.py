"""States as JSON and back, exactly; with the version of the rules that made them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from niagara_arena.errors import RulesError
from niagara_arena.rules.actions import BuyBack, action_from_json, action_to_json
from niagara_arena.rules.base import buy_menu
from niagara_arena.rules.checks import need_object, need_state, shown
from niagara_arena.rules.components import CARD_BY_NAME, CARD_NAMES
from niagara_arena.rules.engine import purchase_action, purchase_number
from niagara_arena.rules.observation import _read_turn, resume, turn_text
from niagara_arena.rules.position import read_position
from niagara_arena.rules.registry import RULES_VERSION
from niagara_arena.rules.state import (
    BUY,
    BUYS_NOTHING,
    CARD,
    CLOSING,
    ENDING,
    ENDINGS,
    HAND,
    OVER,
    PHASE,
    PHASE_NAMES,
    RETIRED,
    RETIREMENTS,
    SECRET,
    SHOWN,
    TURNS,
    UNDECIDED,
    Setup,
    State,
    Vector,
    block,
)
from niagara_arena.rules.text import position_text

_KEYS: Final = "version max_rounds placings phase ending turn choices retirements position".split()


def state_to_json(state: State) -> dict[str, Any]:
    """Return a whole state, secrets included, as plain lists and dicts."""
    v = need_state(state)._v
    choices = []
    for seat in range(state.seats):
        at = block(seat)
        buy = purchase_action(v[at + BUY])
        choices.append(
            {
                "buy": None if buy is None else action_to_json(buy),
                "card": CARD_NAMES[v[at + CARD]] or None,
                "shown": bool(v[at + SHOWN]),
                "retired": v[at + RETIRED],
            }
        )
    return {
        "version": RULES_VERSION,
        "max_rounds": state.max_rounds,
        "placings": state.placings,
        "phase": state.phase,
        "ending": ENDINGS[v[ENDING]] or None,
        "turn": json.loads(turn_text(v)),
        "choices": choices,
        "retirements": v[RETIREMENTS],
        "position": json.loads(position_text(state)),
    }


def state_from_json(value: object) -> State:
    """Read a state back; raise RulesError for anything that is not one, or of other rules."""
    if not isinstance(value, Mapping) or set(value) != set(_KEYS):
        raise RulesError(f"a state has the keys {', '.join(_KEYS)}", path="$")
    if value["version"] != RULES_VERSION:
        raise RulesError(
            f"the state is of rules {shown(value['version'])}, these are {RULES_VERSION}",
            path="$.version",
        )
    setup, v = read_position(value["position"], value["max_rounds"], value["placings"])
    phase = value["phase"]
    if not isinstance(phase, str) or phase not in PHASE_NAMES:
        raise RulesError(f"a phase is one of {', '.join(PHASE_NAMES)}", path="$.phase")
    v[PHASE] = PHASE_NAMES.index(phase)
    v[RETIREMENTS] = _count(value["retirements"], "$.retirements")
    choices = value["choices"]
    if not isinstance(choices, list) or len(choices) != setup.seats:
        raise RulesError(f"a list of {setup.seats} choices is needed", path="$.choices")
    for seat, choice in enumerate(choices):
        _read_choice(setup, v, seat, choice)
    if v[PHASE] in (TURNS, CLOSING):
        _read_turn(setup, v, need_object(value["turn"], "$.turn"))
    if v[PHASE] == OVER:
        if not isinstance(value["ending"], str) or value["ending"] not in ENDINGS[1:]:
            raise RulesError(f"an ending is one of {', '.join(ENDINGS[1:])}", path="$.ending")
        v[ENDING] = ENDINGS.index(value["ending"])
    before = v.copy()
    state = resume(setup, v)
    if state._v != before:
        raise RulesError("the state leaves no choice open: it is not one that play reaches")
    return state


def _read_choice(setup: Setup, v: Vector, seat: int, value: object) -> None:
    path = f"$.choices[{seat}]"
    if not isinstance(value, Mapping) or set(value) != {"buy", "card", "shown", "retired"}:
        raise RulesError("a choice has `buy`, `card`, `shown` and `retired`", path=path)
    at = block(seat)
    step = _count(value["retired"], f"{path}.retired")
    if bool(step) != bool(v[at + RETIRED]) or step > v[RETIREMENTS]:
        raise RulesError("it does not fit the position", "N-5.4", f"{path}.retired")
    v[at + RETIRED] = step
    card = value["card"]
    if card is not None:
        if not isinstance(card, str) or not v[at + HAND] >> CARD_BY_NAME.get(card, 31) & 1:
            raise RulesError(f"seat {seat} has no card {shown(card)}", "N-3.1", f"{path}.card")
        v[at + CARD] = CARD_BY_NAME[card]
    if not isinstance(value["shown"], bool) or (value["shown"] and card is None):
        raise RulesError("only a chosen card is shown", "N-3.1", f"{path}.shown")
    v[at + SHOWN] = int(value["shown"])
    if value["buy"] is None:
        v[at + BUY] = UNDECIDED
        return
    action = action_from_json(value["buy"])
    number = purchase_number(action) if isinstance(action, BuyBack) else UNDECIDED
    # A game that ends by retirement in the secret phase keeps what was still secret then.
    allowed = number == BUYS_NOTHING or (
        v[PHASE] in (SECRET, OVER) and action in buy_menu(setup, v, seat).actions
    )
    if number == UNDECIDED or not allowed:
        raise RulesError(f"seat {seat} can't buy that", "N-3.2", f"{path}.buy")
    v[at + BUY] = number


def _count(value: object, path: str) -> int:
    if type(value) is not int or not 0 <= value <= 99:
        raise RulesError("a small whole number is needed", path=path)
    return value
