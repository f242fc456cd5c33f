"""`niagara tournament` and `niagara clean` as a user sees them, with real bots."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from niagara_arena.cli.tournament_board import Tally, board, span
from niagara_arena.errors import InputError
from niagara_arena.store import open_store
from niagara_arena.tournament.config import Config, parse_duration, read_config
from tests.cli.conftest import Niagara

CHECKOUT = Path(__file__).parent.parent.parent
BOTS = ("--bots", "@random", "--bots", "@homing", "--bots", "@greedy")
QUICK = ("--seats", "3", "--sandbox", "none", "--set", "max_rounds=3", "--seating", "rotations")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a database with a tournament of three bundled bots."""
    folder = tmp_path_factory.mktemp("finished")
    command = [sys.executable, "-m", "niagara_arena", "-q", "tournament", "run", *BOTS, *QUICK]
    subprocess.run([*command, "--name", "spring", "--seed", "7"], cwd=folder, check=True)
    return (folder / "results" / "arena.db").read_bytes()


@pytest.fixture
def results(tmp_path: Path, finished: bytes) -> Path:
    (tmp_path / "results").mkdir()
    path = tmp_path / "results" / "arena.db"
    path.write_bytes(finished)
    return path


# --- plan --------------------------------------------------------------------------------------


def test_plan_prints_the_schedule_and_its_balance(niagara: Niagara) -> None:
    run = niagara("tournament", "plan", *BOTS, "--bots", "@thief", "--seats", "3", "--seed", "7")
    assert run.exit == 0
    assert len(run.stdout.splitlines()) == 2 + 4
    assert "tables of 3: 4 matches, 24 games; 18 games a bot, 6 games a bot and seat," in run.stderr
    assert not Path("results").exists()


def test_plan_speaks_json_and_is_the_same_each_time(niagara: Niagara) -> None:
    command = ("tournament", "plan", *BOTS, "--bots", "@thief", "--seats", "3,4", "--seed", "x")
    one, two = niagara(*command, "--json"), niagara(*command, "--json")
    assert one.stdout == two.stdout
    document = json.loads(one.stdout)
    assert (document["kind"], document["version"]) == ("plan", 1)
    assert {len(row["table"].split(" – ")) for row in document["rows"]} == {3, 4}


def test_of_swiss_the_first_heat_is_planned(niagara: Niagara) -> None:
    run = niagara("tournament", "plan", *BOTS, "--format", "swiss", "--seed", "7")
    assert run.exit == 0
    assert "3 heats; from the second on they depend on results" in run.stderr


def test_a_gauntlet_follows_from_its_challengers(niagara: Niagara) -> None:
    run = niagara(
        "tournament", "plan", *BOTS, "--challengers", "@thief", "--seats", "3", "--seed", "7"
    )
    assert run.exit == 0
    assert all("thief" in line for line in run.stdout.splitlines()[2:])


BAD = {
    "no-bots": ((), "name the bots with --bots"),
    "two-bots": (("--bots", "@random", "--bots", "@homing"), "2 bots are too few for tables of 4"),
    "seats-that-are-no-numbers": ((*BOTS, "--seats", "four"), "is not of the form 4 or 3,4,5"),
    "too-many-seats": ((*BOTS, "--seats", "4"), "3 bots are too few for tables of 4"),
    "a-setting-that-does-not-exist": (
        (*BOTS, "--seats", "3", "--set", "max_round=3"),
        "there is no setting `max_round`",
    ),
    "openings-of-no-kind": ((*BOTS, "--seats", "3", "--openings", "book"), "can't read the openin"),
}


@pytest.mark.parametrize(("args", "message"), BAD.values(), ids=BAD)
def test_no_plan_of(niagara: Niagara, args: tuple[str, ...], message: str) -> None:
    run = niagara("tournament", "plan", *args)
    assert (run.exit, run.stdout) == (2, "")
    assert message in run.stderr


# --- run ---------------------------------------------------------------------------------------


