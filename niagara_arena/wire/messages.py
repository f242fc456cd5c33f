"""Every message of protocol 1, as msgspec types; the JSON Schemas are made from them.

The arena's messages are encoded in two ways: the rare ones from these types, `decide` by joining
texts that the rules core has already made (`text.decide_line`), which is several times faster. A
bot's messages are always decoded with these types, unknown fields refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from niagara_arena.wire.limits import (
    DATA_ENTRIES,
    DATA_NAME_CHARACTERS,
    LINE_BYTES,
    NOTE_CHARACTERS,
    PROTOCOL,
)
from niagara_arena.wire.shapes import Event, LegalAction, Observation, Position, SeatNumber

DecisionKind = Literal["buy", "card", "canoe", "weather", "arm", "moose"]
Milliseconds = Annotated[int, Meta(ge=0)]


class HelloLimits(Struct, frozen=True):
    """What the arena takes from a bot."""

    line_bytes: Annotated[int, Meta(description="Longest line a bot may send.")] = LINE_BYTES


class Hello(Struct, frozen=True, tag="hello"):
    """Open the conversation, once a process [P-2.1]."""

    protocol: int
    arena: str
    limits: HelloLimits


class StartClock(Struct, frozen=True):
    """The clock's settings [P-5]."""

    mode: Literal["cpu", "wall", "off"]
    bank_ms: Milliseconds
    increment_ms: Milliseconds
    wall_ms: Milliseconds


class StartSettings(Struct, frozen=True):
    """What the game is played under."""

    max_rounds: int
    placings: Literal["progress", "winners"]
    clock: StartClock


class Start(Struct, frozen=True, tag="start"):
    """Begin a game [P-3.1]."""

    game: str
    seat: SeatNumber
    seats: int
    rules: Literal["base", "spirits"]
    seed: Annotated[int, Meta(ge=0, lt=2**48, description="For the bot's own randomness.")]
    settings: StartSettings
    params: dict[str, Any]
    names: Annotated[
        list[str] | None, Meta(description="Who sits where; null when seats are anonymous.")
    ]
    position: Position


class ClockLeft(Struct, frozen=True):
    """What is left for this decision [P-5.1]."""

    bank_ms: Milliseconds
    increment_ms: Milliseconds
    wall_ms: Milliseconds


class Decide(Struct, frozen=True, tag="decide"):
    """Ask for a decision [P-4.1]."""

    id: int
    kind: DecisionKind
    events: Annotated[list[Event], Meta(description="All since the last message to this bot.")]
    observation: Observation
    legal: list[LegalAction]
    clock: ClockLeft | None


class Ruling(Struct, frozen=True, tag="ruling"):
    """Tell a bot what it did wrong and what was played instead [P-6.1]."""

    id: int
    fault: str
    sentence: str
    played: Any
    faults_left: int


class SeatVerdict(Struct, frozen=True):
    """What stands for one seat."""

    standing: Literal["finished", "forfeited", "void"]
    fault: str | None
    sentence: str


class End(Struct, frozen=True, tag="end"):
    """Tell how the game ended [P-3.2]."""

    game: str
    reason: str
    winners: list[SeatNumber]
    placings: list[int]
    verdicts: list[SeatVerdict]
    events: list[Event]


class Quit(Struct, frozen=True, tag="quit"):
    """Ask the process to exit [P-2.3]."""


FromArena = Hello | Start | Decide | Ruling | End | Quit


class Ready(Struct, frozen=True, tag="ready", forbid_unknown_fields=True):
    """Answer `hello` [P-2.2]."""

    protocol: int
    name: Annotated[str, Meta(max_length=100)] = ""
    features: Annotated[list[Annotated[str, Meta(max_length=50)]], Meta(max_length=20)] = []


DataName = Annotated[str, Meta(min_length=1, max_length=DATA_NAME_CHARACTERS)]


class Act(Struct, frozen=True, forbid_unknown_fields=True):
    """Answer `decide` with exactly one of `choice` and `action` [P-4.2]."""

    id: int
    type: Literal["act"] = "act"
    choice: Annotated[int, Meta(ge=0, description="Index into `legal`.")] | UnsetType = UNSET
    action: (
        Annotated[
            dict[str, Any], Meta(description="The action itself; a `result` in it is ignored.")
        ]
        | UnsetType
    ) = UNSET
    note: Annotated[str, Meta(max_length=NOTE_CHARACTERS)] | UnsetType = UNSET
    data: Annotated[dict[DataName, float], Meta(max_length=DATA_ENTRIES)] | UnsetType = UNSET


ready_decoder: Final = msgspec.json.Decoder(Ready)
act_decoder: Final = msgspec.json.Decoder(Act)
arena_decoder: Final = msgspec.json.Decoder(FromArena)
_encoder: Final = msgspec.json.Encoder()

QUIT_LINE: Final = b'{"type":"quit"}\n'


def hello_line(arena: str) -> bytes:
    """Return the line that opens the conversation."""
    return _encoder.encode(Hello(PROTOCOL, arena, HelloLimits())) + b"\n"


class StartText(Struct, frozen=True, tag="start"):
    """A `start` whose position is JSON text already."""

    game: str
    seat: int
    seats: int
    rules: str
    seed: int
    settings: StartSettings
    params: dict[str, Any]
    names: list[str] | None
    position: Raw


class RulingText(Struct, frozen=True, tag="ruling"):
    """A `ruling` whose action is JSON text already."""

    id: int
    fault: str
    sentence: str
    played: Raw
    faults_left: int


class EndText(Struct, frozen=True, tag="end"):
    """An `end` whose events are JSON text already."""

    game: str
    reason: str
    winners: tuple[int, ...]
    placings: tuple[int, ...]
    verdicts: list[SeatVerdict]
    events: Raw


def line(message: StartText | RulingText | EndText) -> bytes:
    """Return one of the rarer messages as the line to send."""
    return _encoder.encode(message) + b"\n"
