"""Do ratings foretell games? Fit the first half of a schedule, forecast the second, keep score.

Simulated worlds that follow the model can't show that the model fits Niagara; forecasts of games
that were really played can.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from niagara_arena.errors import InputError
from niagara_arena.ratings.columns import Columns, Floats, columns
from niagara_arena.ratings.facts import Facts
from niagara_arena.ratings.likelihood import model
from niagara_arena.ratings.standing import draws
from niagara_arena.ratings.strength import Strengths, fit

__all__ = ["Bin", "Forecast", "forecast", "half_split"]

_DRAWS = 200
BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Bin:
    """Compare forecasts of about one size with what happened."""

    low: float
    high: float
    forecasts: int
    claimed: float
    """Mean forecast."""
    observed: float
    """Part of them that came true; shared first places count in part."""


@dataclass(frozen=True)
class Forecast:
    """Hold how well forecasts of games did."""

    fitted: int
    """Games that the forecasts were made from."""
    scored: int
    """Games that were forecast; those with a bot never seen before are left out."""
    log_loss: float
    """Mean −log of the chance given to who came first; smaller is better."""
    uniform_loss: float
    """The same for a forecaster who knows nothing: every seat alike."""
    calibration: tuple[Bin, ...]


def half_split(facts: Facts, part: float = 0.5) -> Forecast:
    """Fit the first part of the facts, in the order of the schedule, and forecast the rest."""
    cut = round(len(facts.games) * part)
    if cut < 1 or cut >= len(facts.games):
        raise InputError(f"{len(facts.games)} games can't be split to be forecast")
    return forecast(fit(Facts(facts.games[:cut])), Facts(facts.games[cut:]))


def forecast(strengths: Strengths, facts: Facts) -> Forecast:
    """Forecast who comes first in each of the games, and keep score."""
    known = set(strengths.bots)
    games = tuple(game for game in facts.games if known.issuperset(game.seats))
    if not games:
        raise InputError("none of the games to forecast has only bots that were rated")
    data = columns(Facts(games))
    chances = _chances(strengths, data)
    won = data.share > 0
    loss = -float(np.sum(data.share[won] * np.log(chances[won]))) / data.games
    uniform = float(np.mean(np.log(data.size)))
    return Forecast(strengths.games, data.games, loss, uniform, _calibration(chances, data.share))


def _chances(strengths: Strengths, data: Columns) -> Floats:
    """Return the chances by row, averaged over what is left open about strengths."""
    place = {bot: i for i, bot in enumerate(strengths.bots)}
    index = np.array([place[bot] for bot in data.bots])
    seats = _seats(strengths, data)
    laid = model(data)
    found = np.zeros(len(data.bot))
    for drawn in draws(strengths.mean, strengths.covariance)[:_DRAWS]:
        found += laid.chances(np.concatenate((drawn[index], seats)))
    return found / _DRAWS


def _seats(strengths: Strengths, data: Columns) -> Floats:
    """Return what seats are worth, in the order of the data's kinds; 0 where nothing is known."""
    known, place = {}, 0
    for kind in strengths.kinds:
        known[kind] = strengths.seat_mean[place : place + kind[1]]
        place += kind[1]
    parts = []
    for kind in data.kinds:
        part = known.get(kind)
        parts.append(part if part is not None and len(part) else np.zeros(kind[1]))
    return np.concatenate(parts)


def _calibration(chances: Floats, share: Floats) -> tuple[Bin, ...]:
    found = []
    for low, high in pairwise(BINS):
        here = (chances >= low) & ((chances < high) | math.isclose(high, 1.0))
        if count := int(here.sum()):
            claimed, observed = float(chances[here].mean()), float(share[here].mean())
            found.append(Bin(low, high, count, claimed, observed))
    return tuple(found)
