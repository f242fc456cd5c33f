"""The texts that a referee sends: byte for byte what the JSON objects say."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest

from niagara_arena import rules
from niagara_arena.errors import RulesError
from niagara_arena.rules import Paddle, PlayCard, Stay, Weather
from niagara_arena.rules.events import CanoeStayed, MooseTaken, RoundStarted
from tests.rules.play import GAMES, walk


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def results(state: rules.State, seat: int) -> list[dict[str, Any] | None]:
    """Return what each legal action leads to, worked out by carrying it out."""
    found: list[dict[str, Any] | None] = []
    for decision in rules.pending(state):
        if decision.seat != seat:
            continue
        for action in rules.legal(state, seat):
            found.append(_result(state, seat, action))
    return found


def _result(state: rules.State, seat: int, action: rules.Action) -> dict[str, Any] | None:
    player = rules.observe(state, seat)["position"]["players"][seat]
    if isinstance(action, Stay):
        return {"at": "jetty", "cargo": [], "banked": [], "lost": False}
    if isinstance(action, Weather):
        weather = rules.observe(state, seat)["position"]["weather"]
        return {"weather": weather + action.step}
    if isinstance(action, rules.Arm):
        return {"at": "6" + action.arm, "lost": False}
    if isinstance(action, rules.BuyBack):
        bank = dict(player["bank"])
        for gem in action.gems:
            bank[gem] -= 1
        here = sum(canoe["at"] != "lost" for canoe in player["canoes"])
        left = {gem: number for gem, number in bank.items() if number}
        return {"bank": left, "canoes": here + len(action.canoes)}
    if not isinstance(action, Paddle):
        return None
    held = [*player["canoes"][action.canoe]["cargo"]]
    for gem in action.unload:
        held.remove(gem)
    held += action.load
    for gem in action.unload_there:
        held.remove(gem)
    held += [*action.load_there, *(theft.gem for theft in action.steal)]
    held.sort()
    rests = action.to not in ("jetty", "lost")
    return {
        "at": action.to,
        "cargo": held if rests else [],
        "banked": held if action.to == "jetty" else [],
        "lost": action.to == "lost",
    }


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_legal_text_lists_the_legal_actions_with_their_results(name: str, seats: int) -> None:
    for state, _ in walk(name, seats, 5, max_rounds=14, retirements=True):
        for seat in range(seats):
            entries = []
            for action, result in zip(rules.legal(state, seat), results(state, seat), strict=True):
                more = {} if result is None else {"result": result}
                entries.append({**rules.action_to_json(action), **more})
            assert rules.legal_text(state, seat) == compact(entries)


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_texts_of_actions_events_and_positions_are_those_of_their_objects(
    name: str, seats: int
) -> None:
    for state, events in walk(name, seats, 6, max_rounds=14, retirements=True):
        for event in events:
            assert rules.event_text(event) == compact(rules.event_to_json(event))
        for decision in rules.pending(state):
            for action in rules.legal(state, decision.seat):
                assert rules.action_text(action) == compact(rules.action_to_json(action))
        assert rules.position_text(state) == compact(rules.observe(state, 0)["position"])
        assert rules.position_text(state) == compact(rules.state_to_json(state)["position"])


def test_equal_tuples_of_different_kinds_keep_their_texts_apart() -> None:
    for _ in range(2):
        assert rules.event_text(CanoeStayed(0, 1)) == '{"event":"canoe_stayed","seat":0,"canoe":1}'
        assert rules.event_text(MooseTaken(0, 1)) == '{"event":"moose_taken","seat":0,"canoe":1}'
        assert rules.event_text(RoundStarted(1, 1)).startswith('{"event":"round_started"')
        assert rules.action_text(Weather(1)) == '{"weather":1}'
        assert rules.action_text(rules.Moose(1)) == '{"moose":1}'


@pytest.mark.parametrize(
    "action",
    [None, 7, "card", (0, "4"), PlayCard(["1"]), Weather(2), Paddle(0, "9")],  # type: ignore[arg-type]
)
def test_what_is_no_action_has_no_text(action: Any) -> None:
    with pytest.raises(RulesError):
        rules.action_text(action)
    assert rules.action_text(Weather(1)) == '{"weather":1}'


@pytest.mark.parametrize(
    "event",
    [None, 7, (0, 1), CanoeStayed(-1, 0), CanoeStayed([], 0), RoundStarted(0, 9)],  # type: ignore[arg-type]
)
def test_what_is_no_event_has_no_text(event: Any) -> None:
    with pytest.raises(RulesError):
        rules.event_text(event)
    assert rules.event_text(CanoeStayed(1, 0)) == '{"event":"canoe_stayed","seat":1,"canoe":0}'


def test_a_thing_that_only_equals_an_action_never_changes_its_text() -> None:
    for likeness in (True, 1.0):
        with contextlib.suppress(RulesError):
            rules.action_text(Weather(likeness))  # type: ignore[arg-type]
        with contextlib.suppress(RulesError):
            rules.event_text(CanoeStayed(likeness, 0))  # type: ignore[arg-type]
        assert rules.action_text(Weather(1)) == '{"weather":1}'
        assert rules.event_text(CanoeStayed(1, 0)) == '{"event":"canoe_stayed","seat":1,"canoe":0}'
