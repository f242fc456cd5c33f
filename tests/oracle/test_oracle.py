"""Hand-worked cases for the oracle, each expected value derived from the clauses."""

import json
import random
from typing import Any

import pytest

from . import GEMS, Position, buys, canonical, flow, full_hand, mirrored, setup, turns


def table(rules: str = "base", seats: int = 3, **changes: Any) -> Position:
    """Return a set-up with the whirlpool off the board, changed as told."""
    position = setup(rules, seats)
    if rules == "spirits":
        position["whirlpool"] = "next"
    position.update(changes)
    return position


def put(position: Position, seat: int, index: int, at: str, *cargo: str) -> None:
    """Put a canoe somewhere with a cargo taken from the places of its colours."""
    canoe = position["players"][seat]["canoes"][index]
    canoe["at"] = at
    canoe["cargo"] = list(cargo)
    for gem in cargo:
        position["places"][gem][gem] -= 1


def give(position: Position, seat: int, *gems: str) -> None:
    """Put gems into a bank, taken from the places of their colours."""
    bank = position["players"][seat]["bank"]
    for gem in gems:
        position["places"][gem][gem] -= 1
        bank[gem] = bank.get(gem, 0) + 1


def one_canoe(rules: str, index: int, at: str, *cargo: str, **changes: Any) -> Position:
    """Return a table where seat 0 has one canoe on the board and its other is lost."""
    position = table(rules, **changes)
    put(position, 0, 1 - index, "lost")
    put(position, 0, index, at, *cargo)
    return position


def told(position: Position, seat: int, index: int) -> str:
    """Describe a canoe as `space[cargo]`, with `~` when on the bank and `*` with the moose."""
    canoe = position["players"][seat]["canoes"][index]
    text = f"{canoe['at']}[{','.join(canoe['cargo'])}]"
    if canoe["ashore"]:
        text += "~"
    if position["moose"] == {"seat": seat, "canoe": index}:
        text += "*"
    return text


def ends(position: Position, card: str, seat: int = 0) -> list[Position]:
    """Return the results of a turn as dicts."""
    return [json.loads(text) for text in turns(position, seat, card)]


def mover(position: Position, card: str, index: int = 0) -> set[str]:
    """Describe one canoe of seat 0 in every result of a turn."""
    return {told(after, 0, index) for after in ends(position, card)}


def both(position: Position, card: str) -> set[str]:
    """Describe both canoes of seat 0 in every result of a turn."""
    return {told(after, 0, 0) + " " + told(after, 0, 1) for after in ends(position, card)}


def flowed(position: Position, *cards: str, arm: str = "L") -> Position:
    """Return the position after a flow that must take place."""
    text = flow(position, list(cards), arm)
    assert text is not None
    result: Position = json.loads(text)
    return result


def gems_of(position: Position) -> dict[str, int]:
    """Count the gems of each colour wherever they are."""
    counts = dict.fromkeys(GEMS, 0)
    heaps = list(position["places"].values()) + [p["bank"] for p in position["players"]]
    for heap in heaps:
        for gem, number in heap.items():
            counts[gem] += number
    for player in position["players"]:
        for canoe in player["canoes"]:
            for gem in canoe["cargo"]:
                counts[gem] += 1
    return counts


# Set-up and text


@pytest.mark.parametrize(
    ("rules", "seats", "gems"),
    [("base", 3, 7), ("base", 5, 7), ("spirits", 3, 6), ("spirits", 5, 7), ("spirits", 6, 8)],
)
def test_setup(rules: str, seats: int, gems: int) -> None:
    """[N-2.1, N-2.2, N-7.1] Count gems, seats and cards."""
    position = setup(rules, seats)
    assert gems_of(position) == dict.fromkeys(GEMS, gems)
    assert len(position["players"]) == seats
    assert len(position["players"][0]["hand"]) == (10 if rules == "spirits" else 7)


def test_canonical_text() -> None:
    """[N-2.1] Write keys in order, no zeros, base canoes by where they are."""
    position = table()
    put(position, 0, 1, "4", "ruby")
    position["places"]["amber"] = {"ruby": 0, "amber": 7}
    shuffled = {key: position[key] for key in reversed(position)}
    text = canonical(shuffled)
    start = (
        '{"rules":"base","seats":3,"round":1,"start":0,"weather":0,"next_arm":"L",'
        '"places":{"amethyst":{"amethyst":7},"diamond":{"diamond":7},"amber":{"amber":7},'
        '"sapphire":{"sapphire":7},"ruby":{"ruby":6}},'
        '"players":[{"canoes":[{"capacity":1,"at":"4","cargo":["ruby"],"ashore":false},'
        '{"capacity":1,"at":"jetty","cargo":[],"ashore":false}],'
        '"bank":{},"hand":["1","2","3","4","5","6","cloud"],"retired":false},'
    )
    assert text.startswith(start)
    assert text.endswith(',"whirlpool":null,"beaver":null,"moose":null}')


def test_canonical_keeps_the_double_first() -> None:
    """[N-7.2] Keep canoe 0 the double even where it would sort later."""
    position = table("spirits")
    put(position, 0, 1, "4")
    assert [c["capacity"] for c in json.loads(canonical(position))["players"][0]["canoes"]] == [
        2,
        1,
    ]


# Buy-backs


