"""The steps that play: seat counts, long and many games, memory, time, a whole match."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import ceil

from msgspec import structs

from niagara_arena.conformance.drill import Game, Played, play
from niagara_arena.conformance.model import Check, Evidence, Finding, Series, StepFailed
from niagara_arena.conformance.reading import hint_for
from niagara_arena.conformance.talk import Reply, Talk
from niagara_arena.errors import NotPossibleHere
from niagara_arena.match import Contestant, play_match
from niagara_arena.records import (
    GameHeader,
    GameJob,
    GameRecord,
    MatchJob,
    RulingRecord,
)
from niagara_arena.referee import FaultReport, Request
from niagara_arena.rules import RULESETS, State
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.seeds import game_id, game_seed, match_id
from niagara_arena.submissions import resolve_params
from niagara_arena.wire.replies import excerpt

__all__ = [
    "idle",
    "line_ends",
    "log",
    "long_game",
    "many_games",
    "memory",
    "repeatable",
    "seat_counts",
    "self_play",
    "time_used",
]

_LOG_BYTES = 100_000
"""More than this a game is a flood, of which only the end is kept."""
_TRIES = 3
_IDLE_SHARE = 0.1
"""Of a core; more than the collector and compiler threads of a quiet bot use."""
_BANK_SHARE = 0.5
_EXCEPTIONS = (b"Traceback (most recent call last)", b"Exception in thread", b"panicked at")


def seat_counts(check: Check) -> Finding:
    """Play both rulesets with every number of seats, in different seats."""
    counts = []
    with Talk(check) as talk:
        talk.greet()
        for rules, ruleset in RULESETS.items():
            for seats in ruleset.seat_counts:
                for seat in (0, seats - 1):
                    game = Game(rules, seats, seat, check.sizes.seat_rounds, seats)
                    play(talk, game, check.settings)
                counts.append(f"{rules} {seats}")
    return Finding(", ".join(counts))


def long_game(check: Check) -> Finding:
    """Play one game of many rounds, if nobody wins before."""
    with Talk(check) as talk:
        talk.greet()
        played = play(talk, Game("base", 5, 2, check.sizes.long_rounds), check.settings)
    return Finding(f"{played.rounds} rounds, {len(played.kinds)} decisions")


def many_games(check: Check) -> Finding:
    """Play many games in one process."""
    series = _series(check)
    return Finding(f"{len(series.cpu_us)} games, {sum(map(len, series.cpu_us))} decisions")


def memory(check: Check) -> Finding:
    """Watch the process's memory from game to game."""
    sizes = _series(check).memory_mb
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return Finding("not known on this system", skipped=True)
    before, after = known[len(known) // 3], known[-1]
    if after - before > check.sizes.growth_mb:
        raise StepFailed(
            f"grows from {before:.0f} MB to {after:.0f} MB in {len(known)} games",
            "P-3.2",
            "forget a game when it ends: a process plays many",
        )
    return Finding(f"{before:.0f} MB, then {after:.0f} MB")


def time_used(check: Check) -> Finding:
    """Measure CPU time a decision and a game against the clock [P-5.1]."""
    clock = check.settings.clock
    series = _series(check)
    cpu = sorted(us for game in series.cpu_us for us in game)
    wall = max(us for game in series.wall_us for us in game)
    if not cpu[-1]:
        return Finding("the CPU time of a process is not known on this system", skipped=True)
    share = max(
        sum(game) / (1000 * (clock.bank_ms + clock.increment_ms * len(game)))
        for game in series.cpu_us
    )
    told = (
        f"cpu p50 {_ms(_percentile(cpu, 50))}, p99 {_ms(_percentile(cpu, 99))}, "
        f"worst {_ms(cpu[-1])}, worst wall {_ms(wall)}, {share:.0%} of the clock"
    )
    if share > _BANK_SHARE:
        raise StepFailed(
            told,
            "P-5.1",
            f"{check.sizes.game_rounds} rounds took more than half of what a whole game may",
        )
    return Finding(told)


def idle(check: Check) -> Finding:
    """Watch the CPU while it is not the bot's turn [P-5.4]."""
    used: list[float] = []
    with Talk(check) as talk:
        talk.greet()

        def watch(request: Request, reply: Reply) -> None:
            if request.number == 2:
                before, began = talk.cpu_us(), time.monotonic()
                talk.silence(check.sizes.idle_ms, "while others thought")
                used.append((talk.cpu_us() - before) / 1e6 / (time.monotonic() - began))

        play(talk, Game("base", 3, 0, 3), check.settings, interlude=watch)
    share = max(used, default=0.0)
    if share > _IDLE_SHARE:
        raise StepFailed(
            f"uses {share:.0%} of a core while it is not asked",
            "P-5.4",
            "in ranked play it is stopped between its decisions: threads gain nothing",
        )
    return Finding(f"{share:.0%} of a core")


def log(check: Check) -> Finding:
    """Look at what the bot writes to stderr in some games [P-1.4]."""
    series = _series(check)
    a_game = series.logged // len(series.cpu_us)
    trouble = _trouble_with_log(series.log, a_game)
    if trouble:
        evidence = Evidence(stderr=series.log.decode("utf-8", "replace"))
        raise StepFailed(*trouble, evidence)
    return Finding(f"{a_game} bytes a game")


def line_ends(check: Check) -> Finding:
    """Look at what the referee lets pass: CRLF, white space before the object [P-1.1]."""
    found = _series(check).oddities
    if found:
        detail, sentence = found[0]
        raise StepFailed(f"{sentence}; the referee lets it pass", "P-1.1", hint_for(detail))
    return Finding("LF")


def _trouble_with_log(tail: bytes, a_game: int) -> tuple[str, str, str] | None:
    if a_game > _LOG_BYTES:
        hint = "only the last 8 KB of a game are kept: log less"
        return f"logs {a_game:,} bytes a game", "P-1.4", hint
    for words in _EXCEPTIONS:
        if words in tail:
            hint = "it goes on, but something in it fails"
            return f"logs an exception: {words.decode()}", "P-1.4", hint
    text = tail.decode("utf-8", "replace")
    odd = [c for c in text if not c.isprintable() and c not in "\t\r\n"]
    if "\ufffd" in text or odd:
        what = "bytes that are not UTF-8" if "\ufffd" in text else "control characters"
        return f"logs {what}", "P-1.4", "the log is shown as plain text: no colours"
    return None


def repeatable(check: Check) -> Finding:
    """Play the same game in two processes; the same seed should give the same play [P-3.1]."""
    runs: list[Played] = []
    for _ in range(2):
        with Talk(check) as talk:
            talk.greet()
            game = Game("base", 4, 1, check.sizes.game_rounds, 77)
            runs.append(play(talk, game, check.settings))
    first, second = (run.acts for run in runs)
    if first != second:
        where = next(
            (n for n, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]),
            min(len(first), len(second)),
        )
        raise StepFailed(
            f"chooses otherwise at decision {where + 1} of the same game with the same seed",
            "P-3.1",
            "draw random numbers from the seed in `start` alone; a clock makes a difference, too",
            Evidence(reply=f"{first[where : where + 1]} and {second[where : where + 1]}"),
        )
    return Finding(f"{len(first)} decisions alike")


