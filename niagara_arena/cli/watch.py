"""Watch a match while it is played: the river in the terminal, or plain lines off one.

What is on the screen is a pure function of a `Scene`, the time and the size. The watchers here are
told by the match runner after every step; while they wait for a key or for the eye, no bot is asked
anything, so nothing is charged to one. All goes to stderr: stdout is for data.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import click

from niagara_arena.cli.board import draw, tell
from niagara_arena.cli.canvas import Piece, cut, render
from niagara_arena.cli.telling import seat_name
from niagara_arena.cli.terminal import Terminal, can_redraw
from niagara_arena.cli.text import clean
from niagara_arena.match import Watcher
from niagara_arena.records import GameHeader, GameRecord, RulingRecord
from niagara_arena.referee import FaultReport, Request
from niagara_arena.replay import view
from niagara_arena.rules import State

__all__ = ["Keys", "Live", "Plain", "Scene", "paint", "watching"]

DELAYS_S: Final = (3.0, 1.5, 0.8, 0.4, 0.2, 0.1, 0.0)
"""How long a step stays on the screen, by speed."""
DEFAULT_SPEED: Final = 3
PAUSED_S: Final = 0.5
"""How often a paused picture is drawn anew: the terminal may have been resized."""
KEPT: Final = 100
"""How many of the latest sentences are kept for a high terminal."""
KEYS: Final = "space pause, step   r run   + - speed   f finish unseen   q quit"

_ENTER: Final = "\x1b[?1049h\x1b[?25l"  # another screen, no cursor
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_HOME: Final = "\x1b[H"
_TO_END_OF_LINE: Final = "\x1b[K"
_TO_END_OF_SCREEN: Final = "\x1b[J"

Incidents = Sequence[tuple[Request | None, FaultReport]]


@dataclass(frozen=True)
class Scene:
    """Hold everything that is on the screen."""

    header: GameHeader
    view: Mapping[str, Any]
    """What everybody sees: position, cards played, turn."""
    bank_ms: Sequence[int] = ()
    told: Sequence[str] = ()
    """The latest sentences, the newest last."""
    game: int = 1
    games: int = 1
    began: float = 0.0
    paused: bool = False
    speed: int = DEFAULT_SPEED

    @property
    def names(self) -> list[str]:
        """The bots' names by seat."""
        return [seat.name for seat in self.header.seats]


def paint(scene: Scene, now: float, width: int, height: int, color: bool) -> list[str]:
    """Return the lines of the screen: the river, the latest sentences, a line of status."""
    board = picture(replace(scene, told=()), width, color)
    room = height - len(board) - 3
    told = scene.told[-room:] if room > 0 else ()
    lines = [*board, "", *(_row(f" {line}", "", width, color) for line in told)]
    lines += [""] * (room - len(told))
    return [*lines[: max(0, height - 2)], *_status(scene, now, width, color)]


def picture(scene: Scene, width: int, color: bool) -> list[str]:
    """Return the lines of the river with what was told below it."""
    timed = scene.header.settings.clock.mode != "off"
    return draw(
        scene.view["position"],
        width=width,
        color=color,
        played=scene.view["played"],
        names=scene.names,
        clocks=scene.bank_ms if timed else (),
        notes=scene.told,
        turn=(scene.view["turn"] or {}).get("seat"),
        max_rounds=scene.header.settings.max_rounds,
    )


def _status(scene: Scene, now: float, width: int, color: bool) -> list[str]:
    seconds = max(0, int(now - scene.began))
    state = "paused" if scene.paused else f"speed {scene.speed + 1} of {len(DELAYS_S)}"
    text = f" game {scene.game} of {scene.games}   {seconds // 60}:{seconds % 60:02}   {state}"
    return [_row(text, "bold", width, color), _row(f" {KEYS}", "dim", width, color)]


def _row(text: str, style: str, width: int, color: bool) -> str:
    return render(cut([Piece(clean(text), style)], width), color)


