"""What a seat can choose, one immutable type for each kind of decision.

| decision  | action                         | JSON                                            |
|-----------|--------------------------------|-------------------------------------------------|
| `buy`     | `BuyBack(canoes, gems)`        | `{"buy":[0],"gems":["ruby"]}`                    |
| `card`    | `PlayCard(card)`               | `{"card":"4"}`                                  |
| `canoe`   | `Paddle(canoe, to, …)`, `Stay` | `{"canoe":0,"to":"4","load_there":["diamond"]}` |
| `weather` | `Weather(step)`                | `{"weather":1}`                                 |
| `arm`     | `Arm(arm)`                     | `{"arm":"L"}`                                   |
| `moose`   | `Moose(canoe)`                 | `{"moose":0}`, `{"moose":null}`                 |

A `Paddle` names where the canoe ends up and what it loads, unloads and steals; that is its whole
effect, so it names neither its direction nor its points. Gems loaded or unloaded before its first
space are `load` and `unload`, after its last one `load_there` and `unload_there` [N-4.12].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from niagara_arena.errors import RulesError
from niagara_arena.rules.checks import shown
from niagara_arena.rules.components import CARD_BY_NAME, GEM_BY_NAME
from niagara_arena.rules.geometry import SPACE_BY_NAME


class BuyBack(NamedTuple):
    """Buy lost canoes back with as many gems of the own bank; both empty: buy nothing [N-3.2].

    Canoes without gems: the one that comes back free [N-3.4].
    """

    canoes: tuple[int, ...]
    gems: tuple[str, ...]


class PlayCard(NamedTuple):
    """Choose this round's paddle card [N-3.1]."""

    card: str


class Theft(NamedTuple):
    """One gem taken from an opponent's canoe [N-4.17]."""

    seat: int
    canoe: int
    gem: str


class Paddle(NamedTuple):
    """Move one canoe [N-4.2]; ``to`` is its space at the end, ``jetty`` or ``lost``."""

    canoe: int
    to: str
    unload: tuple[str, ...] = ()
    load: tuple[str, ...] = ()
    unload_there: tuple[str, ...] = ()
    load_there: tuple[str, ...] = ()
    steal: tuple[Theft, ...] = ()
    take_moose: bool = False


class Stay(NamedTuple):
    """Leave the canoe that may move at the jetty [N-4.1]."""

    canoe: int
    stay: bool = True


class Weather(NamedTuple):
    """Move the weather one step: +1 or -1 [N-4.21]."""

    step: int


class Arm(NamedTuple):
    """Choose the arm into which the whirlpool drags a canoe back from the bank [N-10.3]."""

    arm: str


class Moose(NamedTuple):
    """Let a canoe pulled ashore at 7 take the moose, or none of them [N-11.2]."""

    canoe: int | None


Action = BuyBack | PlayCard | Paddle | Stay | Weather | Arm | Moose

MOST_SEATS: Final = 6
_LISTS: Final = ("unload", "load", "unload_there", "load_there")

KINDS: Final = ("buy", "card", "canoe", "weather", "arm", "moose")
"""The kinds of decision, in the order in which a round can ask them."""


def action_to_json(action: Action) -> dict[str, Any]:
    """Return an action as the JSON object of the table above; empty lists are left out."""
    match action:
        case Paddle():
            out: dict[str, Any] = {"canoe": action.canoe, "to": action.to}
            if action.take_moose:
                out["take_moose"] = True
            for name in _LISTS:
                if gems := getattr(action, name):
                    out[name] = list(gems)
            if action.steal:
                out["steal"] = [theft._asdict() for theft in action.steal]
            return out
        case BuyBack(canoes, gems):
            return {"buy": list(canoes), "gems": list(gems)}
        case PlayCard(card):
            return {"card": card}
        case Stay(canoe):
            return {"canoe": canoe, "stay": True}
        case Weather(step):
            return {"weather": step}
        case Arm(arm):
            return {"arm": arm}
        case Moose(moose):
            return {"moose": moose}


def action_from_json(value: object) -> Action:
    """Read an action from its JSON object; lists may come in any order.

    Raises RulesError with the JSON path when the object has another shape. Whether the action
    is legal is not judged here.
    """
    if not isinstance(value, Mapping):
        raise RulesError("an action must be a JSON object", path="$")
    for key, read in _READERS.items():
        if key in value:
            return read(value)
    raise RulesError(
        "an action needs one of the keys " + ", ".join(f"`{key}`" for key in _READERS), path="$"
    )


