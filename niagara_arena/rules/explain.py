"""Why an action is refused: the sentence and the clause, worked out only when it is needed."""

from __future__ import annotations

from typing import Final

from niagara_arena.errors import RulesError
from niagara_arena.rules.actions import Arm, BuyBack, Moose, Paddle, PlayCard, Stay, Weather
from niagara_arena.rules.checks import need_seat, shown
from niagara_arena.rules.components import CARD_BY_NAME, CARD_NAMES, cards_of
from niagara_arena.rules.geometry import JETTY, SPACE_BY_NAME, SPACE_NAMES
from niagara_arena.rules.state import (
    BANK,
    CARD,
    EXACTLY_ONE,
    HAND,
    MAY,
    MUST,
    RETIRED,
    WHIRLPOOL,
    State,
    block,
)

_KIND_OF: Final = {
    BuyBack: "buy",
    PlayCard: "card",
    Paddle: "canoe",
    Stay: "canoe",
    Weather: "weather",
    Arm: "arm",
    Moose: "moose",
}
_CLAUSE_OF: Final = {
    "buy": "N-3.2",
    "card": "N-3.1",
    "canoe": "N-4.1",
    "weather": "N-4.21",
    "arm": "N-9.4",
    "moose": "N-11.2",
}


def explain(state: State, seat: object, action: object) -> RulesError:
    """Return the error for an action that is not legal."""
    seat = need_seat(seat, state.seats)
    if state.over:
        return RulesError("the game is over", "N-5.1")
    if state._v[block(seat) + RETIRED]:
        return RulesError(f"seat {seat} is retired", "N-5.4")
    kind = next((d.kind for d in state._pending if d.seat == seat), None)
    if kind is None:
        return RulesError(f"seat {seat} is not asked now", "N-4" if state._menus else "N-3.1")
    given = _KIND_OF.get(type(action))
    if given != kind:
        what = f"a {given} action" if given else f"{type(action).__name__!s} is no action"
        return RulesError(f"seat {seat} is asked for its {kind}: {what}", _CLAUSE_OF[kind])
    try:
        return _explain_kind(state, seat, kind, action)
    except (TypeError, ValueError, AttributeError, IndexError, RecursionError):
        return RulesError(f"the {kind} action has the wrong parts", _CLAUSE_OF[kind])


def _explain_kind(state: State, seat: int, kind: str, action: object) -> RulesError:
    """Explain an action of the kind that is asked."""
    if isinstance(action, Paddle | Stay):
        return _explain_canoe(state, seat, action)
    if isinstance(action, PlayCard):
        hand = ", ".join(CARD_NAMES[card] for card in cards_of(state._v[block(seat) + HAND]))
        return RulesError(f"card {shown(action.card)} is not in the hand {hand}", "N-3.1")
    if isinstance(action, BuyBack):
        return _explain_buy(state, seat, action)
    assert isinstance(action, Weather | Arm | Moose)
    return RulesError(f"{shown(action[0])} is not offered", _CLAUSE_OF[kind])


def _explain_buy(state: State, seat: int, action: BuyBack) -> RulesError:
    if not action.canoes:
        return RulesError("a seat with no canoe must buy at least one back", "N-3.3")
    if not state._v[block(seat) + BANK]:
        return RulesError("with no canoe and no gem exactly one comes back free", "N-3.4")
    return RulesError("buy back lost canoes for one gem of the own bank each", "N-3.2")


def _explain_canoe(state: State, seat: int, action: Paddle | Stay) -> RulesError:
    """Look for the first clause that a canoe's move breaks, from the plain to the subtle."""
    v = state._v
    if isinstance(action, Stay):
        return RulesError("this canoe may not stay", "N-4.1")
    if type(action.canoe) is not int or action.canoe not in (0, 1):
        return RulesError(f"there is no canoe {shown(action.canoe)}", "N-2.1")
    if not (v[MUST] | v[MAY]) >> action.canoe & 1:
        one = " (one canoe moves, and equal canoes go by the lower number)"
        more = one if v[MUST] & EXACTLY_ONE else ""
        return RulesError(f"canoe {action.canoe} does not move now{more}", "N-4.1")
    if not isinstance(action.to, str) or action.to not in SPACE_BY_NAME:
        return RulesError(f"{shown(action.to)} is no space", "N-1.1")
    at = block(seat) + 2 * action.canoe
    points = CARD_NAMES[v[block(seat) + CARD]]
    where = SPACE_NAMES[v[at]]
    offered = [a for menu in state._menus for a in menu.actions if isinstance(a, Paddle)]
    offered = [a for a in offered if a.canoe == action.canoe]
    ends = [a for a in offered if a.to == action.to]
    if action.take_moose and not any(a.take_moose for a in offered):
        return RulesError("the moose can't be taken now", "N-11.2")
    if not ends:
        clause = "N-9.1" if SPACE_BY_NAME[action.to] == v[WHIRLPOOL] else "N-4.5"
        if v[at] == JETTY and action.to == "jetty":
            clause = "N-4.1"
        return RulesError(
            f"canoe {action.canoe} on {where} can't end on {action.to} with card {points}", clause
        )
    return _explain_acts(action, ends, where, points)


def _explain_acts(action: Paddle, ends: list[Paddle], where: str, points: str) -> RulesError:
    """Explain a move that ends where it may, but acts as it may not."""
    acts = action[2:6]
    same = [a for a in ends if a[2:6] == acts]
    if same and action.steal:
        if not any(a.steal for a in same):
            return RulesError(f"there is nothing to steal on {action.to}", "N-4.17")
        return RulesError("not a theft that this canoe can commit here", "N-4.17")
    unloads = set(action.unload) | set(action.unload_there)
    loads = set(action.load) | set(action.load_there)
    if action.steal and (action.unload_there or action.load_there):
        return RulesError("no theft where it loads or unloads at the end", "N-4.18")
    if unloads & loads:
        return RulesError("a colour is either loaded or unloaded in one turn", "N-4.14")
    if action.unload and action.load_there:
        return RulesError("after unloading at one place it loads at no other", "N-4.15")
    spent = "all points must be spent, loading and unloading costs 2"
    return RulesError(
        f"from {where} to {action.to} with card {points} it can't load and unload like that "
        f"({spent}, the gem must be there, and there must be room)",
        "N-4.5",
    )


assert set(_KIND_OF.values()) == set(_CLAUSE_OF)
assert CARD_BY_NAME["1"] == 1
