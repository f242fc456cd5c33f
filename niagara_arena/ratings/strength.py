"""Strength: how good a bot is at winning, with what the games leave open.

A regularised Plackett–Luce fit (`likelihood.py`) of all facts at once. Laws kept here:

- A pure function of the facts: any order of the input gives the same bytes.
- Nobody is infinitely strong. Strengths come from a normal distribution around the field's mean;
  how wide it is, is estimated too. The result is the average over a grid of widths, each weighed by
  how well it explains the games, so that what is not known of the width widens the intervals. A bot
  with few games stays near the middle with a wide interval, an unbeaten one does not run away.
- Games of one table and opening are not independent. How much their results go together is
  measured, and the games count for that much less; never for more than independent ones. Where
  tables were drawn from many possible ones, what depends on who meets whom counts as chance too.
- Strengths are relative to the field: their mean is 0, and the covariance is that of the
  differences from the mean. A lead of 0.1 is odds better by a tenth.
- Bots that no chain of games connects can be compared by the prior alone; the parts are reported.

Tried and left: one best width instead of a grid (intervals cover 78 % where a field is wide and
games are few), a sandwich covariance by cluster (covers 86 % at 50 games a bot where the pooled
factor covers 92 %), intervals by likelihood profile (no better than normal ones, given the width).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from niagara_arena.ratings.columns import Columns, Floats, Ints, columns, inverse
from niagara_arena.ratings.facts import Facts
from niagara_arena.ratings.likelihood import Grouping, Model, model

__all__ = ["Options", "Strengths", "fit", "fit_columns", "widened"]

WIDTHS = tuple(0.08 * 50 ** (step / 14) for step in range(15))
"""The widths of the field that are averaged over, 0.08 to 4; all equally likely beforehand."""
_TOO_SURE = 0.12
"""By how much the normal approximation is too sure where games say nothing (see `widened`)."""
_CALMEST = 0.5
"""By how much at most single games may surprise less than the fit expects; in the worlds of `make
calibrate` they hardly ever do so more. An unbeaten bot's surprise by next to nothing, and what the
games of its tables have in common, measured by that, would make thousands count for a few."""
_EXACT_ROWS = 60_000
"""Up to so many rows each width is fitted by itself; above, the games speak so loudly that one
Newton step from the common fit gives the same."""


@dataclass(frozen=True)
class Options:
    """Say how to fit."""

    seat_terms: bool = True
    """Whether seats may be worth something by themselves."""
    seat_spread: float = 0.3
    """Standard deviation of what a seat is worth, before any game was seen."""
    prior_ratio: float = 1.5
    """A guess at how much more the games of a table or cluster vary than independent ones."""
    prior_freedom: float = 4.0
    """How many degrees of freedom that guess is worth."""


@dataclass(frozen=True)
class Strengths:
    """Hold a fit: means and covariances of everything that was estimated."""

    bots: tuple[str, ...]
    mean: Floats
    """By bot: strength, as a logit; the field's mean is 0."""
    covariance: Floats
    """Of the strengths, as differences from the field's mean."""
    seat_mean: Floats
    """By kind and seat: what the seat is worth, with mean 0 over a table."""
    seat_covariance: Floats
    kinds: tuple[tuple[str, int], ...]
    spread: float
    """Estimated standard deviation of strengths in the field."""
    dispersion: float
    """How much less the games count than independent ones would; 1: not at all."""
    information: Floats
    """What the games alone say of the bots, seats taken out; for forecasts of more games."""
    games: int
    parts: tuple[tuple[str, ...], ...]
    """Bots that games connect; more than one part means that parts can hardly be compared."""


def fit(facts: Facts, options: Options | None = None) -> Strengths:
    """Estimate strengths from the facts."""
    return fit_columns(columns(facts), options)


def fit_columns(data: Columns, options: Options | None = None) -> Strengths:
    """Estimate strengths from facts that are arrays already."""
    options = options or Options()
    if not data.games:
        return _nothing()
    search = _Search(model(data, options.seat_terms), options)
    search.climb(1.0)
    search.measure_dispersion()
    search.climb(_average(search.widths()).width)
    if search.measure_dispersion():
        search.climb(_average(search.widths()).width)
    return _result(search, _average(search.widths()))


@dataclass(frozen=True)
class _Point:
    """Hold the fit at one width of the field, or the average over several."""

    width: float
    theta: Floats
    covariance: Floats
    evidence: float = 0.0


