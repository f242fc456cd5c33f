from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from niagara_arena.replay.codec import decode, deterministic_part
from tests.cli.conftest import Niagara

ANIMAL = Path(__file__).parents[1] / "zoo" / "animal.py"
OFF = ("--sandbox", "none")


def animal(kind: str, when: int = 2) -> str:
    return f"{sys.executable} -S {ANIMAL} {kind} {when}"


def test_a_match_prints_a_row_for_each_seat(niagara: Niagara) -> None:
    result = niagara("play", "@random", "@homing", "@random", "--seed", "7", *OFF)
    assert result.exit == 0
    lines = result.stdout.splitlines()
    assert lines[0].split()[:4] == ["game", "seat", "bot", "placing"]
    assert len(lines) == 5
    assert "1 of 1 games" in result.stderr
    assert "sandbox none" in result.stderr


def test_json_holds_every_column(niagara: Niagara) -> None:
    result = niagara(
        "play", "@random", "@random", "@random", "--set", "max_rounds=2", "--json", *OFF
    )
    document = json.loads(result.stdout)
    assert document["kind"] == "play"
    assert [row["seat"] for row in document["rows"]] == [0, 1, 2]
    assert {row["sandbox"] for row in document["rows"]} == {"none"}
    assert {row["reason"] for row in document["rows"]} == {"max_rounds"}


def test_the_same_seed_gives_the_same_records_and_only_records(
    niagara: Niagara, tmp_path: Path
) -> None:
    parts = []
    for name in ("one", "two"):
        folder = tmp_path / name
        result = niagara(
            *("play", "@random", "@homing", "@random", "--rules", "spirits", "--seed", "same"),
            *("--seating", "rotations", "--record", str(folder), "--set", "max_rounds=12", *OFF),
        )
        assert result.exit == 0
        files = sorted(folder.iterdir())
        assert len(files) == 3
        assert all(file.suffix == ".jsonl" for file in files)
        parts.append([(file.name, deterministic_part(file.read_bytes())) for file in files])
    assert parts[0] == parts[1]


def test_records_are_never_written_over(niagara: Niagara, tmp_path: Path) -> None:
    command = ("play", "@random", "@random", "@random", "--seed", "x", "--record", str(tmp_path))
    small = ("--set", "max_rounds=1", *OFF)
    assert niagara(*command, *small).exit == 0
    [file] = tmp_path.iterdir()
    before = file.read_bytes()
    result = niagara(*command, *small)
    assert result.exit == 2
    assert "is there already" in result.stderr
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [before]


def test_a_game_can_go_on_from_a_round_of_a_record(niagara: Niagara, tmp_path: Path) -> None:
    base = ("play", "@random", "@random", "@random", *OFF, "--set", "max_rounds=5")
    assert niagara(*base, "--record", str(tmp_path / "a")).exit == 0
    [record] = (tmp_path / "a").iterdir()
    result = niagara(*base, "--from", f"{record}@3", "--record", str(tmp_path / "b"))
    assert result.exit == 0, result.stderr
    [again] = (tmp_path / "b").iterdir()
    header = decode(again.read_bytes()).header
    assert header.position is not None
    assert header.position["round"] == 3


def test_random_openings_differ_by_block_and_are_shared_within_one(
    niagara: Niagara, tmp_path: Path
) -> None:
    result = niagara(
        *("play", "@random", "@random", "@random", "--openings", "random:3", "--games", "6"),
        *("--seating", "rotations", "--record", str(tmp_path), "--set", "max_rounds=4", *OFF),
    )
    assert result.exit == 0, result.stderr
    headers = [decode(file.read_bytes()).header for file in tmp_path.iterdir()]
    starts: dict[str, list[object]] = {}
    for header in headers:
        starts.setdefault(header.opening, []).append(header.position)
    assert sorted(starts) == ["random:3#0", "random:3#1"]
    assert all(len(positions) == 3 for positions in starts.values())
    first, second = (positions[0] for positions in starts.values())
    assert first != second
    assert all(p == positions[0] for positions in starts.values() for p in positions)


