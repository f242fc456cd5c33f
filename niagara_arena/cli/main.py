"""`niagara`, the root of the command line: global options, the table of commands, the way out.

A command prints its data on stdout and talks to people through `Terminal`. It returns an `Exit`
or None, and raises an `ArenaError` when it cannot go on; `main` turns either into an exit code.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import click
from click.shell_completion import shell_complete

from niagara_arena import __version__
from niagara_arena.cli.completion import PROGRAM, VARIABLE
from niagara_arena.cli.exits import Exit
from niagara_arena.cli.failures import describe
from niagara_arena.cli.lazy import PREFIX, Entry, LazyGroup
from niagara_arena.cli.terminal import Terminal

__all__ = ["COMMANDS", "cli", "main"]

COMMANDS = (
    Entry(
        "play",
        "niagara_arena.cli.play",
        "play",
        "Play a match between bots.",
    ),
    Entry(
        "check",
        "niagara_arena.cli.check",
        "check",
        "Check a bot, step by step, before you hand it in.",
    ),
    Entry(
        "practice",
        "niagara_arena.cli.practice",
        "practice",
        "Climb the bundled opponents and see where a bot stands.",
    ),
    Entry(
        "bot",
        "niagara_arena.cli.bot",
        "bot",
        "Make, build and look at bots.",
    ),
    Entry(
        "tournament",
        "niagara_arena.cli.tournament",
        "tournament",
        "Plan, run and check tournaments.",
    ),
    Entry(
        "leaderboard",
        "niagara_arena.cli.leaderboard",
        "leaderboard",
        "Show the bots in order, and how sure that order is.",
    ),
    Entry(
        "crosstable",
        "niagara_arena.cli.crosstable",
        "crosstable",
        "Show who beats whom.",
    ),
    Entry(
        "compare",
        "niagara_arena.cli.compare",
        "compare",
        "Find out whether one bot is better than another.",
    ),
    Entry(
        "replay",
        "niagara_arena.cli.replay",
        "replay",
        "Look at recorded games and prove them.",
    ),
    Entry(
        "protocol",
        "niagara_arena.cli.protocol",
        "protocol",
        "Print the protocol between arena and bots.",
    ),
    Entry(
        "rules",
        "niagara_arena.cli.rules",
        "rules",
        "Ask the rules of Niagara about positions.",
    ),
    Entry(
        "docs",
        "niagara_arena.cli.docs",
        "docs",
        "Print a page of the documentation, or list them.",
    ),
    Entry(
        "doctor",
        "niagara_arena.cli.doctor",
        "doctor",
        "Show what this machine can isolate, and what it lacks.",
    ),
    Entry(
        "clean",
        "niagara_arena.cli.tournament_managing",
        "clean",
        "Remove old caches, staged bots and logs.",
    ),
    Entry(
        "completion",
        "niagara_arena.cli.completion",
        "completion",
        "Print a completion script for your shell.",
    ),
)


def _choose_color(ctx: click.Context, param: click.Parameter, value: str) -> None:
    """Set the colour at once, so that even an unknown command is told in it."""
    terminal = ctx.ensure_object(Terminal)
    terminal.choose_color(value, os.environ)
    ctx.color = terminal.color


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": PREFIX},
)
@click.option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    show_default=True,
    is_eager=True,
    expose_value=False,
    callback=_choose_color,
    help="When to use colour; auto honours NO_COLOR.",
)
@click.option("-q", "--quiet", count=True, help="Say less; -qq hides warnings too.")
@click.option("-v", "--verbose", count=True, help="Say more.")
@click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, quiet: int, verbose: int) -> None:
    """Run tournaments of bots that play the board game Niagara.

    Data goes to stdout, everything else to stderr. Any option can also be given by an environment
    variable, such as NIAGARA_COLOR=never or NIAGARA_PLAY_SEED=7.

    \b
    Examples:
      niagara --version
      niagara completion --help
    """
    ctx.ensure_object(Terminal).verbosity = verbose - quiet


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    instruction = os.environ.get(VARIABLE)
    if instruction:
        return shell_complete(cli, {}, PROGRAM, VARIABLE, instruction)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # `<&-`, `>&-`: Python then has no such stream at all
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    terminal = Terminal()
    terminal.choose_color("auto", os.environ)
    try:
        with _terminable():
            code = _run(sys.argv[1:] if argv is None else argv, terminal)
        sys.stdout.flush()
        return code
    except (KeyboardInterrupt, click.Abort):
        terminal.note("\ninterrupted")
        return Exit.INTERRUPTED
    except Exception as error:
        return _fail(error, terminal)


@contextmanager
def _terminable() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C meanwhile: what is finished is told and kept."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what a signal does
        return

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGTERM)
    if before == signal.SIG_DFL:  # who starts us deaf to it means it
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        if before == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, before)


def _run(argv: Sequence[str], terminal: Terminal) -> int:
    """Parse and call; click's own `main` would swallow a broken pipe to a bot."""
    try:
        with cli.make_context(PROGRAM, list(argv), obj=terminal) as ctx:
            result = cli.invoke(ctx)
    except click.exceptions.Exit as request:  # --help, --version, ctx.exit()
        return request.exit_code
    return result if isinstance(result, Exit) else Exit.DONE


def _fail(error: Exception, terminal: Terminal) -> Exit:
    if isinstance(error, BrokenPipeError) and _reader_is_gone():
        # `niagara … | head` has seen enough. Python flushes stdout once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return Exit.USAGE
    failure = describe(error)
    if failure is None:
        click.echo("".join(traceback.format_exception(error)), err=True)
        terminal.error(
            f"this is a bug in {PROGRAM} {__version__}", "please report it with the lines above"
        )
        return Exit.BUG
    terminal.error(failure.message, failure.hint)
    return failure.exit


def _reader_is_gone() -> bool:
    """Tell whether the pipe that broke is our own stdout, not one to a bot."""
    try:
        stdout = sys.stdout.fileno()
    except OSError:  # replaced by something that is no file
        return False
    poll = select.poll()
    poll.register(stdout, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))
