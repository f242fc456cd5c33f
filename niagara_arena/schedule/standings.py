"""Points, and the order of a Swiss tournament by them, with its published tie-breaks.

A game's points go from 1 for being alone in front to 0 for being alone at the back, ties share; a
match gives the mean of its games. All is counted in whole parts of a point, so that sums are exact.

1. Points.
2. Strength of the opponents met: the mean of their points, each as often as it was met.
3. Head to head: in the games among those still tied, how often ahead less how often behind.
4. Games won.
5. The submission's id: an order must be strict somewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import lcm

from msgspec import Struct

from niagara_arena.schedule.spec import MAX_GAMES_A_MATCH

__all__ = ["POINT", "Outcome", "Place", "Score", "game_points", "scores", "standings"]

POINT = 120 * lcm(*range(1, MAX_GAMES_A_MATCH + 1))
"""One point: divisible by what a place is worth at any table, and that by any number of games."""


class Outcome(Struct, frozen=True):
    """Hold what standings need of one game."""

    match: str
    seats: tuple[str, ...]
    placings: tuple[int, ...]
    """Empty for a void game."""
    forfeited: tuple[bool, ...] = ()
    winners: tuple[int, ...] = ()
    """The seats that won; to be first where nobody won is no win [N-5.3]."""


class Score(Struct):
    """Add up one entrant's games."""

    points: int = 0
    games: int = 0
    wins: int = 0
    forfeits: int = 0
    met: dict[str, int] = {}
    """Other submissions → how many matches together."""
    seats: tuple[int, ...] = (0,) * 6


class Place(Struct, frozen=True):
    """Hold one line of the standings."""

    rank: int
    submission: str
    points: float
    opponents: float
    """Mean points of the opponents met."""
    head_to_head: int
    wins: int
    games: int
    forfeits: int


def game_points(placings: Sequence[int]) -> list[int]:
    """Return each seat's points of one game, in parts of POINT."""
    last = len(placings) - 1
    points = []
    for placing in placings:
        tied = placings.count(placing)
        points.append(POINT * (2 * (last + 1 - placing) - (tied - 1)) // (2 * last))
    return points


def scores(outcomes: Iterable[Outcome], entrants: Iterable[str]) -> dict[str, Score]:
    """Add up games; a void game is half a point for everybody, so that it costs nobody."""
    table = {name: Score(met={}) for name in entrants}
    by_match = groupby(outcomes, key=lambda outcome: outcome.match)
    for _, grouped in by_match:
        games = list(grouped)
        sums: dict[str, int] = dict.fromkeys(games[0].seats, 0)
        for game in games:
            points = game_points(game.placings) if game.placings else []
            for seat, name in enumerate(game.seats):
                score = table[name]
                counts = list(score.seats)
                counts[seat] += 1
                score.seats = tuple(counts)
                if not points:
                    sums[name] += POINT // 2
                    continue
                sums[name] += points[seat]
                score.games += 1
                score.wins += seat in game.winners
                score.forfeits += bool(game.forfeited) and game.forfeited[seat]
        for name, total in sums.items():
            table[name].points += total // len(games)
            for other in sums:
                if other != name:
                    table[name].met[other] = table[name].met.get(other, 0) + 1
    return table


def standings(outcomes: Sequence[Outcome], entrants: Sequence[str]) -> list[Place]:
    """Return the order of the entrants, best first."""
    table = scores(outcomes, entrants)
    strength = {name: _strength(table, table[name].met) for name in entrants}

    def level(name: str) -> tuple[int, Fraction]:
        return (-table[name].points, -strength[name])

    places: list[Place] = []
    for _, tied in groupby(sorted(entrants, key=lambda name: (level(name), name)), key=level):
        group = list(tied)
        against = _head_to_head(outcomes, group) if len(group) > 1 else {group[0]: 0}
        for name in sorted(group, key=lambda n: (-against[n], -table[n].wins, n)):
            score = table[name]
            places.append(
                Place(
                    rank=len(places) + 1,
                    submission=name,
                    points=score.points / POINT,
                    opponents=float(strength[name] / POINT),
                    head_to_head=against[name],
                    wins=score.wins,
                    games=score.games,
                    forfeits=score.forfeits,
                )
            )
    return places


def _strength(table: Mapping[str, Score], met: Mapping[str, int]) -> Fraction:
    times = sum(met.values())
    if not times:
        return Fraction(0)
    return Fraction(sum(table[other].points * count for other, count in met.items()), times)


def _head_to_head(outcomes: Sequence[Outcome], group: Sequence[str]) -> dict[str, int]:
    """Count for each of a tied group how often it was ahead of others less how often behind."""
    inside = set(group)
    against = dict.fromkeys(group, 0)
    for game in outcomes:
        if not game.placings:
            continue
        here = [(n, p) for n, p in zip(game.seats, game.placings, strict=True) if n in inside]
        for name, placing in here:
            against[name] += sum((placing < other) - (placing > other) for _, other in here)
    return against