def test_openings_come_from_a_file_of_positions(niagara: Niagara, tmp_path: Path) -> None:
    positions = niagara(
        "rules", "random", "--rules", "base", "--seats", "3", "--rounds", "4"
    ).stdout
    file = tmp_path / "openings.jsonl"
    file.write_text("\n".join(positions.splitlines()[2:4]))
    result = niagara(
        *("play", "@random", "@random", "@random", "--openings", str(file), "--games", "2"),
        *("--record", str(tmp_path / "r"), "--set", "max_rounds=5", *OFF),
    )
    assert result.exit == 0, result.stderr
    names = {decode(one.read_bytes()).header.opening for one in (tmp_path / "r").iterdir()}
    assert names == {"openings.jsonl#0", "openings.jsonl#1"}


def test_after_a_fault_the_author_sees_everything(niagara: Niagara, tmp_path: Path) -> None:
    result = niagara(
        *("play", "@random", animal("crash"), "@random", "--set", "max_rounds=3"),
        *("--record", str(tmp_path), *OFF),
    )
    assert result.exit == 0
    told = result.stderr
    assert "crash (exit 1) — retired" in told
    assert "exited with code 1 in the middle of a game" in told
    assert '"type":"decide"' in told
    assert "reply    (none)" in told
    assert "RuntimeError: the crasher crashes" in told
    assert "niagara replay feed" in told
    assert "--as 1 --until 2" in told


def test_after_an_illegal_answer_the_author_sees_it_and_what_was_legal(niagara: Niagara) -> None:
    result = niagara(
        *("play", "@random", animal("choice_out_of_range"), "@random"),
        *("--set", "max_rounds=3", "--rules", "spirits", *OFF),
    )
    told = result.stderr
    assert "illegal (choice) — its first legal action was played" in told
    reply = next(line for line in told.split("\n") if line.startswith("  reply "))
    assert '"choice"' in reply
    request = next(line for line in told.split("\n") if line.startswith("  request "))
    assert request.startswith('  request  {"type":"decide","id":')
    assert '"legal":[{' in request
    assert len(request) < 2_000


def test_a_build_that_fails_is_told_in_the_compilers_words(
    niagara: Niagara, tmp_path: Path
) -> None:
    bot = tmp_path / "broken"
    bot.mkdir()
    build = 'build = ["sh", "-c", "echo no such type: Rivr >&2; exit 1"]'
    (bot / "bot.toml").write_text(f'name = "broken"\n{build}\nrun = ["./bot"]\n')
    result = niagara("play", "@random", str(bot), "@random", "--set", "max_rounds=1", *OFF)
    assert result.exit == 0, result.stderr
    assert "build (build) — retired" in result.stderr
    assert "no such type: Rivr" in result.stderr


REFUSED = (
    (("@random", "@random"), 2, "played by 3 to 5 bots"),
    (("@random", "@random", "@rndom"), 3, "@rndom"),
    (("@random", "@random", "no-such-program"), 3, "no-such-program"),
    (("@random", "@random", "@random", "--set", "clock.bnk=3"), 2, "clock.bank_ms"),
    (("@random", "@random", "@random", "--set", "clock"), 2, "KEY=VALUE"),
    (("@random", "@random", "@random", "--set", "max_rounds=0"), 2, "`max_rounds` is from 1"),
    (("@random", "@random", "@random", "--record", "/proc/none"), 3, "can't use `/proc/none`"),
    (("@random", "@random", "@random", "--from", "nothing.json"), 3, "nothing.json"),
    (("@random", "@random", "@random", "--openings", "random:x"), 2, "number of rounds"),
    (("@random", "@random", "@random", "--from", "x", "--openings", "random:3"), 2, "exclude"),
    (("@random", "@random", "@random", "--param", "random"), 2, "BOT.NAME=VALUE"),
    (("@random", "@random", "@random", "--param", "nobody.x=3"), 2, "nobody"),
)


@pytest.mark.parametrize(("words", "code", "told"), REFUSED)
def test_bad_input_is_refused_before_anything_is_played(
    niagara: Niagara, words: tuple[str, ...], code: int, told: str
) -> None:
    result = niagara("play", *words, *OFF)
    assert result.exit == code, result.stderr
    assert told in result.stderr
    assert result.stdout == ""


def test_ctrl_c_keeps_finished_games_and_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "niagara_arena", "play", "@random", animal("stall", 40)]
    command += ["@random", "--games", "50", "--set", "max_rounds=3", "--record", str(tmp_path)]
    process = subprocess.Popen(
        [*command, *OFF], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "interrupted" in err
    assert out.count("finished") >= 6
    for file in tmp_path.iterdir():
        decode(file.read_bytes())
