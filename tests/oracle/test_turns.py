"""Whole turns of the base game, worked out by hand from the clauses."""

from . import canonical, turns
from .cases import both, ends, mover, one_canoe, put, table, told

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
