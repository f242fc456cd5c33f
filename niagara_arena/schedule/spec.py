"""What a tournament is a function of: entrants, settings, seed. Nothing else decides a schedule."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import force_setattr

from niagara_arena.errors import InputError
from niagara_arena.records import Settings
from niagara_arena.rules import RULESETS, start_from
from niagara_arena.schedule.openings import MAX_OPENING_ROUNDS
from niagara_arena.schedule.seating import SEATING_KINDS, seatings
from niagara_arena.schedule.swiss import SMALLEST_TABLE, table_sizes

__all__ = [
    "FORMATS",
    "MAX_GAMES_A_MATCH",
    "Entrant",
    "Spec",
    "check_spec",
    "largest_table",
    "match_games",
    "opening_rounds",
]

FORMATS = ("round-robin", "swiss", "gauntlet")
MAX_GAMES_A_MATCH = 64
"""A match is lost as a whole when it is interrupted, and the store looks for its games so far."""


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
    openings_per_match: int | UnsetType = UNSET
    """How many openings a match plays, each through the whole seating; read `match_openings`."""

    def __post_init__(self) -> None:
        """Leave the default unsaid: it is then encoded and hashed as before there was a choice."""
        if self.openings_per_match == 1:
            force_setattr(self, "openings_per_match", UNSET)

    @property
    def match_openings(self) -> int:
        """How many openings a match plays."""
        return 1 if isinstance(self.openings_per_match, UnsetType) else self.openings_per_match


def match_games(spec: Spec, seats: int) -> int:
    """Return how many games a match at a table of this size has."""
    return spec.match_openings * len(seatings(spec.seating, seats))


def largest_table(spec: Spec) -> int:
    """Return the most seats of a table that Swiss makes."""
    most = max(RULESETS[spec.settings.rules].seat_counts)
    return min(most, max(5, spec.seats[0] + 1))


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
                f" not {seats}",
                "choose other tables with --seats",
            )
    if spec.format == "swiss" and len(spec.seats) > 1:
        raise InputError("Swiss takes one size of table", "it mixes sizes by itself where it must")
    _check_length(spec)
    needed = 3 if spec.format == "swiss" else max(spec.seats)
    if entrants < needed:
        raise InputError(
            f"{entrants} bots are too few for tables of {max(spec.seats)}",
            "name more bots, or smaller tables with --seats",
        )
    for name in ("games_per_bot", "heats", "withdraw_after"):
        if getattr(spec, name) < 0:
            raise InputError(f"`{name}` is not negative", "0 leaves the choice to the arena")
    if not spec.seed:
        raise InputError("a tournament needs a seed")
    _check_openings(spec)
    _check_openings_per_match(spec, entrants)


def _check_length(spec: Spec) -> None:
    """Refuse what would be silently ignored."""
    if spec.format == "swiss" and spec.games_per_bot:
        raise InputError("Swiss is as long as its heats, not its games", "set `heats` instead")
    if spec.format != "swiss" and spec.heats:
        raise InputError(f"only Swiss has heats, not {spec.format}", "set `games_per_bot` instead")
    if spec.format != "gauntlet" and spec.challengers:
        raise InputError(
            f"only a gauntlet has challengers, not {spec.format}",
            "add `--format gauntlet`, or leave the challengers out",
        )


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
            raise InputError(
                f"no {spec.settings.rules} game can start from position {number}",
                "a file of openings has one position a line: `niagara rules random` prints some",
            )
    for seats in spec.seats:
        if spec.positions and all(p["seats"] != seats for p in spec.positions):
            raise InputError(
                f"there is no position for {seats} seats among the openings",
                "add positions of this size, or choose other tables with --seats",
            )


def _check_openings_per_match(spec: Spec, entrants: int) -> None:
    """Refuse matches that are too long, or whose games would only repeat."""
    openings = spec.match_openings
    if openings < 1:
        raise InputError("`openings_per_match` is at least 1", "1 plays one opening in each match")
    if openings == 1:
        return
    if spec.openings == "none":
        raise InputError(
            f"without openings, all {openings} of a match would be the set-up:"
            " deterministic bots would only repeat their games",
            "add openings such as `--openings random:2`, or leave `openings_per_match` at 1",
        )
    sizes = _possible_sizes(spec, entrants)
    longest = max(len(seatings(spec.seating, seats)) for seats in sizes)
    if openings * longest > MAX_GAMES_A_MATCH:
        raise InputError(
            f"{openings} openings of up to {longest} games are more than the"
            f" {MAX_GAMES_A_MATCH} games that a match may have",
            f"set `openings_per_match` to {MAX_GAMES_A_MATCH // longest} or less",
        )
    for seats in sizes:
        fitting = sum(position["seats"] == seats for position in spec.positions)
        if spec.openings == "file" and fitting < openings:
            raise InputError(
                f"{openings} openings a match need as many positions for {seats} seats,"
                f" and the file has {fitting}: games would repeat",
                f"set `openings_per_match` to {max(1, fitting)}, or add positions",
            )


def _possible_sizes(spec: Spec, entrants: int) -> list[int]:
    """Return the sizes of table that may be played; Swiss mixes them, by who is left."""
    if spec.format != "swiss":
        return sorted(spec.seats)
    largest = largest_table(spec)
    if spec.withdraw_after:
        return list(range(SMALLEST_TABLE, largest + 1))
    return sorted(set(table_sizes(entrants, spec.seats[0], largest)))


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(
            f"unknown {what} `{value}`", f"it is {', '.join(known[:-1])} or {known[-1]}"
        )
