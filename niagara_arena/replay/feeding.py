"""Feed a bot the bytes that a seat of a recorded game received, and compare its answers.

For authors who look for a bug: no clock runs, nothing is sandboxed, the bot's stderr is theirs. The
game goes on as it was recorded whatever the bot answers now.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import IO, Any, Final, NamedTuple

import msgspec

from niagara_arena.errors import InputError, NotPossibleHere, RulesError
from niagara_arena.records import GameRecord
from niagara_arena.replay.audit import verify
from niagara_arena.replay.requests import Sent, rebuild
from niagara_arena.rules import action_from_json, action_to_json
from niagara_arena.wire.limits import LINE_BYTES
from niagara_arena.wire.messages import QUIT_LINE, Act, Ready, hello_line
from niagara_arena.wire.replies import Stale, Trouble, excerpt, read_act, read_ready

__all__ = ["Reply", "feed"]

QUIT_GRACE_S: Final = 2.0
"""How long the bot may take to exit when all has been said."""


class Reply(NamedTuple):
    """What the bot answers now to one recorded question."""

    sent: Sent
    played: bytes
    """The action that it chooses, as JSON; empty when there is none."""
    trouble: str = ""
    """What is wrong with the answer."""

    @property
    def same(self) -> bool:
        """Whether it is what was answered then."""
        return not self.trouble and self.sent.ruling is None and self.played == self.sent.played


class _Gone(Exception):
    """The bot has closed its stdout."""


class _Flood(Exception):
    """The bot has written a line that is too long; what follows can't be told from it."""


def feed(
    record: GameRecord,
    seat: int,
    command: Sequence[str],
    *,
    until: int | None = None,
    pause: Callable[[int, Sent], None] | None = None,
) -> Iterator[Reply]:
    """Yield the answers of a fresh process of a bot to everything that a seat was sent.

    With ``until`` the question of that id is the last; ``pause`` is called with the process id
    before it is sent. The process is ended when the iterator is. A record that can't be proved is
    refused.
    """
    if not 0 <= seat < len(record.header.seats):
        raise InputError(f"there is no seat {seat}", f"it is 0 to {len(record.header.seats) - 1}")
    difference = verify(record)
    if difference is not None:  # other bytes than the seat received would help nobody
        raise difference
    stream = rebuild(record).streams[seat]
    if until is not None:
        stream = _up_to(stream, until)
    try:
        bot = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise NotPossibleHere(
            f"`{command[0]}` can't be started: {error.strerror}",
            "after `--` stands a command, seen from this folder, such as `python3 otter/bot.py`",
        ) from None
    assert bot.stdin is not None
    assert bot.stdout is not None
    try:
        yield from _converse(bot, bot.stdin, bot.stdout, record.header.arena, stream, until, pause)
        with suppress(OSError):
            bot.stdin.write(QUIT_LINE)
            bot.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            bot.wait(QUIT_GRACE_S)
    finally:
        bot.kill()
        with suppress(OSError):  # what it never read
            bot.stdin.close()
        bot.stdout.close()
        bot.wait()


def _up_to(stream: tuple[Sent, ...], until: int) -> tuple[Sent, ...]:
    for index, sent in enumerate(stream):
        if sent.number == until:
            return stream[: index + 1]
    numbers = [sent.number for sent in stream if sent.number]
    raise InputError(
        f"the seat was asked no question {until}",
        f"its questions are {numbers[0]} to {numbers[-1]}" if numbers else "it was asked nothing",
    )


def _converse(
    bot: subprocess.Popen[bytes],
    stdin: IO[bytes],
    stdout: IO[bytes],
    arena: str,
    stream: tuple[Sent, ...],
    until: int | None,
    pause: Callable[[int, Sent], None] | None,
) -> Iterator[Reply]:
    """Say hello, then everything else; stop when the bot is gone."""
    try:
        _say(stdin, hello_line(arena))
        ready = read_ready(_line(stdout))
    except _Gone:
        raise InputError(
            f"the bot {_end(bot)} before it was ready",
            "after `--` stands the command that starts it, seen from this folder",
        ) from None
    except _Flood as flood:
        raise _not_ready(str(flood)) from None
    if not isinstance(ready, Ready):
        raise _not_ready(ready.sentence)
    for sent in stream:
        if pause is not None and until is not None and sent.number == until:
            pause(bot.pid, sent)
        try:
            _say(stdin, sent.line)
            reply = _hear(stdout, sent) if sent.number else None
        except _Gone:
            if sent.number:
                yield Reply(sent, b"", f"no answer, the bot {_end(bot)}")
            return
        except _Flood as flood:
            yield Reply(sent, b"", str(flood))
            return
        if reply is not None:
            yield reply


def _not_ready(sentence: str) -> InputError:
    return InputError(
        f"the bot's answer to `hello` is no `ready`: {sentence}",
        "`niagara protocol spec` says what it should be",
    )


def _end(bot: subprocess.Popen[bytes]) -> str:
    """Say how a bot that has closed its stdout ended."""
    try:
        code = bot.wait(QUIT_GRACE_S)
    except subprocess.TimeoutExpired:
        return "closed its stdout"
    return f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"


def _say(stdin: IO[bytes], line: bytes) -> None:
    try:
        stdin.write(line)
        stdin.flush()
    except BrokenPipeError:
        raise _Gone from None


def _line(stdout: IO[bytes]) -> bytes:
    line = stdout.readline(LINE_BYTES + 1)
    if line.endswith(b"\n"):
        return line[:-1]
    if len(line) > LINE_BYTES:
        raise _Flood(f"a line longer than {LINE_BYTES} bytes [P-1.5]: {excerpt(line)}")
    raise _Gone  # what it wrote after its last line feed is no line


def _hear(stdout: IO[bytes], sent: Sent) -> Reply:
    """Read the answer to a question; late answers to earlier ones are skipped."""
    while True:
        line = _line(stdout)
        act = read_act(line, sent.number)
        match act:
            case Stale():
                continue
            case Trouble():
                return Reply(sent, b"", f"{act.sentence}: {excerpt(line)}")
            case Act():
                return _chosen(sent, act)


def _chosen(sent: Sent, act: Act) -> Reply:
    entries: list[dict[str, Any]] = [
        {key: value for key, value in entry.items() if key != "result"}
        for entry in msgspec.json.decode(sent.line)["legal"]
    ]
    if isinstance(act.choice, int):
        if act.choice < len(entries):
            return Reply(sent, msgspec.json.encode(entries[act.choice]))
        return Reply(sent, b"", f"`choice` is {act.choice}, `legal` has {len(entries)} entries")
    assert isinstance(act.action, dict)
    spelled = {key: value for key, value in act.action.items() if key != "result"}
    try:
        action = action_to_json(action_from_json(spelled))
    except RulesError as error:
        return Reply(sent, b"", str(error))
    played = msgspec.json.encode(action)
    if action not in entries:
        return Reply(sent, played, f"{played.decode()} is not in `legal`")
    return Reply(sent, played)
