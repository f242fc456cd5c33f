from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from niagara_arena.cli.faults import command_of
from niagara_arena.replay.codec import decode, deterministic_part
from niagara_arena.submissions import load
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


BAD_STARTS = {
    "a-key-twice": ('{"rules":"base","rules":"base"}', "the key 'rules' is there twice"),
    "no-json": ("{", "it holds no JSON object"),
    "a-list": ("[]", "a position is a JSON object"),
    "a-bad-position": ('{"rules":"base"}', "`seats` is missing"),
    "too-long": (" " * ((1 << 20) + 1), "no longer than 1048576 bytes"),
}


@pytest.mark.parametrize("option", ["--from", "--openings"])
@pytest.mark.parametrize("name", BAD_STARTS)
def test_a_start_is_read_as_strictly_as_any_position(
    niagara: Niagara, tmp_path: Path, name: str, option: str
) -> None:
    text, told = BAD_STARTS[name]
    file = tmp_path / "start.json"
    file.write_text(text if text.strip() else text + "x")
    result = niagara("play", "@random", "@random", "@random", option, str(file), *OFF)
    assert (result.exit, result.stdout) == (2, "")
    assert told in result.stderr
    assert str(file) in result.stderr
    assert "hint: " in result.stderr or name == "a-bad-position"


@pytest.mark.parametrize("how", ["--from", "--openings", "random"])
def test_a_start_past_the_last_round_is_refused_before_anything_is_played(
    niagara: Niagara, tmp_path: Path, how: str
) -> None:
    file = tmp_path / "late.json"
    file.write_text(niagara("rules", "random", "--seats", "3", "--rounds", "4").stdout)
    file.write_text(file.read_text().splitlines()[-1])
    option = ("--openings", "random:3") if how == "random" else (how, str(file))
    result = niagara(
        *("play", "@random", "@random", "@random", *option, "--set", "max_rounds=3", *OFF)
    )
    assert (result.exit, result.stdout) == (2, "")
    assert "starts in round 4, and games end after round 3 [N-5.2]" in result.stderr
    assert "--set max_rounds=N" in result.stderr


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


def _bot(folder: Path, deed: str) -> Path:
    """Make a bot that does this instead of answering."""
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "odd"\nrun = ["python3", "bot.py"]\n')
    (folder / "bot.py").write_text(
        f"import os, time\nos.write(1, b'{{\"protocol\":1}}\\n')\n{deed}\ntime.sleep(99)\n"
    )
    return folder


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("", "hint     does it flush its output, and get its input line by line? [P-1.7]"),
        ("os.write(1, b'wait')", "hint     it wrote this, but no line feed after it"),
        ("os.read(0, 9); os._exit(0)", "hint     one process plays all games of the match, until"),
    ],
)
def test_a_silence_is_told_with_its_likely_cause_and_how_to_have_it_again(
    niagara: Niagara, tmp_path: Path, deed: str, told: str
) -> None:
    bot = _bot(tmp_path / "an odd bot", deed)
    result = niagara(
        *("play", "@random", str(bot), "@random", "--record", str(tmp_path / "my games"), *OFF),
        *("--set", "max_rounds=1", "--set", "clock.wall_ms=200"),
    )
    assert result.exit == 0, result.stderr
    assert told in result.stderr
    assert result.stderr.count("hint ") == result.stderr.count(told)
    again = next(line for line in result.stderr.split("\n") if line.startswith("  again"))
    words = shlex.split(again.removeprefix("  again    "))
    assert words[:3] == ["niagara", "replay", "feed"]
    assert words[4:] == [
        *("--as", "1", "--until", "1", "--"),
        *("sh", "-c", f"cd '{bot}' && exec python3 bot.py"),
    ]
    assert decode(Path(words[3]).read_bytes()).end.verdicts[1].faults


def test_the_command_to_have_a_fault_again_really_gives_it(
    niagara: Niagara, tmp_path: Path
) -> None:
    command = animal("crash")
    played = niagara(
        *("play", "@random", command, "@random", "--set", "max_rounds=3"),
        *("--record", str(tmp_path), *OFF),
    )
    again = next(line for line in played.stderr.split("\n") if line.startswith("  again"))
    assert again.endswith(f" -- {command}")
    fed = niagara(*shlex.split(again)[2:])
    assert fed.exit == 1
    assert "then crash (exit 1), now no answer, the bot exited with code 1" in fed.stdout


def test_an_empty_line_is_shown_as_one(niagara: Niagara) -> None:
    result = niagara(
        "play", "@random", animal("empty_line"), "@random", "--set", "max_rounds=2", *OFF
    )
    assert "  reply    (an empty line)\n" in result.stderr


def test_a_quoted_command_is_told_as_a_shell_will_read_it() -> None:
    command = "sh -c 'exec cat' $HOME;x"
    assert command_of(command, load(command)) == "sh -c 'exec cat' '$HOME;x'"


def test_a_bot_that_is_built_has_a_command_that_only_its_author_knows(tmp_path: Path) -> None:
    bot = _bot(tmp_path / "built", "")
    with (bot / "bot.toml").open("a") as file:
        file.write('build = "true"\n')
    assert command_of(str(bot), load(str(bot))) == "YOUR BOT'S COMMAND"


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
    (("@random", "@homing", "@random", "--param", "nobody.x=3"), 2, "there are `random`, `homing`"),
)


@pytest.mark.parametrize(("words", "code", "told"), REFUSED)
def test_bad_input_is_refused_before_anything_is_played(
    niagara: Niagara, words: tuple[str, ...], code: int, told: str
) -> None:
    result = niagara("play", *words, *OFF)
    assert result.exit == code, result.stderr
    assert told in result.stderr
    assert result.stdout == ""


def test_a_parameter_of_a_bot_whose_name_has_dots(niagara: Niagara, tmp_path: Path) -> None:
    otter = str(tmp_path / "otter")
    assert niagara("bot", "new", "python", otter, "--name", "otter 1.2").exit == 0
    run = niagara("play", otter, "@random", "@random", "--param", "otter 1.2.search=7")
    assert run.exit == 2
    assert "`search`" in run.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match_keeps_finished_games_and_says_so(
    tmp_path: Path, number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "niagara_arena", "play", "@random", animal("stall", 40)]
    command += ["@random", "--games", "50", "--set", "max_rounds=3", "--record", str(tmp_path)]
    process = subprocess.Popen(
        [*command, *OFF], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "interrupted" in err
    assert out.count("finished") >= 6
    for file in tmp_path.iterdir():
        decode(file.read_bytes())
