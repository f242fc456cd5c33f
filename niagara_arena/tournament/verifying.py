"""Prove a stored tournament from its facts, or name everything in it that does not fit.

Recomputed and compared: the tournament's hash and epoch, its whole schedule with all ids (Swiss
heats from the stored results before them), every game's seats, seed and start, its hash and
fingerprint, what is stored of its outcome, and the game itself, move by move through the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from niagara_arena.errors import ArenaError
from niagara_arena.records import GameRecord, MatchJob, Seat
from niagara_arena.replay import decode, verify_bytes
from niagara_arena.replay.codec import record_hash
from niagara_arena.schedule.heats import heat_count, next_heat, withdrawn
from niagara_arena.schedule.plan import Numbering, Planned, fixed_plan, make_job, numbered
from niagara_arena.schedule.seeds import bot_seed
from niagara_arena.schedule.spec import Entrant, match_games
from niagara_arena.store import GameRow, MatchRow, Store, TournamentFacts
from niagara_arena.tournament.planning import epoch_of, tournament_hash
from niagara_arena.tournament.results import game_facts

__all__ = ["verify_tournament"]


def verify_tournament(store: Store, tournament: int) -> Iterator[str | None]:
    """Yield None for each game that fits and a sentence for everything that does not."""
    facts = store.facts(tournament)
    yield from _facts(facts)
    schedule = {match.order: match for match in _schedule(store, tournament, facts)}
    rows = {row.order: row for row in store.matches(tournament)}
    yield from _matches(schedule, rows)
    yield from _withdrawals(store, tournament, facts)
    expected = _expected(facts, schedule, rows)
    rated = {game.order: game for game in store.rated_games(facts.name)}
    jobs = _Jobs(facts, schedule)
    for row in store.games(tournament, lenient=True):
        match = schedule.get(row.match_order)
        wanted = expected.pop(row.place, None)
        if match is None or wanted != row.match_order:
            yield f"game {row.game} is in no match of the schedule"
            continue
        try:
            found = _game(row, match, jobs)
            if found is None:
                found = _columns(row, decode(row.record), facts, rated[row.place])
        except ArenaError as error:
            found = str(error)
        yield f"game {row.game} (match {match.order}): {found}" if found else None
    for place, order in sorted(expected.items()):
        yield f"game {place} of match {order} is missing"


def _facts(facts: TournamentFacts) -> Iterator[str]:
    if list(facts.entrants) != numbered(facts.entrants, facts.spec):
        yield "the entrants are not numbered as their ids and the seed say"
    if facts.hash != tournament_hash(facts.spec, facts.entrants):
        yield "the tournament's hash does not fit its settings and entrants"
    if facts.epoch != epoch_of(facts.spec.settings):
        yield "the epoch is not that of the settings"


def _schedule(store: Store, tournament: int, facts: TournamentFacts) -> list[Planned]:
    """Work the schedule out anew, as far as results go."""
    spec = facts.spec
    if spec.format != "swiss":
        return fixed_plan(spec, facts.entrants)
    ended = store.ended(tournament)
    numbering = Numbering(spec)
    planned: list[Planned] = []
    for heat in range(heat_count(spec, len(facts.entrants))):
        if any(match.order not in ended for match in planned):
            break
        outcomes = store.outcomes(tournament, heat)
        gone = withdrawn(spec, outcomes, facts.entrants)
        tables = next_heat(spec, facts.entrants, outcomes, heat, gone)
        if not tables or not store.planned(tournament, heat):
            break
        planned += numbering.plan(heat, tables)
    return planned


def _matches(schedule: dict[int, Planned], rows: dict[int, MatchRow]) -> Iterator[str]:
    for order in sorted(schedule.keys() | rows.keys()):
        planned, row = schedule.get(order), rows.get(order)
        if planned is None:
            yield f"match {order} is in no schedule"
        elif row is None:
            yield f"match {order} of the schedule is missing"
        elif (planned.match, planned.table, planned.heat) != (row.match, row.table, row.heat):
            yield f"match {order} is not the one of the schedule"


def _withdrawals(store: Store, tournament: int, facts: TournamentFacts) -> Iterator[str]:
    known = store.withdrawals(tournament)
    names = {entrant.submission: entrant.name for entrant in facts.entrants}
    for name, (heat, _) in known.items():
        before = heat if facts.spec.format == "swiss" else heat - 1
        outcomes = store.outcomes(tournament, max(0, before))
        if name not in withdrawn(facts.spec, outcomes, facts.entrants):
            yield f"{names[name]} was withdrawn at heat {heat} without cause"


def _expected(
    facts: TournamentFacts, schedule: dict[int, Planned], rows: dict[int, MatchRow]
) -> dict[int, int]:
    """Return the places of all games that must be there, with their matches."""
    places: dict[int, int] = {}
    for order, row in rows.items():
        if row.state == "played" and order in schedule:
            first = schedule[order].first_game
            for number in range(match_games(facts.spec, len(row.table))):
                places[first + number] = order
    return places


class _Jobs:
    """Make each match's job once; its games come one after another."""

    def __init__(self, facts: TournamentFacts, schedule: dict[int, Planned]) -> None:
        self.facts = facts
        self.entrants = {entrant.submission: entrant for entrant in facts.entrants}
        self._last: tuple[int, MatchJob] | None = None

    def job(self, match: Planned) -> MatchJob:
        if self._last is None or self._last[0] != match.order:
            self._last = match.order, make_job(self.facts.spec, match)
        return self._last[1]


