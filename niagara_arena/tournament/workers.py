"""Workers: one process a core, fed with matches through pipes; what crosses the border is bytes.

Laws kept here:

- A worker that dies takes only the match it was playing; the one that waits in its pipe is given
  out again.
- When the runner dies, by whatever means, its workers stop at once and end their bots.
- Signals of the terminal go to the runner alone; workers are stopped by it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, Protocol

import msgspec
import multiprocess
from msgspec import Struct

from niagara_arena.errors import ArenaError
from niagara_arena.records import GameRecord, MatchJob, Void
from niagara_arena.store import GameFacts
from niagara_arena.tournament.results import game_facts

__all__ = ["Order", "Player", "PlayerFactory", "Reply", "Worker", "available_cores"]

_PDEATHSIG = 1
_STOP_SECONDS = 0.6


class Player(Protocol):
    """Play a match: the seam between tournaments and real bots."""

    def __call__(self, job: MatchJob) -> list[GameRecord]:
        """Return the records of all games, in order."""


PlayerFactory = Callable[[int | None], Player]
"""Makes a player in the worker that will use it, pinned to a core or not."""


class Order(Struct, frozen=True):
    """Ask a worker for a match."""

    order: int
    first_game: int
    job: MatchJob
    numbers: dict[str, int]
    """The table's submissions → entrants' numbers."""
    keep_logs: str = "faults"


class Reply(Struct, frozen=True):
    """Answer with a match's games, or with what went wrong."""

    order: int
    games: tuple[GameFacts, ...] = ()
    void: str = ""
    """Why the match has void games; empty if it has none."""
    killed: bool = False
    """Whether they are void only because somebody outside killed what held the bots."""
    refusal: str = ""
    """Why no match can be played here at all."""
    hint: str = ""
    seconds: float = 0.0


_ORDER = msgspec.msgpack.Decoder(Order)
_REPLY = msgspec.msgpack.Decoder(Reply)


def available_cores() -> list[int]:
    """Return the cores that this process may use."""
    try:
        return sorted(os.sched_getaffinity(0))
    except AttributeError:  # not every system has affinity
        return list(range(os.cpu_count() or 1))


class Worker:
    """One worker process and its pipe, seen from the runner."""

    def __init__(
        self, make_player: PlayerFactory, core: int | None, close: Sequence[int] = ()
    ) -> None:
        context = multiprocess.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.core = core
        self.orders: list[Order] = []
        """What was handed out and not answered: the first is being played."""
        ours = (self.pipe.fileno(), *close)
        self._process = context.Process(
            target=_serve, args=(theirs, make_player, core, ours, os.getpid()), daemon=True
        )
        with warnings.catch_warnings():
            # Python 3.12 warns of forking beside threads. Our own runs have none; a program that
            # embeds us may, and the child touches nothing that another thread could hold.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return int(self._process.pid)

    def give(self, order: Order) -> None:
        """Hand out a match; a worker that is gone is noticed when it is listened to."""
        self.orders.append(order)
        with suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.send_bytes(msgspec.msgpack.encode(order))

    def receive(self) -> Reply | None:
        """Return an answer that has come; None when the worker has died."""
        try:
            reply = _REPLY.decode(self.pipe.recv_bytes())
        except (EOFError, OSError):
            return None
        del self.orders[0]
        return reply

    def finished(self) -> list[Reply]:
        """Return the answers that lie in the pipe already."""
        found = []
        try:
            while self.pipe.poll(0):
                reply = self.receive()
                if reply is None:
                    break
                found.append(reply)
        except OSError:
            pass
        return found

    def how_it_ended(self) -> str:
        """Wait for a dead worker and say how it ended."""
        self._process.join(1)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        code = int(self._process.exitcode)
        self.pipe.close()
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def dismiss(self) -> None:
        """Let a worker that has nothing to do go home."""
        self.pipe.close()

    def stop(self) -> None:
        """Ask it to stop at once and to end its bots."""
        self._process.terminate()

    def end(self, deadline: float) -> None:
        """Wait until it is gone, and see to it after the deadline."""
        self._process.join(max(0.0, deadline - time.monotonic()))
        if self._process.exitcode is None:
            self._process.kill()
        self._process.join()
        self.pipe.close()


def stop_all(workers: Sequence[Worker]) -> None:
    """Stop all workers, with one deadline for all."""
    for worker in workers:
        worker.stop()
    deadline = time.monotonic() + _STOP_SECONDS
    for worker in workers:
        worker.end(deadline)


# --- Inside the worker -------------------------------------------------------------------------


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, _pass)
    raise KeyboardInterrupt


def _pass(number: int, frame: FrameType | None) -> None:
    """Hear no signal on the way out."""


def _serve(
    pipe: Any, make_player: PlayerFactory, core: int | None, close: Sequence[int], runner: int
) -> None:
    """Be a worker: play what comes until the pipe ends."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The signal may come at any moment, also when the pipe has just ended: this goes around all.
    with suppress(KeyboardInterrupt):
        signal.signal(signal.SIGTERM, _stop)
        for number in close:
            os.close(number)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != runner:  # it died before that took effect
                return
        if core is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {core})
        player = make_player(core)
        gc.freeze()  # what is loaded by now stays: to look through it again and again takes long
        with suppress(EOFError, BrokenPipeError, ConnectionResetError):
            while True:
                order = _ORDER.decode(pipe.recv_bytes())
                pipe.send_bytes(msgspec.msgpack.encode(_play(player, order)))
        signal.signal(signal.SIGTERM, _pass)


def _play(player: Player, order: Order) -> Reply:
    began = time.monotonic()
    try:
        records = player(order.job)
    except ArenaError as error:
        return Reply(order.order, refusal=str(error), hint=error.hint or "")
    except Exception:
        return Reply(order.order, void=f"an internal error: {traceback.format_exc()}")
    voids = [record.end for record in records if record.end.void]
    return Reply(
        order=order.order,
        games=tuple(
            game_facts(record, order.first_game + number, order.numbers, order.keep_logs)
            for number, record in enumerate(records)
        ),
        void=voids[0].void_sentence or "void" if voids else "",
        killed=bool(voids) and all(end.void is Void.KILLED for end in voids),
        seconds=time.monotonic() - began,
    )
