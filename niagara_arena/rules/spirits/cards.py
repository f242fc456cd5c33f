"""What the expansion's cards ask and do: paddling with doubles, 123, the lasso [N-8, N-10]."""

from __future__ import annotations

from typing import Final

from niagara_arena.rules.actions import Action, Arm, Moose, Paddle, Stay
from niagara_arena.rules.base import carry_out, close_canoe, find_option, lose_cargo, stay_menu
from niagara_arena.rules.components import ONE_TWO_THREE
from niagara_arena.rules.events import CanoeReturned, CanoesAshore, CanoeStayed, Event
from niagara_arena.rules.geometry import (
    ASHORE,
    DOWN,
    JETTY,
    LOST,
    SPACE_NAMES,
)
from niagara_arena.rules.paddling import Menu, loaded_opponents, template, with_thefts
from niagara_arena.rules.spirits.animals import (
    MOOSE_POINTS,
    holds_moose,
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

_POINTS: Final = (*((card,) for card in range(8)), (), (), (1, 2, 3))
"""Points by card; with 123 the seat chooses [N-10.2]."""
_MOOSE_POINTS: Final = tuple(tuple(p + MOOSE_POINTS for p in points) for points in _POINTS)


def canoe_menus(setup: Setup, v: Vector, seat: int) -> tuple[Menu, ...]:
    """Return what each canoe that still moves can do, without the moose before with it."""
    at = SEATS + seat * STRIDE
    candidates = v[MUST] | v[MAY]
    card = v[at + CARD]
    menus = [stay_menu(v[MAY] >> 1)] if not v[MUST] else []
    for canoe in (0, 1):
        if not candidates >> canoe & 1:
            continue
        space = v[at + 2 * canoe]
        held = holds_moose(v, seat, canoe)
        menus.append(
            _canoe_menu(setup, v, seat, canoe, (_MOOSE_POINTS if held else _POINTS)[card], False)
        )
        if v[MOOSE] == AT_PLACE and space in MOOSE_SPACES:
            menus.append(_canoe_menu(setup, v, seat, canoe, _MOOSE_POINTS[card], True))
    if v[MUST] == EXACTLY_ONE | 3:
        return _idle_once(v, at, menus)
    return tuple(menus)


def _idle_once(v: Vector, at: int, menus: list[Menu]) -> tuple[Menu, ...]:
    """Offer only once that nothing changes, as when 123 lets the whirlpool drag one canoe back.

    Either canoe may then have moved; the double stands for both.
    """
    idle = [Paddle(canoe, SPACE_NAMES[v[at + 2 * canoe]]) for canoe in (0, 1)]
    if not all(any(action in menu.options for menu in menus) for action in idle):
        return tuple(menus)
    kept = [{a: o for a, o in menu.options.items() if a != idle[1]} for menu in menus]
    return tuple(Menu(tuple(options), options) for options in kept if options)


def _canoe_menu(
    setup: Setup, v: Vector, seat: int, canoe: int, points: tuple[int, ...], takes: bool
) -> Menu:
    i = SEATS + seat * STRIDE + 2 * canoe
    found = template(
        canoe, CAPACITIES[canoe], v[i], v[i + 1], points, v[WHIRLPOOL], takes, whirlpool_routes
    )
    menu = found.menu(v)
    if found.steal_spaces:
        spaces = found.steal_spaces & loaded_opponents(v, seat, setup.seats)
        if spaces:
            menu = with_thefts(menu, spaces, v, seat, setup.seats, pair=False)
    return menu


def perform_canoe(
    setup: Setup, v: Vector, seat: int, action: Action, menus: tuple[Menu, ...], events: list[Event]
) -> None:
    """Carry out a canoe's move; the moose comes aboard first and leaves a canoe that is gone."""
    del setup
    if isinstance(action, Stay):
        events.append(CanoeStayed(seat, action.canoe))
        close_canoe(v, action.canoe)
        return
    assert isinstance(action, Paddle)
    if action.take_moose:
        take_moose(v, seat, action.canoe, events)
    option = find_option(menus, action)
    carry_out(v, seat, option, events)
    if option.end >= JETTY:
        moose_leaves_later(v, seat, action.canoe, events)


def open_one_two_three(setup: Setup, v: Vector, seat: int, events: list[Event]) -> None:
    """Let exactly one canoe move, the seat's free choice [N-10.2]."""
    del setup, events
    at = SEATS + seat * STRIDE
    mask = (v[at] <= JETTY) | (v[at + 2] <= JETTY) << 1
    if mask:
        v[MUST] = mask | EXACTLY_ONE


# --- The lasso ---------------------------------------------------------------------------------


def open_lasso(setup: Setup, v: Vector, seat: int, events: list[Event]) -> None:
    """Pull the seat's canoes on the river to the bank; at 7 they may take the moose [N-10.3]."""
    del setup
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
    del setup, seat
    return _MOOSE_MENUS[v[MUST]]


_MOOSE_MENUS: Final = tuple(
    (Menu((Moose(None), *(Moose(canoe) for canoe in (0, 1) if mask >> canoe & 1)), {}),)
    for mask in range(4)
)


def perform_moose(
    setup: Setup, v: Vector, seat: int, action: Action, menus: tuple[Menu, ...], events: list[Event]
) -> None:
    """Put the moose into the canoe ashore that takes it, if any does."""
    del setup, menus
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
    del setup, v, seat
    return _ARM_MENUS


_ARM_MENUS: Final = (Menu((Arm("L"), Arm("R")), {}),)


def perform_arm(
    setup: Setup, v: Vector, seat: int, action: Action, menus: tuple[Menu, ...], events: list[Event]
) -> None:
    """Drag the returning canoe into the arm that its seat picked [N-9.4]."""
    del setup, menus
    assert isinstance(action, Arm)
    canoe = v[MUST] >> 1
    v[MUST] = 0
    _return(v, seat, canoe, FORK, DOWN[FORK][action.arm == "R"], events)


assert _POINTS[ONE_TWO_THREE] == (1, 2, 3)
