"""Turn an exception into the message, the hint and the exit code that a user gets."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import click

from niagara_arena.cli.exits import Exit, exit_for
from niagara_arena.errors import ArenaError

__all__ = ["Failure", "describe"]


@dataclass(frozen=True)
class Failure:
    """Say how a command failed."""

    exit: Exit
    message: str
    hint: str | None = None


def describe(error: Exception) -> Failure | None:
    """Describe an error that is the user's or the machine's; None means a bug of ours."""
    match error:
        case ArenaError():
            return Failure(exit_for(error), str(error), error.hint)
        case click.NoSuchOption(ctx=click.Context() as ctx, option_name=name):
            return Failure(Exit.USAGE, f"no such option `{name}`", _option_hint(ctx, name))
        case click.exceptions.NoSuchCommand(ctx=click.Context() as ctx, command_name=name):
            return Failure(Exit.USAGE, f"no such command `{name}`", _command_hint(ctx, name))
        case click.BadParameter(
            ctx=click.Context() as ctx, param=click.Parameter(type=click.Choice(choices=choices))
        ):
            tried = re.match(r"'(.*)' is not one of", error.message)
            hint = _suggestion(tried[1], map(str, choices)) if tried else None
            return Failure(
                Exit.USAGE, _in_our_style(error.format_message()), hint or _see_help(ctx)
            )
        case click.UsageError(ctx=click.Context() as ctx):
            return Failure(Exit.USAGE, _in_our_style(error.format_message()), _see_help(ctx))
        case click.ClickException():
            return Failure(Exit.USAGE, _in_our_style(error.format_message()))
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            where = f" for `{error.filename}`" if error.filename else ""
            return Failure(Exit.NOT_HERE, f"no space left{where}", "free some space and try again")
        case OSError(errno=int(), filename=str() | bytes() as where) if not _ours(
            os.fsdecode(where)
        ):
            path = os.fsdecode(where)
            return Failure(Exit.NOT_HERE, f"can't use `{path}`: {error.strerror}", _PATH_HINT)
        case _:
            return None


_PATH_HINT = "check that it is the path you mean, and that you may read and write there"


def _ours(path: str) -> bool:
    """Tell whether a path lies in the package itself: what is missing there is a bug of ours."""
    return Path(path).absolute().is_relative_to(Path(__file__).parents[1])


def _in_our_style(message: str) -> str:
    """Start small, stay on one line and end without a full stop, as all our messages do."""
    message = " ".join(message.split())
    return message[:1].lower() + message[1:].removesuffix(".")


def _see_help(ctx: click.Context) -> str:
    return f"see `{ctx.command_path} --help`"


def _suggestion(name: str, known: Iterable[str]) -> str | None:
    close = [f"`{candidate}`" for candidate in get_close_matches(name, list(known))]
    return f"did you mean {' or '.join(close)}?" if close else None


def _option_names(ctx: click.Context) -> list[str]:
    return [
        name
        for param in ctx.command.get_params(ctx)
        if isinstance(param, click.Option) and not param.hidden
        for name in (*param.opts, *param.secondary_opts)
    ]


def _option_hint(ctx: click.Context, name: str) -> str:
    root = ctx.find_root()
    if ctx is not root and name in _option_names(root):
        rest = ctx.command_path.removeprefix(f"{root.command_path} ")
        return f"`{name}` goes before the command: `{root.command_path} {name} {rest} …`"
    return _suggestion(name, _option_names(ctx)) or _see_help(ctx)


def _command_hint(ctx: click.Context, name: str) -> str:
    known = ctx.command.list_commands(ctx) if isinstance(ctx.command, click.Group) else []
    return _suggestion(name, known) or _see_help(ctx)
