"""What the author of a bot is told after a fault: what, when, the request, the reply, the log."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from niagara_arena.cli.text import clean
from niagara_arena.records import Fault, GameRecord, RulingRecord
from niagara_arena.referee import FaultReport, Request
from niagara_arena.submissions import Submission, find
from niagara_arena.wire.replies import excerpt

__all__ = ["UNKNOWN_COMMAND", "command_of", "fault_report"]

REQUEST_SHOWN = 1_500
REQUEST_HEAD = 500
LEGAL = '"legal":['
"""Of a long question the beginning and the legal actions are shown: these matter to a fault."""
LOG_LINES = 15
BUILD_LINES = 30
UNKNOWN_COMMAND = "YOUR BOT'S COMMAND"


def command_of(reference: str, submission: Submission) -> str:
    """Return the shell words that start a bot from here, as `niagara replay feed` wants them."""
    directory = find(reference)
    if directory is None:
        return shlex.join(shlex.split(reference))  # what a shell would read in it means nothing
    if submission.build or submission.runtimes:  # neither is found beside the bot.toml
        return UNKNOWN_COMMAND
    inside = f"cd {shlex.quote(str(directory))} && exec {shlex.join(submission.run)}"
    return shlex.join(["sh", "-c", inside])


def fault_report(
    record: GameRecord,
    incidents: Sequence[tuple[Request | None, FaultReport]],
    path: Path | None,
    commands: Mapping[str, str],
) -> Iterator[str]:
    """Yield a block of text for each fault of a game, in the order of the rulings.

    ``commands`` says by submission what starts a bot.
    """
    left = list(incidents)
    for ruling in record.end.rulings:
        found = next(
            (
                one
                for one in left
                if one[1].sentence == ruling.sentence
                and (one[0] is None or one[0].seat == ruling.seat)
            ),
            None,
        )
        if found is not None:
            left.remove(found)
        yield _block(record, ruling, found, path, commands)


def _block(
    record: GameRecord,
    ruling: RulingRecord,
    incident: tuple[Request | None, FaultReport] | None,
    path: Path | None,
    commands: Mapping[str, str],
) -> str:
    bot = record.header.seats[ruling.seat]
    name = bot.name
    cost = {"retire": "retired", "default": "its first legal action was played"}
    lines = [
        f"{name} (seat {ruling.seat}): {ruling.fault.value} ({ruling.detail})"
        f" — {cost[ruling.sanction.value]}",
        f"  what     {ruling.sentence}",
    ]
    request, report = incident if incident is not None else (None, None)
    if request is not None:
        lines.append(
            f"  when     decision {ruling.decision} of game {record.header.game},"
            f" a question of kind `{request.kind}` with id {request.number}"
        )
        text = request.line.decode().rstrip("\n")
        lines.append(f"  request  {_short(text)}")
    else:
        lines.append(f"  when     before game {record.header.game} began")
    if ruling.fault is Fault.BUILD:
        words = report.reply.decode("utf-8", "replace").rstrip().split("\n") if report else []
        lines += _column("build", words[:BUILD_LINES])
        lines.append("  again    niagara bot build BOT")
        return "\n".join(lines)
    sent = report.reply if report is not None else b""
    nothing = "(an empty line)" if ruling.detail == "empty" else "(none)"
    lines.append(f"  reply    {excerpt(sent) if sent else nothing}")
    if hint := _hint(ruling, request, sent):
        lines.append(f"  hint     {hint}")
    log = record.measured.stderr[ruling.seat].rstrip("\n") if record.measured.stderr else ""
    lines += _column("stderr", log.split("\n")[-LOG_LINES:] if log else ["(nothing)"])
    lines.append(f"  again    {_again(ruling, request, path, commands[bot.submission])}")
    return "\n".join(lines)


def _column(label: str, words: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(words):
        yield f"  {'' if number else label:<9}{clean(line)}"


def _short(text: str) -> str:
    if len(text) <= REQUEST_SHOWN:
        return text
    legal = max(text.find(LEGAL), REQUEST_HEAD)
    shown = text[legal : legal + REQUEST_SHOWN - REQUEST_HEAD]
    left = len(text) - legal - len(shown)
    more = f" … and {left} characters more" if left else ""
    gap = f" … {legal - REQUEST_HEAD} characters … " if legal > REQUEST_HEAD else ""
    return f"{text[:REQUEST_HEAD]}{gap}{shown}{more}"


def _hint(ruling: RulingRecord, request: Request | None, sent: bytes) -> str:
    """Return the likely cause of a silence; empty where there is nothing to guess."""
    if ruling.detail == "exit 0" and request is not None:
        return "one process plays all games of the match, until `quit` [P-2.4]"
    if ruling.detail not in ("wall", "timeout"):
        return ""
    if sent:
        return "it wrote this, but no line feed after it, so its line never ended [P-1.1]"
    if request is None or request.number == 1:
        return "does it flush its output, and get its input line by line? [P-1.7]"
    return ""


def _again(ruling: RulingRecord, request: Request | None, path: Path | None, command: str) -> str:
    if path is None:
        return "add `--record DIR` and the same `--seed` to keep the game and feed it to the bot"
    until = f" --until {request.number}" if request is not None else ""
    file = shlex.quote(str(path))
    return f"niagara replay feed {file} --as {ruling.seat}{until} -- {command}"
