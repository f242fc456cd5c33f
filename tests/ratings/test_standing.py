"""What a fit says of the order."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from niagara_arena.ratings.facts import select
from niagara_arena.ratings.standing import better, standings, win_chances
from niagara_arena.ratings.strength import fit
from tests.ratings.made import made, winner_takes_all


@pytest.mark.parametrize("seats", [2, 3, 5, 6])
def test_win_chances_are_the_mean_over_all_tables(seats: int) -> None:
    mean = np.random.default_rng(1).normal(0, 1, 6)
    force = np.exp(mean)
    found = win_chances(mean, seats, np.zeros(6))
    for bot in range(6):
        others = [i for i in range(6) if i != bot]
        tables = [force[list(table)].sum() for table in combinations(others, seats - 1)]
        expected = np.mean([force[bot] / (force[bot] + rest) for rest in tables])
        assert found[bot] == pytest.approx(expected, rel=1e-6)


def test_win_chances_bear_wide_fields_and_small_ones() -> None:
    wide = win_chances(np.array([-30.0, 0.0, 0.5, 30.0]), 3, np.zeros(4))
    assert wide[0] == pytest.approx(0, abs=1e-9)
    assert wide[3] == pytest.approx(1, abs=1e-6)
    assert win_chances(np.array([0.3]), 4, np.zeros(1)).tolist() == [1.0]


def test_bots_that_games_cannot_separate_share_a_rank() -> None:
    found = standings(fit(select(winner_takes_all([0, 1, 2] * 5, "abc"))), 3)
    assert [standing.rank for standing in found] == [1, 1, 1]
    assert all((s.rank_best, s.rank_worst) == (1, 3) for s in found)


def test_bots_that_games_separate_do_not() -> None:
    winners = ([0] * 12 + [1] * 4 + [2]) * 20
    found = standings(fit(select(winner_takes_all(winners, "abc"))), 3)
    assert [standing.rank for standing in found] == [1, 2, 3]
    assert [(s.rank_best, s.rank_worst) for s in found] == [(1, 1), (2, 2), (3, 3)]
    assert found[0].first == 1.0


def test_a_rank_is_one_more_than_the_number_of_surely_better_bots() -> None:
    games = [made(i, "abcd", ((1, 2, 3, 4), (2, 1, 3, 4))[i % 2]) for i in range(60)]
    strengths = fit(select(games))
    found = {standing.bot: standing.rank for standing in standings(strengths, 4)}
    assert found == {"a": 1, "b": 1, "c": 3, "d": 3}
    chances = better(strengths)
    assert chances[0, 2] >= 0.95
    assert chances + chances.T == pytest.approx(np.ones((4, 4)))


def test_chances_to_be_first_add_up_and_intervals_hold_the_middle() -> None:
    found = standings(fit(select(winner_takes_all([0, 0, 1, 2, 0, 3], "abcd"))), 4)
    assert sum(standing.first for standing in found) == pytest.approx(1)
    for standing in found:
        assert standing.low < standing.strength < standing.high
        assert standing.win_low < standing.win_chance < standing.win_high
        assert standing.rank_best <= standing.rank_worst


def test_an_empty_field_has_no_standings() -> None:
    assert standings(fit(select([])), 4) == []
