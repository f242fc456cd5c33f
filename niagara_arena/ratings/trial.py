"""Is B better than A? A sequential test on paired games, with errors that are guaranteed.

A and B meet the same opponents in the same seats with the same seeds and openings. A *block* is one
opening played through all its seatings by both; its difference d, B's mean score less A's, lies in
−1…1, and blocks are independent of each other. Two bets run against each other from block to block:

- for B, against "B is not better" (mean d ≤ 0): a capital of 1 is multiplied by 1 + λ·d;
- against B, against "B is better by at least the margin" (mean d ≥ δ): by 1 + λ·(δ − d).

Under the claim that is betted against, the capital is a supermartingale, so the chance that it ever
reaches 1/a is at most a (Ville's inequality): whatever d is distributed like, whenever one looks.
The test ends when the first capital reaches 1/alpha ("better") or the second 1/(1 − power) ("not
better"). With alpha 0.05 and power 0.95: a B that is not better is called better in at most 5 % of
trials, and a B that is better by the margin is missed in at most 5 %, unless a cap ends the trial
undecided. The stakes λ are those that grow fastest if the true difference is δ, 2δ or 4δ (a third
each, by the variance seen so far): about as many blocks as Wald's SPRT needs, without its need to
know the distribution. The interval holds every mean that neither bet has ruled out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from niagara_arena.errors import InputError
from niagara_arena.ratings.columns import Floats

__all__ = ["Judgement", "Plan", "Score", "Verdict", "blocks_needed", "judge", "score"]

_HIGHEST_STAKE = 0.95
"""Keeps a bet from losing everything: the worst block leaves a twentieth."""
_STEPS = (1.0, 2.0, 4.0)


class Score(StrEnum):
    """Name what a game is worth to a bot."""

    WINS = "wins"
    """1 for the first place, shared among those who share it."""
    PLACING = "placing"
    """1 for the first place, 0 for the last, even steps between; a tie takes the mean."""


class Verdict(StrEnum):
    """Name how a trial ends."""

    BETTER = "better"
    NOT_BETTER = "not better"
    OPEN = "open"
    """Neither yet; with no games left: undecided."""


@dataclass(frozen=True)
class Plan:
    """Fix a trial before it begins."""

    margin: float = 0.05
    """The difference in mean score that must not be missed."""
    alpha: float = 0.05
    """The chance to call a B better that is not."""
    power: float = 0.95
    """The chance to find a B that is better by the margin, if no cap ends the trial."""
    score: Score = Score.WINS

    def __post_init__(self) -> None:
        if not (0 < self.margin < 1 and 0 < self.alpha < 0.5 and 0.5 < self.power < 1):
            raise InputError(
                f"a trial with margin {self.margin:g}, alpha {self.alpha:g} and power "
                f"{self.power:g} can't be judged",
                "margin must lie in 0…1, alpha in 0…0.5, power in 0.5…1",
            )


@dataclass(frozen=True)
class Judgement:
    """Say how a trial stands, at the block that decided it or at the last."""

    verdict: Verdict
    blocks: int
    """How many blocks the verdict rests on."""
    mean: float
    """B's mean score less A's, over those blocks."""
    low: float
    high: float
    """What neither bet has ruled out, at confidence 1 − alpha − (1 − power)."""
    confidence: float
    evidence: float
    """The capital of the bet for B; 1/alpha decides."""
    counter_evidence: float
    """The capital of the bet against B; 1/(1 − power) decides."""


def score(placings: Sequence[int], seat: int, kind: Score) -> float:
    """Return what a game is worth to a seat, 0…1."""
    mine = placings[seat]
    shared = sum(placing == mine for placing in placings)
    if kind is Score.WINS:
        return 1 / shared if mine == 1 else 0.0
    above = sum(placing < mine for placing in placings)
    return 1 - (above + (shared - 1) / 2) / (len(placings) - 1)


def judge(differences: Sequence[float], plan: Plan) -> Judgement:
    """Judge a trial by its blocks so far, in the order in which they were played.

    The verdict falls at the first block that decides; what came after is not looked at.
    """
    if any(not -1 <= d <= 1 for d in differences):
        raise InputError("a block's difference in mean score must lie in −1…1")
    d = np.array(differences, dtype=np.float64)
    stakes = _stakes(d, plan.margin)
    up, down = _capital(d, stakes), _capital(plan.margin - d, stakes)
    high, low = 1 / plan.alpha, 1 / (1 - plan.power)
    decided = np.flatnonzero((up >= high) | (down >= low))
    blocks = int(decided[0]) + 1 if len(decided) else len(d)
    verdict = Verdict.OPEN
    if len(decided):
        verdict = Verdict.BETTER if up[blocks - 1] >= high else Verdict.NOT_BETTER
    d, stakes = d[:blocks], stakes[:, :blocks]
    return Judgement(
        verdict,
        blocks,
        mean=float(d.mean()) if blocks else 0.0,
        low=_bound(d, stakes, high),
        high=-_bound(-d, stakes, low),
        confidence=plan.power - plan.alpha,
        evidence=float(up[blocks - 1]) if blocks else 1.0,
        counter_evidence=float(down[blocks - 1]) if blocks else 1.0,
    )


def _stakes(d: Floats, margin: float) -> Floats:
    """Return a row of stakes for each step; each looks only at the blocks before it."""
    before = np.arange(len(d))
    mean = np.concatenate(([0.0], np.cumsum(d)))[:-1] / np.maximum(before, 1)
    square = np.concatenate(([0.0], np.cumsum(d * d)))[:-1]
    # Four blocks' worth of a middling variance, until the trial's own is known.
    variance = (np.maximum(square - before * mean**2, 0) + 4 * 0.15) / (before + 4)
    gains = margin * np.array(_STEPS)[:, None]
    return np.asarray(np.minimum(gains / (variance + gains**2), _HIGHEST_STAKE))


def _capital(gain: Floats, stakes: Floats) -> Floats:
    """Return the capital after each block, a third of it on each row of stakes."""
    logs = np.cumsum(np.log1p(stakes * gain), axis=1)
    return np.asarray(np.exp(np.minimum(logs, 600)).mean(0))


def _bound(d: Floats, stakes: Floats, limit: float) -> float:
    """Return the largest mean that the bet for larger ones has ruled out, at any block so far."""
    ruled_out, open_ = -1.0, 1.0
    for _ in range(40):
        middle = (ruled_out + open_) / 2
        fitting = np.minimum(stakes, _HIGHEST_STAKE / (1 + middle))
        worst = _capital(d - middle, fitting).max(initial=0.0)
        ruled_out, open_ = (middle, open_) if worst >= limit else (ruled_out, middle)
    return ruled_out if ruled_out > -1 + 1e-9 else -1.0


def blocks_needed(plan: Plan, deviation: float) -> int:
    """Return about how many blocks a B that is better by the margin takes to be found.

    `deviation` is the standard deviation of a block's difference.
    """
    growth = plan.margin**2 / (2 * (deviation**2 + plan.margin**2))
    return math.ceil(math.log(len(_STEPS) / plan.alpha) / growth)
