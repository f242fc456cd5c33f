"""What a seat sees: nothing of the others' secrets, and enough to search with."""

from __future__ import annotations

import itertools
import random

import pytest

from niagara_arena import rules
from niagara_arena.errors import RulesError
from niagara_arena.rules import State
from tests.rules.play import GAMES, walk


def _secret_states(name: str, seats: int, seed: int) -> list[State]:
    return [s for s, _ in walk(name, seats, seed, max_rounds=12) if s.phase == "secret"]


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_hidden_choices_of_others_change_no_byte_of_an_observation(name: str, seats: int) -> None:
    tried = 0
    for state in _secret_states(name, seats, 1):
        for decision in rules.pending(state):
            watchers = [seat for seat in range(seats) if seat != decision.seat]
            before = [rules.observation_text(state, seat) for seat in watchers]
            for action in rules.legal(state, decision.seat):
                after = rules.apply(state, decision.seat, action).state
                if after.phase != "secret" or after.round != state.round:
                    continue  # it was the last secret: the cards are being revealed
                assert [rules.observation_text(after, seat) for seat in watchers] == before
                tried += 1
    assert tried > 100


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_later_cards_stay_hidden_while_the_turns_run(name: str, seats: int) -> None:
    tried = 0
    for state, _ in walk(name, seats, 2, max_rounds=12):
        if state.phase != "turns":
            continue
        seen = rules.observe(state, 0)
        hidden = [s for s in range(1, seats) if seen["played"][s] is None]
        text = rules.observation_text(state, 0)
        encoded = rules.state_to_json(state)
        for seat in hidden:
            for card in encoded["position"]["players"][seat]["hand"]:
                other = {**encoded, "choices": [dict(c) for c in encoded["choices"]]}
                other["choices"][seat]["card"] = card
                assert rules.observation_text(rules.state_from_json(other), 0) == text
                tried += 1
    assert tried > 50


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_an_observation_and_the_hidden_cards_rebuild_the_state(name: str, seats: int) -> None:
    for state, _ in walk(name, seats, 3, max_rounds=12):
        if state.over:
            continue
        encoded = rules.state_to_json(state)
        for seat in range(seats):
            seen = rules.observe(state, seat)
            assumed = {}
            for other, choice in enumerate(encoded["choices"]):
                if other != seat and choice["card"] and not choice["shown"]:
                    assumed[other] = {"card": choice["card"], "buy": choice["buy"]}
            rebuilt = rules.from_observation(seen, assumed)
            if state.phase == "secret" and any(
                c["buy"] is not None and c["card"] is None for c in encoded["choices"]
            ):
                continue  # another seat's buy-back without its card can't be assumed
            assert rebuilt == state


def test_a_hidden_card_must_be_assumed_and_be_in_the_hand() -> None:
    state = rules.start("base", 3)
    for seat, card in ((0, "5"), (1, "5"), (2, "5")):
        state = rules.apply(state, seat, rules.PlayCard(card)).state
    seen = rules.observe(state, 0)
    with pytest.raises(RulesError, match="assume a card for seat 1"):
        rules.from_observation(seen)
    with pytest.raises(RulesError, match="no card 'lasso'"):
        rules.from_observation(seen, {1: {"card": "lasso"}, 2: {"card": "1"}})
    with pytest.raises(RulesError, match="names no other seat"):
        rules.from_observation(seen, {1: {"card": "2"}, 2: {"card": "1"}, 7: {"card": "1"}})
    searched = rules.from_observation(seen, {1: {"card": "2"}, 2: {"card": "1"}})
    assert rules.legal(searched, 0) == rules.legal(state, 0)


def test_observations_keep_their_shape() -> None:
    source = random.Random(5)
    states = [s for s, _ in walk("spirits", 4, source.randrange(99), max_rounds=6)]
    shapes = {tuple(rules.observe(s, seat)) for s, seat in itertools.product(states, range(4))}
    assert len(shapes) == 1
