"""Positions that play hardly reaches: legal, but with everything everywhere."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from tests import oracle

Position = dict[str, Any]

RIVER = ["1", "2", "3", "4", "5", "6L", "6R", "7L", "7R"]


def weird(source: random.Random, rules: str, seats: int, *, retired: float = 0.15) -> Position:
    """Return a random position that keeps every invariant, seldom one that play would reach."""
    position = oracle.setup(rules, seats)
    spirits = rules == "spirits"
    if spirits:
        position["whirlpool"] = source.choice([*RIVER, "next"])
        free = [space for space in RIVER if space != position["whirlpool"]]
        position["beaver"] = source.choice([None, *free])
    position["round"] = source.randint(1, 150)
    position["start"] = source.randrange(seats)
    position["weather"] = source.choice([-1, 0, 1, 2])
    position["next_arm"] = source.choice("LR")
    gems = Counter({gem: position["places"][gem][gem] for gem in oracle.GEMS})
    for player in position["players"]:
        _shuffle_player(source, position, player, gems, source.random() < retired)
    position["places"] = {gem: {} for gem in oracle.GEMS}
    scatter = source.choice([0.0, 0.3, 1.0])
    for gem, number in gems.items():
        for _ in range(number):
            place = source.choice(oracle.GEMS) if source.random() < scatter else gem
            lying = position["places"][place]
            lying[gem] = lying.get(gem, 0) + 1
    if spirits:
        position["moose"] = _moose(source, position)
    return position


def _shuffle_player(
    source: random.Random,
    position: Position,
    player: dict[str, Any],
    gems: Counter[str],
    retired: bool,
) -> None:
    hand = oracle.full_hand(position["rules"])
    player["hand"] = sorted(source.sample(hand, source.randint(1, len(hand))))
    player["retired"] = retired
    ashore = position["rules"] == "spirits" and source.random() < 0.2
    for canoe in player["canoes"]:
        if retired:
            canoe["at"] = "lost"
            continue
        canoe["at"] = source.choice([*RIVER, *RIVER, "jetty", "jetty", "lost"])
        canoe["ashore"] = ashore and canoe["at"] in RIVER and source.random() < 0.7
        if canoe["at"] == position["whirlpool"] and not canoe["ashore"]:
            canoe["at"] = "jetty"
        if canoe["at"] in RIVER:
            for _ in range(source.randint(0, canoe["capacity"])):
                canoe["cargo"].append(_draw(source, gems))
            canoe["cargo"].sort()
    if not retired:
        for _ in range(source.choice([0, 0, 1, 2, 3])):
            gem = _draw(source, gems)
            player["bank"][gem] = player["bank"].get(gem, 0) + 1


def _draw(source: random.Random, gems: Counter[str]) -> str:
    gem = source.choice(sorted(gem for gem, number in gems.items() if number))
    gems[gem] -= 1
    return gem


def _moose(source: random.Random, position: Position) -> Any:
    holders = [
        {"seat": seat, "canoe": index}
        for seat, player in enumerate(position["players"])
        for index, canoe in enumerate(player["canoes"])
        if canoe["at"] in RIVER
    ]
    return source.choice(
        ["place", "place", "returning", *source.sample(holders, min(2, len(holders)))]
    )


def shuffled(value: Any, source: random.Random) -> Any:
    """Return the same JSON with keys and lists of names in another order, canoes too."""
    if isinstance(value, dict):
        keys = source.sample(list(value), len(value))
        return {key: shuffled(value[key], source) for key in keys}
    if isinstance(value, list):
        items = [shuffled(item, source) for item in value]
        loose = all(isinstance(item, str) for item in items) or all(
            isinstance(item, dict) and "capacity" in item for item in items
        )
        return source.sample(items, len(items)) if loose else items
    return value
