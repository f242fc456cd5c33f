"""A state from outside is let in only if a game can be at that point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from niagara_arena import rules
from niagara_arena.errors import RulesError
from tests.rules.tables import base, spirits

Change = Callable[[dict[str, Any]], object]
NOTHING: dict[str, list[object]] = {"buy": [], "gems": []}

# Seat 1 is stranded with two gems, seat 2 has retired; seat 0 and seat 1 still think.
TABLE = base("2", "jetty", s1=("lost", "lost"), bank1="ruby,amber", retired=(2,))
FAULTS: dict[str, tuple[Change, str]] = {
    "a-retired-seat-buys-a-canoe-back": (
        lambda s: s["choices"][2].update(buy={"buy": [0], "gems": []}),
        "N-5.4",
    ),
    "a-retired-seat-has-still-to-decide": (lambda s: s["choices"][2].update(buy=None), "N-5.4"),
    "a-retired-seat-has-a-card": (lambda s: s["choices"][2].update(card="1"), "N-5.4"),
    "a-stranded-seat-buys-nothing": (lambda s: s["choices"][1].update(buy=NOTHING), "N-3.3"),
    "a-card-is-chosen-before-the-buy-back": (lambda s: s["choices"][1].update(card="1"), "N-3.2"),
    "a-card-is-shown-in-the-secret-phase": (
        lambda s: s["choices"][0].update(card="1", shown=True),
        "N-3.1",
    ),
    "the-round-is-past-the-last-one": (lambda s: s["position"].update(round=201), "N-5.2"),
    "a-round-begins-with-a-won-bank": (
        lambda s: (
            s["position"]["places"]["ruby"].update(ruby=3),
            s["position"]["players"][1]["bank"].update(ruby=4),
        ),
        "N-5.1",
    ),
    "it-is-over-as-won-by-nobody": (lambda s: s.update(phase="over", ending="won"), "N-5"),
    "it-is-over-with-two-seats-left": (lambda s: s.update(phase="over", ending="last_seat"), "N-5"),
    "it-is-over-before-the-last-round": (
        lambda s: s.update(phase="over", ending="max_rounds"),
        "N-5",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_state_that_no_game_can_be_in_is_refused(name: str) -> None:
    change, clause = FAULTS[name]
    encoded = rules.state_to_json(rules.start_from(TABLE).state)
    assert rules.state_to_json(rules.state_from_json(encoded)) == encoded
    change(encoded)
    _refused(encoded, clause)


def test_a_canoe_is_ashore_only_once_its_seat_has_shown_a_lasso() -> None:
    state = rules.start_from(spirits("2", "jetty", s1=("2", "jetty"))).state
    for seat, card in enumerate(("4", "lasso", "1")):
        state = rules.apply(state, seat, rules.PlayCard(card)).state
    encoded = rules.state_to_json(state)
    encoded["position"]["players"][1]["canoes"][0]["ashore"] = True
    _refused(encoded, "N-10.3")
    while rules.pending(state)[0].seat == 0:
        state = rules.apply(state, 0, rules.legal(state, 0)[0]).state
    encoded = rules.state_to_json(state)
    assert encoded["position"]["players"][1]["canoes"][0]["ashore"]
    assert rules.state_from_json(encoded) == state


def test_a_buy_back_is_public_once_the_turns_run() -> None:
    state = rules.start("base", 3)
    for seat in range(3):
        state = rules.apply(state, seat, rules.PlayCard("5")).state
    encoded = rules.state_to_json(state)
    encoded["choices"][2]["buy"] = None
    _refused(encoded, "N-3.2")


def test_a_game_that_ends_before_a_buy_back_is_public_survives_json() -> None:
    state = rules.start_from(TABLE).state
    buy = rules.BuyBack((0,), ("ruby",))
    state = rules.retire(rules.apply(state, 1, buy).state, [0]).state
    assert state.over
    encoded = rules.state_to_json(state)
    assert encoded["choices"][1]["buy"] == rules.action_to_json(buy)
    assert rules.state_from_json(encoded) == state


def _refused(encoded: dict[str, Any], clause: str) -> None:
    with pytest.raises(RulesError) as refused:
        rules.state_from_json(encoded)
    assert refused.value.clause == clause


def test_a_seat_retired_from_the_start_is_seen_as_one_retired_later() -> None:
    state = rules.start_from(TABLE).state
    encoded = rules.state_to_json(state)
    assert encoded["choices"][2]["buy"] == NOTHING
    for seat in (0, 1, 2):
        assert rules.from_observation(rules.observe(state, seat)) == state
