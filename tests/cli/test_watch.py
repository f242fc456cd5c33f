from __future__ import annotations

import os
import pty
import re
import termios
from collections.abc import Sequence

import msgspec
import pytest

from niagara_arena import rules
from niagara_arena.cli.canvas import cells
from niagara_arena.cli.terminal import Terminal
from niagara_arena.cli.watch import DELAYS_S, PAUSED_S, Keys, Live, Plain, Scene, paint, watching
from niagara_arena.match import Watcher
from niagara_arena.records import GameRecord, RulingRecord
from niagara_arena.referee import Answer, Ask, Done, Referee
from niagara_arena.replay import view
from niagara_arena.wire.messages import Act
from tests.replay import games

replaced = msgspec.structs.replace
RECORD = games.record("base", 3, 6, faulty=True, max_rounds=6)
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def show(record: GameRecord, watcher: Watcher, steps: int | None = None) -> None:
    """Let a watcher see a recorded game, as the match runner would."""
    referee = Referee(record.header, [0] * len(record.header.seats))
    watcher.game_started(record.header, referee.state, referee.events)
    seen = len(referee.events)
    while not isinstance(step := referee.next_step(), Done):
        if isinstance(step, Ask) and steps != 0:
            acts = [Answer(ask.seat, Act(ask.number, choice=0), None) for ask in step.requests]
            referee.answer(acts)
            rulings: Sequence[RulingRecord] = record.end.rulings[:1] if steps == 1 else ()
            watcher.stepped(referee.state, referee.events[seen:], referee.bank_ms(), rulings)
            seen = len(referee.events)
            steps = steps and steps - 1
        elif isinstance(step, Ask):
            return
    watcher.game_ended(record, [])


class Script:
    """Stand in for a terminal: keys come as written down, time passes only by waiting."""

    def __init__(self, *keys: str) -> None:
        self.pending = list(keys)
        self.waits: list[float] = []
        self.time = 0.0
        self.text = ""
        self.alive = True
        self.opened = self.closed = 0

    def open(self) -> None:
        self.opened += 1

    def close(self) -> None:
        self.closed += 1

    def read(self, timeout_s: float) -> str:
        self.waits.append(timeout_s)
        if timeout_s == PAUSED_S:
            assert self.pending, "it waits for a key for ever"
            return self.pending.pop(0)
        if timeout_s == 0 or not self.pending:
            self.time += timeout_s
            return ""
        return self.pending.pop(0)

    def write(self, text: str) -> None:
        self.text += text

    def live(self, size: tuple[int, int] = (80, 30)) -> Live:
        return Live(self, self.write, lambda: size, color=False, now=lambda: self.time)  # type: ignore[arg-type]

    @property
    def screens(self) -> list[str]:
        """Everything that was drawn, screen by screen."""
        return [ESCAPE.sub("", part) for part in self.text.split("\x1b[H")[1:]]


def test_each_step_is_drawn_and_stays_for_a_while() -> None:
    script = Script()
    show(RECORD, script.live())
    assert len(script.screens) > 20
    assert all("Round" in screen and "speed 4 of 7" in screen for screen in script.screens)
    assert script.time >= 20 * DELAYS_S[3]
    assert (script.opened, script.closed) == (1, 1)


def test_the_last_picture_is_left_behind_on_the_usual_screen() -> None:
    script = Script()
    show(RECORD, script.live())
    _, _, left = script.text.rpartition("\x1b[?1049l")
    assert script.text.count("\x1b[?1049h") == script.text.count("\x1b[?1049l") == 1
    assert "Round" in left
    assert "max_rounds in round 6: 1. bot" in left
    assert "\x1b" not in left


def test_space_pauses_then_goes_step_by_step_until_r() -> None:
    script = Script(" ", " ", " ", "r")
    show(RECORD, script.live(), steps=9)
    paused = [index for index, screen in enumerate(script.screens) if "paused" in screen]
    assert paused == [1, 2, 3]
    assert script.waits.count(PAUSED_S) == 3
    assert "speed 4 of 7" in script.screens[4]


def test_a_paused_picture_follows_the_size_of_the_terminal() -> None:
    script = Script(" ", "", "r")  # paused; half a second without a key; on
    live = script.live()
    sizes = iter([(80, 30), (80, 30), (40, 12)])
    live.size = lambda: next(sizes, (40, 12))
    show(RECORD, live, steps=0)
    screens = script.screens[:4]
    assert ["paused" in screen for screen in screens] == [False, True, True, False]
    heights = [screen.count("\n") + 1 for screen in screens]
    assert heights == [30, 30, 12, 12]