def test_what_cannot_be_played_is_refused_before_anything_is_built(
    niagara: Niagara, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIAGARA_CACHE", str(tmp_path / "cache"))
    run = niagara(
        *("tournament", "run", *BOTS, *QUICK, "--name", "spring"),
        *("--format", "swiss", "--games-per-bot", "40"),
    )
    assert run.exit == 2
    assert "Swiss is as long as its heats" in run.stderr
    assert "building" not in run.stderr
    assert not Path("results").exists()


def test_a_run_is_told_match_by_match_and_another_has_nothing_to_do(niagara: Niagara) -> None:
    command = ("tournament", "run", *BOTS, *QUICK, "--name", "a", "--seed", "7", "--jobs", "1")
    run = niagara(*command)
    assert run.exit == 0
    assert "starting a: round-robin, base, 3 bots, sandbox none, 1 job, seed 7" in run.stderr
    assert "match 1 of 1: " in run.stderr
    assert "a short seed can be guessed" in run.stderr
    assert "finished; see `niagara leaderboard --tournament a`" in run.stderr
    again = niagara(*command)
    assert again.exit == 0
    assert "going on with a" in again.stderr
    assert "0 games of 0 matches" in again.stderr


def test_several_openings_a_match_are_played_proved_and_played_again(niagara: Niagara) -> None:
    args = ("tournament", "run", *BOTS, *QUICK, "--openings", "random:2", "--seed", "7")
    several = ("--openings-per-match", "3")
    run = niagara(*args, *several)
    assert (run.exit, "match 1 of 1: " in run.stderr, "(9 games in" in run.stderr) == (0,) + (
        True,
    ) * 2
    assert niagara("tournament", "verify").exit == 0
    (match,) = json.loads(niagara("tournament", "matches", "--json").stdout)["rows"]
    games = match["games"].split()
    assert len(set(games)) == 9
    facts = [
        json.loads(line) for line in niagara("tournament", "export", "--facts").stdout.splitlines()
    ]
    headers = [
        json.loads(fact["record"].split("\n")[0]) for fact in facts if fact["type"] == "game"
    ]
    openings = [header["opening"] for header in headers]
    assert [openings.index(opening) for opening in openings] == [0, 0, 0, 3, 3, 3, 6, 6, 6]
    with open_store(Path("results/arena.db")) as store:
        clusters = [game.cluster for game in store.rated_games()]
    assert [clusters.index(cluster) for cluster in clusters] == [0, 0, 0, 3, 3, 3, 6, 6, 6]
    assert niagara("tournament", "rerun", games[4], "--sandbox", "none").exit == 0
    assert "stored already: 1 match\n" in niagara(*args, *several).stderr
    refused = niagara(*args)
    assert (refused.exit, "openings_per_match: 3 is stored, 1 now" in refused.stderr) == (2, True)
    refused = niagara(*args[:-4], *several, "--name", "other")
    assert (refused.exit, "would be the set-up" in refused.stderr) == (2, True)
    with open_store(Path("results/arena.db")) as store:
        assert [row.name for row in store.tournaments()] == ["tournament"]


def test_a_schedule_that_ends_before_the_top_is_settled_says_so(niagara: Niagara) -> None:
    words = ("--name", "open", "--seed", "7", "--games-per-bot", "6", "--until-settled")
    run = niagara("tournament", "run", *BOTS, *QUICK, *words)
    assert run.exit == 0
    assert "the whole schedule is played; not settled: the leader is sure to" in run.stderr


def test_a_run_that_is_no_longer_the_same_is_refused(niagara: Niagara, results: Path) -> None:
    before = results.read_bytes()
    run = niagara("tournament", "run", *BOTS, "--bots", "@thief", *QUICK[:-1], "single",
                  "--name", "spring", "--seed", "7")  # fmt: skip
    assert run.exit == 2
    assert "the tournament `spring` has begun otherwise" in run.stderr
    assert "seating: 'rotations' is stored, 'single' now" in run.stderr
    assert "bot thief 1.0.0" in run.stderr
    assert "is new" in run.stderr
    with open_store(results) as store:
        assert len(store.tournaments()) == 1
    assert results.read_bytes() == before


def test_without_a_seed_the_stored_one_goes_on(niagara: Niagara, results: Path) -> None:
    run = niagara("tournament", "run", *BOTS, *QUICK, "--name", "spring")
    assert run.exit == 0
    assert "seed 7" in run.stderr


def test_a_bot_that_can_not_take_part_is_left_out_loudly(niagara: Niagara, tmp_path: Path) -> None:
    broken = tmp_path / "bots" / "broken"
    broken.mkdir(parents=True)
    (broken / "bot.toml").write_text('name = "broken"\nrun = "./missing"\n')
    command = ("tournament", "run", *BOTS, "--bots", "bots", *QUICK)
    run = niagara(*command)
    assert run.exit == 0
    assert "warning: left out: `bots/broken`" in run.stderr
    with open_store(tmp_path / "results" / "arena.db") as store:
        assert len(store.entrants(1)) == 3
    strict = niagara(*command, "--require-all", "--name", "strict")
    assert strict.exit != 0
    assert "missing" in strict.stderr
    few = niagara("tournament", "run", *BOTS[:4], "--bots", "bots", *QUICK, "--name", "few")
    assert few.exit == 2
    assert "warning: left out: `bots/broken`" in few.stderr
    assert "only 2 bots can take part" in few.stderr


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ("[params.thief]\nmalise = 2.0", "`thief` has no parameter `malise`"),
        ("[params.thief]\nmalice = 9.0", "parameter `malice` of `thief`"),
        ("[params.theif]\nmalice = 1.0", "no bot here is called theif"),
    ],
)
def test_wrong_parameters_are_the_organisers_fault_and_leave_nobody_out(
    niagara: Niagara, tmp_path: Path, params: str, told: str
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(f'bots = ["@random", "@homing", "@greedy", "@thief"]\n{params}\n')
    run = niagara("tournament", "plan", str(file))
    assert run.exit == 2
    assert told in run.stderr
    assert "left out" not in run.stderr


def test_too_many_jobs_are_refused(niagara: Niagara) -> None:
    run = niagara("tournament", "run", *BOTS, *QUICK, "--jobs", "999")
    assert run.exit == 3
    assert "--oversubscribe" in run.stderr


def test_sigterm_ends_preparations_as_ctrl_c_does(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(*asked: str) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("niagara_arena.cli.tournament.choose", choose)
    before = signal.getsignal(signal.SIGTERM)
    run = niagara("tournament", "run", *BOTS, *QUICK)
    assert (run.exit, run.stderr.strip()) == (130, "interrupted")
    assert not Path("results").exists()
    assert signal.getsignal(signal.SIGTERM) is before


def test_ctrl_c_keeps_what_was_played_and_says_how_to_go_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "niagara_arena", "tournament", "run", *BOTS, *QUICK[:-1],
               "single", "--games-per-bot", "9", "--jobs", "1", "--seed", "7"]  # fmt: skip
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert run.stderr is not None
    told = ""
    while "match 2 of" not in told:
        line = run.stderr.readline()
        assert line, told
        told += line
    run.send_signal(signal.SIGINT)
    told += run.stderr.read()
    assert run.wait(20) == 130
    run.stderr.close()
    assert "interrupted: " in told
    assert "matches are left, all others are kept in `results/arena.db`" in told
    assert "go on with `" in told
    with open_store(tmp_path / "results" / "arena.db") as store:
        kept = len(store.ended(1))
        assert 2 <= kept < 9
        assert store.tournaments()[0].how == "interrupted"
    again = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert f"stored already: {kept} match" in again.stderr
    whole = subprocess.run(
        [*command, "--db", "whole.db"], capture_output=True, cwd=tmp_path, check=True
    )
    assert whole.returncode == 0
    facts = [
        subprocess.run(
            [sys.executable, "-m", "niagara_arena", "tournament", "export", "--facts", "--db", db],
            capture_output=True,
            cwd=tmp_path,
            check=True,
        ).stdout
        for db in ("results/arena.db", "whole.db")
    ]
    assert facts[0] == facts[1]
    assert len(facts[0].splitlines()) == 1 + 9 + 9


def test_a_tournament_file_says_the_same_as_options(niagara: Niagara, tmp_path: Path) -> None:
    Path("cup.toml").write_text(
        """
name = "cup"
bots = ["@random", "@homing", "@greedy"]
seats = 3
seed = "7"
sandbox = "none"
seating = "rotations"
[settings]
max_rounds = 3
"""
    )
    by_file = niagara("tournament", "run", "cup.toml")
    assert by_file.exit == 0
    by_options = niagara("tournament", "run", *BOTS, *QUICK, "--seed", "7", "--db", "other.db",
                         "--name", "cup")  # fmt: skip
    assert by_options.exit == 0
    exports = [
        niagara("tournament", "matches", "--format", "jsonl", "--db", db).stdout
        for db in ("results/arena.db", "other.db")
    ]
    assert exports[0] == exports[1] != ""


CLOG = """
import hashlib, json, sys, threading, time

def burn(until):
    data = b"x" * (1 << 20)
    while time.monotonic() < until:
        hashlib.sha256(data).digest()  # without Python's lock: all threads at once

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "clog"}), flush=True)
    elif message["type"] == "decide":
        until = time.monotonic() + 1.0
        threads = [threading.Thread(target=burn, args=(until,)) for _ in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(json.dumps({"id": message["id"], "choice": 0}), flush=True)
    elif message["type"] == "quit":
        break
"""


def test_a_bot_can_not_make_its_games_void(niagara: Niagara, tmp_path: Path) -> None:
    """It clogs its core, the referee's too, until its time is over: that is its own fault.

    Others may load the machine while this runs, which does make games void; so it gets three tries.
    """
    clog = tmp_path / "clog"
    clog.mkdir()
    (clog / "bot.py").write_text(CLOG)
    (clog / "bot.toml").write_text('name = "clog"\nrun = "python3 bot.py"\n')
    voids = []
    for attempt in range(3):
        run = niagara("tournament", "run", "--bots", "clog", *BOTS[:4], "--seats", "3", "--sandbox",
                      "none", "--set", "max_rounds=2", "--set", "clock.wall_ms=300", "--seating",
                      "rotations", "--jobs", "1", "--name", str(attempt))  # fmt: skip
        assert run.exit == 0
        with open_store(tmp_path / "results" / "arena.db") as store:
            number = store.find_tournament(str(attempt))
            voids.append(len(store.incidents(number)))
            names = {e.submission: e.name for e in store.entrants(number)}
            faults = {names[s]: f for g in store.rated_games(str(attempt))
                      for s, f in zip(g.seats, g.faults, strict=True)}  # fmt: skip
        if not voids[-1]:
            assert faults["clog"] > 0
            break
    assert voids[-1] == 0, voids


# --- Configuration -----------------------------------------------------------------------------


def test_the_example_file_names_every_key() -> None:
    text = (CHECKOUT / "docs" / "example-tournament.toml").read_text("utf-8")
    config = read_config(CHECKOUT / "docs" / "example-tournament.toml")
    assert config.bots
    for key in Config.__struct_fields__:
        assert f"\n{key} = " in text or f"\n# {key} = " in text or f"[{key}" in text, key


def test_paths_of_a_file_are_seen_from_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    folder.mkdir()
    (folder / "cup.toml").write_text(
        'bots = ["mine", "@greedy", "python3 x.py"]\nroster = "r.toml"\nopenings = "p.jsonl"\n'
    )
    config = read_config(folder / "cup.toml")
    assert config.bots == (str(folder / "mine"), "@greedy", "python3 x.py")
    assert (config.roster, config.openings) == (str(folder / "r.toml"), str(folder / "p.jsonl"))


BAD_FILES = {
    "no-toml": ("bots = [", "Expected|Invalid|Unclosed"),
    "a-mistyped-key": ('bot = ["x"]', "there is no key `bot`"),
    "a-value-of-another-kind": ("heats = 'many'", "Expected `int`"),
}


@pytest.mark.parametrize(("text", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_no_file_with(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_config(path)


def test_spans_of_time() -> None:
    assert [parse_duration(text) for text in ("90s", "1.5m", "8h")] == [90, 90, 28_800]
    with pytest.raises(InputError, match="no span of time"):
        parse_duration("soon")
    assert [span(seconds) for seconds in (None, 5.9, 65, 3725)] == [
        "–", "5 s", "1 m 05 s", "1 h 02 m"]  # fmt: skip


# --- Looking -----------------------------------------------------------------------------------


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


def test_a_wrong_time_budget_is_refused_before_anything_is_stored(niagara: Niagara) -> None:
    run = niagara("tournament", "run", *BOTS, *QUICK, "--time-budget", "soon")
    assert run.exit == 2
    assert "`soon` is no span of time" in run.stderr
    assert not Path("results").exists()


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


# --- Organising --------------------------------------------------------------------------------


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


# --- The board ---------------------------------------------------------------------------------


def test_the_board_shows_progress_standings_and_running_tables() -> None:
    tally = Tally(total=10, ended=4, played=2, games=8, began=100.0)
    tally.names = {"a": "otter", "b": "beaver\x1b[2J", "c": "mink"}
    tally.points = {"a": [302_400, 2, 1, 0], "b": [604_800, 2, 2, 3], "c": [0, 2, 0, 0]}
    tally.running = [("a", "b", "c")]
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(board(tally, "spring", 104.0, 100))
    text = console.export_text()
    lines = text.splitlines()
    assert "4/10 matches" in lines[0]
    assert "8 games, 2.0 a second, ETA 12 s" in lines[1]
    assert lines[3].startswith("beaver")
    assert "otter – beaver" in lines[6]


def test_a_run_on_a_terminal_shows_the_board(tmp_path: Path) -> None:
    import pty

    parent, child = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "niagara_arena", "tournament", "run", *BOTS, *QUICK],
        cwd=tmp_path,
        stderr=child,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(child)
    seen = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            piece = os.read(parent, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(parent)
    assert run.wait(20) == 0
    assert b"matches" in seen
    assert "━".encode() in seen or "─".encode() in seen
    assert b"finished" in seen


def test_a_sandbox_below_the_minimum_is_refused(niagara: Niagara) -> None:
    run = niagara(
        "tournament", "run", *BOTS, *QUICK, "--name", "a", "--minimum-sandbox", "landlock"
    )
    assert run.exit == 3
    assert "weaker than the `landlock` that is required here" in run.stderr
    assert not Path("results").exists()


def test_a_cache_that_cannot_be_used_is_told_once(
    niagara: Niagara, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("NIAGARA_CACHE", str(tmp_path / "file"))
    run = niagara("tournament", "run", *BOTS, *QUICK, "--name", "a")
    assert run.exit == 3
    assert run.stderr.count("can't be used") == 1
