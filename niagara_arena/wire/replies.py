"""A line from a bot → what it says, or what is wrong with it, as data.

Anything a bot sends is hostile input. No line makes these functions raise: bad UTF-8, nesting
thousands deep, numbers out of range, unknown fields each become a `Trouble` whose sentence names
the JSON path and, where many people stumble over it, the likely cause.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from niagara_arena.wire.limits import PROTOCOL, REPLY_EXCERPT_BYTES
from niagara_arena.wire.messages import Act, Ready, act_decoder, ready_decoder


class Trouble(NamedTuple):
    """Say what is wrong with a line."""

    detail: str
    """A word for programs: ``json``, ``utf-8``, ``nesting``, ``empty``, ``fields``, ``id`` …"""
    sentence: str


class Stale:
    """Mark a late or repeated answer to an earlier question: it has no effect [P-4.4]."""


STALE: Final = Stale()
_read_act: Final = act_decoder.decode

_HALF_PAIR: Final = re.compile(
    rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]"
)
_MOST_ID: Final = 10**9
"""Longer numbers are not repeated."""
_HEAD_SAID: Final = 120
_TAIL_SAID: Final = 60
"""A sentence goes into rulings, records and the `end` of every seat: of what msgspec says, which
repeats names that the bot has chosen, the beginning is told and the end, where the path is."""
_BANNER: Final = "the first character is {!r}, where a JSON object begins with '{{'"


def read_ready(line: bytes) -> Ready | Trouble:
    """Read the answer to `hello` [P-2.2]."""
    try:
        ready = ready_decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return describe(line, error, "`ready`")
    if ready.protocol != PROTOCOL:
        told = ready.protocol if abs(ready.protocol) <= _MOST_ID else "a huge number"
        return Trouble("protocol", f"the bot speaks protocol {told}, the arena {PROTOCOL} [P-2.2]")
    return ready


def read_act(line: bytes, number: int) -> Act | Trouble | Stale:
    """Read the answer to question ``number`` [P-4.2]."""
    try:
        act = _read_act(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return describe(line, error, "a reply")
    if act.id != number:
        if 0 < act.id < number:
            return STALE
        told = act.id if abs(act.id) <= _MOST_ID else "a huge number"
        return Trouble("id", f"`$.id` is {told}, but the question asked is {number} [P-4.4]")
    if (type(act.choice) is int) is (type(act.action) is dict):
        both = "both `choice` and `action`" if act.choice is not UNSET else "neither"
        return Trouble("fields", f"a reply has `choice` or `action`; this one has {both} [P-4.2]")
    return act


def describe(line: bytes, error: Exception, what: str) -> Trouble:
    """Say why a line could not be read, with the likely cause."""
    if isinstance(error, RecursionError):
        return Trouble("nesting", f"{what} is nested too deeply to be read [P-1.2]")
    if not line.strip():
        return Trouble("empty", f"an empty line, where {what} was expected [P-1.1]")
    if line.startswith(b"\xef\xbb\xbf"):
        return Trouble("bom", "the line begins with a byte order mark; send UTF-8 without [P-1.1]")
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as bad:
        return Trouble("utf-8", f"byte {bad.start} of the line is not valid UTF-8 [P-1.1]")
    first = line.lstrip().decode()[0]
    if first != "{":
        why = _BANNER.format(first)
        return Trouble(
            "json", f"not a JSON object: {why}; stdout is for messages only, log to stderr [P-1.4]"
        )
    if isinstance(error, msgspec.ValidationError):
        return Trouble("fields", f"{what} has the wrong shape: {_said(error)} [P-1.3]")
    if b"NaN" in line or b"Infinity" in line:
        return Trouble("json", f"not JSON: NaN and Infinity do not exist there: {error} [P-1.1]")
    if b"'" in line and b'"' not in line:
        return Trouble("json", "not JSON: strings stand in double quotes, not single ones [P-1.1]")
    if _HALF_PAIR.search(line) and line.rstrip().endswith(b"}"):
        return Trouble("json", "not JSON: half of a surrogate pair in a `\\u` escape [P-1.1]")
    if "truncated" in str(error):
        return Trouble(
            "json", "not JSON: the object does not end on its line; a message is one line [P-1.1]"
        )
    return Trouble("json", f"not JSON: {error} [P-1.1]")


def _said(error: Exception) -> str:
    """Return what msgspec says, short and printable."""
    said = str(error)
    if len(said) > _HEAD_SAID + _TAIL_SAID:
        said = f"{said[:_HEAD_SAID]} … {said[-_TAIL_SAID:]}"
    return _printable(said)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def excerpt(line: bytes) -> str:
    """Return the beginning of a line as printable text, for the record."""
    safe = _printable(line[:REPLY_EXCERPT_BYTES].decode("utf-8", "backslashreplace"))
    left = len(line) - REPLY_EXCERPT_BYTES
    return f"{safe} … and {left} bytes more" if left > 0 else safe
