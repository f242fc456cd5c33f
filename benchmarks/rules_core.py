"""Random play through the public door, beside python-chess's random plies in the same run."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

import chess

from niagara_arena import rules

SECONDS = 1.0
"""How long each side plays in one turn of the comparison."""
TURNS = 5


def play_niagara(name: str, seats: int, source: random.Random) -> float:
    """Return decisions a second of random games, called as a bot author would."""
    decisions = 0
    begun = time.perf_counter()
    while (spent := time.perf_counter() - begun) < SECONDS:
        state = rules.start(name, seats)
        while not state.over:
            seat = rules.pending(state)[0].seat
            state, _ = rules.apply(state, seat, source.choice(rules.legal(state, seat)))
            decisions += 1
    return decisions / spent


def play_chess(source: random.Random) -> float:
    """Return plies a second of random games of python-chess."""
    plies = 0
    begun = time.perf_counter()
    while (spent := time.perf_counter() - begun) < SECONDS:
        board = chess.Board()
        while moves := list(board.legal_moves):
            board.push(source.choice(moves))
            plies += 1
            if board.is_insufficient_material() or board.halfmove_clock >= 100:
                break
    return plies / spent


def run() -> None:
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
    print("rules core: random decisions a second (median), ratio to python-chess's plies")
    for name, found in speeds.items():
        ratio = statistics.median(a / b for a, b in zip(found, yardstick, strict=True))
        print(f"  {name:<18}{statistics.median(found):>10,.0f}  {ratio:5.2f}")
