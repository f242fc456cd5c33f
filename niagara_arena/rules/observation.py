"""What a seat may see: the public facts plus its own secrets, as canonical JSON.

Laws kept here:

- Two states that differ only in what other seats have chosen in secret, or in whether they have
  chosen yet, give a seat the same text, byte for byte.
- Hands are public knowledge, since every card was public once [N-3.5]: `position` lists each
  seat's hand as it was when the round began, the card of this round included. `played` says
  which cards have been revealed.

An observation is one JSON object::

    {"seat":0,"phase":"turns","max_rounds":200,"played":["4",null,null],
     "turn":{"seat":1,"must":[0],"may":[1],"one":false},
     "own":{"buy":{"buy":[],"gems":[]},"card":"2"},"position":{…}}

`turn` is null outside phase II and the returns from the bank; `must` and `may` list the canoes
that must or may still move, `one` says that just one of `must` does. With a lasso they list the
canoes that may take the moose, on return from the bank the canoe whose arm is asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from niagara_arena.errors import RulesError
from niagara_arena.rules.actions import BuyBack, action_from_json, action_to_json
from niagara_arena.rules.base import buy_menu, mark_second
from niagara_arena.rules.checks import (
    need_flag,
    need_object,
    need_seat,
    need_state,
    need_whole,
    shown,
)
from niagara_arena.rules.components import CARD_BY_NAME, CARD_NAMES, CLOUD
from niagara_arena.rules.engine import purchase_action, purchase_number, run
from niagara_arena.rules.position import read_position
from niagara_arena.rules.soundness import check_course
from niagara_arena.rules.state import (
    ACTOR,
    BUY,
    BUYS_NOTHING,
    CARD,
    CLOSING,
    EXACTLY_ONE,
    HAND,
    MAY,
    MUST,
    OVER,
    PHASE,
    PHASE_NAMES,
    RETIRED,
    SECRET,
    SHOWN,
    STAGE,
    TURNS,
    UNDECIDED,
    Setup,
    State,
    Vector,
    block,
)
from niagara_arena.rules.text import number_text, position_text

_CANOES: Final = ("[]", "[0]", "[1]", "[0,1]")
_PLAYED: Final = ("null", *[f'"{name}"' for name in CARD_NAMES[1:]])
_NONE_PLAYED: Final = tuple(",".join(["null"] * seats) for seats in range(7))
_BUY_MEMO: Final[dict[int, str]] = {UNDECIDED: "null"}


def _buy_text(number: int) -> str:
    text = _BUY_MEMO.get(number)
    if text is None:  # at most a few dozen purchases exist
        action = purchase_action(number)
        assert action is not None
        text = _BUY_MEMO[number] = json.dumps(action_to_json(action), separators=(",", ":"))
    return text


def turn_text(v: Vector) -> str:
    """Return whose turn it is and which canoes it is about, as JSON."""
    if v[PHASE] not in (TURNS, CLOSING):
        return "null"
    one = "true" if v[MUST] & EXACTLY_ONE else "false"
    must, may = _CANOES[v[MUST] & 3], _CANOES[v[MAY]]
    return f'{{"seat":{number_text(v[ACTOR])},"must":{must},"may":{may},"one":{one}}}'


def observation_text(state: object, seat: object) -> str:
    """Return what a seat may see now, as JSON text; raise RulesError for a seat not there."""
    state = need_state(state)
    v = state._v
    setup = state._setup
    number = need_seat(seat, setup.seats)
    if v[PHASE] == SECRET:
        played = _NONE_PLAYED[setup.seats]
    else:
        played = ",".join([_PLAYED[v[at + CARD] * v[at + SHOWN]] for at in setup.blocks])
    own = setup.blocks[number]
    card = _PLAYED[v[own + CARD]]
    return (
        f'{{"seat":{number_text(number)},"phase":"{PHASE_NAMES[v[PHASE]]}",'
        f'"max_rounds":{number_text(setup.max_rounds)},"played":[{played}],"turn":{turn_text(v)},'
        f'"own":{{"buy":{_buy_text(v[own + BUY])},"card":{card}}},'
        f'"position":{position_text(state)}}}'
    )


def observe(state: object, seat: object) -> dict[str, Any]:
    """Return what a seat may see now, as plain lists and dicts."""
    seen: dict[str, Any] = json.loads(observation_text(state, seat))
    return seen


def from_observation(
    observation: object, assumed_hidden: object = None, placings: object = "progress"
) -> State:
    """Return a state to search in: what was seen, completed by what is assumed of the others.

    ``assumed_hidden`` maps another seat to ``{"card": "3"}``, in the secret phase optionally
    with ``"buy": {"buy": [0], "gems": ["ruby"]}``. In the secret phase a seat that is left out
    is still to decide; later every seat whose card is not shown must be given one.
    """
    hidden: dict[Any, Any] = dict(
        need_object({} if assumed_hidden is None else assumed_hidden, "assumed_hidden")
    )
    seen = need_object(observation, "$")
    setup, v = read_position(
        seen.get("position"), need_whole(seen.get("max_rounds"), "$.max_rounds"), placings
    )
    seat = need_whole(seen.get("seat"), "$.seat")
    if not 0 <= seat < setup.seats:
        raise RulesError(f"there is no seat {shown(seat)}", "N-2.3", "$.seat")
    phase = seen.get("phase")
    if not isinstance(phase, str) or phase not in PHASE_NAMES[:OVER]:
        raise RulesError("a running game is needed", path="$.phase")
    v[PHASE] = PHASE_NAMES.index(phase)
    own = need_object(seen.get("own"), "$.own")
    played = seen.get("played")
    if not isinstance(played, list) or len(played) != setup.seats:
        raise RulesError(f"a list of {setup.seats} cards or nulls is needed", path="$.played")
    for other in range(setup.seats):
        path = "$.own" if other == seat else f"assumed_hidden[{other}]"
        known = own if other == seat else need_object(hidden.pop(other, {}), path)
        _choose(setup, v, other, known, played[other], path)
    if hidden:
        raise RulesError(f"assumed_hidden names no other seat: {shown(next(iter(hidden)))}")
    if v[PHASE] != SECRET:
        _read_turn(setup, v, need_object(seen.get("turn"), "$.turn"))
    return resume(setup, v)


def _choose(
    setup: Setup, v: Vector, seat: int, known: Mapping[str, Any], up: object, path: str
) -> None:
    """Note one seat's choices of this round."""
    at = block(seat)
    if v[at + RETIRED]:
        v[at + BUY] = BUYS_NOTHING
        return
    secret = v[PHASE] == SECRET
    card = known.get("card") if up is None else up
    buy = known.get("buy")
    if card is not None:
        if not isinstance(card, str) or not v[at + HAND] >> CARD_BY_NAME.get(card, 31) & 1:
            raise RulesError(f"seat {seat} has no card {shown(card)}", "N-3.1", f"{path}.card")
        v[at + CARD] = CARD_BY_NAME[card]
        v[at + SHOWN] = int(up is not None)
    elif not secret:
        raise RulesError(f"assume a card for seat {seat}", "N-3.1", f"{path}.card")
    v[at + BUY] = BUYS_NOTHING if card is not None or not secret else UNDECIDED
    if secret and buy is not None:
        action = action_from_json(buy)
        if not isinstance(action, BuyBack) or action not in buy_menu(setup, v, seat).actions:
            raise RulesError(f"seat {seat} can't buy that", "N-3.2", f"{path}.buy")
        v[at + BUY] = purchase_number(action)
    elif secret and card is not None and BuyBack((), ()) not in buy_menu(setup, v, seat).actions:
        raise RulesError(f"seat {seat} must buy a canoe back", "N-3.3", f"{path}.buy")


