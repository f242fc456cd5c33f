"""What a name handed in by others may look like: a bot's, an author's, a file's.

Names end up in tables, pages and file names, and people tell bots apart by them. So everything
that cannot be seen, or that looks like something else, is refused rather than cleaned: control
and direction characters, joiners, private and unassigned characters, odd spaces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["MAX_NAME", "quoted", "suggestion", "trouble_with_name", "trouble_with_path"]

MAX_NAME = 40
"""Characters of a name: what still fits into a column of a table."""

_HIDDEN = {
    "Cc": "a control character",
    "Cf": "an invisible character",
    "Cs": "half of a surrogate pair",
    "Co": "a private character",
    "Cn": "an unassigned character",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}
_RESERVED = frozenset({"human"})


def quoted(text: str) -> str:
    """Return the text in backquotes, escaped so that every character of it can be seen."""
    shown = text if len(text) <= 80 else f"{text[:77]}…"
    return f"`{''.join(c if _visible(c) else _escaped(c) for c in shown)}`"


def suggestion(name: str, known: Iterable[str], otherwise: str | None = None) -> str | None:
    """Return `did you mean …?` for the known names that are close, else `otherwise`."""
    close = [f"`{candidate}`" for candidate in get_close_matches(name, sorted(known))]
    return f"did you mean {' or '.join(close)}?" if close else otherwise


def trouble_with_name(name: str) -> str | None:
    """Say what is wrong with a bot's, version's or author's name; None if nothing is."""
    if not name:
        return "is empty"
    if len(name) > MAX_NAME:
        return f"has {len(name)} characters, and {MAX_NAME} are allowed"
    if name != name.strip():
        return "begins or ends with a space"
    if name[0] in "@-":
        return f"begins with `{name[0]}`"
    if "/" in name or "\\" in name:
        return "contains a slash"
    if name in _RESERVED:
        return "is reserved for people at the terminal"
    return _trouble_with_characters(name)


def trouble_with_path(name: str) -> str | None:
    """Say what is wrong with one part of a file's path; None if nothing is."""
    if len(name.encode("utf-8", "surrogateescape")) > 255:
        return "is longer than 255 bytes"
    if any("\udc80" <= c <= "\udcff" for c in name):
        return "is not UTF-8"
    if "\\" in name:
        return "contains a backslash"
    return _trouble_with_characters(name)


def _trouble_with_characters(name: str) -> str | None:
    for character in name:
        if not _visible(character):
            what = _HIDDEN.get(unicodedata.category(character), "an unusual space")
            return f"contains {what}, {_escaped(character)}"
    if unicodedata.normalize("NFC", name) != name:
        return "has accents as characters of their own (not in Unicode's form NFC)"
    return None


def _visible(character: str) -> bool:
    category = unicodedata.category(character)
    return category not in _HIDDEN and (category != "Zs" or character == " ")


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
