"""Talk with one bot, line by line, as the arena would; notice everything it does wrong.

Unlike the match runner, a `Talk` never freezes the bot, so that what it does out of turn shows,
and it reads strictly: a fault ends the step with the request, the reply and the log as evidence.
"""

from __future__ import annotations

import os
import select
import time
from types import TracebackType
from typing import Any, NamedTuple

from niagara_arena import __version__
from niagara_arena.conformance.model import Check, Evidence, StepFailed
from niagara_arena.conformance.reading import Oddity, hint_for, oddities, strict_act
from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.match.bot import Bot, memory_sentence
from niagara_arena.records import Fault
from niagara_arena.referee import FaultReport, Request
from niagara_arena.sandbox import Exit
from niagara_arena.submissions import resolve_params
from niagara_arena.wire.messages import QUIT_LINE, Act, hello_line
from niagara_arena.wire.replies import Trouble, excerpt, read_ready

__all__ = ["Reply", "Talk"]

_TICK_MS = 20
_PAGE = os.sysconf("SC_PAGE_SIZE")
QUIT_MS = 2_000
"""How long we wait for the exit after `quit`; the arena kills after half a second."""


class Reply(NamedTuple):
    """Hold a correct answer and what it took."""

    line: bytes
    act: Act
    cpu_us: int
    wall_us: int


class _Limits(NamedTuple):
    """Say how long an answer may take, and what is wrong when it takes longer."""

    deadline: float | None
    sentence: str
    clause: str
    cpu_us: int | None = None


