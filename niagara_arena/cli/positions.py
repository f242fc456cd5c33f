"""Read a position that a user hands in: one JSON object, and nothing else."""

from __future__ import annotations

import json
from typing import Any, Final

from niagara_arena.errors import RulesError

__all__ = ["MAX_POSITION_BYTES", "read_position"]

MAX_POSITION_BYTES: Final = 1 << 20
"""A position takes about 2 KB; more than this is not one."""
_HINT: Final = "give exactly one position, one JSON object"


def read_position(data: bytes, holder: str) -> dict[str, Any]:
    """Return the JSON object that a `holder`, such as stdin, holds; raise RulesError for another.

    What the object says is for the rules to judge.
    """
    if len(data) > MAX_POSITION_BYTES:
        raise RulesError(
            f"a position is no longer than {MAX_POSITION_BYTES} bytes, {holder} is", hint=_HINT
        )
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{holder} holds no JSON object: {_sentence(error)}", hint=_HINT) from None
    if not isinstance(value, dict):
        raise RulesError("a position is a JSON object", path="$", hint=_HINT)
    return value


def _sentence(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    text = str(error)
    return "a number is far too long" if "digits" in text else text[:120]


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for key, value in pairs:
        if key in keys:
            raise RulesError(f"the key {key[:40]!r} is there twice", hint="keep one of them")
        keys[key] = value
    return keys
