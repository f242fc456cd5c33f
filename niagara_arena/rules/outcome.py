"""Who has won, and who comes where."""

from __future__ import annotations

from typing import Final, NamedTuple

from niagara_arena.rules.checks import need_state
from niagara_arena.rules.components import BITS, FIELD, GEMS
from niagara_arena.rules.memo import Memo
from niagara_arena.rules.state import (
    BANK,
    ENDING,
    ENDINGS,
    LAST_SEAT,
    RETIRED,
    ROUND,
    WON,
    Vector,
    alive,
    block,
)

COLOURS: Final = 5
OF_ONE_COLOUR: Final = 4
GEMS_IN_ALL: Final = 7

PLACING_RULES: Final = ("progress", "winners")


class Outcome(NamedTuple):
    """How a game ended by the rules."""

    reason: str
    """``won``, ``last_seat``, ``max_rounds`` or ``deserted``."""
    winners: tuple[int, ...]
    """Seats that won, ascending; may be empty."""
    placings: tuple[int, ...]
    """By seat: 1 + the number of seats that did better; equal seats share [N-5.3]."""
    rounds: int
    """How many rounds were begun."""


def _count_missing(bank: int) -> int:
    counts = [(bank >> (BITS * gem)) & FIELD for gem in GEMS]
    colours = COLOURS - sum(1 for number in counts if number)
    return max(0, min(colours, OF_ONE_COLOUR - max(counts), GEMS_IN_ALL - sum(counts)))


_MISSING: Final = Memo(_count_missing, 4096)


def missing(bank: int) -> int:
    """Return how many gems a packed bank still lacks to the nearest winning set [N-5.1]."""
    return _MISSING[bank]


def is_won(bank: int) -> bool:
    """Say whether a packed bank holds a winning set [N-5.1]."""
    return _MISSING[bank] == 0


def outcome(state: object) -> Outcome | None:
    """Return how the game ended, or None while it goes on."""
    state = need_state(state)
    if not state.over:
        return None
    v = state._v
    setup = state._setup
    here = alive(setup, v)
    if v[ENDING] == WON:
        winners = tuple(seat for seat in here if is_won(v[block(seat) + BANK]))
    elif v[ENDING] == LAST_SEAT:
        winners = tuple(here)
    else:
        winners = ()
    merits = [_merit(v, seat, seat in winners, setup.placings) for seat in range(setup.seats)]
    placings = tuple(1 + sum(other > merit for other in merits) for merit in merits)
    return Outcome(ENDINGS[v[ENDING]], winners, placings, v[ROUND])


def _merit(v: Vector, seat: int, winner: bool, rule: str) -> tuple[int, ...]:
    """Return what placings compare, more being better [N-5.3, N-5.4]."""
    at = block(seat)
    if v[at + RETIRED]:
        return (0, v[at + RETIRED])
    if winner:
        return (2,)
    if rule == "winners":
        return (1,)
    bank = v[at + BANK]
    return (1, -missing(bank), sum((bank >> (BITS * gem)) & FIELD for gem in GEMS))
