"""Read facts: tournaments, schedules, how matches ended, who is who.

Everything is returned in the order of tournaments and schedule, whatever the order of writing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.records import Standing
from niagara_arena.schedule.plan import Planned
from niagara_arena.schedule.spec import MAX_GAMES_A_MATCH, Entrant, Spec
from niagara_arena.schedule.standings import Outcome
from niagara_arena.store.database import explained, is_written
from niagara_arena.store.facts import TournamentFacts
from niagara_arena.store.people import Person
from niagara_arena.store.rows import (
    MatchRow,
    TournamentRow,
    as_bytes,
    as_int,
    as_json,
    as_members,
    as_standings,
)

__all__ = ["Reader"]


class Reader:
    """Answer questions about what is stored."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    def _rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        with explained(self._path):
            return self._db.execute(sql, values).fetchall()

    def _each(self, sql: str, *values: object) -> Iterator[tuple[object, ...]]:
        with explained(self._path):
            yield from self._db.execute(sql, values)

    # --- Tournaments ---------------------------------------------------------------------------

    def tournaments(self) -> list[TournamentRow]:
        """List all tournaments, in order."""
        rows = self._rows(
            "SELECT t.tournament, t.name, t.spec, t.created, t.epoch,"
            " (SELECT count(*) FROM entrants e WHERE e.tournament = t.tournament),"
            " (SELECT count(*) FROM matches m WHERE m.tournament = t.tournament),"
            " (SELECT count(*) FROM ends d WHERE d.tournament = t.tournament),"
            " (SELECT count(*) FROM games g WHERE g.tournament = t.tournament),"
            " (SELECT iif(how = 'running' AND run < (SELECT max(run) FROM runs), 'killed', how)"
            "  FROM runs r WHERE r.tournament = t.tournament ORDER BY run DESC LIMIT 1),"
            " (SELECT sandbox FROM runs r WHERE r.tournament = t.tournament"
            "  ORDER BY run DESC LIMIT 1)"
            " FROM tournaments t ORDER BY t.tournament"
        )
        found = []
        alive = is_written(self._path)
        for number, name, text, created, epoch, entrants, matches, ended, games, how, box in rows:
            spec = as_json(text, Spec)
            found.append(
                TournamentRow(
                    number=as_int(number),
                    name=str(name),
                    format=spec.format,
                    rules=spec.settings.rules,
                    entrants=as_int(entrants),
                    matches=as_int(matches),
                    ended=as_int(ended),
                    games=as_int(games),
                    created=str(created),
                    how="killed" if how == "running" and not alive else str(how or "planned"),
                    epoch=str(epoch),
                    sandbox=str(box or ""),
                )
            )
        return found

    def tournament_number(self, name: str) -> int | None:
        """Return a tournament's number, or None if there is none of that name."""
        rows = self._rows("SELECT tournament FROM tournaments WHERE name = ?", name)
        return as_int(rows[0][0]) if rows else None

    def find_tournament(self, name: str | None) -> int:
        """Return the number of the named tournament, or of the last one."""
        if name is not None:
            number = self.tournament_number(name)
            if number is not None:
                return number
        known = [str(row[0]) for row in self._rows("SELECT name FROM tournaments ORDER BY 1")]
        if not known:
            raise NotPossibleHere(
                f"`{self._path}` holds no tournament yet", "`niagara tournament run` begins one"
            )
        if name is not None:
            raise InputError(f"no tournament `{name}`", f"there are {', '.join(known[:20])}")
        return as_int(self._rows("SELECT max(tournament) FROM tournaments")[0][0])

    def facts(self, tournament: int) -> TournamentFacts:
        """Return what was fixed when a tournament began."""
        rows = self._rows(
            "SELECT name, spec, hash, arena, epoch, balance, rules_version FROM tournaments"
            " JOIN epochs USING (epoch) WHERE tournament = ?",
            tournament,
        )
        name, spec, digest, arena, epoch, balance, rules_version = map(str, rows[0])
        return TournamentFacts(
            name=name,
            spec=as_json(spec, Spec),
            entrants=tuple(self.entrants(tournament)),
            arena=arena,
            rules_version=rules_version,
            epoch=epoch,
            hash=digest,
            balance=balance,
        )

    def entrants(self, tournament: int) -> list[Entrant]:
        """Return a tournament's entrants in the order of their numbers."""
        return [
            Entrant(
                submission=str(submission),
                name=str(name),
                version=str(version),
                owner=str(owner or ""),
                params=as_json(params, dict),
            )
            for submission, name, version, owner, params in self._rows(
                "SELECT submission, name, version, owner, params FROM entrants"
                " JOIN submissions USING (submission) WHERE tournament = ? ORDER BY number",
                tournament,
            )
        ]

    # --- Matches -------------------------------------------------------------------------------

    def planned(self, tournament: int, heat: int | None = None) -> list[Planned]:
        """Return the schedule as stored, in order."""
        ids = self._ids(tournament)
        where = "" if heat is None else " AND heat = ?"
        rows = self._rows(
            "SELECT ord, first_game, heat, match, members, idx FROM matches"
            f" WHERE tournament = ?{where} ORDER BY ord",
            *([tournament] if heat is None else [tournament, heat]),
        )
        return [
            Planned(
                order=as_int(order),
                first_game=as_int(first),
                heat=as_int(in_heat),
                match=str(match),
                table=as_members(members, ids),
                index=as_int(index),
            )
            for order, first, in_heat, match, members, index in rows
        ]

    def matches(self, tournament: int) -> Iterator[MatchRow]:
        """Yield the schedule with how each match ended."""
        ids = self._ids(tournament)
        for order, heat, match, members, state, sentence, games in self._each(
            "SELECT ord, heat, match, members, state, sentence,"
            " (SELECT count(*) FROM games g WHERE g.tournament = m.tournament AND"
            "  g.place >= m.first_game AND g.place < m.first_game + ? AND g.ord = m.ord)"
            " FROM matches m LEFT JOIN ends USING (tournament, ord) WHERE tournament = ?"
            " ORDER BY ord",
            MAX_GAMES_A_MATCH,
            tournament,
        ):
            yield MatchRow(
                order=as_int(order),
                heat=as_int(heat),
                match=str(match),
                table=as_members(members, ids),
                state=str(state or ""),
                sentence=str(sentence or ""),
                games=as_int(games),
            )

    def ended(self, tournament: int) -> set[int]:
        """Return the order numbers of the matches that have ended."""
        return {
            as_int(row[0])
            for row in self._rows("SELECT ord FROM ends WHERE tournament = ?", tournament)
        }

    def first_game(self, tournament: int, heat: int) -> int | None:
        """Return the place of the first game of a heat; None if that is not scheduled."""
        rows = self._rows(
            "SELECT min(first_game) FROM matches WHERE tournament = ? AND heat >= ?",
            tournament,
            heat,
        )
        return None if rows[0][0] is None else as_int(rows[0][0])

    def unplayed(self, tournament: int) -> list[tuple[int, str, str]]:
        """Return order number, state and sentence of matches that ended without being played."""
        return [
            (as_int(order), str(state), str(sentence))
            for order, state, sentence in self._rows(
                "SELECT ord, state, sentence FROM ends WHERE tournament = ? AND state != 'played'"
                " ORDER BY ord",
                tournament,
            )
        ]

    def outcomes(self, tournament: int, before_heat: int | None = None) -> list[Outcome]:
        """Return what standings need of each game, in schedule order, of heats before one."""
        ids = self._ids(tournament)
        limit = 1 << 60 if before_heat is None else before_heat
        return [
            Outcome(
                match=str(match),
                seats=as_members(seats, ids),
                placings=tuple(as_bytes(placings)),
                forfeited=tuple(s is Standing.FORFEITED for s in as_standings(standings)),
                winners=tuple(as_bytes(winners)),
            )
            for match, seats, placings, standings, winners in self._rows(
                "SELECT m.match, g.seats, g.placings, g.standings, g.winners FROM games g"
                " JOIN matches m ON m.tournament = g.tournament AND m.ord = g.ord"
                " WHERE g.tournament = ? AND m.heat < ? ORDER BY g.place",
                tournament,
                limit,
            )
        ]

    def withdrawals(self, tournament: int) -> dict[str, tuple[int, str]]:
        """Return who was withdrawn, from which heat on, and why."""
        return {
            str(submission): (as_int(heat), str(sentence))
            for submission, heat, sentence in self._rows(
                "SELECT submission, heat, sentence FROM withdrawals WHERE tournament = ?"
                " ORDER BY heat, submission",
                tournament,
            )
        }

    def incidents(self, tournament: int) -> list[tuple[int, str, str]]:
        """Return order number, kind and sentence of what our side did to matches."""
        return [
            (as_int(order), str(kind), str(sentence))
            for order, kind, sentence in self._rows(
                "SELECT ord, kind, sentence FROM incidents WHERE tournament = ? ORDER BY incident",
                tournament,
            )
        ]

    # --- People --------------------------------------------------------------------------------

    def owners(self) -> list[Person]:
        """Return all owners."""
        return [
            Person(str(owner), str(key or ""), str(name or ""), str(contact or ""), bool(erased))
            for owner, key, name, contact, erased in self._rows(
                "SELECT owner, key, name, contact, erased FROM owners ORDER BY owner"
            )
        ]

    def authors(self) -> dict[str, str]:
        """Return each submission's authors as one text; erased ones are left out."""
        found: dict[str, list[str]] = {}
        for submission, author in self._rows(
            "SELECT submission, author FROM authors WHERE author IS NOT NULL"
            " ORDER BY submission, place"
        ):
            found.setdefault(str(submission), []).append(str(author))
        return {submission: ", ".join(names) for submission, names in found.items()}

    def submissions(self) -> dict[str, tuple[str, str, str]]:
        """Return each submission's name, version and language."""
        return {
            str(submission): (str(name), str(version), str(language))
            for submission, name, version, language in self._rows(
                "SELECT submission, name, version, language FROM submissions"
            )
        }

    def sources(self) -> dict[str, str]:
        """Return where each submission was found last."""
        rows = self._rows("SELECT submission, reference FROM sources")
        return {str(submission): str(reference) for submission, reference in rows}

    def lines(self) -> dict[str, tuple[str, str]]:
        """Return each submission's owner and line, where the roster names one."""
        return {
            str(submission): (str(owner), str(line))
            for submission, owner, line in self._rows(
                "SELECT submission, owner, lines.name FROM submissions JOIN lines USING (line)"
            )
        }

    def annulments(self) -> list[tuple[str, str, int | None, str]]:
        """Return kind, target, tournament and reason of each annulment, in order."""
        return [
            (str(kind), str(target), None if number is None else as_int(number), str(reason))
            for kind, target, number, reason in self._rows(
                "SELECT kind, target, tournament, reason FROM annulments ORDER BY annulment"
            )
        ]

    def _ids(self, tournament: int) -> list[str]:
        return [
            str(row[0])
            for row in self._rows(
                "SELECT submission FROM entrants WHERE tournament = ? ORDER BY number", tournament
            )
        ]

    def owned_entrants(self, owner: str) -> set[tuple[int, str]]:
        """Return tournament and submission of everything an owner entered."""
        return {
            (as_int(number), str(submission))
            for number, submission in self._rows(
                "SELECT tournament, submission FROM entrants WHERE owner = ? UNION"
                " SELECT e.tournament, e.submission FROM entrants e JOIN submissions USING"
                " (submission) JOIN lines USING (line) WHERE lines.owner = ?",
                owner,
                owner,
            )
        }
