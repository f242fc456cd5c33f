"""Write facts: tournaments, schedules, ends of matches with their games; each in one transaction.

Laws: nothing is changed or deleted; a match ends once, with all its games or with none; rows do not
depend on the order in which matches end.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Struct

from niagara_arena.errors import InputError
from niagara_arena.records import Standing
from niagara_arena.schedule.plan import Planned
from niagara_arena.schedule.spec import Entrant, Spec
from niagara_arena.store.database import explained

__all__ = [
    "STANDINGS",
    "EndState",
    "GameFacts",
    "MatchEnd",
    "TournamentFacts",
    "Writer",
    "numbers",
]

STANDINGS = (Standing.FINISHED, Standing.FORFEITED, Standing.VOID)
"""Their places are what the database holds."""

_JSON = msgspec.json.Encoder(order="deterministic")


def numbers(values: Sequence[int], kind: str = "H") -> bytes:
    """Return small numbers as bytes: two each for ``H``, four for ``I``, least first."""
    return struct.pack(f"<{len(values)}{kind}", *values)


class EndState(StrEnum):
    """Name how a match ended."""

    PLAYED = "played"
    WITHDRAWN = "withdrawn"
    """Not played: one of its bots was withdrawn."""
    QUARANTINED = "quarantined"
    """Not played: it killed its workers."""


class TournamentFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold what is fixed when a tournament begins."""

    name: str
    spec: Spec
    entrants: tuple[Entrant, ...]
    arena: str
    rules_version: str
    epoch: str
    hash: str
    """Of all the above but the name."""
    balance: str = "[]"
    """What was found of the schedule's balance, as JSON."""


class GameFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold what is stored of one game; crosses from worker to runner as bytes."""

    game: str
    place: int
    seats: tuple[int, ...]
    """By seat: the entrant's number."""
    winners: tuple[int, ...]
    placings: tuple[int, ...]
    standings: tuple[int, ...]
    faults: tuple[int, ...]
    rounds: int
    reason: str
    cluster: bytes
    fingerprint: bytes
    hash: bytes
    cpu_us: tuple[int, ...]
    """By seat: median and worst of a decision."""
    day: str
    record: bytes
    """Packed, without its last line."""
    measured: bytes
    """Packed last line, without logs."""
    log: bytes = b""
    """Packed logs."""


