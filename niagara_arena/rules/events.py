"""What has happened, in order: one immutable type for each kind of event.

Every event is public the moment it exists; a seat's secrets become events only when they are
revealed. In JSON an event is an object: `{"event":"card_revealed","seat":1,"card":"4"}`. Canoes
of a base seat are named by their place in the sorted pair before the event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from niagara_arena.errors import RulesError
from niagara_arena.rules.actions import MOST_SEATS, Theft
from niagara_arena.rules.checks import shown
from niagara_arena.rules.components import (
    CARD_BY_NAME,
    GEM_NAMES,
    HIGHEST_NUMBER,
    WEATHER_HIGH,
    WEATHER_LOW,
)
from niagara_arena.rules.geometry import SPACE_BY_NAME


class RoundStarted(NamedTuple):
    """A round began with ``start`` as its start seat [N-6.6]."""

    round: int
    start: int


class BoughtBack(NamedTuple):
    """A canoe came back to the jetty; ``gem`` is None when it was free [N-3.2, N-3.4]."""

    seat: int
    canoe: int
    gem: str | None


class CardRevealed(NamedTuple):
    """A seat turned its card up and acts with it [N-4]."""

    seat: int
    card: str


class CanoeMoved(NamedTuple):
    """A canoe finished its move."""

    seat: int
    canoe: int
    origin: str
    to: str
    unload: tuple[str, ...]
    load: tuple[str, ...]
    unload_there: tuple[str, ...]
    load_there: tuple[str, ...]
    steal: tuple[Theft, ...]


class CanoeStayed(NamedTuple):
    """A canoe that might have put out stayed at the jetty [N-4.1]."""

    seat: int
    canoe: int


class Banked(NamedTuple):
    """A landing canoe's cargo went to its seat's bank [N-4.10]."""

    seat: int
    gems: tuple[str, ...]


class CanoeLost(NamedTuple):
    """A canoe went over the falls, its cargo back to the places [N-6.5]."""

    seat: int
    canoe: int
    cargo: tuple[str, ...]


class WeatherChanged(NamedTuple):
    """The weather moved: by a seat's cloud, or by the beaver's fall (``seat`` None)."""

    seat: int | None
    weather: int


class RiverFlowed(NamedTuple):
    """Phase III: how fast, and into which arms in turn the discs of space 5 went [N-6.1-3]."""

    speed: int
    arms: str


class CanoeDrifted(NamedTuple):
    """A canoe rode its disc [N-6.4]; ``to`` may be ``lost``."""

    seat: int
    canoe: int
    origin: str
    to: str


class HandRefilled(NamedTuple):
    """A seat's whole hand came back [N-3.5]."""

    seat: int


class SeatRetired(NamedTuple):
    """The referee took a seat off the table [N-5.4]."""

    seat: int


class GameEnded(NamedTuple):
    """The game is over: ``won``, ``last_seat``, ``max_rounds`` or ``deserted``."""

    reason: str
    winners: tuple[int, ...]


class CanoesAshore(NamedTuple):
    """A lasso pulled these canoes to the bank [N-10.3]."""

    seat: int
    canoes: tuple[int, ...]


class CanoeReturned(NamedTuple):
    """A canoe came back from the bank; ``to`` differs from ``origin`` after a drag [N-10.3]."""

    seat: int
    canoe: int
    origin: str
    to: str


class WhirlpoolMoved(NamedTuple):
    """The whirlpool's disc rode the river; ``next``: fallen, the next disc to enter [N-9.6]."""

    to: str


class BeaverMoved(NamedTuple):
    """The beaver was put on a space or rode its disc; None when it fell [N-11.1]."""

    to: str | None


class MooseTaken(NamedTuple):
    """A canoe took the moose [N-11.2]."""

    seat: int
    canoe: int


class MooseLeft(NamedTuple):
    """The moose left its canoe; ``place``: it waits again, else it is on its way [N-11.4]."""

    to: str


Event = (
    RoundStarted
    | BoughtBack
    | CardRevealed
    | CanoeMoved
    | CanoeStayed
    | Banked
    | CanoeLost
    | WeatherChanged
    | RiverFlowed
    | CanoeDrifted
    | HandRefilled
    | SeatRetired
    | GameEnded
    | CanoesAshore
    | CanoeReturned
    | WhirlpoolMoved
    | BeaverMoved
    | MooseTaken
    | MooseLeft
)

