"""What someone who watches a match is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from niagara_arena.records import GameHeader, GameRecord, RulingRecord
from niagara_arena.referee import Request
from niagara_arena.referee.reports import FaultReport
from niagara_arena.rules import State


class Watcher(Protocol):
    """Look on; whatever it does is not charged to any bot."""

    def game_started(self, header: GameHeader, state: State, events: Sequence[str]) -> None:
        """Learn that a game begins; events are JSON texts."""

    def stepped(
        self,
        state: State,
        events: Sequence[str],
        bank_ms: Sequence[int],
        rulings: Sequence[RulingRecord],
    ) -> None:
        """Learn what the latest answers led to: the events and rulings since the last call."""

    def game_ended(
        self, record: GameRecord, incidents: Sequence[tuple[Request | None, FaultReport]]
    ) -> None:
        """Learn how a game ended, with every fault's whole request and reply."""
