"""Whatever is handed to any entry, only RulesError comes back, and nothing has changed."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niagara_arena import rules
from niagara_arena.errors import RulesError
from tests import oracle
from tests.rules.play import GAMES, walk


class Stubborn:
    """Refuse to be looked at."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise ValueError("no comparison")

    def __repr__(self) -> str:
        raise ValueError("no text")


def _deep(depth: int = 100_000) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


DEEP = _deep()
SOUND = rules.PlayCard("1")
RUBBISH: list[Any] = [
    None,
    True,
    False,
    -1,
    7,
    10**5000,
    -(10**5000),
    1.0,
    float("nan"),
    float("inf"),
    "",
    "1",
    "\ud800",
    "x" * 100_000,
    b"1",
    [],
    {},
    set(),
    [[]],
    {"a": 1},
    {1: 2},
    (0, 1),
    DEEP,
    {"rules": DEEP},
    object(),
    Stubborn(),
    SOUND,
    rules.PlayCard(DEEP),  # type: ignore[arg-type]
    rules.PlayCard(Stubborn()),  # type: ignore[arg-type]
    rules.Weather(10**5000),
    rules.Weather(float("nan")),  # type: ignore[arg-type]
    rules.Moose(True),
    rules.Arm({}),  # type: ignore[arg-type]
    rules.BuyBack(3, None),  # type: ignore[arg-type]
    rules.BuyBack((0, []), ([],)),  # type: ignore[arg-type]
    rules.Paddle(0, "4", 3, None),  # type: ignore[arg-type]
    rules.Paddle(0, "1", ({},), ([],)),  # type: ignore[arg-type]
    rules.Paddle(True, "1"),
    rules.Paddle(0, Stubborn()),  # type: ignore[arg-type]
    rules.Paddle(0, "1", steal=DEEP),  # type: ignore[arg-type]
    tuple.__new__(rules.Paddle, ()),
    tuple.__new__(rules.Stay, ()),
    tuple.__new__(rules.PlayCard, ()),
    tuple.__new__(rules.Theft, ()),
]


def _states() -> list[rules.State]:
    """Return one state of every kind of decision and phase, of both games."""
    found: dict[tuple[str, str, str], rules.State] = {}
    for name, seats in (("base", 3), ("spirits", 6)):
        for seed in range(12):
            for state, _ in walk(name, seats, seed, max_rounds=25):
                kinds = [d.kind for d in rules.pending(state)] or ["none"]
                for kind in kinds:
                    found.setdefault((name, state.phase, kind), state)
    return list(found.values())


STATES = _states()


def _is_refused(call: Callable[..., object], *args: Any, **named: Any) -> None:
    with pytest.raises(RulesError) as refused:
        call(*args, **named)
    assert len(str(refused.value)) < 1000


def test_every_kind_of_decision_is_there_to_be_attacked() -> None:
    kinds = {d.kind for state in STATES for d in rules.pending(state)}
    assert kinds == {"buy", "card", "canoe", "weather", "arm", "moose"}
    assert {state.phase for state in STATES} == {"secret", "turns", "closing", "over"}


@pytest.mark.parametrize("index", range(len(RUBBISH)))
def test_rubbish_for_an_action_or_a_seat_is_refused_and_changes_nothing(index: int) -> None:
    thing = RUBBISH[index]
    for state in STATES:
        before = json.dumps(rules.state_to_json(state))
        for seat in range(state.seats):
            offered = rules.legal(state, seat)
            if not (thing is SOUND and SOUND in offered):
                _is_refused(rules.apply, state, seat, thing)
        if not (type(thing) is int and 0 <= thing < state.seats):
            for call in (rules.legal, rules.legal_text, rules.observe, rules.observation_text):
                _is_refused(call, state, thing)
            _is_refused(rules.apply, state, thing, rules.PlayCard("1"))
            _is_refused(rules.retire, state, [thing])
            if not (isinstance(thing, tuple | dict) and list(thing)):  # seats in a fashion
                _is_refused(rules.retire, state, thing)
        assert json.dumps(rules.state_to_json(state)) == before


@pytest.mark.parametrize("index", range(len(RUBBISH)))
def test_rubbish_for_a_state_or_a_document_is_refused(index: int) -> None:
    thing = RUBBISH[index]
    for call in (rules.pending, rules.outcome, rules.state_to_json, rules.position_text):
        _is_refused(call, thing)
    for ask in (rules.legal, rules.legal_text, rules.observe, rules.observation_text):
        _is_refused(ask, thing, 0)
    _is_refused(rules.apply, thing, 0, rules.PlayCard("1"))
    _is_refused(rules.retire, thing, [0])
    _is_refused(rules.first_events, thing)
    for read in (rules.start_from, rules.state_from_json, rules.from_observation):
        _is_refused(read, thing)
    _is_refused(rules.action_from_json, thing)
    _is_refused(rules.event_from_json, thing)
    _is_refused(rules.event_text, thing)


