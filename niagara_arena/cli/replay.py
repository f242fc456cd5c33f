"""`niagara replay`: look at a recorded game, prove it, feed it to a bot again."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from niagara_arena.cli.board import LEGEND, draw, tell
from niagara_arena.cli.exits import Exit
from niagara_arena.cli.telling import seat_name
from niagara_arena.cli.terminal import Terminal
from niagara_arena.cli.text import clean
from niagara_arena.cli.tournament_options import db_option
from niagara_arena.errors import InputError
from niagara_arena.records import GameRecord, RulingRecord
from niagara_arena.replay import files, record_hash, verify_bytes
from niagara_arena.replay import verify as verify_record
from niagara_arena.replay.feeding import Reply
from niagara_arena.replay.feeding import feed as feed_bot
from niagara_arena.replay.frames import Entry, Frame, Note, Story, story
from niagara_arena.replay.requests import Sent

__all__ = ["replay"]

JSON_VERSION = 1
WIDTH = 80


@click.group()
def replay() -> None:
    """Look at recorded games and prove them.

    Records are the files that `niagara play --record DIR` writes, one a game, or the games of a
    database of tournaments, by their ids.

    \b
    Examples:
      niagara play @random @homing @random --seed 7 --sandbox none --record games
      niagara replay verify games/*.jsonl
    """


@replay.command()
@click.argument("record", type=click.Path())
@click.option("--round", "number", type=int, metavar="N", help="Show this round only.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@db_option
@click.pass_obj
def show(terminal: Terminal, record: str, number: int | None, as_json: bool, db: Path) -> None:
    """Draw a recorded game, round by round.

    RECORD is a file, or the id of a game in the database. For each round the river as the round
    began, then what happened, in sentences.

    \b
    Examples:
      niagara play @random @homing @random --seed 7 --sandbox none --record games
      niagara replay show games/*.jsonl
      niagara replay show games/*.jsonl --round 3
    """
    game = files.load(record, db)
    told = story(game)
    frames = told.frames
    if number is not None:
        frames = tuple(frame for frame in frames if frame.round == number)
        if not frames:
            first, last = told.frames[0].round, told.frames[-1].round
            raise InputError(f"there is no round {number}", f"the game has {first} to {last}")
    if as_json:
        click.echo(json.dumps(_document(game, told, frames)))
        return
    wrong = verify_record(game)
    if wrong is not None:
        terminal.warn(f"the record is not true: {wrong}")
    for line in _pages(game, told, frames, terminal.color, wrong is None):
        click.echo(line, color=terminal.color)


def _pages(
    game: GameRecord, told: Story, frames: tuple[Frame, ...], color: bool | None, true: bool
) -> list[str]:
    """Return everything `show` prints for people; of what is not true, only what was played."""
    width = max(40, min(shutil.get_terminal_size((WIDTH, 24)).columns, 100))
    colored = color is not False  # click strips what the stream can't show
    names = [seat.name for seat in game.header.seats]
    lines = [*headline(game), "", f" {LEGEND}", ""]
    for frame in frames:
        if frame.position is not None:
            lines += draw(
                frame.position,
                width=width,
                color=colored,
                names=names,
                clocks=frame.bank_ms,
                max_rounds=game.header.settings.max_rounds,
            )
            lines.append("")
        lines += [f" {sentence(entry, names)}" for entry in frame.entries]
        lines.append("")
    if frames and frames[-1] is told.frames[-1]:
        lines += draw(
            told.final["position"],
            width=width,
            color=colored,
            names=names,
            played=told.final["played"],
            clocks=told.bank_ms,
        )
        lines += ["", *outcome_lines(game)] if true else []
    return lines


def headline(game: GameRecord) -> list[str]:
    """Say which game this is and who sits where."""
    header = game.header
    start = f", opening {clean(header.opening)}" if header.opening else ""
    lines = [
        f"game {clean(header.game)} of match {clean(header.match)}: {header.settings.rules}"
        f"{start}, sandbox {clean(header.sandbox)}"
    ]
    for number, seat in enumerate(header.seats):
        version = f" {clean(seat.version)}" if seat.version else ""
        lines.append(f"  seat {number}: {clean(seat.name)}{version}  {clean(seat.submission)[:12]}")
    return lines


def outcome_lines(game: GameRecord) -> list[str]:
    """Say how a game ended, seat by seat."""
    end = game.end
    names = [seat.name for seat in game.header.seats]
    if end.void is not None:
        return [f" void ({end.void}): {clean(end.void_sentence)}"]
    winners = ", ".join(seat_name(seat, names) for seat in end.winners) or "nobody"
    lines = [f" {clean(end.reason)} after {end.rounds} rounds; winner: {winners}"]
    for place, seat in sorted(zip(end.placings, range(len(names)), strict=True)):
        verdict = end.verdicts[seat]
        why = f" for {verdict.fault}: {clean(verdict.sentence)}" if verdict.fault else ""
        many = "s" if verdict.faults > 1 else ""
        faults = f" ({verdict.faults} fault{many})" if verdict.faults else ""
        lines.append(f"  {place}. {seat_name(seat, names)}: {verdict.standing}{faults}{why}")
    return lines


def sentence(entry: Entry, names: list[str]) -> str:
    """Return a line for something that happened."""
    match entry:
        case Note(seat, text, data):
            numbers = "".join(f"  {clean(name)} {value:g}" for name, value in data.items())
            return f"  {seat_name(seat, names)} notes: {clean(text)}{numbers}"
        case RulingRecord(seat=seat, fault=fault, detail=detail):
            what = f"{fault} ({clean(detail)})" if detail else str(fault)
            return f"! {seat_name(seat, names)}: {what}: {clean(entry.sentence)}"
        case _:
            return tell(entry, names)


def _document(game: GameRecord, told: Story, frames: tuple[Frame, ...]) -> dict[str, Any]:
    return {
        "kind": "replay",
        "version": JSON_VERSION,
        "game": msgspec.to_builtins(game.header),
        "rounds": [
            {
                "round": frame.round,
                "position": frame.position,
                "bank_ms": frame.bank_ms,
                "entries": [_entry(entry) for entry in frame.entries],
            }
            for frame in frames
        ],
        "final": told.final,
        "end": msgspec.to_builtins(game.end),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    match entry:
        case Note(seat, text, data):
            return {"note": text, "seat": seat, "data": data}
        case RulingRecord():
            return {"ruling": msgspec.to_builtins(entry)}
        case _:
            return entry


@replay.command()
@click.argument("records", nargs=-1, required=True, type=click.Path())
@db_option
@click.pass_obj
def verify(terminal: Terminal, records: tuple[str, ...], db: Path) -> Exit:
    """Prove recorded games, or name the first difference.

    Each game is played again through the rules; legality, faults, sanctions, outcome, verdicts
    and every byte that the bots were sent must be what the record says. One line a record on
    stdout: the hash of its deterministic part, or what is wrong. Exit code 1 if any is wrong.

    \b
    Examples:
      niagara play @random @homing @random --seed 7 --sandbox none --record games
      niagara replay verify games/*.jsonl
    """
    wrong = 0
    for path in records:
        try:
            data = files.read(path, db)
            found = verify_bytes(data)
        except InputError as error:
            wrong += 1
            click.echo(f"{clean(path)}: {clean(str(error))}")
            continue
        if found is None:
            click.echo(f"{record_hash(data)}  {clean(path)}")
        else:
            wrong += 1
            click.echo(f"{clean(path)}: differs: {clean(str(found))}")
    if wrong:
        terminal.note(f"{wrong} of {len(records)} records can't be proved")
        return Exit.NO
    return Exit.DONE


@replay.command(context_settings={"ignore_unknown_options": True})
@click.argument("record", type=click.Path())
@click.option("--as", "seat", type=int, required=True, metavar="SEAT", help="Whose bytes to feed.")
@click.option(
    "--until", type=int, metavar="ID", help="Stop at the question with this id, for a debugger."
)
@db_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD…")
@click.pass_obj
def feed(
    terminal: Terminal,
    record: str,
    seat: int,
    until: int | None,
    db: Path,
    command: tuple[str, ...],
) -> Exit:
    """Feed a bot what a seat of a recorded game received.

    CMD gets the very bytes that the seat got, without any clock; its stderr is shown. Each answer
    that differs from the recorded one is printed, and the game goes on as recorded. With --until,
    on a terminal, it waits before that question, so that a debugger can be attached.

    \b
    Examples:
      niagara play @random @homing @random --seed 7 --sandbox none --record games
      niagara bot new python otter
      niagara replay feed games/*.jsonl --as 0 -- python3 otter/bot.py  # exit 1
    """
    game = files.load(record, db)
    answers = differ = 0

    def pause(pid: int, sent: Sent) -> None:
        terminal.note(f"the bot (process {pid}) is about to get question {sent.number}")
        if sys.stdin.isatty():
            click.pause("attach a debugger, then press any key", err=True)

    for reply in feed_bot(game, seat, command, until=until, pause=pause):
        answers += 1
        if not reply.same:
            differ += 1
            click.echo(clean(_difference(reply)))
    terminal.note(f"{answers} answers, {differ} of them not as recorded")
    return Exit.NO if differ else Exit.DONE


def _difference(reply: Reply) -> str:
    sent = reply.sent
    if sent.ruling is not None:
        then = f"{sent.ruling.fault} ({sent.ruling.detail})"
    else:
        then = sent.played.decode()
    now = reply.trouble or reply.played.decode()
    return f"question {sent.number} ({sent.kind}): then {then}, now {now}"
