"""TrueSkill on placings: the only module that imports `trueskill`.

Laws kept here:

- Games are rated in the order of the schedule (`facts.select`), with tau = 0: a submission never
  changes. A state goes in, a state comes out, so rating can go on from a kept state.
- A kept state proves that it fits: it holds a digest of all that was rated, and what does not
  match the facts any more (a late game, an annulled one) is thrown away and rated again.
- Seats that share a placing are treated alike. The library chains tied seats in the order in which
  they are handed in, so the first in the chain gains on the last in every game: identical bots end
  11 sigma apart after 1,000 games in the order of their ids. Here a tie group is ordered by current
  mu, then id, which turns the chain's pull into one towards each other.
- A game that the library cannot compute (FloatingPointError and the like: a sure loser won) changes
  nothing and is named in the state.

The library hands out the formulas (draw margin, the truncated Gaussian's v and w) and `_update`
passes the messages of the library's own factor graph, in its order and with its stopping rule,
but in plain floats: equal to `TrueSkill.rate` to 1e-9 (tests) in an eighth of the time. The
back end is C's erfc through `math`, which keeps its digits much further out than the library's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import trueskill
from msgspec import Struct

from niagara_arena.ratings.facts import Digest, Facts
from niagara_arena.records import RatedGame

__all__ = ["DRAW_PROBABILITY", "Skill", "SkillState", "Skipped", "rate", "start"]

MU = 25.0
SIGMA = 25.0 / 3
BETA = 25.0 / 6
DRAW_PROBABILITY = 0.1
"""The chance of a tie that the library derives its draw margin from; its own default."""

_MOST_PASSES = 10
_SMALL_CHANGE = 0.0001
"""The library's limits of the message passing."""


class Skill(Struct, frozen=True, array_like=True):
    """Hold a bot's rating."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def low(self) -> float:
        """Return mu − 3 sigma, what the bot is worth almost surely."""
        return self.mu - 3 * self.sigma


class Skipped(Struct, frozen=True):
    """Name a game that could not be rated, and why."""

    game: str
    tournament: str
    why: str


class SkillState(Struct, frozen=True):
    """Hold the ratings after some games; can be kept as JSON and gone on from."""

    draw_probability: float
    games: int
    """How many games were rated, from the first on."""
    digest: str
    """SHA-256 over what was rated: proves that the first `games` facts are still the same."""
    skills: dict[str, Skill]
    skipped: tuple[Skipped, ...] = ()

    def of(self, bot: str) -> Skill:
        """Return the bot's rating, the initial one if it has not played."""
        return self.skills.get(bot, Skill())


def start(draw_probability: float = DRAW_PROBABILITY) -> SkillState:
    """Return the state before any game."""
    return SkillState(draw_probability, 0, Digest().text(), {})


def rate(facts: Facts, kept: SkillState | None = None) -> SkillState:
    """Rate all facts, going on from the kept state where it fits them."""
    state = kept or start()
    games = facts.games
    digest = Digest(games[: state.games])
    if state.games > len(games) or state.digest != digest.text():
        state, digest = start(state.draw_probability), Digest()
    digest.add(games[state.games :])
    skills, skipped = _advance(state, games[state.games :])
    return SkillState(
        state.draw_probability,
        len(games),
        digest.text(),
        dict(sorted(skills.items())),
        (*state.skipped, *skipped),
    )


def _advance(
    state: SkillState, games: Sequence[RatedGame]
) -> tuple[dict[str, Skill], list[Skipped]]:
    """Return the ratings after further games, and which of them could not be rated."""
    formulas = _Formulas(state.draw_probability)
    skills = dict(state.skills)
    skipped = []
    for game in games:
        try:
            skills.update(_after(game, skills, formulas))
        except (ArithmeticError, ValueError):  # a vanishing divisor, the root of a negative
            why = (
                "TrueSkill cannot compute it: by the ratings before it, what happened "
                "was all but impossible"
            )
            skipped.append(Skipped(game.game, game.tournament, why))
    return skills, skipped