def test_buy_nothing_lost() -> None:
    """[N-3.2] Leave everything as it is when no canoe is lost."""
    position = table()
    give(position, 0, "ruby")
    assert buys(position, 0) == [canonical(position)]


def test_buy_one_lost_is_optional() -> None:
    """[N-3.2] Pay one gem of either colour, or nothing; the gem goes to its own place."""
    position = one_canoe("base", 0, "4")
    give(position, 0, "ruby", "ruby", "amber")
    results = [json.loads(text) for text in buys(position, 0)]
    banks = [after["players"][0]["bank"] for after in results]
    assert len(results) == 3
    assert {"amber": 1, "ruby": 2} in banks
    assert {"amber": 1, "ruby": 1} in banks
    assert {"ruby": 2} in banks
    assert all(gems_of(after) == dict.fromkeys(GEMS, 7) for after in results)


def test_buy_one_lost_without_gems() -> None:
    """[N-3.4] Give nothing away while the other canoe is there."""
    position = one_canoe("base", 0, "4")
    assert buys(position, 0) == [canonical(position)]


@pytest.mark.parametrize(
    ("rules", "bank", "count"),
    [
        ("base", ["ruby", "amber"], 3),  # one for either gem, or both
        ("base", ["ruby", "ruby"], 2),  # one, or both
        ("base", ["ruby"], 1),  # it must
        ("base", [], 1),  # free
        ("spirits", ["ruby", "amber"], 5),  # two canoes times two gems, or both
        ("spirits", ["ruby", "ruby"], 3),
        ("spirits", ["ruby"], 2),
        ("spirits", [], 2),  # free, naming which
    ],
)
def test_buy_both_lost(rules: str, bank: list[str], count: int) -> None:
    """[N-3.2, N-3.3, N-3.4] Bring at least one canoe back."""
    position = one_canoe(rules, 0, "lost")
    give(position, 0, *bank)
    results = buys(position, 0)
    assert len(results) == count
    assert canonical(position) not in results


def test_buy_both_with_three_colours() -> None:
    """[N-3.2] Pay for both with any two of three colours: 3 for one canoe, 3 for both."""
    position = one_canoe("base", 0, "lost")
    give(position, 0, "ruby", "amber", "diamond")
    assert len(buys(position, 0)) == 6


def test_retired_seat_buys_and_plays_nothing() -> None:
    """[N-5.4] Leave a retired seat alone."""
    position = one_canoe("base", 0, "lost")
    position["players"][0]["retired"] = True
    assert buys(position, 0) == [canonical(position)]
    assert turns(position, 0, "cloud") == [canonical(position)]


# Who moves


def test_exactly_one_leaves_the_jetty() -> None:
    """[N-4.1] Move one canoe, not both; card 3 from the jetty can only end on 3."""
    assert both(table(), "3") == {"3[] jetty[]"}


def test_one_on_the_river_the_other_may_follow() -> None:
    """[N-4.1, N-4.3] Move the floating canoe; the other stays or puts out."""
    position = table()
    put(position, 0, 0, "1")
    expected = {"2[] jetty[]", "jetty[] jetty[]", "1[] 2[]", "1[] jetty[]"}
    assert both(position, "1") == expected


def test_two_on_the_river_must_both_move() -> None:
    """[N-4.1] Leave neither on its space."""
    position = table()
    put(position, 0, 0, "1")
    put(position, 0, 1, "1")
    assert both(position, "1") == {"jetty[] jetty[]", "2[] jetty[]", "2[] 2[]"}


def test_last_canoe_must_put_out() -> None:
    """[N-4.1] Move the canoe at the jetty when the other is lost."""
    assert both(one_canoe("base", 0, "jetty"), "2") == {"2[] lost[]"}


def test_both_lost_nothing_happens() -> None:
    """[N-4.1] Change nothing without a canoe."""
    position = one_canoe("spirits", 0, "lost")
    for card in ("2", "123", "lasso"):
        assert turns(position, 0, card) == [canonical(position)]


def test_order_of_canoes_matters() -> None:
    """[N-4.2, N-4.16] Let either canoe load what the other has put down."""
    position = table("spirits")
    put(position, 0, 0, "3", "ruby")
    put(position, 0, 1, "3", "amber")
    position["places"]["amethyst"] = {}
    results = both(position, "4")
    assert "3[amber] 3[]" not in results  # the single would have two points left
    # double first: unloads the ruby (2 left) and paddles; the single swaps amber for ruby.
    assert "1[] 3[ruby]" in results
    # single first: unloads the amber and paddles; the double swaps ruby for amber.
    assert "3[amber] 1[]" in results


# Points, places, landing, falling


def test_worked_point_card_5_on_6l() -> None:
    """[N-4.17, N-4.18] Work the first worked point out in full."""
    position = one_canoe("base", 0, "6L")
    put(position, 1, 0, "3", "ruby")
    put(position, 2, 0, "1", "diamond")
    expected = {"3[sapphire]", "1[]", "1[diamond]", "3[amethyst]", "lost[]"}
    assert mover(position, "5") == expected
    assert len(turns(position, 0, "5")) == 5


def test_worked_point_landing() -> None:
    """[N-4.5, N-4.10] Land with a point to spare and bank the ruby."""
    position = one_canoe("base", 0, "2", "ruby")
    results = ends(position, "3")
    assert {told(after, 0, 0) for after in results} == {"jetty[]", "3[]", "5[ruby]"}
    banks = {told(after, 0, 0): after["players"][0]["bank"] for after in results}
    assert banks == {"jetty[]": {"ruby": 1}, "3[]": {}, "5[ruby]": {}}


