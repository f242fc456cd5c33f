"""Positions in which a bot is certain to be asked a decision of a given kind.

All hands hold one card, so that nobody chooses it: what is asked then follows from the position
alone. Only the kinds `buy` and `card` start from full hands. Positions are in canonical form, as
those that a tournament sends (docs/positions.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from niagara_arena.rules import position_text, start

__all__ = ["KINDS", "SEATS", "scene"]

SEATS: Final = 3

KINDS: Final = {
    "base": ("card", "buy", "canoe", "weather"),
    "spirits": ("card", "buy", "canoe", "weather", "arm", "moose"),
}
"""The kinds of decisions of each ruleset."""


def scene(rules: str, kind: str, seat: int) -> dict[str, Any]:
    """Return a position from which `seat` is asked a decision of this kind in the first round."""
    position: dict[str, Any] = json.loads(position_text(start(rules, SEATS)))
    _SCENES[kind](position, seat)
    return position


def _card(position: dict[str, Any], seat: int) -> None:
    """Everybody chooses a card at the set-up."""


def _buy(position: dict[str, Any], seat: int) -> None:
    """A canoe is lost, and a gem is there to pay with."""
    player = position["players"][seat]
    player["canoes"][1]["at"] = "lost"
    player["bank"] = {"amber": 1}
    position["places"]["amber"]["amber"] -= 1


def _canoe(position: dict[str, Any], seat: int) -> None:
    """A canoe on the river can go up or down."""
    _deal(position, seat, "2")
    position["players"][seat]["canoes"][0]["at"] = "4"


def _weather(position: dict[str, Any], seat: int) -> None:
    """The cloud may raise or lower the weather."""
    _deal(position, seat, "cloud")


def _arm(position: dict[str, Any], seat: int) -> None:
    """Speed 2 brings the whirlpool from 3 to 5, where a canoe comes back from the lasso."""
    _deal(position, seat, "lasso")
    position["players"][seat]["canoes"][0]["at"] = "5"


def _moose(position: dict[str, Any], seat: int) -> None:
    """The lasso pulls a canoe ashore at 7, beside the moose."""
    _deal(position, seat, "lasso")
    position["players"][seat]["canoes"][0]["at"] = "7L"


def _deal(position: dict[str, Any], seat: int, card: str) -> None:
    for number, player in enumerate(position["players"]):
        player["hand"] = [card if number == seat else "2"]


_SCENES: Final[dict[str, Callable[[dict[str, Any], int], None]]] = {
    "card": _card,
    "buy": _buy,
    "canoe": _canoe,
    "weather": _weather,
    "arm": _arm,
    "moose": _moose,
}
