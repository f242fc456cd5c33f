"""The errors that the arena raises on purpose.

    ArenaError            anything the arena refuses or cannot do
    ├── InputError        what was handed in is wrong: an option, a file, a manifest
    ├── NotPossibleHere   fine in itself, but this machine or folder lacks what it needs
    └── RulesError        illegal, stale, foreign or malformed input to the rules core

Any other exception that reaches the user is a bug of ours. A bot's misbehaviour during a game
is none of these: the referee turns it into data.

Every message names what is wrong and where; the hint, if there is one, says what to do about it.
How an error ends the process is the command line's business (`cli/exits.py`).
"""

from __future__ import annotations

__all__ = ["ArenaError", "InputError", "NotPossibleHere", "RulesError"]


class ArenaError(Exception):
    """Refuse, with a message for people and perhaps a hint."""

    message: str
    """What is wrong, and where; no full stop at the end."""

    hint: str | None
    """What to do about it, best of all a command to type."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class InputError(ArenaError):
    """Refuse something that the user handed in."""


class NotPossibleHere(ArenaError):
    """Say that this machine or folder lacks what the request needs."""


class RulesError(ArenaError):
    """Refuse input to the rules core; nothing has changed.

    `str()` shows all there is: `$.players[0].hand: card 3 is there twice [N-3.1]`.
    """

    clause: str | None
    """The clause that forbids it, such as `N-4.5`; None where no clause is at stake."""

    path: str | None
    """Where in a JSON document the trouble lies; None for an action of a running game."""

    def __init__(
        self,
        message: str,
        clause: str | None = None,
        path: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.args = (message, clause, path, hint)  # what a copy or a pickle is rebuilt from
        self.clause = clause
        self.path = path

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path is not None else ""
        why = f" [{self.clause}]" if self.clause is not None else ""
        return f"{where}{self.message}{why}"
