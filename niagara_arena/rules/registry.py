"""The rulesets by name, and the set-up of a game: the only base module that knows Spirits."""

from __future__ import annotations

from typing import Final

from niagara_arena.errors import RulesError
from niagara_arena.rules.base import BASE
from niagara_arena.rules.checks import shown
from niagara_arena.rules.components import GEMS, ONE
from niagara_arena.rules.geometry import JETTY
from niagara_arena.rules.outcome import PLACING_RULES
from niagara_arena.rules.spirits.ruleset import SPIRITS
from niagara_arena.rules.state import (
    BEAVER,
    HAND,
    MOOSE,
    PLACES,
    ROUND,
    SEATS,
    STRIDE,
    WHIRLPOOL,
    Ruleset,
    Setup,
    Vector,
    block,
)

RULES_VERSION: Final = "niagara-rules-1"
"""Goes into every encoded game; changes whenever any game could come out differently."""

RULESETS: Final[dict[str, Ruleset]] = {ruleset.name: ruleset for ruleset in (BASE, SPIRITS)}
DEFAULT_MAX_ROUNDS: Final = 200
_MOST_ROUNDS: Final = 1_000_001


def make_setup(
    rules: object,
    seats: object,
    max_rounds: object = DEFAULT_MAX_ROUNDS,
    placings: object = "progress",
) -> Setup:
    """Return a game's set-up; raise RulesError when the game does not exist."""
    ruleset = RULESETS.get(rules) if isinstance(rules, str) else None
    if ruleset is None:
        raise RulesError(f"unknown ruleset {shown(rules)}: it is {' or '.join(sorted(RULESETS))}")
    if type(seats) is not int or seats not in ruleset.seat_counts:
        low, high = ruleset.seat_counts[0], ruleset.seat_counts[-1]
        clause = "N-7.1" if rules == "spirits" else "N-2.1"
        raise RulesError(f"{rules} is played by {low} to {high} seats, not {shown(seats)}", clause)
    if type(max_rounds) is not int:
        raise RulesError("max_rounds is a whole number", clause="N-5.2")
    if not 1 <= max_rounds <= _MOST_ROUNDS:
        raise RulesError(
            f"max_rounds is from 1 to {_MOST_ROUNDS}, not {shown(max_rounds)}", "N-5.2"
        )
    if not isinstance(placings, str) or placings not in PLACING_RULES:
        raise RulesError(
            f"placings are {' or '.join(PLACING_RULES)}, not {shown(placings)}", "N-5.3"
        )
    return Setup(ruleset, seats, max_rounds, placings)


def opening_numbers(setup: Setup) -> Vector:
    """Return the numbers of the set-up position [N-2, N-7]."""
    v = [0] * (SEATS + setup.seats * STRIDE)
    v[ROUND] = 1
    v[WHIRLPOOL], v[BEAVER], v[MOOSE] = setup.ruleset.extras
    for gem in GEMS:
        v[PLACES + gem] = ONE[gem] * setup.ruleset.gems_a_place(setup.seats)
    for seat in range(setup.seats):
        at = block(seat)
        v[at] = v[at + 2] = JETTY
        v[at + HAND] = setup.ruleset.full_hand
    return v
