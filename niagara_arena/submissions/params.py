"""The parameters of a bot: what its bot.toml offers, and what an organiser may set.

A parameter has a type, a default and perhaps a range or choices. `param_values` turns overrides,
as text or as values, into the complete `params` of a `start` message; whatever does not fit the
specification is refused, so that a bot may trust what it reads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from niagara_arena.errors import InputError
from niagara_arena.submissions.names import quoted, suggestion

__all__ = ["MAX_PARAMS", "MAX_TEXT", "Param", "Value", "param_values", "trouble_with_param"]

Value = bool | int | float | str

MAX_PARAMS = 32
"""How many parameters a bot may have; all of them travel in every `start`."""

MAX_TEXT = 200
"""Characters of a text parameter."""

_BIG = 2**53
"""Beyond this, JSON numbers are not safe in every language."""


class Param(Struct, frozen=True, forbid_unknown_fields=True):
    """Offer one value that can be set without a new submission."""

    type: Annotated[
        Literal["int", "float", "bool", "str"], Meta(description="What kind of value it takes.")
    ]
    default: Annotated[bool | int | float | str, Meta(description="What holds if nobody sets it.")]
    range: Annotated[
        tuple[float, float] | None,
        Meta(description="Smallest and largest value, both included; for int and float."),
    ] = None
    choices: Annotated[
        tuple[int | float | str, ...] | None,
        Meta(description="All values it may take; for int, float and str."),
    ] = None
    help: Annotated[
        str, Meta(description="A sentence for whoever sets it.", max_length=MAX_TEXT)
    ] = ""


def trouble_with_param(param: Param) -> str | None:
    """Say what is wrong with a specification itself; None if nothing is."""
    if param.type in ("bool", "str") and param.range is not None:
        return f"`range` does not fit the type `{param.type}`"
    if param.type == "bool" and param.choices is not None:
        return "`choices` does not fit the type `bool`"
    if param.range is not None and param.choices is not None:
        return "`range` and `choices` exclude each other"
    if param.range is not None:
        low, high = param.range
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            return f"`range` is [smallest, largest], not [{low:g}, {high:g}]"
    for choice in param.choices or ():
        trouble = _trouble_with_type(param.type, choice)
        if trouble:
            return f"`choices`: {trouble}"
    trouble = _trouble_with_value(param, param.default)
    return f"`default`: {trouble}" if trouble else None


def param_values(
    params: Mapping[str, Param], overrides: Mapping[str, Value], bot: str
) -> dict[str, Value]:
    """Return every parameter's value, the overrides put over the defaults.

    Text overrides (`depth=4` on a command line) are read as the parameter's type. Raises
    `InputError` for an unknown parameter or a value that does not fit.
    """
    for name in overrides:
        if name not in params:
            known = ", ".join(f"`{p}`" for p in sorted(params)) or "none"
            raise InputError(
                f"{bot} has no parameter {quoted(name)}",
                suggestion(name, params, f"its parameters: {known}"),
            )
    values: dict[str, Value] = {}
    for name, param in sorted(params.items()):
        given = overrides.get(name, param.default)
        value = _read(param, given) if name in overrides else given
        trouble = _trouble_with_value(param, value)
        if trouble:
            raise InputError(f"parameter `{name}` of {bot}: {trouble}", _offer(name, param))
        values[name] = float(value) if param.type == "float" else value
    return values


def _read(param: Param, given: Value) -> Value:
    """Read text as the parameter's type where that is possible; the check comes after."""
    if not isinstance(given, str) or param.type == "str":
        return given
    words: dict[str, Value] = {"true": True, "yes": True, "false": False, "no": False}
    if param.type == "bool":
        return words.get(given.lower(), given)
    try:
        return int(given) if param.type == "int" else float(given)
    except ValueError:
        return given


def _trouble_with_type(kind: str, value: Any) -> str | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = {
        "bool": isinstance(value, bool),
        "int": number and isinstance(value, int),
        "float": number,
        "str": isinstance(value, str),
    }[kind]
    if not fits:
        return f"{quoted(str(value))} is no `{kind}`"
    if number and not abs(value) <= _BIG:  # true of nan and inf, too
        return f"{quoted(str(value)).strip('`')} is not between -2^53 and 2^53"
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            return f"a text has at most {MAX_TEXT} characters"
        if not value.isprintable():
            return f"{quoted(value)} has characters that do not print"
    return None


def _trouble_with_value(param: Param, value: Value) -> str | None:
    trouble = _trouble_with_type(param.type, value)
    if trouble:
        return trouble
    if param.choices is not None and value not in param.choices:
        return f"{quoted(str(value))} is none of its choices"
    if param.range is not None:
        low, high = param.range
        if not low <= float(value) <= high:
            return f"{value} is outside {low:g} … {high:g}"
    return None


def _offer(name: str, param: Param) -> str:
    if param.choices is not None:
        return f"`{name}` is one of {', '.join(f'`{choice}`' for choice in param.choices)}"
    if param.range is not None:
        low, high = param.range
        return f"`{name}` is of the type `{param.type}`, from {low:g} to {high:g}"
    return f"`{name}` is of the type `{param.type}`"
