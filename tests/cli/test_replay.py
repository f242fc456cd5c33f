from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec
import pytest

from niagara_arena.errors import InputError
from niagara_arena.replay import encode, files, record_hash
from niagara_arena.replay.frames import Note, story
from tests.cli.conftest import Niagara
from tests.replay import games

replaced = msgspec.structs.replace
FAULTY = games.record("spirits", 6, 14, faulty=True)
PLAIN = games.record("base", 3, 4, opening=6)


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    path = tmp_path / "faulty.jsonl"
    path.write_bytes(encode(FAULTY))
    return str(path)


@pytest.fixture
def plain(tmp_path: Path) -> str:
    path = tmp_path / "plain.jsonl"
    path.write_bytes(encode(PLAIN))
    return str(path)


def test_a_game_is_shown_round_by_round(niagara: Niagara, faulty: str) -> None:
    run = niagara("replay", "show", faulty)
    assert run.exit == 0
    assert run.stderr == ""
    rounds = range(1, FAULTY.end.rounds + 1)
    assert all(f" Round {number} of 40 " in run.stdout for number in rounds)
    assert "bot 3 (3) plays" in run.stdout
    assert "notes: é  depth 3\n" in run.stdout
    assert "! bot 4 (4): illegal (choice): `$.choice` is 99" in run.stdout
    assert "bot 4 (4): forfeited (3 faults) for illegal: `$.choice` is 99" in run.stdout
    assert "\x1b" not in run.stdout


def test_one_round_is_shown_alone(niagara: Niagara, plain: str) -> None:
    run = niagara("replay", "show", plain, "--round", "8")
    assert run.exit == 0
    assert " Round 8 of 40 " in run.stdout
    assert " Round 9 of 40 " not in run.stdout
    assert "the river" in run.stdout
    assert "winner" not in run.stdout


def test_a_game_that_began_later_has_no_earlier_rounds(niagara: Niagara, plain: str) -> None:
    run = niagara("replay", "show", plain, "--round", "6")
    assert run.exit == 2
    assert "there is no round 6" in run.stderr
    assert "the game has 7 to" in run.stderr
    assert run.stdout == ""


def test_a_game_as_json_holds_all_of_it(niagara: Niagara, faulty: str) -> None:
    document = json.loads(niagara("replay", "show", faulty, "--json").stdout)
    assert (document["kind"], document["version"]) == ("replay", 1)
    assert document["game"]["game"] == FAULTY.header.game
    assert document["end"]["rulings"] == list(msgspec.to_builtins(FAULTY.end.rulings))
    assert [frame["round"] for frame in document["rounds"]] == list(range(1, FAULTY.end.rounds + 1))
    entries = [entry for frame in document["rounds"] for entry in frame["entries"]]
    assert sum("ruling" in entry for entry in entries) == len(FAULTY.end.rulings)
    assert sum("note" in entry for entry in entries) == len(FAULTY.measured.notes)
    assert sum(entry.get("event") == "seat_retired" for entry in entries) == 3
    assert document["final"]["position"]["round"] == FAULTY.end.rounds


def test_text_of_bots_can_not_steer_the_terminal(niagara: Niagara, tmp_path: Path) -> None:
    header = PLAIN.header
    evil = "\x1b]0;owned\x07\x1b[2J" + "x" * 30
    seats = tuple(replaced(seat, name=evil, version=evil, submission=evil) for seat in header.seats)
    path = tmp_path / "evil.jsonl"
    record = replaced(
        PLAIN,
        header=replaced(header, seats=seats, opening=evil, sandbox=evil, game=evil, match=evil),
        end=replaced(PLAIN.end, reason=evil),
    )
    path.write_bytes(encode(record))
    run = niagara("replay", "show", str(path))
    assert run.exit == 0
    assert not set(run.stdout + run.stderr) & {"\x1b", "\x07"}
    assert "the record is not true: end.reason" in run.stderr