EVENT_TYPES: Final[dict[str, type[Any]]] = {
    "round_started": RoundStarted,
    "bought_back": BoughtBack,
    "card_revealed": CardRevealed,
    "canoe_moved": CanoeMoved,
    "canoe_stayed": CanoeStayed,
    "banked": Banked,
    "canoe_lost": CanoeLost,
    "weather_changed": WeatherChanged,
    "river_flowed": RiverFlowed,
    "canoe_drifted": CanoeDrifted,
    "hand_refilled": HandRefilled,
    "seat_retired": SeatRetired,
    "game_ended": GameEnded,
    "canoes_ashore": CanoesAshore,
    "canoe_returned": CanoeReturned,
    "whirlpool_moved": WhirlpoolMoved,
    "beaver_moved": BeaverMoved,
    "moose_taken": MooseTaken,
    "moose_left": MooseLeft,
}
_NAMES: Final[dict[type[Any], str]] = {kind: name for name, kind in EVENT_TYPES.items()}


def event_name(event: Event) -> str:
    """Return the name of an event's kind, as JSON spells it."""
    return _NAMES[type(event)]


def event_to_json(event: Event) -> dict[str, Any]:
    """Return an event as its JSON object."""
    out: dict[str, Any] = {"event": _NAMES[type(event)]}
    fields: Mapping[str, Any] = event._asdict()
    for name, value in fields.items():
        if name == "steal":
            out[name] = [theft._asdict() for theft in value]
        else:
            out[name] = list(value) if isinstance(value, tuple) else value
    return out


def event_from_json(value: object) -> Event:
    """Read an event back from its JSON object; raise RulesError for anything else."""
    if not isinstance(value, Mapping):
        raise RulesError("an event must be a JSON object", path="$")
    name = value.get("event")
    if not isinstance(name, str) or name not in EVENT_TYPES:
        raise RulesError("not an event", path="$.event")
    kind = EVENT_TYPES[name]
    if set(value) != {"event", *kind._fields}:
        raise RulesError(f"a {name} has the fields {', '.join(kind._fields)}", path="$")
    fields = [_read_field(kind, field, value[field]) for field in kind._fields]
    event: Event = kind(*fields)
    return event


def _read_field(kind: type[Any], field: str, value: object) -> object:
    """Return a field as the event keeps it."""
    if value is None and (kind, field) in _OPTIONAL:
        return None
    if field == "steal" and isinstance(value, list):
        return tuple(_read_theft(theft) for theft in value)
    allowed = _SPECIAL.get((kind, field)) or _ALLOWED.get(field)
    if allowed is not None:
        return _one_of(value, allowed, field)
    items = _LISTS.get(field)
    if items is not None and isinstance(value, list) and len(value) <= MOST_SEATS:
        return tuple(_one_of(item, items, field) for item in value)
    if field == "arms" and isinstance(value, str) and value in _ARMS:
        return value
    if field == "round" and type(value) is int and value > 0:
        return value
    raise RulesError(f"it can't be {shown(value)}", path=f"$.{field}")


def _one_of(value: object, allowed: frozenset[Any], field: str) -> object:
    if type(value) in (int, str) and value in allowed:
        return value
    raise RulesError(f"it can't be {shown(value)}", path=f"$.{field}")


def _read_theft(value: object) -> Theft:
    if not isinstance(value, Mapping) or set(value) != _THEFT:
        raise RulesError("a theft has `seat`, `canoe` and `gem`", path="$.steal")
    for part in Theft._fields:
        _one_of(value[part], _ALLOWED[part], f"steal.{part}")
    return Theft(value["seat"], value["canoe"], value["gem"])


_SEATS: Final = frozenset(range(MOST_SEATS))
_FASTEST: Final = HIGHEST_NUMBER + WEATHER_HIGH
_ARMS: Final = frozenset(("LR" * _FASTEST)[i : i + n] for i in (0, 1) for n in range(_FASTEST + 1))
_CANOES: Final = frozenset((0, 1))
_GEMS: Final = frozenset(GEM_NAMES)
_SPACES: Final = frozenset(SPACE_BY_NAME)
_THEFT: Final = frozenset(Theft._fields)
_ALLOWED: Final[dict[str, frozenset[Any]]] = {
    "seat": _SEATS,
    "start": _SEATS,
    "canoe": _CANOES,
    "gem": _GEMS,
    "card": frozenset(CARD_BY_NAME),
    "origin": _SPACES,
    "to": _SPACES,
    "weather": frozenset(range(WEATHER_LOW, WEATHER_HIGH + 1)),
    "speed": frozenset(range(_FASTEST + 1)),
    "reason": frozenset(("won", "last_seat", "max_rounds", "deserted")),
}
_LISTS: Final[dict[str, frozenset[Any]]] = {
    **dict.fromkeys(("unload", "load", "unload_there", "load_there", "gems", "cargo"), _GEMS),
    "winners": _SEATS,
    "canoes": _CANOES,
}
_SPECIAL: Final[dict[tuple[type[Any], str], frozenset[Any]]] = {
    (WhirlpoolMoved, "to"): frozenset((*SPACE_BY_NAME, "next")),
    (MooseLeft, "to"): frozenset(("place", "returning")),
}
_OPTIONAL: Final = frozenset(((BoughtBack, "gem"), (WeatherChanged, "seat"), (BeaverMoved, "to")))