def test_landing_empty_and_far_down() -> None:
    """[N-4.5, N-4.7, N-4.10] Land empty, or spend all six points downstream."""
    position = one_canoe("base", 0, "1")
    assert mover(position, "6") == {"jetty[]", "7L[]", "7R[]", "5[amber]"}


def test_unload_and_reload_with_4() -> None:
    """[N-4.6, N-4.13, N-4.15] Swap in place, but never for the same colour."""
    position = one_canoe("base", 0, "4", "ruby")
    results = ends(position, "4")
    expected = {"4[diamond]", "jetty[]", "2[]", "6L[]", "6R[]", "lost[]"}
    assert {told(after, 0, 0) for after in results} == expected
    assert len(results) == 8  # the ruby may lie at 4 or at 6 when it stands on 6L or 6R
    (swapped,) = [after for after in results if told(after, 0, 0) == "4[diamond]"]
    assert swapped["places"]["diamond"] == {"diamond": 6, "ruby": 1}


def test_no_load_from_an_empty_place() -> None:
    """[N-4.12] Load only what lies there; otherwise move on."""
    position = one_canoe("base", 0, "4")
    position["places"]["diamond"] = {"ruby": 1}
    assert mover(position, "2") == {"4[ruby]", "2[]", "6L[]", "6R[]"}
    position["places"]["diamond"] = {}
    assert mover(position, "2") == {"2[]", "6L[]", "6R[]"}


def test_unloaded_canoe_loads_at_no_other_place() -> None:
    """[N-4.15] Card 5 on 4 with a ruby: 2 to unload, 1 to move, no load at the other end."""
    position = one_canoe("base", 0, "4", "ruby")
    # unload at 4: three up to 1, or down to 7; swap at 4 and one space; unload at 3 after one
    # space leaves 2 points for another colour there; likewise at 5; land; unload after three
    # down at 7; over the falls.
    expected = {
        "1[]", "7L[]", "7R[]", "3[diamond]", "5[diamond]", "3[amethyst]", "5[amber]", "jetty[]",
        "lost[]",
    }  # fmt: skip
    assert mover(position, "5") == expected


def test_up_out_of_an_arm_never_into_the_other() -> None:
    """[N-4.7] Card 2 from 6L: up to 4, a load, or over the falls."""
    assert mover(one_canoe("base", 0, "6L"), "2") == {"4[]", "6L[sapphire]", "lost[]"}


def test_paddling_over_the_falls() -> None:
    """[N-4.9, N-6.5] Return the cargo to its own colour's place."""
    position = one_canoe("base", 0, "7R", "amber")
    results = ends(position, "1")
    assert {told(after, 0, 0) for after in results} == {"6R[amber]", "lost[]"}
    fallen = next(after for after in results if told(after, 0, 0) == "lost[]")
    assert fallen["places"]["amber"] == {"amber": 7}


# Stealing in the base game


def test_theft_after_emptying_at_the_start() -> None:
    """[N-4.18] Unload at 5, go two up, take the ruby or not."""
    position = one_canoe("base", 0, "5", "amethyst")
    put(position, 1, 0, "3", "ruby")
    robbed = [after for after in ends(position, "4") if told(after, 1, 0) == "3[]"]
    assert [told(after, 0, 0) for after in robbed] == ["3[ruby]"]
    assert robbed[0]["places"]["amber"] == {"amber": 7, "amethyst": 1}
    assert "3[]" in mover(position, "4")


def test_no_theft_after_unloading_at_the_end() -> None:
    """[N-4.18] Card 3 from 4 with an amber: unloading at 3 uses the points, and bars theft."""
    position = one_canoe("base", 0, "4", "amber")
    put(position, 1, 0, "3", "ruby")
    results = ends(position, "3")
    at_3 = {told(after, 0, 0) + told(after, 1, 0) for after in results}
    # unload at 4, one up, and steal or not; or one up and unload: then no theft.
    assert {text for text in at_3 if text.startswith("3")} == {"3[ruby]3[]", "3[]3[ruby]"}
    stolen = [after for after in results if told(after, 0, 0) == "3[ruby]"]
    assert [after["places"]["diamond"] for after in stolen] == [{"diamond": 7, "amber": 1}]


def test_no_theft_across_the_tongue_or_with_points_left() -> None:
    """[N-1.3, N-4.17] Neither from 6R nor in passing."""
    position = one_canoe("base", 0, "7L")
    put(position, 1, 0, "6R", "ruby")
    put(position, 2, 0, "6L", "amber")
    assert mover(position, "1") == {"6L[]", "6L[amber]", "lost[]"}
    assert mover(position, "2") == {"7L[ruby]", "5[]", "lost[]"}


def test_no_theft_down_or_in_place() -> None:
    """[N-4.19] Rob nobody while going down or standing still, nor one's own canoe."""
    position = one_canoe("base", 0, "4")
    put(position, 1, 0, "5", "ruby")
    assert mover(position, "1") == {"3[]", "5[]"}
    put(position, 1, 1, "4", "amber")
    assert mover(position, "2") == {"2[]", "4[diamond]", "6L[]", "6R[]"}
    own = table()
    put(own, 0, 0, "4", "ruby")
    put(own, 0, 1, "5")
    assert not any("4[ruby] 4" in text or "3[] 4[ruby]" in text for text in both(own, "1"))


