"""`niagara tournament run` as a user sees it, with real bots."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from niagara_arena.store import open_store
from tests.cli.conftest import Niagara
from tests.tournament.commands.words import BOTS, QUICK


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


def test_a_wrong_time_budget_is_refused_before_anything_is_stored(niagara: Niagara) -> None:
    run = niagara("tournament", "run", *BOTS, *QUICK, "--time-budget", "soon")
    assert run.exit == 2
    assert "`soon` is no span of time" in run.stderr
    assert not Path("results").exists()


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
