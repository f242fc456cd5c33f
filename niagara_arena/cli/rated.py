"""What commands about ratings share: which games, whose bots, and ratings kept between runs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import click
import msgspec

from niagara_arena.cli.references import TOURNAMENT
from niagara_arena.cli.terminal import Terminal
from niagara_arena.cli.tournament_options import db_option
from niagara_arena.errors import InputError
from niagara_arena.ratings.facts import ALL, Selection
from niagara_arena.ratings.kept import Kept
from niagara_arena.ratings.leaderboard import Bot
from niagara_arena.records import RatedGame
from niagara_arena.rules import RULESETS
from niagara_arena.store import Store

__all__ = [
    "find_bot",
    "known_bots",
    "none_counts",
    "read_games",
    "read_kept",
    "selection_options",
    "tell_sandbox",
    "write_kept",
]

_MOST_KEPT = 8
"""How many selections' ratings are kept beside a database."""
_DIGEST_BYTES = 32
"""The file begins with the SHA-256 of all that follows."""


def _day(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise click.BadParameter(f"{value!r} is no day like 2026-03-31", ctx, param) from None


def selection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that choose games; it receives `db` and `selection`."""

    @click.option(
        "--tournament", type=TOURNAMENT, metavar="NAME", help="Only games of this tournament."
    )
    @click.option("--rules", type=click.Choice(tuple(RULESETS)), help="Only games of this ruleset.")
    @click.option("--seats", type=click.IntRange(2, 6), help="Only tables of this size.")
    @click.option("--since", metavar="DAY", callback=_day, help="Only games from this day on.")
    @db_option
    def wrapper(
        tournament: str | None,
        rules: str | None,
        seats: int | None,
        since: str | None,
        **others: Any,
    ) -> Any:
        selection = Selection(rules=rules, seats=seats, since=since, tournament=tournament)
        return command(selection=selection, **others)

    wrapper.__name__, wrapper.__doc__ = command.__name__, command.__doc__
    # Options that were put on the command before this one.
    wrapper.__dict__["__click_params__"] = [
        *getattr(command, "__click_params__", []),
        *wrapper.__dict__["__click_params__"],
    ]
    return wrapper


def read_games(store: Store, selection: Selection) -> list[RatedGame]:
    """Read the games that are asked for."""
    found = store.rated_games(
        selection.tournament, selection.rules, selection.seats, selection.since
    )
    return list(found)


def known_bots(store: Store) -> dict[str, Bot]:
    """Return who every submission is."""
    authors = store.authors()
    return {
        submission: Bot(name, version, authors.get(submission, ""))
        for submission, (name, version, _) in store.submissions().items()
    }


def find_bot(text: str, bots: Mapping[str, Bot]) -> str:
    """Return the submission that a user means: a name, NAME@VERSION, NAME@ID, or an id.

    The beginning of an id will do, from its sixth character on.
    """
    found = sorted(submission for submission, bot in bots.items() if _means(text, submission, bot))
    if len(found) == 1:
        return found[0]
    if not found:
        names = ", ".join(sorted({bot.name for bot in bots.values()})[:10])
        raise InputError(
            f"no bot `{text}` has played here", f"there are {names}" if names else None
        )
    versions = ", ".join(f"{submission[:12]} ({bots[submission].version})" for submission in found)
    raise InputError(f"`{text}` is more than one submission", f"say which one: {versions}")


def _means(text: str, submission: str, bot: Bot) -> bool:
    name = text.removeprefix("@")
    if name == bot.name or _begins(submission, text):
        return True
    version = name.removeprefix(f"{bot.name}@")
    return version != name and (version == bot.version or _begins(submission, version))


def _begins(submission: str, text: str) -> bool:
    return len(text) >= 6 and submission.startswith(text)


def none_counts(selection: Selection, games: list[RatedGame]) -> str:
    """Say why there is nothing to rate."""
    if games:
        return "none of these games counts"
    if selection == ALL:
        return "no game was played yet; play some with `niagara tournament run`"
    asked = (selection.tournament, selection.rules, selection.seats, selection.since)
    options = zip(("--tournament", "--rules", "--seats", "--since"), asked, strict=True)
    chosen = " ".join(f"{option} {value}" for option, value in options if value is not None)
    return f"no game was played that fits {chosen}"


def tell_sandbox(terminal: Terminal, store: Store, games: list[RatedGame]) -> None:
    """Tell how the bots were caged, and which tournaments were played without a cage."""
    played = {game.tournament for game in games}
    rows = [t for t in store.tournaments() if t.name in played]
    if levels := sorted({t.sandbox for t in rows if t.sandbox}):
        terminal.note(f"sandbox: {', '.join(levels)}")
    open_ = [t.name for t in rows if t.sandbox == "none"]
    if open_:
        names = ", ".join(open_[:5]) + (" …" if len(open_) > 5 else "")
        terminal.note(f"played without a sandbox: {names}")


def _place(db: Path) -> Path:
    return db.with_name(f"{db.name}.ratings")


def read_kept(db: Path, selection: Selection) -> Kept | None:
    """Return the ratings kept for this selection, if any can be read."""
    data = _all_kept(db).get(_key(selection))
    return Kept.decode(data) if data is not None else None


def write_kept(terminal: Terminal, db: Path, selection: Selection, kept: Kept) -> None:
    """Keep ratings beside the database; where that is not possible, the next run takes longer."""
    held = _all_kept(db)
    data = kept.encode()
    if held.get(_key(selection)) == data:
        return
    held.pop(_key(selection), None)
    held[_key(selection)] = data
    newest = dict(list(held.items())[-_MOST_KEPT:])
    path = _place(db)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    body = msgspec.msgpack.encode(newest)
    try:
        part.write_bytes(hashlib.sha256(body).digest() + body)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):  # a read-only file system refuses even this
            part.unlink()
        terminal.detail(f"ratings are not kept: {error.strerror}")


def _key(selection: Selection) -> str:
    return msgspec.json.encode(selection).decode()


def _all_kept(db: Path) -> dict[str, bytes]:
    try:
        data = _place(db).read_bytes()
    except OSError:
        return {}
    digest, body = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest:
        return {}  # damaged: a flipped bit would be read as another number
    return msgspec.msgpack.decode(body, type=dict[str, bytes])
