"""Listings on stdout: one set of options, one function that renders them.

A command builds a `Listing` and hands it to `show`:

    @click.command()
    @format_options
    def standings(output_format: Format) -> None:
        show(Listing("standings", 1, COLUMNS, rows), output_format)

`table` and `markdown` are for people and may change. `json`, `jsonl` and `csv` are for programs:
their field names are the columns' names and change only together with the listing's version.
JSON is one object, `{"kind": …, "version": …, "rows": […]}`; JSON lines are the rows alone.

Text in a cell may come from outside. JSON escapes it and keeps it exactly; the other formats drop
what could steer a terminal, markdown is kept from being markup, and CSV from being formulas.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import click
from click.core import ParameterSource
from tabulate import tabulate

from niagara_arena.cli.canvas import cells as width
from niagara_arena.cli.text import clean

__all__ = ["Cell", "Column", "Format", "Listing", "format_options", "render", "show"]

Cell = str | int | float | bool | None

_MARKUP = re.compile(r"([\\|<\[`*])")
_FORMULA = re.compile(r"=|[+-](?![0-9.]*$)|@(?![\w-]+$)")
"""How a spreadsheet knows one; numbers and `@greedy` are none."""
_STAND_IN = "\ue000"  # a narrow character that stands in for one terminal cell
_STAND_INS = re.compile(f"{_STAND_IN}+")


class Format(StrEnum):
    """Name a way to print a listing."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    MARKDOWN = "markdown"


@dataclass(frozen=True)
class Column:
    """Describe a column: its name for programs, and how people see it."""

    name: str
    title: str | None = None
    """The heading for people; the name itself when left out."""
    spec: str = ""
    """Format spec for numbers in tables, such as `.1f`; programs get the number as it is."""


@dataclass(frozen=True)
class Listing:
    """Hold rows to print; every row has exactly the columns' names as keys."""

    kind: str
    version: int
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Cell]]

    def __post_init__(self) -> None:
        names = {column.name for column in self.columns}
        for row in self.rows:
            if row.keys() != names:
                raise ValueError(f"{self.kind}: row has {sorted(row)}, columns {sorted(names)}")


def render(listing: Listing, output_format: Format) -> str:
    """Return the listing as text that ends with a newline, or as nothing."""
    match output_format:
        case Format.JSON:
            return _json(listing)
        case Format.JSONL:
            return "".join(f"{json.dumps(_ordered(listing, row))}\n" for row in listing.rows)
        case Format.CSV:
            return _csv(listing)
        case Format.TABLE:
            return _grid(listing, "simple", clean)
        case Format.MARKDOWN:
            return _grid(listing, "github", lambda text: _MARKUP.sub(r"\\\1", clean(text)))


def show(listing: Listing, output_format: Format) -> None:
    """Print the listing on stdout."""
    click.echo(render(listing, output_format), nl=False)


def format_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--format` and `--json`; it receives `output_format`."""

    @click.option(
        "--format",
        "output_format",
        type=click.Choice([f.value for f in Format]),
        default=Format.TABLE.value,
        show_default=True,
        help="How to print the listing.",
    )
    @click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
    @click.pass_context
    @functools.wraps(command)
    def wrapper(
        ctx: click.Context, /, *args: Any, output_format: str, as_json: bool, **kwargs: Any
    ) -> Any:
        chosen = Format(output_format)
        if as_json:
            typed = ctx.get_parameter_source("output_format") is ParameterSource.COMMANDLINE
            if typed and chosen is not Format.JSON:
                raise click.UsageError(f"--json contradicts --format {chosen}", ctx)
            chosen = Format.JSON
        return command(*args, output_format=chosen, **kwargs)

    return wrapper


def _ordered(listing: Listing, row: Mapping[str, Cell]) -> dict[str, Cell]:
    return {column.name: row[column.name] for column in listing.columns}


def _json(listing: Listing) -> str:
    rows = [_ordered(listing, row) for row in listing.rows]
    document = {"kind": listing.kind, "version": listing.version, "rows": rows}
    return f"{json.dumps(document, indent=2)}\n"


def _csv(listing: Listing) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column.name for column in listing.columns)
    for row in listing.rows:
        cells = _ordered(listing, row).values()
        writer.writerow(_plain(cell) if isinstance(cell, str) else cell for cell in cells)
    return text.getvalue()


def _plain(text: str) -> str:
    """Clean the text, and put an apostrophe before what a spreadsheet would compute."""
    text = clean(text)
    return f"'{text}" if _FORMULA.match(text.lstrip()) else text


def _grid(listing: Listing, style: str, safe: Callable[[str], str]) -> str:
    cells = [
        [_shown(row[column.name], column, safe) for column in listing.columns]
        for row in listing.rows
    ]
    headings = [column.title or column.name for column in listing.columns]
    sides = ["right" if _is_numeric(listing, column) else "left" for column in listing.columns]
    table = tabulate(
        [[_narrow(cell) for cell in row] for row in cells],
        headings,
        style,
        colalign=sides,
        disable_numparse=True,
    )
    wide = iter([cell for row in cells for cell in row if not cell.isascii()])
    table = _STAND_INS.sub(lambda _: next(wide), table)
    return "".join(f"{line.rstrip()}\n" for line in table.split("\n"))


def _narrow(cell: str) -> str:
    """Return an ASCII cell as it is, and for any other as many characters as it takes cells.

    tabulate counts characters; what a name in a wide script or an emoji takes it would get wrong.
    """
    return cell if cell.isascii() else _STAND_IN * max(1, width(cell))


def _shown(cell: Cell, column: Column, safe: Callable[[str], str]) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case str():
            return safe(cell)
        case _:
            return format(cell, column.spec)


def _is_numeric(listing: Listing, column: Column) -> bool:
    cells = [row[column.name] for row in listing.rows if row[column.name] is not None]
    return bool(cells) and all(
        isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells
    )
