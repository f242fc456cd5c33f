"""The commands that look at a finished tournament: status, verify, export, replay, rerun."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from niagara_arena.store import open_store
from tests.cli.conftest import Niagara
from tests.tournament.commands.words import BOTS


def test_status_lists_tournaments_and_one_s_entrants(niagara: Niagara, results: Path) -> None:
    (row,) = json.loads(niagara("tournament", "status", "--json").stdout)["rows"]
    assert (row["tournament"], row["matches"], row["ended"], row["games"]) == ("spring", 1, 1, 3)
    assert (row["how"], row["sandbox"]) == ("finished", "none")
    run = niagara("tournament", "status", "--tournament", "spring", "--format", "jsonl")
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert sorted(row["bot"] for row in rows) == ["greedy", "homing", "random"]
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert all(row["voids"] == 0 for row in rows)


def test_an_unknown_tournament_or_file_is_told(niagara: Niagara, results: Path) -> None:
    run = niagara("tournament", "status", "--tournament", "autumn")
    assert (run.exit, "no tournament `autumn`" in run.stderr) == (2, True)
    assert "there are spring" in run.stderr
    run = niagara("tournament", "matches", "--db", "no.db")
    assert (run.exit, "there is no database `no.db`" in run.stderr) == (3, True)


def test_verify_proves_and_finds_a_forged_outcome(niagara: Niagara, results: Path) -> None:
    run = niagara("tournament", "verify")
    assert (run.exit, run.stdout) == (0, "")
    assert "3 games and their schedule are proved" in run.stderr
    import sqlite3

    with sqlite3.connect(results) as db:
        db.execute("UPDATE games SET placings = x'010203', winners = x'00' WHERE place = 1")
        db.execute("UPDATE matches SET match = 'm-0000000000000000'")
    db.close()
    run = niagara("tournament", "verify")
    assert run.exit == 1
    assert "match 0 is not the one of the schedule" in run.stdout
    assert "are not those of the record" in run.stdout


FORGERIES = {
    "a game's id": ("UPDATE games SET game = 'g-0000000000000000' WHERE place = 1", "stored game"),
    "who sat where": ("UPDATE games SET seats = x'000001000200'", "stored seats"),
    "a bot's name": ("UPDATE submissions SET name = 'otter' WHERE name = 'greedy'", "a bot's name"),
    "times": ("UPDATE games SET cpu = zeroblob(length(cpu)) WHERE place = 1", "stored cpu_"),
}


@pytest.mark.parametrize(("forgery", "told"), FORGERIES.values(), ids=FORGERIES)
def test_verify_finds(niagara: Niagara, results: Path, forgery: str, told: str) -> None:
    import sqlite3

    with sqlite3.connect(results) as db:
        db.execute(forgery)
    db.close()
    run = niagara("tournament", "verify")
    assert (run.exit, told in run.stdout) == (1, True), run.stdout


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE games SET game = 'g-0000000000000000' WHERE place = 1",
        "UPDATE games SET hash = zeroblob(32) WHERE place = 1",
        "UPDATE records SET record = (SELECT record FROM records WHERE place = 0)",
    ],
)
def test_what_is_not_as_it_was_stored_is_not_exported(
    niagara: Niagara, results: Path, damage: str
) -> None:
    import sqlite3

    with sqlite3.connect(results) as db:
        db.execute(damage)
    db.close()
    for words in (("--facts",), ("--records", "games")):
        run = niagara("tournament", "export", *words)
        assert run.exit == 1
        assert "is damaged: game g-" in run.stderr
        assert "--salvage" in run.stderr


COLUMNS = {
    "a number too many": "UPDATE matches SET members = x'0000010009'",
    "an entrant that there is not": "UPDATE matches SET members = x'000001000900'",
    "a standing that there is not": "UPDATE games SET standings = x'000009'",
    "no JSON": "UPDATE tournaments SET spec = '{'",
    "no text": "UPDATE tournaments SET spec = CAST(x'7b22ff' AS TEXT)",
}


@pytest.mark.parametrize("damage", COLUMNS.values(), ids=COLUMNS)
def test_a_damaged_column_is_told(niagara: Niagara, results: Path, damage: str) -> None:
    import sqlite3

    with sqlite3.connect(results) as db:
        db.execute(damage)
    db.close()
    for words in (("verify",), ("status", "--tournament", "spring")):
        run = niagara("tournament", *words)
        assert (run.exit, "damaged" in run.stderr, "--salvage" in run.stderr) == (1, True, True)


def test_verify_names_every_damaged_record_and_export_says_how_to_save_the_rest(
    niagara: Niagara, results: Path
) -> None:
    import sqlite3

    with sqlite3.connect(results) as db:
        db.execute("UPDATE records SET record = x'01ffff' WHERE place IN (0, 2)")
    db.close()
    run = niagara("tournament", "verify")
    assert run.exit == 1
    assert run.stdout.count("its record is damaged and can't be read") == 2
    for words in (("--facts",), ("--records", "games")):
        run = niagara("tournament", "export", *words)
        assert run.exit == 1
        assert "is damaged: game g-" in run.stderr
        assert "--salvage" in run.stderr


def test_export_gives_grades_facts_and_records(niagara: Niagara, results: Path) -> None:
    run = niagara("tournament", "export", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    assert {"owner", "name", "points", "wins", "forfeits"} <= rows[0].keys()
    assert niagara("tournament", "export", "--records", "games").exit == 0
    records = sorted(Path("games").iterdir())
    assert len(records) == 3
    assert niagara("replay", "verify", str(records[0])).exit == 0


def test_replay_takes_ids_of_stored_games(niagara: Niagara, results: Path) -> None:
    (match,) = json.loads(niagara("tournament", "matches", "--json").stdout)["rows"]
    games = match["games"].split()
    run = niagara("replay", "verify", *games, "--db", str(results))
    assert (run.exit, len(run.stdout.splitlines())) == (0, 3)
    shown = niagara("replay", "show", games[0][:12], "--round", "2")
    assert shown.exit == 0
    assert "homing" in shown.stdout
    assert niagara("replay", "show", "g-0000").exit == 2


def test_a_game_is_played_again_and_comes_out_the_same(niagara: Niagara, results: Path) -> None:
    (match,) = json.loads(niagara("tournament", "matches", "--json").stdout)["rows"]
    game = match["games"].split()[1]
    run = niagara("tournament", "rerun", game, "--sandbox", "none")
    assert (run.exit, "the same, to the byte" in run.stderr) == (0, True), run.stderr
    with open_store(results, write=True) as store:
        for submission in store.sources():
            store.writer.found_at(submission, "/nowhere")
    run = niagara("tournament", "rerun", game, "--sandbox", "none")
    assert (run.exit, "is not found as it was" in run.stderr) == (2, True)
    assert niagara("tournament", "rerun", game, "--sandbox", "none", *BOTS).exit == 0


def test_another_cage_is_no_other_game(niagara: Niagara, results: Path) -> None:
    import sqlite3

    from niagara_arena.store.packing import pack, unpack

    (match,) = json.loads(niagara("tournament", "matches", "--json").stdout)["rows"]
    with sqlite3.connect(results) as db:
        for place, packed in db.execute("SELECT place, record FROM records").fetchall():
            record = unpack(packed).replace(b'"sandbox":"none"', b'"sandbox":"bwrap"')
            db.execute("UPDATE records SET record = ? WHERE place = ?", (pack(record), place))
    db.close()
    run = niagara("tournament", "rerun", match["games"].split()[0], "--sandbox", "none")
    assert run.exit == 0, run.stderr


def test_a_damaged_database_is_told_and_salvaged(niagara: Niagara, results: Path) -> None:
    os.truncate(results, results.stat().st_size * 9 // 10)
    run = niagara("tournament", "status")
    assert run.exit == 1
    assert "is damaged" in run.stderr
    assert "--salvage" in run.stderr
    run = niagara("tournament", "export", "--salvage", "saved")
    assert "games saved in `saved`" in run.stderr
