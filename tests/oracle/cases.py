"""Lay out boards for hand-worked cases, and tell what became of them."""

import json
from typing import Any

from . import GEMS, Position, flow, setup, turns


def table(rules: str = "base", seats: int = 3, **changes: Any) -> Position:
    """Return a set-up with the whirlpool off the board, changed as told."""
    position = setup(rules, seats)
    if rules == "spirits":
        position["whirlpool"] = "next"
    position.update(changes)
    return position


def put(position: Position, seat: int, index: int, at: str, *cargo: str) -> None:
    """Put a canoe somewhere with a cargo taken from the places of its colours."""
    canoe = position["players"][seat]["canoes"][index]
    canoe["at"] = at
    canoe["cargo"] = list(cargo)
    for gem in cargo:
        position["places"][gem][gem] -= 1


def give(position: Position, seat: int, *gems: str) -> None:
    """Put gems into a bank, taken from the places of their colours."""
    bank = position["players"][seat]["bank"]
    for gem in gems:
        position["places"][gem][gem] -= 1
        bank[gem] = bank.get(gem, 0) + 1


def one_canoe(rules: str, index: int, at: str, *cargo: str, **changes: Any) -> Position:
    """Return a table where seat 0 has one canoe on the board and its other is lost."""
    position = table(rules, **changes)
    put(position, 0, 1 - index, "lost")
    put(position, 0, index, at, *cargo)
    return position


def told(position: Position, seat: int, index: int) -> str:
    """Describe a canoe as `space[cargo]`, with `~` when on the bank and `*` with the moose."""
    canoe = position["players"][seat]["canoes"][index]
    text = f"{canoe['at']}[{','.join(canoe['cargo'])}]"
    if canoe["ashore"]:
        text += "~"
    if position["moose"] == {"seat": seat, "canoe": index}:
        text += "*"
    return text


def ends(position: Position, card: str, seat: int = 0) -> list[Position]:
    """Return the results of a turn as dicts."""
    return [json.loads(text) for text in turns(position, seat, card)]


def mover(position: Position, card: str, index: int = 0) -> set[str]:
    """Describe one canoe of seat 0 in every result of a turn."""
    return {told(after, 0, index) for after in ends(position, card)}


def both(position: Position, card: str) -> set[str]:
    """Describe both canoes of seat 0 in every result of a turn."""
    return {told(after, 0, 0) + " " + told(after, 0, 1) for after in ends(position, card)}


def flowed(position: Position, *cards: str, arm: str = "L") -> Position:
    """Return the position after a flow that must take place."""
    text = flow(position, list(cards), arm)
    assert text is not None
    result: Position = json.loads(text)
    return result


def gems_of(position: Position) -> dict[str, int]:
    """Count the gems of each colour wherever they are."""
    counts = dict.fromkeys(GEMS, 0)
    heaps = list(position["places"].values()) + [p["bank"] for p in position["players"]]
    for heap in heaps:
        for gem, number in heap.items():
            counts[gem] += number
    for player in position["players"]:
        for canoe in player["canoes"]:
            for gem in canoe["cargo"]:
                counts[gem] += 1
    return counts
