"""Read a bot's lines more strictly than the referee, and explain what is wrong with them.

The referee takes what can be taken in one way only, quickly. Here every oddity is named and
located, with its likely cause: what passes by luck today may not in another game.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from niagara_arena.wire.messages import Act
from niagara_arena.wire.replies import Stale, Trouble, read_act

__all__ = ["Oddity", "hint_for", "oddities", "strict_act"]


_SAFE: Final = 2**53
"""Beyond this, numbers are not exact in every language."""


class Oddity(NamedTuple):
    """Name something that the referee lets pass."""

    detail: str
    sentence: str
    clause: str
    line: bytes


_HINTS: Final = {
    "bom": "write UTF-8 without a byte order mark (C#: `new UTF8Encoding(false)`)",
    "crlf": "end lines with \\n alone: on Windows, write stdout in binary mode",
    "duplicate": "each key once: readers differ in which one they take",
    "empty": "send one JSON object a line and nothing else, no blank lines between",
    "fields": 'a reply is `{"id":7,"choice":1}` or `{"id":7,"action":{…}}`',
    "flood": "send one short line for each question",
    "id": "echo the `id` of the question that you answer",
    "json": "print messages only to stdout; write everything else to stderr",
    "number": "an index into `legal` is small: is something uninitialised or divided by zero?",
    "nesting": "an action is a small object: something writes into itself",
    "protocol": 'answer `hello` with `{"type":"ready","protocol":1,"name":"…"}`',
    "utf-8": "encode stdout as UTF-8, whatever the machine's locale is",
}


def hint_for(detail: str, sentence: str = "") -> str:
    """Return what to do about a trouble or an oddity."""
    if detail == "json" and sentence.startswith("not JSON:"):  # it began as an object
        return "write each message by a JSON library, whole, on one line"
    return _HINTS.get(detail, "")


def strict_act(line: bytes, number: int) -> Act | Trouble:
    """Read the answer to a question; an answer to another one and a huge number are trouble."""
    act = read_act(line, number)
    if isinstance(act, Stale):
        return Trouble("id", f"an answer to an earlier question, not to {number} [P-4.4]")
    if isinstance(act, Act) and act.choice is not UNSET and act.choice > _SAFE:
        digits = len(str(act.choice))
        return Trouble("number", f"`$.choice` is a number of {digits} digits [P-4.2]")
    return act


def oddities(line: bytes) -> list[Oddity]:
    """Name what is no fault but not as it should be, in a line that could be read."""
    found = []
    if line.endswith(b"\r"):
        sentence = f"byte {len(line) - 1} is a carriage return: lines end with CRLF"
        found.append(Oddity("crlf", sentence, "P-1.1", line))
    twice = _duplicate(line)
    if twice is not None:
        found.append(twice)
    return found


def _duplicate(line: bytes) -> Oddity | None:
    """Find a key that is there twice, which msgspec lets pass."""
    twice: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                twice.append(key)
            seen.add(key)
        return dict(pairs)

    try:
        json.loads(line, object_pairs_hook=look)
    except (ValueError, RecursionError) as error:  # such as a number of 5,000 digits in an action
        return Oddity("json", f"not JSON for every reader: {str(error)[:120]}", "P-1.1", line)
    if not twice:
        return None
    key = json.dumps(twice[0])
    places = [str(n) for n in _positions(line, key.encode())][:2]
    where = f" (bytes {' and '.join(places)})" if len(places) == 2 else ""
    sentence = f"the key {key} is there twice in one object{where}"
    return Oddity("duplicate", sentence, "P-1.3", line)


def _positions(line: bytes, key: bytes) -> list[int]:
    found, at = [], line.find(key)
    while at >= 0:
        if line[at + len(key) :].lstrip()[:1] == b":":
            found.append(at)
        at = line.find(key, at + 1)
    return found
