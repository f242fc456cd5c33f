"""Get out of a damaged file what can still be read, game by game; the file is not touched."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from niagara_arena.errors import ArenaError, NotPossibleHere
from niagara_arena.store.rows import whole_record

__all__ = ["Salvaged", "counts_games", "salvage"]

_LEAST_RECORD_BYTES = 200


class Salvaged(Struct, frozen=True):
    """Hold one game that was found, or the loss of one."""

    tournament: str
    """Its name; ``tournament-N`` when that is lost."""
    place: int
    record: bytes
    """Empty for a loss."""
    hash: str = ""
    """As stored; empty when that is lost."""


def salvage(path: Path) -> Iterator[Salvaged]:
    """Yield every game of a damaged file, with an empty record for each that can't be read.

    Where even the number of games is lost, only those that are found are yielded.
    """
    if not path.exists():
        raise NotPossibleHere(f"there is no database `{path}`", "name the file with --db")
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    try:
        # Tells SQLite to go on although the file is shorter than its header says.
        db.execute("PRAGMA writable_schema = ON")
        names = _names(db)
        known = _last(db)
        last = path.stat().st_size // _LEAST_RECORD_BYTES if known is None else known
        for number in range(1, last + 1):
            row = _try(db, "SELECT tournament, place FROM records WHERE rowid = ?", number)
            if not row and known is None:
                continue  # nobody knows whether there was a game
            yield _game(db, number, row, names)
    finally:
        db.close()


def counts_games(path: Path) -> bool:
    """Tell whether a damaged file still says how many games it held."""
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    try:
        db.execute("PRAGMA writable_schema = ON")
        return _last(db) is not None
    finally:
        db.close()


def _try(db: sqlite3.Connection, sql: str, *values: object) -> tuple[object, ...] | None:
    """Return a row, () if there is none, None if the file can't say."""
    try:
        found: tuple[object, ...] | None = db.execute(sql, values).fetchone()
    except sqlite3.DatabaseError:
        return None
    return () if found is None else found


def _names(db: sqlite3.Connection) -> dict[object, str]:
    try:
        return dict(db.execute("SELECT tournament, name FROM tournaments").fetchall())
    except sqlite3.DatabaseError:
        return {}


def _last(db: sqlite3.Connection) -> int | None:
    """Return the number of the last record; None when the file can't say."""
    for sql in ("SELECT max(rowid) FROM records", "SELECT count(*) FROM games"):
        row = _try(db, sql)
        if row and isinstance(row[0], int) and row[0]:
            return row[0]
    return None


def _game(
    db: sqlite3.Connection, number: int, row: tuple[object, ...] | None, names: dict[object, str]
) -> Salvaged:
    if not row:
        return Salvaged("", number, b"")
    tournament, place = row
    name = names.get(tournament, f"tournament-{tournament}")
    order = place if isinstance(place, int) else number
    packed = _try(db, "SELECT record, measured, log FROM records WHERE rowid = ?", number)
    if not packed:
        return Salvaged(name, order, b"")
    known = _try(db, "SELECT hash FROM games WHERE tournament = ? AND place = ?", tournament, place)
    digest = known[0].hex() if known and isinstance(known[0], bytes) else ""
    try:
        return Salvaged(name, order, whole_record(*packed), digest)
    except ArenaError:
        return Salvaged(name, order, b"")
