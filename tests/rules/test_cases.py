"""Every clause has a case: the tables of `cases_…` and the games played here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from niagara_arena import rules
from niagara_arena.errors import RulesError
from niagara_arena.rules import BuyBack, Paddle, PlayCard, State, enumeration
from tests import oracle
from tests.rules.cases_flows import BUYS, FLOWS, Buy, Flow
from tests.rules.cases_spirits import SPIRITS_TURNS
from tests.rules.cases_turns import BASE_TURNS, Turn
from tests.rules.tables import base, described, spirits

CLAUSES = [
    f"N-{chapter}.{number}"
    for chapter, last in enumerate((4, 4, 5, 21, 4, 6, 2, 3, 6, 4, 4), start=1)
    for number in range(1, last + 1)
]
"""Every clause of the rules."""

TURNS = [*BASE_TURNS, *SPIRITS_TURNS]
_ALL: list[Turn | Flow | Buy] = [*TURNS, *FLOWS, *BUYS]
CITED: set[str] = {clause for case in _ALL for clause in case.clauses.split()}

Case = TypeVar("Case", bound=Callable[..., None])


def cites(*clauses: str) -> Callable[[Case], Case]:
    """Mark a test as the case of these clauses."""
    CITED.update(clauses)
    return lambda test: test


def test_every_clause_has_a_case() -> None:
    """Add a case to a table of `cases_…`, or a test that is marked with `cites`."""
    assert [clause for clause in CLAUSES if clause not in CITED] == []
    assert CITED - set(CLAUSES) == set()


def test_the_projects_own_rules_state_every_clause_once() -> None:
    text = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
    assert re.findall(r"^- \*\*(N-\d+\.\d+)\*\*", text, re.MULTILINE) == CLAUSES


def _named(case: Any) -> str:
    return f"{case.name}-{case.clauses.replace(' ', '-')}"


@pytest.mark.parametrize("case", TURNS, ids=_named)
def test_turn(case: Turn) -> None:
    for solve in (enumeration.turns, oracle.turns):
        found = set()
        for text in solve(case.position, 0, case.card):
            after = json.loads(text)
            told = described(after)
            found.add(told if case.also is None else f"{told} | {described(after, case.also)}")
        assert found == case.results


@pytest.mark.parametrize("case", FLOWS, ids=_named)
def test_flow(case: Flow) -> None:
    for solve in (enumeration.flow, oracle.flow):
        text = solve(case.position, case.cards.split(","), case.arm)
        assert text is not None
        after = json.loads(text)
        found = {**after, "hands": [len(player["hand"]) for player in after["players"]]}
        found |= {str(seat): described(after, seat) for seat in range(3)}
        assert {key: found[key] for key in case.expected} == case.expected


@pytest.mark.parametrize("case", BUYS, ids=_named)
def test_buy_back(case: Buy) -> None:
    for solve in (enumeration.buys, oracle.buys):
        found = set()
        for text in solve(case.position, 0):
            after = json.loads(text)
            bank = after["players"][0]["bank"]
            gems = sorted(gem for gem, number in bank.items() for _ in range(number))
            found.add(f"{described(after)} {','.join(gems)}")
        assert found == case.results


# --- Games -------------------------------------------------------------------------------------


def _play(state: State, *cards: str) -> rules.Step:
    """Let the seats choose these cards, in order; return the step that reveals them."""
    step = rules.Step(state, ())
    for seat, card in enumerate(cards):
        step = rules.apply(step.state, seat, PlayCard(card))
    return step


def _position(state: State) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(rules.position_text(state))
    return found


def _told(step: rules.Step) -> list[str]:
    return [rules.event_name(event) for event in step.events]


@cites("N-2.1", "N-2.2", "N-2.3", "N-2.4")
def test_the_base_game_is_set_up() -> None:
    for seats in (3, 4, 5):
        position = _position(rules.start("base", seats))
        assert (position["weather"], position["start"], position["next_arm"]) == (0, 0, "L")
        assert position["places"] == {gem: {gem: 7} for gem in oracle.GEMS}
        for player in position["players"]:
            assert [canoe["at"] for canoe in player["canoes"]] == ["jetty", "jetty"]
            assert player["hand"] == ["1", "2", "3", "4", "5", "6", "cloud"]
    for seats in (2, 6):
        with pytest.raises(RulesError):
            rules.start("base", seats)


@cites("N-2.1")
def test_positions_that_differ_in_the_order_of_canoes_are_equal() -> None:
    one, other = (
        rules.start_from(base(*pair)).state for pair in (("3[ruby]", "4"), ("4", "3[ruby]"))
    )
    assert one == other
    assert rules.position_text(one) == rules.position_text(other)


@cites("N-7.1", "N-7.2")
def test_the_expansion_is_set_up() -> None:
    for seats, gems in ((3, 6), (4, 7), (5, 7), (6, 8)):
        position = _position(rules.start("spirits", seats))
        assert position["places"] == {gem: {gem: gems} for gem in oracle.GEMS}
        for player in position["players"]:
            assert [canoe["capacity"] for canoe in player["canoes"]] == [2, 1]
            assert len(player["hand"]) == 10
        assert (position["whirlpool"], position["moose"], position["beaver"]) == (
            "3",
            "place",
            None,
        )


@cites("N-3.1", "N-4.2")
def test_cards_are_chosen_at_the_same_time_and_revealed_in_turn() -> None:
    state = rules.start("base", 3)
    assert [tuple(d) for d in rules.pending(state)] == [(0, "card"), (1, "card"), (2, "card")]
    seen = rules.observation_text(state, 0)
    for card in ("6", "cloud"):
        after = rules.apply(state, 2, PlayCard(card)).state
        assert rules.observation_text(after, 0) == seen
    step = _play(state, "6", "5", "6")
    assert _told(step) == ["card_revealed"]
    assert rules.observe(step.state, 1)["played"] == ["6", None, None]
    with pytest.raises(RulesError, match=r"N-3\.1"):
        rules.apply(state, 0, PlayCard("7"))


@cites("N-3.2")
def test_buy_backs_are_shown_together_before_the_first_card() -> None:
    position = base("4", "lost", bank="ruby", s1=("5", "lost"), bank1="amber")
    state = rules.start_from(position).state
    before = rules.observation_text(state, 2)
    state = rules.apply(state, 0, BuyBack((1,), ("ruby",))).state
    assert rules.observation_text(state, 2) == before
    state = rules.apply(state, 1, BuyBack((1,), ("amber",))).state
    state = rules.apply(state, 0, PlayCard("2")).state
    state = rules.apply(state, 1, PlayCard("2")).state
    assert rules.observation_text(state, 2) == before
    step = rules.apply(state, 2, PlayCard("2"))
    assert _told(step)[:3] == ["bought_back", "bought_back", "card_revealed"]
    assert described(_position(step.state)) == "4 jetty"
    assert _position(step.state)["places"]["ruby"] == {"ruby": 7}


@cites("N-3.3", "N-3.4")
def test_a_seat_without_canoes_is_asked_only_where_it_has_a_choice() -> None:
    with_gems = rules.start_from(base("lost", "lost", bank="ruby,amber")).state
    assert rules.pending(with_gems)[0].kind == "buy"
    assert BuyBack((), ()) not in rules.legal(with_gems, 0)
    with pytest.raises(RulesError, match=r"N-3\.3"):
        rules.apply(with_gems, 0, BuyBack((), ()))
    assert rules.pending(rules.start_from(base("lost", "lost")).state)[0].kind == "card"
    assert rules.pending(rules.start_from(spirits("lost", "lost")).state)[0].kind == "buy"


@cites("N-3.5")
def test_the_hand_comes_back_when_all_cards_are_played() -> None:
    position = base("jetty", "jetty")
    position["players"][0]["hand"] = ["3"]
    step = rules.start_from(position)
    for seat in (1, 2):
        step = rules.apply(step.state, seat, PlayCard("2"))
    assert "hand_refilled" in _told(step)
    assert len(_position(step.state)["players"][0]["hand"]) == 7


@cites("N-4.1")
def test_a_canoe_at_the_jetty_may_stay_while_the_other_floats() -> None:
    state = _play(rules.start_from(base("1", "jetty")).state, "1", "1", "1").state
    assert rules.legal(state, 0)[0] == Paddle(0, "jetty")
    moved = rules.apply(state, 0, Paddle(0, "2")).state
    assert rules.legal(moved, 0)[0] == rules.Stay(1)
    with pytest.raises(RulesError, match=r"N-4\.1"):
        rules.apply(state, 0, rules.Stay(1))


@cites("N-4.10")
def test_landing_banks_the_cargo_for_good() -> None:
    results = [json.loads(text) for text in enumeration.turns(base("2[ruby]", "lost"), 0, "3")]
    landed = next(after for after in results if described(after) == "jetty lost")
    assert landed["players"][0]["bank"] == {"ruby": 1}


@cites("N-4.9", "N-6.5")
def test_falling_gives_the_gem_back_to_its_own_place() -> None:
    results = enumeration.turns(base("7L[amber]", "lost"), 0, "1")
    fallen = next(a for a in map(json.loads, results) if described(a) == "lost lost")
    assert fallen["places"]["amber"] == {"amber": 7}
    assert fallen["places"]["ruby"] == {"ruby": 7}


@cites("N-4.13")
def test_a_gem_stays_at_the_place_where_it_was_unloaded() -> None:
    results = enumeration.turns(base("4[ruby]", "lost"), 0, "2")
    unloaded = next(a for a in map(json.loads, results) if described(a) == "4 lost")
    assert unloaded["places"]["diamond"] == {"diamond": 7, "ruby": 1}
    assert unloaded["places"]["ruby"] == {"ruby": 6}


@cites("N-4.20")
def test_a_robbed_canoe_may_load_again_in_the_same_round() -> None:
    state = rules.start_from(base("4", "lost", s1=("3[ruby]", "lost"))).state
    step = _play(state, "1", "2", "1")
    theft = rules.Theft(1, 0, "ruby")
    robbed = rules.apply(step.state, 0, Paddle(0, "3", steal=(theft,))).state
    assert Paddle(0, "3", load=("amethyst",)) in rules.legal(robbed, 1)


@cites("N-4.21")
def test_the_cloud_moves_the_weather_one_step_on_its_track() -> None:
    for weather, steps in ((-1, [0]), (0, [-1, 1]), (1, [0, 2]), (2, [1])):
        results = enumeration.turns(base("4[ruby]", "3", weather=weather), 0, "cloud")
        assert sorted(json.loads(text)["weather"] for text in results) == steps
        assert {described(json.loads(text)) for text in results} == {"3 4[ruby]"}


@cites("N-5.1")
def test_each_of_three_sets_wins_after_the_last_turn_and_stops_the_river() -> None:
    sets = (
        "ruby,ruby,ruby",
        "amber,amethyst,diamond,sapphire",
        "amber,amber,diamond,diamond,amethyst,amethyst",
    )
    for bank in sets:
        state = rules.start_from(base("1[ruby]", "jetty", bank=bank)).state
        step = _play(state, "1", "6", "2")
        step = rules.apply(step.state, 0, Paddle(0, "jetty"))
        step = rules.apply(step.state, 0, rules.Stay(1))
        assert [tuple(d) for d in rules.pending(step.state)] == [(1, "canoe")]  # play goes on
        step = rules.apply(step.state, 1, rules.legal(step.state, 1)[0])
        ended = rules.outcome(step.state)
        assert ended is not None
        assert (ended.reason, ended.winners) == ("won", (0,))
        assert "river_flowed" not in _told(step)


@cites("N-5.1")
def test_several_seats_win_together() -> None:
    rivals = {"s1": ("1[amber]", "jetty"), "bank1": "amber,amber,amber"}
    position = base("1[ruby]", "jetty", bank="ruby,ruby,ruby", **rivals)
    step = _play(rules.start_from(position).state, "1", "1", "1")
    for seat in (0, 1):
        step = rules.apply(step.state, seat, Paddle(0, "jetty"))
        step = rules.apply(step.state, seat, rules.Stay(1))
    ended = rules.outcome(step.state)
    assert ended is not None
    assert (ended.winners, ended.placings) == ((0, 1), (1, 1, 3))


@cites("N-5.2")
def test_the_game_ends_without_a_winner_after_max_rounds() -> None:
    step = _play(rules.start("base", 3, max_rounds=1), "1", "1", "1")
    ended = rules.outcome(step.state)
    assert ended is not None
    assert (ended.reason, ended.winners, ended.rounds) == ("max_rounds", (), 1)
    assert rules.start("base", 3).max_rounds == 200


@cites("N-5.3")
@pytest.mark.parametrize(("rule", "placings"), [("progress", (1, 2, 2)), ("winners", (1, 1, 1))])
def test_placings_go_by_gems_missing_and_then_by_gems(rule: str, placings: tuple[int, ...]) -> None:
    position = base("jetty", "jetty", bank="ruby,ruby", bank1="amber", bank2="diamond")
    step = _play(rules.start_from(position, max_rounds=1, placings=rule).state, "1", "1", "1")
    ended = rules.outcome(step.state)
    assert ended is not None
    assert ended.placings == placings


@cites("N-5.3", "N-5.4")
def test_retired_seats_come_last_the_later_above_the_earlier() -> None:
    state = rules.start("base", 5)
    state = rules.retire(state, [3]).state
    state = rules.retire(state, [0, 1]).state
    step = rules.retire(state, [2])
    ended = rules.outcome(step.state)
    assert ended is not None
    assert (ended.reason, ended.winners, ended.placings) == ("last_seat", (4,), (3, 3, 2, 5, 1))
    assert "game_ended" in _told(step)


@cites("N-5.4")
def test_a_retired_seat_leaves_nothing_behind() -> None:
    position = spirits("6L[ruby]", "jetty", bank="amber", moose={"seat": 0, "canoe": 0})
    state = _play(rules.start_from(position).state, "1", "6", "7").state
    assert rules.pending(state)[0].seat == 0
    after = rules.retire(state, [0]).state
    left = _position(after)
    assert left["moose"] == "returning"
    assert left["players"][0]["bank"] == {}
    assert described(left) == "lost lost"
    assert left["places"] == {gem: {gem: 6} for gem in oracle.GEMS}
    assert rules.pending(after)[0].seat == 1
    assert rules.observe(after, 1)["played"][0] is None
    with pytest.raises(RulesError, match=r"N-5\.4"):
        rules.apply(after, 0, PlayCard("1"))


@cites("N-5.4")
def test_with_nobody_left_nobody_wins() -> None:
    ended = rules.outcome(rules.retire(rules.start("base", 3), [0, 1, 2]).state)
    assert ended is not None
    assert (ended.reason, ended.winners, ended.placings) == ("deserted", (), (1, 1, 1))


@cites("N-5.4", "N-11.4")
def test_a_moose_whose_seat_retires_after_the_flow_is_back_at_once() -> None:
    position = spirits("5", "3", whirlpool="4", moose={"seat": 0, "canoe": 0})
    step = _play(rules.start_from(position).state, "lasso", "1", "7")
    while rules.pending(step.state)[0].kind != "arm":
        seat = rules.pending(step.state)[0].seat
        step = rules.apply(step.state, seat, rules.legal(step.state, seat)[0])
    assert _position(rules.retire(step.state, [0]).state)["moose"] == "place"


@cites("N-6.6", "N-4.2")
def test_turns_go_clockwise_from_the_start_seat() -> None:
    step = rules.start_from(base("jetty", "jetty", start=1))
    step = _play(step.state, "6", "6", "6")
    order = []
    while step.state.phase == "turns":
        seat = rules.pending(step.state)[0].seat
        order.append(seat)
        step = rules.apply(step.state, seat, rules.legal(step.state, seat)[0])
    assert order == [1, 2, 0]
    assert _position(step.state)["start"] == 2


@cites("N-8.2")
def test_a_double_that_unloads_at_both_ends_loads_only_at_the_first() -> None:
    found = {
        described(json.loads(t)) for t in enumeration.turns(spirits("4[ruby]", "lost"), 0, "7")
    }
    assert "5[amber,diamond] lost" in found  # a diamond at 4, the ruby out and an amber in at 5
    laden = spirits("4[ruby,sapphire]", "lost")
    after = [json.loads(text) for text in enumeration.turns(laden, 0, "7")]
    both = [
        a for a in after if "ruby" in a["places"]["diamond"] and "sapphire" in a["places"]["amber"]
    ]
    assert {described(a) for a in both} == {"5[diamond] lost"}


@cites("N-11.1")
def test_the_beaver_comes_at_plus_two_clear_of_the_whirlpool() -> None:
    for whirlpool, before, after in (
        ("1", None, "2"),
        ("next", None, "1"),
        ("4", None, "1"),
        ("1", "6L", "6L"),
    ):
        position = spirits("jetty", "jetty", whirlpool=whirlpool, weather=1, beaver=before)
        results = [json.loads(text) for text in enumeration.turns(position, 0, "cloud")]
        assert {(a["weather"], a["beaver"]) for a in results} == {(0, before), (2, after)}


@cites("N-10.3", "N-9.4")
def test_an_arm_is_asked_only_when_a_canoe_returns_onto_a_whirlpool_on_5() -> None:
    position = spirits("5", "jetty", whirlpool="4", s1=("lost", "jetty"), s2=("lost", "jetty"))
    step = _play(rules.start_from(position).state, "lasso", "1", "7")
    while rules.pending(step.state)[0].kind != "arm":
        seat = rules.pending(step.state)[0].seat
        step = rules.apply(step.state, seat, rules.legal(step.state, seat)[0])
    assert [tuple(d) for d in rules.pending(step.state)] == [(0, "arm")]
    after = rules.apply(step.state, 0, rules.Arm("R"))
    assert "canoe_returned" in _told(after)
    assert described(_position(after.state)) == "6R jetty"