def test_full_canoe_steals_nothing() -> None:
    """[N-4.17, N-4.19] Never swap."""
    position = one_canoe("base", 0, "4", "amber")
    put(position, 1, 0, "3", "ruby")
    assert mover(position, "1") == {"3[amber]", "5[amber]"}


def test_choice_of_victims() -> None:
    """[N-4.17] Choose whom to rob, even for the same colour."""
    position = one_canoe("base", 0, "4")
    put(position, 1, 0, "3", "ruby")
    put(position, 2, 0, "3", "ruby")
    assert len(turns(position, 0, "1")) == 4  # down, up without, up with either's ruby


# The cloud


@pytest.mark.parametrize(("before", "after"), [(-1, {0}), (0, {-1, 1}), (1, {0, 2}), (2, {1})])
def test_cloud(before: int, after: set[int]) -> None:
    """[N-4.21] Move the weather one step, on the track, and nothing else."""
    position = table(weather=before)
    put(position, 0, 0, "4")
    results = ends(position, "cloud")
    assert {result["weather"] for result in results} == after
    assert {told(result, 0, 0) for result in results} == {"4[]"}
    assert {result["beaver"] for result in results} == {None}


@pytest.mark.parametrize(
    ("whirlpool", "before", "after"),
    [("next", None, "1"), ("5", None, "1"), ("1", None, "2"), ("1", "4", "4")],
)
def test_beaver_comes(whirlpool: str, before: str | None, after: str) -> None:
    """[N-11.1] Put the beaver out at +2, beside the whirlpool if need be."""
    position = table("spirits", weather=1, whirlpool=whirlpool, beaver=before)
    placed = {result["weather"]: result["beaver"] for result in ends(position, "cloud")}
    assert placed == {0: before, 2: after}


# Double canoes


def test_double_loads_at_both_ends() -> None:
    """[N-8.1] Load one before and one after the move, or two in place with one space."""
    position = one_canoe("spirits", 0, "3")
    results = mover(position, "5")
    assert "4[amethyst,diamond]" in results
    assert "4[amethyst,amethyst]" in results
    assert "4[diamond,diamond]" in results
    assert "2[amethyst,amethyst]" in results
    assert "3[amethyst,amethyst]" not in results


def test_double_on_4_with_card_4_in_full() -> None:
    """[N-4.14, N-4.15, N-8.1] Work a double with a ruby out completely."""
    position = one_canoe("spirits", 0, "4", "ruby")
    # in place: swap; two diamonds don't fit. Load a diamond: two up, or two down to 6, or
    # nothing else. Unload the ruby: two up, two down. No act: land; two down and there load or
    # unload; fall. Two up is space 2, which has no place.
    expected = {
        "4[diamond]", "2[diamond,ruby]", "6L[diamond,ruby]", "6R[diamond,ruby]", "2[]", "6L[]",
        "6R[]", "6L[ruby,sapphire]", "6R[ruby,sapphire]", "jetty[]", "lost[]",
    }  # fmt: skip
    assert mover(position, "4") == expected
    assert len(turns(position, 0, "4")) == 13  # on 6L and 6R, the ruby lies at 4 or at 6


def test_double_does_not_unload_a_colour_it_loaded() -> None:
    """[N-4.14] With a diamond aboard, load another diamond and unload neither."""
    position = one_canoe("spirits", 0, "4", "diamond")
    position["places"]["amber"] = {}
    results = ends(position, "5")
    assert not [
        after
        for after in results
        if told(after, 0, 0) == "5[diamond]" and after["places"]["amber"] == {"diamond": 1}
    ]
    # unloading the old diamond after one space and loading it again is barred too [N-4.15]
    assert "5[diamond]" not in {told(after, 0, 0) for after in results}


def test_double_unloads_an_older_gem_and_loads_again() -> None:
    """[N-8.2] Load at 4, go to 5, unload the ruby, load another colour there."""
    position = one_canoe("spirits", 0, "4", "ruby")
    fine = [after for after in ends(position, "7") if told(after, 0, 0) == "5[amber,diamond]"]
    assert [after["places"]["amber"] for after in fine] == [{"amber": 5, "ruby": 1}]


def test_double_that_unloads_at_both_ends_loads_only_at_the_first() -> None:
    """[N-8.2] Swap at 4, unload at 5; but never unload at 4 and at 5 and load at 5."""
    position = one_canoe("spirits", 0, "4", "ruby", "amber")
    position["places"]["sapphire"] = {"sapphire": 5}
    position["places"]["amber"]["sapphire"] = 1
    results = ends(position, "7")
    swapped = [after for after in results if told(after, 0, 0) == "5[diamond]"]
    left_behind = {tuple(sorted(after["places"]["diamond"])) for after in swapped}
    # a swap for either gem and the other unloaded at 5, or both unloaded at 4 before the load
    expected = {("diamond", "ruby"), ("amber", "diamond"), ("amber", "diamond", "ruby")}
    assert left_behind == expected
    # a sapphire from 5 only if both older gems were put down at 5 too
    loaded = [after for after in results if told(after, 0, 0) == "5[sapphire]"]
    assert [after["places"]["diamond"] for after in loaded] == [{"diamond": 6}]
    assert [after["places"]["amber"] for after in loaded] == [{"amber": 6, "ruby": 1}]


