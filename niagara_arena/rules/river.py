"""Phases III and IV: who has won, how the river flows, and how the next round begins [N-5, N-6].

Closing stages of a round: each takes the set-up, the numbers ``v`` and a list that collects
events, and says whether it is done. All that a number of pushes does to a space is worked out
beforehand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from niagara_arena.rules.actions import MOST_SEATS
from niagara_arena.rules.components import (
    BITS,
    CARGO_NAMES,
    CARGOES,
    FIELD,
    GEMS,
    HIGHEST_NUMBER,
    ONE,
    WEATHER_HIGH,
)
from niagara_arena.rules.events import (
    CanoeDrifted,
    CanoeLost,
    Event,
    GameEnded,
    HandRefilled,
    RiverFlowed,
    RoundStarted,
)
from niagara_arena.rules.geometry import ARM_NAMES, ASHORE, LOST, PUSH, SPACE_NAMES
from niagara_arena.rules.memo import Memo
from niagara_arena.rules.outcome import is_won
from niagara_arena.rules.state import (
    ACTOR,
    BANK,
    BUY,
    CARD,
    CARGO,
    HAND,
    MAX_ROUNDS,
    NEXT_ARM,
    PHASE,
    PLACES,
    RETIRED,
    ROUND,
    SEATS,
    SECRET,
    SHOWN,
    STAGE,
    START,
    STRIDE,
    UNDECIDED,
    WEATHER,
    WON,
    Setup,
    Vector,
    end_game,
    sort_canoes,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def check_winners(setup: Setup, v: Vector, events: list[Event]) -> bool:
    """End the game if a bank holds a winning set after the last turn [N-5.1]."""
    for at in setup.blocks:
        if v[at + BANK] and is_won(v[at + BANK]):  # a retired seat's bank is empty
            break
    else:
        return True
    winners = [
        seat for seat, at in enumerate(setup.blocks) if v[at + BANK] and is_won(v[at + BANK])
    ]
    end_game(v, WON)
    events.append(GameEnded("won", tuple(winners)))
    return True


def river_speed(setup: Setup, v: Vector) -> int:
    """Return how many discs are pushed in: the lowest number card plus the weather [N-6.1]."""
    lowest = HIGHEST_NUMBER + 1
    for at in setup.blocks:
        if 0 < v[at + CARD] < lowest:
            lowest = v[at + CARD]
    speed = v[WEATHER] + (lowest if lowest <= HIGHEST_NUMBER else 0)
    return speed if speed > 0 else 0


FASTEST: Final = HIGHEST_NUMBER + WEATHER_HIGH


class Flow(NamedTuple):
    """What a number of pushes does, worked out beforehand."""

    arms: tuple[int, ...]
    """The arms that move, one a push [N-6.3]."""
    told: RiverFlowed
    carries: tuple[int, ...]
    """Where everything on the river goes, by position number."""


def _flow(speed: int, first: int) -> Flow:
    arms = tuple(first ^ (push & 1) for push in range(speed))
    carries = tuple(range(2 * ASHORE))
    for arm in arms:
        carries = tuple(PUSH[arm][space] for space in carries)
    return Flow(arms, RiverFlowed(speed, "".join(ARM_NAMES[arm] for arm in arms)), carries)


_FLOWS: Final = tuple(
    tuple(_flow(speed, first) for first in (0, 1)) for speed in range(FASTEST + 1)
)


_SPACES: Final = range(LOST + 1)
_DRIFTED: Final = tuple(
    tuple(
        tuple(
            tuple(CanoeDrifted(seat, canoe, SPACE_NAMES[origin], SPACE_NAMES[to]) for to in _SPACES)
            for origin in _SPACES
        )
        for canoe in (0, 1)
    )
    for seat in range(MOST_SEATS)
)
"""By seat, canoe, origin and end: the event that tells the ride."""


def push_discs(setup: Setup, v: Vector, events: list[Event]) -> Flow:
    """Let the river flow by this round's speed, turn the next arm on, and tell it [N-6.1-3]."""
    speed = river_speed(setup, v)
    first = v[NEXT_ARM]
    v[NEXT_ARM] = first ^ (speed & 1)
    flow = _FLOWS[speed][first]
    events.append(flow.told)
    return flow


def drift_canoes(
    setup: Setup,
    v: Vector,
    carries: tuple[int, ...],
    events: list[Event],
    on_lost: Callable[[Vector, int, int, list[Event]], None] | None = None,
) -> None:
    """Let every canoe on the river ride its disc through the pushes [N-6.2, N-6.4, N-6.5]."""
    for i, seat, canoe in setup.canoes:
        origin = v[i]
        space = carries[origin]
        if space == origin:
            continue
        v[i] = space
        events.append(_DRIFTED[seat][canoe][origin][space])
        if space == LOST:
            lose_cargo(v, i, seat, canoe, events)
            if on_lost is not None:
                on_lost(v, seat, canoe, events)


def lose_cargo(v: Vector, i: int, seat: int, canoe: int, events: list[Event]) -> None:
    """Return a lost canoe's cargo to the places of its own colours [N-6.5]."""
    cargo = v[i + CARGO]
    v[i + CARGO] = 0
    for gem in CARGOES[cargo]:
        v[PLACES + gem] += ONE[gem]
    events.append(_LOST[seat, canoe, cargo])


def _lost(key: tuple[int, int, int]) -> CanoeLost:
    seat, canoe, cargo = key
    return CanoeLost(seat, canoe, CARGO_NAMES[cargo])


_LOST: Final = Memo(_lost, 512)


def return_gems(v: Vector, packed: int) -> None:
    """Put gems back at the places of their colours."""
    for gem in GEMS:
        v[PLACES + gem] += packed & (FIELD << (BITS * gem))


def flow(setup: Setup, v: Vector, events: list[Event]) -> bool:
    """Push the discs in."""
    flowed = push_discs(setup, v, events)
    if flowed.arms:
        drift_canoes(setup, v, flowed.carries, events)
        for at in setup.blocks:
            if v[at] >= v[at + 2]:
                sort_canoes(v, at)
    return True


def next_round(setup: Setup, v: Vector, events: list[Event]) -> bool:
    """Put the played cards away, refill empty hands, pass the start marker on [N-3.5, N-6.6]."""
    for at in setup.blocks:
        if v[at + RETIRED]:
            continue
        hand = v[at + HAND] & ~(1 << v[at + CARD])
        if not hand:
            hand = setup.ruleset.full_hand
            events.append(HandRefilled((at - SEATS) // STRIDE))
        v[at + HAND] = hand
        v[at + CARD] = v[at + SHOWN] = 0
        v[at + BUY] = UNDECIDED
    v[STAGE] = v[ACTOR] = 0
    start = v[START]
    for step in range(1, setup.seats + 1):
        seat = (start + step) % setup.seats
        if not v[SEATS + seat * STRIDE + RETIRED]:
            v[START] = seat
            break
    if v[ROUND] >= setup.max_rounds:
        end_game(v, MAX_ROUNDS)
        events.append(GameEnded("max_rounds", ()))
        return True
    v[ROUND] += 1
    v[PHASE] = SECRET
    events.append(RoundStarted(v[ROUND], v[START]))
    return True
