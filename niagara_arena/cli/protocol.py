"""`niagara protocol`: print the specification, the JSON Schemas and the vectors.

In an installed wheel the files are package data, below `niagara_arena/_data/protocol`; in a
checkout they are the folder `protocol/`. Schemas are made from the types, on the spot.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

import niagara_arena
from niagara_arena.cli.output import Column, Format, Listing, format_options, show
from niagara_arena.cli.terminal import Terminal
from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.wire.schema import MESSAGES, schema_text

__all__ = ["protocol"]

_PACKAGE = Path(niagara_arena.__file__).resolve().parent
_COLUMNS = (Column("vector"), Column("clause"), Column("result"), Column("idea"))


@click.group()
def protocol() -> None:
    """Print the protocol between arena and bots.

    The specification, a JSON Schema of each message, and vectors: lines that a bot might send, each
    with what the arena makes of it.

    \b
    Examples:
      niagara protocol spec
      niagara protocol schema
    """


def folder() -> Path:
    """Return the folder of the protocol's files."""
    for place in (_PACKAGE / "_data" / "protocol", _PACKAGE.parent / "protocol"):
        if (place / "vectors").is_dir():
            return place
    raise NotPossibleHere("the protocol's files are not installed", "install the whole wheel")


@protocol.command()
def spec() -> None:
    """Print the specification, as Markdown.

    \b
    Examples:
      niagara protocol spec
    """
    click.echo((folder() / "README.md").read_text("utf-8"), nl=False)


@protocol.command()
@click.argument("message", required=False)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write all schemas into this folder.",
)
@click.pass_obj
def schema(terminal: Terminal, message: str | None, out: Path | None) -> None:
    """Print the JSON Schema of a message, or the names of all messages.

    \b
    Examples:
      niagara protocol schema
      niagara protocol schema decide
      niagara protocol schema --out schemas
    """
    if message is not None and out is not None:
        raise click.UsageError("name a message or give --out, not both")
    if message is not None:
        if message not in MESSAGES:
            known = ", ".join(MESSAGES)
            raise InputError(f"there is no message `{message}`", f"the messages are {known}")
        click.echo(schema_text(message), nl=False)
    elif out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name in MESSAGES:
            (out / f"{name}.json").write_text(schema_text(name), "utf-8")
        terminal.note(f"{len(MESSAGES)} schemas in {out}")
    else:
        click.echo("\n".join(MESSAGES))


@protocol.command()
@click.argument("vector", required=False)
@format_options
def vectors(vector: str | None, output_format: Format) -> None:
    """Print a vector, or list all of them.

    A vector is a line that a bot might send, with the clause it is about and what the arena makes
    of it: accepted, ignored, or a fault.

    \b
    Examples:
      niagara protocol vectors
      niagara protocol vectors act/both-choice-and-action
    """
    top = folder() / "vectors"
    found = {
        path.relative_to(top).with_suffix("").as_posix(): path
        for kind in ("ready", "act")
        for path in sorted((top / kind).glob("*.json"))
    }
    if vector is not None:
        if vector not in found:
            raise InputError(f"there is no vector `{vector}`", "see `niagara protocol vectors`")
        click.echo(found[vector].read_text("utf-8"), nl=False)
        return
    rows = []
    for name, path in found.items():
        document = json.loads(path.read_text("utf-8"))
        result = document["result"]
        told = (
            f"{result['fault']} ({result['detail']})" if "fault" in result else next(iter(result))
        )
        rows.append(
            {"vector": name, "clause": document["clause"], "result": told, "idea": document["idea"]}
        )
    show(Listing("vectors", 1, _COLUMNS, rows), output_format)