def test_double_steals_from_several() -> None:
    """[N-8.3] Take none, one or two of three gems in two canoes."""
    position = one_canoe("spirits", 0, "4")
    put(position, 1, 0, "3", "ruby", "amber")
    put(position, 2, 1, "3", "diamond")
    expected = {
        "5[]", "3[]", "3[ruby]", "3[amber]", "3[diamond]", "3[amber,ruby]", "3[diamond,ruby]",
        "3[amber,diamond]",
    }  # fmt: skip
    assert mover(position, "1") == expected
    assert len(turns(position, 0, "1")) == 8


def test_double_loads_at_the_start_and_steals() -> None:
    """[N-4.18, N-8.3] A load at the start does not bar a theft; one at the end does."""
    position = one_canoe("spirits", 0, "4")
    put(position, 1, 0, "3", "ruby")
    results = mover(position, "3")
    assert "3[diamond,ruby]" in results
    assert "3[amethyst]" in results
    assert "3[amethyst,ruby]" not in results


def test_no_theft_from_the_bank() -> None:
    """[N-10.3] Leave a lassoed canoe alone."""
    position = one_canoe("spirits", 1, "4")
    put(position, 1, 0, "3", "ruby")
    position["players"][1]["canoes"][0]["ashore"] = True
    assert mover(position, "1", 1) == {"3[]", "5[]"}


# The whirlpool


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ("2", {"4[]", "5[amber]", "7L[]", "7R[]"}),
        (
            "3",
            {
                "4[]", "4[diamond]", "4[amber]", "6L[amber]", "6R[amber]", "6L[sapphire]",
                "6R[sapphire]", "lost[]",
            },
        ),
        ("4", {"2[]", "4[amber]", "7L[amber]", "7R[amber]", "7L[ruby]", "7R[ruby]", "lost[]"}),
    ],
)  # fmt: skip
def test_worked_point_whirlpool_on_3(card: str, expected: set[str]) -> None:
    """[N-9.3, N-9.5] From 5: dragged to 4 with 2 and 3 points, on 2 with 4, no load on 3."""
    position = one_canoe("spirits", 1, "5", whirlpool="3")
    assert mover(position, card, 1) == expected


def test_drag_on_putting_out() -> None:
    """[N-9.2] Put out with one point onto a whirlpool on 1 and end on 2."""
    assert both(table("spirits", whirlpool="1"), "1") == {"2[] jetty[]", "jetty[] 2[]"}


def test_passing_down_is_ordinary() -> None:
    """[N-9.2, N-9.5] Pay one point for the whirlpool on 4, but neither load nor rest there."""
    position = one_canoe("spirits", 1, "3", whirlpool="4")
    assert mover(position, "1", 1) == {"2[]", "5[]"}  # dragged from 4 to 5
    assert mover(position, "2", 1) == {"1[]", "3[amethyst]", "5[]"}
    # 3 points: one space and a load would be on the whirlpool
    expected = {"jetty[]", "2[amethyst]", "5[amethyst]", "6L[]", "6R[]"}
    assert mover(position, "3", 1) == expected


@pytest.mark.parametrize("at", ["4", "6L", "6R"])
def test_drag_from_5_into_either_arm(at: str) -> None:
    """[N-9.4] Pick the arm, whichever way the canoe came."""
    position = one_canoe("spirits", 1, at, whirlpool="5")
    other = {"4": "3[]", "6L": "7L[]", "6R": "7R[]"}[at]
    assert mover(position, "1", 1) == {"6L[]", "6R[]", other}


def test_drag_from_5_inside_and_out() -> None:
    """[N-9.3] From 7L up: enter with 2, inside with 3, out onto 4 with 4."""
    position = one_canoe("spirits", 1, "7L", whirlpool="5", moose="returning")
    position["places"]["ruby"] = {}
    position["places"]["sapphire"] = {}
    assert mover(position, "2", 1) == {"6L[]", "6R[]", "lost[]"}
    assert mover(position, "3", 1) == {"6L[]", "6R[]", "lost[]"}
    assert mover(position, "4", 1) == {"4[]", "lost[]"}


def test_drag_from_6_and_7() -> None:
    """[N-9.3, N-9.4] Back from 6L to 7L; from 7L over the falls."""
    up = one_canoe("spirits", 1, "7L", whirlpool="6L", moose="returning")
    assert mover(up, "1", 1) == {"7L[]", "lost[]"}
    assert mover(up, "2", 1) == {"7L[]", "7L[ruby]", "lost[]"}
    down = one_canoe("spirits", 1, "6L", "sapphire", whirlpool="7L")
    results = ends(down, "1")
    assert {told(after, 0, 1) for after in results} == {"5[sapphire]", "lost[]"}
    fallen = next(after for after in results if told(after, 0, 1) == "lost[]")
    assert fallen["places"]["sapphire"] == {"sapphire": 6}


def test_landing_through_the_whirlpool() -> None:
    """[N-9.3] From 2 past a whirlpool on 1: three points to land."""
    position = one_canoe("spirits", 1, "2", "ruby", whirlpool="1")
    assert mover(position, "2", 1) == {"2[ruby]", "4[ruby]"}
    # down: unload at 3 with the last two points, or stand on 5
    assert mover(position, "3", 1) == {"jetty[]", "3[]", "5[ruby]"}


