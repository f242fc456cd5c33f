"""Run a tournament: hand out matches, store what comes back, survive whatever happens.

Laws kept here:

- A match is stored at once and as a whole; an end at any moment loses only matches under way.
- What is stored does not depend on the number of workers or on which finishes first.
- A void match is played again, three times at most, ten times if its cage was killed from outside;
  one that kills its workers three times is quarantined. All are counted in the database, so that a
  resumed run counts on. Others are played in between, so that it is hard to hit the same match
  three times from outside.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType
from typing import Protocol

from msgspec import Struct
from multiprocess.connection import wait

from niagara_arena.errors import ArenaError, NotPossibleHere
from niagara_arena.schedule.plan import Planned, make_job
from niagara_arena.schedule.spec import match_games
from niagara_arena.store import EndState, MatchEnd, Store, StoreFull
from niagara_arena.tournament.agenda import Agenda, Border
from niagara_arena.tournament.workers import (
    Order,
    PlayerFactory,
    Reply,
    Worker,
    available_cores,
    stop_all,
)

__all__ = ["Finish", "Observer", "Runner", "cores_for", "now_text"]

TRIES = 3
"""How often a match is played that turns out void, or kills its worker."""
TRIES_KILLED = 10
"""How often it is played if processes of its cage are killed from outside, which no bot can do."""
_AHEAD = 2
"""How many matches a worker holds: one that it plays, one that waits in its pipe."""
_SPARE_BYTES = 50 << 20
_GAME_BYTES = 4096
_LOOK_EVERY = 50
"""Matches between two looks at the free space of the disk."""


class Observer(Protocol):
    """Look on while a tournament runs."""

    def began(self, agenda: Agenda, workers: Sequence[Worker]) -> None:
        """Learn that matches are about to be played."""

    def handed_out(self, match: Planned, worker: Worker) -> None:
        """Learn that a worker was given a match."""

    def ended(self, match: Planned, end: MatchEnd, seconds: float) -> None:
        """Learn that a match has ended and is stored."""

    def trouble(self, match: Planned, sentence: str) -> None:
        """Learn that a match was void or killed its worker."""

    def idle(self) -> None:
        """Have a moment, several times a second."""


class Finish(Struct, frozen=True):
    """Say how a run ended."""

    how: str
    """``finished``, ``interrupted``, or why it stopped at a border."""
    matches: int
    """Played in this run."""
    games: int
    seconds: float
    left: int
    """Matches of the known schedule that have not ended."""


def now_text() -> str:
    """Return the present moment, UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def cores_for(jobs: int, force: bool) -> list[int | None]:
    """Return the core of each worker; refuse more workers than cores unless forced."""
    cores = available_cores()
    if jobs < 1:
        raise NotPossibleHere(f"{jobs} jobs play nothing", "1 is the least")
    if jobs > len(cores) and not force:
        raise NotPossibleHere(
            f"{jobs} jobs are more than the {len(cores)} cores that may be used here",
            "clocks would suffer; ask for fewer, or add --oversubscribe",
        )
    return [cores[number] if jobs <= len(cores) else None for number in range(jobs)]


