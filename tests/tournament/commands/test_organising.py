"""The commands that organise: roster, annul, clean."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from niagara_arena.store import open_store
from tests.cli.conftest import Niagara
from tests.tournament.commands.words import BOTS, QUICK


def test_owners_are_read_kept_apart_graded_and_erased(niagara: Niagara, tmp_path: Path) -> None:
    Path("roster.toml").write_text(
        """
[[owner]]
key = "s1"
name = "Ann Example"
bots = { otter = ["@random"] }
[[owner]]
key = "s2"
bots = { beaver = ["@homing"] }
"""
    )
    command = ("tournament", "run", *BOTS, *QUICK, "--roster", "roster.toml", "--one-per-owner")
    assert niagara(*command).exit == 0
    rows = list(
        csv.DictReader(io.StringIO(niagara("tournament", "export", "--format", "csv").stdout))
    )
    random = next(row for row in rows if row["bot"] == "random")
    assert (random["owner"], random["name"], random["line"]) == ("s1", "Ann Example", "otter")
    owners = json.loads(niagara("tournament", "roster", "--json").stdout)["rows"]
    ann = next(row["owner"] for row in owners if row["key"] == "s1")
    assert niagara("tournament", "roster", "--erase", "nobody").exit == 2
    run = niagara("tournament", "roster", "--erase", "s1", "--json")
    assert ann in run.stdout
    assert run.exit == 0
    assert "Ann" not in run.stdout
    assert "Ann" not in niagara("tournament", "export", "--format", "csv").stdout
    assert niagara("tournament", "verify").exit == 0


def test_games_are_annulled_with_a_reason(niagara: Niagara, results: Path) -> None:
    (match,) = json.loads(niagara("tournament", "matches", "--json").stdout)["rows"]
    game = match["games"].split()[0]
    assert niagara("tournament", "annul", game).exit == 2
    assert niagara("tournament", "annul", game, "--reason", "power cut").exit == 0
    assert niagara("tournament", "annul", "xyzzy", "--reason", "x").exit == 2
    with open_store(results) as store:
        assert [g.game for g in store.rated_games() if g.annulled] == [game]
        assert len(store.counted_outcomes(1)) == len(store.outcomes(1)) - 1
        submission = store.entrants(1)[0].submission
    run = niagara("tournament", "annul", submission[:10], "--reason", "cheated", "--tournament",
                  "spring")  # fmt: skip
    assert run.exit == 0
    with open_store(results) as store:
        assert store.counted_outcomes(1) == []
    listed = json.loads(niagara("tournament", "annul", "--json").stdout)["rows"]
    assert [(row["kind"], row["tournament"]) for row in listed] == [
        ("game", None), ("submission", "spring")]  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [
        "tournament annul g-1 --reason x",
        "tournament roster --erase ann",
        "clean --logs-older-than 9",
    ],
)
def test_where_there_is_no_database_only_a_run_makes_one(
    niagara: Niagara, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("NIAGARA_CACHE", str(tmp_path / "cache"))
    run = niagara(*command.split(), "--db", str(tmp_path / "none" / "arena.db"))
    assert run.exit == 3
    assert "there is no database" in run.stderr
    assert not (tmp_path / "none").exists()


def test_clean_removes_caches_and_logs_and_no_results(
    niagara: Niagara, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIAGARA_CACHE", str(tmp_path / "cache"))
    before = niagara("tournament", "export", "--facts").stdout
    run = niagara("clean", "--unused-days", "0", "--logs-older-than", "0", "--all-logs")
    assert run.exit == 0
    assert "removed 0 folders of the cache" in run.stderr
    assert niagara("tournament", "export", "--facts").stdout == before


def test_clean_with_a_database_needs_to_know_which_logs(niagara: Niagara) -> None:
    for words in (["--all-logs"], ["--db", "some.db"]):
        run = niagara("clean", *words)
        assert run.exit == 2
        assert "--logs-older-than" in run.stderr
