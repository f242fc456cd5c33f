"""Ways to play a game for tests: at random, or busily (loading, stealing and coming home)."""

from __future__ import annotations

import random
from collections.abc import Iterator

from niagara_arena import rules
from niagara_arena.rules import Action, Event, Paddle, State, Weather

GAMES = [("base", seats) for seats in (3, 4, 5)] + [("spirits", seats) for seats in (3, 4, 5, 6)]


def busy(source: random.Random, actions: tuple[Action, ...]) -> Action:
    """Choose with a liking for gems, thefts and the way home, and a fear of the falls."""
    return source.choices(actions, [_weight(action) for action in actions])[0]


_LIKING = {"jetty": 30, "1": 9, "2": 7, "3": 4, "4": 3, "5": 2, "lost": 0.02}


def _weight(action: Action) -> float:
    if isinstance(action, Weather):
        return 4.0 if action.step < 0 else 1.0
    if not isinstance(action, Paddle):
        return 1.0
    gems = len(action.load) + len(action.load_there) + len(action.steal)
    return _LIKING.get(action.to, 1.0) * (1 + 15 * gems)


def walk(
    name: str, seats: int, seed: int, *, max_rounds: int = 200, retirements: bool = False
) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """Yield every state of a busy game with the events that led to it."""
    source = random.Random(f"{name} {seats} {seed}")
    state = rules.start(name, seats, max_rounds=max_rounds)
    yield state, rules.first_events(state)
    while not state.over:
        if retirements and source.random() < 0.01:
            gone = source.choice([seat for seat in range(seats) if _present(state, seat)])
            step = rules.retire(state, [gone])
        else:
            seat = source.choice(rules.pending(state)).seat
            step = rules.apply(state, seat, busy(source, rules.legal(state, seat)))
        state = step.state
        yield state, step.events


def _present(state: State, seat: int) -> bool:
    return not rules.observe(state, seat)["position"]["players"][seat]["retired"]