def _only(value: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    for key in value:
        if key not in allowed:
            raise RulesError(f"unknown key {shown(key)} in an action", path="$")


def _canoe(value: object, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value not in (0, 1):
        raise RulesError("a canoe is 0 or 1", path=path)
    return value


def _name(value: object, names: Mapping[str, int], what: str, path: str) -> str:
    if not isinstance(value, str) or value not in names:
        raise RulesError(f"not a {what}: {shown(value)}", path=path)
    return value


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    items = value.get(key, [])
    if not isinstance(items, list) or len(items) > 2:
        raise RulesError("a list of at most two is needed", path=f"$.{key}")
    return items


def _gems(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    items = _list(value, key)
    return tuple(
        sorted(_name(gem, GEM_BY_NAME, "gem", f"$.{key}[{i}]") for i, gem in enumerate(items))
    )


def _flag(value: Mapping[str, Any], key: str) -> bool:
    flag = value.get(key, False)
    if not isinstance(flag, bool):
        raise RulesError("true or false is needed", path=f"$.{key}")
    return flag


def _read_canoe(value: Mapping[str, Any]) -> Action:
    canoe = _canoe(value["canoe"], "$.canoe")
    if _flag(value, "stay"):
        _only(value, ("canoe", "stay"))
        return Stay(canoe)
    _only(
        value,
        ("canoe", "stay", "to", "take_moose", "steal", *_LISTS),
    )
    thefts = []
    for i, theft in enumerate(_list(value, "steal")):
        path = f"$.steal[{i}]"
        if not isinstance(theft, Mapping) or set(theft) != {"seat", "canoe", "gem"}:
            raise RulesError("a theft has `seat`, `canoe` and `gem`", path=path)
        seat = theft["seat"]
        if type(seat) is not int or not 0 <= seat < MOST_SEATS:
            raise RulesError(f"there is no seat {shown(seat)}", "N-2.3", f"{path}.seat")
        gem = _name(theft["gem"], GEM_BY_NAME, "gem", f"{path}.gem")
        thefts.append(Theft(seat, _canoe(theft["canoe"], f"{path}.canoe"), gem))
    return Paddle(
        canoe,
        _name(value.get("to"), SPACE_BY_NAME, "space", "$.to"),
        _gems(value, "unload"),
        _gems(value, "load"),
        _gems(value, "unload_there"),
        _gems(value, "load_there"),
        tuple(sorted(thefts)),
        _flag(value, "take_moose"),
    )


def _read_buy(value: Mapping[str, Any]) -> Action:
    _only(value, ("buy", "gems"))
    canoes = sorted(_canoe(item, f"$.buy[{i}]") for i, item in enumerate(_list(value, "buy")))
    return BuyBack(tuple(canoes), _gems(value, "gems"))


def _read_card(value: Mapping[str, Any]) -> Action:
    _only(value, ("card",))
    return PlayCard(_name(value["card"], CARD_BY_NAME, "card", "$.card"))


def _read_weather(value: Mapping[str, Any]) -> Action:
    _only(value, ("weather",))
    step = value["weather"]
    if isinstance(step, bool) or not isinstance(step, int) or step not in (1, -1):
        raise RulesError("the weather moves by 1 or -1", clause="N-4.21", path="$.weather")
    return Weather(step)


def _read_arm(value: Mapping[str, Any]) -> Action:
    _only(value, ("arm",))
    if not isinstance(value["arm"], str) or value["arm"] not in ("L", "R"):
        raise RulesError("an arm is L or R", clause="N-1.1", path="$.arm")
    return Arm(value["arm"])


def _read_moose(value: Mapping[str, Any]) -> Action:
    _only(value, ("moose",))
    canoe = value["moose"]
    return Moose(None if canoe is None else _canoe(canoe, "$.moose"))


_READERS: Final[dict[str, Callable[[Mapping[str, Any]], Action]]] = {
    "canoe": _read_canoe,
    "card": _read_card,
    "buy": _read_buy,
    "weather": _read_weather,
    "arm": _read_arm,
    "moose": _read_moose,
}
