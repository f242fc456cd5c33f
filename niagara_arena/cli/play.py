"""`niagara play`: one match between bots, at once, on this machine."""

from __future__ import annotations

import secrets
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from niagara_arena.cli.faults import UNKNOWN_COMMAND, command_of, fault_report
from niagara_arena.cli.human import HUMAN, Console, person, with_people
from niagara_arena.cli.options import sandbox_option, set_option, settings_from
from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, show
from niagara_arena.cli.preparing import launch_of
from niagara_arena.cli.references import BOT
from niagara_arena.cli.starting import check_rounds, read_openings, read_start
from niagara_arena.cli.terminal import Terminal
from niagara_arena.cli.watch import watching
from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.match import Contestant, Watcher, play_match
from niagara_arena.records import (
    Fault,
    GameHeader,
    GameJob,
    GameRecord,
    MatchJob,
    Played,
    RulingRecord,
    Settings,
)
from niagara_arena.referee import PROFILES, FaultReport, Request
from niagara_arena.replay.codec import encode
from niagara_arena.rules import RULESETS, State
from niagara_arena.sandbox import Backend, Launch, choose
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.seeds import game_id, game_seed, match_id
from niagara_arena.submissions import BuildFailed, Submission, load, resolve_params

SEATINGS = ("single", "rotations", "balanced")
MOST_GAMES = 100_000

COLUMNS = (
    Column("game"),
    Column("seat"),
    Column("bot"),
    Column("placing"),
    Column("won"),
    Column("rounds"),
    Column("reason"),
    Column("verdict"),
    Column("fault"),
    Column("faults"),
    Column("cpu_ms", "cpu ms", ".1f"),
    Column("sandbox"),
    Column("submission"),
)
SHOWN = ("game", "seat", "bot", "placing", "won", "rounds", "reason", "verdict", "fault", "cpu_ms")
"""What people see; programs get every column."""


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT BOT [BOT…]", type=BOT)
@click.option(
    "--rules",
    "ruleset",
    type=click.Choice(tuple(RULESETS)),
    default="base",
    show_default=True,
    help="Which game to play.",
)
@click.option("--seed", help="Any text; the same seed gives the same games. Random if left out.")
@click.option(
    "--seating",
    type=click.Choice(SEATINGS),
    default="single",
    show_default=True,
    help="Who sits where: as given, each bot in each seat, or every neighbour order as well.",
)
@click.option(
    "--games",
    type=click.IntRange(1, MOST_GAMES),
    help="How many games; the seating is gone through again and again.  [default: once]",
)
@click.option(
    "--profile",
    type=click.Choice(tuple(PROFILES)),
    default="standard",
    show_default=True,
    help="What faults cost and how much time there is.",
)
@click.option(
    "--clocks",
    type=click.Choice(("cpu", "wall", "off")),
    help="What the clocks count; `off` for debuggers.",
)
@set_option
@sandbox_option
@click.option(
    "--record",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep each game's record in this folder.",
)
@click.option(
    "--from",
    "start",
    metavar="POSITION|RECORD@ROUND",
    help="Start from a position in a file, or from a round of a recorded game.",
)
@click.option(
    "--openings",
    default="none",
    show_default=True,
    metavar="none|random:N|FILE",
    help="Where games start: after N random rounds, or at the positions of a file.",
)
@click.option("--param", "params", multiple=True, metavar="BOT.NAME=VALUE", help="Set a parameter.")
@click.option("--names", is_flag=True, help="Tell the bots who sits where.")
@click.option("--freeze/--no-freeze", default=True, help="Stop bots while they are not asked.")
@click.option("--watch", is_flag=True, help="See the game as it is played.")
@format_options
@click.pass_obj
def play(
    terminal: Terminal,
    bots: tuple[str, ...],
    ruleset: str,
    seed: str | None,
    seating: str,
    games: int | None,
    profile: str,
    clocks: str | None,
    changes: dict[str, Any],
    sandbox: str,
    folder: Path | None,
    start: str | None,
    openings: str,
    params: tuple[str, ...],
    names: bool,
    freeze: bool,
    watch: bool,
    output_format: Format,
) -> None:
    """Play a match between bots.

    A BOT is a directory with a bot.toml, a bundled opponent such as @random, a command in quotes,
    or `human`: then you play at the terminal, without clocks. The bots' processes live through all
    games of the match. After a fault you see what was wrong, the request, the reply, the bot's
    log, and how to see it again.

    \b
    Examples:
      niagara play @random @homing @random --seed 7 --sandbox none
      niagara play @homing @homing @random --rules spirits --seating rotations --sandbox none
      niagara play @random @homing @random --seed 7 --sandbox none --watch
    """
    people = HUMAN in bots
    settings = settings_from(
        profile,
        changes,
        rules=ruleset,
        clocks=clocks or ("off" if people else None),
        names=names,
        freeze=freeze,
    )
    low, high = RULESETS[ruleset].seat_counts[0], RULESETS[ruleset].seat_counts[-1]
    if not low <= len(bots) <= high:
        raise click.UsageError(f"{ruleset} is played by {low} to {high} bots, not {len(bots)}")
    if start is not None and openings != "none":
        raise click.UsageError("--from and --openings exclude each other")
    key = seed if seed is not None else secrets.token_hex(16)
    submissions = [person() if bot == HUMAN else load(bot) for bot in bots]
    values = _params(submissions, params)
    backend = choose(sandbox)
    if people:
        if not sys.stdin.isatty():
            raise NotPossibleHere(
                "a person plays at a terminal, and stdin is none",
                "start it in a terminal, with nothing piped or redirected into it",
            )
        backend = with_people(backend, Console.of(terminal))
    job = _job(submissions, settings, key, seating, games, start, openings)
    if folder is not None:
        _check_folder(folder, job)
    contestants = [
        _contestant(submission, value, backend, terminal)
        for submission, value in zip(submissions, values, strict=True)
    ]
    looking = watching(terminal, len(job.games)) if watch else nullcontext()
    commands = {
        submission.id: UNKNOWN_COMMAND if bot == HUMAN else command_of(bot, submission)
        for bot, submission in zip(bots, submissions, strict=True)
    }
    report = _Report(terminal, folder, len(job.games), commands)
    began = time.monotonic()
    try:
        with looking as watcher:
            report.watcher = watcher
            play_match(job, contestants, backend, watcher=report, on_game=report.keep)
    finally:
        show(_listing(report.records, output_format), output_format)
        done = len([record for record in report.records if record.end.void is None])
        seconds = time.monotonic() - began
        terminal.note(
            f"{done} of {len(job.games)} games in {seconds:.1f} s, "
            f"sandbox {backend.level}, seed {key}"
        )
        if folder is not None and report.records:
            last = folder / f"{report.records[-1].header.game}.jsonl"
            look = f"niagara replay show {shlex.quote(str(last))}"
            terminal.note(f"records in {folder}; look with `{look}`")


