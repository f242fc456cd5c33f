"""Claims against truth, in small; `make calibrate` does it in large."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibrate import Measured, measure
from benchmarks.worlds import WORLDS, World

BY_NAME = {world.name: world for world in WORLDS}


def measured(name: str, games_per_bot: int, runs: int = 40) -> Measured:
    return measure(BY_NAME[name], games_per_bot, runs)


@pytest.mark.parametrize("name", ["as the model", "openings matter", "intransitive"])
def test_intervals_cover_the_truth_in_a_world(name: str) -> None:
    found = measured(name, 20)
    assert 0.93 <= found.coverage <= 0.985


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