@pytest.mark.parametrize("index", range(len(RUBBISH)))
def test_rubbish_for_a_setting_is_refused(index: int) -> None:
    thing = RUBBISH[index]
    _is_refused(rules.start, thing, 3)
    _is_refused(rules.start, "base", thing)
    _is_refused(rules.start, "base", 3, placings=thing)
    if type(thing) is not int or thing != 7:
        _is_refused(rules.start, "base", 3, max_rounds=thing)
        _is_refused(rules.start_from, oracle.setup("base", 3), max_rounds=thing)


# --- Documents with one part replaced ----------------------------------------------------------

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.just(10**5000),
    st.floats(allow_nan=True),
    st.sampled_from(["", "1", "jetty", "lost", "ruby", "turns", "secret", "closing", "over", "L"]),
    st.lists(st.integers(0, 3), max_size=3),
    st.lists(st.sampled_from(["ruby", "1", "x"]), max_size=3),
    st.dictionaries(st.sampled_from(["seat", "canoe", "ruby", "buy", "gems"]), st.integers(0, 9)),
    st.just(DEEP),
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, item in items:
        found.append((*path, key))
        if isinstance(item, dict | list):
            found += _paths(item, (*path, key))
    return found


def _spoil(document: Any, source: random.Random, junk: Any) -> Any:
    """Return the document with one part replaced, dropped or doubled."""
    spoilt = copy.deepcopy(document)
    path = source.choice(_paths(spoilt))
    holder = spoilt
    for key in path[:-1]:
        holder = holder[key]
    deed = source.choice(["replace", "replace", "replace", "drop", "double"])
    if deed == "drop":
        del holder[path[-1]]
    elif deed == "double" and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[path[-1]]))
    else:
        holder[path[-1]] = junk
    return spoilt


@settings(max_examples=150, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**9), junk=JUNK)
def test_a_spoilt_document_is_refused_or_is_another_good_one(seed: int, junk: Any) -> None:
    source = random.Random(seed)
    state = source.choice(STATES)
    seat = source.randrange(state.seats)
    encoded = rules.state_to_json(state)
    with contextlib.suppress(RulesError):
        other = rules.state_from_json(_spoil(encoded, source, junk))
        assert rules.state_from_json(rules.state_to_json(other)) == other
        _play_on(other, source)
    with contextlib.suppress(RulesError):
        _play_on(rules.start_from(_spoil(encoded["position"], source, junk)).state, source)
    assumed = {other: {"card": c["card"]} for other, c in enumerate(encoded["choices"])}
    del assumed[seat]
    with contextlib.suppress(RulesError):
        seen = _spoil(rules.observe(state, seat), source, junk)
        _play_on(rules.from_observation(seen, assumed), source)
    with contextlib.suppress(RulesError):
        hidden = _spoil(assumed, source, junk)
        _play_on(rules.from_observation(rules.observe(state, seat), hidden), source)


def _play_on(state: rules.State, source: random.Random) -> None:
    """Play what was let in for a while: it must be a game."""
    for _ in range(30):
        if state.over:
            break
        seat = source.choice(rules.pending(state)).seat
        state = rules.apply(state, seat, source.choice(rules.legal(state, seat))).state
    rules.outcome(state)
    rules.canonical_position(json.loads(rules.position_text(state)))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**9), junk=JUNK)
def test_a_spoilt_action_or_event_is_refused_or_is_another_good_one(seed: int, junk: Any) -> None:
    source = random.Random(seed)
    state = source.choice([state for state in STATES if not state.over])
    seat = source.choice(rules.pending(state)).seat
    action = source.choice(rules.legal(state, seat))
    with contextlib.suppress(RulesError):
        other = rules.action_from_json(_spoil(rules.action_to_json(action), source, junk))
        assert rules.action_from_json(rules.action_to_json(other)) == other
        assert json.loads(rules.action_text(other)) == rules.action_to_json(other)
        rules.apply(state, seat, other)
    for event in rules.apply(state, seat, action).events:
        with contextlib.suppress(RulesError):
            told = rules.event_from_json(_spoil(rules.event_to_json(event), source, junk))
            assert rules.event_from_json(rules.event_to_json(told)) == told


def test_equal_but_differently_typed_actions_are_refused() -> None:
    for name, seats in GAMES:
        for state, _ in walk(name, seats, 4, max_rounds=4):
            for decision in rules.pending(state):
                for action in rules.legal(state, decision.seat):
                    likeness = [float(x) if type(x) is int else x for x in action]
                    if likeness == list(action) and any(type(x) is int for x in action):
                        copy_of = type(action)(*likeness)  # type: ignore[arg-type]
                        _is_refused(rules.apply, state, decision.seat, copy_of)