def _after(game: RatedGame, skills: dict[str, Skill], formulas: _Formulas) -> dict[str, Skill]:
    """Return the ratings of the game's bots after it."""
    before = [skills.get(bot, Skill()) for bot in game.seats]
    order = sorted(
        range(len(before)),
        key=lambda seat: (game.placings[seat], -before[seat].mu, game.seats[seat]),
    )
    ties = [game.placings[a] == game.placings[b] for a, b in pairwise(order)]
    gains = _update([before[seat] for seat in order], ties, formulas)
    after: dict[str, tuple[float, float]] = {}
    for seat, (precision, weighted) in zip(order, gains, strict=True):
        bot, old = game.seats[seat], before[seat]
        # A bot that sits twice learns from both seats: Gaussian messages multiply.
        base = after.get(bot) or (old.sigma**-2, old.mu * old.sigma**-2)
        after[bot] = (base[0] + precision, base[1] + weighted)
    return {bot: Skill(w / p, math.sqrt(1 / p)) for bot, (p, w) in after.items()}


class _Formulas:
    """Offer the library's formulas for one draw probability."""

    def __init__(self, draw_probability: float) -> None:
        root2, root2pi = math.sqrt(2), math.sqrt(2 * math.pi)
        backend = (
            lambda x: 0.5 * math.erfc(-x / root2),
            lambda x: math.exp(-x * x / 2) / root2pi,
            NormalDist().inv_cdf,
        )
        library: Any = trueskill.TrueSkill(
            MU, SIGMA, BETA, tau=0, draw_probability=draw_probability, backend=backend
        )
        self.margin: float = trueskill.calc_draw_margin(draw_probability, 2, library)
        self.win = (library.v_win, library.w_win)
        self.draw = (library.v_draw, library.w_draw)


class _Link:
    """Compare two neighbours in the chain of placings: the library's sum and truncate factors."""

    __slots__ = ("message", "tie")

    def __init__(self, tie: bool) -> None:
        self.tie = tie
        self.message = (0.0, 0.0)
        """What the comparison says of the difference: precision, and precision times mean."""

    def compare(
        self, above: tuple[float, float], below: tuple[float, float], formulas: _Formulas
    ) -> float:
        """Take in what else is known of both; return how much that changed."""
        precision = 1 / (1 / above[0] + 1 / below[0])
        weighted = precision * (above[1] / above[0] - below[1] / below[0])
        root = math.sqrt(precision)
        v, w = formulas.draw if self.tie else formulas.win
        gap, margin = weighted / root, formulas.margin * root
        keep = 1 - w(gap, margin)
        new = (precision / keep - precision, (weighted + root * v(gap, margin)) / keep - weighted)
        old, self.message = self.message, new
        return float(max(abs(new[1] - old[1]), math.sqrt(abs(new[0] - old[0]))))

    def tell(self, other: tuple[float, float], sign: int) -> tuple[float, float]:
        """Return the message to one neighbour, by what is known of the other."""
        if not self.message[0]:
            return 0.0, 0.0
        precision = 1 / (1 / other[0] + 1 / self.message[0])
        mean = other[1] / other[0] + sign * self.message[1] / self.message[0]
        return precision, precision * mean


def _update(
    skills: Sequence[Skill], ties: Sequence[bool], formulas: _Formulas
) -> list[tuple[float, float]]:
    """Return what a game adds to each rating's precision, and to precision times mean.

    The skills are in the order of the placings; `ties[i]` says that i and i + 1 share theirs.
    """
    known = [(p := 1 / (s.sigma**2 + BETA**2), p * s.mu) for s in skills]
    down = [(0.0, 0.0)] * len(skills)  # by the link above
    up = [(0.0, 0.0)] * len(skills)  # by the link below
    links = [_Link(tie) for tie in ties]

    def above(x: int) -> tuple[float, float]:
        return known[x][0] + down[x][0], known[x][1] + down[x][1]

    def below(x: int) -> tuple[float, float]:
        return known[x + 1][0] + up[x + 1][0], known[x + 1][1] + up[x + 1][1]

    last = len(links) - 1
    for _ in range(_MOST_PASSES):
        change = 0.0
        for x in range(max(last, 1)):
            change = max(change, links[x].compare(above(x), below(x), formulas))
            if last:
                down[x + 1] = links[x].tell(above(x), -1)
        for x in range(last, 0, -1):
            change = max(change, links[x].compare(above(x), below(x), formulas))
            up[x] = links[x].tell(below(x), 1)
        if change <= _SMALL_CHANGE:
            break
    up[0] = links[0].tell(below(0), 1)
    down[last + 1] = links[last].tell(above(last), -1)
    gains = []
    for x in range(len(skills)):
        precision, weighted = up[x][0] + down[x][0], up[x][1] + down[x][1]
        share = 1 / (1 + BETA**2 * precision)
        gains.append((share * precision, share * weighted))
    return gains
