"""Where games start: positions after a few rounds of seeded legal play.

Niagara has no dice, so bots that ignore their seed would play one table's few games over and over.
An opening gives them something new. All members of a table play each opening in every seat of the
seating, so that a lucky start favours nobody.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

from niagara_arena.errors import InputError
from niagara_arena.rules import start_from
from niagara_arena.rules.enumeration import random_rounds
from niagara_arena.schedule.chance import Chance

__all__ = ["MAX_OPENING_ROUNDS", "random_opening"]

MAX_OPENING_ROUNDS = 40
"""Random play seldom goes on for longer without a winner."""

_TRIES = 1_000


def random_opening(rules: str, seats: int, rounds: int, seed: str) -> dict[str, Any]:
    """Return the position after `rounds` rounds of random play, from which a game can start.

    Nobody is retired there or has won. Play that is won before is thrown away and begun anew.
    """
    if not 1 <= rounds <= MAX_OPENING_ROUNDS:
        raise InputError(
            f"an opening has 1 to {MAX_OPENING_ROUNDS} rounds, not {rounds}",
            "as in `--openings random:4`",
        )
    for attempt in range(_TRIES):
        chance = Chance(seed, "opening", rules, seats, rounds, attempt)
        played = random_rounds(rules, seats, rounds + 1, chance.choice)
        for text in islice(played, rounds, None):
            position: dict[str, Any] = json.loads(text)
            if not start_from(position).state.over:
                return position
    raise InputError(
        f"no {rules} game of {seats} seats lasts {rounds} rounds in {_TRIES} tries",
        "ask for openings of fewer rounds",
    )
