"""Options of tournaments, and how they and a file become a `Config`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from niagara_arena.cli.options import set_option
from niagara_arena.cli.references import BOT, TOURNAMENT
from niagara_arena.referee import PROFILES
from niagara_arena.rules import RULESETS
from niagara_arena.sandbox import LEVELS
from niagara_arena.schedule.seating import SEATING_KINDS
from niagara_arena.schedule.spec import FORMATS, MAX_GAMES_A_MATCH
from niagara_arena.store import DEFAULT_DATABASE
from niagara_arena.tournament.config import Config, read_config
from niagara_arena.tournament.results import KEEP_LOGS

__all__ = ["config_options", "db_option", "tournament_option"]

db_option = click.option(
    "--db",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT_DATABASE,
    show_default=True,
    help="The database of results.",
)
tournament_option = click.option(
    "--tournament",
    "name",
    type=TOURNAMENT,
    metavar="NAME",
    help="Which tournament.  [default: the last one]",
)

_OPTIONS = (
    click.argument(
        "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
    ),
    click.option(
        "--bots",
        type=BOT,
        multiple=True,
        metavar="BOT",
        help="A bot, or a folder of bots; @* for all bundled ones. Repeatable.",
    ),
    click.option(
        "--name",
        type=TOURNAMENT,
        metavar="TEXT",
        help="What to call the tournament; the same name goes on with it.",
    ),
    click.option("--format", "kind", type=click.Choice(FORMATS), help="Who meets whom."),
    click.option(
        "--challengers",
        type=BOT,
        multiple=True,
        metavar="BOT",
        help="Who runs the gauntlet of all others. Repeatable.",
    ),
    click.option("--rules", type=click.Choice(tuple(RULESETS)), help="Which game to play."),
    click.option("--seats", metavar="N[,N…]", help="Table sizes, 3 to 6."),
    click.option(
        "--games-per-bot",
        type=click.IntRange(1, 1_000_000),
        help="At least so many games for each bot, rounded up to balance.",
    ),
    click.option("--heats", type=click.IntRange(1, 1000), help="How often Swiss pairs."),
    click.option(
        "--seating", type=click.Choice(SEATING_KINDS), help="The games that a table plays."
    ),
    click.option(
        "--openings", metavar="none|random:N|FILE", help="Where games start, as in `niagara play`."
    ),
    click.option(
        "--openings-per-match",
        type=click.IntRange(1, MAX_GAMES_A_MATCH),
        metavar="N",
        help="How many openings a table plays in one match: fewer starts of bots.",
    ),
    click.option("--seed", help="The same seed gives the same tournament. Random if left out."),
    click.option("--profile", type=click.Choice(tuple(PROFILES)), help="Faults and clocks."),
    click.option(
        "--sandbox", type=click.Choice(("auto", *reversed(LEVELS))), help="How bots are caged."
    ),
    click.option(
        "--minimum-sandbox",
        type=click.Choice(LEVELS),
        help="Refuse to play at a weaker level than this.",
    ),
    click.option(
        "--roster", type=click.Path(exists=True, dir_okay=False), help="Who owns which bot."
    ),
    click.option("--one-per-owner", is_flag=True, default=None, help="Keep an owner's bots apart."),
    click.option(
        "--withdraw-after",
        type=click.IntRange(1, 100_000),
        metavar="N",
        help="Withdraw a bot that has forfeited so many games.",
    ),
    click.option("--names", is_flag=True, default=None, help="Tell bots who sits where."),
    click.option(
        "--require-all", is_flag=True, default=None, help="Stop if any bot can't take part."
    ),
    click.option("--keep-logs", type=click.Choice(KEEP_LOGS), help="Which bots' logs to store."),
    click.option("--time-budget", metavar="8h", help="Stop at the first border after this time."),
)


def config_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command FILE and the options; it receives `config`."""

    def wrapper(file: Path | None, changes: dict[str, Any], **options: Any) -> Any:
        given = {key: options.pop(key) for key in _KEYS}
        return command(config=_merge(file, given, changes), **options)

    wrapper.__name__, wrapper.__doc__ = command.__name__, command.__doc__
    wrapper.__dict__.update(command.__dict__)
    decorated: Callable[..., Any] = set_option(wrapper)
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_KEYS = (
    "bots name kind challengers rules seats games_per_bot heats seating openings"
    " openings_per_match seed profile"
    " sandbox minimum_sandbox roster one_per_owner withdraw_after names require_all keep_logs"
    " time_budget"
).split()


def _merge(file: Path | None, given: dict[str, Any], changes: dict[str, Any]) -> Config:
    """Return the file's configuration with what the command line says instead."""
    config = read_config(file) if file is not None else Config()
    said: dict[str, Any] = {
        key: value for key, value in given.items() if value not in (None, ()) and key != "kind"
    }
    if given["kind"] is not None:
        said["format"] = given["kind"]
    if "seats" in said:
        said["seats"] = _seats(said["seats"])
    if changes:
        said["settings"] = _deep(config.settings, changes)
    if said.get("challengers") and not given["kind"] and config.format == "round-robin":
        said["format"] = "gauntlet"
    config = msgspec.structs.replace(config, **said)
    if not config.bots:
        raise click.UsageError("name the bots with --bots, or in a tournament file")
    return config


def _seats(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise click.UsageError(f"--seats {text!r} is not of the form 4 or 3,4,5")
    return tuple(int(part) for part in parts)


def _deep(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    merged = dict(old)
    for key, value in new.items():
        before = merged.get(key)
        both = isinstance(value, dict) and isinstance(before, dict)
        merged[key] = _deep(before, value) if both and isinstance(before, dict) else value
    return merged
