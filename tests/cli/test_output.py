"""One listing in every format."""

from __future__ import annotations

import csv
import io
import json

import click
import pytest

from niagara_arena.cli.canvas import cells
from niagara_arena.cli.main import cli
from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, render, show
from tests.cli.conftest import Niagara

COLUMNS = (Column("bot"), Column("mu", "rating", ".1f"), Column("games"), Column("sound"))
LISTING = Listing(
    "standings",
    3,
    COLUMNS,
    [
        {"bot": "otter", "mu": 31.25, "games": 120, "sound": True},
        {"mu": None, "bot": "1e5", "sound": False, "games": 7},
    ],
)
HOSTILE = Listing("bots", 1, [Column("name")], [{"name": "\x1b[31m<b>|*x*\n`y` [z](u)\\ é"}])

EXPECTED = {
    Format.TABLE: """\
bot      rating    games  sound
-----  --------  -------  -------
otter      31.2      120  yes
1e5                    7  no
""",
    Format.MARKDOWN: """\
| bot   |   rating |   games | sound   |
|-------|----------|---------|---------|
| otter |     31.2 |     120 | yes     |
| 1e5   |          |       7 | no      |
""",
    Format.CSV: """\
bot,mu,games,sound
otter,31.25,120,True
1e5,,7,False
""",
    Format.JSONL: """\
{"bot": "otter", "mu": 31.25, "games": 120, "sound": true}
{"bot": "1e5", "mu": null, "games": 7, "sound": false}
""",
    Format.JSON: """\
{
  "kind": "standings",
  "version": 3,
  "rows": [
    {
      "bot": "otter",
      "mu": 31.25,
      "games": 120,
      "sound": true
    },
    {
      "bot": "1e5",
      "mu": null,
      "games": 7,
      "sound": false
    }
  ]
}
""",
}


@pytest.mark.parametrize("output_format", Format)
def test_render(output_format: Format) -> None:
    assert render(LISTING, output_format) == EXPECTED[output_format]


def test_a_listing_without_rows_still_has_its_heading() -> None:
    empty = Listing("standings", 3, COLUMNS, [])
    assert render(empty, Format.TABLE).startswith("bot    rating    games")
    assert render(empty, Format.CSV) == "bot,mu,games,sound\n"
    assert render(empty, Format.JSONL) == ""
    assert json.loads(render(empty, Format.JSON))["rows"] == []


@pytest.mark.parametrize("row", [{"bot": "otter"}, {"bot": "otter", "mu": 1, "extra": 2}])
def test_a_row_must_fit_the_columns(row: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="standings: row has"):
        Listing("standings", 1, [Column("bot"), Column("mu")], [row])


def test_json_keeps_hostile_text_exactly_and_escaped() -> None:
    for output_format in (Format.JSON, Format.JSONL):
        text = render(HOSTILE, output_format)
        assert text.isascii()
        assert "\x1b" not in text
        document = json.loads(text)
        row = document["rows"][0] if output_format is Format.JSON else document
        assert row == HOSTILE.rows[0]


def test_tables_and_csv_strip_hostile_text() -> None:
    assert render(HOSTILE, Format.TABLE).split("\n")[2] == r"<b>|*x* `y` [z](u)\ é"
    rows = list(csv.reader(io.StringIO(render(HOSTILE, Format.CSV))))
    assert rows == [["name"], [r"<b>|*x* `y` [z](u)\ é"]]


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-x", "@SUM(A1)", "\t=1", " =1"])
def test_csv_keeps_hostile_text_from_being_a_formula(text: str) -> None:
    shown = render(Listing("names", 1, [Column("name")], [{"name": text}]), Format.CSV)
    assert shown == f"name\n'{text.replace(chr(9), ' ')}\n"


@pytest.mark.parametrize("cell", ["-1", "+2.5", -1.5, "a=1", "–", "-", "@greedy"])
def test_csv_leaves_what_is_no_formula(cell: str | float) -> None:
    shown = render(Listing("cells", 1, [Column("cell")], [{"cell": cell}]), Format.CSV)
    assert shown == f"cell\n{cell}\n"


def test_markdown_keeps_hostile_text_from_being_markup() -> None:
    line = render(HOSTILE, Format.MARKDOWN).split("\n")[2]
    assert line == r"| \<b>\|\*x\* \`y\` \[z](u)\\ é |"


@click.command()
@click.argument("name")
@format_options
def listing(name: str, output_format: Format) -> None:
    show(Listing(name, 1, [Column("n")], [{"n": 1}]), output_format)


OPTIONS = {
    "a-table-is-the-default": ([], Format.TABLE),
    "json-for-short": (["--json"], Format.JSON),
    "json-said-twice": (["--json", "--format", "json"], Format.JSON),
    **{f"format-{f}": (["--format", f.value], f) for f in Format},
}


@pytest.mark.parametrize(("options", "expected"), OPTIONS.values(), ids=OPTIONS)
def test_format_options(
    niagara: Niagara,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    expected: Format,
) -> None:
    monkeypatch.setattr(cli, "get_command", lambda ctx, name: listing)
    run = niagara("listing", "x", *options)
    wanted = render(Listing("x", 1, [Column("n")], [{"n": 1}]), expected)
    assert (run.exit, run.stdout, run.stderr) == (0, wanted, "")


def test_json_and_another_format_contradict(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "get_command", lambda ctx, name: listing)
    run = niagara("listing", "x", "--json", "--format", "csv")
    assert (run.exit, run.stdout) == (2, "")
    assert run.stderr.startswith("error: --json contradicts --format csv\n")


def test_json_outranks_a_format_from_the_environment(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "get_command", lambda ctx, name: listing)
    monkeypatch.setenv("NIAGARA_LISTING_OUTPUT_FORMAT", "csv")
    assert niagara("listing", "x").stdout == "n\n1\n"
    assert json.loads(niagara("listing", "x", "--json").stdout)["kind"] == "x"


@pytest.mark.parametrize("output_format", [Format.TABLE, Format.MARKDOWN])
def test_names_in_wide_scripts_do_not_push_the_columns_apart(output_format: Format) -> None:
    names = ["otter", "獺獺", "🦦", "o\u0301tter", "\u1112\u1161\u11ab", "\ue000\ue000", "\u0301"]
    rows: list[dict[str, Cell]] = [{"name": name, "games": 7} for name in names]
    listing = Listing("bots", 1, [Column("name"), Column("games")], rows)
    head, rule, *lines = render(listing, output_format).splitlines()
    for line, name in zip(lines, names, strict=True):
        assert name in line
        if name != "\u0301":  # a mark on nothing has no width that terminals agree on
            assert cells(line) == len(rule), line
    assert len(head) == len(rule)


def test_wide_text_in_several_columns_stays_in_its_place() -> None:
    columns = [Column("name"), Column("owner")]
    rows = [{"name": "獺", "owner": "é"}, {"name": "plain", "owner": "川獺"}]
    assert render(Listing("bots", 1, columns, rows), Format.TABLE) == (
        "name    owner\n------  -------\n獺      é\nplain   川獺\n"
    )
