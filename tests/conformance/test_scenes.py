"""A scene asks its kind of decision, whatever anybody chooses."""

from __future__ import annotations

import json

import pytest

from niagara_arena.conformance.scenes import KINDS, scene
from niagara_arena.rules import State, apply, legal, pending, start_from
from niagara_arena.rules.registry import RULESETS
from niagara_arena.schedule.chance import Chance
from niagara_arena.wire.messages import DecisionKind

SCENES = [(rules, kind) for rules, kinds in KINDS.items() for kind in kinds]


def test_every_kind_of_every_ruleset_has_a_scene() -> None:
    assert set(KINDS) == set(RULESETS)
    assert set(KINDS["spirits"]) == set(DecisionKind.__args__)  # type: ignore[attr-defined]
    assert set(KINDS["base"]) < set(KINDS["spirits"])


@pytest.mark.parametrize(("rules", "kind"), SCENES, ids=lambda text: text)
@pytest.mark.parametrize("seat", range(3))
def test_a_scene_asks_its_kind_whatever_anybody_chooses(rules: str, kind: str, seat: int) -> None:
    position = scene(rules, kind, seat)
    for number in range(12):
        assert kind in asked(position, seat, Chance("scene", number)), number


def asked(position: dict[str, object], seat: int, chance: Chance) -> set[str]:
    """Play one round at random; return the kinds of decisions that the seat was asked."""
    state: State = start_from(position, max_rounds=1).state
    kinds = set()
    while not state.over:
        decision = pending(state)[0]
        if decision.seat == seat:
            kinds.add(decision.kind)
        state, _events = apply(state, decision.seat, chance.choice(legal(state, decision.seat)))
    return kinds


def test_a_scene_is_json_in_canonical_order() -> None:
    for rules, kind in SCENES:
        for player in scene(rules, kind, 1)["players"]:
            places = [(canoe["at"], canoe["cargo"]) for canoe in player["canoes"]]
            assert rules == "spirits" or places == sorted(places), json.dumps(player)
