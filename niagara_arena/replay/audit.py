"""Prove a record, or name the first thing in it that is not so.

What is checked, in this order: every act is legal where it stands, a faulted seat's act is the
first legal one, every fault has its ruling and every ruling its effect, the sanctions are those of
the settings, and the outcome, the placings and the verdicts follow from all that. Then the referee
judges the same answers again: it must write the same record, and send every seat the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from niagara_arena.records import (
    GameEnd,
    GameRecord,
    Played,
    Retired,
    RulingRecord,
    Sanction,
    Standing,
    Verdict,
)
from niagara_arena.replay.codec import decode, deterministic_part, encode
from niagara_arena.replay.playback import Mismatch, default_action, read_action, replay
from niagara_arena.replay.requests import rebuild
from niagara_arena.rules import State, outcome

__all__ = ["verify", "verify_bytes"]


def verify(record: GameRecord) -> Mismatch | None:
    """Return the first difference between a record and the truth, or None."""
    try:
        _check(record)
    except Mismatch as difference:
        return difference
    return None


def verify_bytes(data: bytes) -> Mismatch | None:
    """Verify a record as it was written, down to its bytes; raise InputError if it is none."""
    record = decode(data)
    found = verify(record)
    if found is None and deterministic_part(encode(record)) != deterministic_part(data):
        return Mismatch("bytes", "the lines are not written as the arena writes them")
    return found


def _check(record: GameRecord) -> None:
    rulings = _Rulings(record)
    state: State | None = None
    for moment in replay(record):
        if state is not None:
            assert moment.act is not None
            rulings.follow(state, moment.act, moment.decision, moment.where)
        state = moment.state
    assert state is not None
    rulings.finish()
    if record.end.reason == "void" or record.end.void is not None:
        _check_void(record.end, len(record.header.seats))
    else:
        _check_outcome(record.end, state)
        _check_verdicts(record, rulings.gone)
    _check_measured(record)
    if record.end.void is None:
        _check_streams(record)


class _Rulings:
    """Hold the rulings against the acts: each fault one ruling, each ruling its effect.

    Seats that are asked together are judged lowest first. One that must leave is ruled on in its
    turn, with the number of the decision that follows, and leaves after all have been judged.
    """

    def __init__(self, record: GameRecord) -> None:
        self._settings = record.header.settings.sanctions
        self._left = list(reversed(record.end.rulings))
        self._void = record.end.void is not None
        self._faults = [0] * len(record.header.seats)
        self._leaving: set[int] = set()
        self.gone: dict[int, RulingRecord] = {}

    def follow(self, state: State, act: Played | Retired, decision: int, where: str) -> None:
        """Check an act that was carried out in ``state``."""
        if isinstance(act, Retired):
            while self._next(decision) and self._left[-1].seat in act.seats:
                self._take(decision == 0)
            if self._leaving != set(act.seats):
                left, ruled = sorted(act.seats), sorted(self._leaving)
                raise Mismatch(where, f"the seats {left} left, by the rulings {ruled}")
            self._leaving = set()
            return
        while self._next(decision) and self._left[-1].sanction is Sanction.RETIRE:
            self._take(False)
        if act.fault:
            self._check_default(state, act, decision, where)
        elif self._next(decision):
            raise Mismatch(where, f"seat {act.seat} played freely, but a ruling stands against it")

    def _next(self, decision: int) -> bool:
        """Say whether the next ruling is due."""
        return bool(self._left) and self._left[-1].decision <= decision

    def _check_default(self, state: State, act: Played, decision: int, where: str) -> None:
        ruling = self._left[-1] if self._next(decision) else None
        if ruling is None or (ruling.seat, ruling.decision) != (act.seat, decision):
            raise Mismatch(where, f"no ruling says why seat {act.seat} was played for")
        if ruling.fault != act.fault:
            raise Mismatch(where, f"the ruling says {ruling.fault}, the act {act.fault}")
        self._take(False)
        if read_action(act, where) != default_action(state, act.seat):
            raise Mismatch(where, f"it is not the first legal action of seat {act.seat}")

    def _take(self, opening: bool) -> None:
        """Take the next ruling; a seat that was never there leaves, whatever the settings say."""
        ruling = self._left.pop()
        where = f"end.rulings[{sum(self._faults)}]"
        if not 0 <= ruling.seat < len(self._faults) or ruling.seat in self.gone:
            raise Mismatch(where, f"there is no seat {ruling.seat} at the table")
        self._faults[ruling.seat] += 1
        sanction: Sanction = getattr(self._settings, ruling.fault.value)
        if opening or self._faults[ruling.seat] >= self._settings.faults:
            sanction = Sanction.RETIRE
        if ruling.sanction is not sanction:
            raise Mismatch(where, f"the sanction is {ruling.sanction}, by the settings {sanction}")
        if sanction is Sanction.RETIRE:
            self._leaving.add(ruling.seat)
            self.gone[ruling.seat] = ruling

    def finish(self) -> None:
        """Check that nothing is left over at the end of a game that was played to its end."""
        if self._void:
            return
        if self._left:
            where = f"end.rulings[{sum(self._faults)}]"
            raise Mismatch(where, "no act of the game follows from it")
        if self._leaving:
            raise Mismatch("end", f"the seats {sorted(self._leaving)} never left the table")


def _differences(recorded: Any, found: Any, names: Sequence[str]) -> Iterator[Mismatch]:
    for name in names:
        was, should = getattr(recorded, name), getattr(found, name)
        if was != should:
            yield Mismatch(f"end.{name}", f"recorded {_shown(was)}, by the rules {_shown(should)}")


def _shown(value: object) -> str:
    return str(list(value)) if isinstance(value, tuple) else repr(value)


def _check_outcome(end: GameEnd, state: State) -> None:
    found = outcome(state)
    if found is None:
        raise Mismatch("end", f"the game is not over: round {state.round}, seats still to decide")
    for difference in _differences(end, found, ("reason", "winners", "placings", "rounds")):
        raise difference


def _check_void(end: GameEnd, seats: int) -> None:
    if end.void is None or end.reason != "void":
        raise Mismatch("end.void", "`reason` and `void` must both say that a game is void")
    if end.winners or end.placings:
        raise Mismatch("end.placings", "a void game has no winners and no placings")
    if len(end.verdicts) != seats or {v.standing for v in end.verdicts} != {Standing.VOID}:
        raise Mismatch("end.verdicts", "in a void game every seat's verdict is void")


def _check_verdicts(record: GameRecord, gone: dict[int, RulingRecord]) -> None:
    end = record.end
    if len(end.verdicts) != len(record.header.seats):
        raise Mismatch("end.verdicts", f"{len(end.verdicts)} for {len(record.header.seats)} seats")
    for seat, verdict in enumerate(end.verdicts):
        faults = sum(ruling.seat == seat for ruling in end.rulings)
        ruling = gone.get(seat)
        if ruling is None:
            should = Verdict(Standing.FINISHED, None, faults, verdict.sentence)
        else:
            should = Verdict(Standing.FORFEITED, ruling.fault, faults, ruling.sentence)
        if verdict != should:
            raise Mismatch(
                f"end.verdicts[{seat}]",
                f"recorded {_told(verdict)}, by the rulings {_told(should)}",
            )


def _told(verdict: Verdict) -> str:
    why = f" for {verdict.fault}" if verdict.fault else ""
    return f"{verdict.standing}{why} with {verdict.faults} faults"


def _check_measured(record: GameRecord) -> None:
    """Check that what was measured is about these decisions and these seats."""
    decisions = sum(isinstance(act, Played) for line in record.rounds for act in line.acts)
    measured = record.measured
    for name in ("cpu_us", "wall_us", "wait_us"):
        if len(getattr(measured, name)) not in (0, decisions):
            raise Mismatch(
                f"measured.{name}",
                f"it has {len(getattr(measured, name))} of {decisions} decisions",
            )
    for name in ("stderr", "streams", "first_ids", "startup_ms"):
        if len(getattr(measured, name)) not in (0, len(record.header.seats)):
            raise Mismatch(f"measured.{name}", "it has another number of seats")


def _check_streams(record: GameRecord) -> None:
    """Check that the referee, given the same answers, says and writes the same."""
    rebuilt = rebuild(record)
    if rebuilt.done.rounds != record.rounds:
        for was, should in zip_longest(record.rounds, rebuilt.done.rounds):
            if was != should:
                number = (was or should).round
                raise Mismatch(f"round {number}", "the referee carries the acts out otherwise")
    if rebuilt.done.end != record.end:
        raise Mismatch("end", "the referee, given these answers, ends the game otherwise")
    hashes = zip(record.measured.streams, rebuilt.hashes, strict=False)
    for seat, (was, should) in enumerate(hashes):
        if was != should:
            raise Mismatch(
                f"measured.streams[{seat}]", "what the seat was sent can't be rebuilt from the game"
            )