def _average(points: list[_Point]) -> _Point:
    """Weigh the points by their evidence; match the mixture's mean and covariance."""
    # The grid is even in the logarithm, so equal chances for equal steps of width weigh by width.
    log = np.array([point.evidence + math.log(point.width) for point in points])
    weights = np.exp(log - log.max())
    weights = (weights / weights.sum()).tolist()
    theta = np.zeros_like(points[0].theta)
    for weight, point in zip(weights, points, strict=True):
        theta = theta + weight * point.theta
    covariance = np.zeros_like(points[0].covariance)
    for weight, point in zip(weights, points, strict=True):
        off = point.theta - theta
        covariance = covariance + weight * (point.covariance + np.outer(off, off))
    width = sum(w * point.width for w, point in zip(weights, points, strict=True))
    return _Point(width, theta, covariance)


class _Search:
    """Climb to the most likely strengths at one width, and look around from there."""

    MOST_STEPS = 200
    FARTHEST = 2.0
    """Longest Newton step, for fields in which somebody won everything."""

    def __init__(self, laid: Model, options: Options) -> None:
        self.laid = laid
        self.options = options
        self.width = 1.0
        self.factor = 1.0
        self.theta: Floats = np.zeros(laid.parameters)
        self.chances: Floats = laid.chances(self.theta)
        self.information: Floats = laid.information(self.chances)
        self.groups: list[Grouping] = []

    def climb(self, width: float) -> None:
        """Find the most likely parameters for this width."""
        self.width = width
        for _ in range(self.MOST_STEPS):
            step = np.linalg.solve(self.hessian(), self._pull())
            length = float(np.abs(step).max())
            self.theta = self.theta + step * min(1.0, self.FARTHEST / length if length else 1.0)
            self.chances = self.laid.chances(self.theta)
            self.information = self.laid.information(self.chances)
            if length < 1e-5:  # the next step would be its square
                return

    def precision(self) -> Floats:
        """Return what is known of each parameter before any game."""
        seats = self.laid.parameters - self.laid.bots
        bot = np.full(self.laid.bots, self.width**-2)
        return np.concatenate((bot, np.full(seats, self.options.seat_spread**-2)))

    def hessian(self) -> Floats:
        """Return what games and prior say together."""
        return np.asarray(self.information / self.factor + np.diag(self.precision()))

    def _pull(self) -> Floats:
        score = self.laid.score(self.chances) / self.factor
        return np.asarray(score - self.precision() * self.theta)

    def widths(self) -> list[_Point]:
        """Return the fit at every width of the grid; this search stays where it is."""
        here = (self.width, self.theta, self.chances, self.information)
        exact = len(self.laid.data.bot) <= _EXACT_ROWS
        likely = self.laid.log_likelihood(self.chances) / self.factor
        score = self.laid.score(self.chances) / self.factor
        points = []
        for width in sorted(WIDTHS, reverse=True):
            if exact:
                self.climb(width)
                likely = self.laid.log_likelihood(self.chances) / self.factor
                points.append(self._point(self.theta, likely))
            else:
                self.width = width
                pull = score - self.precision() * self.theta
                step = np.linalg.solve(self.hessian(), pull)
                bend = step @ self.information @ step / self.factor / 2
                points.append(self._point(self.theta + step, likely + float(score @ step - bend)))
        self.width, self.theta, self.chances, self.information = here
        return points

    def _point(self, theta: Floats, likely: float) -> _Point:
        """Weigh a fit by Laplace's approximation of its evidence."""
        precision, hessian = self.precision(), self.hessian()
        evidence = likely - float(precision @ (theta * theta)) / 2
        evidence += float(np.log(precision).sum() - np.linalg.slogdet(hessian)[1]) / 2
        return _Point(self.width, theta, inverse(hessian), evidence)

    def measure_dispersion(self) -> bool:
        """Measure how the games of clusters and tables go together; tell whether that is news."""
        data, bots = self.laid.data, self.laid.bots
        spread = inverse(self.hessian())[:bots, :bots]
        if not self.groups:
            self.groups = [
                Grouping(self.laid, group)
                for group in (np.arange(data.games), data.cluster, data.table)
            ]
        # Single games set the measure: the fit takes as much from their surprises as from others'.
        # Not where hardly anything can surprise, as with a bot that wins every game.
        single = max(_CALMEST, self.groups[0].dispersion(self.chances, spread).factor)
        near, tables = (self._ratio(group, spread, single) for group in self.groups[1:])
        # Where all possible tables were played, who meets whom is no matter of chance.
        factor = near + max(0.0, tables - near) * (1 - _tables_played(data))
        factor *= _shared_wins(data)
        old, self.factor = self.factor, factor
        return abs(math.log(factor / old)) > 0.02

    def _ratio(self, group: Grouping, spread: Floats, single: float) -> float:
        if group.groups == self.laid.data.games:
            return 1.0
        found = group.dispersion(self.chances, spread)
        guess, weight = self.options.prior_ratio, self.options.prior_freedom
        seen = found.factor / single
        ratio = (seen * found.freedom + guess * weight) / (found.freedom + weight)
        return max(1.0, ratio)


