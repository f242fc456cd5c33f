"""`niagara tournament`: plan and run; the commands that only look are in `tournament_reading`."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
import msgspec
from rich.console import Console

from niagara_arena.cli.exits import Exit
from niagara_arena.cli.lazy import Entry, LazyGroup
from niagara_arena.cli.options import LEAD
from niagara_arena.cli.output import Cell, Column, Format, Listing, show
from niagara_arena.cli.terminal import Terminal, can_redraw
from niagara_arena.cli.text import clean, counted
from niagara_arena.cli.tournament_board import Lines, LiveBoard, span
from niagara_arena.cli.tournament_options import config_options, db_option
from niagara_arena.errors import InputError
from niagara_arena.sandbox import Backend, choose
from niagara_arena.schedule.balance import Balance
from niagara_arena.schedule.spec import match_games
from niagara_arena.store import Roster, Store, open_store
from niagara_arena.store.people import read_roster
from niagara_arena.tournament.agenda import Border
from niagara_arena.tournament.config import SHORT_SEED, Config, parse_duration
from niagara_arena.tournament.entering import Field, enter, match_players
from niagara_arena.tournament.planning import first_plan
from niagara_arena.tournament.running import Finish, Runner, cores_for
from niagara_arena.tournament.session import (
    begin_or_resume,
    borders,
    meant_facts,
    time_budget,
)
from niagara_arena.tournament.workers import available_cores

__all__ = ["progress_of", "tournament"]

_MOST_GAMES_PER_BOT = 1_000
"""The schedule that --until-settled begins when nobody says how long it may get."""
_READING = "niagara_arena.cli.tournament_reading"
_MANAGING = "niagara_arena.cli.tournament_managing"
_HERE = "niagara_arena.cli.tournament"
_ENTRIES = (
    Entry("plan", _HERE, "plan", "Print the schedule and its balance without playing."),
    Entry("run", _HERE, "run", "Run a tournament, or go on with one."),
    Entry("status", _READING, "status", "Show how far tournaments have come."),
    Entry("matches", _READING, "matches", "List the matches of a tournament."),
    Entry("verify", _READING, "verify", "Prove a tournament from its facts."),
    Entry("rerun", _READING, "rerun", "Play one stored game again and compare."),
    Entry("export", _READING, "export", "Write a tournament out: facts, records, grades."),
    Entry("annul", _MANAGING, "annul", "Say that games are no longer rated."),
    Entry("roster", _MANAGING, "roster", "Read a roster in, list owners, or erase one."),
)


@click.group(cls=LazyGroup, entries=_ENTRIES)
def tournament() -> None:
    """Plan, run and check tournaments.

    Results go into one database, `results/arena.db` unless --db says otherwise, which holds any
    number of tournaments. `run` again with the same name goes on where it stopped.

    \b
    Examples:
      niagara tournament plan --bots @random --bots @homing --bots @greedy --seats 3
      niagara tournament run --help
    """


# --- plan --------------------------------------------------------------------------------------


@click.command()
@config_options
@click.option("--json", "as_json", is_flag=True, help="Print the schedule as JSON.")
@click.pass_obj
def plan(terminal: Terminal, config: Config, as_json: bool) -> None:
    """Print the schedule and its balance without playing.

    Takes the options of `run`, or the same tournament file. Swiss pairs by results, so that only
    its first heat is known before it is played. Bots are loaded, and not built.

    \b
    Examples:
      niagara tournament plan --bots @random --bots @homing --bots @greedy --seats 3
      niagara tournament plan --bots @* --seats 3,4 --games-per-bot 48 --seed 7 --json
    """
    field = enter(config, None, read_roster_of(config))
    _tell_left_out(terminal, field)
    facts = meant_facts(config, field, None)
    planned, found, heats = first_plan(facts.spec, facts.entrants)
    names = {e.submission: e.name for e in facts.entrants}
    rows: list[dict[str, Cell]] = [
        {
            "match": match.order,
            "heat": match.heat,
            "id": match.match,
            "games": match_games(facts.spec, len(match.table)),
            "table": " – ".join(names[name] for name in match.table),
        }
        for match in planned
    ]
    columns = [Column(name) for name in ("match", "heat", "id", "games", "table")]
    output = Format.JSON if as_json else Format.TABLE
    show(Listing("plan", 1, columns, rows), output)
    for line in balance_lines(found):
        terminal.note(line)
    if facts.spec.format == "swiss":
        terminal.note(f"{heats} heats; from the second on they depend on results")
    terminal.note(f"seed {facts.spec.seed}" if config.seed else "seed: random, as none was given")


def balance_lines(found: Sequence[Balance]) -> list[str]:
    """Tell how fair a schedule is, a line for each size of table."""
    lines = []
    for b in found:
        ranges = {
            "games a bot": b.games_per_bot,
            "games a bot and seat": b.games_per_seat,
            "games a pair": b.games_per_pair,
        }
        told = ", ".join(
            f"{r.least} {what}" if r.least == r.most else f"{r.least} to {r.most} {what}"
            for what, r in ranges.items()
        )
        clashes = f", {b.owner_clashes} tables with two bots of one owner" * bool(b.owner_clashes)
        matches = counted(b.matches, "match", "matches")
        lines.append(f"tables of {b.seats}: {matches}, {b.games} games; {told}{clashes}")
    return lines


# --- run ---------------------------------------------------------------------------------------


@click.command()
@config_options
@db_option
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    help="How many matches at once, one a core.  [default: all cores]",
)
@click.option("--oversubscribe", is_flag=True, help="Allow more jobs than cores.")
@click.option(
    "--until-settled",
    is_flag=True,
    help="Stop at the first border at which the leader is known; the schedule is the most.",
)
@click.option(
    "--epsilon",
    type=LEAD,
    default=0.2,
    show_default=True,
    help="The lead, in logits, that --until-settled does not care about.",
)
@click.option("--no-progress", is_flag=True, help="No live board, even on a terminal.")
@click.pass_obj
def run(
    terminal: Terminal,
    config: Config,
    db: Path,
    jobs: int | None,
    oversubscribe: bool,
    until_settled: bool,
    epsilon: float,
    no_progress: bool,
) -> Exit:
    """Run a tournament, or go on with one.

    From a tournament file (`niagara docs example-tournament` shows one), from options, or both:
    options win. All bots are checked and built before the first game. Every match is stored as soon
    as it is over; Ctrl-C or worse loses only those under way, and the same command goes on from
    there.

    \b
    Examples:
      niagara tournament run --bots @random --bots @homing --bots @greedy --seats 3 \\
        --seating rotations --name example --sandbox none
    """
    cores = cores_for(jobs or len(available_cores()), oversubscribe)
    if config.time_budget:
        parse_duration(config.time_budget)  # refused before anything is stored
    if until_settled and not config.games_per_bot and config.format != "swiss":
        config = msgspec.structs.replace(config, games_per_bot=_MOST_GAMES_PER_BOT)
    with _terminable():
        backend = choose(config.sandbox, config.minimum_sandbox)
        field = enter(config, backend, read_roster_of(config), terminal.note)
    _tell_left_out(terminal, field)
    if config.seed and len(config.seed) < SHORT_SEED:
        terminal.note("a short seed can be guessed: leave --seed out where much is at stake")
    with _terminable(), open_store(db, write=True) as store:
        number, resumed = begin_or_resume(store, config, field)
        _announce(terminal, store, number, resumed, backend, len(cores))
        watching = progress_of(terminal, config.name, wanted=not no_progress)
        border = borders(
            time_budget(config.time_budget) if config.time_budget else None,
            _settling(store, number, epsilon) if until_settled else None,
        )
        try:
            finish = Runner(
                store,
                number,
                match_players(field.contestants, backend),
                cores,
                observer=watching,
                border=border,
                keep_logs=config.keep_logs,
            ).run(backend.level)
        finally:
            watching.close()
        if until_settled and finish.how == "finished":
            terminal.note(_settled_at_the_end(store, number, epsilon))
        return _report(terminal, store, number, finish, db)


def progress_of(terminal: Terminal, title: str, *, wanted: bool) -> Lines | LiveBoard:
    """Give a live board where one is wanted and can be drawn, else plain lines."""
    if wanted and terminal.verbosity == 0 and can_redraw(sys.stderr):
        return LiveBoard(title, Console(stderr=True, no_color=terminal.color is False or None))
    return Lines(title, terminal.note)


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end what is not play as Ctrl-C does, so that nothing is left behind."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _settling(store: Store, number: int, epsilon: float) -> Border:
    """Import numpy only for those who wait for certainty."""
    from niagara_arena.tournament.settling import until_settled  # noqa: PLC0415

    return until_settled(store, number, epsilon)


def _settled_at_the_end(store: Store, number: int, epsilon: float) -> str:
    from niagara_arena.tournament.settling import at_the_end  # noqa: PLC0415

    return f"the whole schedule is played; {at_the_end(store, number, epsilon)}"


def read_roster_of(config: Config) -> tuple[Roster, Path] | None:
    """Read the roster that a tournament names."""
    if not config.roster:
        return None
    path = Path(config.roster)
    return read_roster(path), path.parent


def _tell_left_out(terminal: Terminal, field: Field) -> None:
    for one in field.left_out:
        terminal.warn(f"left out: `{one.reference}`: {one.reason}")
    if len(field.entrants) < 3:
        raise InputError(
            f"only {len(field.entrants)} bots can take part, at least 3 are needed",
            "name more with --bots",
        )


def _announce(
    terminal: Terminal, store: Store, number: int, resumed: bool, backend: Backend, jobs: int
) -> None:
    facts = store.facts(number)
    spec = facts.spec
    what = "going on with" if resumed else "starting"
    terminal.note(
        f"{what} {facts.name}: {spec.format}, {spec.settings.rules}, {len(facts.entrants)} bots,"
        f" sandbox {backend.level}, {jobs} job{'s' * (jobs > 1)}, seed {spec.seed}"
    )
    balance = msgspec.json.decode(facts.balance, type=list[Balance])
    for line in balance_lines(balance):
        terminal.note(f"first heat, {line}" if spec.format == "swiss" else line)
    ended = len(store.ended(number))
    if resumed:
        terminal.note(f"stored already: {counted(ended, 'match', 'matches')}")


def _report(terminal: Terminal, store: Store, number: int, finish: Finish, db: Path) -> Exit:
    rate = finish.games / finish.seconds if finish.seconds > 0 else 0.0
    terminal.note(
        f"{counted(finish.games, 'game')} of {counted(finish.matches, 'match', 'matches')}"
        f" in {span(finish.seconds)}, {rate:.1f} games a second"
    )
    repeats = store.duplicates(number)
    if repeats:
        terminal.note(
            f"{counted(repeats, 'game')} the same, move for move, as an earlier one; ratings count"
            " each once (more openings give deterministic bots something new: --openings random:4)"
        )
    for order, state, sentence in store.unplayed(number):
        terminal.warn(f"match {order} was {state}: {clean(sentence)}")
    name = store.facts(number).name
    where = "" if db == Path("results/arena.db") else f" --db {shlex.quote(str(db))}"
    look = f"`niagara leaderboard --tournament {shlex.quote(name)}{where}`"
    if finish.how == "finished":
        terminal.note(f"finished; see {look}")
        return Exit.DONE
    command = shlex.join(["niagara", *sys.argv[1:]])
    terminal.note(f"{finish.how}: {finish.left} matches are left, all others are kept in `{db}`")
    terminal.note(f"go on with `{clean(command)}`")
    return Exit.INTERRUPTED if finish.how == "interrupted" else Exit.DONE
