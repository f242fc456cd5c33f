"""The life of one bot process as the protocol sees it: a table of states, and ids.

Laws kept here:

- The arena speaks first, and only the arena moves the session on: a bot may speak only in the
  states `greeted` and `asked`.
- Ids count up from 1 through all games of a process, so a late answer can never be taken for an
  answer to a later question. How many questions others were asked can't be told from them.

`TABLE` is the whole life cycle; protocol/README.md draws it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Phase(StrEnum):
    """Name a state of the conversation."""

    LAUNCHED = "launched"
    GREETED = "greeted"
    IDLE = "idle"
    PLAYING = "playing"
    ASKED = "asked"
    GONE = "gone"


TABLE: Final[dict[tuple[Phase, str], Phase]] = {
    (Phase.LAUNCHED, "hello"): Phase.GREETED,
    (Phase.GREETED, "ready"): Phase.IDLE,
    (Phase.IDLE, "start"): Phase.PLAYING,
    (Phase.PLAYING, "decide"): Phase.ASKED,
    (Phase.ASKED, "act"): Phase.PLAYING,
    (Phase.ASKED, "ruling"): Phase.PLAYING,
    (Phase.PLAYING, "ruling"): Phase.PLAYING,
    (Phase.PLAYING, "end"): Phase.IDLE,
    (Phase.ASKED, "end"): Phase.IDLE,
    (Phase.IDLE, "quit"): Phase.GONE,
}
"""(state, message) → next state. `ready` and `act` come from the bot, all else from the arena."""

FROM_BOT: Final = frozenset({"ready", "act"})


class Session:
    """Follow one process through its games."""

    __slots__ = ("last_id", "phase")

    def __init__(self) -> None:
        self.phase = Phase.LAUNCHED
        self.last_id = 0
        """The id of the latest question."""

    def move(self, message: str) -> None:
        """Follow a message; one that the table does not know is a bug of ours."""
        try:
            self.phase = TABLE[self.phase, message]
        except KeyError:
            raise AssertionError(f"no {message} in state {self.phase}") from None
