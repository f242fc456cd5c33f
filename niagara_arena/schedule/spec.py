"""What a tournament is a function of: entrants, settings, seed. Nothing else decides a schedule."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from niagara_arena.errors import InputError
from niagara_arena.records import Settings
from niagara_arena.rules import RULESETS, start_from
from niagara_arena.schedule.openings import MAX_OPENING_ROUNDS
from niagara_arena.schedule.seating import SEATING_KINDS

__all__ = ["FORMATS", "Entrant", "Spec", "check_spec", "opening_rounds"]

FORMATS = ("round-robin", "swiss", "gauntlet")


class Entrant(Struct, frozen=True, forbid_unknown_fields=True):
    """Name one submission of a tournament."""

    submission: str
    """Content hash, 64 hex digits."""
    name: str
    version: str = ""
    owner: str = ""
    """Key of whom the roster says it belongs to; empty when it says nothing."""
    params: dict[str, Any] = {}


class Spec(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold everything that decides a schedule, but for the entrants."""

    seed: str
    format: str = "round-robin"
    settings: Settings = field(default_factory=Settings)
    seats: tuple[int, ...] = (4,)
    """Table sizes; each is balanced for itself. Swiss prefers the first and mixes as it must."""
    games_per_bot: int = 0
    """A minimum, rounded up to balance; 0: all tables if they are few, else 60."""
    heats: int = 0
    """How often a Swiss tournament pairs; 0: as often as it takes to tell the field apart."""
    seating: str = "balanced"
    openings: str = "none"
    """``none``, ``random:N``, or ``file`` with `positions`."""
    positions: tuple[dict[str, Any], ...] = ()
    challengers: tuple[str, ...] = ()
    """Of a gauntlet: the submissions that each play against the field of all others."""
    one_per_owner: bool = False
    """Whether bots of one owner are kept from meeting."""
    withdraw_after: int = 0
    """The number of forfeited games after which a bot is withdrawn; 0: never."""


def opening_rounds(openings: str) -> int:
    """Return N of ``random:N``; 0 for the other kinds of openings."""
    kind, _, number = openings.partition(":")
    if kind != "random":
        return 0
    if not number.isdecimal() or not 1 <= int(number) <= MAX_OPENING_ROUNDS:
        raise InputError(
            f"`{openings}` is no kind of openings",
            f"write `random:N` with N from 1 to {MAX_OPENING_ROUNDS}",
        )
    return int(number)


def check_spec(spec: Spec, entrants: int) -> None:
    """Raise InputError for a tournament that can't be played."""
    _one_of("format", spec.format, FORMATS)
    _one_of("seating", spec.seating, SEATING_KINDS)
    _one_of("rules", spec.settings.rules, tuple(sorted(RULESETS)))
    allowed = RULESETS[spec.settings.rules].seat_counts
    if not spec.seats or len(set(spec.seats)) != len(spec.seats):
        raise InputError("`seats` names each table size once", "such as 4, or 3,4,5")
    for seats in spec.seats:
        if seats not in allowed:
            raise InputError(
                f"{spec.settings.rules} is played by {allowed[0]} to {allowed[-1]} seats,"
                f" not {seats}"
            )
    if spec.format == "swiss" and len(spec.seats) > 1:
        raise InputError("Swiss takes one size of table", "it mixes sizes by itself where it must")
    _check_length(spec)
    needed = 3 if spec.format == "swiss" else max(spec.seats)
    if entrants < needed:
        raise InputError(f"{entrants} bots are too few for tables of {max(spec.seats)}")
    for name in ("games_per_bot", "heats", "withdraw_after"):
        if getattr(spec, name) < 0:
            raise InputError(f"`{name}` is not negative")
    if not spec.seed:
        raise InputError("a tournament needs a seed")
    _check_openings(spec)


def _check_length(spec: Spec) -> None:
    """Refuse what would be silently ignored."""
    if spec.format == "swiss" and spec.games_per_bot:
        raise InputError("Swiss is as long as its heats, not its games", "set `heats` instead")
    if spec.format != "swiss" and spec.heats:
        raise InputError(f"only Swiss has heats, not {spec.format}", "set `games_per_bot` instead")
    if spec.format != "gauntlet" and spec.challengers:
        raise InputError(f"only a gauntlet has challengers, not {spec.format}")


def _check_openings(spec: Spec) -> None:
    rounds = opening_rounds(spec.openings)
    if rounds >= spec.settings.max_rounds:
        raise InputError(
            f"openings of {rounds} rounds leave nothing of {spec.settings.max_rounds}",
            "ask for fewer rounds, or raise `max_rounds`",
        )
    if not rounds:
        _one_of("openings", spec.openings, ("none", "file"))
    if (spec.openings == "file") != bool(spec.positions):
        raise InputError("openings of a file need positions, and others have none")
    for number, position in enumerate(spec.positions):
        state = start_from(position, max_rounds=spec.settings.max_rounds).state
        if state.rules != spec.settings.rules or state.over:
            raise InputError(f"no {spec.settings.rules} game can start from position {number}")
    for seats in spec.seats:
        if spec.positions and all(p["seats"] != seats for p in spec.positions):
            raise InputError(f"there is no position for {seats} seats among the openings")


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(
            f"unknown {what} `{value}`", f"it is {', '.join(known[:-1])} or {known[-1]}"
        )
