"""Whole conversations between the arena and one bot, as protocol/transcripts/ shows them.

    python -m tests.protocol.talks            writes them anew

Each is made by the real referee and the real reader of replies; the bots answer by a fixed rule,
and no time passes. A line from the arena begins with `→ `, one from the bot with `← `.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from niagara_arena import rules
from niagara_arena.records import Clock, Fault, GameHeader, Seat, Settings
from niagara_arena.referee import Answer, Ask, Done, FaultReport, Referee, Request, Tell
from niagara_arena.schedule.openings import random_opening
from niagara_arena.wire.messages import QUIT_LINE, Act, hello_line
from niagara_arena.wire.replies import Stale, Trouble, read_act

FOLDER = Path(__file__).parent.parent.parent / "protocol" / "transcripts"
ARENA = "0.1.0"
READY = '{"type":"ready","protocol":1,"name":"otter"}'

Reply = Callable[[Request], list[str]]
"""A bot: what it writes when it is asked, line by line."""


def steady(request: Request) -> list[str]:
    """Answer with a choice that depends on the question's id alone."""
    count = len(msgspec.json.decode(request.line)["legal"])
    return [f'{{"id":{request.number},"choice":{request.number * 7 % count}}}']


def spelling(request: Request) -> list[str]:
    """Spell the last action out, with a note and a number."""
    action = msgspec.json.decode(request.line)["legal"][-1]
    text = msgspec.json.encode(action).decode()
    return [
        f'{{"type":"act","id":{request.number},"action":{text},'
        f'"note":"the last of all","data":{{"depth":1}}}}'
    ]


def clumsy(request: Request) -> list[str]:
    """Answer late, illegally, and not in JSON; then as it should, then illegally again."""
    match request.number:
        case 1:
            return ['{"id":1,"choice":99}']
        case 2:
            return ['{"id":1,"choice":0}', '{"id":2,"choice":0}']
        case 3:
            return ["I play card 4"]
        case 4:
            return steady(request)
        case _:
            return [f'{{"id":{request.number},"action":{{"card":"cloud"}}}}']


class Talk(NamedTuple):
    """Say how one conversation comes about."""

    about: str
    settings: Settings
    seats: int
    seat: int
    """Whose conversation is written down."""
    bot: Reply = steady
    games: int = 1
    opening: int = 0
    params: Mapping[str, Any] = MappingProxyType({})
    crash: int | None = None
    """A seat whose process dies at its second question."""


_OFF = Clock(mode="off")
TALKS = {
    "base-3": Talk(
        "A short game of three: the usual course of things.", Settings(max_rounds=5), 3, 1
    ),
    "spirits-4": Talk(
        "The expansion; actions spelled out, a note and a number with each.",
        Settings(rules="spirits", max_rounds=4, names=True),
        4,
        2,
        spelling,
        params={"boldness": 0.5},
    ),
    "faults": Talk(
        "A late answer has no effect; the third fault retires the seat and ends its process.",
        Settings(max_rounds=5),
        3,
        0,
        clumsy,
    ),
    "match": Talk(
        "Two games in one process, without clocks, from an opening that is not the set-up.",
        Settings(max_rounds=6, clock=_OFF),
        3,
        0,
        games=2,
        opening=4,
    ),
    "survivor": Talk(
        "Another seat's process dies: the survivors learn of it and play on.",
        Settings(max_rounds=3),
        3,
        2,
        crash=1,
    ),
}


def header(talk: Talk, game: int) -> GameHeader:
    """Return the header of one game of a conversation."""
    position = None
    if talk.opening:
        seed = "0123456789abcdef" * 2
        position = random_opening(talk.settings.rules, talk.seats, talk.opening, seed)
    names = ("heron", "otter", "beaver", "moose")
    return GameHeader(
        format=1,
        arena=ARENA,
        rules_version=rules.RULES_VERSION,
        game=f"g-{game:016x}",
        match="m-0000000000000000",
        seats=tuple(
            Seat("0" * 64, names[s], "1.0.0", dict(talk.params), 1000 * game + s)
            for s in range(talk.seats)
        ),
        seed="0" * 32,
        settings=talk.settings,
        sandbox="none",
        position=position,
    )


def text(talk: Talk) -> str:
    """Return a conversation, line by line."""
    lines = [f"→ {hello_line(ARENA).decode()}", f"← {READY}\n"]
    ids = [0] * talk.seats
    alive = True
    for game in range(1, talk.games + 1):
        referee = Referee(header(talk, game), ids)
        alive = _play(referee, talk, lines)
        ids = list(referee.last_ids())
    if alive:
        lines.append(f"→ {QUIT_LINE.decode()}")
    return "".join(lines)


def _play(referee: Referee, talk: Talk, lines: list[str]) -> bool:
    """Play a game, writing down one seat's lines; return whether its process lives on."""
    asked: dict[int, int] = {}
    alive = True
    while not isinstance(step := referee.next_step(), Done):
        match step:
            case Tell(messages, retired):
                lines += [f"→ {line.decode()}" for seat, line in messages if seat == talk.seat]
                alive = alive and talk.seat not in retired
            case Ask(requests=requests):
                answers = []
                for request in requests:
                    seat = request.seat
                    asked[seat] = asked.get(seat, 0) + 1
                    if seat == talk.crash and asked[seat] == 2:
                        sentence = "exited with code 1 in the middle of a game"
                        report = FaultReport(Fault.CRASH, "exit 1", sentence)
                        answers.append(Answer(seat, None, report))
                        continue
                    said = (talk.bot if seat == talk.seat else steady)(request)
                    if seat == talk.seat:
                        lines.append(f"→ {request.line.decode()}")
                        lines += [f"← {line}\n" for line in said]
                    answers.append(_answer(request, said))
                referee.answer(answers)
    return alive


def _answer(request: Request, said: list[str]) -> Answer:
    """Read a reply as the match runner does."""
    for line in said:
        data = line.encode()
        match read_act(data, request.number):
            case Act() as act:
                return Answer(request.seat, act, None)
            case Trouble(detail, sentence):
                report = FaultReport(Fault.MALFORMED, detail, sentence, data)
                return Answer(request.seat, None, report)
            case Stale():
                continue
    raise AssertionError("the bot has not answered")


def main() -> None:
    """Write all conversations, and the questions that the vectors answer."""
    from tests.protocol import vectors

    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, talk in TALKS.items():
        (FOLDER / f"{name}.txt").write_text(text(talk), "utf-8")
    vectors.QUESTIONS.mkdir(parents=True, exist_ok=True)
    for kind in ("card", "canoe"):
        (vectors.QUESTIONS / f"{kind}.json").write_bytes(vectors.question(kind).request.line)


if __name__ == "__main__":
    main()
