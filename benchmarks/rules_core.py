"""Random play through the public door, beside python-chess's random plies in the same run.

Speeds are per second of CPU time, and the sides take turns, so that a busy machine slows all of
them alike; medians and the medians of the ratios are printed. Then what a referee does for every
decision, in microseconds.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import chess

from niagara_arena import rules

SECONDS = 1.0
"""How long each side plays in one turn of the comparison."""
TURNS = 7
DOOR_REPEATS = 5


def play_niagara(name: str, seats: int, source: random.Random) -> float:
    """Return decisions a second of random games, called as a bot author would."""
    decisions = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < SECONDS:
        state = rules.start(name, seats)
        while not state.over:
            seat = rules.pending(state)[0].seat
            state, _ = rules.apply(state, seat, source.choice(rules.legal(state, seat)))
            decisions += 1
    return decisions / spent


def play_chess(source: random.Random) -> float:
    """Return plies a second of random games of python-chess."""
    plies = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < SECONDS:
        board = chess.Board()
        while moves := list(board.legal_moves):
            board.push(source.choice(moves))
            plies += 1
            if board.is_insufficient_material() or board.halfmove_clock >= 100:
                break
    return plies / spent


def compare_random_play() -> None:
    """Alternate the sides and print medians and ratios."""
    source = random.Random(7)
    sides: dict[str, Callable[[], float]] = {
        "python-chess": lambda: play_chess(source),
        "base, 4 seats": lambda: play_niagara("base", 4, source),
        "spirits, 6 seats": lambda: play_niagara("spirits", 6, source),
    }
    for side in sides.values():  # warm up: imports, memos
        side()
    speeds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(TURNS):
        for name, side in sides.items():
            speeds[name].append(side())
    yardstick = speeds["python-chess"]
    print("rules core: random decisions a CPU second (median), ratio to python-chess's plies")
    for name, found in speeds.items():
        ratio = statistics.median(a / b for a, b in zip(found, yardstick, strict=True))
        print(f"  {name:<18}{statistics.median(found):>10,.0f}  {ratio:5.2f}")


def _microseconds(call: Callable[..., object], cases: Sequence[tuple[Any, ...]]) -> float:
    """Return the mean time of a call, the best of some repeats."""
    best = float("inf")
    for _ in range(DOOR_REPEATS):
        begun = time.process_time()
        for case in cases:
            call(*case)
        best = min(best, time.process_time() - begun)
    return best / len(cases) * 1e6


def time_the_door(name: str, seats: int) -> None:
    """Print what each call for a decision takes once the situation is known."""
    source = random.Random(7)
    asked = []
    actions = []
    for _ in range(3):
        state = rules.start(name, seats, max_rounds=60)
        while not state.over:
            seat = rules.pending(state)[0].seat
            action = source.choice(rules.legal(state, seat))
            asked.append((state, seat))
            actions.append((state, seat, action))
            state = rules.apply(state, seat, action).state
    print(f"rules door, {name}, {seats} seats: microseconds a call, warm")
    for call, cases in (
        (rules.legal, asked),
        (rules.apply, actions),
        (rules.legal_text, asked),
        (rules.observation_text, asked),
    ):
        print(f"  {call.__name__:<18}{_microseconds(call, cases):>10.2f}")


def run() -> None:
    """Compare, then time the door."""
    compare_random_play()
    time_the_door("base", 4)
    time_the_door("spirits", 6)
