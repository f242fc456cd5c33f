"""The referee of one game: asks, judges, sanctions, records. Does no I/O and reads no clock.

Laws kept here:

- `next_step` says what is to be done: `Ask` some seats and bring every answer back with `answer`;
  `Tell` some seats something and end the processes of retired ones; or `Done`.
- Nothing of an answer shows before all answers of its step are there: they come in one call.
- A step's answers are carried out by seat, lowest first, then the seats that the sanctions retire
  leave the table in one step [N-5.4].
- The same header and the same answers give the same bytes. Nothing measured gets into the
  deterministic part, and what was sent can be rebuilt from the record (`measured.cpu_us`).
- A bot's misbehaviour never raises. What raises here is a bug of ours.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Raw

from niagara_arena.records import (
    Fault,
    FaultEvidence,
    GameEnd,
    GameHeader,
    Played,
    Retired,
    RoundRecord,
    RulingRecord,
    Sanction,
    Standing,
    Verdict,
    Void,
)
from niagara_arena.referee.clocks import SeatClock
from niagara_arena.referee.judging import judge
from niagara_arena.referee.profiles import check_settings
from niagara_arena.referee.reports import FaultReport
from niagara_arena.referee.translate import (
    end_line,
    events_text,
    open_game,
    ruling_line,
    start_line,
)
from niagara_arena.rules import (
    Action,
    action_text,
    apply,
    legal,
    legal_text,
    observation_text,
    outcome,
    pending,
    retire,
)
from niagara_arena.wire.messages import Act
from niagara_arena.wire.replies import excerpt
from niagara_arena.wire.text import decide_line

_played: Final = Played
_raw: Final = Raw
"""Compiled code finds what it calls itself at once, what comes from elsewhere by its name."""

OUTSIDE: Final = -1
"""The decision of a ruling that belongs to none."""


class Request:
    """Ask one seat. Made for every decision, like `Answer`: a plain class is quickest."""

    __slots__ = ("bank_us", "kind", "line", "number", "seat", "wall_ms")

    def __init__(
        self, seat: int, number: int, kind: str, line: bytes, bank_us: int, wall_ms: int
    ) -> None:
        self.seat = seat
        self.number = number
        """The id that its answer must echo."""
        self.kind = kind
        self.line = line
        self.bank_us = bank_us
        """What it may use, in the clock's own time; meaningless when the clock is off."""
        self.wall_ms = wall_ms


class Ask:
    """Ask these seats at the same time; bring all answers back together."""

    __slots__ = ("requests",)

    def __init__(self, requests: tuple[Request, ...]) -> None:
        self.requests = requests


class Tell(NamedTuple):
    """Send these lines, which want no answer; end the processes of the retired seats."""

    messages: tuple[tuple[int, bytes], ...]
    retired: tuple[int, ...]


class Done(NamedTuple):
    """The game is over."""

    rounds: tuple[RoundRecord, ...]
    end: GameEnd


class Answer:
    """Bring back what a seat answered, or the fault for which it did not."""

    __slots__ = ("act", "cpu_us", "reply", "report", "seat", "wait_us", "wall_us")

    def __init__(
        self,
        seat: int,
        act: Act | None,
        report: FaultReport | None,
        cpu_us: int = 0,
        wall_us: int = 0,
        wait_us: int = 0,
        reply: bytes = b"",
    ) -> None:
        self.seat = seat
        self.act = act
        self.report = report
        self.cpu_us = cpu_us
        self.wall_us = wall_us
        self.wait_us = wait_us
        self.reply = reply
        """The line behind `act`, as evidence if it turns out to be no legal action [P-6.4]."""


class _Seat:
    """What the referee keeps of one seat."""

    __slots__ = ("clock", "fault", "faults", "here", "number", "seen", "sentence", "stream")

    def __init__(self, clock: SeatClock, number: int) -> None:
        self.clock = clock
        self.number = number
        """The id of its latest question."""
        self.seen = 0
        """How many of the game's events it has been told."""
        self.here = True
        self.faults = 0
        self.fault: Fault | None = None
        """Why it forfeited."""
        self.sentence = ""
        self.stream = hashlib.sha256()


