"""A running bot, as the runner holds it: clocks, freeze, memory, its end.

What every level shares is here. A pid stays the bot's until `close`, because its warden reaps it
only then.
"""

from __future__ import annotations

import contextlib
import os
import signal

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox.cgroups import Group
from niagara_arena.sandbox.interface import Exit, Launch, Lost
from niagara_arena.sandbox.keeping import Started
from niagara_arena.sandbox.memory import Gauge
from niagara_arena.sandbox.meter import GroupMeter, Meter, ProcessMeter

__all__ = ["BotProcess", "CagedProcess"]

CLOSE_S = 10.0
"""How long `close` waits for the last of the bot's processes to go."""


class BotProcess:
    """Hold one bot of any level; see `interface.Process` for what each method promises."""

    def __init__(
        self, started: Started, level: str, launch: Launch, group: Group | None = None
    ) -> None:
        self.stdin = started.stdin
        self.stdout = started.stdout
        self.stderr = started.stderr
        self.level = level
        self.pid: int = started.facts["pid"]
        self.meter: Meter = ProcessMeter(self.pid, started.facts.get("base_ns", 0))
        self._line = started.line
        self._keeper = started.keeper
        self._gauge = Gauge(self.pid, launch.limits, group)
        self._group = group
        self._exit: Exit | None = None
        self._closed = False
        self._killed = False

    def freeze(self) -> None:
        """Stop the bot, and at levels where it may fork its whole process group."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it run again."""
        self._signal(signal.SIGCONT)

    def poll(self) -> Exit | None:
        """Return how it ended, or None while it runs."""
        if self._exit is None:
            facts = self._line.read()
            if facts is not None and facts["status"] is not None:
                self._exit = self._judge(int(facts["status"]), int(facts.get("peak_kb", 0)) << 10)
            elif facts is not None:  # its cage was killed: by us, by the kernel, by somebody
                ended = self._judge(-signal.SIGKILL, int(facts.get("peak_kb", 0)) << 10)
                if not ended.memory:
                    self._check_warden()
                self._exit = ended
            elif self._line.ended:
                self._check_warden()
                self._exit = self._judge(-signal.SIGKILL, 0)
        return self._exit

    def stdout_closed(self) -> bool:
        """Say no: at this level nobody but the bot holds its pipe, which ends when it is closed."""
        return False

    def over_memory(self) -> bool:
        """Look at the bot's memory; once over its limit, the answer stays yes."""
        return self._gauge.look()

    def kill(self) -> None:
        """Kill the bot at once, and have its warden kill whatever it started."""
        if not self._closed:
            self._killed = True
            self._signal(signal.SIGKILL)
            self._line.order(b"k")

    def close(self) -> None:
        """Kill, wait until nothing is left, close what we hold."""
        if self._closed:
            return
        self.kill()
        self._closed = True
        clean = self._line.close(CLOSE_S)
        self._gauge.close()
        self.meter.close()
        for one in (self.stdin, self.stdout, self.stderr):
            os.close(one)
        if self._group is not None:
            self._group.remove()
        if not clean:
            raise NotPossibleHere(
                f"process {self.pid} does not go away after SIGKILL",
                "look for a hung file system or device: `ps -o pid,stat,wchan -p "
                f"{self.pid}` shows what it waits for",
            )

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def _check_warden(self) -> None:
        """Accept that the warden went without a word: here the bot itself may have killed it."""

    def _judge(self, status: int, peak: int) -> Exit:
        number = -status if status < 0 else None
        words = f"exit {status}" if number is None else _name(number)
        reason = self._gauge.verdict(status, peak)
        return Exit(
            code=None if number is not None else status,
            signal=number,
            memory=bool(reason),
            detail=f"memory: {reason} ({words})" if reason else words,
        )


class CagedProcess(BotProcess):
    """Hold a bot in a pid namespace: its own parent reaps it, so it is held by pidfds."""

    def __init__(
        self, started: Started, level: str, launch: Launch, group: Group | None = None
    ) -> None:
        super().__init__(started, level, launch, group)
        self._shared = launch.multi_process or launch.writable
        self._init = _open_pid(started.facts["init"])
        self._bot = _open_pid(self.pid)
        if self._shared and group is not None:
            self.meter.close()
            self.meter = GroupMeter(self.pid, started.facts.get("base_ns", 0), group.cpu_ns)

    def stdout_closed(self) -> bool:
        """Look whether the bot still holds its pipe; bwrap's own processes always do."""
        if self._shared:
            return False  # a child of the bot may hold it
        pipe = f"pipe:[{os.fstat(self.stdout).st_ino}]"
        folder = f"/proc/{self.pid}/fd"
        try:
            return all(os.readlink(f"{folder}/{one}") != pipe for one in os.listdir(folder))
        except OSError:  # it has just ended, or may not be looked at: the pipe will tell
            return False

    def _check_warden(self) -> None:
        if not self._killed:
            raise Lost(
                "what watches over the bots was killed from outside",
                "see who ends processes here: the kernel for lack of memory, or a person",
            )

    def close(self) -> None:
        """Kill, wait until nothing is left, close what we hold."""
        super().close()
        for one in (self._init, self._bot):
            if one >= 0:
                os.close(one)
        self._init = self._bot = -1

    def _signal(self, number: signal.Signals) -> None:
        if number == signal.SIGKILL:
            _send(self._init, number)  # with the first process the whole namespace goes
        elif self._shared and self._group is not None:
            self._group.signal(number)
        else:
            _send(self._bot, number)


def _open_pid(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return -1


def _send(pidfd: int, number: signal.Signals) -> None:
    if pidfd >= 0:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(pidfd, number)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
