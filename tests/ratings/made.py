"""Games made by hand, for tests of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from niagara_arena.records import RatedGame, Standing


def made(number: int, seats: Sequence[str], placings: Sequence[int], **other: object) -> RatedGame:
    """Return the game of that number; everything can be said otherwise."""
    fields: dict[str, object] = {
        "tournament": "spring",
        "tournament_order": 1,
        "order": number,
        "game": f"g-{number:016x}",
        "rules": "base",
        "seats": tuple(seats),
        "winners": tuple(seat for seat, placing in enumerate(placings) if placing == 1),
        "placings": tuple(placings),
        "cluster": f"c-{number}",
        "fingerprint": f"f-{number}",
        "verdicts": (Standing.FINISHED,) * len(seats),
        "faults": (0,) * len(seats),
        "day": "2026-03-01",
    }
    return RatedGame(**{**fields, **other})  # type: ignore[arg-type]  # a test may say anything


def winner_takes_all(winners: Sequence[int], bots: Sequence[str]) -> list[RatedGame]:
    """Return games of one table, anyhow seated, in which the others share the last place."""
    games = []
    for number, winner in enumerate(winners):
        table = Random(number).sample(list(bots), len(bots))
        games.append(made(number, table, [1 if bot == bots[winner] else 2 for bot in table]))
    return games


def shuffled(games: Sequence[RatedGame], seed: int = 1) -> list[RatedGame]:
    found = list(games)
    Random(seed).shuffle(found)
    return found
