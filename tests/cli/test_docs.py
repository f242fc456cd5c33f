"""`niagara docs`, and that every page which a message names is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import niagara_arena
from niagara_arena.cli.docs import pages
from tests.cli.conftest import Niagara

DOCS = Path(__file__).parents[2] / "docs"
SOURCES = Path(niagara_arena.__file__).parent


def test_every_page_is_listed_and_printed_as_it_is(niagara: Niagara) -> None:
    rows = json.loads(niagara("docs", "--json").stdout)["rows"]
    files = {path.stem: path for path in DOCS.iterdir() if path.suffix in (".md", ".toml")}
    assert {row["page"] for row in rows} == files.keys() - {"README"}
    assert all(row["title"] for row in rows)
    for row in rows:
        assert niagara("docs", row["page"]).stdout == files[row["page"]].read_text("utf-8")


def test_a_page_that_is_not_there_is_refused(niagara: Niagara) -> None:
    run = niagara("docs", "setings")
    assert (run.exit, run.stdout) == (2, "")
    assert "settings" in run.stderr


def test_every_page_that_is_named_is_there() -> None:
    text = "".join(path.read_text("utf-8") for path in SOURCES.rglob("*.py"))
    named = set(re.findall(r"`niagara docs ([a-z-]+)`", text))
    assert {"bot-toml", "settings", "example-tournament"} <= named <= pages().keys()