def _contestant(
    submission: Submission, params: dict[str, Any], backend: Backend, terminal: Terminal
) -> Contestant:
    """Prepare one bot; a build that fails is its fault, told when the game starts."""
    launch = Launch("/", submission.run, submission.limits)
    refusal = None
    try:
        if submission.name != HUMAN:  # which no bot may be called
            launch = launch_of(submission, backend, terminal)
    except BuildFailed as failed:
        refusal = FaultReport(Fault.BUILD, "build", failed.message, failed.output.encode())
    return Contestant(submission.id, submission.name, submission.version, params, launch, refusal)


def _params(submissions: Sequence[Submission], given: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return each bot's parameters, with those given by BOT.NAME=VALUE."""
    overrides: list[dict[str, Any]] = [{} for _ in submissions]
    for text in given:
        place, equals, value = text.partition("=")
        bot, dot, name = place.rpartition(".")  # a bot's name may have dots
        if not (equals and dot):
            raise click.UsageError(f"--param {text!r} is not of the form BOT.NAME=VALUE")
        found = [i for i, s in enumerate(submissions) if s.name == bot or str(i) == bot]
        if not found:
            names = ", ".join(dict.fromkeys(f"`{s.name}`" for s in submissions))
            raise InputError(
                f"--param {text!r}: no bot here is called `{bot}`", f"there are {names}"
            )
        for index in found:
            overrides[index][name] = value
    return [resolve_params(s, o) for s, o in zip(submissions, overrides, strict=True)]


def _job(
    submissions: Sequence[Submission],
    settings: Settings,
    seed: str,
    seating: str,
    games: int | None,
    start: str | None,
    openings: str,
) -> MatchJob:
    """Return the match as a job: who sits where, from where, with which seeds."""
    seats = len(submissions)
    rows = seatings(seating, seats)
    total = games if games is not None else len(rows)
    blocks = -(-total // len(rows))
    table = tuple(submission.id for submission in submissions)
    match = match_id(seed, table, 0)
    if start is not None:
        position: dict[str, Any] | None = read_start(start, settings.rules, seats)
        starts = [(start, position)] * blocks
    else:
        starts = read_openings(openings, settings.rules, seats, seed, blocks)
    check_rounds(starts, settings.max_rounds)
    jobs = []
    for index in range(total):
        name, position = starts[index // len(rows)]
        jobs.append(
            GameJob(
                game_id(seed, match, index),
                rows[index % len(rows)],
                game_seed(seed, match, index),
                name,
                position,
            )
        )
    return MatchJob(match, table, tuple(jobs), settings)


def _check_folder(folder: Path, job: MatchJob) -> None:
    """Refuse to write over records; nothing has been played yet."""
    for game in job.games:
        path = folder / f"{game.game}.jsonl"
        if path.exists():
            raise InputError(
                f"`{path}` is there already", "choose another folder or another --seed"
            )
    folder.mkdir(parents=True, exist_ok=True)


def write_record(folder: Path, record: GameRecord) -> Path:
    """Write a record into a folder, whole or not at all."""
    path = folder / f"{record.header.game}.jsonl"
    part = folder / f".{record.header.game}.part"
    try:
        part.write_bytes(encode(record))
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)
    return path


class _Report:
    """Follow a match for the person who started it."""

    def __init__(
        self, terminal: Terminal, folder: Path | None, games: int, commands: Mapping[str, str]
    ) -> None:
        self.records: list[GameRecord] = []
        self._terminal = terminal
        self._folder = folder
        self._games = games
        self._commands = commands
        self.watcher: Watcher | None = None
        self._incidents: Sequence[tuple[Request | None, FaultReport]] = ()

    def game_started(self, header: GameHeader, state: State, events: Sequence[str]) -> None:
        """Pass on to who watches."""
        if self.watcher is not None:
            self.watcher.game_started(header, state, events)

    def stepped(
        self,
        state: State,
        events: Sequence[str],
        bank_ms: Sequence[int],
        rulings: Sequence[RulingRecord],
    ) -> None:
        """Pass on to who watches."""
        if self.watcher is not None:
            self.watcher.stepped(state, events, bank_ms, rulings)

    def game_ended(
        self, record: GameRecord, incidents: Sequence[tuple[Request | None, FaultReport]]
    ) -> None:
        """Keep what the author of a faulty bot needs to see."""
        self._incidents = incidents
        if self.watcher is not None:
            self.watcher.game_ended(record, incidents)

    def keep(self, record: GameRecord) -> None:
        """Write the record, and tell how the game went."""
        self.records.append(record)
        path = write_record(self._folder, record) if self._folder is not None else None
        end = record.end
        names = [seat.name for seat in record.header.seats]
        if end.void is not None:
            told = f"void: {end.void_sentence}"
        elif end.winners:
            won = " and ".join(f"{names[seat]} (seat {seat})" for seat in end.winners)
            told = f"won by {won} in {end.rounds} rounds"
        else:
            told = f"no winner in {end.rounds} rounds ({end.reason})"
        self._terminal.note(f"game {len(self.records)} of {self._games}: {told}")
        if record.measured.trouble:
            self._terminal.warn(record.measured.trouble)
        for text in fault_report(record, self._incidents, path, self._commands):
            self._terminal.note(text)


def _listing(records: Sequence[GameRecord], output_format: Format) -> Listing:
    rows = [row for record in records for row in _rows(record)]
    if output_format in (Format.TABLE, Format.MARKDOWN):
        columns = [column for column in COLUMNS if column.name in SHOWN]
        rows = [{name: row[name] for name in SHOWN} for row in rows]
        return Listing("play", 1, columns, rows)
    return Listing("play", 1, COLUMNS, rows)


def _rows(record: GameRecord) -> list[dict[str, Cell]]:
    cpu_us = [0] * len(record.header.seats)
    acts = (act for page in record.rounds for act in page.acts)
    decisions = (act for act in acts if isinstance(act, Played))
    for act, used in zip(decisions, record.measured.cpu_us, strict=True):
        cpu_us[act.seat] += used
    return [
        {
            "game": record.header.game,
            "seat": number,
            "bot": seat.name,
            "placing": record.end.placings[number] if record.end.placings else None,
            "won": number in record.end.winners,
            "rounds": record.end.rounds,
            "reason": record.end.reason,
            "verdict": record.end.verdicts[number].standing.value,
            "fault": fault.value if (fault := record.end.verdicts[number].fault) else None,
            "faults": record.end.verdicts[number].faults,
            "cpu_ms": cpu_us[number] / 1000,
            "sandbox": record.header.sandbox,
            "submission": seat.submission,
        }
        for number, seat in enumerate(record.header.seats)
    ]
