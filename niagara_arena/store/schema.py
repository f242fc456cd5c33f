"""The tables, as a list of migrations; the file's `user_version` says how many it has had.

Laws: a migration is never changed once released, only followed by another. Rows are added, never
changed, but for these: personal fields (`owners`, `authors`) can be emptied, logs can be dropped,
`runs` says whether one is under way. None of them is part of a hash.
"""

from __future__ import annotations

import sqlite3

from niagara_arena.errors import InputError

__all__ = ["APPLICATION_ID", "VERSION", "migrate"]

APPLICATION_ID = 0x4E494147
"""Tells our files from other SQLite files: "NIAG"."""

_FIRST = """
CREATE TABLE owners (
    owner TEXT PRIMARY KEY,          -- pseudonym; all that facts know
    key TEXT, name TEXT, contact TEXT, -- personal: erasable
    erased INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE lines (
    line INTEGER PRIMARY KEY,
    owner TEXT NOT NULL REFERENCES owners,
    name TEXT NOT NULL,
    UNIQUE (owner, name)
) STRICT;
CREATE TABLE submissions (
    submission TEXT PRIMARY KEY,     -- content hash
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    language TEXT NOT NULL,
    line INTEGER REFERENCES lines
) STRICT;
CREATE TABLE authors (
    submission TEXT NOT NULL REFERENCES submissions,
    place INTEGER NOT NULL,
    author TEXT,                     -- personal: erasable
    PRIMARY KEY (submission, place)
) STRICT;
CREATE TABLE epochs (
    epoch TEXT PRIMARY KEY,
    rules_version TEXT NOT NULL,
    settings TEXT NOT NULL
) STRICT;
CREATE TABLE tournaments (
    tournament INTEGER PRIMARY KEY,  -- also the order of ratings
    name TEXT NOT NULL UNIQUE,
    spec TEXT NOT NULL,
    hash TEXT NOT NULL,
    arena TEXT NOT NULL,
    epoch TEXT NOT NULL REFERENCES epochs,
    balance TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
CREATE TABLE entrants (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    number INTEGER NOT NULL,
    submission TEXT NOT NULL REFERENCES submissions,
    owner TEXT REFERENCES owners,
    params TEXT NOT NULL,
    PRIMARY KEY (tournament, number),
    UNIQUE (tournament, submission)
) STRICT;
CREATE TABLE matches (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    ord INTEGER NOT NULL,
    heat INTEGER NOT NULL,
    match TEXT NOT NULL,
    first_game INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    members BLOB NOT NULL,           -- entrants' numbers, two bytes each
    PRIMARY KEY (tournament, ord)
) STRICT, WITHOUT ROWID;
CREATE TABLE ends (
    tournament INTEGER NOT NULL,
    ord INTEGER NOT NULL,
    state TEXT NOT NULL,
    sentence TEXT NOT NULL,
    PRIMARY KEY (tournament, ord),
    FOREIGN KEY (tournament, ord) REFERENCES matches
) STRICT, WITHOUT ROWID;
CREATE TABLE games (
    tournament INTEGER NOT NULL,
    place INTEGER NOT NULL,          -- in the tournament's schedule
    ord INTEGER NOT NULL,
    game TEXT NOT NULL,
    seats BLOB NOT NULL,             -- by seat: the entrant's number, two bytes each
    winners BLOB NOT NULL,
    placings BLOB NOT NULL,
    standings BLOB NOT NULL,
    faults BLOB NOT NULL,
    rounds INTEGER NOT NULL,
    reason TEXT NOT NULL,
    cluster BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    hash BLOB NOT NULL,              -- SHA-256 of the record's deterministic part
    cpu BLOB NOT NULL,               -- by seat: median and worst of a decision, in us
    day TEXT NOT NULL,
    PRIMARY KEY (tournament, place),
    FOREIGN KEY (tournament, ord) REFERENCES ends
) STRICT, WITHOUT ROWID;
CREATE INDEX games_by_id ON games (game);
CREATE TABLE records (
    tournament INTEGER NOT NULL,
    place INTEGER NOT NULL,
    record BLOB NOT NULL,
    measured BLOB NOT NULL,
    log BLOB,                        -- what the bots said on stderr; may be dropped
    PRIMARY KEY (tournament, place),
    FOREIGN KEY (tournament, place) REFERENCES games
) STRICT;
CREATE TABLE withdrawals (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    submission TEXT NOT NULL REFERENCES submissions,
    heat INTEGER NOT NULL,
    sentence TEXT NOT NULL,
    PRIMARY KEY (tournament, submission)
) STRICT;
CREATE TABLE annulments (
    annulment INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,              -- game, submission or owner
    target TEXT NOT NULL,
    tournament INTEGER REFERENCES tournaments,
    reason TEXT NOT NULL,
    made TEXT NOT NULL
) STRICT;
CREATE TABLE incidents (             -- what our side did: measured, no fact
    incident INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL,
    ord INTEGER NOT NULL,
    kind TEXT NOT NULL,              -- void, killed, death
    sentence TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT;
CREATE INDEX incidents_by_match ON incidents (tournament, ord);
CREATE TABLE sources (               -- where a submission was found: measured, no fact
    submission TEXT PRIMARY KEY REFERENCES submissions,
    reference TEXT NOT NULL
) STRICT;
CREATE TABLE runs (                  -- measured, no fact
    run INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournaments,
    started TEXT NOT NULL,
    ended TEXT,
    how TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    sandbox TEXT NOT NULL
) STRICT;
"""

MIGRATIONS = (_FIRST,)
VERSION = len(MIGRATIONS)


def migrate(db: sqlite3.Connection, where: str) -> None:
    """Bring a file up to date, or make a new one; refuse a file of a newer arena."""
    done = db.execute("PRAGMA user_version").fetchone()[0]
    if done > VERSION:
        raise InputError(
            f"`{where}` was written by a newer niagara (schema {done}, this one knows {VERSION})",
            "use the newer version",
        )
    for number in range(done, VERSION):
        db.execute("BEGIN IMMEDIATE")
        try:
            for statement in _statements(MIGRATIONS[number]):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number + 1}")
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def _statements(script: str) -> list[str]:
    """Split a script; no statement of ours has a semicolon inside but in a comment."""
    lines = [line.split("--")[0] for line in script.split("\n")]
    return [statement for part in "\n".join(lines).split(";") if (statement := part.strip())]