def test_of_a_record_that_is_not_true_only_what_was_played_is_shown(
    niagara: Niagara, tmp_path: Path
) -> None:
    path = tmp_path / "untrue.jsonl"
    end = replaced(PLAIN.end, winners=(99,), placings=(), verdicts=())
    path.write_bytes(encode(replaced(PLAIN, end=end)))
    run = niagara("replay", "show", str(path))
    assert run.exit == 0
    assert "the record is not true: end.winners: recorded [99]" in run.stderr
    assert "winner" not in run.stdout
    assert "the game is over" in run.stdout


def test_rounds_of_a_story_have_their_notes_and_clocks() -> None:
    told = story(FAULTY)
    notes = [entry for frame in told.frames for entry in frame.entries if isinstance(entry, Note)]
    assert [note.text for note in notes] == list(FAULTY.measured.notes.values())
    assert [note.data for note in notes] == list(FAULTY.measured.data.values())
    assert told.frames[0].bank_ms == (5000,) * 6
    assert told.bank_ms != (5000,) * 6
    off = replaced(
        FAULTY.header,
        settings=replaced(
            FAULTY.header.settings, clock=replaced(FAULTY.header.settings.clock, mode="off")
        ),
    )
    assert story(replaced(FAULTY, header=off)).bank_ms == ()


def test_true_records_are_proved(niagara: Niagara, plain: str, faulty: str) -> None:
    run = niagara("replay", "verify", plain, faulty)
    assert run.exit == 0
    assert run.stdout == (
        f"{record_hash(encode(PLAIN))}  {plain}\n{record_hash(encode(FAULTY))}  {faulty}\n"
    )


def test_the_first_difference_is_named(niagara: Niagara, plain: str, tmp_path: Path) -> None:
    path = tmp_path / "altered.jsonl"
    path.write_bytes(encode(replaced(PLAIN, end=replaced(PLAIN.end, winners=(0, 1, 2)))))
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(encode(PLAIN)[:-50])
    run = niagara("replay", "verify", str(path), plain, str(broken), str(tmp_path / "none"))
    assert run.exit == 1
    lines = run.stdout.splitlines()
    assert lines[0].startswith(f"{path}: differs: end.winners: recorded [0, 1, 2], by the rules")
    assert lines[1].endswith(plain)
    assert "the record breaks off in the middle of the line" in lines[2]
    assert "there is no file" in lines[3]
    assert "3 of 4 records can't be proved" in run.stderr


def test_showing_a_record_that_can_not_be_played_says_where(
    niagara: Niagara, tmp_path: Path
) -> None:
    path = tmp_path / "altered.jsonl"
    path.write_bytes(encode(replaced(PLAIN, rounds=PLAIN.rounds[1:])))
    run = niagara("replay", "show", str(path))
    assert run.exit == 1
    assert "round 8, act 0: the game is in round 7 there" in run.stderr
    assert run.stdout == ""


def test_a_position_is_taken_out_of_a_record(plain: str) -> None:
    position = files.position_from(f"{plain}@9")
    assert position is not None
    assert position["round"] == 9
    assert files.position_from(plain) is None
    with pytest.raises(InputError, match="has no round 3"):
        files.position_from(f"{plain}@3")
    with pytest.raises(InputError, match="there is no file"):
        files.position_from("nowhere@3")


def test_a_file_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("hello\n")
    with pytest.raises(InputError, match="x`, line 1: this is no game record"):
        files.load(path)
    with pytest.raises(InputError, match="can't be read: Is a directory"):
        files.load(tmp_path)


BOT = """
import json, sys
sys.stdin.readline()
print('{"type":"ready","protocol":1}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        print(json.dumps({"id": message["id"], "choice": 0}), flush=True)
"""


def test_a_bot_is_fed_and_its_other_answers_are_printed(
    niagara: Niagara, plain: str, tmp_path: Path
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(BOT)
    run = niagara("replay", "feed", plain, "--as", "0", "--", sys.executable, str(bot))
    assert run.exit == 1
    differ = run.stdout.splitlines()
    assert differ[0].startswith("question ")
    assert '"card"' in run.stdout
    assert f"{len(differ)} of them not as recorded" in run.stderr
    first = str(PLAIN.measured.first_ids[0])
    run = niagara(
        "replay", "feed", plain, "--as", "0", "--until", first, "--", sys.executable, str(bot)
    )
    assert f"is about to get question {first}" in run.stderr
    assert "1 answers" in run.stderr
