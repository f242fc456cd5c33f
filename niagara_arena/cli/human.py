"""Let a person play: `human` is a bot whose answers are typed at the terminal.

Laws kept here:

- The match runner sees a process like any other: pipes, and the protocol on them. A thread on the
  other side draws, asks and answers; when the match closes it, it ends, even while it asks.
- A person sees what a bot in that seat would be sent, and nothing else.
- Everything is shown on stderr: stdout is for data.
"""

from __future__ import annotations

import _thread
import hashlib
import json
import os
import select
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import click

from niagara_arena.cli.board import LEGEND, draw
from niagara_arena.cli.choices import QUESTIONS, describe
from niagara_arena.cli.telling import seat_name, tell
from niagara_arena.cli.terminal import Terminal
from niagara_arena.cli.text import clean
from niagara_arena.sandbox import Backend, Exit, Launch, Meter, Process
from niagara_arena.submissions import Submission
from niagara_arena.submissions.tree import Tree

__all__ = ["HUMAN", "Console", "Person", "person", "with_people"]

HUMAN: Final = "human"
_COMMAND: Final = (HUMAN,)
_WAKE_S: Final = 0.1
"""How often a waiting person's thread looks whether the match is over."""
_HELP: Final = (
    "type what stands before your choice; other text lists what contains it, Enter lists all, "
    "b draws the river, q leaves"
)


class Left(Exception):
    """The person is gone, or no longer wanted."""


class Console:
    """The terminal of the people who play: one line at a time, given up when the match ends."""

    def __init__(self, fd: int, write: Callable[[str], None], width: int, color: bool) -> None:
        self._fd = fd
        self._left = b""
        self._write = write
        self.width = width
        self.color = color
        self.turn = threading.Lock()
        """Held by the one who is asked: two people share one keyboard."""

    @classmethod
    def of(cls, terminal: Terminal, fd: int = 0) -> Console:
        """Return the console of the person who started the command."""
        color = os.isatty(2) if terminal.color is None else terminal.color
        width = shutil.get_terminal_size().columns

        def write(text: str) -> None:
            click.echo(text, err=True, color=color, nl=False)

        return cls(fd, write, width, color)

    def show(self, text: str) -> None:
        """Show a line."""
        self._write(f"{text}\n")

    def ask(self, prompt: str, over: threading.Event) -> str:
        """Wait for a typed line; raise `Left` at the end of the input or of the match."""
        self._write(prompt)
        while b"\n" not in self._left:
            if over.is_set():
                raise Left
            if select.select([self._fd], [], [], _WAKE_S)[0]:
                some = os.read(self._fd, 4096)
                if not some:
                    raise Left
                self._left += some
        line, _, self._left = self._left.partition(b"\n")
        return line.decode("utf-8", "replace").strip()


