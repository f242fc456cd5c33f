"""`niagara leaderboard`: the bots in order, with how sure that order is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import click

# Many small matrices: threads of the linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from niagara_arena.cli.options import LEAD
from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, show
from niagara_arena.cli.rated import (
    known_bots,
    none_counts,
    read_games,
    read_kept,
    selection_options,
    tell_sandbox,
    write_kept,
)
from niagara_arena.cli.terminal import Terminal
from niagara_arena.ratings.facts import Selection
from niagara_arena.ratings.leaderboard import By, Leaderboard, Row, labels
from niagara_arena.ratings.leaderboard import leaderboard as rate
from niagara_arena.ratings.settle import EPSILON, Outlook
from niagara_arena.store import open_store

__all__ = ["leaderboard"]

COLUMNS: tuple[Column, ...] = (
    Column("order", "#"),
    Column("rank"),
    Column("bot"),
    Column("version"),
    Column("author"),
    Column("skill", "skill", ".1f"),
    Column("mu", "mu", ".1f"),
    Column("sigma", "sigma", ".2f"),
    Column("strength", "strength", "+z.2f"),
    Column("strength_low", "from", "+z.2f"),
    Column("strength_high", "to", "+z.2f"),
    Column("win_chance", "win", ".1%"),
    Column("win_low", "from", ".1%"),
    Column("win_high", "to", ".1%"),
    Column("first", "P(first)", ".1%"),
    Column("rank_best", "best rank"),
    Column("rank_worst", "worst rank"),
    Column("games"),
    Column("wins"),
    Column("mean_placing", "placing", ".2f"),
    Column("faults"),
    Column("cpu_median_us", "cpu µs", ",d"),
    Column("cpu_worst_us", "worst µs", ",d"),
    Column("submission"),
)
WIDE = ("win_chance", "win_low", "win_high", "first", "rank_best", "rank_worst")
"""What people see with --wide only; programs get every column."""


@click.command()
@click.option(
    "--by",
    type=click.Choice([by.value for by in By]),
    default=By.TRUESKILL.value,
    show_default=True,
    help="What to order by; ranks are always by strength.",
)
@click.option("--top", type=click.IntRange(1), help="Only so many rows.")
@click.option("--wide", is_flag=True, help="Show chances to win and to be first, and rank ranges.")
@click.option(
    "--epsilon",
    type=LEAD,
    default=EPSILON,
    show_default=True,
    help="The lead in strength that does not matter, for the note on how many games are missing.",
)
@selection_options
@format_options
@click.pass_obj
def leaderboard(
    terminal: Terminal,
    selection: Selection,
    db: Path,
    by: str,
    top: int | None,
    wide: bool,
    epsilon: float,
    output_format: Format,
) -> None:
    """Show the bots in order, and how sure that order is.

    The skill is TrueSkill's mu − 3 sigma, from placings. The strength is a fit of who wins, as a
    logit with its 95 % interval; 0 is the field's mean. A rank is 1 + the number of bots that are
    stronger with 95 %, so that bots the games can't separate share one. Times are of a decision.

    \b
    Examples:
      niagara -q tournament run --bots @* --seats 3 --games-per-bot 6 --sandbox none && \\
        niagara leaderboard && niagara leaderboard --wide --by strength --top 3 --json
    """
    with open_store(db) as store:
        games = read_games(store, selection)
        bots = known_bots(store)
        kept = read_kept(db, selection)
        found = rate(games, bots, selection=selection, by=By(by), epsilon=epsilon, kept=kept)
        tell_sandbox(terminal, store, games)
    write_kept(terminal, db, selection, found.kept)
    named = labels(bots)
    show(_listing(found, named, top, wide, output_format), output_format)
    for note in found.notes:
        terminal.note(note)
    terminal.note(_told(found.outlook, named) if found.rows else none_counts(selection, games))


def _listing(
    found: Leaderboard,
    named: Mapping[str, str],
    top: int | None,
    wide: bool,
    output_format: Format,
) -> Listing:
    rows = [_cells(row) for row in found.rows[:top]]
    columns = COLUMNS
    if output_format in (Format.TABLE, Format.MARKDOWN):
        hidden = {"submission", *(() if wide else WIDE)}
        columns = tuple(column for column in COLUMNS if column.name not in hidden)
        # People don't see ids: where name and version are not enough, the name gets the id's start.
        seen = Counter((row["bot"], row["version"]) for row in rows)
        for row in rows:
            if seen[row["bot"], row["version"]] > 1:
                row["bot"] = named.get(str(row["submission"]), row["bot"])
        rows = [{column.name: row[column.name] for column in columns} for row in rows]
    return Listing("leaderboard", 1, columns, rows)


def _cells(row: Row) -> dict[str, Cell]:
    standing, tally = row.standing, row.tally
    return {
        "order": row.order,
        "rank": standing.rank,
        "bot": row.bot.name,
        "version": row.bot.version,
        "author": row.bot.author,
        "skill": round(row.skill.low, 6),
        "mu": round(row.skill.mu, 6),
        "sigma": round(row.skill.sigma, 6),
        "strength": round(standing.strength, 6),
        "strength_low": round(standing.low, 6),
        "strength_high": round(standing.high, 6),
        "win_chance": round(standing.win_chance, 6),
        "win_low": round(standing.win_low, 6),
        "win_high": round(standing.win_high, 6),
        "first": standing.first,
        "rank_best": standing.rank_best,
        "rank_worst": standing.rank_worst,
        "games": tally.games,
        "wins": tally.wins,
        "mean_placing": round(tally.mean_placing, 6),
        "faults": tally.faults,
        "cpu_median_us": tally.cpu_median_us,
        "cpu_worst_us": tally.cpu_worst_us,
        "submission": standing.bot,
    }


def _told(outlook: Outlook, named: Mapping[str, str]) -> str:
    """Say how settled the top is."""
    leader = named[outlook.leader]
    near = f"or within {outlook.epsilon:g} of it"
    sure = f"{leader} is the strongest, {near}, with {outlook.sure_text}"
    if outlook.settled:
        return f"{sure}: settled by {outlook.games:,} games"
    if outlook.more is None:
        return f"{sure}; no number of games like these would make that 95 %"
    return f"{sure}; about {outlook.more:,} more games would make that 95 %"