class Talk:
    """Hold the conversation with one process; ends it when the `with` block ends."""

    def __init__(self, check: Check) -> None:
        assert check.submission is not None
        assert check.ready is not None
        self._check = check
        self.params: dict[str, Any] = dict(resolve_params(check.submission, {}))
        self._began = time.monotonic()
        try:
            self._bot = Bot(check.backend.start(check.ready.launch()))
        except InputError as error:
            raise StepFailed(error.message, "P-2.1", error.hint or "") from None
        except OSError as error:
            raise StepFailed(f"can't be started: {error.strerror or error}", "P-2.1") from None
        self._request = b""
        self._reply = b""
        self.last_id = 0
        self.startup_ms = 0
        self.oddities: list[Oddity] = []

    def __enter__(self) -> Talk:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, StepFailed) and error.evidence is None:
            error.evidence = self.evidence()
        self._bot.close()

    def evidence(self) -> Evidence:
        """Return what was said last, and the end of the log."""
        self._bot.drain_stderr()
        log = self._bot.log.peek()[-8_000:].decode("utf-8", "replace")
        request = self._request.decode("utf-8", "replace").rstrip("\n")
        return Evidence(request, excerpt(self._reply) if self._reply else "", log)

    # --- Speaking ------------------------------------------------------------------------------

    def greet(self, hello: bytes | None = None) -> None:
        """Say `hello` and take `ready` [P-2.1]."""
        limit_ms = self._check.settings.clock.startup_ms
        self._send(hello or hello_line(__version__))
        line = self._line(
            _Limits(self._began + limit_ms / 1000, f"sent no `ready` within {limit_ms} ms", "P-2.2")
        )
        self.startup_ms = max(1, int((time.monotonic() - self._began) * 1000))
        ready = read_ready(line)
        if isinstance(ready, Trouble):
            raise _failed(ready.detail, ready.sentence)
        self._check.startups_ms.append(self.startup_ms)
        self.oddities += oddities(line)

    def tell(self, line: bytes) -> None:
        """Send a line that wants no answer."""
        self._listen_before("was told something")
        self._send(line)

    def ask(self, request: Request, line: bytes | None = None) -> Reply:
        """Ask a question and take the answer; whatever else comes is a failure."""
        self._listen_before("was asked")
        self.last_id = request.number
        cpu, began = self.cpu_us(), time.monotonic()
        self._send(line or request.line)
        mode = self._check.settings.clock.mode
        reply = self._line(
            _Limits(
                began + request.wall_ms / 1000 if mode != "off" else None,
                f"did not answer within {request.wall_ms} ms",
                "P-5.3",
                cpu + request.bank_us if mode == "cpu" else None,
            )
        )
        wall_us = int((time.monotonic() - began) * 1_000_000)
        used = self.cpu_us() - cpu
        act = strict_act(reply, request.number)
        if isinstance(act, Trouble):
            raise _failed(act.detail, act.sentence)
        self.oddities += oddities(reply)
        return Reply(reply, act, used, wall_us)

    def refuse(self, report: FaultReport) -> StepFailed:
        """Return the failure for what the referee found wrong with the last answer."""
        return _failed(report.detail, f"{report.fault.value}: {report.sentence}")

    def silence(self, milliseconds: int, when: str) -> None:
        """Listen for a while: the bot has nothing to say now [P-1.6]."""
        deadline = time.monotonic() + milliseconds / 1000
        while (left := deadline - time.monotonic()) > 0:
            self._pump(left * 1000)
            self._check_silent(when)
            if not self._bot.stdout_open:
                raise self._died()

    def quit(self) -> Exit:
        """Say `quit` and return how the process ended [P-2.3]."""
        self._listen_before("was told to quit")
        self._send(QUIT_LINE)
        return self._wait_for_exit("`quit`")

    def hang_up(self) -> Exit:
        """Close the bot's stdin and return how the process ended [P-2.3]."""
        self._listen_before("lost its stdin")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._bot.process.stdin)  # the number stays valid, the pipe is closed
        os.close(nowhere)
        return self._wait_for_exit("the end of its stdin")

    # --- Measuring -----------------------------------------------------------------------------

    def cpu_us(self) -> int:
        """Return the CPU time used so far; 0 where that can't be known."""
        try:
            return self._bot.meter.cpu_ns() // 1000
        except NotPossibleHere:
            return 0

    def memory_mb(self) -> float | None:
        """Return the memory that the process holds; None where that can't be known."""
        try:
            with open(f"/proc/{self._bot.process.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * _PAGE / (1 << 20)
        except OSError:
            return None

    def log(self) -> tuple[bytes, int]:
        """Return the end of the log, and how many bytes were ever logged."""
        self._bot.drain_stderr()
        return self._bot.log.peek(), self._bot.log.pushed

    # --- Pipes ---------------------------------------------------------------------------------

    def _send(self, line: bytes) -> None:
        self._request, self._reply = line, b""
        self._bot.send(line)

    def _pump(self, milliseconds: float) -> None:
        """Move what can be moved within the time."""
        bot = self._bot
        poll = select.poll()
        if bot.stdout_open:
            poll.register(bot.process.stdout, select.POLLIN)
        poll.register(bot.process.stderr, select.POLLIN)
        if bot.outbox:
            poll.register(bot.process.stdin, select.POLLOUT)
        ready = [fd for fd, _ in poll.poll(max(0, milliseconds))]
        if bot.process.stdout in ready:
            bot.read_stdout()
        if bot.process.stderr in ready and not bot.read_stderr():
            time.sleep(0.001)  # closed: it would be ready at once again
        if bot.process.stdin in ready:
            bot.flush()

    def _line(self, limits: _Limits) -> bytes:
        """Wait for a line; fail if the process ends, floods, or takes too long."""
        bot = self._bot
        while True:
            line = bot.lines.pop()
            if line is not None:
                self._reply = line
                return line
            report = bot.trouble()
            if report is not None:
                raise _failed("flood", report.sentence)
            if not bot.stdout_open:
                raise self._died()
            if bot.process.over_memory():
                raise StepFailed(memory_sentence(""), "P-6.2", "ask for more in `[limits]`")
            if limits.cpu_us is not None and self.cpu_us() > limits.cpu_us:
                raise StepFailed(
                    "used more than the CPU time left in its bank",
                    "P-5.2",
                    "each question says what is left: `clock.bank_ms`",
                )
            if limits.deadline is not None and time.monotonic() > limits.deadline:
                self._reply = bot.lines.partial
                raise StepFailed(limits.sentence, limits.clause, self._late_hint())
            self._pump(_TICK_MS)

    def _late_hint(self) -> str:
        if self._bot.lines.partial:
            return "end the line with \\n, and flush stdout after it [P-1.7]"
        return (
            "flush stdout after each line, and read stdin line by line: pipes are buffered [P-1.7]"
        )

    def _died(self) -> StepFailed:
        self._reply = self._bot.lines.partial
        report = self._bot.died()
        hints = {
            Fault.MEMORY: "ask for more memory in `[limits]` of bot.toml, or use less",
            Fault.CRASH: "the end of its stderr often says why",
        }
        sentence, clause = report.sentence, "P-6.2"
        if not self.startup_ms:
            sentence = sentence.replace("in the middle of a game", "before it was ready")
            clause = "P-2.2"
        return StepFailed(sentence, clause, hints.get(report.fault, ""))

    def _listen_before(self, what: str) -> None:
        """See to it that nothing was said before the next line is sent."""
        self._pump(0)
        self._check_silent(f"before it {what}")

    def _check_silent(self, when: str) -> None:
        line = self._bot.lines.pop()
        if line is not None:
            self._reply = line
            raise StepFailed(
                f"spoke {when}: {excerpt(line)[:120]}",
                "P-1.6" if line.startswith(b"{") else "P-1.4",
                "send one line for each question, after it; logs and banners go to stderr",
            )

    def _wait_for_exit(self, after: str) -> Exit:
        deadline = time.monotonic() + QUIT_MS / 1000
        while True:
            status = self._bot.process.poll()
            if status is not None:
                return status
            if time.monotonic() > deadline:
                raise StepFailed(
                    f"is still running {QUIT_MS} ms after {after}",
                    "P-2.3",
                    "leave the loop that reads stdin, and end all threads",
                )
            self._pump(_TICK_MS)
            self._check_silent(f"after {after}")


def _failed(detail: str, sentence: str) -> StepFailed:
    """Turn the referee's words into a failure; the clause stands at the sentence's end."""
    words, _, clause = sentence.rpartition(" [")
    if not clause.endswith("]"):
        words, clause = sentence, ""
    return StepFailed(words, clause.rstrip("]"), hint_for(detail, sentence))
