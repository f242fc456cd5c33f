"""Stop when the leader is known, near enough: the ratings' stopping rule at a tournament's borders.

Apart from `session`, as ratings bring numpy along.
"""

from __future__ import annotations

from niagara_arena.ratings.facts import select
from niagara_arena.ratings.settle import EPSILON, State, decide
from niagara_arena.records import RatedGame
from niagara_arena.store import Store
from niagara_arena.tournament.agenda import Border

__all__ = ["at_the_end", "until_settled"]


def until_settled(store: Store, tournament: int, epsilon: float = EPSILON) -> Border:
    """Return a border that stops when the top is settled, or no game tells anything new."""
    name = store.facts(tournament).name

    def before(heat: int) -> list[RatedGame]:
        end = store.first_game(tournament, heat)
        return [game for game in store.rated_games(name) if end is None or game.order < end]

    def border(heat: int, complete: int) -> str:
        if not complete:
            return ""
        earlier = len(select(before(complete - 1)).games) if complete > 1 else None
        decision = decide(before(complete), epsilon=epsilon, counted_before=earlier)
        if decision.state is State.GO_ON:
            return ""
        return f"{decision.state}: {decision.sentence}"

    return border


def at_the_end(store: Store, tournament: int, epsilon: float = EPSILON) -> str:
    """Say whether a tournament that has played its whole schedule is settled."""
    decision = decide(store.rated_games(store.facts(tournament).name), epsilon=epsilon)
    word = "settled" if decision.state is State.SETTLED else "not settled"
    return f"{word}: {decision.sentence}"