def self_play(check: Check) -> Finding:
    """Play a match of the bot against itself, as a tournament would."""
    told = []
    for rules in RULESETS:
        watcher = _Watcher()
        records = _played(check, rules, watcher)
        if watcher.failure is not None:
            raise watcher.failure
        rounds = [record.end.rounds for record in records]
        won = sum(1 for record in records if record.end.winners)
        told.append(f"{rules}: {len(records)} games, {won} won, {min(rounds)}–{max(rounds)} rounds")
    return Finding("; ".join(told))


def _played(check: Check, rules: str, watcher: _Watcher) -> list[GameRecord]:
    """Play a match; again if our side spoiled it."""
    job, table = _match_job(check, rules), _table(check)
    for _ in range(_TRIES):
        records = play_match(job, table, check.backend, watcher=watcher)
        void = [record for record in records if record.end.void is not None]
        if not void or watcher.failure is not None:
            return records
    raise NotPossibleHere(
        f"the match was spoiled {_TRIES} times, not by the bot: {void[0].end.void_sentence}",
        "try again when the machine is less busy",
    )


def _match_job(check: Check, rules: str) -> MatchJob:
    assert check.submission is not None
    table = (check.submission.id,) * 3
    match = match_id("check", table, 0)
    settings = structs.replace(check.settings, rules=rules, max_rounds=check.sizes.match_rounds)
    games = tuple(
        GameJob(game_id("check", match, n), seating, game_seed("check", match, n))
        for n, seating in enumerate(seatings("rotations", 3))
    )
    return MatchJob(match, table, games, settings)


def _table(check: Check) -> list[Contestant]:
    assert check.submission is not None
    assert check.ready is not None
    submission = check.submission
    params: dict[str, object] = dict(resolve_params(submission, {}))
    launch = check.ready.launch()
    return [Contestant(submission.id, submission.name, submission.version, params, launch)] * 3


class _Watcher:
    """Keep the first fault of a match, with its evidence."""

    def __init__(self) -> None:
        self.failure: StepFailed | None = None

    def game_started(self, header: GameHeader, state: State, events: Sequence[str]) -> None:
        """Look on."""

    def stepped(
        self,
        state: State,
        events: Sequence[str],
        bank_ms: Sequence[int],
        rulings: Sequence[RulingRecord],
    ) -> None:
        """Look on."""

    def game_ended(
        self, record: GameRecord, incidents: Sequence[tuple[Request | None, FaultReport]]
    ) -> None:
        """Keep what the author needs to see."""
        if self.failure is not None or not record.end.rulings:
            return
        ruling = record.end.rulings[0]
        request, report = incidents[0] if incidents else (None, None)
        log = record.measured.stderr[ruling.seat] if record.measured.stderr else ""
        self.failure = StepFailed(
            f"{ruling.fault.value}: {ruling.sentence} (seat {ruling.seat} of {record.header.game})",
            "P-6.1",
            f"play it again: `niagara play BOT BOT BOT --rules {record.header.settings.rules}`",
            Evidence(
                request.line.decode().rstrip("\n") if request is not None else "",
                excerpt(report.reply) if report is not None and report.reply else "",
                log,
            ),
        )


def _series(check: Check) -> Series:
    """Play games of changing rulesets, seat counts and seats in one process, once."""
    if check.series is None:
        tables = [(rules, seats) for rules, r in RULESETS.items() for seats in r.seat_counts]
        games, sizes = [], []
        with Talk(check) as talk:
            talk.greet()
            for number in range(check.sizes.games):
                rules, seats = tables[(number * 3) % len(tables)]
                game = Game(rules, seats, number % seats, check.sizes.game_rounds, number)
                games.append(play(talk, game, check.settings))
                sizes.append(talk.memory_mb())
            tail, logged = talk.log()
            check.series = Series(
                tuple(game.cpu_us for game in games),
                tuple(game.wall_us for game in games),
                tuple(sizes),
                tail,
                logged,
                tuple(talk.oddities),
            )
    return check.series


def _percentile(ordered: Sequence[int], percent: int) -> int:
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]


def _ms(microseconds: int) -> str:
    return f"{microseconds / 1000:.2f} ms"