@pytest.mark.parametrize(
    ("keys", "speed"), [("+", 5), ("++", 6), ("+" * 9, 7), ("-", 3), ("-" * 9, 1), ("=-", 4)]
)
def test_plus_and_minus_change_the_speed(keys: str, speed: int) -> None:
    script = Script(*keys)
    show(RECORD, script.live(), steps=2)
    assert f"speed {speed} of 7" in script.screens[-1]


def test_f_goes_on_without_drawing() -> None:
    script = Script("f")
    show(RECORD, script.live())
    assert len(script.screens) == 1
    assert script.text.endswith("\x1b[?1049l")
    assert script.time == 0


def test_q_interrupts_the_match_and_gives_the_terminal_back() -> None:
    script = Script("q")
    with pytest.raises(KeyboardInterrupt):
        show(RECORD, script.live())
    assert script.text.endswith("\x1b[?1049l")
    assert script.closed == 1


def test_other_keys_change_nothing() -> None:
    script = Script("x", "\x1b", "é")
    show(RECORD, script.live(), steps=0)
    assert "speed 4 of 7" in script.screens[-1]


def test_faults_are_told_on_the_screen() -> None:
    script = Script()
    show(RECORD, script.live((80, 40)), steps=1)
    ruling = RECORD.end.rulings[0]
    assert f"! bot {ruling.seat} ({ruling.seat}): {ruling.fault}" in script.screens[-1]


def scene(**more: object) -> Scene:
    state = rules.start("base", 3)
    return Scene(RECORD.header, view(state), told=["one", "two\x1b[2J", "three"], **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(80, 24), (80, 60), (79, 24), (40, 12), (20, 10), (200, 100)])
def test_a_screen_is_never_larger_than_the_terminal(size: tuple[int, int]) -> None:
    width, height = size
    for color in (True, False):
        lines = paint(scene(bank_ms=(1, 2, 3)), 99.0, width, height, color)
        assert len(lines) == height
        assert max(cells(ESCAPE.sub("", line)) for line in lines) <= width
        assert not any("\x1b[2J" in line for line in lines)


def test_a_screen_depends_on_nothing_but_what_it_is_given() -> None:
    assert paint(scene(), 61.0, 80, 24, True) == paint(scene(), 61.0, 80, 24, True)
    assert " game 1 of 1   1:01   speed 4 of 7" in paint(scene(), 61.0, 80, 24, False)
    assert " game 2 of 3   0:00   paused" in paint(
        scene(game=2, games=3, began=99.0, paused=True), 61.0, 80, 24, False
    )


def test_off_a_terminal_a_match_is_told_in_plain_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with watching(Terminal()) as watcher:
        assert isinstance(watcher, Plain)
        show(RECORD, watcher)
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert lines[0] == f"game {RECORD.header.game}: bot 0 (0), bot 1 (1), bot 2 (2)"
    assert "  bot 0 (0) plays 1" in lines
    assert lines[-1].startswith("  max_rounds in round 6: 1. bot")
    assert "\x1b" not in captured.err


def test_a_void_game_is_told_as_such() -> None:
    lines: list[str] = []
    watcher = Plain(lines.append)
    void = replaced(RECORD.end, void="host", void_sentence="too \x1b[31mbusy")
    watcher.game_ended(replaced(RECORD, end=void), [])
    assert lines == ["  void (host): too busy"]


def test_a_game_that_was_spoiled_before_it_began_leaves_the_screen_alone() -> None:
    script = Script()
    script.live().game_ended(RECORD, [])
    assert script.text == ""


def test_keys_come_one_by_one_from_a_real_terminal() -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    keys = Keys(theirs)
    try:
        assert not keys.alive
        keys.open()
        os.write(ours, b" +")
        assert (keys.read(5), keys.read(5), keys.read(0)) == (" ", "+", "")
        keys.close()
        assert termios.tcgetattr(theirs) == before
    finally:
        os.close(ours)
        os.close(theirs)


def test_where_there_is_no_terminal_no_key_comes() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"q")
    keys = Keys(reader)
    keys.open()
    assert not keys.alive
    assert keys.read(0) == ""
    keys.close()
    os.close(reader)
    os.close(writer)
