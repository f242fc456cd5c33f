"""Buy-backs, worked out by hand from the clauses."""

import json

import pytest

from . import GEMS, buys, canonical, turns
from .cases import gems_of, give, one_canoe, table


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
