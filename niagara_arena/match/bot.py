"""One bot process as the match sees it: lines in, lines out, its log, its death.

Laws kept here:

- Nothing here ever blocks on a bot. What it does not read waits in `outbox`, what it writes is
  read at once and bounded, its log is drained always and only the tail is kept.
- A bot's end is described once, truthfully: memory before signal before exit code.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections import deque
from typing import Final

from niagara_arena.records import Fault
from niagara_arena.referee import FaultReport
from niagara_arena.sandbox import Exit, Process, out_of_memory_words
from niagara_arena.wire.framing import LineBuffer
from niagara_arena.wire.limits import LINE_BYTES, SPARE_LINES, STDERR_TAIL_BYTES
from niagara_arena.wire.session import Session

CHUNK_BYTES: Final = 65_536
DRAIN_CHUNKS: Final = 16
REAP_S: Final = 1.0
"""How long after its stdout closed a process may take to be gone, before we say it lives on."""


class Tail:
    """Keep the end of a log, and how much was dropped before it."""

    def __init__(self, limit: int = STDERR_TAIL_BYTES) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self.dropped = 0
        self.pushed = 0
        """How many bytes have ever been logged."""

    def push(self, chunk: bytes) -> None:
        """Add what was logged."""
        self.pushed += len(chunk)
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= self._limit:
            gone = self._chunks.popleft()
            self._size -= len(gone)
            self.dropped += len(gone)

    def peek(self) -> bytes:
        """Return what is kept, which may be a little more than the tail."""
        return b"".join(self._chunks)

    def take(self) -> str:
        """Return the tail as text, and begin anew."""
        data = self.peek()
        dropped = self.dropped + max(0, len(data) - self._limit)
        text = data[-self._limit :].decode("utf-8", "replace")
        self._chunks.clear()
        self._size = self.dropped = 0
        return f"… {dropped} bytes before this\n{text}" if dropped else text


class Bot:
    """Hold one running process through the games of a match."""

    __slots__ = (
        "_frozen",
        "cpu_ns",
        "ended",
        "lines",
        "log",
        "meter",
        "outbox",
        "process",
        "restless",
        "session",
        "spare",
        "startup_ms",
        "stdout_open",
        "stdout_poll",
        "wait_ns",
    )

    def __init__(self, process: Process) -> None:
        self.process = process
        self.meter = process.meter
        self.session = Session()
        self.lines = LineBuffer()
        self.log = Tail()
        self.outbox = b""
        """What the pipe did not take yet."""
        self.ended: FaultReport | None = None
        """Why this process is of no more use; it has been killed."""
        self.stdout_open = True
        self.stdout_poll = select.poll()
        """For the usual case, in which nothing else can happen but that it answers."""
        self.stdout_poll.register(process.stdout, select.POLLIN)
        self.spare = 0
        """Lines of this game that nobody had asked for."""
        self.cpu_ns = 0
        """The CPU clock when it was last read."""
        self.wait_ns = 0
        self.restless = False
        """Whether it has been seen to work while nobody asked it."""
        self.startup_ms = 0
        self._frozen = False

    # --- Input and output ----------------------------------------------------------------------

    def send(self, line: bytes) -> None:
        """Write a line, as much of it as the pipe takes now."""
        if self.outbox:
            self.outbox += line
            return
        try:
            written = os.write(self.process.stdin, line)
        except BlockingIOError:
            written = 0
        except OSError:  # it has closed its stdin; its silence, or its end, will tell
            return
        if written < len(line):
            self.outbox = line[written:]

    def flush(self) -> None:
        """Go on writing what the pipe did not take before."""
        pending, self.outbox = self.outbox, b""
        if pending:
            self.send(pending)

    def read_stdout(self) -> None:
        """Take what the bot has written, once."""
        try:
            chunk = os.read(self.process.stdout, CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        self.take(chunk)

    def take(self, chunk: bytes) -> None:
        """Take bytes that were read from its stdout; none means that it is closed."""
        if chunk:
            self.lines.push(chunk)
        else:
            self.stdout_open = False

    def read_stderr(self) -> bool:
        """Take what the bot has logged, once; return False at its end."""
        try:
            chunk = os.read(self.process.stderr, CHUNK_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            chunk = b""
        if chunk:
            self.log.push(chunk)
        return bool(chunk)

    def drain_stderr(self) -> None:
        """Take all that is in the pipe now; a flood that never ends is cut off."""
        for _ in range(DRAIN_CHUNKS):
            before = self.log.pushed
            if not self.read_stderr() or self.log.pushed == before:
                return

    # --- Freezing ------------------------------------------------------------------------------

    def freeze(self) -> None:
        """Stop the process until it is asked again."""
        if not self._frozen and self.ended is None:
            self._frozen = True
            self.process.freeze()

    def thaw(self) -> None:
        """Let the process run."""
        if self._frozen:
            self._frozen = False
            self.process.thaw()

    # --- Its end -------------------------------------------------------------------------------

    def trouble(self) -> FaultReport | None:
        """Say whether what was read so far shows that the process is of no more use."""
        if self.ended is not None:
            return self.ended
        if self.lines.overflow:
            report = flood_report(self.lines.overflow)
            return self.end(report._replace(reply=self.lines.partial))
        if self.spare > SPARE_LINES:
            return self.end(flood_report("lines"))
        return None

    def died(self) -> FaultReport:
        """Describe a process whose stdout has closed."""
        if self.ended is not None:
            return self.ended
        self.thaw()
        status = self._reap()
        self.drain_stderr()
        report = exit_report(status, self.lines.partial)
        failed = status is not None and status.code != 0
        words = out_of_memory_words(self.log.peek()) if failed else None
        if words is not None and report.fault is Fault.CRASH:
            report = FaultReport(Fault.MEMORY, "words", memory_sentence(words), report.reply)
        return self.end(report)

    def _reap(self) -> Exit | None:
        deadline = time.monotonic() + REAP_S
        while True:
            status = self.process.poll()
            if status is not None or time.monotonic() > deadline:
                return status
            time.sleep(0.001)

    def end(self, report: FaultReport) -> FaultReport:
        """Kill the process and everything it started; keep why."""
        if self.ended is None:
            self.ended = report
            self.process.kill()
        return self.ended

    def close(self) -> None:
        """Make sure that nothing of the process is left."""
        self.process.close()


def flood_report(overflow: str) -> FaultReport:
    """Return the fault of a bot that wrote too much."""
    if overflow == "line":
        return FaultReport(
            Fault.FLOOD, "line", f"sent a line longer than {LINE_BYTES} bytes [P-1.5]"
        )
    return FaultReport(
        Fault.FLOOD,
        "lines",
        f"sent more than {SPARE_LINES} lines in a game that nobody asked for [P-1.6]",
    )


def exit_report(status: Exit | None, partial: bytes) -> FaultReport:
    """Return the fault of a bot whose stdout closed in mid-game."""
    if status is None:
        return FaultReport(
            Fault.CRASH, "stdout", "closed its stdout while it was still running", partial
        )
    if status.memory:
        return FaultReport(Fault.MEMORY, "limit", memory_sentence(status.detail), partial)
    if status.signal == signal.SIGXCPU:
        return FaultReport(
            Fault.TIMEOUT, "process", "used up the CPU time of its whole process [P-5.4]", partial
        )
    if status.signal is not None:
        name = signal_name(status.signal)
        return FaultReport(Fault.CRASH, name, f"was ended by {name}", partial)
    sentence = f"exited with code {status.code} in the middle of a game"
    return FaultReport(Fault.CRASH, f"exit {status.code}", sentence, partial)


def memory_sentence(detail: str) -> str:
    """Return the sentence for a bot that used too much memory."""
    detail = detail.removeprefix("memory: ")
    return f"used more memory than it may{': ' if detail else ''}{detail}"


def signal_name(number: int) -> str:
    """Return a signal's name, also where Python knows none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
