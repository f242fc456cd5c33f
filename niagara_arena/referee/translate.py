"""Rules ↔ wire: the only place that knows both, so that only observations can ever be sent."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from niagara_arena.errors import RulesError
from niagara_arena.records import GameHeader, Verdict
from niagara_arena.rules import (
    Event,
    State,
    event_text,
    first_events,
    position_text,
    start,
    start_from,
)
from niagara_arena.rules.events import RoundStarted
from niagara_arena.wire.messages import (
    EndText,
    RulingText,
    SeatVerdict,
    StartClock,
    StartSettings,
    StartText,
    line,
)


def open_game(header: GameHeader) -> tuple[State, tuple[Event, ...], str]:
    """Return a game's first state, what happened on the way to it, and where it starts, as text."""
    settings = header.settings
    limits: dict[str, Any] = {"max_rounds": settings.max_rounds, "placings": settings.placings}
    if header.position is None:
        state = start(settings.rules, len(header.seats), **limits)
        return state, first_events(state), position_text(state)
    position = header.position
    if position.get("rules") != settings.rules or position.get("seats") != len(header.seats):
        raise RulesError("the position is of another ruleset or seat count", path="$.rules")
    state, events = start_from(position, **limits)
    opened = RoundStarted(position["round"], position["start"])
    return state, (opened, *events), msgspec.json.encode(position).decode()


def start_line(header: GameHeader, seat: int, position: str) -> bytes:
    """Return the `start` of a seat [P-3.1]."""
    settings = header.settings
    clock = settings.clock
    own = header.seats[seat]
    return line(
        StartText(
            header.game,
            seat,
            len(header.seats),
            settings.rules,
            own.seed,
            StartSettings(
                settings.max_rounds,
                settings.placings,  # type: ignore[arg-type]  # checked when the game was opened
                StartClock(
                    clock.mode,  # type: ignore[arg-type]  # checked by `Referee`
                    clock.bank_ms,
                    clock.increment_ms,
                    clock.wall_ms,
                ),
            ),
            own.params,
            [seat.name for seat in header.seats] if settings.names else None,
            Raw(position.encode()),
        )
    )


def ruling_line(number: int, fault: str, sentence: str, played: str, faults_left: int) -> bytes:
    """Return the `ruling` that tells a bot of its fault [P-6.1]."""
    return line(RulingText(number, fault, sentence, Raw(played.encode()), faults_left))


def end_line(
    game: str,
    reason: str,
    winners: tuple[int, ...],
    placings: tuple[int, ...],
    verdicts: tuple[Verdict, ...],
    events: str,
) -> bytes:
    """Return the `end` of a game [P-3.2]."""
    told = [
        SeatVerdict(v.standing.value, v.fault.value if v.fault else None, v.sentence)
        for v in verdicts
    ]
    return line(EndText(game, reason, winners, placings, told, Raw(f"[{events}]".encode())))


def events_text(events: tuple[Event, ...]) -> list[str]:
    """Return events as JSON texts."""
    return [event_text(event) for event in events]
