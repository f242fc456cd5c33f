"""The loop between referee and processes: send, wait, read, time, freeze; never block on a bot.

One `select.poll` holds the pipes of every process of the match, so that a bot that floods its log
is drained while another thinks. Every ``TICK_MS`` without an answer the clocks and the memory of
those who think are looked at.

Freezing. Nobody is to think while others are asked. To stop a process and let it run again takes
the kernel several times longer than an instant answer does, and most bots do nothing then but wait
for the next question. So a bot that has answered is left alone for a moment, and stopped when the
next answer takes ``QUIET_MS``, at the end of the game, or at once if it has ever been seen to work
out of turn. What it works out of turn is on its own clock all the same: its CPU time is counted
from one answer to the next. Where the clock does not count that (``wall``, ``off``), every bot is
stopped at once.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence
from typing import Final

from niagara_arena.errors import NotPossibleHere
from niagara_arena.match.bot import Bot, memory_sentence
from niagara_arena.match.lateness import Lateness
from niagara_arena.records import Clock, Fault
from niagara_arena.referee import Answer, FaultReport, Request
from niagara_arena.wire.messages import Act, Ready
from niagara_arena.wire.replies import Stale, Trouble, read_act, read_ready

TICK_MS: Final = 50
REPLY_BYTES: Final = 4096
"""More than an answer takes: to make room for more would take longer than to read it."""
QUIET_MS: Final = 1
"""How long those who have answered may go on while another thinks; then they are stopped."""
RESTLESS_NS: Final = 200_000
"""Who has used more CPU time than this beyond what its answer took has worked out of turn, and is
from then on stopped as soon as it has answered."""

_TICK_NS: Final = TICK_MS * 1_000_000
_QUIET_NS: Final = QUIET_MS * 1_000_000
_ACT: Final = Act
_STDIN: Final = 0
_STDOUT: Final = 1
_STDERR: Final = 2


class HostOverload(Exception):
    """The machine, not a bot, was too slow: the game is void."""


class _Waiting:
    """One seat that has been asked and has not answered."""

    __slots__ = ("answer", "bot", "cpu_ns", "request", "started_ns")

    def __init__(self, bot: Bot, request: Request) -> None:
        self.bot = bot
        self.request = request
        self.cpu_ns = 0
        self.started_ns = 0
        self.answer: Answer | None = None


class Table:
    """Hold the processes of a match and exchange lines with them."""

    def __init__(self, clock: Clock, freeze: bool) -> None:
        self._clock = clock
        self._freeze = freeze
        self._at_once = clock.mode != "cpu"
        """Whether who has answered is stopped at once, whatever it does."""
        self._alone = _on_one_core()
        """Whether the bots run when, and only when, this process lets them."""
        self._awake: dict[Bot, None] = {}
        """Those who have answered and are not stopped yet."""
        self._poll = select.poll()
        self._pipes: dict[int, tuple[Bot, int]] = {}
        self._reads_cpu = True
        self._watched_ns = time.monotonic_ns()

    # --- Who sits there ------------------------------------------------------------------------

    def add(self, bot: Bot) -> None:
        """Listen to a process."""
        for fd, kind in ((bot.process.stdout, _STDOUT), (bot.process.stderr, _STDERR)):
            self._pipes[fd] = (bot, kind)
            self._poll.register(fd, select.POLLIN)

    def remove(self, bot: Bot) -> None:
        """Stop listening to a process and end it for good."""
        bot.drain_stderr()
        self._awake.pop(bot, None)
        for fd in (bot.process.stdin, bot.process.stdout, bot.process.stderr):
            self._forget(fd)
        bot.close()

    def _forget(self, fd: int) -> None:
        if self._pipes.pop(fd, None) is not None:
            self._poll.unregister(fd)

    # --- Start-up ------------------------------------------------------------------------------

    def greet(self, bots: Sequence[Bot], hello: bytes, started_ns: Sequence[int]) -> None:
        """Say hello to new processes and wait for `ready`; what fails is in `bot.ended`."""
        limit_ns = self._clock.startup_ms * 1_000_000 if self._clock.mode != "off" else None
        lateness = Lateness([0])
        for bot in bots:
            bot.session.move("hello")
            self._send(bot, hello)
        asked = time.monotonic_ns()  # to start the cages took its time, which is not the bots'
        waiting = dict(zip(bots, started_ns, strict=True))
        while waiting:
            began = time.monotonic_ns()
            quiet = not self._pump(TICK_MS)
            now = time.monotonic_ns()
            if quiet:
                lateness.timer(_TICK_NS, now - began)
            for bot, since in list(waiting.items()):
                if self._greeted(bot):
                    bot.startup_ms = (now - since) // 1_000_000
                    del waiting[bot]
                elif limit_ns is not None and now - asked > limit_ns:
                    if lateness.host_is_to_blame([self._cpu(bot) for bot in waiting]):
                        raise HostOverload("the machine was too busy to start the bots")
                    ms = self._clock.startup_ms
                    sentence = f"sent no `ready` within {ms} ms [P-2.2]"
                    bot.end(_startup("timeout", sentence, bot.lines.partial))
                    del waiting[bot]

    def _greeted(self, bot: Bot) -> bool:
        """Say whether a new process is ready, or of no use."""
        line = bot.lines.pop()
        if line is None:
            if bot.trouble() is not None:
                return True
            if bot.stdout_open:
                if bot.process.over_memory():
                    bot.end(_memory())
                return bot.ended is not None
            report = bot.died()
            bot.ended = report if report.fault is Fault.MEMORY else _died_early(report)
            return True
        ready = read_ready(line)
        if isinstance(ready, Ready):
            bot.session.move("ready")
            bot.cpu_ns = self._cpu(bot)
            bot.wait_ns = bot.meter.wait_ns()
            if self._freeze:
                bot.freeze()
        else:
            bot.end(_startup(ready.detail, ready.sentence, line))
        return True

    # --- Questions and messages ----------------------------------------------------------------

    def tell(self, bot: Bot, line: bytes) -> None:
        """Send a line that wants no answer; a frozen bot reads it when it is next asked."""
        if bot.ended is None:
            self._send(bot, line)

    def ask(self, questions: Sequence[tuple[Bot, Request]]) -> list[Answer]:
        """Ask all at once; return their answers in the same order."""
        waiting = []
        for bot, request in questions:
            one = _Waiting(bot, request)
            waiting.append(one)
            if bot.ended is not None:
                one.answer = Answer(request.seat, None, bot.ended)
                continue
            if not self._freeze:
                bot.cpu_ns = self._cpu(bot)
            elif bot in self._awake:
                del self._awake[bot]
            else:
                bot.thaw()
            one.cpu_ns = bot.cpu_ns
            one.started_ns = time.monotonic_ns()
            self._send(bot, request.line)
            if bot.lines.waiting or not bot.stdout_open:
                self._listen(one)
        # Where wall time is charged, nobody may be read later than it answered.
        quick = len(waiting) == 1 or not self._at_once
        if quick and self._alone:
            os.sched_yield()  # to step aside for a moment costs less than to wait
        for one in waiting:
            quick = quick and (one.answer is not None or self._wait_briefly(one))
        if not quick or one.started_ns - self._watched_ns >= _TICK_NS:
            self._wait(waiting)
        return [one.answer for one in waiting if one.answer is not None]

    def _wait_briefly(self, one: _Waiting) -> bool:
        """Take the usual case the short way: a seat sends just one whole line, and soon."""
        bot = one.bot
        chunk = self._read_soon(bot)
        if chunk:
            if not bot.lines.partial and 0 < chunk.find(b"\n") == len(chunk) - 1:
                act = read_act(chunk, one.request.number)
                if type(act) is _ACT:
                    self._finish(one, act, None, chunk[:-1])
                    return True
            bot.take(chunk)
        return False

    def _read_soon(self, bot: Bot) -> bytes:
        """Read what a bot says at once or very soon; nothing also where it closed its stdout."""
        if self._alone:  # all have had their turn, when we have stepped aside once
            try:
                return os.read(bot.process.stdout, REPLY_BYTES)
            except BlockingIOError:
                return self._read_later(bot)
        return self._read_later(bot)

    def _read_later(self, bot: Bot) -> bytes:
        ready = bot.stdout_poll.poll(QUIET_MS)
        if len(ready) == 1 and ready[0][1] == select.POLLIN:
            return os.read(bot.process.stdout, REPLY_BYTES)
        return b""

    def _wait(self, waiting: list[_Waiting]) -> None:
        lateness: Lateness | None = None
        for one in waiting:
            if one.answer is None and (one.bot.lines.waiting or not one.bot.stdout_open):
                self._listen(one)
        thinking = [one for one in waiting if one.answer is None]
        began = ticked = now = waiting[0].started_ns
        while thinking:
            if self._awake and now - began >= _QUIET_NS:
                self.rest()
            paused, pause_ms = now, QUIET_MS if self._awake else TICK_MS
            quiet = not self._pump(pause_ms)
            for one in thinking:
                self._listen(one)
            now = time.monotonic_ns()
            if lateness is not None and quiet:
                lateness.timer(pause_ms * 1_000_000, now - paused)
            if now - ticked >= _TICK_NS:
                ticked = now
                if lateness is None:
                    lateness = Lateness([self._cpu(one.bot) for one in thinking])
                for one in thinking:
                    if one.answer is None:
                        self._check(one, now, lateness, thinking)
            thinking = [one for one in thinking if one.answer is None]
        if now - self._watched_ns >= _TICK_NS:
            self._watched_ns = now
            for one in waiting:
                if one.bot.ended is None and one.bot.process.over_memory():
                    one.bot.end(_memory())

    def _listen(self, one: _Waiting) -> None:
        """Take a seat's answer, if it is there."""
        if one.answer is not None:
            return
        bot = one.bot
        while (line := bot.lines.pop()) is not None:
            act = read_act(line, one.request.number)
            if type(act) is Act:
                self._finish(one, act, None, line)
                return
            if isinstance(act, Trouble):
                report = FaultReport(Fault.MALFORMED, act.detail, act.sentence, line)
                self._finish(one, None, report)
                return
            assert isinstance(act, Stale)
            bot.spare += 1
        trouble = bot.trouble()
        if trouble is None and not bot.stdout_open:
            trouble = bot.died()
        if trouble is not None:
            self._finish(one, None, trouble)

    def _finish(
        self, one: _Waiting, act: Act | None, report: FaultReport | None, line: bytes = b""
    ) -> None:
        bot = one.bot
        wall_ns = time.monotonic_ns() - one.started_ns
        if self._freeze:
            if bot.restless or self._at_once:
                bot.freeze()
            else:
                self._awake[bot] = None
        bot.cpu_ns = self._cpu(bot)
        cpu_ns = bot.cpu_ns - one.cpu_ns
        if cpu_ns - wall_ns > RESTLESS_NS:
            bot.restless = True
        waited_ns, bot.wait_ns = bot.wait_ns, bot.meter.wait_ns()
        wait_ns = max(0, min(wall_ns - cpu_ns, bot.wait_ns - waited_ns))
        one.answer = Answer(
            one.request.seat, act, report, cpu_ns // 1000, wall_ns // 1000, wait_ns // 1000, line
        )

    def _check(
        self, one: _Waiting, now: int, lateness: Lateness, thinking: Sequence[_Waiting]
    ) -> None:
        """Look at the memory and the clocks of a seat that still thinks."""
        bot, request, mode = one.bot, one.request, self._clock.mode
        if bot.process.over_memory():
            self._finish(one, None, bot.end(_memory()))
            return
        if bot.process.stdout_closed():
            self._finish(one, None, bot.died())
            return
        if mode == "off":
            return
        wall_ns = now - one.started_ns
        used_us = wall_ns // 1000 if mode == "wall" else (self._cpu(bot) - one.cpu_ns) // 1000
        if mode == "cpu" and used_us > request.bank_us:
            report = FaultReport(
                Fault.TIMEOUT, "cpu", "used more than the cpu time left in its bank [P-5.2]"
            )
        elif wall_ns > request.wall_ms * 1_000_000 or used_us > request.bank_us:
            if lateness.host_is_to_blame([self._cpu(other.bot) for other in thinking]):
                raise HostOverload("the machine was too busy for a bot to answer in time")
            bank = wall_ns <= request.wall_ms * 1_000_000
            limit, clause = "the wall time left in its bank", "P-5.2"
            if not bank:
                limit, clause = f"{request.wall_ms} ms", "P-5.3"
            unread = " (it has not read the whole question)" if bot.outbox else ""
            report = FaultReport(
                Fault.TIMEOUT, "wall", f"did not answer within {limit}{unread} [{clause}]"
            )
        else:
            return
        self._finish(one, None, report._replace(reply=bot.lines.partial))

    def rest(self) -> None:
        """Stop everybody who has answered and still runs."""
        for bot in self._awake:
            bot.freeze()
        self._awake.clear()

    # --- Pipes ---------------------------------------------------------------------------------

    def _send(self, bot: Bot, line: bytes) -> None:
        bot.send(line)
        if bot.outbox and bot.process.stdin not in self._pipes:
            self._pipes[bot.process.stdin] = (bot, _STDIN)
            self._poll.register(bot.process.stdin, select.POLLOUT)

    def _pump(self, timeout_ms: int) -> bool:
        """Move what can be moved within the time; return whether anything was."""
        ready = self._poll.poll(timeout_ms)
        self._move(ready)
        return bool(ready)

    def _move(self, ready: Sequence[tuple[int, int]]) -> None:
        for fd, _ in ready:
            bot, kind = self._pipes[fd]
            if kind == _STDOUT:
                bot.read_stdout()
                if not bot.stdout_open or bot.lines.overflow:
                    self._forget(fd)
            elif kind == _STDERR:
                if not bot.read_stderr():
                    self._forget(fd)
            else:
                bot.flush()
                if not bot.outbox:
                    self._forget(fd)

    def settle(self, bots: Sequence[Bot], grace_ms: int) -> None:
        """Wait until these processes have closed their stdout, for so long at most."""
        deadline = time.monotonic() + grace_ms / 1000
        while any(bot.stdout_open and bot.ended is None for bot in bots):
            left = deadline - time.monotonic()
            if left <= 0:
                return
            self._pump(max(1, int(left * 1000)))

    # --- Clocks --------------------------------------------------------------------------------

    def _cpu(self, bot: Bot) -> int:
        """Return a process's CPU time, the last known one once it is gone."""
        if not self._reads_cpu:
            return 0
        try:
            return bot.meter.cpu_ns()
        except NotPossibleHere:
            if self._clock.mode == "cpu":
                raise
            self._reads_cpu = False
            return 0


def _on_one_core() -> bool:
    try:
        return len(os.sched_getaffinity(0)) == 1
    except AttributeError:  # not every system has affinity
        return False


def _startup(detail: str, sentence: str, reply: bytes = b"") -> FaultReport:
    return FaultReport(Fault.STARTUP, detail, sentence, reply)


def _died_early(report: FaultReport) -> FaultReport:
    sentence = report.sentence.replace("in the middle of a game", "before it was ready")
    return FaultReport(Fault.STARTUP, report.detail, sentence, report.reply)


def _memory() -> FaultReport:
    return FaultReport(Fault.MEMORY, "watchdog", memory_sentence(""))