def _game(row: GameRow, match: Planned, jobs: _Jobs) -> str | None:
    """Say what is wrong with a game's record."""
    if not row.record:
        return "its record is damaged and can't be read"
    if record_hash(row.record) != row.hash:
        return "its record is not the one that was hashed"
    record = decode(row.record)
    job = jobs.job(match)
    game = job.games[row.place - match.first_game]
    header = record.header
    table = [job.entrants[member] for member in game.seating]
    said = (header.game, header.match, header.seed, header.opening, header.position)
    if said != (game.game, job.match, game.seed, game.opening, game.position):
        return "its id, seed or start is not that of the schedule"
    if header.settings != job.settings:
        return "it was played under other settings"
    if [seat.submission for seat in header.seats] != table:
        return "other bots sat in its seats"
    if [seat.seed for seat in header.seats] != [bot_seed(game.seed, s) for s in range(len(table))]:
        return "a bot's seed is not that of its seat"
    if any(_said(seat) != _said(jobs.entrants[seat.submission]) for seat in header.seats):
        return "a bot's name, version or parameters are not those of the entrant"
    found = verify_bytes(row.record)
    return None if found is None else str(found)


def _said(who: Seat | Entrant) -> tuple[str, str, dict[str, Any]]:
    return who.name, who.version, who.params


def _columns(row: GameRow, record: GameRecord, facts: TournamentFacts, rated: object) -> str | None:
    """Say which stored column is not what the record says."""
    numbers = {entrant.submission: number for number, entrant in enumerate(facts.entrants)}
    truth = game_facts(record, row.place, numbers)
    if truth.fingerprint.hex() != row.fingerprint:
        return "its fingerprint does not fit"
    end = record.end
    for column, value in (
        ("game", record.header.game),
        ("seats", tuple(seat.submission for seat in record.header.seats)),
        ("winners", end.winners),
        ("placings", end.placings),
        ("verdicts", tuple(verdict.standing for verdict in end.verdicts)),
        ("faults", tuple(min(verdict.faults, 255) for verdict in end.verdicts)),
        ("cluster", truth.cluster.hex()),
        ("cpu_median_us", truth.cpu_us[0::2]),
        ("cpu_worst_us", truth.cpu_us[1::2]),
        ("day", truth.day),
    ):
        if getattr(rated, column) != value:
            return f"its stored {column} are not those of the record"
    return None
