"""`niagara tournament status|matches|verify|rerun|export`: look at what is stored."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from niagara_arena.cli.exits import Exit
from niagara_arena.cli.options import sandbox_option
from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, show
from niagara_arena.cli.references import BOT
from niagara_arena.cli.terminal import Terminal
from niagara_arena.cli.text import clean, counted
from niagara_arena.cli.tournament_options import db_option, tournament_option
from niagara_arena.sandbox import choose
from niagara_arena.schedule.standings import standings
from niagara_arena.store import Store, open_store
from niagara_arena.tournament.exporting import (
    export_facts,
    export_records,
    grade_rows,
    salvage_records,
)
from niagara_arena.tournament.rerunning import rerun_game
from niagara_arena.tournament.verifying import verify_tournament

__all__ = ["export", "matches", "rerun", "status", "verify"]


@click.command()
@tournament_option
@db_option
@format_options
@click.pass_obj
def status(terminal: Terminal, name: str | None, db: Path, output_format: Format) -> None:
    """Show how far tournaments have come.

    Without --tournament all tournaments are listed; with it, one's entrants with their points so
    far. Works from another terminal while a tournament runs.

    \b
    Examples:
      niagara -q tournament run --bots @random --bots @homing --bots @greedy --seats 3 \\
        --seating rotations --set max_rounds=2 --sandbox none && \\
        niagara tournament status && niagara tournament status --tournament tournament --json
    """
    with open_store(db) as store:
        if name is None:
            show(_tournaments(store), output_format)
            return
        number = store.find_tournament(name)
        show(_entrants(store, number), output_format)
        repeats = store.duplicates(number)
        if repeats:
            told = counted(repeats, "game")
            terminal.note(f"{told} the same as an earlier one; ratings count each once")
        for order, state, sentence in store.unplayed(number):
            terminal.warn(f"match {order} was {state}: {clean(sentence)}")


def _tournaments(store: Store) -> Listing:
    names = "tournament format rules entrants matches ended games how sandbox epoch created".split()
    rows: list[dict[str, Cell]] = [
        {
            "tournament": row.name,
            "format": row.format,
            "rules": row.rules,
            "entrants": row.entrants,
            "matches": row.matches,
            "ended": row.ended,
            "games": row.games,
            "how": row.how,
            "sandbox": row.sandbox,
            "epoch": row.epoch,
            "created": row.created,
        }
        for row in store.tournaments()
    ]
    return Listing("tournaments", 1, [Column(name) for name in names], rows)


def _entrants(store: Store, number: int) -> Listing:
    facts = store.facts(number)
    names = {entrant.submission: entrant for entrant in facts.entrants}
    voids: Counter[str] = Counter()
    tables = {row.order: row.table for row in store.matches(number)}
    for order, _, _ in store.incidents(number):
        voids.update(tables[order])
    gone = store.withdrawals(number)
    rows: list[dict[str, Cell]] = [
        {
            "rank": place.rank,
            "bot": names[place.submission].name,
            "version": names[place.submission].version,
            "games": place.games,
            "wins": place.wins,
            "points": place.points,
            "opponents": place.opponents,
            "forfeits": place.forfeits,
            "voids": voids[place.submission],
            "withdrawn": place.submission in gone,
            "submission": place.submission,
        }
        for place in standings(store.counted_outcomes(number), list(names))
    ]
    columns = (
        Column("rank"),
        Column("bot"),
        Column("version"),
        Column("games"),
        Column("wins"),
        Column("points", spec=".3f"),
        Column("opponents", spec=".3f"),
        Column("forfeits"),
        Column("voids"),
        Column("withdrawn"),
        Column("submission"),
    )
    return Listing("entrants", 1, columns, rows)


@click.command()
@tournament_option
@db_option
@format_options
def matches(name: str | None, db: Path, output_format: Format) -> None:
    """List the matches of a tournament.

    In the order of the schedule, with how each ended and its games' ids.

    \b
    Examples:
      niagara -q tournament run --bots @random --bots @homing --bots @greedy --seats 3 \\
        --seating single --set max_rounds=2 --sandbox none && niagara tournament matches
    """
    with open_store(db) as store:
        number = store.find_tournament(name)
        names = {e.submission: e.name for e in store.entrants(number)}
        games: dict[int, list[str]] = {}
        for game in store.games(number, records=False):
            games.setdefault(game.match_order, []).append(game.game)
        rows: list[dict[str, Cell]] = [
            {
                "match": row.order,
                "heat": row.heat,
                "id": row.match,
                "state": row.state or "to play",
                "table": " – ".join(names[member] for member in row.table),
                "games": " ".join(games.get(row.order, ())),
                "sentence": row.sentence,
            }
            for row in store.matches(number)
        ]
    columns = [Column(n) for n in ("match", "heat", "id", "state", "table", "games", "sentence")]
    show(Listing("matches", 1, columns, rows), output_format)


@click.command()
@tournament_option
@db_option
@click.pass_obj
def verify(terminal: Terminal, name: str | None, db: Path) -> Exit:
    """Prove a tournament from its facts.

    Works out schedule, ids and seeds anew, recomputes every hash, and plays every game again
    through the rules. Names everything that does not fit; exits 1 if anything does not.

    \b
    Examples:
      niagara -q tournament run --bots @random --bots @homing --bots @greedy --seats 3 \\
        --seating rotations --set max_rounds=2 --sandbox none && niagara tournament verify
    """
    games = wrong = 0
    with open_store(db) as store:
        number = store.find_tournament(name)
        for found in verify_tournament(store, number):
            games += 1
            if found is not None:
                wrong += 1
                click.echo(clean(found))
    if wrong:
        terminal.note(f"{wrong} things do not fit")
        return Exit.NO
    terminal.note(f"{games} games and their schedule are proved")
    return Exit.DONE


@click.command()
@click.argument("game")
@click.option(
    "--bots", type=BOT, multiple=True, metavar="BOT", help="Where its bots are now. Repeatable."
)
@tournament_option
@db_option
@sandbox_option
@click.pass_obj
def rerun(
    terminal: Terminal, game: str, bots: tuple[str, ...], name: str | None, db: Path, sandbox: str
) -> Exit:
    """Play one stored game again and compare.

    Plays the game's match up to it, as bots live through all games of a match, with the same seeds.
    Exits 1 if the game comes out otherwise: a bot is not deterministic, or reads its clock.

    \b
    Examples:
      niagara -q tournament run --bots @random --bots @homing --bots @greedy --seats 3 \\
        --seating single --set max_rounds=2 --sandbox none && \\
        GAME=$(niagara tournament matches --format csv | grep -om1 'g-[0-9a-f]*') && \\
        niagara tournament rerun $GAME --sandbox none
    """
    backend = choose(sandbox)
    with open_store(db) as store:
        number, row = store.find_game(game, name)
        result = rerun_game(store, number, row, backend, bots)
    end = result.record.end
    winners = ", ".join(clean(result.record.header.seats[seat].name) for seat in end.winners)
    click.echo(f"{row.game}: {end.reason} in round {end.rounds}, won by {winners or 'nobody'}")
    if result.same:
        terminal.note("the same, to the byte")
        return Exit.DONE
    terminal.note(f"it came out otherwise: {clean(result.difference)}")
    return Exit.NO


_GRADES = (
    "rank bot version owner name line authors games wins points opponents forfeits withdrawn"
    " submission"
).split()


@click.command()
@tournament_option
@db_option
@click.option("--facts", is_flag=True, help="Print all facts as JSON lines, nothing measured.")
@click.option(
    "--records",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write each game's record into this folder.",
)
@click.option(
    "--salvage",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the readable games of a damaged database into this folder.",
)
@format_options
@click.pass_obj
def export(
    terminal: Terminal,
    name: str | None,
    db: Path,
    facts: bool,
    folder: Path | None,
    salvage: Path | None,
    output_format: Format,
) -> Exit:
    """Write a tournament out: facts, records, grades.

    Without other options, a class's grade sheet: a line for each entrant with owner and points, in
    any format. --facts prints everything that decides results, byte for byte the same for the same
    tournament however it was run.

    \b
    Examples:
      niagara -q tournament run --bots @random --bots @homing --bots @greedy --seats 3 \\
        --seating rotations --set max_rounds=2 --sandbox none && \\
        niagara tournament export --format csv && niagara tournament export --facts | wc -l
    """
    if salvage is not None:
        kept, lost = salvage_records(db, salvage)
        told = f"at least {lost} lost" if lost else "none lost"
        if lost is None:
            told = "how many are lost can't be told"
        terminal.note(f"{kept} games saved in `{salvage}`, {told}")
        return Exit.DONE if kept and lost == 0 else Exit.NO
    with open_store(db) as store:
        number = store.find_tournament(name)
        if facts:
            for line in export_facts(store, number):
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        elif folder is not None:
            terminal.note(f"{export_records(store, number, folder)} records in `{folder}`")
        else:
            rows = grade_rows(store, number)
            show(Listing("grades", 1, [Column(name) for name in _GRADES], rows), output_format)
    return Exit.DONE
