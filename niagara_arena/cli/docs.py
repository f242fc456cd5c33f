"""`niagara docs`: print the documentation, so that it is at hand wherever niagara is installed.

In an installed wheel the pages are package data, below `niagara_arena/_data/docs`; in a checkout
they are the folder `docs/`.
"""

from __future__ import annotations

from pathlib import Path

import click

import niagara_arena
from niagara_arena.cli.output import Column, Format, Listing, format_options, show
from niagara_arena.errors import InputError, NotPossibleHere

__all__ = ["docs", "pages"]

_PACKAGE = Path(niagara_arena.__file__).resolve().parent
_COLUMNS = (Column("page"), Column("title"))


def pages() -> dict[str, Path]:
    """Return the pages by name."""
    for place in (_PACKAGE / "_data" / "docs", _PACKAGE.parent / "docs"):
        if (place / "README.md").is_file():
            files = sorted([*place.glob("*.md"), *place.glob("*.toml")])
            return {file.stem: file for file in files if file.name != "README.md"}
    raise NotPossibleHere("the documentation is not installed", "install the whole wheel")


@click.command()
@click.argument("page", required=False)
@format_options
def docs(page: str | None, output_format: Format) -> None:
    """Print a page of the documentation, or list them.

    Pages are Markdown; `example-tournament` is a tournament file with every key and what it means.

    \b
    Examples:
      niagara docs
      niagara docs writing-a-bot
      niagara docs example-tournament > spring.toml
    """
    known = pages()
    if page is None:
        rows = [{"page": name, "title": _title(file)} for name, file in known.items()]
        show(Listing("docs", 1, _COLUMNS, rows), output_format)
        return
    file = known.get(Path(page).stem)
    if file is None:
        raise InputError(f"there is no page `{page}`", f"there are {', '.join(known)}")
    click.echo(file.read_text("utf-8"), nl=False)


def _title(file: Path) -> str:
    first = file.read_text("utf-8").split("\n", 1)[0]
    return first.removeprefix("# ").split(". ")[0]