class MatchEnd(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold how a match ended, with its games."""

    order: int
    state: EndState
    sentence: str = ""
    games: tuple[GameFacts, ...] = ()


class Writer:
    """Add facts; belongs to the one process that holds the lock."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all or nothing."""
        with explained(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def scrub(self) -> None:
        """Rewrite the file, so that nothing erased is left in its free space."""
        with explained(self._path):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def add_submission(
        self, submission: str, name: str, version: str, language: str, authors: Sequence[str]
    ) -> None:
        """Remember a submission; one that is known stays as it is."""
        with self.transaction() as db:
            fresh = db.execute(
                "INSERT OR IGNORE INTO submissions VALUES (?, ?, ?, ?, NULL)",
                (submission, name, version, language),
            ).rowcount
            if fresh:
                rows = [(submission, place, author) for place, author in enumerate(authors)]
                db.executemany("INSERT INTO authors VALUES (?, ?, ?)", rows)

    def add_tournament(self, facts: TournamentFacts, created: str) -> int:
        """Begin a tournament; return its number."""
        with self.transaction() as db:
            if db.execute("SELECT 1 FROM tournaments WHERE name = ?", (facts.name,)).fetchone():
                raise InputError(
                    f"there is a tournament `{facts.name}` already", "choose another --name"
                )
            db.execute(
                "INSERT OR IGNORE INTO epochs VALUES (?, ?, ?)",
                (facts.epoch, facts.rules_version, _text(facts.spec.settings)),
            )
            number = db.execute(
                "INSERT INTO tournaments (name, spec, hash, arena, epoch, balance, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    facts.name,
                    _text(facts.spec),
                    facts.hash,
                    facts.arena,
                    facts.epoch,
                    facts.balance,
                    created,
                ),
            ).lastrowid
            assert number is not None
            db.executemany(
                "INSERT INTO entrants VALUES (?, ?, ?, ?, ?)",
                [
                    (number, place, e.submission, e.owner or None, _text(e.params))
                    for place, e in enumerate(facts.entrants)
                ],
            )
        return number

    def add_schedule(
        self, tournament: int, planned: Sequence[Planned], numbering: dict[str, int]
    ) -> None:
        """Add matches that are to be played; those known already must be the same."""
        rows = [
            (
                tournament,
                match.order,
                match.heat,
                match.match,
                match.first_game,
                match.index,
                numbers([numbering[name] for name in match.table]),
            )
            for match in planned
        ]
        with self.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO matches VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            for row in rows:
                found = db.execute(
                    "SELECT * FROM matches WHERE tournament = ? AND ord = ?", row[:2]
                ).fetchone()
                if tuple(found) != row:
                    raise InputError(f"match {row[1]} of the schedule is not the one stored")

    def end_match(self, tournament: int, end: MatchEnd) -> None:
        """Add how a match ended and its games, all or nothing."""
        with self.transaction() as db:
            db.execute(
                "INSERT INTO ends VALUES (?, ?, ?, ?)",
                (tournament, end.order, end.state, end.sentence),
            )
            for game in end.games:
                db.execute(
                    f"INSERT INTO games VALUES ({', '.join('?' * 16)})",
                    (
                        tournament,
                        game.place,
                        end.order,
                        game.game,
                        numbers(game.seats),
                        bytes(game.winners),
                        bytes(game.placings),
                        bytes(game.standings),
                        bytes(min(count, 255) for count in game.faults),
                        game.rounds,
                        game.reason,
                        game.cluster,
                        game.fingerprint,
                        game.hash,
                        numbers(game.cpu_us, "I"),
                        game.day,
                    ),
                )
                db.execute(
                    "INSERT INTO records VALUES (?, ?, ?, ?, ?)",
                    (tournament, game.place, game.record, game.measured, game.log or None),
                )

    def withdraw(self, tournament: int, submission: str, heat: int, sentence: str) -> None:
        """Say that a bot plays no further from a heat on; known already: nothing happens."""
        with self.transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO withdrawals VALUES (?, ?, ?, ?)",
                (tournament, submission, heat, sentence),
            )

    def annul(
        self, kind: str, target: str, reason: str, made: str, tournament: int | None = None
    ) -> None:
        """Say that games, of a submission or an owner, are no longer rated."""
        if kind not in ("game", "submission", "owner"):
            raise InputError(f"`{kind}` can't be annulled", "a game, submission or owner can")
        if not reason.strip():
            raise InputError("an annulment needs a reason", "say it with --reason")
        with self.transaction() as db:
            db.execute(
                "INSERT INTO annulments (kind, target, tournament, reason, made)"
                " VALUES (?, ?, ?, ?, ?)",
                (kind, target, tournament, reason, made),
            )

    def incident(self, tournament: int, order: int, kind: str, sentence: str, at: str) -> None:
        """Note what our side did to a match."""
        with self.transaction() as db:
            db.execute(
                "INSERT INTO incidents (tournament, ord, kind, sentence, at)"
                " VALUES (?, ?, ?, ?, ?)",
                (tournament, order, kind, sentence, at),
            )

    def found_at(self, submission: str, reference: str) -> None:
        """Note where a submission was found, to find it again."""
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO sources VALUES (?, ?)", (submission, reference))

    def begin_run(self, tournament: int, started: str, jobs: int, sandbox: str) -> int:
        """Note that a run begins; return its number."""
        with self.transaction() as db:
            number = db.execute(
                "INSERT INTO runs (tournament, started, how, jobs, sandbox)"
                " VALUES (?, ?, 'running', ?, ?)",
                (tournament, started, jobs, sandbox),
            ).lastrowid
        assert number is not None
        return number

    def end_run(self, run: int, ended: str, how: str) -> None:
        """Note how a run ended."""
        with self.transaction() as db:
            db.execute("UPDATE runs SET ended = ?, how = ? WHERE run = ?", (ended, how, run))

    def drop_logs(self, before: str, keep_faulty: bool = True) -> int:
        """Drop bots' logs of games played before a day; return how many were dropped."""
        faulty = " AND g.faults = zeroblob(length(g.faults))" if keep_faulty else ""
        with self.transaction() as db:
            return db.execute(
                "UPDATE records SET log = NULL WHERE log IS NOT NULL AND EXISTS (SELECT 1 FROM"
                " games g WHERE g.tournament = records.tournament AND g.place = records.place"
                f" AND g.day < ?{faulty})",
                (before,),
            ).rowcount


def _text(value: object) -> str:
    return _JSON.encode(value).decode()
