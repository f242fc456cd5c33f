"""Odd but legal positions: core and oracle agree, no two actions are alike, any order is read."""

from __future__ import annotations

import random
from typing import Any

import pytest

from niagara_arena.rules import enumeration
from niagara_arena.rules.components import CARD_BY_NAME
from niagara_arena.rules.position import read_position
from niagara_arena.rules.state import ACTOR, CARD, MAY, MUST, PHASE, SHOWN, TURNS, block
from niagara_arena.rules.text import write_position
from tests import oracle
from tests.rules.play import GAMES
from tests.rules.weird import shuffled, weird

POSITIONS = 8
"""How many positions each game is tried on; a run of thousands is a matter of this number."""


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_turns_buy_backs_and_flows_agree_on_odd_positions(name: str, seats: int) -> None:
    source = random.Random(f"weird {name} {seats}")
    for _ in range(POSITIONS):
        position = weird(source, name, seats)
        given = shuffled(position, source)
        for seat, player in enumerate(position["players"]):
            if player["retired"]:
                continue
            card = source.choice(player["hand"])
            expected = oracle.turns(position, seat, card)
            assert enumeration.turns(given, seat, card) == expected, (position, seat, card)
            assert enumeration.buys(given, seat) == oracle.buys(position, seat)
        cards = [
            "-" if player["retired"] else source.choice(player["hand"])
            for player in position["players"]
        ]
        for arm in "LR":
            expected_flow = oracle.flow(position, cards, arm)
            assert enumeration.flow(given, cards, arm) == expected_flow, (position, cards)


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_input_may_come_in_any_order(name: str, seats: int) -> None:
    source = random.Random(f"order {name} {seats}")
    for _ in range(POSITIONS):
        position = weird(source, name, seats)
        setup, v = read_position(shuffled(position, source))
        assert write_position(setup, v) == oracle.canonical(position)


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_no_two_actions_of_a_decision_have_the_same_effect(name: str, seats: int) -> None:
    source = random.Random(f"alike {name} {seats}")
    tried = 0
    for _ in range(POSITIONS):
        position = weird(source, name, seats)
        for seat, player in enumerate(position["players"]):
            if not player["retired"]:
                for card in player["hand"]:
                    tried += _count_effects(source, position, seat, card)
    assert tried > 100 * POSITIONS


def _count_effects(source: random.Random, position: dict[str, Any], seat: int, card: str) -> int:
    """Play a turn's decisions, a few branches wide; return how many actions were compared."""
    setup, v = read_position(position)
    at = block(seat)
    v[PHASE], v[ACTOR], v[at + CARD], v[at + SHOWN] = TURNS, seat, CARD_BY_NAME[card], 1
    play = setup.ruleset.cards[v[at + CARD]]
    question = setup.ruleset.questions[play.kind]
    play.open(setup, v, seat, [])
    tried = 0
    work = [v]
    while work:
        numbers = work.pop()
        if not numbers[MUST] | numbers[MAY]:
            continue
        effects: dict[tuple[int, ...], object] = {}
        for menu in question.options(setup, numbers, seat):
            for action, move in zip(menu.actions, menu.moves, strict=True):
                after = numbers.copy()
                question.perform(setup, after, seat, action, move, [])
                assert tuple(after) not in effects, (position, card, action, effects[tuple(after)])
                effects[tuple(after)] = action
        tried += len(effects)
        work += [list(after) for after in source.sample(sorted(effects), min(2, len(effects)))]
    return tried


def test_the_moose_counts_canoes_by_the_double_however_they_are_listed() -> None:
    position = oracle.setup("spirits", 3)
    canoes = position["players"][1]["canoes"]
    canoes[1]["at"] = "6L"
    position["moose"] = {"seat": 1, "canoe": 1}
    expected = oracle.canonical(position)
    position["players"][1]["canoes"] = canoes[::-1]
    setup, v = read_position(position)
    assert write_position(setup, v) == expected
