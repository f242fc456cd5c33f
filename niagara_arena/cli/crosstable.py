"""`niagara crosstable`: who beats whom, head to head, opponents met, seats."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

# Many small matrices: threads of the linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, show
from niagara_arena.cli.rated import (
    find_bot,
    known_bots,
    none_counts,
    read_games,
    selection_options,
    tell_sandbox,
)
from niagara_arena.cli.terminal import Terminal
from niagara_arena.ratings.facts import Facts, Selection, select
from niagara_arena.ratings.leaderboard import labels, left_out
from niagara_arena.ratings.standing import seat_effects
from niagara_arena.ratings.strength import fit
from niagara_arena.ratings.tables import (
    Meeting,
    head_to_head,
    opponents,
    seat_table,
)
from niagara_arena.ratings.tables import (
    crosstable as count_meetings,
)
from niagara_arena.store import open_store

__all__ = ["crosstable"]

MEETING_COLUMNS = (
    Column("bot"),
    Column("opponent"),
    Column("games"),
    Column("better"),
    Column("tied"),
    Column("worse"),
    Column("share", "share", ".1%"),
)


@click.command()
@click.argument("bots", nargs=-1, metavar="[BOT [OPPONENT]]")
@click.option("--by-seat", is_flag=True, help="Show what each seat won, and whether it matters.")
@selection_options
@format_options
@click.pass_obj
def crosstable(
    terminal: Terminal,
    selection: Selection,
    db: Path,
    bots: tuple[str, ...],
    by_seat: bool,
    output_format: Format,
) -> None:
    """Show who beats whom.

    Without arguments a table of all pairs: the share of games in which the row's bot was placed
    above the column's, ties as halves, and how often they met. With a BOT the opponents it met;
    with two the list of their games. A BOT is a name, NAME@VERSION, or an id or its beginning.

    \b
    Examples:
      niagara -q tournament run --bots @* --seats 3 --games-per-bot 6 --sandbox none && \\
        niagara crosstable && niagara crosstable random && niagara crosstable random homing && \\
        niagara crosstable --by-seat --json
    """
    if len(bots) > 2 or (bots and by_seat):
        raise click.UsageError("give one bot, two bots, or --by-seat")
    with open_store(db) as store:
        games = read_games(store, selection)
        known = known_bots(store)
        ids = [find_bot(text, known) for text in bots]
        tell_sandbox(terminal, store, games)
    if len(ids) == 2 and ids[0] == ids[1]:
        raise click.UsageError("a bot does not meet itself: give two that differ")
    facts = select(games, selection)
    named = labels(known)
    if by_seat:
        show(_seats(facts), output_format)
    elif len(ids) == 2:
        show(_games(facts, ids[0], ids[1]), output_format)
        met = count_meetings(facts).get((ids[0], ids[1]))
        terminal.note(_summary(met, named) if met else "they have not met")
    elif ids:
        show(_meetings(opponents(facts, ids[0]), named), output_format)
    elif output_format in (Format.TABLE, Format.MARKDOWN):
        show(_matrix(facts, named), output_format)
    else:
        show(_meetings(list(count_meetings(facts).values()), named), output_format)
    for note in left_out(facts):
        terminal.note(note)
    if not facts.games:
        terminal.note(none_counts(selection, games))


def _meetings(meetings: list[Meeting], named: Mapping[str, str]) -> Listing:
    rows: list[dict[str, Cell]] = [
        {
            "bot": named[m.bot],
            "opponent": named[m.opponent],
            "games": m.games,
            "better": m.better,
            "tied": m.tied,
            "worse": m.worse,
            "share": round(m.share, 6),
        }
        for m in meetings
    ]
    return Listing("meetings", 1, MEETING_COLUMNS, rows)


def _matrix(facts: Facts, named: Mapping[str, str]) -> Listing:
    """Return the table of all pairs for people, those with the best shares first."""
    meetings = count_meetings(facts)
    shares: dict[str, float] = {}
    for bot in facts.bots():
        mine = [m for (one, _), m in meetings.items() if one == bot]
        games = sum(m.games for m in mine)
        shares[bot] = sum(m.share * m.games for m in mine) / games if games else 0.0
    order = sorted(shares, key=lambda bot: (-shares[bot], bot))
    columns = [Column("number", "#"), Column("bot"), Column("all", "all", ".1%")]
    columns += [Column(f"{i}") for i in range(1, len(order) + 1)]
    rows: list[dict[str, Cell]] = []
    for number, bot in enumerate(order, 1):
        row: dict[str, Cell] = {"number": number, "bot": named[bot], "all": shares[bot]}
        for place, other in enumerate(order, 1):
            met = meetings.get((bot, other))
            row[f"{place}"] = f"{met.share:.0%} of {met.games}" if met else "–"
        rows.append(row)
    return Listing("crosstable", 1, columns, rows)


def _games(facts: Facts, bot: str, opponent: str) -> Listing:
    titles = {
        "opponent_seat": "opponent’s seat",
        "opponent_placing": "opponent’s placing",
        "winners": "winning seats",
    }
    names = "game tournament rules day seats seat placing".split() + list(titles)
    rows: list[dict[str, Cell]] = []
    for found in head_to_head(facts, bot, opponent):
        row: dict[str, Cell] = {name: getattr(found, name) for name in names}
        row["winners"] = " ".join(map(str, found.winners))
        rows.append(row)
    return Listing("head-to-head", 1, [Column(name, titles.get(name)) for name in names], rows)


def _summary(met: Meeting, named: Mapping[str, str]) -> str:
    return (
        f"{named[met.bot]} was placed above {named[met.opponent]} {met.better} times,"
        f" below {met.worse} times, level {met.tied} times"
    )


def _seats(facts: Facts) -> Listing:
    columns = (
        Column("rules"),
        Column("seats"),
        Column("seat"),
        Column("games"),
        Column("wins"),
        Column("share", "share", ".1%"),
        Column("fair", "fair", ".1%"),
        Column("worth", "worth", "+z.2f"),
        Column("worth_low", "from", "+z.2f"),
        Column("worth_high", "to", "+z.2f"),
        Column("matters"),
    )
    rows: list[dict[str, Cell]] = [
        {
            "rules": line.rules,
            "seats": line.seats,
            "seat": line.seat,
            "games": line.games,
            "wins": line.wins,
            "share": round(line.share, 6),
            "fair": round(line.fair, 6),
            "worth": round(line.worth, 6),
            "worth_low": round(line.low, 6),
            "worth_high": round(line.high, 6),
            "matters": line.matters,
        }
        for line in seat_table(facts, seat_effects(fit(facts)))
    ]
    return Listing("seats", 1, columns, rows)
