"""What a strength fit says of the order: who is first, who shares a rank, what is still open.

Ranks are shared where the games can't separate: a bot's rank is 1 + the number of bots that are
better with a probability of at least 0.95. Chances that involve more than two bots at once come
from a fixed number of draws with a fixed seed, taken in the order of the bots' ids: equal fits give
equal numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from niagara_arena.ratings.columns import Floats
from niagara_arena.ratings.strength import Strengths

__all__ = ["CERTAIN", "SeatEffect", "Standing", "Z", "better", "seat_effects", "standings"]

CERTAIN = 0.95
"""How sure a claim must be."""
Z = 1.959963984540054
"""Standard deviations on either side of a 95 % interval."""
DRAWS = 10_000
SEED = 20_061_216


@dataclass(frozen=True)
class Standing:
    """Say where one bot stands by strength."""

    bot: str
    strength: float
    """Logit; the field's mean is 0."""
    low: float
    high: float
    """The 95 % interval."""
    win_chance: float
    """Chance to win at a table with others drawn from the field, in a seat of no advantage."""
    win_low: float
    win_high: float
    first: float
    """Chance to be the strongest of all."""
    rank: int
    """1 + the number of bots that are better with a probability of at least 0.95."""
    rank_best: int
    rank_worst: int
    """The range that holds its true rank with 95 %."""


@dataclass(frozen=True)
class SeatEffect:
    """Say what a seat is worth, at tables of one ruleset and size."""

    rules: str
    seats: int
    seat: int
    worth: float
    """Logit; the mean over the table is 0."""
    low: float
    high: float
    chance: float
    """Chance to win in this seat among bots of equal strength."""


def normal(x: float) -> float:
    """Return the chance that a standard normal number is below x."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def better(strengths: Strengths) -> Floats:
    """Return the matrix of chances that the row's bot is stronger than the column's."""
    mean, covariance = strengths.mean, strengths.covariance
    own = np.diag(covariance)
    variance = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 1e-12)
    gap = (mean[:, None] - mean[None, :]) / np.sqrt(2 * variance)
    found = np.array([0.5 * math.erfc(-x) for x in gap.ravel().tolist()])
    return found.reshape(gap.shape)


def draws(mean: Floats, covariance: Floats) -> Floats:
    """Draw strengths of the whole field, one draw a row, always the same for the same fit."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    # An eigenvector's sign is the library's whim: fix it, so that equal fits draw equally.
    root = root * np.where(root[np.abs(root).argmax(0), np.arange(len(mean))] < 0, -1, 1)
    noise = np.random.default_rng(SEED).standard_normal((DRAWS, len(mean)))
    return np.asarray(mean + noise @ root.T)


def standings(strengths: Strengths, seats: int) -> list[Standing]:
    """Return every bot's standing, by id; win chances are for tables of `seats` seats."""
    count = len(strengths.bots)
    if not count:
        return []
    drawn = draws(strengths.mean, strengths.covariance)
    first = np.bincount(drawn.argmax(1), minlength=count) / len(drawn)
    best, worst = _rank_ranges(drawn)
    ranks = 1 + (better(strengths) >= CERTAIN).sum(0)
    half = Z * np.sqrt(np.diag(strengths.covariance))
    chances = [win_chances(strengths.mean, seats, shift) for shift in (half * 0, -half, half)]
    return [
        Standing(
            bot,
            strength=float(strengths.mean[i]),
            low=float(strengths.mean[i] - half[i]),
            high=float(strengths.mean[i] + half[i]),
            win_chance=float(chances[0][i]),
            win_low=float(chances[1][i]),
            win_high=float(chances[2][i]),
            first=float(first[i]),
            rank=int(ranks[i]),
            rank_best=int(best[i]),
            rank_worst=int(worst[i]),
        )
        for i, bot in enumerate(strengths.bots)
    ]


def _rank_ranges(drawn: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(-drawn, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, drawn.shape[1] + 1)[None, :], axis=1)
    ranks.sort(axis=0)
    cut = int(len(ranks) * (1 - CERTAIN) / 2)
    return ranks[cut], ranks[-1 - cut]


def win_chances(mean: Floats, seats: int, shift: Floats) -> Floats:
    """Return each bot's chance to win against others drawn from the field without return.

    `shift` moves the one bot looked at, not its opponents. With a = exp(strength) and S the sum
    over the others, a / (a + S) is the integral of a·exp(−a·t)·exp(−S·t) over t, and the mean of
    exp(−S·t) over all tables is an elementary symmetric polynomial: exact for every table at once.
    """
    count = len(mean)
    others = min(seats, count) - 1
    if others < 1:
        return np.ones(count)
    top = float(max(mean.max(), (mean + shift).max()))
    weight, own = np.exp(mean - top), np.exp(mean + shift - top)
    step = 0.2  # the integrand is smooth and falls off doubly exponentially: the sum is exact
    t = np.exp(np.arange(-20, 24, step))[:, None]
    rest = _symmetric_without(np.exp(-weight * t), others)
    return np.asarray(np.minimum((own * t * np.exp(-own * t) * rest).sum(0) * step, 1.0))


def _symmetric_without(values: Floats, degree: int) -> Floats:
    """Return, for each value of a row, the mean product of `degree` of the row's other values.

    By E_d(without x) = E_d − x·E_(d−1)(without x), where E_d is the sum over all products of d.
    """
    rows, count = values.shape
    whole = np.zeros((rows, degree + 1))
    whole[:, 0] = 1.0
    for column in range(count):
        whole[:, 1:] = whole[:, 1:] + values[:, column, None] * whole[:, :-1]
    without = np.ones((rows, count))
    for d in range(1, degree + 1):
        without = whole[:, d, None] - values * without
    return np.asarray(np.maximum(without, 0) / math.comb(count - 1, degree))


def seat_effects(strengths: Strengths) -> list[SeatEffect]:
    """Return what the seats are worth, for every ruleset and table size."""
    found, place = [], 0
    if not len(strengths.seat_mean):
        return []
    for rules, seats in strengths.kinds:
        part = strengths.seat_mean[place : place + seats]
        chances = np.exp(part) / np.exp(part).sum()
        for seat in range(seats):
            worth = float(part[seat])
            half = Z * math.sqrt(float(strengths.seat_covariance[place + seat, place + seat]))
            chance = float(chances[seat])
            low, high = worth - half, worth + half
            found.append(SeatEffect(rules, seats, seat, worth, low, high, chance))
        place += seats
    return found