class Runner:
    """Play one tournament of an open store."""

    def __init__(
        self,
        store: Store,
        tournament: int,
        make_player: PlayerFactory,
        cores: Sequence[int | None],
        *,
        observer: Observer | None = None,
        border: Border | None = None,
        keep_logs: str = "faults",
        free_bytes: Callable[[], int] | None = None,
    ) -> None:
        self._store = store
        self._tournament = tournament
        self._make_player = make_player
        self._cores = list(cores)
        self._observer = observer
        self._keep_logs = keep_logs
        folder = store.path.absolute().parent
        self._free_bytes = free_bytes or (lambda: shutil.disk_usage(folder).free)
        self.agenda = Agenda(store, tournament, border)
        self._workers: list[Worker] = []
        self._planned: dict[int, Planned] = {}
        self._tries: dict[tuple[int, str], int] = {}
        for order, kind, _ in store.incidents(tournament):
            self._tries[order, kind] = self._tries.get((order, kind), 0) + 1
        self._stopping = False
        self._matches = self._games = 0

    def run(self, sandbox: str = "") -> Finish:
        """Play until all is played, a border says stop, or a signal comes."""
        began = time.monotonic()
        self._check_space(everything=True)
        run = self._store.writer.begin_run(self._tournament, now_text(), len(self._cores), sandbox)
        how = "failed"
        try:
            with self._signals() as bell:
                how = self._play(bell)
        except ArenaError as error:
            how = f"failed: {error}"
            raise
        finally:
            stop_all(self._workers)
            self._workers = []
            with _nothing_worse():
                self._store.writer.end_run(run, now_text(), how)
        left = self.agenda.total_matches - self.agenda.ended
        seconds = time.monotonic() - began
        return Finish(how, self._matches, self._games, seconds, left)

    # --- The loop ------------------------------------------------------------------------------

    def _play(self, bell: int) -> str:
        agenda = self.agenda
        for core in self._cores:
            self._hire(core)
        if self._observer is not None:
            self._observer.began(agenda, self._workers)
        self._feed()
        while not agenda.done:
            if self._stopping:
                self._keep_finished()
                return "interrupted"
            pipes = {worker.pipe: worker for worker in self._workers}
            for ready in wait([*pipes, bell], timeout=0.2):
                if ready == bell:
                    os.read(bell, 64)
                else:
                    self._listen(pipes[ready])
            self._feed()
            if self._observer is not None:
                self._observer.idle()
        for worker in self._workers:
            worker.dismiss()
        return agenda.stopped or "finished"

    def _hire(self, core: int | None) -> None:
        # A worker must hold neither the lock nor the others' pipes, or they would outlive us.
        inherited = [worker.pipe.fileno() for worker in self._workers]
        lock = self._store.lock_fd
        self._workers.append(
            Worker(self._make_player, core, [*inherited, *([lock] if lock is not None else [])])
        )

    def _feed(self) -> None:
        """Give every worker something to do; first those who have nothing."""
        for depth in range(_AHEAD):
            for worker in self._workers:
                if len(worker.orders) == depth:
                    match = self.agenda.next()
                    if match is None:
                        return
                    self._hand_out(match, worker)

    def _hand_out(self, match: Planned, worker: Worker) -> None:
        self._planned[match.order] = match
        numbers = {name: self.agenda.numbers[name] for name in match.table}
        job = make_job(self.agenda.spec, match)
        worker.give(Order(match.order, match.first_game, job, numbers, self._keep_logs))
        if self._observer is not None:
            self._observer.handed_out(match, worker)

    def _listen(self, worker: Worker) -> None:
        reply = worker.receive()
        if reply is None:
            self._bury(worker)
        else:
            self._take(reply)

    def _take(self, reply: Reply) -> None:
        match = self._planned.pop(reply.order)
        if reply.refusal:
            raise NotPossibleHere(reply.refusal, reply.hint or None)
        if reply.void:
            kind, tries = ("killed", TRIES_KILLED) if reply.killed else ("void", TRIES)
            if self._count(match, kind, reply.void) < tries:
                self.agenda.put_off(match)
                return
        if not reply.games:
            self._end(match, MatchEnd(match.order, EndState.QUARANTINED, reply.void), 0)
            return
        end = MatchEnd(match.order, EndState.PLAYED, reply.void and "has void games", reply.games)
        self._end(match, end, reply.seconds)

    def _end(self, match: Planned, end: MatchEnd, seconds: float) -> None:
        self._store.writer.end_match(self._tournament, end)
        self.agenda.end(match.order, match.heat)
        self._matches += 1
        self._games += len(end.games)
        if self._matches % _LOOK_EVERY == 0:
            self._check_space()
        if self._observer is not None:
            self._observer.ended(match, end, seconds)

    def _bury(self, worker: Worker) -> None:
        """Replace a worker that died; what it was playing counts as its death."""
        how = worker.how_it_ended()
        self._workers.remove(worker)
        lost = [self._planned.pop(order.order) for order in worker.orders]
        for match in reversed(lost[1:]):
            self.agenda.put_back(match)
        if lost:
            names = ", ".join(self._names(lost[0]))
            if self._count(lost[0], "death", f"its worker {how}") < TRIES:
                self.agenda.put_off(lost[0])
            else:
                sentence = f"killed its worker {TRIES} times (it {how}): {names}"
                end = MatchEnd(lost[0].order, EndState.QUARANTINED, sentence)
                self._end(lost[0], end, 0)
        self._hire(worker.core)

    def _count(self, match: Planned, kind: str, sentence: str) -> int:
        """Note an incident; return how many of its kind the match has had."""
        self._store.writer.incident(self._tournament, match.order, kind, sentence, now_text())
        if self._observer is not None:
            self._observer.trouble(match, sentence)
        count = self._tries.get((match.order, kind), 0) + 1
        self._tries[match.order, kind] = count
        return count

    def _names(self, match: Planned) -> list[str]:
        entrants = self.agenda.entrants
        return [entrants[self.agenda.numbers[name]].name for name in match.table]

    def _keep_finished(self) -> None:
        """Store what lies finished in the pipes before the workers are stopped."""
        for worker in self._workers:
            for reply in worker.finished():
                if reply.games and not reply.void:
                    self._take(reply)

    def _check_space(self, everything: bool = False) -> None:
        """Stop while there is still room to stop well."""
        needed = _SPARE_BYTES
        if everything:
            spec = self.agenda.spec
            longest = max(match_games(spec, seats) for seats in spec.seats)
            left = self.agenda.total_matches - self.agenda.ended
            needed += left * longest * _GAME_BYTES
        free = self._free_bytes()
        if free < needed:
            raise StoreFull(
                f"{free >> 20} MB are free beside `{self._store.path}`,"
                f" {needed >> 20} MB are needed",
                "free some space, then run the same command again: all that was stored is kept",
            )

    @contextmanager
    def _signals(self) -> Iterator[int]:
        """Turn SIGINT and SIGTERM into a note that the loop reads; give the pipe they ring."""
        bell, ring = os.pipe()
        os.set_blocking(ring, False)

        def note(number: int, frame: FrameType | None) -> None:
            if self._stopping:
                raise KeyboardInterrupt
            self._stopping = True

        old_bell = signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
        old = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield bell
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(old_bell)
            os.close(bell)
            os.close(ring)


@contextmanager
def _nothing_worse() -> Iterator[None]:
    """Let a failure to note how a run ended not hide why it ended."""
    try:
        yield
    except ArenaError:
        return
