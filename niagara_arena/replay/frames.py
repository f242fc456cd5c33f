"""Cut a game into rounds to look at: the position a round began with, and what happened in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from niagara_arena.records import GameRecord, Played, RulingRecord
from niagara_arena.replay.playback import Moment, replay, view
from niagara_arena.rules import Event, event_to_json
from niagara_arena.rules.events import RoundStarted

__all__ = ["Frame", "Note", "Story", "story"]


class Note(NamedTuple):
    """What a bot noted with one of its answers."""

    seat: int
    text: str
    data: dict[str, float]
    """Its numbers by name."""


Entry = dict[str, Any] | Note | RulingRecord
"""Something that happened in a round: an event as JSON, a note, or a ruling."""


class Frame(NamedTuple):
    """One round of a game."""

    round: int
    position: dict[str, Any] | None
    """With what it began; None for a round that left nobody a choice before its first turn."""
    bank_ms: tuple[int, ...]
    """By seat: what its clock held then; empty when no clock ran or nothing was measured."""
    entries: tuple[Entry, ...]


class Story(NamedTuple):
    """A whole game, round by round."""

    frames: tuple[Frame, ...]
    final: dict[str, Any]
    """What everybody saw at the end: position, cards played, turn."""
    bank_ms: tuple[int, ...]


class _Banks:
    """Follow the seats' clocks by what was measured."""

    def __init__(self, record: GameRecord) -> None:
        clock = record.header.settings.clock
        measured = record.measured
        self._used = {"cpu": measured.cpu_us, "wall": measured.wall_us}.get(clock.mode, ())
        self._increment_us = clock.increment_ms * 1000
        self._bank_us = [clock.bank_ms * 1000] * len(record.header.seats)

    def charge(self, seat: int, decision: int) -> None:
        if decision < len(self._used):
            left = self._bank_us[seat] + self._increment_us - self._used[decision]
            self._bank_us[seat] = max(0, left)

    def left_ms(self) -> tuple[int, ...]:
        return tuple(bank // 1000 for bank in self._bank_us) if self._used else ()


def story(record: GameRecord) -> Story:
    """Return a game cut into rounds; raise Mismatch where its record can't be played."""
    banks = _Banks(record)
    rulings = list(reversed(record.end.rulings))
    frames: list[Frame] = []
    entries: list[Entry] = []
    last: Moment | None = None
    for moment in replay(record):
        act = moment.act
        if isinstance(act, Played):
            banks.charge(act.seat, moment.decision)
            entries += _noted(record, act.seat, str(moment.decision))
        while rulings and rulings[-1].decision <= moment.decision and act is not None:
            entries.append(rulings.pop())
        before, rest = _split(moment.events)
        entries += before
        while rest:
            if frames:
                frames[-1] = frames[-1]._replace(entries=tuple(entries))
            began = rest[0]
            begun = moment.begun if moment.begun and moment.begun["round"] == began.round else None
            frames.append(Frame(began.round, begun, banks.left_ms(), ()))
            entries, rest = _split(rest[1:])
        last = moment
    assert last is not None
    frames[-1] = frames[-1]._replace(entries=(*entries, *reversed(rulings)))
    return Story(tuple(frames), view(last.state), banks.left_ms())


def _noted(record: GameRecord, seat: int, decision: str) -> list[Entry]:
    text = record.measured.notes.get(decision)
    data = record.measured.data.get(decision)
    return [] if text is None and data is None else [Note(seat, text or "", data or {})]


def _split(events: Sequence[Event]) -> tuple[list[Entry], list[Any]]:
    """Return the events of the running round, and those from the start of the next."""
    for index, event in enumerate(events):
        if isinstance(event, RoundStarted):
            return [event_to_json(other) for other in events[:index]], list(events[index:])
    return [event_to_json(event) for event in events], []
