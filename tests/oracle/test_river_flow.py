"""Flow, the lasso's return and the end of a round, worked out by hand from the clauses."""

from typing import Any

import pytest

from . import Position, flow, full_hand, setup
from .cases import flowed, give, put, table, told

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
