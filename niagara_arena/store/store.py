"""One opened database: a reader for everybody, a writer for the one who holds the lock."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from niagara_arena.errors import InputError
from niagara_arena.store.database import connect, explained, hold_lock, must_exist
from niagara_arena.store.facts import Writer
from niagara_arena.store.games import GameReader
from niagara_arena.store.people import People

__all__ = ["Store", "open_store"]


class Store(GameReader):
    """Read a database, and write to it if it was opened for that."""

    def __init__(self, db: sqlite3.Connection, path: Path, lock: IO[str] | None) -> None:
        super().__init__(db, path)
        self.path = path
        self._lock = lock
        self._writer = Writer(db, path) if lock is not None else None

    @property
    def writer(self) -> Writer:
        """What facts are added by."""
        if self._writer is None:
            raise InputError(f"`{self.path}` was opened for reading only")
        return self._writer

    @property
    def people(self) -> People:
        """What owners and lines are written by."""
        return People(self.writer)

    @property
    def lock_fd(self) -> int | None:
        """The descriptor of the lock, which no child process may keep open."""
        return self._lock.fileno() if self._lock is not None else None

    def close(self) -> None:
        """Let go of the file and the lock."""
        self._db.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_store(
    path: Path | str, *, write: bool = False, make: bool = True, check: bool = True
) -> Store:
    """Open a database; a writer locks out others, and may `make` it if it is not there."""
    path = Path(path)
    lock = None
    if not make:
        must_exist(path)
    if write:
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        lock = hold_lock(path)
    try:
        return Store(connect(path, write=write, check=check), path, lock)
    except BaseException:
        if lock is not None:
            lock.close()
        raise
