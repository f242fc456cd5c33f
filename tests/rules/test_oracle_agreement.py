"""The core against the plain second implementation, on thousands of busy positions."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from niagara_arena.rules import enumeration
from tests import oracle
from tests.rules.play import GAMES, busy

GAMES_EACH = 3
ROUNDS = 30


@pytest.mark.parametrize("seed", range(GAMES_EACH))
@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_whole_turns_flows_and_buy_backs_agree(name: str, seats: int, seed: int) -> None:
    source = random.Random(f"agree {name} {seats} {seed}")
    compared = 0
    for text in enumeration.random_rounds(name, seats, ROUNDS, lambda a: busy(source, a)):
        position = json.loads(text)
        assert oracle.canonical(position) == text
        compared += _one_round(source, position, seats)
    assert compared >= ROUNDS * seats  # random_rounds must not have ended at once


def _one_round(source: random.Random, position: dict[str, Any], seats: int) -> int:
    """Play one round on positions alone, comparing every answer; return how many."""
    compared = 0
    for seat in range(seats):
        found = enumeration.buys(position, seat)
        assert found == oracle.buys(position, seat)
        position = json.loads(source.choice(found))
        compared += 1
    cards = [source.choice(player["hand"]) for player in position["players"]]
    for step in range(seats):
        seat = (position["start"] + step) % seats
        found = enumeration.turns(position, seat, cards[seat])
        assert found == oracle.turns(position, seat, cards[seat]), (position, seat, cards[seat])
        position = json.loads(source.choice(found))
        compared += 1
    for arm in "LR":
        assert enumeration.flow(position, cards, arm) == oracle.flow(position, cards, arm)
    return compared + 2


def test_the_setups_agree() -> None:
    for name, seats in GAMES:
        ours = next(iter(enumeration.random_rounds(name, seats, 1, lambda a: a[0])))
        assert ours == oracle.canonical(oracle.setup(name, seats))
