"""Players without processes: real games through the referee, played by seeded chance, at once.

A factory is what a `Runner` takes. Bots whose name begins with `crash` retire in their first game
of a match; the others choose by the seed that the referee gave them.
"""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from niagara_arena import __version__
from niagara_arena.records import (
    RECORD_FORMAT,
    Fault,
    GameHeader,
    GameJob,
    GameRecord,
    MatchJob,
    Measured,
    Seat,
    Settings,
    Void,
)
from niagara_arena.referee import Answer, Ask, Done, FaultReport, Referee
from niagara_arena.rules import RULES_VERSION, legal
from niagara_arena.schedule.chance import Chance
from niagara_arena.schedule.seeds import bot_seed
from niagara_arena.schedule.spec import Entrant, Spec
from niagara_arena.wire.messages import Act

QUICK = Settings(max_rounds=2)


def entrants(size: int, crash: int = 0, owners: int = 0) -> list[Entrant]:
    return [
        Entrant(
            hashlib.sha256(f"bot {number}".encode()).hexdigest(),
            f"crash-{number}" if number < crash else f"bot-{number}",
            "1.0",
            owner=f"o-{number % owners}" if owners else "",
        )
        for number in range(size)
    ]


def quick(**changes: object) -> Spec:
    length = {} if changes.get("format") == "swiss" else {"games_per_bot": 16}
    values: dict[str, object] = {"seed": "test", "settings": QUICK, **length, **changes}
    return Spec(**values)  # type: ignore[arg-type]


class FakePlayer:
    """Play a match in this process."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def __call__(self, job: MatchJob) -> list[GameRecord]:
        return [self.play(job, game, number == 0) for number, game in enumerate(job.games)]

    def play(self, job: MatchJob, game: GameJob, first: bool) -> GameRecord:
        table = [job.entrants[member] for member in game.seating]
        header = GameHeader(
            RECORD_FORMAT,
            __version__,
            RULES_VERSION,
            game.game,
            job.match,
            tuple(
                Seat(name, self.names[name], "1.0", {}, bot_seed(game.seed, seat))
                for seat, name in enumerate(table)
            ),
            game.seed,
            job.settings,
            "none",
            game.opening,
            game.position,
        )
        referee = Referee(header, [0] * len(table))
        chances = [Chance("bot", seat.seed) for seat in header.seats]
        while not isinstance(step := referee.next_step(), Done):
            if isinstance(step, Ask):
                referee.answer(
                    [self._answer(referee, r.seat, r.number, chances, first) for r in step.requests]
                )
        measured = Measured(
            cpu_us=tuple(referee.cpu_us),
            wall_us=tuple(referee.wall_us),
            wait_us=tuple(referee.wait_us),
            stderr=tuple(f"log of {seat.name}\n" for seat in header.seats),
            streams=referee.stream_hashes(),
            first_ids=referee.first_ids(),
            started=time.strftime("%Y-%m-%dT%H:%M:%S"),
            host={"pid": str(os.getpid())},
        )
        return GameRecord(header, step.rounds, step.end, measured)

    def _answer(
        self, referee: Referee, seat: int, number: int, chances: list[Chance], first: bool
    ) -> Answer:
        if first and referee.header.seats[seat].name.startswith("crash"):
            return Answer(seat, None, FaultReport(Fault.CRASH, "exit 1", "exited with code 1"))
        choice = chances[seat].below(len(legal(referee.state, seat)))
        took = time.monotonic_ns() // 1000 % 1000
        return Answer(seat, Act(id=number, choice=choice), None, took, took, took)


def factory(size: int = 64, crash: int = 0) -> Callable[[int | None], FakePlayer]:
    names = {entrant.submission: entrant.name for entrant in entrants(size, crash)}
    return lambda core: FakePlayer(names)


class Slow(FakePlayer):
    """Take a while for each match."""

    def __init__(self, names: dict[str, str], seconds: float) -> None:
        super().__init__(names)
        self.seconds = seconds

    def __call__(self, job: MatchJob) -> list[GameRecord]:
        time.sleep(self.seconds)
        return super().__call__(job)


def slow(seconds: float, size: int = 64) -> Callable[[int | None], FakePlayer]:
    names = {entrant.submission: entrant.name for entrant in entrants(size)}
    return lambda core: Slow(names, seconds)


class Deadly(FakePlayer):
    """Kill the worker at matches of one bot, as often as a file has characters."""

    def __init__(self, names: dict[str, str], victim: str, counter: Path, times: int) -> None:
        super().__init__(names)
        self.victim, self.counter, self.times = victim, counter, times

    def __call__(self, job: MatchJob) -> list[GameRecord]:
        if self.victim in job.entrants:
            path = self.counter / job.match
            done = path.stat().st_size if path.exists() else 0
            if done < self.times:
                with path.open("a") as file:
                    file.write("x")
                os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(job)


class Voiding(Deadly):
    """Void the first game of matches of one bot, as often as asked."""

    why = Void.HOST

    def __call__(self, job: MatchJob) -> list[GameRecord]:
        records = FakePlayer.__call__(self, job)
        if self.victim not in job.entrants:
            return records
        path = self.counter / job.match
        done = path.stat().st_size if path.exists() else 0
        if done >= self.times:
            return records
        with path.open("a") as file:
            file.write("x")
        referee = Referee(records[0].header, [0] * len(records[0].header.seats))
        referee.void(self.why, "not the bots' fault")
        while not isinstance(step := referee.next_step(), Done):
            pass
        return [GameRecord(records[0].header, step.rounds, step.end, Measured()), *records[1:]]
