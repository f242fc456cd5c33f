"""What a bot may send and must be ready to receive: every number, and where it comes from."""

from __future__ import annotations

from typing import Final

PROTOCOL: Final = 1
"""The version of the protocol; both sides say it in the handshake [P-2.1]."""

LINE_BYTES: Final = 65_536
"""The longest line a bot may send, its newline not counted. The longest sensible reply is under
2 KB; the rest is room for notes, and a bot that babbles is stopped before it costs memory."""

REQUEST_BYTES: Final = 262_144
"""The longest line a bot must be ready to read. The longest question found by search has 486 legal
actions in about 70 KB; this is over three times that."""

NOTE_CHARACTERS: Final = 500
DATA_ENTRIES: Final = 8
DATA_NAME_CHARACTERS: Final = 32

STDERR_TAIL_BYTES: Final = 8_192
"""How much of a bot's log is kept for each game: its end, where the reason of a crash stands."""

REPLY_EXCERPT_BYTES: Final = 1_000
"""How much of a faulty reply is kept for the author."""

SPARE_LINES: Final = 100
"""How many lines a bot may send in one game beyond the answers it is asked for: late and repeated
ones have no effect, but they are not to become a flood."""
