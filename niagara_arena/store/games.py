"""Read games: what ratings need of each, and their whole records."""

from __future__ import annotations

from collections.abc import Iterator

from niagara_arena.errors import InputError
from niagara_arena.records import RatedGame
from niagara_arena.schedule.standings import Outcome
from niagara_arena.store.database import damaged
from niagara_arena.store.packing import DamagedRecord
from niagara_arena.store.reading import Reader
from niagara_arena.store.rows import (
    GameRow,
    TournamentRow,
    as_bytes,
    as_int,
    as_members,
    as_numbers,
    as_standings,
    whole_record,
)

__all__ = ["GameReader"]


class GameReader(Reader):
    """Answer questions about games."""

    def rated_games(
        self,
        tournament: str | None = None,
        rules: str | None = None,
        seats: int | None = None,
        since: str | None = None,
    ) -> Iterator[RatedGame]:
        """Yield what ratings need of each game, by tournament, then by schedule.

        Void, annulled and repeated games are among them, marked; `since` is a day, YYYY-MM-DD.
        """
        if tournament is not None:
            self.find_tournament(tournament)
        annulled = _Annulled(self)
        for row in self.tournaments():
            if tournament not in (None, row.name) or rules not in (None, row.rules):
                continue
            yield from self._rated(row, seats, since, annulled)

    def _rated(
        self, row: TournamentRow, seats: int | None, since: str | None, annulled: _Annulled
    ) -> Iterator[RatedGame]:
        ids = self._ids(row.number)
        size = -1 if seats is None else seats * 2
        for game in self._each(
            "SELECT place, game, seats, winners, placings, standings, faults, cluster,"
            " fingerprint, cpu, day FROM games WHERE tournament = ? AND day >= ?"
            " AND (? < 0 OR length(seats) = ?) ORDER BY place",
            row.number,
            since or "",
            size,
            size,
        ):
            place, name, sat, winners, placings, standings, faults, cluster, print_, cpu, day = game
            table = as_members(sat, ids)
            times = as_numbers(cpu, "I")
            yield RatedGame(
                tournament=row.name,
                tournament_order=row.number,
                order=as_int(place),
                game=str(name),
                rules=row.rules,
                seats=table,
                winners=tuple(as_bytes(winners)),
                placings=tuple(as_bytes(placings)),
                cluster=as_bytes(cluster).hex(),
                fingerprint=as_bytes(print_).hex(),
                verdicts=as_standings(standings),
                faults=tuple(as_bytes(faults)),
                cpu_median_us=tuple(times[0::2]),
                cpu_worst_us=tuple(times[1::2]),
                day=str(day),
                epoch=row.epoch,
                annulled=annulled.covers(row.number, str(name), table),
            )

    def counted_outcomes(self, tournament: int) -> list[Outcome]:
        """Return what standings need of each game that has not been annulled since.

        Pairings and withdrawals go by `outcomes`, so that a schedule can be worked out anew.
        """
        annulled = _Annulled(self)
        names = self._rows("SELECT game FROM games WHERE tournament = ? ORDER BY place", tournament)
        return [
            outcome
            for (name,), outcome in zip(names, self.outcomes(tournament), strict=True)
            if not annulled.covers(tournament, str(name), outcome.seats)
        ]

    def duplicates(self, tournament: int) -> int:
        """Count the games that repeat an earlier one of the tournament, action for action."""
        rows = self._rows(
            "SELECT count(*) - count(DISTINCT fingerprint) FROM games WHERE tournament = ?"
            " AND length(placings) > 0",
            tournament,
        )
        return as_int(rows[0][0])

    def new_games(self, tournament: int, heat: int) -> int:
        """Count the games of a heat that repeat none of an earlier heat."""
        rows = self._rows(
            "SELECT count(*) FROM games JOIN matches USING (tournament, ord)"
            " WHERE tournament = ? AND heat = ? AND fingerprint NOT IN (SELECT fingerprint"
            " FROM games JOIN matches USING (tournament, ord) WHERE tournament = ? AND heat < ?)",
            tournament,
            heat,
            tournament,
            heat,
        )
        return as_int(rows[0][0])

    def games(
        self, tournament: int, records: bool = True, *, lenient: bool = False
    ) -> Iterator[GameRow]:
        """Yield a tournament's games with their records, in schedule order.

        A damaged record ends this with an error, or is empty where the caller is lenient.
        """
        name = self.facts(tournament).name
        for place, order, game, digest, print_, record, measured, log in self._each(
            "SELECT g.place, g.ord, g.game, g.hash, g.fingerprint, r.record, r.measured, r.log"
            " FROM games g JOIN records r USING (tournament, place) WHERE g.tournament = ?"
            " ORDER BY g.place",
            tournament,
        ):
            yield GameRow(
                tournament=name,
                place=as_int(place),
                match_order=as_int(order),
                game=str(game),
                hash=as_bytes(digest).hex(),
                fingerprint=as_bytes(print_).hex(),
                record=self._whole(str(game), record, measured, log, lenient) if records else b"",
            )

    def _whole(
        self, game: str, record: object, measured: object, log: object, lenient: bool
    ) -> bytes:
        try:
            return whole_record(record, measured, log)
        except DamagedRecord as error:
            if lenient:
                return b""
            raise damaged(self._path, f"game {game}: {error}") from None

    def find_game(self, game: str, tournament: str | None = None) -> tuple[int, GameRow]:
        """Return the tournament's number and the game of an id, or of its unique beginning."""
        rows = self._rows(
            "SELECT g.tournament, g.place, g.ord, g.game, g.hash, g.fingerprint, t.name, r.record,"
            " r.measured, r.log FROM games g JOIN tournaments t USING (tournament)"
            " JOIN records r USING (tournament, place)"
            " WHERE g.game >= ? AND g.game < ? || 'z' AND (? IS NULL OR t.name = ?)"
            " ORDER BY g.tournament, g.place LIMIT 2",
            game,
            game,
            tournament,
            tournament,
        )
        if not rows:
            raise InputError(
                f"no game `{game}` in `{self._path}`", "`niagara tournament matches` lists them"
            )
        if len(rows) > 1:
            raise InputError(
                f"`{game}` is the beginning of more than one game's id, or in two tournaments",
                "give all of it, and --tournament",
            )
        number, place, order, name, digest, print_, title, record, measured, log = rows[0]
        return as_int(number), GameRow(
            tournament=str(title),
            place=as_int(place),
            match_order=as_int(order),
            game=str(name),
            hash=as_bytes(digest).hex(),
            fingerprint=as_bytes(print_).hex(),
            record=self._whole(str(name), record, measured, log, False),
        )


class _Annulled:
    """Say which games no longer count."""

    def __init__(self, reader: Reader) -> None:
        self._games: set[tuple[int | None, str]] = set()
        self._entrants: set[tuple[int | None, str]] = set()
        for kind, target, number, _ in reader.annulments():
            if kind == "game":
                self._games.add((number, target))
            elif kind == "submission":
                self._entrants.add((number, target))
            else:
                for tournament, submission in reader.owned_entrants(target):
                    if number in (None, tournament):
                        self._entrants.add((tournament, submission))

    def covers(self, tournament: int, game: str, table: tuple[str, ...]) -> bool:
        """Say whether a game is annulled."""
        if self._games and not self._games.isdisjoint(((None, game), (tournament, game))):
            return True
        return bool(self._entrants) and any(
            (None, name) in self._entrants or (tournament, name) in self._entrants for name in table
        )
