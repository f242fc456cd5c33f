"""What every entry checks alike before it trusts what it was handed.

Whatever comes in, only `RulesError` may come out. So nothing foreign is formatted as it is: a
`repr` can be endless, nested too deep, or refuse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from niagara_arena.errors import RulesError
from niagara_arena.rules.state import State

LONGEST: Final = 40
"""How much of a foreign value an error message shows, in characters."""
_PLAIN_BITS: Final = 64


def shown(value: object) -> str:
    """Return a short text for a foreign value, fit for an error message."""
    if type(value) is int and value.bit_length() > _PLAIN_BITS:
        return "a huge number"
    if type(value) not in (int, str, bool, float, type(None)):
        return f"a {type(value).__name__}"[:LONGEST]
    text = repr(value[: 2 * LONGEST] if isinstance(value, str) else value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def need_object(value: object, path: str) -> Mapping[str, Any]:
    """Return a JSON object, or refuse."""
    if not isinstance(value, Mapping):
        raise RulesError(f"a JSON object is needed, not {shown(value)}", path=path)
    return value


def need_whole(value: object, path: str) -> int:
    """Return a whole number, or refuse; True is none."""
    if type(value) is not int:
        raise RulesError(f"a whole number is needed, not {shown(value)}", path=path)
    return value


def need_flag(value: object, path: str) -> bool:
    """Return true or false, or refuse."""
    if type(value) is not bool:
        raise RulesError(f"true or false is needed, not {shown(value)}", path=path)
    return value


def need_seat(seat: object, seats: int) -> int:
    """Return a seat of the table, or refuse."""
    if type(seat) is not int or not 0 <= seat < seats:
        raise RulesError(f"there is no seat {shown(seat)}", "N-2.3")
    return seat


def need_state(state: object) -> State:
    """Return a state, or refuse."""
    if not isinstance(state, State):
        refuse_state(state)
    return state


def refuse_state(state: object) -> NoReturn:
    """Refuse what is handed in for a state."""
    raise RulesError(f"{shown(state)} is no state of a game") from None
