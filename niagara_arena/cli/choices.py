"""Say legal actions in words, for people who choose among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from niagara_arena.cli.telling import seat_name, tell

__all__ = ["QUESTIONS", "describe"]

QUESTIONS: Final = {
    "buy": "Which canoes do you buy back?",
    "card": "Which card do you play this round?",
    "canoe": "Which canoe moves, and how?",
    "weather": "Where does your cloud move the weather?",
    "arm": "Into which arm is your canoe dragged?",
    "moose": "Who takes the moose?",
}
"""What a person is asked, by the kind of the decision."""

_WORDS: Final = {
    "cloud": "the weather one step up or down",
    "lasso": "your canoes on the river wait ashore",
    "123": "one canoe, 1, 2 or 3 points",
}
_LISTS: Final = ("unload", "load", "unload_there", "load_there", "steal")


def describe(
    action: Mapping[str, Any],
    seat: int,
    canoes: Sequence[Mapping[str, Any]],
    names: Sequence[str] = (),
) -> str:
    """Return an entry of `legal` in words; ``canoes`` are those of the seat that chooses."""
    if "card" in action:
        card = action["card"]
        return _WORDS.get(
            card, f"{card} point{'s' if card != '1' else ''} for each canoe that moves"
        )
    if "weather" in action:
        weather = action["result"]["weather"]
        to = f"{weather:+d}" if weather else "0"
        return f"{'up' if action['weather'] > 0 else 'down'}, to {to}"
    if "arm" in action:
        return "the left arm" if action["arm"] == "L" else "the right arm"
    if "moose" in action:
        if action["moose"] is None:
            return "nobody"
        return f"the canoe on {canoes[action['moose']]['at']}"
    if "buy" in action:
        return _buy(action, canoes)
    return _move(action, seat, canoes, names)


def _buy(action: Mapping[str, Any], canoes: Sequence[Mapping[str, Any]]) -> str:
    if not action["buy"]:
        return "none"
    double = any(canoe["capacity"] > 1 for canoe in canoes)
    kinds = ["the double" if canoes[i]["capacity"] > 1 else "the single" for i in action["buy"]]
    what = " and ".join(kinds) if double else ("one" if len(kinds) == 1 else "both")
    return f"{what} for {' and '.join(action['gems'])}" if action["gems"] else f"{what}, free"


def _move(
    action: Mapping[str, Any],
    seat: int,
    canoes: Sequence[Mapping[str, Any]],
    names: Sequence[str],
) -> str:
    canoe = canoes[action["canoe"]]
    kind = ""
    if any(other["capacity"] > 1 for other in canoes):
        kind = "the double " if canoe["capacity"] > 1 else "the single "
    if action.get("stay"):
        return f"{kind}stays at the jetty"
    event = {
        "event": "canoe_moved",
        **dict.fromkeys(_LISTS, ()),
        **action,
        "seat": seat,
        "origin": canoe["at"],
    }
    words = tell(event, names).removeprefix(f"{seat_name(seat, names)} ")
    moose = "takes the moose, " if action.get("take_moose") else ""
    result = action["result"]
    banked = f" and banks {' and '.join(result['banked'])}" if result["banked"] else ""
    aboard = f"; aboard then: {' and '.join(result['cargo'])}" if result["cargo"] else ""
    return f"{kind}{moose}{words}{banked}{aboard}"
