"""What reading the database returns, and how its columns of bytes are read."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

from niagara_arena.records import Standing
from niagara_arena.store.facts import STANDINGS
from niagara_arena.store.packing import DamagedRecord, unpack, unpack_measured

__all__ = [
    "GameRow",
    "MatchRow",
    "TournamentRow",
    "as_bytes",
    "as_int",
    "as_json",
    "as_members",
    "as_numbers",
    "as_standings",
    "whole_record",
]

T = TypeVar("T")

_MEASURED_LOG = b'"stderr":[]'


class TournamentRow(Struct, frozen=True):
    """Hold a tournament and how far it has come."""

    number: int
    name: str
    format: str
    rules: str
    entrants: int
    matches: int
    """Of the schedule as far as it is known: a Swiss one grows heat by heat."""
    ended: int
    games: int
    created: str
    how: str
    """How its last run ended; ``running`` while it does, ``killed`` if it could not say."""
    epoch: str
    sandbox: str


class MatchRow(Struct, frozen=True):
    """Hold a match of the schedule and how it ended."""

    order: int
    heat: int
    match: str
    table: tuple[str, ...]
    state: str
    """Empty while it has not ended."""
    sentence: str
    games: int


class GameRow(Struct, frozen=True):
    """Hold a game's place and record."""

    tournament: str
    place: int
    match_order: int
    game: str
    hash: str
    fingerprint: str
    record: bytes
    """The record's lines, all of them."""


def whole_record(record: object, measured: object, log: object) -> bytes:
    """Put a record together again; its log is left empty when it was dropped."""
    last = unpack_measured(as_bytes(measured))
    if log is not None:
        before, found, after = last.rpartition(_MEASURED_LOG)
        if not found:
            raise DamagedRecord("the measured part of a record has no place for its log")
        last = before + b'"stderr":' + unpack(as_bytes(log)) + after
    return unpack(as_bytes(record)) + last


def as_numbers(value: object, kind: str = "H") -> tuple[int, ...]:
    """Return the numbers of a column; see `facts.numbers`."""
    data = as_bytes(value)
    try:
        return struct.unpack(f"<{len(data) // (2 if kind == 'H' else 4)}{kind}", data)
    except struct.error:
        raise _damaged("a column of numbers breaks off") from None


def as_members(value: object, entrants: Sequence[str]) -> tuple[str, ...]:
    """Return the entrants whose numbers a column holds."""
    numbers = as_numbers(value)
    if any(number >= len(entrants) for number in numbers):
        raise _damaged("a column has the number of an entrant that there is not")
    return tuple([entrants[number] for number in numbers])


def as_standings(value: object) -> tuple[Standing, ...]:
    """Return the standings that a column holds."""
    codes = as_bytes(value)
    if any(code >= len(STANDINGS) for code in codes):
        raise _damaged("a column holds a standing that there is not")
    return tuple([STANDINGS[code] for code in codes])


def as_json(value: object, kind: type[T]) -> T:
    """Return what a column of JSON holds."""
    try:
        return msgspec.json.decode(str(value), type=kind)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        raise _damaged(f"a column holds no {kind.__name__}: {error}") from None


def as_bytes(value: object) -> bytes:
    """Return a column of bytes."""
    if not isinstance(value, bytes):
        raise _damaged("a column that should hold bytes does not")
    return value


def as_int(value: object) -> int:
    """Return a column that holds a number."""
    if not isinstance(value, int):
        raise _damaged("a column that should hold a number does not")
    return value


def _damaged(what: str) -> DamagedRecord:
    return DamagedRecord(
        f"the database is damaged: {what}",
        "save what is readable with `niagara tournament export --salvage DIR`,"
        " then go on with a copy from before",
    )
