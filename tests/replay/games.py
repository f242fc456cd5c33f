"""Games that the referee judged here, without processes, with all that a record holds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from niagara_arena import __version__, rules
from niagara_arena.records import Clock, Fault, GameHeader, GameRecord, Measured, Seat, Settings
from niagara_arena.referee import Answer, Ask, Done, FaultReport, Referee, Request, Tell
from niagara_arena.schedule.openings import random_opening
from niagara_arena.wire.messages import Act
from tests.rules.play import busy

SENTENCES = {
    Fault.ILLEGAL: ("choice", "`$.choice` is 99, but `legal` has the indices 0 to 3 [P-4.2]"),
    Fault.MALFORMED: ("json", "not JSON: \x1b[31m [P-1.1]"),
    Fault.TIMEOUT: ("wall", "did not answer within 5000 ms [P-5.3]"),
    Fault.CRASH: ("SIGSEGV", "was killed by SIGSEGV in the middle of a game [P-6.2]"),
    Fault.STARTUP: ("exit 1", "exited with code 1 before it was ready [P-2.2]"),
}


def report(fault: Fault) -> FaultReport:
    return FaultReport(fault, *SENTENCES[fault], b"reply")


class Bots:
    """Answer busily, rarely with a fault, and keep every line that was sent."""

    def __init__(self, source: random.Random, seats: int, faulty: bool) -> None:
        self.source = source
        self.faulty = faulty
        self.lines: list[list[bytes]] = [[] for _ in range(seats)]

    def play(self, referee: Referee) -> Done:
        while True:
            match referee.next_step():
                case Ask(requests=requests):
                    referee.answer([self._answer(referee.state, one) for one in requests])
                case Tell(messages):
                    for seat, line in messages:
                        self.lines[seat].append(line)
                case Done() as done:
                    return done

    def _answer(self, state: rules.State, request: Request) -> Answer:
        seat, source = request.seat, self.source
        self.lines[seat].append(request.line)
        legal = rules.legal(state, seat)
        action = busy(source, legal)
        times = (source.randrange(40_000), source.randrange(90_000), source.randrange(9_000))
        luck = source.random() if self.faulty else 1.0
        if luck < 0.025:
            kinds = (Fault.ILLEGAL, Fault.MALFORMED, Fault.TIMEOUT)
            fault = Fault.CRASH if luck < 0.002 else source.choice(kinds)
            return Answer(seat, None, report(fault), *times)
        act = Act(request.number, choice=legal.index(action))
        if luck > 0.97:
            spelled = rules.action_to_json(action)
            act = Act(request.number, action=spelled, note="é\x1b[31m", data={"depth": 3.0})
        return Answer(seat, act, None, *times)


class Played(msgspec.Struct):
    """A game with the bytes that each seat was sent."""

    record: GameRecord
    lines: list[list[bytes]]


@cache
def played(
    ruleset: str = "base",
    seats: int = 3,
    seed: int = 0,
    *,
    faulty: bool = False,
    max_rounds: int = 40,
    opening: int = 0,
    mode: str = "cpu",
    absent: Sequence[int] = (),
) -> Played:
    """Play a game; ``opening`` random rounds lead to its start, ``absent`` seats never came."""
    settings = Settings(rules=ruleset, max_rounds=max_rounds, clock=Clock(mode=mode))
    position: dict[str, Any] | None = None
    if opening:
        position = random_opening(ruleset, seats, opening, f"{seed:032x}")
    header = GameHeader(
        format=1,
        arena=__version__,
        rules_version=rules.RULES_VERSION,
        game=f"g-{seed:016x}",
        match="m-0000000000000000",
        seats=tuple(Seat(f"{s:064x}", f"bot {s}", "1", {"b": 1, "a": 2}, s) for s in range(seats)),
        seed=f"{seed:032x}",
        settings=settings,
        sandbox="none",
        opening="test" if opening else "",
        position=position,
    )
    bots = Bots(random.Random(f"{ruleset} {seats} {seed}"), seats, faulty)
    reports = {seat: report(Fault.STARTUP) for seat in absent}
    referee = Referee(header, [7 * seat for seat in range(seats)], reports)
    done = bots.play(referee)
    measured = Measured(
        cpu_us=tuple(referee.cpu_us),
        wall_us=tuple(referee.wall_us),
        wait_us=tuple(referee.wait_us),
        notes=referee.notes,
        data=referee.data,
        evidence=tuple(referee.evidence),
        stderr=("",) * seats,
        streams=referee.stream_hashes(),
        first_ids=referee.first_ids(),
        startup_ms=(5,) * seats,
    )
    return Played(GameRecord(header, done.rounds, done.end, measured), bots.lines)


def record(*args: Any, **more: Any) -> GameRecord:
    """Return the record of such a game."""
    return played(*args, **more).record
