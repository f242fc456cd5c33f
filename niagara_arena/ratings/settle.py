"""When a tournament may stop: the leader is known, near enough.

The rule: stop when P(leader within ε of the best) ≥ 0.95, where the leader is the strongest by the
fit and ε is a lead in logits that nobody cares about. Asking the question after every block does
no harm: the chance is a statement about what is known now, not an error rate of one look; `make
calibrate` measures how often the leader of a stopped tournament is within ε of the best.

`how_many` looks ahead: with the strengths as they are now and f times the games, how sure would we
be? A tournament whose games repeat (deterministic bots, openings used up) will never get there and
is told so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from niagara_arena.ratings.columns import Floats, inverse
from niagara_arena.ratings.facts import Facts, select
from niagara_arena.ratings.standing import CERTAIN, draws, normal
from niagara_arena.ratings.strength import Strengths, fit, widened
from niagara_arena.records import RatedGame

__all__ = ["EPSILON", "Decision", "Outlook", "State", "decide", "outlook"]

EPSILON = 0.2
"""A lead in logits that nobody cares about: at a table of four, 29 % of wins instead of 25 %."""
_MOST_CONTENDERS = 60
_FARTHEST = 2.0**20
"""The longest look ahead, in multiples of the games played."""


class State(StrEnum):
    """Name what a tournament that runs until it is settled should do next."""

    GO_ON = "go on"
    SETTLED = "settled"
    NO_NEWS = "no new information"
    CAP = "cap reached"


@dataclass(frozen=True)
class Outlook:
    """Say how sure the leader is, and what it would take to be sure."""

    leader: str
    """Empty without games."""
    sure: float
    """P(leader within ε of the best)."""
    epsilon: float
    games: int
    more: int | None
    """How many more games would settle it, if strengths are as they seem; None: no end in sight."""

    @property
    def sure_text(self) -> str:
        """Say how sure, without claiming more than the draws can show."""
        return f"{self.sure:.1%}" if self.sure < 0.9995 else "more than 99.9%"

    @property
    def settled(self) -> bool:
        """Tell whether the leader is known, near enough."""
        return self.sure >= CERTAIN


@dataclass(frozen=True)
class Decision:
    """Say whether to go on, and why, in a sentence."""

    state: State
    outlook: Outlook
    sentence: str


def outlook(strengths: Strengths, epsilon: float = EPSILON) -> Outlook:
    """Judge how settled the top is."""
    if not strengths.bots:
        return Outlook("", 0.0, epsilon, 0, None)
    top = int(np.argmax(strengths.mean))
    close = _contenders(strengths, top, epsilon)
    now = _sure(strengths.mean, strengths.covariance, close, epsilon)
    more = 0 if now >= CERTAIN else _how_many(strengths, close, epsilon)
    return Outlook(strengths.bots[top], now, epsilon, strengths.games, more)


def _contenders(strengths: Strengths, top: int, epsilon: float) -> list[int]:
    """Return the leader, then who may be better than it by more than ε, the likeliest first."""
    mean, covariance = strengths.mean, strengths.covariance
    chances = []
    for i in range(len(mean)):
        variance = covariance[i, i] + covariance[top, top] - 2 * covariance[i, top]
        gap = (mean[i] - mean[top] - epsilon) / math.sqrt(max(float(variance), 1e-12))
        chances.append((-normal(gap), i))
    close = [i for chance, i in sorted(chances) if i != top and -chance > 1e-6]
    return [top, *close[: _MOST_CONTENDERS - 1]]


def _sure(mean: Floats, covariance: Floats, close: list[int], epsilon: float) -> float:
    drawn = draws(mean[close], covariance[np.ix_(close, close)])
    return float(np.mean(drawn[:, 0] >= drawn.max(1) - epsilon))


def _how_many(strengths: Strengths, close: list[int], epsilon: float) -> int | None:
    """Search the number of further games, on a scale of a twentieth."""
    count = len(strengths.bots)
    prior = np.eye(count) * strengths.spread**-2
    centre = np.eye(count) - 1 / count

    def sure(times: float) -> float:
        covariance = inverse(strengths.information * times + prior)
        covariance = widened(centre @ covariance @ centre, count, strengths.spread)
        return _sure(strengths.mean, covariance, close, epsilon)

    high = 2.0
    while sure(high) < CERTAIN:
        high *= 2
        if high > _FARTHEST:
            return None
    low = high / 2
    while high / low > 1.05:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if sure(middle) >= CERTAIN else (middle, high)
    return _rounded(max(1.0, (high - 1) * strengths.games))


def _rounded(games: float) -> int:
    """Return the number to two digits: more would pretend to know."""
    digits = max(0, math.floor(math.log10(games)) - 1)
    unit = int(10**digits)
    return math.ceil(games / unit) * unit


def decide(
    games: Iterable[RatedGame],
    *,
    epsilon: float = EPSILON,
    cap: int | None = None,
    counted_before: int | None = None,
) -> Decision:
    """Say at the border of a heat or block whether the tournament should go on.

    `games` are all that were played so far, `cap` the most games to play, `counted_before` the
    number of games that counted at the last border (`Decision.outlook.games`).
    """
    facts = select(games)
    found = outlook(fit(facts), epsilon)
    played = len(facts.games) + facts.void + facts.annulled + facts.duplicates
    if found.settled:
        sentence = f"the leader is within {epsilon:g} of the best with {found.sure_text}"
        return Decision(State.SETTLED, found, sentence)
    if counted_before is not None and counted_before >= len(facts.games):
        return Decision(State.NO_NEWS, found, _no_news(facts))
    if cap is not None and played >= cap:
        sentence = f"{played} games were played, and the leader is sure to {found.sure:.1%} only"
        return Decision(State.CAP, found, sentence)
    ahead = f"about {found.more} more games" if found.more else "no number of games"
    sentence = f"the leader is sure to {found.sure:.1%}; {ahead} would settle it"
    return Decision(State.GO_ON, found, sentence)


def _no_news(facts: Facts) -> str:
    return (
        f"no game since the last border told anything new "
        f"({facts.duplicates} of all games repeat an earlier one)"
    )