class Referee:
    """Judge one game from its header to its end."""

    def __init__(
        self,
        header: GameHeader,
        last_ids: Sequence[int],
        absent: Mapping[int, FaultReport] | None = None,
    ) -> None:
        check_settings(header.settings)
        self.header = header
        self.state, events, self._position = open_game(header)
        self.events = events_text(events)
        self._sanctions = header.settings.sanctions
        self._seats = [_Seat(SeatClock(header.settings.clock), last) for last in last_ids]
        self._first_ids = tuple(last + 1 for last in last_ids)
        self._rounds: list[RoundRecord] = []
        self._acts: list[Played | Retired] = []
        self._round = self.state.round
        self.rulings: list[RulingRecord] = []
        self._asked: tuple[Request, ...] = ()
        self._outbox: list[tuple[int, bytes]] = []
        self._leaving: list[int] = []
        self._void: tuple[Void, str] | None = None
        self._ended: GameEnd | None = None
        self.decisions = 0
        """How many decisions have been carried out."""
        self.cpu_us: list[int] = []
        self.wall_us: list[int] = []
        self.wait_us: list[int] = []
        self.notes: dict[str, str] = {}
        self.data: dict[str, dict[str, float]] = {}
        self.evidence: list[FaultEvidence] = []
        self.incidents: list[tuple[Request, FaultReport]] = []
        """Each faulty decision with its whole request, for the author who watches."""
        self._open(absent or {})

    # --- What the driver calls -----------------------------------------------------------------

    def next_step(self) -> Ask | Tell | Done:
        """Say what is to be done next."""
        if self._outbox or self._leaving:
            tell = Tell(tuple(self._outbox), tuple(self._leaving))
            self._outbox, self._leaving = [], []
            return tell
        if self._ended is not None:
            return Done(tuple(self._rounds), self._ended)
        if self.state.over or self._void is not None:
            self._close()
            return self.next_step()
        return self._ask()

    def answer(self, answers: Sequence[Answer]) -> None:
        """Judge the answers of all seats that were asked, in the order of the requests."""
        asked, self._asked = self._asked, ()
        if len(answers) != len(asked):
            raise AssertionError("every seat that was asked needs an answer")
        if len(asked) == 1:
            leaving = self._judge(asked[0], answers[0])
            if leaving:
                self._retire([asked[0].seat])
            return
        retiring = [
            request.seat
            for request, answer in zip(asked, answers, strict=True)
            if self._judge(request, answer)
        ]
        if retiring:
            self._retire(retiring)

    def void(self, why: Void, sentence: str) -> None:
        """Spoil the game: our side could not go on. No seat is to blame."""
        self._asked = ()
        self._void = (why, sentence)

    def stream_hashes(self) -> tuple[str, ...]:
        """Return, by seat, the SHA-256 of everything that it was sent in this game."""
        return tuple(seat.stream.hexdigest() for seat in self._seats)

    def last_ids(self) -> tuple[int, ...]:
        """Return, by seat, the id of its latest question."""
        return tuple(seat.number for seat in self._seats)

    def bank_ms(self) -> tuple[int, ...]:
        """Return what is left in each seat's bank, for watchers."""
        return tuple(seat.clock.bank_us // 1000 for seat in self._seats)

    def first_ids(self) -> tuple[int, ...]:
        """Return, by seat, the id that its first question has, or would have had."""
        return self._first_ids

    # --- Asking --------------------------------------------------------------------------------

    def _open(self, absent: Mapping[int, FaultReport]) -> None:
        for number in range(len(self._seats)):
            if number not in absent:
                self._send(number, start_line(self.header, number, self._position))
        for number, report in sorted(absent.items()):
            self._rule(number, report, Sanction.RETIRE, OUTSIDE)
        if absent:
            self._retire(sorted(absent))

    def _send(self, seat: int, line: bytes) -> None:
        self._seats[seat].stream.update(line)
        self._outbox.append((seat, line))

    def _ask(self) -> Ask:
        state = self.state
        events = self.events
        decisions = pending(state)
        together = len(decisions)
        requests = []
        for seat, kind in decisions:
            own = self._seats[seat]
            own.number = number = own.number + 1
            clock = own.clock.ask(together)
            line = decide_line(
                number,
                kind,
                ",".join(events[own.seen :]),
                observation_text(state, seat),
                legal_text(state, seat),
                clock,
            )
            own.seen = len(events)
            own.stream.update(line)
            requests.append(
                Request(seat, number, kind, line, own.clock.bank_us, own.clock.wall_ms * together)
            )
        self._asked = tuple(requests)
        return Ask(self._asked)

    # --- Judging -------------------------------------------------------------------------------

    def _judge(self, request: Request, answer: Answer) -> bool:
        """Carry one answer out; return whether its seat must leave instead."""
        seat = request.seat
        own = self._seats[seat]
        report = answer.report
        spent = own.clock.charge(answer.cpu_us, answer.wall_us)
        actions = legal(self.state, seat)
        action: Action | None = None
        act: Act | None = None
        if report is None:
            if spent:
                report = FaultReport(
                    Fault.TIMEOUT,
                    own.clock.mode,
                    f"used more than the {own.clock.mode} time left in its bank [P-5.2]",
                )
            else:
                act = answer.act
                assert act is not None
                choice = act.choice
                if type(choice) is int and choice < len(actions):
                    action = actions[choice]
                else:
                    judged = judge(self.state, seat, actions, act)
                    if isinstance(judged, FaultReport):
                        report = judged
                    else:
                        action = judged
        if action is not None:
            assert act is not None
            if type(act.note) is str or type(act.data) is dict:
                self._keep(act)
            self._carry_out(seat, action, "", answer)
            return False
        assert report is not None
        if answer.reply and not report.reply:
            report = report._replace(reply=answer.reply)
        sanction: Sanction = getattr(self._sanctions, report.fault.value)
        if sanction is Sanction.DEFAULT and own.faults + 1 >= self._sanctions.faults:
            sanction = Sanction.RETIRE
        self._keep_evidence(request, report)
        self._rule(seat, report, sanction, self.decisions)
        if sanction is Sanction.RETIRE:
            return True
        left = self._sanctions.faults - own.faults
        line = ruling_line(
            request.number, report.fault.value, report.sentence, action_text(actions[0]), left
        )
        self._send(seat, line)
        self._carry_out(seat, actions[0], report.fault.value, answer)
        return False

    def _rule(self, seat: int, report: FaultReport, sanction: Sanction, decision: int) -> None:
        own = self._seats[seat]
        own.faults += 1
        self.rulings.append(
            RulingRecord(seat, decision, report.fault, report.detail, report.sentence, sanction)
        )
        if sanction is Sanction.RETIRE:
            own.fault = report.fault
            own.sentence = report.sentence

    def _keep(self, act: Act) -> None:
        key = str(self.decisions)
        if type(act.note) is str:
            self.notes[key] = act.note
        if type(act.data) is dict:
            self.data[key] = act.data

    def _keep_evidence(self, request: Request, report: FaultReport) -> None:
        self.evidence.append(FaultEvidence(self.decisions, request.seat, excerpt(report.reply)))
        self.incidents.append((request, report))

    def _carry_out(self, seat: int, action: Action, fault: str, answer: Answer) -> None:
        """Apply a legal action and record it."""
        if self.state.round != self._round:
            self._turn_page()
        self._acts.append(_played(seat, _raw(action_text(action).encode()), fault))
        self.cpu_us.append(answer.cpu_us)
        self.wall_us.append(answer.wall_us)
        self.wait_us.append(answer.wait_us)
        self.decisions += 1
        self.state, events = apply(self.state, seat, action)
        if events:
            self.events += events_text(events)

    def _retire(self, seats: list[int]) -> None:
        if self.state.round != self._round:
            self._turn_page()
        self._acts.append(Retired(tuple(seats)))
        for seat in seats:
            self._seats[seat].here = False
        self._leaving += seats
        self.state, events = retire(self.state, seats)
        self.events += events_text(events)

    def _turn_page(self) -> None:
        self._rounds.append(RoundRecord(self._round, tuple(self._acts)))
        self._acts = []
        self._round = self.state.round

    # --- Ending --------------------------------------------------------------------------------

    def _close(self) -> None:
        if self._acts:
            self._turn_page()
        if self._void is not None:
            self._ended = self._void_end(*self._void)
        else:
            result = outcome(self.state)
            assert result is not None
            self._ended = GameEnd(
                result.reason,
                result.winners,
                result.placings,
                result.rounds,
                tuple(self._verdict(seat) for seat in self._seats),
                tuple(self.rulings),
            )
        end = self._ended
        for number, seat in enumerate(self._seats):
            if seat.here:
                events = ",".join(self.events[seat.seen :])
                line = end_line(
                    self.header.game, end.reason, end.winners, end.placings, end.verdicts, events
                )
                self._send(number, line)

    def _verdict(self, seat: _Seat) -> Verdict:
        if seat.here:
            return Verdict(Standing.FINISHED, None, seat.faults)
        return Verdict(Standing.FORFEITED, seat.fault, seat.faults, seat.sentence)

    def _void_end(self, why: Void, sentence: str) -> GameEnd:
        verdicts = tuple(
            Verdict(Standing.VOID, seat.fault, seat.faults, seat.sentence) for seat in self._seats
        )
        return GameEnd(
            "void", (), (), self.state.round, verdicts, tuple(self.rulings), why, sentence
        )
