"""The beaver and the moose [N-11]."""

from __future__ import annotations

from typing import Final

from niagara_arena.rules.actions import Action
from niagara_arena.rules.base import perform_weather
from niagara_arena.rules.components import WEATHER_HIGH
from niagara_arena.rules.events import BeaverMoved, Event, MooseLeft, MooseTaken, WeatherChanged
from niagara_arena.rules.geometry import LOST, SPACE_NAMES
from niagara_arena.rules.moves import Move
from niagara_arena.rules.state import (
    AT_PLACE,
    BEAVER,
    CLOSING,
    HELD,
    MOOSE,
    PHASE,
    RETURNING,
    WEATHER,
    WHIRLPOOL,
    Setup,
    Vector,
)

MOOSE_POINTS: Final = 2
"""Points that the moose adds to every move of its canoe [N-11.3]."""


def perform_weather_with_beaver(
    setup: Setup, v: Vector, seat: int, action: Action, move: Move | None, events: list[Event]
) -> None:
    """Move the weather; at +2 a beaver not on the river comes out, clear of the whirlpool."""
    perform_weather(setup, v, seat, action, move, events)
    if v[WEATHER] == WEATHER_HIGH and not v[BEAVER]:
        v[BEAVER] = 2 if v[WHIRLPOOL] == 1 else 1
        events.append(BeaverMoved(SPACE_NAMES[v[BEAVER]]))


def drift_beaver(v: Vector, carries: tuple[int, ...], events: list[Event]) -> None:
    """Let the beaver ride its disc; when it falls the weather goes to 0 at once [N-11.1]."""
    space = carries[v[BEAVER]]
    if space == v[BEAVER]:
        return
    if space != LOST:
        v[BEAVER] = space
        events.append(BeaverMoved(SPACE_NAMES[space]))
        return
    v[BEAVER] = 0
    v[WEATHER] = 0
    events.append(BeaverMoved(None))
    events.append(WeatherChanged(None, 0))


def holds_moose(v: Vector, seat: int, canoe: int) -> bool:
    """Say whether this canoe carries the moose."""
    return v[MOOSE] == HELD + 2 * seat + canoe


def take_moose(v: Vector, seat: int, canoe: int, events: list[Event]) -> None:
    """Put the moose into a canoe [N-11.2]."""
    v[MOOSE] = HELD + 2 * seat + canoe
    events.append(MooseTaken(seat, canoe))


def moose_leaves_later(v: Vector, seat: int, canoe: int, events: list[Event]) -> None:
    """Send the moose of a canoe that landed or fell on its way back [N-11.4]."""
    if holds_moose(v, seat, canoe):
        v[MOOSE] = RETURNING
        events.append(MooseLeft("returning"))


def moose_leaves_at_once(v: Vector, seat: int, canoe: int, events: list[Event]) -> None:
    """Put the moose back at its place when its canoe falls on returning from the bank."""
    if holds_moose(v, seat, canoe):
        v[MOOSE] = AT_PLACE
        events.append(MooseLeft("place"))


def moose_returns(setup: Setup, v: Vector, events: list[Event]) -> bool:
    """Bring a returning moose back after phase III, even if the river stood still [N-11.4]."""
    if v[MOOSE] == RETURNING:
        v[MOOSE] = AT_PLACE
        events.append(MooseLeft("place"))
    return True


def moose_of_removed(v: Vector, seat: int) -> None:
    """Send the moose of a retired seat on its way back [N-5.4]; after the flow it is back."""
    if v[MOOSE] in (HELD + 2 * seat, HELD + 2 * seat + 1):
        v[MOOSE] = AT_PLACE if v[PHASE] == CLOSING else RETURNING