def test_no_theft_after_a_drag() -> None:
    """[N-9.5] Dragged back from 3 to 4, rob nobody on 4."""
    position = one_canoe("spirits", 1, "5", whirlpool="3")
    put(position, 1, 0, "4", "ruby")
    position["places"]["amber"] = {}
    assert mover(position, "2", 1) == {"4[]", "7L[]", "7R[]"}


def test_theft_after_leaving_the_whirlpool() -> None:
    """[N-4.17, N-9.3] Leave it with the last point and steal on the next space."""
    position = one_canoe("spirits", 1, "4", whirlpool="3")
    put(position, 1, 0, "2", "ruby")
    assert {"2[]", "2[ruby]"} <= mover(position, "3", 1)


# The new cards


def test_123_moves_exactly_one() -> None:
    """[N-10.2] Choose either canoe, with 1, 2 or 3 points."""
    position = table("spirits")
    put(position, 0, 1, "1")
    expected = {
        "1[] 1[]", "2[] 1[]", "3[] 1[]", "jetty[] jetty[]", "jetty[] 2[]", "jetty[] 3[]",
        "jetty[] 4[]",
    }  # fmt: skip
    assert both(position, "123") == expected


def test_123_with_the_moose() -> None:
    """[N-11.3] Spend 3, 4 or 5 points."""
    position = one_canoe("spirits", 1, "1", moose={"seat": 0, "canoe": 1})
    expected = {
        "4[]*", "5[]*", "6L[]*", "6R[]*", "3[amethyst]*", "4[diamond]*", "jetty[]",
    }  # fmt: skip
    assert mover(position, "123", 1) == expected
    landed = next(after for after in ends(position, "123") if told(after, 0, 1) == "jetty[]")
    assert landed["moose"] == "returning"  # [N-11.4]


def test_lasso() -> None:
    """[N-10.3] Pull the floating canoe ashore; the one at the jetty stays there."""
    position = table("spirits")
    put(position, 0, 1, "4", "ruby")
    assert both(position, "lasso") == {"jetty[] 4[ruby]~"}
    idle = table("spirits")
    assert turns(idle, 0, "lasso") == [canonical(idle)]


def test_lasso_and_the_moose() -> None:
    """[N-11.2] With both on 7 take it with either or neither; not if it is away."""
    position = table("spirits")
    put(position, 0, 0, "7L")
    put(position, 0, 1, "7R")
    assert both(position, "lasso") == {"7L[]~ 7R[]~", "7L[]~* 7R[]~", "7L[]~ 7R[]~*"}
    position["moose"] = "returning"
    assert both(position, "lasso") == {"7L[]~ 7R[]~"}


# The moose


def test_moose_taken_or_declined() -> None:
    """[N-11.2, N-11.3] Card 1 on 7L: one point without it, three with it."""
    position = one_canoe("spirits", 1, "7L")
    expected = {"6L[]", "lost[]", "6L[ruby]*", "6L[sapphire]*", "4[]*"}
    assert mover(position, "1", 1) == expected
    results = ends(position, "1")
    assert len(results) == 6
    fallen = [after["moose"] for after in results if told(after, 0, 1) == "lost[]"]
    assert sorted(fallen) == ["place", "returning"]  # [N-11.4]


def test_second_canoe_takes_what_the_first_declined() -> None:
    """[N-11.2] Let either canoe have it, never both, nor after the first fell with it."""
    position = table("spirits")
    put(position, 0, 0, "7L")
    put(position, 0, 1, "7R")
    results = both(position, "1")
    assert "6L[] 4[]*" in results
    assert "4[]* 6R[]" in results
    assert not any(text.count("*") == 2 for text in results)
    assert not [
        after
        for after in ends(position, "1")
        if after["moose"] == "returning" and "lost[]" not in (told(after, 0, 0), told(after, 0, 1))
    ]


def test_cloud_and_other_spaces_take_no_moose() -> None:
    """[N-11.2] Not with the cloud, and only by a canoe that starts on 7."""
    position = one_canoe("spirits", 1, "7L")
    assert mover(position, "cloud", 1) == {"7L[]"}
    position = one_canoe("spirits", 1, "6L")
    assert not any("*" in text for text in mover(position, "1", 1))


# Speed and flow


@pytest.mark.parametrize(
    ("weather", "cards", "space"),
    [
        (1, ("2", "4", "cloud"), "4"),  # the worked point: 2 + 1 = 3 pushes
        (-1, ("1", "4", "cloud"), "1"),
        (2, ("cloud", "cloud", "cloud"), "3"),
        (-1, ("cloud", "cloud", "cloud"), "1"),
        (0, ("2", "6", "5"), "3"),
    ],
)
def test_speed(weather: int, cards: tuple[str, ...], space: str) -> None:
    """[N-6.1, N-6.2] Let a canoe on 1 show the number of pushes."""
    position = table(weather=weather)
    put(position, 0, 0, "1")
    assert told(flowed(position, *cards), 0, 0) == f"{space}[]"


