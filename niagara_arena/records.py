"""The nouns that cross a border (process, disk, network): frozen structs without behaviour.

Laws kept here:

- A struct's fields only ever grow, with defaults; a change of meaning is a new `format` number.
- Unknown fields are errors: a typo in a settings file must not pass for a setting.
- A `GameRecord` is written as JSON lines. All lines but the last are its deterministic part: the
  same bots in the same seats with the same seed give the same bytes. The last line, `measured`,
  holds what differs from run to run: times, notes, logs, the host.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import UNSET, Raw, Struct, UnsetType, field

RECORD_FORMAT = 1
"""The version of the lines that a game is written in."""


class Fault(StrEnum):
    """Name a bot's misbehaviour."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"
    FLOOD = "flood"
    STARTUP = "startup"
    BUILD = "build"


class Sanction(StrEnum):
    """Name what a fault costs."""

    DEFAULT = "default"
    """The first legal action is played for the seat; enough of these retire it."""
    RETIRE = "retire"
    """The seat leaves the table at once [N-5.4]."""


class Standing(StrEnum):
    """Name what stands in the records for one seat."""

    FINISHED = "finished"
    FORFEITED = "forfeited"
    VOID = "void"


class Void(StrEnum):
    """Name what our side did to spoil a game; no bot can be blamed for it."""

    INTERRUPT = "interrupt"
    HOST = "host"
    INTERNAL = "internal"
    KILLED = "killed"
    """Somebody outside killed what watches over the bots, or the cage around one."""


# --- Settings ----------------------------------------------------------------------------------


class Clock(Struct, frozen=True, forbid_unknown_fields=True):
    """Say how much time a bot has."""

    mode: str = "cpu"
    """``cpu``: the bank is spent in the bot's CPU time; ``wall``: in wall time; ``off``."""
    startup_ms: int = 10_000
    """Wall time from the start of the process to its `ready`."""
    bank_ms: int = 5_000
    """What a bot may spend in one game."""
    increment_ms: int = 20
    """What each decision adds to the bank before it is asked."""
    wall_ms: int = 5_000
    """Wall limit of a decision, for each seat that is asked together with it."""


class Sanctions(Struct, frozen=True, forbid_unknown_fields=True):
    """Say what each fault costs; `faults` of the kind `default` retire a seat."""

    illegal: Sanction = Sanction.DEFAULT
    malformed: Sanction = Sanction.DEFAULT
    timeout: Sanction = Sanction.DEFAULT
    crash: Sanction = Sanction.RETIRE
    memory: Sanction = Sanction.RETIRE
    flood: Sanction = Sanction.RETIRE
    startup: Sanction = Sanction.RETIRE
    build: Sanction = Sanction.RETIRE
    faults: int = 3
    """The fault with which a seat is retired, counted in one game."""


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold what a game is played under; part of the deterministic record."""

    rules: str = "base"
    max_rounds: int = 200
    placings: str = "progress"
    profile: str = "standard"
    """The name of the profile that the sanctions and clock come from, or ``custom``."""
    clock: Clock = field(default_factory=Clock)
    sanctions: Sanctions = field(default_factory=Sanctions)
    freeze: bool = True
    """Whether a bot is stopped while it is not asked."""
    names: bool = False
    """Whether bots are told who sits where."""


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Say what a bot's process may use."""

    memory_mb: int = 512
    processes: int = 64
    """Threads and, where a bot may fork, processes."""
    open_files: int = 256
    file_mb: int = 64
    tmp_mb: int = 32
    shm_mb: int = 8
    cpu_s: int | None = None
    """CPU seconds of the whole process; None: derived from the clock and the number of games."""


# --- Who plays, and what is to be played -------------------------------------------------------


class Seat(Struct, frozen=True, forbid_unknown_fields=True):
    """Say who sits in one seat of a game."""

    submission: str
    """Content hash, 64 hex digits."""
    name: str
    version: str = ""
    params: dict[str, Any] = {}
    seed: int = 0
    """The bot's own seed, below 2**48; nobody else learns it before the game is over."""
    runtimes: dict[str, str] | UnsetType = UNSET
    """Name → content hash of the organiser's runtimes that it uses; left out if it uses none."""


