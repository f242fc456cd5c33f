"""What the expansion's cards ask and do: paddling with doubles, 123, the lasso [N-8, N-10]."""

from __future__ import annotations

from typing import Any, Final

from niagara_arena.rules.actions import Arm, Moose
from niagara_arena.rules.base import STAY_MENUS, carry_out, stay
from niagara_arena.rules.components import HIGHEST_NUMBER, ONE_TWO_THREE
from niagara_arena.rules.events import CanoeReturned, CanoesAshore, Event
from niagara_arena.rules.geometry import (
    ASHORE,
    DOWN,
    JETTY,
    LOST,
    SPACE_NAMES,
)
from niagara_arena.rules.moves import Move
from niagara_arena.rules.paddling import AMOUNTS, CanoeMenu, Menu, Paddler
from niagara_arena.rules.river import lose_cargo
from niagara_arena.rules.spirits.animals import (
    MOOSE_POINTS,
    moose_leaves_at_once,
    moose_leaves_later,
    take_moose,
)
from niagara_arena.rules.spirits.whirlpool import whirlpool_routes
from niagara_arena.rules.state import (
    ACTOR,
    AT_PLACE,
    CARD,
    EXACTLY_ONE,
    HELD,
    MAY,
    MOOSE,
    MUST,
    SEATS,
    START,
    STRIDE,
    WHIRLPOOL,
    Setup,
    Vector,
)

CAPACITIES: Final = (2, 1)
"""Canoe 0 is the double, canoe 1 the single [N-7.2]."""

MOOSE_SPACES: Final = (8, 9)
"""7L and 7R, beside the ruby place where the moose waits."""

FORK: Final = 5

_CANOES: Final = tuple(
    Paddler(canoe, capacity, whirlpool_routes) for canoe, capacity in enumerate(CAPACITIES)
)

_POINTS: Final = (*range(HIGHEST_NUMBER + 1), 0, 0, AMOUNTS.index((1, 2, 3)))
"""By card, the amounts of points that its moves have, see `AMOUNTS`."""
_MOOSE_POINTS: Final = tuple(
    AMOUNTS.index(tuple(points + MOOSE_POINTS for points in AMOUNTS[code])) for code in _POINTS
)


def canoe_menus(setup: Setup, v: Vector, seat: int) -> tuple[Menu, ...]:
    """Return what each canoe that still moves can do, without the moose before with it."""
    at = SEATS + seat * STRIDE
    must = v[MUST]
    candidates = must | v[MAY]
    card = v[at + CARD]
    moose = v[MOOSE]
    rivals = setup.rivals[seat]
    menus: list[CanoeMenu] = []
    for canoe in (0, 1):
        if not candidates >> canoe & 1:
            continue
        i = at + 2 * canoe
        points = (_MOOSE_POINTS if moose == HELD + 2 * seat + canoe else _POINTS)[card]
        for takes in (False, True) if moose == AT_PLACE and v[i] in MOOSE_SPACES else (False,):
            points = _MOOSE_POINTS[card] if takes else points
            menus.append(_CANOES[canoe].menu(v, i, points, takes, rivals))
    if must == EXACTLY_ONE | 3:
        return _idle_once(menus)
    return tuple(menus) if must else (STAY_MENUS[v[MAY] >> 1], *menus)


def _idle_once(menus: list[CanoeMenu]) -> tuple[Menu, ...]:
    """Offer only once that nothing changes, as when 123 lets the whirlpool drag one canoe back.

    Either canoe may then have moved; the double stands for both.
    """
    idle = [menu for menu in menus if menu.idle >= 0]
    if len(idle) < 2:
        return tuple(menus)
    kept = [menu.without_idle() if menu is idle[1] else menu for menu in menus]
    return tuple([menu for menu in kept if menu.actions])


def perform_canoe(
    setup: Setup, v: Vector, seat: int, action: Any, move: Move | None, events: list[Event]
) -> None:
    """Carry out a canoe's move; the moose comes aboard first and leaves a canoe that is gone."""
    if move is None:
        stay(v, seat, action, events)
        return
    canoe = action[0]
    if action[7]:  # take_moose
        take_moose(v, seat, canoe, events)
    carry_out(v, seat, action, move, events)
    if move[1] >= JETTY:
        moose_leaves_later(v, seat, canoe, events)