class Person:
    """Answer the arena's messages by asking a person."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._over = threading.Event()
        self._seat = 0
        self._names: list[str] = []

    def stop(self) -> None:
        """Ask nothing more."""
        self._over.set()

    def reply(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a message, None where none is wanted."""
        kind = message["type"]
        if kind == "hello":
            return {"type": "ready", "protocol": message["protocol"], "name": HUMAN}
        if kind == "start":
            self._seat = message["seat"]
            self._names = list(message["names"] or [""] * message["seats"])
            self._names[self._seat] = "you"
            self._console.show(f"You are seat {self._seat}. {LEGEND}")
        elif kind == "decide":
            with self._console.turn:
                return {"id": message["id"], "choice": self._ask(message)}
        elif kind in ("end", "ruling"):
            self._tell(message.get("events", ()))
        return None

    def _tell(self, events: Sequence[Mapping[str, Any]]) -> None:
        for event in events:
            self._console.show(f" {tell(event, self._names)}")

    def _ask(self, message: Mapping[str, Any]) -> int:
        """Show the river and the choices until a number is typed."""
        seen = message["observation"]
        own = seen["position"]["players"][self._seat]
        options = {
            action.get("card", str(number)): clean(
                describe(action, self._seat, own["canoes"], self._names)
            )
            for number, action in enumerate(message["legal"], 1)
        }
        self._tell(message["events"])
        self._river(seen)
        self._console.show(f"\n {QUESTIONS[message['kind']]}")
        self._list(options, "")
        while True:
            who = seat_name(self._seat, self._names)
            typed = self._console.ask(f" {who}, or ? for help: ", self._over)
            if typed in options:
                return list(options).index(typed)
            if typed == "q":
                raise Left
            if typed == "b":
                self._river(seen)
            elif typed == "?":
                self._console.show(f" {_HELP}")
            else:
                self._list(options, typed)

    def _river(self, seen: Mapping[str, Any]) -> None:
        console = self._console
        turn = seen["turn"]["seat"] if seen["turn"] else None
        for line in draw(
            seen["position"],
            width=console.width,
            color=console.color,
            played=seen["played"],
            names=self._names,
            turn=turn,
            max_rounds=seen["max_rounds"],
        ):
            console.show(line)
        if seen["own"]["card"] is not None:
            self._console.show(f" your card: {seen['own']['card']}")

    def _list(self, options: Mapping[str, str], wanted: str) -> None:
        found = {key: text for key, text in options.items() if wanted.lower() in text.lower()}
        for key, text in found.items():
            self._console.show(f" {key:>5}  {text}")
        if not found:
            self._console.show(f" nothing contains {clean(wanted)!r}; {_HELP}")


class _Seat:
    """Look like a process to the match runner."""

    def __init__(self, person: Person, level: str) -> None:
        self._reads, self.stdin = os.pipe()
        self.stdout, self._writes = os.pipe()
        self.stderr, self._silent = os.pipe()
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.pid = os.getpid()
        self.level = level
        self.meter = Meter()
        self._person = person
        self._closed = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            with os.fdopen(self._reads, "rb") as lines, os.fdopen(self._writes, "wb") as out:
                for line in lines:
                    message = json.loads(line)
                    if message["type"] == "quit":
                        return
                    answer = self._person.reply(message)
                    if answer is not None:
                        out.write(json.dumps(answer).encode() + b"\n")
                        out.flush()
        except Left:
            if not self._closed:
                _thread.interrupt_main()  # as if Ctrl-C had been pressed
        except OSError:
            return  # the match has ended meanwhile

    def freeze(self) -> None:
        """Leave people alone."""

    def thaw(self) -> None:
        """Leave people alone."""

    def poll(self) -> Exit | None:
        """Say whether the person has left."""
        return None if self._thread.is_alive() else Exit(0, None, False, "exit 0")

    def stdout_closed(self) -> bool:
        """A person's seat ends only with the pipe."""
        return False

    def over_memory(self) -> bool:
        """Let people remember what they like."""
        return False

    def kill(self) -> None:
        """Ask nothing more; may be called again."""
        self._closed = True
        self._person.stop()

    def close(self) -> None:
        """End the conversation and give back every descriptor."""
        self.kill()
        if self.stdin >= 0:
            for fd in (self.stdin, self.stdout, self.stderr, self._silent):
                os.close(fd)
            self.stdin = self.stdout = self.stderr = self._silent = -1
            self._thread.join(10 * _WAKE_S)


class _WithPeople:
    """Start bots as another back end does, and people at the terminal."""

    def __init__(self, inner: Backend, console: Console) -> None:
        self._inner = inner
        self._console = console
        self.level = inner.level

    def start(self, launch: Launch) -> Process:
        """Seat a person, or start a bot."""
        if launch.command == _COMMAND:
            return _Seat(Person(self._console), self.level)
        return self._inner.start(launch)


def person() -> Submission:
    """Return what stands for a person in a table."""
    digest = hashlib.sha256(b"a person at the terminal").hexdigest()
    return Submission(digest, HUMAN, _COMMAND, Tree(()), None)


def with_people(backend: Backend, console: Console) -> Backend:
    """Return a back end that seats people too; `person().run` is the command that asks for one."""
    return _WithPeople(backend, console)
