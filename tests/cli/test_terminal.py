"""How loud and how colourful messages on stderr are."""

from __future__ import annotations

import io

import click
import pytest

from niagara_arena.cli.main import cli
from niagara_arena.cli.terminal import Terminal, can_redraw
from niagara_arena.cli.tournament import progress_of
from niagara_arena.cli.tournament_board import LiveBoard
from tests.cli.conftest import Niagara

RED = "\x1b[31m\x1b[1merror:\x1b[0m"


def test_off_a_terminal_there_is_no_colour(niagara: Niagara) -> None:
    assert niagara("xyzzy").stderr.startswith("error: ")


@pytest.mark.parametrize("args", [["xyzzy"], ["completion", "xyzzy"], ["completion", "--xyzzy"]])
def test_always_colours_every_kind_of_error(niagara: Niagara, args: list[str]) -> None:
    assert niagara("--color", "always", *args).stderr.startswith(RED)


def test_the_environment_may_choose_the_colour(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIAGARA_COLOR", "always")
    assert niagara("xyzzy").stderr.startswith(RED)


CHOICES = {
    "auto-leaves-it-to-the-stream": ("auto", {}, None),
    "auto-honours-no-color": ("auto", {"NO_COLOR": "1"}, False),
    "an-empty-no-color-counts-for-nothing": ("auto", {"NO_COLOR": ""}, None),
    "always-outranks-no-color": ("always", {"NO_COLOR": "1"}, True),
    "never-is-never": ("never", {}, False),
}


@pytest.mark.parametrize(("when", "environment", "color"), CHOICES.values(), ids=CHOICES)
def test_color_choice(when: str, environment: dict[str, str], color: bool | None) -> None:
    terminal = Terminal()
    terminal.choose_color(when, environment)
    assert terminal.color is color


def test_no_color_reaches_the_commands(niagara: Niagara, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool | None] = []

    def callback() -> None:
        seen.append(click.get_current_context().color)

    monkeypatch.setattr(cli, "get_command", lambda ctx, name: click.Command("c", callback=callback))
    niagara("c")
    monkeypatch.setenv("NO_COLOR", "1")
    niagara("c")
    niagara("--color", "always", "c")
    assert seen == [None, False, True]


LOUDNESS = {
    "": "note\nwarning: warn\nerror: error\n",
    "-v": "detail\nnote\nwarning: warn\nerror: error\n",
    "-q": "warning: warn\nerror: error\n",
    "-qq": "error: error\n",
    "-qv": "note\nwarning: warn\nerror: error\n",
}


@pytest.mark.parametrize(("flags", "stderr"), LOUDNESS.items(), ids=LOUDNESS)
def test_loudness(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch, flags: str, stderr: str
) -> None:
    @click.command()
    @click.pass_obj
    def speak(terminal: Terminal) -> None:
        terminal.detail("detail")
        terminal.note("note")
        terminal.warn("warn")
        terminal.error("error")

    monkeypatch.setattr(cli, "get_command", lambda ctx, name: speak)
    run = niagara(*flags.split(), "speak")
    assert (run.exit, run.stdout, run.stderr) == (0, "", stderr)


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("term", "able"), [("xterm", True), ("dumb", False), ("", False), (None, False)]
)
def test_only_some_terminals_can_redraw(
    monkeypatch: pytest.MonkeyPatch, term: str | None, able: bool
) -> None:
    monkeypatch.delenv("TERM", raising=False)
    if term is not None:
        monkeypatch.setenv("TERM", term)
    assert can_redraw(Screen()) is able
    assert not can_redraw(io.StringIO())


@pytest.mark.parametrize(
    ("term", "color", "board", "plain"),
    [("xterm", None, True, False), ("xterm", False, True, True), ("dumb", None, False, True)],
)
def test_a_tournament_is_shown_as_the_terminal_can(
    monkeypatch: pytest.MonkeyPatch, term: str, color: bool | None, board: bool, plain: bool
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stderr", Screen())
    shown = progress_of(Terminal(color), "spring", wanted=True)
    assert isinstance(shown, LiveBoard) is board
    assert (not isinstance(shown, LiveBoard) or shown.console.no_color) is plain