class GameJob(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for one game of a match."""

    game: str
    """Stable id: ``g-`` and 16 hex digits."""
    seating: tuple[int, ...]
    """By seat: the index into the match's entrants."""
    seed: str
    """32 hex digits, from which the seats' seeds are derived."""
    opening: str = ""
    """A name for where it starts, empty for the set-up; games of one opening are one cluster."""
    position: dict[str, Any] | None = None
    """Where the game starts; None for the set-up."""


class MatchJob(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for a match: one table and its games, in order."""

    match: str
    """Stable id: ``m-`` and 16 hex digits."""
    entrants: tuple[str, ...]
    """Submission ids of the table."""
    games: tuple[GameJob, ...]
    settings: Settings


# --- The record of a game ----------------------------------------------------------------------


class GameHeader(Struct, frozen=True, tag="game", forbid_unknown_fields=True):
    """Open a record: everything that was fixed before the first decision."""

    format: int
    arena: str
    rules_version: str
    game: str
    match: str
    seats: tuple[Seat, ...]
    seed: str
    settings: Settings
    sandbox: str
    opening: str = ""
    position: dict[str, Any] | None = None


class Played(Struct, frozen=True, tag="p", array_like=True):
    """Record one answered decision: the action that was carried out."""

    seat: int
    action: Raw
    """The action's JSON object."""
    fault: str = ""
    """The fault because of which this default action was played, empty for the bot's own."""


class Retired(Struct, frozen=True, tag="r", array_like=True):
    """Record seats that left the table in one step."""

    seats: tuple[int, ...]


class RoundRecord(Struct, frozen=True, tag="round", forbid_unknown_fields=True):
    """Record what was done in one round, in the order in which it was carried out."""

    round: int
    acts: tuple[Played | Retired, ...]


class RulingRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """Record the referee's judgement of a fault."""

    seat: int
    decision: int
    """Index of the decision among all of this game's, from 0; -1 outside any decision."""
    fault: Fault
    detail: str
    """Which kind of it: ``cpu``, ``wall``, ``exit 1``, ``SIGSEGV``, ``json`` …"""
    sentence: str
    """What was wrong, for people; names the JSON path or the clause."""
    sanction: Sanction


class Verdict(Struct, frozen=True, forbid_unknown_fields=True):
    """Say what stands for one seat."""

    standing: Standing
    fault: Fault | None = None
    """Why it was forfeited."""
    faults: int = 0
    """How many faults it had."""
    sentence: str = ""


class GameEnd(Struct, frozen=True, tag="end", forbid_unknown_fields=True):
    """Close the deterministic part of a record."""

    reason: str
    """``won``, ``last_seat``, ``max_rounds``, ``deserted``; for a void game ``void``."""
    winners: tuple[int, ...]
    placings: tuple[int, ...]
    """By seat; empty for a void game."""
    rounds: int
    verdicts: tuple[Verdict, ...]
    rulings: tuple[RulingRecord, ...] = ()
    void: Void | None = None
    void_sentence: str = ""


class FaultEvidence(Struct, frozen=True, forbid_unknown_fields=True):
    """Keep for the author what can't be replayed: the reply of a faulted decision."""

    decision: int
    seat: int
    reply: str
    """The reply's beginning, escaped; empty when there was none."""


class Measured(Struct, frozen=True, tag="measured", forbid_unknown_fields=True):
    """Hold what differs from run to run; decisions are counted as in the rounds' acts."""

    cpu_us: tuple[int, ...] = ()
    wall_us: tuple[int, ...] = ()
    wait_us: tuple[int, ...] = ()
    """How long the process's first thread waited for a core."""
    notes: dict[str, str] = {}
    """Decision → the bot's note."""
    data: dict[str, dict[str, float]] = {}
    """Decision → the bot's numbers by name."""
    evidence: tuple[FaultEvidence, ...] = ()
    stderr: tuple[str, ...] = ()
    """By seat: the tail of what the bot logged during this game."""
    streams: tuple[str, ...] = ()
    """By seat: SHA-256 of every byte sent to it for this game."""
    first_ids: tuple[int, ...] = ()
    """By seat: the id of its first request in this game."""
    startup_ms: tuple[int, ...] = ()
    """By seat: how long its process took to be ready, the start of its cage included."""
    started: str = ""
    """When the game began, UTC, ISO 8601."""
    duration_ms: int = 0
    host: dict[str, str] = {}
    trouble: str = ""
    """The traceback of an internal error, for the void game that it made."""


class GameRecord(Struct, frozen=True):
    """Hold one game: its lines in order."""

    header: GameHeader
    rounds: tuple[RoundRecord, ...]
    end: GameEnd
    measured: Measured


# --- What ratings look at ----------------------------------------------------------------------


class RatedGame(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold what ratings and tables need of one game."""

    tournament: str
    tournament_order: int
    """Place of the tournament among all: ratings go by tournament, then by schedule."""
    order: int
    """Place of the game in its tournament's schedule."""
    game: str
    rules: str
    seats: tuple[str, ...]
    """By seat: the submission."""
    winners: tuple[int, ...]
    placings: tuple[int, ...]
    cluster: str
    """Games of one table and opening share it: they are not independent."""
    fingerprint: str
    """Equal for identical games: same rules, settings, submissions by seat, actions."""
    verdicts: tuple[Standing, ...]
    """By seat; a void game has only void ones and does not count."""
    faults: tuple[int, ...]
    cpu_median_us: tuple[int, ...] = ()
    cpu_worst_us: tuple[int, ...] = ()
    day: str = ""
    """When it was played: YYYY-MM-DD."""
    epoch: str = ""
    annulled: bool = False
