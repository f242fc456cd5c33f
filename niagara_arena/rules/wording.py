"""Actions, events and lists of legal actions as compact JSON text, remembered within bounds.

A referee writes these with every request. The texts are byte for byte what the JSON objects of
`actions` and `events` give, without spaces. In the list of legal actions most entries also have
a key ``result``, what the action leads to before anything else happens:

| decision  | ``result``                                                         |
|-----------|--------------------------------------------------------------------|
| `buy`     | `{"bank":{"ruby":1},"canoes":2}`: the bank, and the canoes in play |
| `canoe`   | `{"at":"4","cargo":["diamond"],"banked":[],"lost":false}`          |
| `weather` | `{"weather":1}`                                                    |
| `arm`     | `{"at":"6L","lost":false}`                                         |

Cards and the moose need none.
"""

from __future__ import annotations

import json
from typing import Any, Final

from niagara_arena.errors import RulesError
from niagara_arena.rules.actions import (
    Action,
    Arm,
    BuyBack,
    Moose,
    Paddle,
    PlayCard,
    Stay,
    Theft,
    Weather,
    action_from_json,
    action_to_json,
)
from niagara_arena.rules.checks import need_seat, need_state
from niagara_arena.rules.components import CARGO_CODE, CARGO_PACKED, GEM_BY_NAME
from niagara_arena.rules.events import EVENT_TYPES, event_from_json, event_to_json
from niagara_arena.rules.game import open_menus
from niagara_arena.rules.geometry import JETTY, LOST
from niagara_arena.rules.memo import Memo
from niagara_arena.rules.moves import Move
from niagara_arena.rules.paddling import CanoeMenu, Menu, unranked
from niagara_arena.rules.state import BANK, WEATHER, State, block, in_play
from niagara_arena.rules.text import CARGO_TEXT, GEMS_TEXT, names_text

MEMO_TEXTS: Final = 8192
MEMO_ENTRIES: Final = 16384

_ACTION_TYPES: Final = frozenset((BuyBack, PlayCard, Paddle, Stay, Weather, Arm, Moose))
_EVENT_KINDS: Final = frozenset(EVENT_TYPES.values())


_compact: Final = json.JSONEncoder(separators=(",", ":")).encode


def _write_action(key: tuple[type[Any], Any]) -> str:
    value = action_to_json(key[1])
    action_from_json(value)  # equal things must have equal texts: refuse True for 1
    return _compact(value)


def _write_event(key: tuple[type[Any], Any]) -> str:
    value = event_to_json(key[1])
    event_from_json(value)
    return _compact(value)


_ACTION_TEXTS: Final = Memo(_write_action, MEMO_TEXTS)
_EVENT_TEXTS: Final = Memo(_write_event, MEMO_TEXTS)


def action_text(action: object) -> str:
    """Return an action as compact JSON; raise RulesError for what is none."""
    kind = type(action)
    if kind not in _ACTION_TYPES:
        raise RulesError(f"{kind.__name__} is no action")
    try:
        return _ACTION_TEXTS[kind, action]
    except RulesError:
        raise
    except Exception:  # whatever the parts of a hand-made action do
        raise RulesError(f"a {kind.__name__} of the wrong parts is no action") from None


def event_text(event: object) -> str:
    """Return an event as compact JSON; raise RulesError for what is none."""
    kind = type(event)
    if kind not in _EVENT_KINDS:
        raise RulesError(f"{kind.__name__} is no event")
    try:
        return _EVENT_TEXTS[kind, event]
    except RulesError:
        raise
    except Exception:  # whatever the parts of a hand-made event do
        raise RulesError(f"a {kind.__name__} of the wrong parts is no event") from None


# --- Legal actions -----------------------------------------------------------------------------


def legal_text(state: object, seat: object) -> str:
    """Return the legal actions of a seat's open decision as a JSON list, in canonical order.

    Each is the action's object, with ``result`` where the table above says so; the list is
    empty if the seat has nothing to decide.
    """
    menus = open_menus(state, seat)
    if len(menus) == 1:
        menu = menus[0]
        return f"[{menu.text or _write_menu(state, seat, menu)}]"
    return "[" + ",".join([menu.text or _write_menu(state, seat, menu) for menu in menus]) + "]"


def _write_menu(state: object, seat: object, menu: Menu) -> str:
    """Write the entries of a menu, and remember them with it."""
    if isinstance(menu, CanoeMenu):
        which = 2 * menu.canoe + menu.takes
        text = ",".join(
            [
                _ENTRIES[which, move[0], move[6]] if move[8] is None else _robbing(menu, move)
                for move in menu.moves
            ]
        )
    else:
        here = need_state(state)
        number = need_seat(seat, here.seats)
        text = ",".join([_entry(here, number, action) for action in menu.actions])
    menu.text = text
    return text


def _entry(state: State, seat: int, action: Action) -> str:
    """Write an action that is no move of a canoe, with its result."""
    match action:
        case Stay():
            result = '{"at":"jetty","cargo":[],"banked":[],"lost":false}'
        case Weather(step):
            result = f'{{"weather":{state._v[WEATHER] + step}}}'
        case Arm(arm):
            result = f'{{"at":"6{arm}","lost":false}}'
        case BuyBack(canoes, gems):
            paid = CARGO_PACKED[CARGO_CODE[tuple(GEM_BY_NAME[gem] for gem in gems)]]
            bank = GEMS_TEXT[state._v[block(seat) + BANK] - paid]
            result = f'{{"bank":{bank},"canoes":{in_play(state._v, seat) + len(canoes)}}}'
        case _:
            return action_text(action)
    return f'{action_text(action)[:-1]},"result":{result}}}'


def _paddle(action: Paddle) -> str:
    """Write a move as `action_to_json` has it, but for the closing brace."""
    canoe, to, unload, load, unload_there, load_there, steal, takes = action
    text = f'{{"canoe":{canoe},"to":"{to}"'
    if takes:
        text += ',"take_moose":true'
    if unload:
        text += f',"unload":{names_text(unload)}'
    if load:
        text += f',"load":{names_text(load)}'
    if unload_there:
        text += f',"unload_there":{names_text(unload_there)}'
    if load_there:
        text += f',"load_there":{names_text(load_there)}'
    if steal:
        text += f',"steal":[{",".join([_theft(theft) for theft in steal])}]'
    return text


def _theft(theft: Theft) -> str:
    return f'{{"seat":{theft.seat},"canoe":{theft.canoe},"gem":"{theft.gem}"}}'


def _write_entry(key: tuple[int, int, int]) -> str:
    """Write a move without theft: which canoe, canonical order, cargo code at the end."""
    which, order, held = key
    action = unranked(which, order)
    end = order >> 20
    cargo = CARGO_TEXT[held if 0 < end < JETTY else 0]
    banked = CARGO_TEXT[0 if end else held]
    lost = "true" if end == LOST else "false"
    return (
        f'{_paddle(action)},"result":{{"at":"{action.to}","cargo":{cargo},'
        f'"banked":{banked},"lost":{lost}}}}}'
    )


_ENTRIES: Final = Memo(_write_entry, MEMO_ENTRIES)


def _robbing(menu: CanoeMenu, move: Move) -> str:
    """Write a move with thefts."""
    haul = move[8]
    assert haul is not None
    action = unranked(2 * menu.canoe + menu.takes, move[0])._replace(steal=haul[0])
    return (
        f'{_paddle(action)},"result":{{"at":"{action.to}","cargo":{CARGO_TEXT[haul[1]]},'
        '"banked":[],"lost":false}}'
    )
