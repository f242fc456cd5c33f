"""Read records from files, and positions out of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from niagara_arena.errors import InputError
from niagara_arena.records import GameRecord
from niagara_arena.replay.codec import MAX_RECORD_BYTES, decode
from niagara_arena.replay.playback import position_at

__all__ = ["load", "position_from", "read"]

_AT_ROUND = re.compile(r"(.+)@(\d{1,7})")


def read(path: str | Path) -> bytes:
    """Return a record's bytes; raise InputError for a file that can't be one."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_RECORD_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"there is no file `{path}`") from None
    except OSError as error:
        raise InputError(f"`{path}` can't be read: {error.strerror}") from None
    if len(data) > MAX_RECORD_BYTES:
        raise InputError(f"`{path}` is longer than any game record")
    return data


def load(path: str | Path) -> GameRecord:
    """Return the record in a file."""
    try:
        return decode(read(path))
    except InputError as error:
        raise _named(error, path) from None


def _named(error: InputError, path: str | Path) -> InputError:
    if str(path) in error.message:
        return error
    return InputError(f"`{path}`, {error.message}", error.hint)


def position_from(reference: str) -> dict[str, Any] | None:
    """Return the position that ``RECORD@ROUND`` names; None for text of another form."""
    named = _AT_ROUND.fullmatch(reference)
    if named is None:
        return None
    return position_at(load(named[1]), int(named[2]))
