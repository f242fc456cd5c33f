"""Crosstable, head to head, seats, tallies: counts."""

from __future__ import annotations

import math

import pytest

from niagara_arena.ratings.facts import select
from niagara_arena.ratings.standing import seat_effects
from niagara_arena.ratings.strength import fit
from niagara_arena.ratings.tables import crosstable, head_to_head, opponents, seat_table
from niagara_arena.ratings.tally import tallies
from tests.ratings.made import made

GAMES = [
    made(0, "abc", (1, 2, 3), cpu_median_us=(5, 6, 7), cpu_worst_us=(50, 60, 70)),
    made(1, "bac", (1, 1, 3), cpu_median_us=(8, 9, 1), cpu_worst_us=(80, 90, 10)),
    made(2, "dab", (2, 3, 1), faults=(0, 2, 1)),
    made(3, "cdab", (1, 2, 3, 4), winners=(), rules="spirits"),
]


def test_a_crosstable_counts_both_ways() -> None:
    table = crosstable(select(GAMES))
    ab, ba = table["a", "b"], table["b", "a"]
    assert (ab.games, ab.better, ab.tied, ab.worse) == (4, 2, 1, 1)
    assert (ba.games, ba.better, ba.tied, ba.worse) == (4, 1, 1, 2)
    assert ab.share == pytest.approx(0.625)
    assert ("a", "a") not in table
    assert list(table) == sorted(table)


def test_a_bot_that_sits_twice_meets_others_twice_and_itself_not() -> None:
    table = crosstable(select([made(0, "aab", (1, 3, 2))]))
    assert (table["a", "b"].games, table["a", "b"].better) == (2, 1)
    assert set(table) == {("a", "b"), ("b", "a")}


def test_opponents_are_listed_by_how_often_they_were_met() -> None:
    met = opponents(select(GAMES), "a")
    assert [(m.opponent, m.games) for m in met] == [("b", 4), ("c", 3), ("d", 2)]


def test_a_head_to_head_lists_the_games() -> None:
    found = head_to_head(select(GAMES), "a", "d")
    assert [(e.game, e.seat, e.placing, e.opponent_seat, e.opponent_placing) for e in found] == [
        ("g-0000000000000002", 1, 3, 0, 2),
        ("g-0000000000000003", 2, 3, 1, 2),
    ]
    assert head_to_head(select(GAMES), "a", "nobody") == []


def test_the_seat_table_counts_wins_and_shows_worth() -> None:
    facts = select(GAMES)
    lines = seat_table(facts, seat_effects(fit(facts)))
    assert [(line.rules, line.seats, line.seat) for line in lines] == [
        *(("base", 3, seat) for seat in range(3)),
        *(("spirits", 4, seat) for seat in range(4)),
    ]
    assert [line.wins for line in lines] == [2, 1, 1, 0, 0, 0, 0]
    assert lines[0].share == pytest.approx(0.5)
    assert lines[3].share == 1.0
    assert all(line.low < line.worth < line.high for line in lines)
    assert not any(line.matters for line in lines)
    assert math.isinf(seat_table(facts, [])[0].high)


def test_a_tally_counts_what_a_bot_did() -> None:
    found = tallies(select(GAMES))
    a = found["a"]
    assert (a.games, a.wins, a.faults) == (4, 2, 2)
    assert a.mean_placing == pytest.approx(2.0)
    assert a.win_share == pytest.approx(1.5 / 4)
    assert (a.cpu_median_us, a.cpu_worst_us) == (7, 90)
    assert (found["d"].cpu_median_us, found["d"].cpu_worst_us) == (None, None)
    assert found["c"].wins == 0
    assert tallies(select([])) == {}


def test_a_bot_that_sits_twice_has_played_one_game() -> None:
    found = tallies(select([made(0, "aab", (1, 1, 3)), made(1, "abc", (1, 2, 3))]))
    assert (found["a"].games, found["a"].wins) == (2, 2)
    assert found["a"].mean_placing == pytest.approx(1.0)
    assert (found["b"].games, found["b"].wins) == (2, 0)