def sentences(
    events: Sequence[str], rulings: Sequence[RulingRecord], names: Sequence[str]
) -> list[str]:
    """Return what a step led to, rulings first, since events follow from them."""
    told = [
        f"! {seat_name(ruling.seat, names)}: {ruling.fault} ({clean(ruling.detail)}): "
        f"{clean(ruling.sentence)}"
        for ruling in rulings
    ]
    return told + [tell(json.loads(event), names) for event in events]


def ending(record: GameRecord) -> str:
    """Say in a line how a game ended."""
    end = record.end
    names = [seat.name for seat in record.header.seats]
    if end.void is not None:
        return f"void ({end.void}): {clean(end.void_sentence)}"
    places = sorted(zip(end.placings, range(len(names)), strict=True))
    table = ", ".join(f"{place}. {seat_name(seat, names)}" for place, seat in places)
    return f"{end.reason} in round {end.rounds}: {table}"


class Plain:
    """Tell a match in lines, where nobody can press a key."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._names: list[str] = []

    def game_started(self, header: GameHeader, state: State, events: Sequence[str]) -> None:
        """Tell who sits where."""
        self._names = [seat.name for seat in header.seats]
        seats = ", ".join(seat_name(seat, self._names) for seat in range(len(self._names)))
        self._say(f"game {clean(header.game)}: {seats}")
        self._tell(events, ())

    def stepped(
        self,
        state: State,
        events: Sequence[str],
        bank_ms: Sequence[int],
        rulings: Sequence[RulingRecord],
    ) -> None:
        """Tell what happened."""
        self._tell(events, rulings)

    def game_ended(self, record: GameRecord, incidents: Incidents) -> None:
        """Tell how it ended."""
        self._say(f"  {ending(record)}")

    def _tell(self, events: Sequence[str], rulings: Sequence[RulingRecord]) -> None:
        for line in sentences(events, rulings, self._names):
            self._say(f"  {line}")


@dataclass
class Keys:
    """Read single keys from a terminal; from anything else none ever comes."""

    fd: int
    _saved: list[Any] | None = field(default=None, init=False)

    def open(self) -> None:
        """Let keys come without Enter and unseen; Ctrl-C still interrupts."""
        if self._saved is None and os.isatty(self.fd):
            self._saved = termios.tcgetattr(self.fd)
            tty.setcbreak(self.fd, termios.TCSANOW)

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._saved is not None:
            termios.tcsetattr(self.fd, termios.TCSANOW, self._saved)
            self._saved = None

    @property
    def alive(self) -> bool:
        """Whether a key can come."""
        return self._saved is not None

    def read(self, timeout_s: float) -> str:
        """Return a key, or nothing when the time is up or the terminal is gone."""
        if not self.alive:
            time.sleep(timeout_s)
            return ""
        ready, _, _ = select.select([self.fd], [], [], timeout_s)
        key = os.read(self.fd, 1).decode("latin-1") if ready else ""
        if ready and not key:  # end of file: nobody will press one any more
            self.close()
        return key


@dataclass
class Live:
    """Draw a match as it is played, at a speed for people, and obey keys."""

    keys: Keys
    write: Callable[[str], None]
    size: Callable[[], tuple[int, int]]
    """Columns and rows of the terminal, asked for anew each time."""
    color: bool = True
    games: int = 1
    now: Callable[[], float] = time.monotonic
    _scene: Scene | None = field(default=None, init=False)
    _game: int = field(default=0, init=False)
    _speed: int = field(default=DEFAULT_SPEED, init=False)
    _paused: bool = field(default=False, init=False)
    _unseen: bool = field(default=False, init=False)
    _shown: bool = field(default=False, init=False)

    def game_started(self, header: GameHeader, state: State, events: Sequence[str]) -> None:
        """Open the screen."""
        self._game += 1
        scene = Scene(header, view(state), game=self._game, games=self.games, began=self.now())
        self._scene = replace(scene, told=sentences(events, (), scene.names))
        if not self._unseen:
            self._open()
            self._show(self._scene)

    def stepped(
        self,
        state: State,
        events: Sequence[str],
        bank_ms: Sequence[int],
        rulings: Sequence[RulingRecord],
    ) -> None:
        """Draw what happened, and give people time to see it."""
        scene = self._scene
        assert scene is not None
        told = sentences(events, rulings, scene.names)
        self._scene = replace(
            scene, view=view(state), bank_ms=bank_ms, told=[*scene.told, *told][-KEPT:]
        )
        if told and not self._unseen:  # secret choices show nothing
            self._show(self._scene)

    def game_ended(self, record: GameRecord, incidents: Incidents) -> None:
        """Leave the screen, and leave the last picture behind."""
        scene = self._scene
        if scene is None:  # it was spoiled before it began
            return
        self._scene = None
        scene = replace(scene, told=[*scene.told, ending(record)])
        if self._shown and record.end.void is None:
            self._show(scene)
        self.close()
        if not self._unseen:
            width, _ = self.size()
            last = replace(scene, told=scene.told[-1:])
            self.write("\n".join([*picture(last, width, self.color), ""]))

    def _open(self) -> None:
        if not self._shown:
            self.keys.open()
            self.write(_ENTER)
            self._shown = True

    def close(self) -> None:
        """Give the terminal back as it was."""
        if self._shown:
            self._shown = False
            self.write(_LEAVE)
            self.keys.close()

    # --- Time and keys -------------------------------------------------------------------------

    def _show(self, scene: Scene) -> None:
        """Draw, then wait as long as the speed says, or for a key when paused."""
        until = self.now() + DELAYS_S[self._speed]
        while not self._unseen:
            self._draw(scene)
            left = PAUSED_S if self._paused and self.keys.alive else until - self.now()
            if left <= 0:
                key = self.keys.read(0)
                if not key:
                    return
            else:
                key = self.keys.read(left)
            if key == " " and self._paused:
                return  # one step on
            faster = self._obey(key)
            until = self.now() + DELAYS_S[self._speed] if faster else until

    def _obey(self, key: str) -> bool:
        """Follow a key; return whether the time of the step begins anew."""
        match key:
            case " ":
                self._paused = True
            case "r" | "\r" | "\n":
                self._paused = False
            case "+" | "=":
                self._speed = min(self._speed + 1, len(DELAYS_S) - 1)
            case "-":
                self._speed = max(self._speed - 1, 0)
            case "f":
                self._unseen = True
                self.close()
            case "q":
                self.close()
                raise KeyboardInterrupt
            case _:
                return False
        return True

    def _draw(self, scene: Scene) -> None:
        width, height = self.size()
        scene = replace(scene, paused=self._paused, speed=self._speed)
        lines = paint(scene, self.now(), width, height, self.color)
        body = f"{_TO_END_OF_LINE}\r\n".join(lines)
        self.write(f"{_HOME}{body}{_TO_END_OF_LINE}{_TO_END_OF_SCREEN}")


@contextmanager
def watching(terminal: Terminal, games: int = 1) -> Iterator[Watcher]:
    """Give a watcher that fits where stderr goes; the terminal is as before afterwards."""
    stream = sys.stderr
    if not can_redraw(stream):
        yield Plain(lambda line: click.echo(line, err=True))
        return

    def write(text: str) -> None:
        stream.write(text)
        stream.flush()

    def size() -> tuple[int, int]:
        try:
            found = os.get_terminal_size(stream.fileno())
        except OSError:
            found = shutil.get_terminal_size()
        return max(20, found.columns), max(10, found.lines)

    live = Live(Keys(sys.stdin.fileno()), write, size, terminal.color is not False, games)
    try:
        yield live
    finally:
        live.close()
