"""Write a game record as JSON lines and read it back; hash what can be compared.

Laws kept here:

- `decode(encode(record)) == record`, and encoding that again gives the same bytes: no spaces,
  fields in the order of `records.py`. Keys of free objects (a bot's parameters, a position) keep
  their order, since the bots were sent them in that order.
- The lines of a record are one `game`, any number of `round`, one `end`, one `measured`; all but
  the last are its deterministic part, which is hashed and compared.
- Whatever bytes come in, `decode` returns a record or raises `InputError` naming the line.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

import msgspec

from niagara_arena.errors import InputError
from niagara_arena.records import (
    RECORD_FORMAT,
    GameEnd,
    GameHeader,
    GameRecord,
    Measured,
    RoundRecord,
)

__all__ = [
    "MAX_RECORD_BYTES",
    "decode",
    "deterministic_part",
    "encode",
    "fingerprint",
    "record_hash",
]

MAX_RECORD_BYTES: Final = 64 << 20
"""A long game takes a few hundred KB and its logs at most a few MB; more is no record."""

_NO_RECORD: Final = "records are the files that `niagara play --record DIR` writes"
_CHANGED: Final = "it was changed after it was written; play the game again"

_MEASURED: Final = b'{"type":"measured"'

_ENCODER: Final = msgspec.json.Encoder()
_SORTING_ENCODER: Final = msgspec.json.Encoder(order="deterministic")
_Line = GameHeader | RoundRecord | GameEnd | Measured
_DECODER: Final = msgspec.json.Decoder(_Line)


class _Version(msgspec.Struct):
    """Look at a first line of any version."""

    type: str
    format: int


_VERSION: Final = msgspec.json.Decoder(_Version)


def encode(record: GameRecord) -> bytes:
    """Return a record as JSON lines."""
    lines: list[_Line] = [record.header, *record.rounds, record.end, record.measured]
    return _ENCODER.encode_lines(lines)


def decode(data: bytes) -> GameRecord:
    """Read a record; raise InputError, naming the line, for anything that is not one."""
    if len(data) > MAX_RECORD_BYTES:
        raise InputError(f"a game record is no longer than {MAX_RECORD_BYTES} bytes", _NO_RECORD)
    lines = data.split(b"\n")
    if lines.pop():  # what follows the last newline
        raise InputError(
            f"line {len(lines) + 1}: the record breaks off in the middle of the line",
            "it was not written to its end; play the game again",
        )
    if not lines:
        raise InputError("the record is empty", _NO_RECORD)
    _check_version(lines[0])
    header = _line(lines, 1, GameHeader, "the `game` line that opens a record")
    rounds: list[RoundRecord] = []
    number = 2
    while True:
        line = _line(lines, number, _Line, "a `round` or the `end` line")
        number += 1
        if not isinstance(line, RoundRecord):
            break
        rounds.append(line)
    if not isinstance(line, GameEnd):
        raise InputError(f"line {number - 1}: the `end` line is missing before it", _CHANGED)
    measured = _line(lines, number, Measured, "the `measured` line that closes a record")
    if number < len(lines):
        raise InputError(f"line {number + 1}: nothing may follow the `measured` line", _CHANGED)
    return GameRecord(header, tuple(rounds), line, measured)


def _check_version(line: bytes) -> None:
    """Refuse what is no record, or one of a format that is not ours."""
    try:
        found = _VERSION.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        found = None
    if found is None or found.type != "game":
        raise InputError(
            "line 1: this is no game record",
            _NO_RECORD,
        )
    if found.format != RECORD_FORMAT:
        raise InputError(
            f"line 1: the record has format {found.format}, this arena reads {RECORD_FORMAT}",
            "read it with the version of the arena that wrote it",
        )


def _line(lines: list[bytes], number: int, kind: Any, what: str) -> Any:
    """Return a line, counted from 1, that must be of a kind."""
    if number > len(lines):
        raise InputError(
            f"line {number}: the record breaks off here; {what} should follow",
            "it was not written to its end; play the game again",
        )
    try:
        line = _DECODER.decode(lines[number - 1])
    except RecursionError:
        raise InputError(f"line {number}: it is nested too deeply", _CHANGED) from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise InputError(f"line {number}: {_sentence(error)}", _CHANGED) from None
    if not isinstance(line, kind):
        raise InputError(f"line {number}: {what} should stand here", _CHANGED)
    return line


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].lower() + text[1:200]


def deterministic_part(data: bytes) -> bytes:
    """Return all lines but the last, which must be the `measured` one."""
    begin = data.rfind(b"\n", 0, len(data) - 1) + 1
    if not begin or not data.endswith(b"\n") or not data.startswith(_MEASURED, begin):
        raise InputError("the record does not end with its `measured` line", _CHANGED)
    return data[:begin]


def record_hash(data: bytes) -> str:
    """Return the SHA-256 of a record's deterministic part, in hex."""
    return sha256(deterministic_part(data)).hexdigest()


def fingerprint(record: GameRecord) -> str:
    """Return a hash that is equal for identical games, whatever their ids and seeds.

    It covers rules, settings, who sat where, where the game started, and all that was done.
    """
    header = record.header
    said = (
        header.rules_version,
        header.settings,
        [seat.submission for seat in header.seats],
        header.position,
        [line.acts for line in record.rounds],
    )
    return sha256(_SORTING_ENCODER.encode(said)).hexdigest()
