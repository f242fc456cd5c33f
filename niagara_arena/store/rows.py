"""What reading the database returns, and how its columns of bytes are read."""

from __future__ import annotations

import struct

from msgspec import Struct

from niagara_arena.store.packing import DamagedRecord, unpack, unpack_measured

__all__ = [
    "GameRow",
    "MatchRow",
    "TournamentRow",
    "as_bytes",
    "as_int",
    "as_numbers",
    "whole_record",
]

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
    return struct.unpack(f"<{len(data) // (2 if kind == 'H' else 4)}{kind}", data)


def as_bytes(value: object) -> bytes:
    """Return a column of bytes."""
    if not isinstance(value, bytes):
        raise DamagedRecord("a column that should hold bytes does not")
    return value


def as_int(value: object) -> int:
    """Return a column that holds a number."""
    if not isinstance(value, int):
        raise DamagedRecord("a column that should hold a number does not")
    return value
