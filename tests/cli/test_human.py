"""A person at the terminal plays like a bot: sees what a bot is sent, and picks from the list."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from niagara_arena import rules
from niagara_arena.cli.choices import QUESTIONS, describe
from niagara_arena.cli.human import HUMAN, Console, Left, Person, person, with_people
from niagara_arena.errors import InputError
from niagara_arena.records import Limits
from niagara_arena.rules.actions import KINDS
from niagara_arena.sandbox import Launch, choose
from niagara_arena.submissions import load
from tests.cli.conftest import Niagara

EMPTY = {"at": "jetty", "cargo": [], "banked": [], "lost": False}
AT_3 = {"capacity": 1, "at": "3", "cargo": [], "ashore": False}
HOME = {"capacity": 1, "at": "jetty", "cargo": [], "ashore": False}
DOUBLE = {"capacity": 2, "at": "7L", "cargo": [], "ashore": False}

SAID: dict[str, dict[str, Any]] = {
    "1 point for each canoe that moves": {"card": "1"},
    "the weather one step up or down": {"card": "cloud"},
    "up, to +1": {"weather": 1, "result": {"weather": 1}},
    "down, to 0": {"weather": -1, "result": {"weather": 0}},
    "the right arm": {"arm": "R", "result": {"at": "6R", "lost": False}},
    "nobody": {"moose": None},
    "the canoe on 3": {"moose": 0},
    "none": {"buy": [], "gems": [], "result": {}},
    "one for ruby": {"buy": [0], "gems": ["ruby"], "result": {}},
    "both for amber and ruby": {"buy": [0, 1], "gems": ["amber", "ruby"], "result": {}},
    "stays at the jetty": {"canoe": 1, "stay": True, "result": EMPTY},
    "loads an amethyst and lands from 3 and banks amethyst": {
        "canoe": 0,
        "to": "jetty",
        "load": ["amethyst"],
        "result": {**EMPTY, "banked": ["amethyst"]},
    },
    "paddles from 3 to 1 and steals a ruby from seat 2; aboard then: ruby": {
        "canoe": 0,
        "to": "1",
        "steal": [{"seat": 2, "canoe": 0, "gem": "ruby"}],
        "result": {**EMPTY, "at": "1", "cargo": ["ruby"]},
    },
}


@pytest.mark.parametrize("words", SAID)
def test_an_action_is_said_in_words(words: str) -> None:
    assert describe(SAID[words], 1, [AT_3, HOME]) == words


def test_canoes_of_spirits_are_told_apart() -> None:
    move = {"canoe": 0, "to": "7L", "take_moose": True, "load": ["ruby"], "result": EMPTY}
    assert describe(move, 0, [DOUBLE, HOME]) == (
        "the double takes the moose, loads a ruby and stays on 7L"
    )
    assert describe({"buy": [1], "gems": [], "result": {}}, 0, [DOUBLE, HOME]) == "the single, free"


@pytest.mark.parametrize("ruleset", ["base", "spirits"])
def test_no_two_actions_of_a_decision_are_said_alike(ruleset: str) -> None:
    state = rules.start(ruleset, 3)
    for turn in range(400):
        seat = rules.pending(state)[0].seat
        legal = rules.legal(state, seat)
        canoes = rules.observe(state, seat)["position"]["players"][seat]["canoes"]
        said = [describe(a, seat, canoes) for a in json.loads(rules.legal_text(state, seat))]
        if len({canoe["at"] for canoe in canoes}) == 2:  # twins on one space are said alike
            assert len(set(said)) == len(legal)
        state = rules.apply(state, seat, legal[turn * 7 % len(legal)]).state
        if state.over:
            break


def test_there_is_a_question_for_every_kind_of_decision() -> None:
    assert tuple(QUESTIONS) == KINDS


class Keyboard:
    """A console whose keyboard is a pipe."""

    def __init__(self) -> None:
        reads, self.types = os.pipe()
        self.shown: list[str] = []
        self.console = Console(reads, self.shown.append, 100, False)
        self._fds = (reads, self.types)

    def type(self, text: str) -> None:
        os.write(self.types, text.encode())

    def close(self) -> None:
        for fd in self._fds:
            os.close(fd)


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    made = Keyboard()
    yield made
    made.close()


def start(seat: int = 1) -> dict[str, Any]:
    return {"type": "start", "seat": seat, "seats": 3, "names": None}


def question(seat: int = 1) -> dict[str, Any]:
    state = rules.start("base", 3)
    return {
        "type": "decide",
        "id": 4,
        "kind": "card",
        "events": [{"event": "round_started", "round": 1, "start": 0}],
        "observation": rules.observe(state, seat),
        "legal": json.loads(rules.legal_text(state, seat)),
    }


def test_a_typed_card_is_chosen(keyboard: Keyboard) -> None:
    asked = Person(keyboard.console)
    assert asked.reply({"type": "hello", "protocol": 1}) == {
        "type": "ready",
        "protocol": 1,
        "name": HUMAN,
    }
    assert asked.reply(start()) is None
    keyboard.type("cloud\n")
    assert asked.reply(question()) == {"id": 4, "choice": 6}
    shown = "".join(keyboard.shown)
    assert "You are seat 1" in shown
    assert "round 1: seat 0 starts" in shown
    assert "<1.><1.>" in shown


def test_other_text_lists_help_or_the_river_and_asks_again(keyboard: Keyboard) -> None:
    asked = Person(keyboard.console)
    asked.reply(start())
    keyboard.type("?\nweather\n99\nb\n\n3\n")
    assert asked.reply(question()) == {"id": 4, "choice": 2}
    shown = "".join(keyboard.shown)
    assert "q leaves" in shown
    assert "nothing contains '99'" in shown
    assert shown.count("<1.><1.>") == 2
    assert shown.count("the weather one step") == 3


def test_leaving_and_the_end_of_input_end_the_conversation(keyboard: Keyboard) -> None:
    asked = Person(keyboard.console)
    asked.reply(start())
    keyboard.type("q\n")
    with pytest.raises(Left):
        asked.reply(question())
    asked.stop()
    with pytest.raises(Left):
        asked.reply(question())


def test_a_person_is_no_submission_elsewhere() -> None:
    assert person().name == HUMAN
    assert person().id == person().id
    with pytest.raises(InputError):
        load(HUMAN)


def test_without_a_terminal_nobody_can_play(niagara: Niagara) -> None:
    run = niagara("play", HUMAN, "@random", "@random", "--sandbox", "none")
    assert run.exit == 3
    assert run.stdout == ""
    assert "terminal" in run.stderr


def play_on_a_terminal(folder: Path, answers: str) -> tuple[int, str, str]:
    """Play a short game with a person who always types the next of the answers."""
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "niagara_arena", "--color", "never", "play", HUMAN]
    command += ["@random", "@random", "--seed", "1", "--sandbox", "none", "--set", "max_rounds=2"]
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen(command, stdin=terminal, stdout=out, stderr=terminal)
    os.close(terminal)
    shown, answered, deadline = "", 0, time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([main], [], [], 0.2)[0]:
            try:
                shown += os.read(main, 65536).decode(errors="replace")
            except OSError:  # the other end is gone
                break
        while shown.count("for help: ") > answered:
            os.write(main, f"{answers[min(answered, len(answers) - 1)]}\n".encode())
            answered += 1
    code = process.wait(timeout=60)
    os.close(main)
    return code, shown, (folder / "out").read_text("utf-8")


def test_a_whole_game_is_played_at_a_terminal(tmp_path: Path) -> None:
    code, shown, table = play_on_a_terminal(tmp_path, "51")
    assert code == 0
    assert re.search(r"you \(0\) plays 5", shown)
    assert "no winner in 2 rounds" in shown
    assert re.search(r"human +\d +no +2 +max_rounds +finished", table)


def test_who_leaves_interrupts_the_match(tmp_path: Path) -> None:
    code, shown, table = play_on_a_terminal(tmp_path, "q")
    assert code == 130
    assert "void" in shown
    assert "void" in table


def test_a_person_who_is_being_asked_is_let_go_when_the_match_ends(keyboard: Keyboard) -> None:
    backend = with_people(choose("none"), keyboard.console)
    process = backend.start(Launch("/", person().run, Limits()))
    try:
        for message in ({"type": "hello", "protocol": 1}, start(), question()):
            os.write(process.stdin, json.dumps(message).encode() + b"\n")
        select.select([process.stdout], [], [], 30)
        assert json.loads(os.read(process.stdout, 4096))["type"] == "ready"
        assert process.poll() is None
    finally:
        process.close()
    assert process.poll() is not None
