"""Claims against truth, in small; `make calibrate` does it in large."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibrate import Measured, measure
from benchmarks.worlds import WORLDS, World
from niagara_arena.ratings import strength
from niagara_arena.ratings.columns import Floats

BY_NAME = {world.name: world for world in WORLDS}


def measured(name: str, games_per_bot: int, runs: int = 40) -> Measured:
    return measure(BY_NAME[name], games_per_bot, runs)


@pytest.mark.parametrize(
    ("name", "games_per_bot"),
    [
        ("as the model", 5),
        ("as the model", 20),
        ("seats matter", 10),
        ("openings matter", 20),
        ("intransitive", 20),
        ("deterministic", 20),
    ],
)
def test_intervals_cover_the_truth_in_a_world(name: str, games_per_bot: int) -> None:
    found = measured(name, games_per_bot)
    assert 0.93 <= found.coverage <= 0.985


@pytest.mark.parametrize(("times", "caught"), [(0.75, "too sure"), (1.6, "too wide")])
def test_intervals_that_are_wrong_are_found_out(
    monkeypatch: pytest.MonkeyPatch, times: float, caught: str
) -> None:
    """The test above must be able to fail: by deviations that are far off, it does."""
    honest = strength.widened

    def wrong(covariance: Floats, bots: int, width: float) -> Floats:
        return times**2 * honest(covariance, bots, width)

    monkeypatch.setattr(strength, "widened", wrong)
    found = measured("as the model", 20)
    assert found.coverage < 0.93 if caught == "too sure" else found.coverage > 0.985


def test_the_widening_falls_as_games_tell_more() -> None:
    covariance = np.diag([0.04, 0.04, 0.04, 0.04])
    few, many = (
        float(strength.widened(c * covariance, 4, 0.5)[0, 0]) / (c * 0.04) for c in (4, 0.01)
    )
    assert few == pytest.approx((1 + 0.12 * 0.4 / 0.5) ** 2)
    assert 1 < many < 1.01


def test_nearly_equal_bots_are_seldom_called_better_or_worse() -> None:
    found = measured("equals", 20)
    assert found.coverage >= 0.95
    assert found.better_claims < 0.01 * 40 * 12 * 11 / 2


def test_more_games_give_a_better_order() -> None:
    few, many = (measured("as the model", games, 15) for games in (5, 100))
    assert few.tau_strength + 0.2 < many.tau_strength
    assert many.tau_strength > 0.7
    assert many.tau_skill > 0.7


def test_claims_to_be_first_come_true_about_as_often_as_said() -> None:
    found = measured("as the model", 50)
    claims = np.array(found.first_claims)
    assert claims[:, 1].sum() == pytest.approx(claims[:, 0].sum())
    strong = claims[claims[:, 0] > 0.5]
    assert len(strong) > 20
    assert strong[:, 1].mean() == pytest.approx(strong[:, 0].mean(), abs=0.15)


def test_deterministic_bots_run_out_of_news() -> None:
    world = World("few openings", bots=6, seating="rotations", deterministic=True, openings=1)
    found = measure(world, 400, 2)
    assert found.games_counted < found.games_played / 2
