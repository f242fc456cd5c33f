"""Whole turns with cloud, double canoe, whirlpool, moose and new cards, worked out by hand."""

import pytest

from . import canonical, turns
from .cases import both, ends, mover, one_canoe, put, table, told

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
