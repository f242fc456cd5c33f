"""Read records from files or a database of results, and positions out of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from niagara_arena.errors import InputError
from niagara_arena.records import GameRecord
from niagara_arena.replay.codec import MAX_RECORD_BYTES, decode
from niagara_arena.replay.playback import position_at
from niagara_arena.store import DEFAULT_DATABASE, open_store

__all__ = ["load", "position_from", "read"]

_WHAT: Final = "give a record that `niagara play --record DIR` wrote, or the id of a stored game"
_GAME = re.compile(r"g-[0-9a-f]{4,16}")
_AT_ROUND = re.compile(r"(.+)@(\d{1,7})")


def read(path: str | Path, database: Path = DEFAULT_DATABASE) -> bytes:
    """Return the bytes of a record in a file, or of a stored game by its id or its beginning."""
    if _GAME.fullmatch(str(path)) and not Path(path).exists():
        with open_store(database) as store:
            return store.find_game(str(path))[1].record
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_RECORD_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"there is no file `{path}`", _WHAT) from None
    except OSError as error:
        raise InputError(f"`{path}` can't be read: {error.strerror}", _WHAT) from None
    if len(data) > MAX_RECORD_BYTES:
        raise InputError(f"`{path}` is longer than any game record", _WHAT)
    return data


def load(path: str | Path, database: Path = DEFAULT_DATABASE) -> GameRecord:
    """Return the record in a file, or of a stored game."""
    try:
        return decode(read(path, database))
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
