"""Tell what happened, a sentence for each kind of event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from niagara_arena.cli.canvas import cells, fit
from niagara_arena.cli.text import clean

__all__ = ["seat_name", "tell"]

NAME_CELLS: Final = 24
"""A longer name of a bot is cut in sentences."""

Fields = Mapping[str, Any]


def seat_name(seat: int, names: Sequence[str]) -> str:
    """Return how to call a seat: by its bot's name, where it is known, and its number."""
    name = clean(names[seat]) if seat < len(names) else ""
    if cells(name) > NAME_CELLS:
        name = fit(name, NAME_CELLS)
    return f"{name} ({seat})" if name.strip() else f"seat {seat}"


def tell(event: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """Return one sentence for an event, given as its JSON object."""
    fields = {**event}
    seat = fields.get("seat")
    who = seat_name(seat, names) if isinstance(seat, int) else ""
    return _TELL[event["event"]](fields, who, names)


def _list(items: Sequence[str]) -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _gem(gem: str) -> str:
    return f"an {gem}" if gem[0] == "a" else f"a {gem}"


def _gems(gems: Sequence[str]) -> str:
    """Say which gems; two of a kind are the most that a canoe holds or a seat banks at once."""
    if len(gems) == 2 and gems[0] == gems[1]:
        return f"two {gems[0].removesuffix('y')}{'ies' if gems[0][-1] == 'y' else 's'}"
    return _list([_gem(gem) for gem in gems])


def _card(card: str) -> str:
    return {"cloud": "the cloud", "lasso": "the lasso"}.get(card, card)


def _space(space: str) -> str:
    return "the jetty" if space == "jetty" else space


def _round(event: Fields, who: str, names: Sequence[str]) -> str:
    return f"round {event['round']}: {seat_name(event['start'], names)} starts"


def _bought(event: Fields, who: str, names: Sequence[str]) -> str:
    if event["gem"] is None:
        return f"{who} gets a canoe back free"
    return f"{who} buys a canoe back for {_gem(event['gem'])}"


def _moved(event: Fields, who: str, names: Sequence[str]) -> str:
    """Tell a canoe's move in the order in which it happened."""
    origin, to = event["origin"], event["to"]
    parts = []
    if event["unload"]:
        parts.append(f"unloads {_gems(event['unload'])}")
    if event["load"]:
        parts.append(f"loads {_gems(event['load'])}")
    if to == "lost":
        parts.append(f"paddles over the falls from {_space(origin)}")
    elif to == "jetty":
        parts.append(f"lands from {_space(origin)}")
    elif to == origin:
        parts.append(f"stays on {to}")
    else:
        parts.append(f"paddles from {_space(origin)} to {to}")
    if event["unload_there"]:
        parts.append(f"unloads {_gems(event['unload_there'])}")
    if event["load_there"]:
        parts.append(f"loads {_gems(event['load_there'])}")
    parts += [
        f"steals {_gem(theft['gem'])} from {seat_name(theft['seat'], names)}"
        for theft in event["steal"]
    ]
    return f"{who} {_list(parts)}"


def _lost(event: Fields, who: str, names: Sequence[str]) -> str:
    cargo = f" with {_gems(event['cargo'])}" if event["cargo"] else ""
    return f"{who} loses a canoe{cargo}"


def _weather(event: Fields, who: str, names: Sequence[str]) -> str:
    weather = f"{event['weather']:+d}" if event["weather"] else "0"
    if event["seat"] is None:
        return f"the beaver fell: the weather is {weather}"
    return f"{who} moves the weather to {weather}"


def _flowed(event: Fields, who: str, names: Sequence[str]) -> str:
    if event["speed"] <= 0:
        return "the river stands still"
    arm = "left" if event["arms"].startswith("L") else "right"
    first = " first" if event["speed"] > 1 else ""
    return f"the river flows {event['speed']}, into the {arm} arm{first}"


def _drifted(event: Fields, who: str, names: Sequence[str]) -> str:
    if event["to"] == "lost":
        return f"{who} drifts from {event['origin']} over the falls"
    return f"{who} drifts from {event['origin']} to {event['to']}"


def _ended(event: Fields, who: str, names: Sequence[str]) -> str:
    winners = _list([seat_name(seat, names) for seat in event["winners"]])
    match event["reason"]:
        case "won":
            return f"the game is over: {winners} won"
        case "last_seat":
            return f"the game is over: {winners} is the last at the table"
        case "max_rounds":
            return "the game is over: the last round has been played, nobody won"
        case _:
            return "the game is over: nobody is left at the table"


def _ashore(event: Fields, who: str, names: Sequence[str]) -> str:
    if not event["canoes"]:
        return f"{who} has no canoe on the river to pull ashore"
    count = "a canoe" if len(event["canoes"]) == 1 else "both canoes"
    return f"{who} pulls {count} ashore"


def _returned(event: Fields, who: str, names: Sequence[str]) -> str:
    origin, to = event["origin"], event["to"]
    if to == origin:
        return f"{who} puts out again on {to}"
    where = "over the falls" if to == "lost" else f"to {to}"
    return f"{who} puts out again on {origin} and is dragged {where}"


def _whirlpool(event: Fields, who: str, names: Sequence[str]) -> str:
    if event["to"] == "next":
        return "the whirlpool falls; it is the next disc to enter"
    return f"the whirlpool drifts to {event['to']}"


def _beaver(event: Fields, who: str, names: Sequence[str]) -> str:
    return "the beaver falls" if event["to"] is None else f"the beaver is on {event['to']}"


def _moose(event: Fields, who: str, names: Sequence[str]) -> str:
    if event["to"] == "place":
        return "the moose waits at the ruby place again"
    return "the moose leaves its canoe"


_TELL: Final[dict[str, Callable[[Fields, str, Sequence[str]], str]]] = {
    "round_started": _round,
    "bought_back": _bought,
    "card_revealed": lambda event, who, names: f"{who} plays {_card(event['card'])}",
    "canoe_moved": _moved,
    "canoe_stayed": lambda event, who, names: f"{who} leaves a canoe at the jetty",
    "banked": lambda event, who, names: f"{who} banks {_gems(event['gems'])}",
    "canoe_lost": _lost,
    "weather_changed": _weather,
    "river_flowed": _flowed,
    "canoe_drifted": _drifted,
    "hand_refilled": lambda event, who, names: f"{who} takes the whole hand back",
    "seat_retired": lambda event, who, names: f"{who} is retired",
    "game_ended": _ended,
    "canoes_ashore": _ashore,
    "canoe_returned": _returned,
    "whirlpool_moved": _whirlpool,
    "beaver_moved": _beaver,
    "moose_taken": lambda event, who, names: f"{who} takes the moose",
    "moose_left": _moose,
}
