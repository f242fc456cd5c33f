"""`niagara tournament annul|roster` and `niagara clean`: what an organiser does afterwards."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from click.core import ParameterSource

from niagara_arena.cli.options import FiniteRange
from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, show
from niagara_arena.cli.terminal import Terminal
from niagara_arena.cli.text import counted
from niagara_arena.cli.tournament_options import db_option, tournament_option
from niagara_arena.errors import InputError
from niagara_arena.store import Store, open_store
from niagara_arena.store.people import pseudonym, read_roster
from niagara_arena.submissions import clean as clean_cache
from niagara_arena.submissions import default_cache
from niagara_arena.tournament.running import now_text

__all__ = ["annul", "clean", "roster"]


@click.command()
@click.argument("target", required=False)
@click.option("--reason", help="Why; kept with the fact.")
@tournament_option
@db_option
@format_options
@click.pass_obj
def annul(
    terminal: Terminal,
    target: str | None,
    reason: str | None,
    name: str | None,
    db: Path,
    output_format: Format,
) -> None:
    """Say that games are no longer rated.

    TARGET is a game's id (g-…), a submission's hash or its beginning, or an owner (o-…). Nothing is
    deleted: the games stay, marked. With --tournament only that one is meant. Without TARGET the
    annulments are listed.

    \b
    Examples:
      niagara -q tournament run --bots @random --bots @homing --bots @greedy --seats 3 \\
        --seating single --set max_rounds=2 --sandbox none && \\
        GAME=$(niagara tournament matches --format csv | grep -om1 'g-[0-9a-f]*') && \\
        niagara tournament annul $GAME --reason "a power cut" && niagara tournament annul
    """
    if target is None:
        with open_store(db) as store:
            _list_annulments(store, output_format)
        return
    if not reason:
        raise click.UsageError("an annulment needs --reason")
    with open_store(db, write=True, make=False) as store:
        number = store.find_tournament(name) if name is not None else None
        kind, found = _target(store, target, name)
        store.writer.annul(kind, found, reason, now_text(), number)
        terminal.note(f"annulled {kind} {found}: no longer rated")


def _owner(store: Store, who: str) -> str:
    """Return an owner's pseudonym, given that or the key of the roster."""
    for person in store.owners():
        if who in (person.owner, person.key):
            return person.owner
    raise InputError(f"no owner `{who}`", "`niagara tournament roster` lists them")


def _target(store: Store, target: str, name: str | None) -> tuple[str, str]:
    if target.startswith("g-"):
        return "game", store.find_game(target, name)[1].game
    if target.startswith("o-"):
        return "owner", _owner(store, target)
    found = [s for s in store.submissions() if len(target) >= 6 and s.startswith(target)]
    if len(found) != 1:
        raise InputError(
            f"`{target}` is no game, owner or submission here",
            "`niagara tournament status --tournament NAME` shows submissions' hashes",
        )
    return "submission", found[0]


def _list_annulments(store: Store, output_format: Format) -> None:
    names = {row.number: row.name for row in store.tournaments()}
    rows: list[dict[str, Cell]] = [
        {
            "kind": kind,
            "target": target,
            "tournament": names[number] if number is not None else None,
            "reason": reason,
        }
        for kind, target, number, reason in store.annulments()
    ]
    columns = [Column(name) for name in ("kind", "target", "tournament", "reason")]
    show(Listing("annulments", 1, columns, rows), output_format)


@click.command()
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--erase", metavar="OWNER", help="Forget an owner's personal data (o-… or key); results stay."
)
@db_option
@format_options
@click.pass_obj
def roster(
    terminal: Terminal, file: Path | None, erase: str | None, db: Path, output_format: Format
) -> None:
    """Read a roster in, list owners, or erase one.

    Facts know owners by pseudonyms (o-…) only, so that names, contacts and keys can be erased
    without breaking a hash. Lists the owners when that is done.

    \b
    Examples:
      printf '[[owner]]\\nkey = "s1234"\\nname = "Ann"\\n' > roster.toml
      niagara tournament roster roster.toml
      niagara tournament roster --erase s1234
    """
    if file is not None or erase is not None:
        with open_store(db, write=True, make=file is not None) as store:
            if file is not None:
                read = read_roster(file)
                for entry in read.owner:
                    store.people.add_owner(pseudonym(read.salt, entry.key), entry)
            if erase is not None:
                owner = _owner(store, erase)
                store.people.erase(owner)
                terminal.note(f"erased what was personal of {owner}")
    with open_store(db) as store:
        rows: list[dict[str, Cell]] = [
            {
                "owner": person.owner,
                "key": person.key,
                "name": person.name,
                "contact": person.contact,
                "erased": person.erased,
            }
            for person in store.owners()
        ]
    columns = [Column(name) for name in ("owner", "key", "name", "contact", "erased")]
    show(Listing("owners", 1, columns, rows), output_format)


@click.command()
@click.option(
    "--unused-days",
    type=FiniteRange(0),
    default=30.0,
    show_default=True,
    help="Staged bots and builds that no match has used for so long.",
)
@click.option(
    "--logs-older-than",
    "log_days",
    type=click.IntRange(0, 36_500),
    metavar="DAYS",
    help="Drop bots' logs of games without faults, older than this.",
)
@click.option("--all-logs", is_flag=True, help="Logs of games with faults too.")
@db_option
@click.pass_context
def clean(
    ctx: click.Context, unused_days: float, log_days: int | None, all_logs: bool, db: Path
) -> None:
    """Remove old caches, staged bots and logs.

    Results are never touched. Everything removed is made anew when it is needed, but for logs.

    \b
    Examples:
      niagara clean
      niagara clean --unused-days 7
    """
    terminal: Terminal = ctx.obj
    named = ctx.get_parameter_source("db") is ParameterSource.COMMANDLINE
    if log_days is None and (all_logs or named):
        raise click.UsageError("--db and --all-logs say which logs --logs-older-than drops; add it")
    removed = clean_cache(default_cache(), unused_days)
    megabytes = removed.bytes / (1 << 20)
    folders = counted(removed.folders, "folder")
    terminal.note(f"removed {folders} of the cache, {megabytes:.1f} MB")
    if log_days is not None:
        before = datetime.now(UTC) - timedelta(days=log_days)
        with open_store(db, write=True, make=False) as store:
            dropped = store.writer.drop_logs(before.strftime("%Y-%m-%d"), not all_logs)
            store.writer.scrub()
        terminal.note(f"dropped the logs of {counted(dropped, 'game')}")
