"""What is to be played next: the schedule, heat by heat, as far as results allow.

A heat opens only when the heats that decide about it are complete: all before it in a Swiss
tournament, which pairs by them; all but the last in others, so that nobody waits at a border. Who
is withdrawn, and whether to stop, is decided when a heat opens, from the facts of those complete
heats alone: whatever finishes first, the answer is the same.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable

from niagara_arena.schedule.heats import heat_count, next_heat, withdrawn
from niagara_arena.schedule.plan import Numbering, Planned, fixed_plan
from niagara_arena.store import EndState, MatchEnd, Store

__all__ = ["Agenda", "Border"]

Border = Callable[[int, int], str]
"""Is told a heat that could open and how many heats before it are complete; says why to stop
instead, or nothing."""


class Agenda:
    """Hand out a tournament's matches."""

    def __init__(self, store: Store, tournament: int, border: Border | None = None) -> None:
        facts = store.facts(tournament)
        self.spec = facts.spec
        self.entrants = facts.entrants
        self.numbers = {e.submission: number for number, e in enumerate(facts.entrants)}
        self.stopped = ""
        """Why no further heat was opened."""
        self._store = store
        self._tournament = tournament
        self._border = border
        self._swiss = self.spec.format == "swiss"
        self._ended = store.ended(tournament)
        self._troubles = Counter(order for order, _, _ in store.incidents(tournament))
        self._waiting: deque[Planned] = deque()
        self._open: dict[int, set[int]] = {}
        self._next = 0
        self._numbering = Numbering(self.spec)
        self._heats: list[list[Planned]] = []
        self.heats = heat_count(self.spec, len(self.entrants)) if self._swiss else 0
        if not self._swiss:
            self._plan_all()

    def _plan_all(self) -> None:
        planned = fixed_plan(self.spec, self.entrants)
        self.heats = planned[-1].heat + 1
        self._heats = [[] for _ in range(self.heats)]
        for match in planned:
            self._heats[match.heat].append(match)
        self._store.writer.add_schedule(self._tournament, planned, self.numbers)

    @property
    def total_matches(self) -> int:
        """How many matches are known; for Swiss, as many in each heat to come as in the last."""
        known = sum(len(heat) for heat in self._heats)
        if not self._swiss or not self._heats:
            return known
        return known + len(self._heats[-1]) * (self.heats - len(self._heats))

    @property
    def ended(self) -> int:
        """How many matches have ended."""
        return len(self._ended)

    def next(self) -> Planned | None:
        """Return a match to play; None when there is none at this moment."""
        while not self._waiting and self._may_open():
            self._open_heat(self._next)
            self._next += 1
        return self._waiting.popleft() if self._waiting else None

    @property
    def done(self) -> bool:
        """Whether all that will be played has been played."""
        over = self._next >= self.heats or bool(self.stopped)
        return over and not self._waiting and not self._open

    def put_back(self, planned: Planned) -> None:
        """Play a match that was handed out before anything else."""
        self._waiting.appendleft(planned)

    def put_off(self, planned: Planned) -> None:
        """Play a match again that came to grief, after all others that may be played now.

        What came from outside has passed by then, or hits another match: only what is the match's
        own doing meets it every time.
        """
        self._waiting.append(planned)

    def end(self, order: int, heat: int) -> None:
        """Learn that a match has ended and is stored."""
        self._ended.add(order)
        left = self._open.get(heat)
        if left is not None:
            left.discard(order)
            if not left:
                del self._open[heat]

    # --- Heats ---------------------------------------------------------------------------------

    def _may_open(self) -> bool:
        if self.stopped or self._next >= self.heats:
            return False
        lag = 1 if self._swiss else 2
        if any(heat <= self._next - lag for heat in self._open):
            return False
        complete = max(0, self._next - lag + 1)
        if self._border is not None and self._incomplete(self._next):
            why = self._border(self._next, complete)
            if why:
                self.stopped = why
                return False
        return True

    def _incomplete(self, heat: int) -> bool:
        """Say whether a heat has anything left to play; one not yet paired has."""
        if heat >= len(self._heats):
            return not self._stored(heat) or any(
                match.order not in self._ended for match in self._stored(heat)
            )
        return any(match.order not in self._ended for match in self._heats[heat])

    def _stored(self, heat: int) -> list[Planned]:
        return self._store.planned(self._tournament, heat)

    def _open_heat(self, heat: int) -> None:
        gone = self._gone(heat)
        if self._swiss:
            outcomes = self._store.outcomes(self._tournament, heat)
            tables = next_heat(self.spec, self.entrants, outcomes, heat, gone)
            planned = self._numbering.plan(heat, tables)
            self._heats.append(planned)
            self._store.writer.add_schedule(self._tournament, planned, self.numbers)
            if not planned:
                self.stopped = "fewer than three bots are left"
                return
        left = [match for match in self._heats[heat] if match.order not in self._ended]
        left.sort(key=lambda match: self._troubles[match.order])
        if left:
            self._open[heat] = {match.order for match in left}
        for match in left:
            absent = ", ".join(self._name(name) for name in match.table if name in gone)
            if absent:
                why = f"not played: {absent} withdrawn"
                end = MatchEnd(match.order, EndState.WITHDRAWN, why)
                self._store.writer.end_match(self._tournament, end)
                self.end(match.order, heat)
            else:
                self._waiting.append(match)

    def _gone(self, heat: int) -> set[str]:
        """Withdraw who has forfeited too often; return all who are gone in this heat."""
        if self.spec.withdraw_after:
            before = max(0, heat if self._swiss else heat - 1)
            outcomes = self._store.outcomes(self._tournament, before)
            for name in sorted(withdrawn(self.spec, outcomes, self.entrants)):
                sentence = f"forfeited {self.spec.withdraw_after} games or more"
                self._store.writer.withdraw(self._tournament, name, heat, sentence)
        known = self._store.withdrawals(self._tournament)
        return {name for name, (since, _) in known.items() if since <= heat}

    def _name(self, submission: str) -> str:
        return self.entrants[self.numbers[submission]].name
