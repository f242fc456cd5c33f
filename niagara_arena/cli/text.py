"""Make text from outside (bot names, notes, file contents) safe to show; count things in words."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["clean", "counted"]

# Whole escape sequences go first, so that no `[31m` is left behind: OSC and the other strings up to
# their terminator, CSI, then any two-character escape.
_ESCAPE = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f]).*?(?:\x07|\x1b\\|\x9c|\Z)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?",
    re.DOTALL,
)
_SPACING = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# Format characters that turn the direction of what follows; the rest of category Cf stays, as
# scripts and emoji need its joiners.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNPRINTABLE = frozenset({"Cc", "Cs"})


def clean(text: str) -> str:
    """Return `text` on one line, without escape sequences, control or direction characters."""
    if text.isascii() and text.isprintable():
        return text
    text = _SPACING.sub(" ", _ESCAPE.sub("", text))
    return "".join(
        c for c in text if c not in _BIDI and unicodedata.category(c) not in _UNPRINTABLE
    )


def counted(number: int, one: str, many: str = "") -> str:
    """Return how many there are of something: `1 match`, `2 matches`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