def test_speed_counts_no_new_card_but_the_7() -> None:
    """[N-10.1, N-10.4] 7 counts; 123, lasso, cloud and moose don't."""
    position = table("spirits", weather=1, moose={"seat": 0, "canoe": 0})
    put(position, 0, 0, "1")
    assert told(flowed(position, "123", "lasso", "cloud"), 0, 0) == "2[]*"
    position["weather"] = -1
    assert told(flowed(position, "7", "123", "lasso"), 0, 0) == "6L[]*"  # 6 pushes: 1 to 5, L, R


@pytest.mark.parametrize("arm", ["L", "R"])
@pytest.mark.parametrize(
    ("at", "push"),
    [("1", 9), ("2", 8), ("3", 7), ("4", 6), ("5", 5), ("6L", 3), ("7L", 1)],
)
def test_worked_point_push_of_the_fall(at: str, push: int, arm: str) -> None:
    """[N-6.2, N-6.3] Fall on push 10 - p from the trunk; in an arm one later if it waits."""
    if at.endswith("L") and arm == "R":
        push += 1
    for pushes, lost in ((push - 1, False), (push, True)):
        card = min(7, max(1, pushes))
        position = table("spirits", next_arm=arm, weather=pushes - card)
        put(position, 0, 1, at, "amber")
        after = flowed(position, str(card), "7", "7")
        assert (told(after, 0, 1) == "lost[]") is lost
        assert after["places"]["amber"]["amber"] == (6 if lost else 5)  # [N-6.5]


def test_arms_take_turns() -> None:
    """[N-6.2, N-6.3] One push moves one arm only."""
    position = table(next_arm="R")
    put(position, 0, 0, "5")
    put(position, 0, 1, "6L")
    put(position, 1, 0, "6R")
    put(position, 1, 1, "7R")
    put(position, 2, 0, "7L")
    after = flowed(position, "1", "2", "3")
    assert after["next_arm"] == "L"
    assert [told(after, 0, 0), told(after, 0, 1)] == ["6L[]", "6R[]"]
    assert [told(after, 1, 0), told(after, 1, 1)] == ["7R[]", "lost[]"]
    assert told(after, 2, 0) == "7L[]"


def test_standing_river_keeps_the_arm() -> None:
    """[N-6.1, N-6.3] Without a push the next arm stays, and so does a waiting whirlpool."""
    position = table("spirits", weather=-1, moose="returning")
    after = flowed(position, "1", "2", "3")
    assert after["next_arm"] == "L"
    assert after["whirlpool"] == "next"
    assert after["moose"] == "place"  # [N-11.4]


@pytest.mark.parametrize(("pushes", "space"), [(1, "next"), (2, "1"), (3, "2")])
def test_whirlpool_comes_back(pushes: int, space: str) -> None:
    """[N-9.6] Fallen on the first push, it is the next disc, in the same flow."""
    position = table("spirits", whirlpool="7L")
    assert flowed(position, str(pushes), "7", "6")["whirlpool"] == space


def test_whirlpool_comes_round_every_ten_pushes() -> None:
    """[N-2.4, N-9.6] After ten pushes it and the arms stand as before."""
    position = setup("spirits", 3)
    for _ in range(2):
        position = flowed(position, "5", "5", "5")
        for player in position["players"]:
            player["hand"] = full_hand("spirits")
    assert (position["whirlpool"], position["next_arm"]) == ("3", "L")


def test_beaver_falls() -> None:
    """[N-11.1] Reset the weather at once, but let the flow keep its speed of 3."""
    position = table("spirits", beaver="7L", weather=2)
    put(position, 0, 1, "1")
    after = flowed(position, "1", "2", "3")
    assert (after["beaver"], after["weather"], told(after, 0, 1)) == (None, 0, "4[]")


def test_beaver_rides() -> None:
    """[N-11.1] Move the beaver with its disc, and leave it in the arm that waits."""
    position = table("spirits", beaver="5", weather=0)
    assert flowed(position, "1", "2", "3")["beaver"] == "6L"
    position["beaver"] = "7R"
    assert flowed(position, "1", "2", "3")["beaver"] == "7R"


def test_moose_falls_in_the_flow() -> None:
    """[N-11.4] Bring it back after phase III."""
    position = table("spirits", moose={"seat": 0, "canoe": 1})
    put(position, 0, 1, "7L")
    after = flowed(position, "1", "2", "3")
    assert (after["moose"], told(after, 0, 1)) == ("place", "lost[]")


# The lasso's return


def lassoed(at: str, *cargo: str, **changes: Any) -> Position:
    """Return a table where seat 0's single canoe is on the bank."""
    position = table("spirits", **changes)
    put(position, 0, 1, at, *cargo)
    position["players"][0]["canoes"][1]["ashore"] = True
    return position


def test_lassoed_canoe_returns_to_its_space() -> None:
    """[N-10.3] Stay where it was while the river flows, whatever card was played."""
    position = lassoed("4", "ruby")
    assert told(flowed(position, "lasso", "2", "3"), 0, 1) == "4[ruby]"
    assert told(flowed(position, "2", "2", "3"), 0, 1) == "4[ruby]"


@pytest.mark.parametrize("arm", ["L", "R"])
def test_return_onto_the_whirlpool_on_5(arm: str) -> None:
    """[N-9.4, N-10.3] Let the owner choose the arm."""
    position = lassoed("5", whirlpool="4")
    assert told(flowed(position, "lasso", "1", "3", arm=arm), 0, 1) == f"6{arm}[]"