def open_one_two_three(setup: Setup, v: Vector, seat: int, events: list[Event]) -> None:
    """Let exactly one canoe move, the seat's free choice [N-10.2]."""
    at = SEATS + seat * STRIDE
    mask = (v[at] <= JETTY) | (v[at + 2] <= JETTY) << 1
    if mask:
        v[MUST] = mask | EXACTLY_ONE


# --- The lasso ---------------------------------------------------------------------------------


def open_lasso(setup: Setup, v: Vector, seat: int, events: list[Event]) -> None:
    """Pull the seat's canoes on the river to the bank; at 7 they may take the moose [N-10.3]."""
    at = SEATS + seat * STRIDE
    pulled = tuple(canoe for canoe in (0, 1) if v[at + 2 * canoe] < JETTY)
    for canoe in pulled:
        if v[at + 2 * canoe] in MOOSE_SPACES and v[MOOSE] == AT_PLACE:
            v[MUST] |= 1 << canoe
        v[at + 2 * canoe] += ASHORE
    if pulled:
        events.append(CanoesAshore(seat, pulled))


def moose_menus(setup: Setup, v: Vector, seat: int) -> tuple[Menu, ...]:
    """Return who may take the moose: none of them first [N-11.2]."""
    return _MOOSE_MENUS[v[MUST]]


_MOOSE_MENUS: Final = tuple(
    (Menu((Moose(None), *[Moose(canoe) for canoe in (0, 1) if mask >> canoe & 1])),)
    for mask in range(4)
)


def perform_moose(
    setup: Setup, v: Vector, seat: int, action: Any, move: Move | None, events: list[Event]
) -> None:
    """Put the moose into the canoe ashore that takes it, if any does."""
    assert isinstance(action, Moose)
    if action.canoe is not None:
        take_moose(v, seat, action.canoe, events)
    v[MUST] = 0


def return_canoes(setup: Setup, v: Vector, events: list[Event]) -> bool:
    """Bring lassoed canoes back in the turn order of the round; ask where a drag has two ways."""
    for step in range(setup.seats):
        seat = (v[START] + step) % setup.seats
        for canoe in (0, 1):
            i = SEATS + seat * STRIDE + 2 * canoe
            if v[i] < ASHORE:
                continue
            space = v[i] - ASHORE
            if space != v[WHIRLPOOL]:
                _return(v, seat, canoe, space, space, events)
            elif space != FORK:
                _return(v, seat, canoe, space, DOWN[space][0], events)
            else:
                v[ACTOR] = seat
                v[MUST] = 1 << canoe
                return False
    return True


def _return(v: Vector, seat: int, canoe: int, origin: int, space: int, events: list[Event]) -> None:
    i = SEATS + seat * STRIDE + 2 * canoe
    v[i] = space
    events.append(CanoeReturned(seat, canoe, SPACE_NAMES[origin], SPACE_NAMES[space]))
    if space == LOST:
        lose_cargo(v, i, seat, canoe, events)
        moose_leaves_at_once(v, seat, canoe, events)


def arm_menus(setup: Setup, v: Vector, seat: int) -> tuple[Menu, ...]:
    """Return the two arms."""
    return _ARM_MENUS


_ARM_MENUS: Final = (Menu((Arm("L"), Arm("R"))),)


def perform_arm(
    setup: Setup, v: Vector, seat: int, action: Any, move: Move | None, events: list[Event]
) -> None:
    """Drag the returning canoe into the arm that its seat picked [N-9.4]."""
    assert isinstance(action, Arm)
    canoe = v[MUST] >> 1
    v[MUST] = 0
    _return(v, seat, canoe, FORK, DOWN[FORK][action.arm == "R"], events)


assert AMOUNTS[_POINTS[ONE_TWO_THREE]] == (1, 2, 3)
