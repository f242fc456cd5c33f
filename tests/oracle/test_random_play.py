"""Laws that hold in random play: gems, mirror and seat symmetry."""

import json
import random

import pytest

from . import Position, buys, canonical, flow, mirrored, setup, turns
from .cases import gems_of


def rotated(position: Position, steps: int) -> Position:
    """Return the position with every seat moved some places on."""
    seats = position["seats"]
    other: Position = json.loads(json.dumps(position))
    for seat, player in enumerate(position["players"]):
        other["players"][(seat + steps) % seats] = json.loads(json.dumps(player))
    if isinstance(other["moose"], dict):
        other["moose"]["seat"] = (other["moose"]["seat"] + steps) % seats
    return other


def check_turn(before: Position, seat: int, card: str) -> list[str]:
    """Check symmetry and invariants of one turn and return its results."""
    text = json.dumps(before)
    results = turns(before, seat, card)
    assert json.dumps(before) == text
    assert results == sorted(set(results))
    parsed = [json.loads(result) for result in results]
    assert turns(mirrored(before), seat, card) == sorted(canonical(mirrored(p)) for p in parsed)
    seats = before["seats"]
    assert turns(rotated(before, 1), (seat + 1) % seats, card) == sorted(
        canonical(rotated(p, 1)) for p in parsed
    )
    for after in parsed:
        assert gems_of(after) == gems_of(before)
        for player in after["players"]:
            for canoe in player["canoes"]:
                assert len(canoe["cargo"]) <= canoe["capacity"]
                assert canoe["at"] != after["whirlpool"]
                assert not canoe["cargo"] or canoe["at"] not in ("jetty", "lost")
    return results


@pytest.mark.parametrize(("rules", "seats"), [("base", 3), ("base", 5), ("spirits", 4)])
def test_random_play(rules: str, seats: int) -> None:
    """Keep gems, mirror and seat symmetry through play that favours cargo."""
    chance = random.Random(f"{rules}{seats}")
    position = setup(rules, seats)
    for _ in range(12):
        cards = [""] * seats
        for seat in range(seats):
            position = json.loads(chance.choice(buys(position, seat)))
            cards[seat] = chance.choice(position["players"][seat]["hand"])
        for step in range(seats):
            seat = (position["start"] + step) % seats
            results = check_turn(position, seat, cards[seat])
            some = chance.sample(results, min(3, len(results)))
            position = json.loads(max(some, key=lambda text: text.count('"cargo":["')))
        after = flow(position, cards, chance.choice("LR"))
        if after is None:
            break
        position = json.loads(after)