def test_return_onto_the_whirlpool_elsewhere() -> None:
    """[N-9.2, N-10.3] Be dragged one space down, once."""
    position = lassoed("2", whirlpool="1")
    assert told(flowed(position, "lasso", "1", "3"), 0, 1) == "3[]"
    position = lassoed("6L", whirlpool="5")
    assert told(flowed(position, "lasso", "1", "3", arm="R"), 0, 1) == "7L[]"


def test_return_over_the_falls() -> None:
    """[N-9.4, N-11.4] Lose the canoe, return the ruby, and have the moose back at once."""
    position = lassoed("7L", "ruby", whirlpool="6L", moose={"seat": 0, "canoe": 1})
    after = flowed(position, "lasso", "1", "3")
    assert told(after, 0, 1) == "lost[]"
    assert after["players"][0]["canoes"][1]["ashore"] is False
    assert after["places"]["ruby"] == {"ruby": 6}
    assert (after["moose"], after["whirlpool"]) == ("place", "7L")


# Winning, hands, the start marker


@pytest.mark.parametrize(
    ("gems", "won"),
    [
        (["amethyst", "diamond", "amber", "sapphire", "ruby"], True),
        (["amber"] * 4, True),
        (["amber"] * 3 + ["ruby"] * 3 + ["diamond"], True),
        (["amber"] * 3 + ["ruby"] * 3, False),
        (["amethyst", "diamond", "amber", "sapphire", "amber", "sapphire"], False),
    ],
)
def test_no_flow_once_won(gems: list[str], won: bool) -> None:
    """[N-5.1] Stop before the flow when a bank holds a winning set."""
    position = table()
    give(position, 2, *gems)
    assert (flow(position, ["1", "2", "3"], "L") is None) is won


def test_hands() -> None:
    """[N-3.5] Take the card away; bring the whole hand back after the last."""
    position = table()
    position["players"][1]["hand"] = ["cloud"]
    after = flowed(position, "1", "cloud", "3")
    hands = [player["hand"] for player in after["players"]]
    assert hands[0] == ["2", "3", "4", "5", "6", "cloud"]
    assert hands[1] == ["1", "2", "3", "4", "5", "6", "cloud"]
    assert hands[2] == ["1", "2", "4", "5", "6", "cloud"]


def test_start_marker_and_retired_seats() -> None:
    """[N-5.4, N-6.6] Pass over the retired seat, whose card counts for nothing."""
    position = table(start=2, seats=4)
    position["players"][3]["retired"] = True
    position["players"][3]["canoes"][0]["at"] = "lost"
    position["players"][3]["canoes"][1]["at"] = "lost"
    after = flowed(position, "3", "4", "5", "-")
    assert (after["start"], after["round"]) == (0, 2)
    assert after["players"][3]["hand"] == full_hand("base")


def test_last_seat_has_won() -> None:
    """[N-5.4] Let no river flow when one seat is left."""
    position = table()
    for seat in (0, 1):
        position["players"][seat]["retired"] = True
    assert flow(position, ["-", "-", "1"], "L") is None


# Random play


def rotated(position: Position, steps: int) -> Position:
    """Return the position with every seat moved some places on."""
    seats = position["seats"]
    other: Position = json.loads(json.dumps(position))
    for seat, player in enumerate(position["players"]):
        other["players"][(seat + steps) % seats] = json.loads(json.dumps(player))
    if isinstance(other["moose"], dict):
        other["moose"]["seat"] = (other["moose"]["seat"] + steps) % seats
    return other


def check_turn(before: Position, seat: int, card: str) -> list[str]:
    """Check symmetry and invariants of one turn and return its results."""
    text = json.dumps(before)
    results = turns(before, seat, card)
    assert json.dumps(before) == text
    assert results == sorted(set(results))
    parsed = [json.loads(result) for result in results]
    assert turns(mirrored(before), seat, card) == sorted(canonical(mirrored(p)) for p in parsed)
    seats = before["seats"]
    assert turns(rotated(before, 1), (seat + 1) % seats, card) == sorted(
        canonical(rotated(p, 1)) for p in parsed
    )
    for after in parsed:
        assert gems_of(after) == gems_of(before)
        for player in after["players"]:
            for canoe in player["canoes"]:
                assert len(canoe["cargo"]) <= canoe["capacity"]
                assert canoe["at"] != after["whirlpool"]
                assert not canoe["cargo"] or canoe["at"] not in ("jetty", "lost")
    return results


@pytest.mark.parametrize(("rules", "seats"), [("base", 3), ("base", 5), ("spirits", 4)])
def test_random_play(rules: str, seats: int) -> None:
    """Keep gems, mirror and seat symmetry through play that favours cargo."""
    chance = random.Random(f"{rules}{seats}")
    position = setup(rules, seats)
    for _ in range(12):
        cards = [""] * seats
        for seat in range(seats):
            position = json.loads(chance.choice(buys(position, seat)))
            cards[seat] = chance.choice(position["players"][seat]["hand"])
        for step in range(seats):
            seat = (position["start"] + step) % seats
            results = check_turn(position, seat, cards[seat])
            some = chance.sample(results, min(3, len(results)))
            position = json.loads(max(some, key=lambda text: text.count('"cargo":["')))
        after = flow(position, cards, chance.choice("LR"))
        if after is None:
            break
        position = json.loads(after)