def _read_turn(setup: Setup, v: Vector, turn: Mapping[str, Any]) -> None:
    """Note whose turn it is and which canoes still move."""
    seat = need_whole(turn.get("seat"), "$.turn.seat")
    if not 0 <= seat < setup.seats:
        raise RulesError(f"there is no seat {shown(seat)}", "N-2.3", "$.turn.seat")
    v[ACTOR] = seat
    v[MUST] = _mask(turn.get("must"), "$.turn.must")
    v[MAY] = _mask(turn.get("may"), "$.turn.may")
    if need_flag(turn.get("one", False), "$.turn.one"):
        v[MUST] |= EXACTLY_ONE
    if v[PHASE] == CLOSING:
        v[STAGE] = len(setup.ruleset.closing) - 2  # only the returns from the bank ask anything
    elif setup.ruleset.interchangeable and v[block(seat) + CARD] != CLOUD:
        mark_second(v, block(seat))


def resume(setup: Setup, v: Vector) -> State:
    """Return the state of numbers that may come from outside; they must leave a real choice.

    Canonical states come back unchanged. What is forced, as after an assumption that leaves a
    seat no choice, is played.
    """
    check_course(setup, v)
    pending, menus = run(setup, v, [])
    return State(setup, v, pending, menus)


def _mask(value: object, path: str) -> int:
    if not isinstance(value, list) or len(value) > 2:
        raise RulesError("a list of canoes, 0 or 1, is needed", path=path)
    mask = 0
    for canoe in value:
        if type(canoe) is not int or canoe not in (0, 1):
            raise RulesError("a list of canoes, 0 or 1, is needed", path=path)
        mask |= 1 << canoe
    return mask
