"""The shapes inside messages: positions, observations, actions, as the JSON Schemas tell them.

These types describe what the rules core writes; the arena does not build messages from them. The
tests decode every line that is sent with them, so that the schemas can't drift from the truth.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Space = Literal["jetty", "1", "2", "3", "4", "5", "6L", "6R", "7L", "7R", "lost"]
Gem = Literal["amethyst", "diamond", "amber", "sapphire", "ruby"]
Card = Literal["1", "2", "3", "4", "5", "6", "7", "cloud", "lasso", "123"]
SeatNumber = Annotated[int, Meta(ge=0, le=5, description="A seat, counted clockwise from 0.")]
CanoeNumber = Annotated[int, Meta(ge=0, le=1, description="0 or 1; in Spirits 0 is the double.")]
Gems = dict[Gem, Annotated[int, Meta(ge=1)]]


class Canoe(Struct, frozen=True):
    """One canoe of a seat."""

    capacity: int
    at: Space
    cargo: list[Gem]
    ashore: bool


class Player(Struct, frozen=True):
    """One seat's belongings."""

    canoes: list[Canoe]
    bank: Gems
    hand: list[Card]
    retired: bool


class MooseHolder(Struct, frozen=True):
    """The canoe that carries the moose."""

    seat: SeatNumber
    canoe: CanoeNumber


class Position(Struct, frozen=True):
    """What lies on the table; docs/positions.md describes it."""

    rules: Literal["base", "spirits"]
    seats: int
    round: int
    start: SeatNumber
    weather: Annotated[int, Meta(ge=-1, le=2)]
    next_arm: Literal["L", "R"]
    places: dict[Gem, Gems]
    players: list[Player]
    whirlpool: Space | Literal["next"] | None
    beaver: Space | None
    moose: Literal["place", "returning"] | MooseHolder | None


class Turn(Struct, frozen=True):
    """Whose turn it is and which canoes it is about."""

    seat: SeatNumber
    must: list[CanoeNumber]
    may: list[CanoeNumber]
    one: bool


class BuyAction(Struct, frozen=True):
    """Buy lost canoes back [N-3.2]."""

    buy: list[CanoeNumber]
    gems: list[Gem]


class Own(Struct, frozen=True):
    """The seat's own secrets of this round."""

    buy: BuyAction | None
    card: Card | None


class Observation(Struct, frozen=True):
    """All that a seat may see now."""

    seat: SeatNumber
    phase: Literal["secret", "turns", "closing", "over"]
    max_rounds: int
    played: list[Card | None]
    turn: Turn | None
    own: Own
    position: Position


class Theft(Struct, frozen=True):
    """A gem taken from an opponent's canoe [N-4.17]."""

    seat: SeatNumber
    canoe: CanoeNumber
    gem: Gem


class Result(Struct, frozen=True):
    """What a legal action leads to; which fields are there depends on the kind of decision."""

    at: Space | UnsetType = UNSET
    cargo: list[Gem] | UnsetType = UNSET
    banked: list[Gem] | UnsetType = UNSET
    lost: bool | UnsetType = UNSET
    weather: int | UnsetType = UNSET
    bank: Gems | UnsetType = UNSET
    canoes: int | UnsetType = UNSET


class LegalAction(Struct, frozen=True):
    """An action, and what it leads to; which fields are there depends on the kind of decision."""

    buy: list[CanoeNumber] | UnsetType = UNSET
    gems: list[Gem] | UnsetType = UNSET
    card: Card | UnsetType = UNSET
    canoe: CanoeNumber | UnsetType = UNSET
    stay: bool | UnsetType = UNSET
    to: Space | UnsetType = UNSET
    take_moose: bool | UnsetType = UNSET
    unload: list[Gem] | UnsetType = UNSET
    load: list[Gem] | UnsetType = UNSET
    unload_there: list[Gem] | UnsetType = UNSET
    load_there: list[Gem] | UnsetType = UNSET
    steal: list[Theft] | UnsetType = UNSET
    weather: int | UnsetType = UNSET
    arm: Literal["L", "R"] | UnsetType = UNSET
    moose: CanoeNumber | UnsetType | None = UNSET
    result: Result | UnsetType = UNSET


Event = dict[str, Any]
"""An event: its kind under `event`, and the fields of that kind."""
