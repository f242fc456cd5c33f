"""Real processes are fed; each is a small Python program that the test writes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from msgspec import Raw, structs

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.records import Fault, Played
from niagara_arena.replay.feeding import Reply, feed
from niagara_arena.replay.playback import Mismatch
from niagara_arena.replay.requests import Sent, rebuild
from tests.replay import games

GAME = games.record("base", 4, 14, faulty=True, max_rounds=8)
SEAT = 1
STREAM = rebuild(GAME).streams[SEAT]
QUESTIONS = [sent for sent in STREAM if sent.number]

HEAD = """
import json, os, sys, time
got = open(sys.argv[1], "wb")
def read():
    line = sys.stdin.buffer.readline()
    got.write(line)
    got.flush()
    return json.loads(line or "null")
def say(message):
    print(json.dumps(message), flush=True)
"""
READY = """
read()
say({"type": "ready", "protocol": 1, "name": "fed"})
"""
LOOP = """
asked = 0
while (message := read()) and message["type"] != "quit":
    if message["type"] == "decide":
        asked += 1
        answer(message)
"""


def program(tmp_path: Path, answer: str, head: str = READY) -> list[str]:
    """Return the command of a bot whose function `answer(message)` is given."""
    path = tmp_path / "bot.py"
    path.write_text(HEAD + head + "def answer(m):\n    " + answer + LOOP)
    return [sys.executable, str(path), str(tmp_path / "got")]


def recorded(tmp_path: Path) -> str:
    """Return the answer of a bot that says what was said then."""
    table = {sent.number: json.loads(sent.played) for sent in QUESTIONS if sent.played}
    path = tmp_path / "table.json"
    path.write_text(json.dumps(table))
    return (
        f"say({{'id': m['id'], 'action': json.load(open({str(path)!r}))[str(m['id'])],"
        " 'note': 'same'})"
    )


def test_the_game_has_a_fault_to_look_at() -> None:
    assert [sent.ruling.fault for sent in QUESTIONS if sent.ruling] == [Fault.ILLEGAL]
    assert len(QUESTIONS) > 10


def test_a_bot_gets_the_very_bytes_and_its_answers_are_compared(tmp_path: Path) -> None:
    replies = list(feed(GAME, SEAT, program(tmp_path, recorded(tmp_path))))
    assert [reply.sent for reply in replies] == QUESTIONS
    assert [reply.same for reply in replies] == [sent.ruling is None for sent in QUESTIONS]
    lines = (tmp_path / "got").read_bytes().splitlines(keepends=True)
    assert json.loads(lines[0])["type"] == "hello"
    assert lines[1:-1] == [sent.line for sent in STREAM]
    assert lines[-1] == b'{"type":"quit"}\n'


def test_other_answers_are_told_and_the_game_goes_on_as_recorded(tmp_path: Path) -> None:
    command = program(tmp_path, "say({'id': m['id'], 'choice': len(m['legal']) - 1})")
    replies = list(feed(GAME, SEAT, command))
    assert len(replies) == len(QUESTIONS)
    differing = [reply for reply in replies if not reply.same]
    assert differing
    assert all(reply.played for reply in differing)


def test_an_entry_of_legal_may_be_echoed_with_its_result(tmp_path: Path) -> None:
    command = program(tmp_path, "say({'id': m['id'], 'action': m['legal'][0]})")
    replies = list(feed(GAME, SEAT, command, until=QUESTIONS[2].number))
    assert [reply.trouble for reply in replies] == ["", "", ""]


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        ("say({'id': m['id'], 'choice': 99})", "`choice` is 99"),
        ("say({'id': m['id'], 'action': {'weather': 1}})", '{"weather":1} is not in `legal`'),
        ("say({'id': m['id'], 'action': {'jump': 1}})", "$: an action needs one of the keys"),
        ("print('hello', flush=True)", "not a JSON object"),
        (
            "os.write(1, b'x' * 65537); time.sleep(60)",
            "a line longer than 65536 bytes [P-1.5]: xxx",
        ),
        ("print(' ' * 65537 + '{}', flush=True)", "a line longer than 65536 bytes [P-1.5]"),
        ("sys.exit(3)", "no answer, the bot exited with code 3"),
        (
            "sys.stdout.write(json.dumps({'id': m['id'], 'choice': 0})); sys.exit(0)",
            "no answer, the bot exited with code 0",
        ),
        ("os.kill(os.getpid(), 9)", "no answer, the bot was killed by signal 9"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told(tmp_path: Path, answer: str, trouble: str) -> None:
    (reply,) = feed(GAME, SEAT, program(tmp_path, answer), until=QUESTIONS[0].number)
    assert reply.trouble.startswith(trouble)
    assert not reply.same


def test_late_answers_are_skipped(tmp_path: Path) -> None:
    answer = "say({'id': m['id'] - 1, 'choice': 99}); say({'id': m['id'], 'choice': 0})"
    replies = list(feed(GAME, SEAT, program(tmp_path, answer), until=QUESTIONS[1].number))
    assert [reply.trouble for reply in replies] == ["", ""]


def test_a_debugger_can_be_attached_before_the_last_question(tmp_path: Path) -> None:
    paused: list[tuple[int, Sent]] = []
    last = QUESTIONS[4]
    got = tmp_path / "got"

    def pause(pid: int, sent: Sent) -> None:
        paused.append((pid, sent))
        assert last.line not in got.read_bytes()

    command = program(tmp_path, "say({'id': m['id'], 'choice': 0})")
    replies: list[Reply] = list(feed(GAME, SEAT, command, until=last.number, pause=pause))
    assert [reply.sent for reply in replies] == QUESTIONS[:5]
    assert [sent for _, sent in paused] == [last]
    assert got.read_bytes().endswith(last.line + b'{"type":"quit"}\n')


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("sys.exit(1)\n", "the bot exited with code 1 before it was ready"),
        ("print('hi', flush=True)\n", "the bot's answer to `hello` is no `ready`"),
        ("print('x' * 70_000, flush=True)\n", "is no `ready`: a line longer than 65536 bytes"),
        ("say({'type': 'ready', 'protocol': 2})\n", "the bot speaks protocol 2"),
    ],
)
def test_a_bot_that_does_not_get_ready_is_refused(tmp_path: Path, head: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(feed(GAME, SEAT, program(tmp_path, "pass", head)))


def test_a_process_that_will_not_end_is_killed(tmp_path: Path) -> None:
    command = program(tmp_path, "say({'id': m['id'], 'choice': 0})")
    path = Path(command[1])
    path.write_text(path.read_text() + "\nimport time\nwhile True: time.sleep(9)\n")
    got = tmp_path / "got"
    pids: list[int] = []
    list(feed(GAME, SEAT, command, until=QUESTIONS[0].number, pause=lambda p, _: pids.append(p)))
    assert b'"quit"' in got.read_bytes()
    assert not Path(f"/proc/{pids[0]}").exists()


def test_bad_requests_are_refused_before_anything_starts() -> None:
    with pytest.raises(InputError, match="there is no seat 4"):
        list(feed(GAME, 4, ["false"]))
    with pytest.raises(InputError, match="the seat was asked no question 9999"):
        list(feed(GAME, SEAT, ["false"], until=9999))
    with pytest.raises(NotPossibleHere, match="`/nowhere/bot` can't be started"):
        list(feed(GAME, SEAT, ["/nowhere/bot"]))


def test_a_game_that_can_not_be_proved_is_refused() -> None:
    [first, *rest] = GAME.rounds
    odd = structs.replace(first, acts=(Played(0, Raw(b"1"), ""), *first.acts[1:]))
    with pytest.raises(Mismatch, match="round 1, act 0: "):
        list(feed(structs.replace(GAME, rounds=(odd, *rest)), SEAT, ["false"]))
    slower = structs.replace(GAME.measured, cpu_us=tuple(us + 1_000 for us in GAME.measured.cpu_us))
    with pytest.raises(Mismatch, match=r"measured.streams\[0\]: what the seat was sent can't be"):
        list(feed(structs.replace(GAME, measured=slower), SEAT, ["false"]))
    header = structs.replace(GAME.header, rules_version="niagara-rules-0")
    with pytest.raises(InputError, match="the game was played by niagara-rules-0"):
        list(feed(structs.replace(GAME, header=header), SEAT, ["false"]))
