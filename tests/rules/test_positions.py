"""Bad positions are refused with their path and clause; good ones in any order are read."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from niagara_arena.errors import RulesError
from niagara_arena.rules import enumeration, start_from
from niagara_arena.rules.position import read_position
from niagara_arena.rules.text import write_position
from tests import oracle

Position = dict[str, Any]
Change = Callable[[Position], object]

BASE_FAULTS: dict[str, tuple[Change, str, str | None]] = {
    "a-gem-too-many": (lambda p: p["places"]["ruby"].update(ruby=8), "$", "N-2.2"),
    "a-gem-missing": (lambda p: p["places"]["ruby"].update(ruby=6), "$", "N-2.2"),
    "gems-that-carry-into-another-colour": (
        lambda p: [place.update(amber=8) for place in p["places"].values()],
        "$",
        "N-2.2",
    ),
    "a-loaded-canoe-on-the-jetty": (
        lambda p: _load(p, "jetty"),
        "$.players[0].canoes[0].cargo",
        "N-4.10",
    ),
    "a-loaded-lost-canoe": (lambda p: _load(p, "lost"), "$.players[0].canoes[0].cargo", "N-6.5"),
    "two-gems-in-a-single": (
        lambda p: p["players"][0]["canoes"][0].update(at="3", cargo=["ruby", "ruby"]),
        "$.players[0].canoes[0].cargo",
        "N-4.11",
    ),
    "a-card-twice-in-a-hand": (
        lambda p: p["players"][1]["hand"].append("3"),
        "$.players[1].hand[7]",
        "N-2.1",
    ),
    "a-card-of-the-expansion": (
        lambda p: p["players"][1].update(hand=["lasso"]),
        "$.players[1].hand[0]",
        "N-2.1",
    ),
    "an-empty-hand": (lambda p: p["players"][2].update(hand=[]), "$.players[2].hand", "N-3.5"),
    "too-few-seats": (lambda p: p.update(seats=2), "$.seats", "N-2.1"),
    "too-many-seats": (lambda p: p.update(seats=6), "$.seats", "N-2.1"),
    "weather-off-the-track": (lambda p: p.update(weather=3), "$.weather", "N-2.2"),
    "a-start-seat-that-is-not-there": (lambda p: p.update(start=3), "$.start", "N-2.3"),
    "a-truth-value-for-a-number": (lambda p: p.update(weather=True), "$.weather", "N-2.2"),
    "an-unknown-arm": (lambda p: p.update(next_arm="M"), "$.next_arm", "N-6.3"),
    "a-whirlpool-in-the-base-game": (lambda p: p.update(whirlpool="3"), "$.whirlpool", "N-7.2"),
    "a-base-canoe-ashore": (
        lambda p: p["players"][0]["canoes"][0].update(at="3", ashore=True),
        "$.players[0].canoes[0].ashore",
        "N-10.3",
    ),
    "a-retired-seat-with-canoes": (
        lambda p: p["players"][0].update(retired=True),
        "$.players[0]",
        "N-5.4",
    ),
    "an-unknown-space": (
        lambda p: p["players"][0]["canoes"][1].update(at="6"),
        "$.players[0].canoes[1].at",
        "N-1.1",
    ),
    "a-double-in-the-base-game": (
        lambda p: p["players"][0]["canoes"][1].update(capacity=2),
        "$.players[0].canoes[1].capacity",
        "N-2.1",
    ),
    "a-player-too-few": (lambda p: p["players"].pop(), "$.players", "N-2.1"),
    "an-unknown-key": (lambda p: p.update(wether=1), "$", None),
    "a-missing-key": (lambda p: p.pop("round"), "$", None),
    "an-unknown-ruleset": (lambda p: p.update(rules="spirit"), "$.rules", None),
}

SPIRITS_FAULTS: dict[str, tuple[Change, str, str | None]] = {
    "a-canoe-resting-on-the-whirlpool": (
        lambda p: p["players"][1]["canoes"][0].update(at="3"),
        "$.players[1].canoes",
        "N-9.1",
    ),
    "the-moose-in-a-canoe-at-the-jetty": (
        lambda p: p.update(moose={"seat": 0, "canoe": 1}),
        "$.moose",
        "N-11.4",
    ),
    "two-seats-holding-the-moose": (
        lambda p: p.update(moose=[{"seat": 0, "canoe": 1}, {"seat": 1, "canoe": 1}]),
        "$.moose",
        "N-11.2",
    ),
    "no-moose-at-all": (lambda p: p.update(moose=None), "$.moose", "N-11.2"),
    "the-beaver-on-the-whirlpool": (lambda p: p.update(beaver="3"), "$.beaver", "N-11.1"),
    "two-doubles": (
        lambda p: p["players"][0]["canoes"][1].update(capacity=2),
        "$.players[0].canoes[1].capacity",
        "N-7.1",
    ),
    "a-whirlpool-that-is-nowhere": (lambda p: p.update(whirlpool=None), "$.whirlpool", "N-9.1"),
}


def _load(position: Position, space: str) -> None:
    position["places"]["ruby"]["ruby"] -= 1
    position["players"][0]["canoes"][0].update(at=space, cargo=["ruby"])


@pytest.mark.parametrize("name", BASE_FAULTS)
def test_a_bad_base_position_is_refused(name: str) -> None:
    _refused(oracle.setup("base", 3), *BASE_FAULTS[name])


@pytest.mark.parametrize("name", SPIRITS_FAULTS)
def test_a_bad_spirits_position_is_refused(name: str) -> None:
    _refused(oracle.setup("spirits", 3), *SPIRITS_FAULTS[name])


def _refused(position: Position, change: Change, path: str, clause: str | None) -> None:
    change(position)
    with pytest.raises(RulesError) as refused:
        enumeration.buys(position, 0)
    assert (refused.value.path, refused.value.clause) == (path, clause)


def _shuffled(value: Any, source: random.Random) -> Any:
    if isinstance(value, dict):
        keys = source.sample(list(value), len(value))
        return {key: _shuffled(value[key], source) for key in keys}
    if isinstance(value, list) and value and isinstance(value[0], str):
        return source.sample(value, len(value))
    return value


@pytest.mark.parametrize("name", ["base", "spirits"])
def test_keys_and_lists_may_come_in_any_order(name: str) -> None:
    source = random.Random(1)
    for text in enumeration.random_rounds(name, 4, 20, source.choice):
        setup, v = read_position(_shuffled(json.loads(text), source))
        assert write_position(setup, v) == text


def test_a_game_starts_from_a_position_and_not_from_a_won_one() -> None:
    position = oracle.setup("base", 3)
    position["round"] = 9
    assert start_from(position).state.round == 9
    position["places"]["ruby"]["ruby"] -= 4
    position["players"][2]["bank"] = {"ruby": 4}
    with pytest.raises(RulesError, match="won already"):
        start_from(position)
    assert enumeration.flow(position, ["1", "2", "3"], "L") is None


def test_the_last_round_that_can_be_told_is_followed_by_another() -> None:
    position = oracle.setup("base", 3) | {"round": 1_000_000}
    after = enumeration.flow(position, ["1", "1", "1"], "L")
    assert after is not None
    assert json.loads(after)["round"] == 1_000_001  # [N-6.6]
