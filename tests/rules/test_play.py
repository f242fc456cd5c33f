"""Random play with a checker at every state, and what must have occurred in it."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niagara_arena import rules
from niagara_arena.errors import RulesError
from niagara_arena.rules import Paddle, PlayCard, State
from niagara_arena.rules.actions import KINDS, Action, Arm, BuyBack, Moose, Stay, Weather
from niagara_arena.rules.events import EVENT_TYPES
from tests.rules.play import GAMES, walk

games = st.sampled_from(GAMES)


def _gems(position: dict[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for place in position["places"].values():
        found.update(place)
    for player in position["players"]:
        found.update(player["bank"])
        for canoe in player["canoes"]:
            found.update(canoe["cargo"])
    return found


def _check(state: State) -> None:
    position = rules.observe(state, 0)["position"]
    expected = {3: 6, 4: 7, 5: 7, 6: 8}[state.seats] if state.rules == "spirits" else 7
    assert set(_gems(position).values()) == {expected}
    for player in position["players"]:
        for canoe in player["canoes"]:
            assert len(canoe["cargo"]) <= canoe["capacity"]
            assert canoe["ashore"] or canoe["at"] != position["whirlpool"]
            assert not canoe["cargo"] or canoe["at"] not in ("jetty", "lost")
    assert state.over == (not rules.pending(state))
    for seat, kind in rules.pending(state):
        actions = rules.legal(state, seat)
        assert len(actions) == len(set(actions)) > 1
        assert kind in KINDS
        assert len(_effects(state, seat, kind)) == len(actions), "two actions, one effect"


def _effects(state: State, seat: int, kind: str) -> set[object]:
    """Return what each legal action makes of the table, before anything else happens."""
    if kind in ("buy", "card"):
        return {rules.apply(state, seat, action).state for action in rules.legal(state, seat)}
    question = state._setup.ruleset.questions[kind]
    effects: set[object] = set()
    for menu in state._menus:
        for action, move in zip(menu.actions, menu.moves, strict=True):
            v = list(state._v)
            question.perform(state._setup, v, seat, action, move, [])
            effects.add(tuple(v))
    return effects


@settings(max_examples=12, deadline=None, derandomize=True)
@given(game=games, seed=st.integers(0, 10**6), retirements=st.booleans())
def test_every_state_of_busy_play_is_sound(
    game: tuple[str, int], seed: int, retirements: bool
) -> None:
    for state, _ in walk(*game, seed, max_rounds=12, retirements=retirements):
        _check(state)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(game=games, seed=st.integers(0, 10**6))
def test_states_actions_and_events_survive_json(game: tuple[str, int], seed: int) -> None:
    for state, events in walk(*game, seed, max_rounds=8, retirements=True):
        text = json.dumps(rules.state_to_json(state))
        assert rules.state_from_json(json.loads(text)) == state
        for event in events:
            assert (
                rules.event_from_json(json.loads(json.dumps(rules.event_to_json(event)))) == event
            )
        for decision in rules.pending(state):
            for action in rules.legal(state, decision.seat):
                again = rules.action_from_json(json.loads(json.dumps(rules.action_to_json(action))))
                assert again == action
                assert type(again) is type(action)


def _near_misses(source: random.Random, action: Action) -> list[object]:
    """Return things that look like a legal action."""
    misses: list[object] = [None, "card", 7, (), {"card": "1"}, Arm("L"), Moose(0), Weather(1)]
    misses += [Weather(0), Stay(0), Stay(1), PlayCard("9"), PlayCard("lasso"), BuyBack((0,), ())]
    misses += [BuyBack((0, 1), ("ruby",)), PlayCard(["1"]), Paddle(0, "jetty", ["ruby"])]  # type: ignore[arg-type]
    if isinstance(action, Paddle):
        space = source.choice(["1", "2", "3", "5", "6L", "7R", "jetty", "lost"])
        gem = source.choice(["amber", "ruby"])
        misses += [
            action._replace(to=space),
            action._replace(canoe=1 - action.canoe),
            action._replace(load=(*action.load, gem)),
            action._replace(unload_there=(gem,)),
            action._replace(load_there=(gem, gem)),
            action._replace(steal=(rules.Theft(0, 0, gem),)),
            action._replace(take_moose=not action.take_moose),
        ]
    return misses


@settings(max_examples=10, deadline=None, derandomize=True)
@given(game=games, seed=st.integers(0, 10**6))
def test_legal_is_exactly_what_apply_accepts(game: tuple[str, int], seed: int) -> None:
    source = random.Random(seed)
    for state, _ in walk(*game, seed, max_rounds=6):
        before = json.dumps(rules.state_to_json(state))
        asked = {decision.seat for decision in rules.pending(state)}
        for seat in range(state.seats):
            actions = rules.legal(state, seat)
            example = source.choice(actions) if actions else PlayCard("1")
            for miss in [*_near_misses(source, example), example]:
                same = [a for a in actions if type(a) is type(miss) and a == miss]
                if same and seat in asked:
                    rules.apply(state, seat, miss)
                    continue
                with pytest.raises(RulesError) as refused:
                    rules.apply(state, seat, miss)
                assert refused.value.clause is not None
        strangers: list[Any] = [-1, state.seats, True, None, "0"]
        for stranger in strangers:
            with pytest.raises(RulesError):
                rules.apply(state, stranger, PlayCard("1"))
        assert json.dumps(rules.state_to_json(state)) == before


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_every_game_ends_by_max_rounds(name: str, seats: int) -> None:
    for max_rounds in (1, 7):
        last = None
        for state, _ in walk(name, seats, 3, max_rounds=max_rounds):
            last = state
        assert last is not None
        assert last.over
        assert last.round <= max_rounds
        ended = rules.outcome(last)
        assert ended is not None
        assert min(ended.placings) == 1


def _winning_sets(position: dict[str, Any]) -> set[str]:
    sets = set()
    for player in position["players"]:
        bank = player["bank"]
        sets |= {"five colours"} if len(bank) == 5 else set()
        sets |= {"four of a colour"} if bank and max(bank.values()) >= 4 else set()
        sets |= {"seven gems"} if sum(bank.values()) >= 7 else set()
    return sets


def test_the_tested_play_covers_every_event_decision_and_winning_set() -> None:
    """Name what busy play never showed; add seeds to the range to fill a gap."""
    wanted = {*EVENT_TYPES, *KINDS, "five colours", "four of a colour", "seven gems"}
    for seed in range(24):
        for name, seats in GAMES:
            for state, told in walk(name, seats, seed, retirements=seed % 4 == 0):
                wanted -= {rules.event_name(event) for event in told}
                wanted -= {decision.kind for decision in rules.pending(state)}
                if state.over:
                    wanted -= _winning_sets(rules.observe(state, 0)["position"])
        if not wanted:
            break
    assert wanted == set()
