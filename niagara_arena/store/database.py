"""Open the file: lock, check, migrate; and turn SQLite's errors into ours.

Laws: one writer at a time, held by a lock that the kernel lets go of when its process dies; readers
need none. A damaged file is never written to. Whatever SQLite says reaches the user as a sentence
with what to do next.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere
from niagara_arena.store.schema import APPLICATION_ID, VERSION, migrate

__all__ = [
    "DEFAULT_DATABASE",
    "StoreBusy",
    "StoreDamaged",
    "StoreFull",
    "connect",
    "explained",
    "hold_lock",
    "is_written",
]

DEFAULT_DATABASE = Path("results") / "arena.db"

_PAGE_BYTES = 1024
"""Packed records take 2 to 4 KB: with small pages little is wasted at the end of each."""
_CHECKED_BYTES = 64 << 20
"""Up to this size a reader checks the whole file; a writer always does."""
_BUSY_MS = 10_000


class StoreDamaged(ArenaError):
    """Say that the file is not what was written."""


class StoreBusy(NotPossibleHere):
    """Say that another process writes to the file."""


class StoreFull(NotPossibleHere):
    """Say that there is no room to write; what was written before is safe."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into one that tells what happened and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explain(error, path) from error
    except UnicodeDecodeError as error:  # SQLite quotes what it finds, whatever that is
        raise damaged(path, f"a text in it is none: {error}") from error


def _explain(error: sqlite3.Error, path: Path) -> ArenaError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or any(
        words in str(error) for words in ("malformed", "Could not decode to UTF-8")
    ):
        return damaged(path, str(error))
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return StoreFull(
            f"no room to write to `{path}` ({error})",
            "free some space, then run the same command again: all that was stored is kept",
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusy(f"`{path}` is in use ({error})", "try again in a moment")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return NotPossibleHere(
            f"can't open `{path}`: {error}",
            "name another file with --db, or see who may read this one",
        )
    return StoreDamaged(f"`{path}`: {error}", "please report this")


def damaged(path: Path, what: str) -> StoreDamaged:
    """Return the error for a file that is not what was written."""
    return StoreDamaged(
        f"the database `{path}` is damaged: {what}",
        "save what is readable with `niagara tournament export --salvage DIR --db …`,"
        " then go on with a copy from before",
    )


def hold_lock(path: Path) -> IO[str]:
    """Become the only writer; the lock ends with the file object or the process."""
    lock = open(f"{path}.lock", "a+", encoding="utf-8")  # noqa: SIM115 - held as long as the store
    if not _locked(lock, fcntl.LOCK_EX, tries=3):
        lock.seek(0)
        holder = lock.read(40).strip()
        lock.close()
        raise StoreBusy(
            f"`{path}` is being written to by another niagara (process {holder or 'unknown'})",
            "wait for it to finish, look on with `niagara tournament status`, or use another --db",
        )
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    return lock


def is_written(path: Path) -> bool:
    """Tell whether some process holds the lock now."""
    try:
        with open(f"{path}.lock", encoding="utf-8") as lock:
            return not _locked(lock, fcntl.LOCK_SH, tries=1)
    except FileNotFoundError:
        return False


def _locked(lock: IO[str], how: int, tries: int) -> bool:
    """Try to lock; more than once, as somebody may just be looking whether it is locked."""
    for attempt in range(tries):
        if attempt:
            time.sleep(0.02)
        try:
            fcntl.flock(lock, how | fcntl.LOCK_NB)
        except OSError:
            continue
        return True
    return False


def must_exist(path: Path) -> None:
    """Raise NotPossibleHere where there is no database."""
    if not path.exists():
        raise NotPossibleHere(
            f"there is no database `{path}`",
            "run a tournament first, or name another file with --db",
        )


def connect(path: Path, *, write: bool, check: bool = True) -> sqlite3.Connection:
    """Open the file and see that it is sound; a writer makes it when it is not there."""
    if not write:
        must_exist(path)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
    fresh = not path.exists() or path.stat().st_size == 0
    with explained(path):
        where, uri = (path, False) if write else _reading(path)
        db = sqlite3.connect(where, isolation_level=None, timeout=_BUSY_MS / 1000, uri=uri)
        try:
            _set_up(db, path, write, fresh, check)
        except BaseException:
            db.close()
            raise
    return db


def _reading(path: Path) -> tuple[Path | str, bool]:
    """Say what to open for reading, and whether that is a URI.

    Beside a file in WAL mode SQLite wants to write, be it only to read. Where we may not, and
    nobody writes, the file is taken as it lies.
    """
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return path, False
    log = Path(f"{path}-wal")
    busy = log.exists() and log.stat().st_size
    return f"{path.absolute().as_uri()}?mode=ro{'' if busy else '&immutable=1'}", True


def _set_up(db: sqlite3.Connection, path: Path, write: bool, fresh: bool, check: bool) -> None:
    if write and fresh:
        db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        db.execute("PRAGMA journal_mode = WAL")
    if not fresh:
        _check_length(path)
        _check_kind(db, path)
        if check and (write or path.stat().st_size <= _CHECKED_BYTES):
            _check_pages(db, path)
    if write:
        migrate(db, str(path))
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA wal_autocheckpoint = 2000")
    else:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise InputError(
                f"`{path}` has schema {version}, this niagara reads {VERSION}",
                "a newer niagara wrote it"
                if version > VERSION
                else "any `niagara tournament run` brings it up to date",
            )
        db.execute("PRAGMA query_only = ON")


def _check_length(path: Path) -> None:
    """See that no page is missing or cut; SQLite itself takes a cut last page for zeros.

    Beside a log of writes the file may be behind, and SQLite knows.
    """
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        return
    with path.open("rb") as file:
        head = file.read(32)
    if not head.startswith(b"SQLite format 3\0"):
        raise damaged(path, "it does not begin as an SQLite file does")
    page = int.from_bytes(head[16:18], "big")
    expected = int.from_bytes(head[28:32], "big") * (page if page > 1 else 65_536)
    size = path.stat().st_size
    if size < expected:
        raise damaged(path, f"it has {size} bytes and should have {expected}")


def _check_kind(db: sqlite3.Connection, path: Path) -> None:
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise InputError(f"`{path}` is no database of niagara", "name another file with --db")


def _check_pages(db: sqlite3.Connection, path: Path) -> None:
    found = [row[0] for row in db.execute("PRAGMA quick_check(3)")]
    if found != ["ok"]:
        raise damaged(path, "; ".join(found)[:300])
    broken = db.execute("PRAGMA foreign_key_check").fetchone()
    if broken is not None:
        raise damaged(path, f"a row of `{broken[0]}` points to nothing in `{broken[2]}`")
