"""Rebuild every byte that each seat was sent, by letting the referee judge the game again.

The referee does no I/O and reads no clock, so the answers of a record, with the times that were
measured, make it say again exactly what it said. The SHA-256 of each seat's stream, which the
record holds, proves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from niagara_arena.records import GameRecord, Played, RulingRecord, Sanction
from niagara_arena.referee import Answer, Ask, Done, FaultReport, Referee, Request, Tell
from niagara_arena.replay.playback import Mismatch
from niagara_arena.wire.messages import Act

__all__ = ["Rebuilt", "Sent", "rebuild"]


class Sent(NamedTuple):
    """One line that a seat was sent."""

    line: bytes
    """With its newline."""
    number: int = 0
    """The id of a question; 0 for a message that wants no answer."""
    kind: str = ""
    """The kind of a question's decision."""
    played: bytes = b""
    """What was then played, as JSON; empty when nothing was."""
    ruling: RulingRecord | None = None
    """The fault, when the seat did not answer as it should."""


class Rebuilt(NamedTuple):
    """What a game's seats were sent, and the referee's account of it."""

    streams: tuple[tuple[Sent, ...], ...]
    """By seat, in order."""
    hashes: tuple[str, ...]
    done: Done


class _Script:
    """Hand out the recorded answers in the order in which the referee asks for them."""

    def __init__(self, record: GameRecord) -> None:
        acts = [act for line in record.rounds for act in line.acts]
        self._acts = [act for act in reversed(acts) if isinstance(act, Played)]
        self._rulings = list(reversed(record.end.rulings))
        self._total = len(self._rulings)
        self._measured = record.measured
        self._decision = 0
        self.absent = self._openers(record)

    def _openers(self, record: GameRecord) -> dict[int, FaultReport]:
        """Return why seats were not there when the game began: they were sent nothing."""
        absent: dict[int, FaultReport] = {}
        nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        while self._rulings and self._rulings[-1].decision <= 0:
            seat = self._rulings[-1].seat
            if record.measured.streams[seat : seat + 1] != (nothing,):
                break
            absent[seat] = _report(self._rulings.pop())
        return absent

    def exhausted(self) -> bool:
        """Say whether no answer is left; a void game ends here."""
        return not self._acts and not self._rulings

    def answer(self, request: Request) -> tuple[Answer, Sent]:
        """Return a seat's answer to a question."""
        seat = request.seat
        due = self._rulings[-1] if self._rulings else None
        ruling = None
        if due is not None and (due.seat, due.decision) == (seat, self._decision):
            ruling = self._rulings.pop()
            if ruling.sanction is Sanction.RETIRE:
                answer = Answer(seat, None, _report(ruling))
                return answer, Sent(request.line, request.number, request.kind, b"", ruling)
        act = self._acts.pop() if self._acts else None
        if act is None or act.seat != seat:
            raise Mismatch(
                f"decision {self._decision}", f"seat {seat} was asked, but did not answer"
            )
        played = bytes(act.action)
        answer = Answer(
            seat,
            None if ruling else Act(request.number, action=msgspec.json.decode(played)),
            _report(ruling) if ruling else None,
            self._time(self._measured.cpu_us),
            self._time(self._measured.wall_us),
        )
        self._decision += 1
        return answer, Sent(request.line, request.number, request.kind, played, ruling)

    def compare(self, rulings: Sequence[RulingRecord]) -> None:
        """Check that the referee has found the recorded faults and no other."""
        taken = self._total - len(self._rulings)
        for ruling in rulings[taken:]:
            raise Mismatch(
                f"decision {ruling.decision}",
                f"the record has no such fault of seat {ruling.seat}: {ruling.sentence}",
            )

    def _time(self, times: Sequence[int]) -> int:
        return times[self._decision] if self._decision < len(times) else 0


def _report(ruling: RulingRecord) -> FaultReport:
    return FaultReport(ruling.fault, ruling.detail, ruling.sentence)


def rebuild(record: GameRecord) -> Rebuilt:
    """Return what each seat was sent; raise Mismatch where record and referee part ways.

    The record must be one that can be played (`verify` tells).
    """
    script = _Script(record)
    seats = range(len(record.header.seats))
    first_ids = record.measured.first_ids or (1,) * len(seats)
    referee = Referee(record.header, [first - 1 for first in first_ids], script.absent)
    streams: list[list[Sent]] = [[] for _ in seats]
    void = record.end.void
    while True:
        step = referee.next_step()
        match step:
            case Done():
                return Rebuilt(tuple(map(tuple, streams)), referee.stream_hashes(), step)
            case Tell(messages):
                for seat, line in messages:
                    streams[seat].append(Sent(line))
            case Ask(requests=requests) if void is not None and script.exhausted():
                for request in requests:
                    sent = Sent(request.line, request.number, request.kind)
                    streams[request.seat].append(sent)
                referee.void(void, record.end.void_sentence)
            case Ask(requests=requests):
                answers = []
                for request in requests:
                    answer, sent = script.answer(request)
                    answers.append(answer)
                    streams[request.seat].append(sent)
                referee.answer(answers)
                script.compare(referee.rulings)
