"""A short way to write positions and to describe what became of them."""

from __future__ import annotations

import re
from typing import Any

from tests import oracle

Position = dict[str, Any]

_CANOE = re.compile(r"(\w+)(?:\[([a-z,]*)\])?(~?)")


def base(*canoes: str, **more: Any) -> Position:
    """Return a base position with three seats; see `table`."""
    return table("base", canoes, more)


def spirits(*canoes: str, **more: Any) -> Position:
    """Return a Spirits position with three seats, the whirlpool off the board; see `table`."""
    return table("spirits", canoes, {"whirlpool": "next", **more})


def table(rules: str, canoes: tuple[str, ...], more: dict[str, Any]) -> Position:
    """Return the set-up with seat 0's canoes as told: `4[ruby,amber]`, ashore `5~`, `lost`.

    ``s1`` and ``s2`` tell the other seats' canoes, ``bank`` (or ``bank1``, ``bank2``) gems in a
    bank, ``lie`` gems that lie elsewhere than at their own place, as `{"diamond": "ruby,amber"}`.
    Anything else is a key of the position.
    """
    position = oracle.setup(rules, 3)
    for seat, told in enumerate((canoes, more.pop("s1", ()), more.pop("s2", ()))):
        for canoe, text in zip(position["players"][seat]["canoes"], told, strict=False):
            _put(position, canoe, text)
    for seat, name in enumerate(("bank", "bank1", "bank2")):
        for gem in _gems(more.pop(name, "")):
            bank = position["players"][seat]["bank"]
            bank[gem] = bank.get(gem, 0) + 1
            position["places"][gem][gem] -= 1
    for place, gems in more.pop("lie", {}).items():
        for gem in _gems(gems):
            position["places"][gem][gem] -= 1
            position["places"][place][gem] = position["places"][place].get(gem, 0) + 1
    for seat in more.pop("retired", ()):
        player = position["players"][seat]
        player["retired"] = True
        for canoe in player["canoes"]:
            canoe["at"] = "lost"
    position.update(more)
    return position


def _gems(text: str) -> list[str]:
    return text.split(",") if text else []


def _put(position: Position, canoe: dict[str, Any], text: str) -> None:
    found = _CANOE.fullmatch(text)
    assert found, text
    canoe["at"] = found[1]
    canoe["cargo"] = sorted(_gems(found[2] or ""))
    canoe["ashore"] = bool(found[3])
    for gem in canoe["cargo"]:
        position["places"][gem][gem] -= 1


def described(position: Position, seat: int = 0) -> str:
    """Return a seat's canoes as `table` is told them; with `*` the one that has the moose."""
    texts = []
    for index, canoe in enumerate(position["players"][seat]["canoes"]):
        text = canoe["at"] + (f"[{','.join(canoe['cargo'])}]" if canoe["cargo"] else "")
        text += "~" if canoe["ashore"] else ""
        text += "*" if position["moose"] == {"seat": seat, "canoe": index} else ""
        texts.append(text)
    return " ".join(texts)