def _shared_wins(data: Columns) -> float:
    """Return how much less results vary because first places are shared, at most; 1 if none are."""
    return float(data.share @ data.share) / data.games


def _tables_played(data: Columns) -> float:
    """Return which part of all possible tables was played, by kind, weighed by games."""
    played = 0.0
    for number, (_, seats) in enumerate(data.kinds):
        here = data.kind == number
        possible = math.comb(len(data.bots), seats)
        share = min(1.0, len(np.unique(data.table[here])) / possible) if possible else 1.0
        played += share * float(np.mean(here))
    return played


def _nothing() -> Strengths:
    none = np.zeros((0, 0))
    return Strengths((), none.ravel(), none, none.ravel(), none, (), 1.0, 1.0, none, 0, ())


def _result(search: _Search, found: _Point) -> Strengths:
    laid = search.laid
    bots, parameters = laid.bots, laid.parameters
    centre = _centring([bots, *(seats for _, seats in laid.data.kinds)])[:parameters, :parameters]
    mean = centre @ found.theta
    covariance = widened(centre @ found.covariance @ centre.T, bots, found.width)
    return Strengths(
        bots=laid.data.bots,
        mean=mean[:bots],
        covariance=covariance[:bots, :bots],
        seat_mean=mean[bots:],
        seat_covariance=covariance[bots:, bots:],
        kinds=laid.data.kinds,
        spread=found.width,
        dispersion=search.factor,
        information=_without_seats(search),
        games=laid.data.games,
        parts=_parts(laid.data),
    )


def widened(covariance: Floats, bots: int, width: float) -> Floats:
    """Widen a covariance for what the normal approximation of the fit leaves out.

    The more of a strength is still open, next to the width of the field, the more rests on that
    width, which is itself guessed from the same games: some fields look far narrower than they are.
    So intervals grow by 12 % of the bots' mean deviation over the width, and by next to nothing
    once games are many. Where games are fewest (400 worlds of "seats matter" in `make calibrate`,
    16 games a bot, seeds apart from those of docs/ratings.md) that covers 94.3 %, nothing 92.4 %, a
    flat 3 % 93.1 %, the quantiles of the mixture of widths 93.8 %; widths that are equally likely
    by their logarithm 88.2 %. A share that falls with games a bot does worse: games that go
    together count for less. Nearly equal fields, too wide already, get wider: by these few games
    they can't be told from wide ones that look narrow, and those are what needs the widening.
    """
    open_share = math.sqrt(float(np.mean(np.diag(covariance)[:bots]))) / width
    return np.asarray((1 + _TOO_SURE * open_share) ** 2 * covariance)


def _centring(blocks: list[int]) -> Floats:
    """Return the matrix that takes each block's mean away from it."""
    total = sum(blocks)
    found = np.eye(total)
    low = 0
    for size in blocks:
        found[low : low + size, low : low + size] -= 1 / size
        low += size
    return found


def _without_seats(search: _Search) -> Floats:
    """Return the games' information on the bots, with the seats' worth taken as unknown."""
    bots = search.laid.bots
    whole = search.information / search.factor
    if search.laid.parameters == bots:
        return np.asarray(whole)
    seats = whole[bots:, bots:] + np.diag(search.precision()[bots:])
    cross = whole[:bots, bots:]
    return np.asarray(whole[:bots, :bots] - cross @ np.linalg.solve(seats, cross.T))


def _parts(data: Columns) -> tuple[tuple[str, ...], ...]:
    """Group the bots that games connect, the largest group first."""
    leader = list(range(len(data.bots)))

    def find(bot: int) -> int:
        while leader[bot] != bot:
            leader[bot] = leader[leader[bot]]
            bot = leader[bot]
        return bot

    first: Ints = data.bot[np.cumsum(data.size) - data.size][data.game]
    for pair in np.unique(first * len(data.bots) + data.bot).tolist():
        a, b = find(pair // len(data.bots)), find(pair % len(data.bots))
        leader[max(a, b)] = min(a, b)
    parts: dict[int, list[str]] = {}
    for number, bot in enumerate(data.bots):
        parts.setdefault(find(number), []).append(bot)
    return tuple(tuple(part) for part in sorted(parts.values(), key=lambda p: (-len(p), p)))
