"""The sequential test of A against B: its errors and its power."""

from __future__ import annotations

import numpy as np
import pytest

from niagara_arena.errors import InputError
from niagara_arena.ratings.trial import Plan, Score, Verdict, blocks_needed, judge, score


def blocks(difference: float, count: int, seed: int, pairs: int = 4) -> list[float]:
    """Return blocks of paired games in which B wins more often by the difference."""
    rng = np.random.default_rng(seed)
    luck = rng.random((count, pairs))
    other = np.where(rng.random((count, pairs)) < 0.3, luck, rng.random((count, pairs)))
    found: list[float] = ((other < 0.25 + difference).mean(1) - (luck < 0.25).mean(1)).tolist()
    return found


def verdicts(difference: float, plan: Plan, trials: int = 200) -> list[Verdict]:
    return [judge(blocks(difference, 700, seed), plan).verdict for seed in range(trials)]


def test_a_b_that_is_no_better_is_seldom_called_better() -> None:
    found = verdicts(0.0, Plan(margin=0.1))
    assert found.count(Verdict.BETTER) <= 0.05 * 200 + 6  # two deviations of luck
    assert Verdict.OPEN not in found


def test_a_b_that_is_better_by_the_margin_is_seldom_missed() -> None:
    found = verdicts(0.1, Plan(margin=0.1))
    assert found.count(Verdict.BETTER) >= 0.95 * 200 - 6
    assert Verdict.OPEN not in found


def test_a_worse_b_is_never_called_better_here() -> None:
    assert set(verdicts(-0.1, Plan(margin=0.1))) == {Verdict.NOT_BETTER}


def test_intervals_hold_the_truth() -> None:
    plan = Plan(margin=0.1)
    for truth in (-0.05, 0.0, 0.05, 0.1):
        found = [judge(blocks(truth, 700, seed), plan) for seed in range(100)]
        assert sum(j.low <= truth <= j.high for j in found) >= 90 - 6


def test_verdict_and_interval_agree() -> None:
    for seed in range(30):
        found = judge(blocks(0.05, 700, seed), Plan(margin=0.1))
        assert (found.low > 0) == (found.verdict is Verdict.BETTER)
        assert (found.high < 0.1) == (found.verdict is Verdict.NOT_BETTER)


def test_the_verdict_falls_at_the_first_block_that_decides() -> None:
    data = blocks(0.3, 400, 1)
    whole = judge(data, Plan())
    assert whole.verdict is Verdict.BETTER
    assert whole.blocks < 100
    assert judge(data[: whole.blocks], Plan()) == whole
    assert judge(data[: whole.blocks - 1], Plan()).verdict is Verdict.OPEN


def test_a_better_b_is_found_in_about_the_blocks_foretold() -> None:
    plan = Plan(margin=0.1)
    used = [judge(blocks(0.1, 700, seed), plan).blocks for seed in range(60)]
    foretold = blocks_needed(plan, float(np.std(blocks(0.1, 5000, 99))))
    assert foretold / 2 < np.median(used) < foretold * 1.5


def test_a_sure_thing_does_not_overflow() -> None:
    found = judge([1.0] * 5000, Plan())
    assert found.verdict is Verdict.BETTER
    assert found.blocks < 20


def test_no_blocks_decide_nothing() -> None:
    found = judge([], Plan())
    assert (found.verdict, found.blocks, found.low, found.high) == (Verdict.OPEN, 0, -1.0, 1.0)


def test_identical_bots_are_found_not_better() -> None:
    found = judge([0.0] * 400, Plan())
    assert found.verdict is Verdict.NOT_BETTER


@pytest.mark.parametrize(
    ("placings", "kind", "worth"),
    [
        ((1, 2, 3, 4), Score.WINS, [1, 0, 0, 0]),
        ((1, 1, 3), Score.WINS, [0.5, 0.5, 0]),
        ((1, 2, 3), Score.PLACING, [1, 0.5, 0]),
        ((1, 2, 2), Score.PLACING, [1, 0.25, 0.25]),
        ((1, 1, 1), Score.PLACING, [0.5, 0.5, 0.5]),
    ],
)
def test_a_game_is_worth(placings: tuple[int, ...], kind: Score, worth: list[float]) -> None:
    assert [score(placings, seat, kind) for seat in range(len(placings))] == worth


@pytest.mark.parametrize("wrong", [{"margin": 0}, {"alpha": 0.5}, {"power": 1.0}, {"margin": 1.5}])
def test_a_plan_that_cannot_be_judged_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Plan(**wrong)  # type: ignore[arg-type]  # only numbers here


def test_a_difference_beyond_one_is_refused() -> None:
    with pytest.raises(InputError):
        judge([0.5, 1.5], Plan())
