"""The position format: set-up, copies and canonical text."""

import json
from typing import Any

Position = dict[str, Any]

GEMS = ("amethyst", "diamond", "amber", "sapphire", "ruby")
BASE_HAND = ("1", "2", "3", "4", "5", "6", "cloud")
SPIRITS_HAND = ("1", "2", "3", "4", "5", "6", "7", "cloud", "lasso", "123")


def full_hand(rules: str) -> list[str]:
    """Return a whole hand, sorted as strings [N-2.1, N-7.1]."""
    return sorted(SPIRITS_HAND if rules == "spirits" else BASE_HAND)


def gems_a_place(rules: str, seats: int) -> int:
    """Say how many gems lie at each place at the set-up [N-2.2, N-7.1]."""
    if rules == "base":
        return 7
    return {3: 6, 4: 7, 5: 7, 6: 8}[seats]


def setup(rules: str, seats: int) -> Position:
    """Return the position at the start of round 1 [N-2, N-7.1, N-7.2]."""
    spirits = rules == "spirits"
    capacities = [2, 1] if spirits else [1, 1]
    players = []
    for _ in range(seats):
        canoes = [
            {"capacity": capacity, "at": "jetty", "cargo": [], "ashore": False}
            for capacity in capacities
        ]
        players.append({"canoes": canoes, "bank": {}, "hand": full_hand(rules), "retired": False})
    return {
        "rules": rules,
        "seats": seats,
        "round": 1,
        "start": 0,  # [N-2.3]
        "weather": 0,
        "next_arm": "L",  # [N-2.4]
        "places": {gem: {gem: gems_a_place(rules, seats)} for gem in GEMS},
        "players": players,
        "whirlpool": "3" if spirits else None,
        "beaver": None,
        "moose": "place" if spirits else None,
    }


def ordered_counts(counts: dict[str, int]) -> dict[str, int]:
    """Return gem counts in the order of the gems, without zeros."""
    return {gem: counts[gem] for gem in GEMS if counts.get(gem, 0) > 0}


def ordered_canoe(canoe: dict[str, Any]) -> dict[str, Any]:
    """Return a canoe with its keys in order and its cargo sorted."""
    return {
        "capacity": canoe["capacity"],
        "at": canoe["at"],
        "cargo": sorted(canoe["cargo"]),
        "ashore": canoe["ashore"],
    }


def ordered_player(player: dict[str, Any]) -> dict[str, Any]:
    """Return a player with its keys in order, its canoes not swapped."""
    return {
        "canoes": [ordered_canoe(canoe) for canoe in player["canoes"]],
        "bank": ordered_counts(player["bank"]),
        "hand": sorted(player["hand"]),
        "retired": player["retired"],
    }


def copied(position: Position) -> Position:
    """Return a deep copy with keys, counts, cargos and hands in order, canoes not swapped."""
    moose = position["moose"]
    if isinstance(moose, dict):
        moose = {"seat": moose["seat"], "canoe": moose["canoe"]}
    return {
        "rules": position["rules"],
        "seats": position["seats"],
        "round": position["round"],
        "start": position["start"],
        "weather": position["weather"],
        "next_arm": position["next_arm"],
        "places": {gem: ordered_counts(position["places"].get(gem, {})) for gem in GEMS},
        "players": [ordered_player(player) for player in position["players"]],
        "whirlpool": position["whirlpool"],
        "beaver": position["beaver"],
        "moose": moose,
    }


def exact_text(position: Position) -> str:
    """Return a text that still tells a base seat's first canoe from its second."""
    return json.dumps(copied(position), separators=(",", ":"))


def canonical(position: Position) -> str:
    """Return the one compact JSON text that all equal positions share."""
    ordered = copied(position)
    if ordered["rules"] == "base":
        for player in ordered["players"]:  # interchangeable canoes [N-2.1]
            player["canoes"].sort(key=lambda canoe: (canoe["at"], canoe["cargo"]))
    return json.dumps(ordered, separators=(",", ":"))


def distinct(positions: list[Position]) -> list[Position]:
    """Return the positions without repetitions."""
    return list({exact_text(position): position for position in positions}.values())


def sorted_texts(positions: list[Position]) -> list[str]:
    """Return the distinct canonical texts of the positions, sorted."""
    return sorted({canonical(position) for position in positions})
