"""The winner-only Plackett–Luce likelihood: who comes first, among those at the table.

The chance that a seat comes first is exp(u) over the sum of exp(u) at its table, where u is the
strength of its bot plus, if wanted, what the seat itself is worth. Co-winners share the game's
weight of 1. A game without a winner (round limit) counts for those it places first.

Everything is a sum over games of small terms, collected by `bincount` one pair of seats at a time;
that is what makes 100,000 games a matter of a second, however many bots there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from niagara_arena.ratings.columns import Columns, Floats, Ints, summed

__all__ = ["Grouping", "Model", "Spread", "model"]


@dataclass(frozen=True)
class Model:
    """Tie the rows to parameters: first the bots, then the seats of each kind of table."""

    data: Columns
    bots: int
    parameters: int
    seat: Ints | None
    """By row: the seat's parameter; None without seat terms."""
    begin: Ints
    """By game: its first row."""
    tables: tuple[tuple[Ints, int | None], ...]
    """By kind: the rows of each game, and the parameter of its first seat."""

    def chances(self, theta: Floats) -> Floats:
        """Return, by row, the chance to come first."""
        data = self.data
        u = theta[data.bot]
        if self.seat is not None:
            u = u + theta[self.seat]
        u = np.exp(u - np.maximum.reduceat(u, self.begin)[data.game])
        total: Floats = np.add.reduceat(u, self.begin)
        return np.asarray(u / total[data.game])

    def score(self, chances: Floats) -> Floats:
        """Return the gradient of the log-likelihood."""
        left = self.data.share - chances
        found = summed(self.data.bot, left, self.parameters)
        if self.seat is not None:
            found += summed(self.seat, left, self.parameters)
        return np.asarray(found, dtype=np.float64)

    def log_likelihood(self, chances: Floats) -> float:
        """Return the log-likelihood of what happened."""
        share = self.data.share
        won = share > 0
        return float(np.sum(share[won] * np.log(chances[won])))

    def information(self, chances: Floats) -> Floats:
        """Return the negative second derivative of the log-likelihood."""
        data, n = self.data, self.parameters
        found = np.zeros((n, n))
        own = summed(data.bot, chances, n)
        if self.seat is not None:
            own += summed(self.seat, chances, n)
            cross = summed(data.bot * n + self.seat, chances, n * n).reshape(n, n)
            found += cross + cross.T
        found[np.arange(n), np.arange(n)] += own
        return np.asarray(found - self._products(chances), dtype=np.float64)

    def _products(self, chances: Floats) -> Floats:
        """Return the sum over games of the outer product of their expected features."""
        n = self.parameters
        upper: Floats = np.zeros(n * n)
        found: Floats = np.zeros((n, n))
        for rows, offset in self.tables:
            bot, p = self.data.bot[rows], chances[rows]
            seats = range(rows.shape[1])
            for a in seats:
                found[np.arange(n), np.arange(n)] += summed(bot[:, a], p[:, a] ** 2, n)
                for b in seats[a + 1 :]:
                    upper += summed(bot[:, a] * n + bot[:, b], p[:, a] * p[:, b], n * n)
            if offset is None:
                continue
            found[offset : offset + len(seats), offset : offset + len(seats)] += p.T @ p
            for b in seats:
                for a in seats:
                    upper[offset + b :: n] += summed(bot[:, a], p[:, a] * p[:, b], n)
        square = upper.reshape(n, n)
        return np.asarray(found + square + square.T, dtype=np.float64)


def model(data: Columns, seat_terms: bool = True) -> Model:
    """Lay out the parameters for these games."""
    bots = len(data.bots)
    begin = np.concatenate(([0], np.cumsum(data.size)[:-1])).astype(np.int64)
    sizes = np.array([seats for _, seats in data.kinds], dtype=np.int64)
    offset = bots + np.cumsum(sizes) - sizes
    tables = []
    for kind, seats in enumerate(sizes.tolist()):
        rows = begin[data.kind == kind][:, None] + np.arange(seats)
        tables.append((rows, int(offset[kind]) if seat_terms else None))
    if not seat_terms:
        return Model(data, bots, bots, None, begin, tuple(tables))
    seat = offset[data.kind[data.game]] + data.seat
    return Model(data, bots, bots + int(sizes.sum()), seat, begin, tuple(tables))


class Grouping:
    """Know which bots sit in which group of games, to measure how its games go together."""

    def __init__(self, fitted: Model, group: Ints) -> None:
        data, bots = fitted.data, fitted.bots
        self.fitted, self.group = fitted, group
        self.groups = int(group.max()) + 1
        pairs, place = np.unique(group[data.game] * bots + data.bot, return_inverse=True)
        owner = pairs // bots
        first = np.searchsorted(owner, np.arange(self.groups))
        self.width = int(np.bincount(owner, minlength=self.groups).max())
        self.local = place - first[owner[place]]
        self.members = np.zeros((self.groups, self.width), dtype=np.int64)
        self.members[owner, np.arange(len(pairs)) - first[owner]] = pairs % bots

    def dispersion(self, chances: Floats, spread: Floats) -> Spread:
        """Compare how much groups of games vary with what independent games would.

        `spread` is the covariance of the bots' strengths as far as it is known. A group's surprise
        is, bot by bot, its wins less what was expected; weighed by `spread`, that is the part of it
        that moves strengths. The fit has followed the surprises, which makes them look smaller
        than they were; the second sum puts back what it took.
        """
        surprise, expected = self._sums(chances)
        weight = spread[self.members[:, :, None], self.members[:, None, :]]
        seen = float(np.einsum("ci,cij,cj->", surprise, weight, surprise))
        product = weight @ expected
        plain = float(np.einsum("cii->", product))
        taken = float(np.einsum("cij,cji->", product, product))
        if plain <= 0 or taken <= 0:
            return Spread(1.0, 0.0)
        return Spread((seen + taken) / plain, plain * plain / taken)

    def _sums(self, chances: Floats) -> tuple[Floats, Floats]:
        """Return by group: surprise by member, and information of the members."""
        data, groups, width = self.fitted.data, self.groups, self.width
        slot = self.group[data.game] * width + self.local
        surprise = summed(slot, data.share - chances, groups * width)
        own = summed(slot, chances, groups * width).reshape(groups, width)
        mean = summed(data.game * width + self.local, chances, data.games * width)
        mean = mean.reshape(data.games, width)
        expected = -_sum_by(mean[:, :, None] * mean[:, None, :], self.group, groups)
        expected[:, np.arange(width), np.arange(width)] += own
        return surprise.reshape(groups, width), expected


def _sum_by(values: Floats, group: Ints, groups: int) -> Floats:
    if groups == len(values) and bool(np.all(group == np.arange(groups))):
        return values
    order = np.argsort(group, kind="stable")
    begin = np.searchsorted(group[order], np.arange(groups))
    return np.asarray(np.add.reduceat(values[order], begin, axis=0))


@dataclass(frozen=True)
class Spread:
    """Say how much more groups of games vary than independent games would."""

    factor: float
    """Variance of the groups' surprises over the model's."""
    freedom: float
    """How many independent squares the factor rests on."""
