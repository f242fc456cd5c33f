"""`niagara bot`: make a bot from a starter kit, build it, and look at bots."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import click
import msgspec

from niagara_arena.cli.options import sandbox_option
from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, show
from niagara_arena.cli.references import BOT
from niagara_arena.cli.terminal import Terminal
from niagara_arena.sandbox import choose
from niagara_arena.submissions import (
    BuildFailed,
    Submission,
    bundled_bots,
    load,
    prepare,
)
from niagara_arena.submissions.kits import make_kit
from niagara_arena.submissions.params import Param
from niagara_arena.submissions.schema import schema_text

__all__ = ["bot"]


@click.group()
def bot() -> None:
    """Make, build and look at bots.

    A bot is a directory with a bot.toml, a bundled opponent such as `@random`, or a command in
    quotes.

    \b
    Examples:
      niagara bot new python otter
      niagara bot show otter
      niagara bot list
    """


@bot.command()
@click.argument("language")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--name", help="The bot's name; the directory's if left out.")
@click.pass_obj
def new(terminal: Terminal, language: str, directory: Path, name: str | None) -> None:
    """Make a bot that plays, from a starter kit.

    Copies the kit of a language (python, javascript, go, cpp, java, rust) into a directory of its
    own and gives the bot its name. Nothing that exists is overwritten.

    \b
    Examples:
      niagara bot new python otter
      niagara bot new cpp beaver --name "Beaver 2"
    """
    files = make_kit(language, directory, name)
    terminal.note(f"made {directory}: {', '.join(files)}")
    where = shlex.quote(str(directory))
    terminal.note(f"try it: niagara check {where}; niagara play {where} @random @random")


@bot.command()
@click.argument("reference", metavar="BOT", type=BOT)
@sandbox_option
@click.pass_obj
def build(terminal: Terminal, reference: str, sandbox: str) -> None:
    """Build a bot in the cage, as a tournament would.

    What the compiler says goes to stderr; the directory with the result is printed. A build that
    was done before is found again, unless the files, the commands or the compilers have changed.

    \b
    Examples:
      niagara bot new python otter
      niagara bot build otter
    """
    submission = load(reference)
    told = _Told(terminal)
    try:
        ready = prepare(submission, choose(sandbox), listener=told)
    except BuildFailed as error:  # what the compiler said was told already
        raise BuildFailed(error.message, "", error.hint) from None
    finally:
        told.end()
    if not told.heard and ready.output:
        terminal.note(ready.output.rstrip())
    if not submission.build:
        terminal.note("its bot.toml has no `build`: the files are only copied")
    click.echo(ready.directory)


class _Told:
    """Hand a build's output to the terminal as it comes, line by line."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.heard = False
        self.rest = b""

    def __call__(self, piece: bytes) -> None:
        self.heard = True
        *lines, self.rest = (self.rest + piece).split(b"\n")
        for line in lines:
            self.terminal.note(line.decode("utf-8", "replace"))

    def end(self) -> None:
        """Tell the last line, should it have no end."""
        if self.rest:
            self(b"\n")


@bot.command("list")
@format_options
def list_bots(output_format: Format) -> None:
    """List the opponents that come with the arena.

    They go by their names wherever a bot is asked for.

    \b
    Examples:
      niagara bot list
      niagara bot list --json
    """
    columns = (
        Column("bot"),
        Column("version"),
        Column("language"),
        Column("builds", "build"),
        Column("id"),
        Column("about"),
    )
    rows: list[dict[str, Cell]] = []
    for name, directory in bundled_bots().items():
        submission = load(f"@{name}")
        rows.append(
            {
                "bot": f"@{name}",
                "version": submission.version,
                "language": submission.language,
                "builds": bool(submission.build),
                "id": submission.id if output_format is not Format.TABLE else submission.id[:12],
                "about": _about(directory),
            }
        )
    show(Listing("bots", 1, columns, rows), output_format)


def _about(directory: Path) -> str:
    """Return the first sentence of the README."""
    readme = directory / "README.md"
    if not readme.is_file():
        return ""
    text = re.sub(r"^#.*$", "", readme.read_text("utf-8"), flags=re.MULTILINE).strip()
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) ", paragraph)[0].replace("`", "")


@bot.command("show")
@click.argument("reference", metavar="BOT", type=BOT)
@click.option("--files", is_flag=True, help="List its files instead.")
@format_options
def show_bot(reference: str, files: bool, output_format: Format) -> None:
    """Show what a bot is: its bot.toml, its id, its files.

    The id is a hash of the files; it is the same on every machine.

    \b
    Examples:
      niagara bot new python otter
      niagara bot show otter
      niagara bot show otter --files
    """
    submission = load(reference)
    if files:
        show(_files(submission), output_format)
    elif output_format is Format.JSON:
        click.echo(json.dumps(_document(submission), indent=2))
    else:
        columns = (Column("field", ""), Column("value", ""))
        rows = [{"field": key, "value": value} for key, value in _fields(submission).items()]
        show(Listing("bot", 1, columns, rows), output_format)


def _files(submission: Submission) -> Listing:
    columns = (
        Column("path"),
        Column("kind"),
        Column("bytes", spec=","),
        Column("sha256"),
    )
    rows: list[dict[str, Cell]] = [
        {"path": e.path, "kind": e.kind, "bytes": e.size, "sha256": e.digest}
        for e in submission.tree.entries
    ]
    return Listing("bot-files", 1, columns, rows)


def _document(submission: Submission) -> dict[str, Any]:
    return {
        "kind": "bot",
        "version": 1,
        "bot": {
            "id": submission.id,
            "name": submission.name,
            "version": submission.version,
            "authors": list(submission.authors),
            "language": submission.language,
            "directory": str(submission.directory) if submission.directory else None,
            "run": list(submission.run),
            "build": [list(argv) for argv in submission.build],
            "runtimes": list(submission.runtimes),
            "multi_process": submission.multi_process,
            "limits": msgspec.to_builtins(submission.limits),
            "params": msgspec.to_builtins(submission.params),
            "files": len(submission.tree.entries),
            "bytes": submission.tree.total_bytes,
        },
    }


def _fields(submission: Submission) -> dict[str, Cell]:
    limits = msgspec.structs.asdict(submission.limits)
    fields: dict[str, Cell] = {
        "name": submission.name,
        "version": submission.version,
        "authors": ", ".join(submission.authors),
        "language": submission.language,
        "id": submission.id,
        "directory": str(submission.directory or ""),
        "files": f"{len(submission.tree.entries)}, {submission.tree.total_bytes:,} bytes",
        "build": "; ".join(shlex.join(argv) for argv in submission.build),
        "run": shlex.join(submission.run),
        "runtimes": ", ".join(submission.runtimes),
        "multi_process": submission.multi_process,
        "limits": ", ".join(f"{k} {v}" for k, v in limits.items() if v is not None),
    }
    for name, param in submission.params.items():
        fields[f"param {name}"] = _shown(param)
    return {key: value for key, value in fields.items() if value != ""}


def _shown(param: Param) -> str:
    text = f"{param.type}, default {param.default}"
    if param.range is not None:
        text += f", {param.range[0]:g} … {param.range[1]:g}"
    if param.choices is not None:
        text += f", one of {', '.join(str(choice) for choice in param.choices)}"
    return f"{text}: {param.help}" if param.help else text


@bot.command()
def schema() -> None:
    """Print the JSON Schema of bot.toml.

    Editors that know it can complete and check a bot.toml while you type.

    \b
    Examples:
      niagara bot schema
    """
    click.echo(schema_text(), nl=False)
