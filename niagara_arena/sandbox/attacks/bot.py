"""Drive one hostile bot from outside, with the duties that the match runner has.

Its output is always drained and capped, its memory is looked at twenty times a second, and it is
killed when it is over its limit.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import time
from typing import Any

from niagara_arena.sandbox.interface import Backend, Exit, Launch, Process

__all__ = ["Bot"]

TICK_S = 0.05
"""How often the bot's memory is looked at."""
PATIENCE_S = 15.0
"""How long a bot may take for its attack; only one that hangs takes so long."""
MOST_BYTES = 1 << 21


class Bot:
    """Hold one caged attacker: tell it things, hear what it says, see how it ends."""

    def __init__(self, backend: Backend, launch: Launch) -> None:
        self.process: Process = backend.start(launch)
        self.pid = self.process.pid
        self.output = b""
        self.log = b""
        self.logged = 0
        """How many bytes it has written to its log."""
        self.evidence: dict[str, Any] = {}
        self.over_memory = False
        self._parsed = 0
        self._looked = 0.0
        self._ended = False
        self._closed = False

    def tell(self, **facts: Any) -> None:
        """Send it one line; a bot that has gone hears nothing."""
        with contextlib.suppress(OSError):
            os.write(self.process.stdin, json.dumps(facts).encode() + b"\n")

    def hear(self, key: str, seconds: float = PATIENCE_S) -> Any:
        """Wait until it says something with this key; None if it ends, is done, or hangs."""
        ends = time.monotonic() + seconds
        last = False
        while True:
            for facts in self._lines():
                self.evidence |= facts
                if key in facts or "done" in facts:
                    return facts.get(key)
            if last:
                return None
            last = self._ended or self.exit is not None or time.monotonic() > ends
            self._drain(0 if last else TICK_S)
            self._watch()

    def finish(self, seconds: float = PATIENCE_S) -> dict[str, Any]:
        """Wait for the end of its attack; it then still lives, unless it was ended."""
        if "done" not in self.evidence:
            self.hear("done", seconds)
        return self.evidence

    def linger(self, seconds: float) -> None:
        """Let it live on for a while under the watchdog's eyes."""
        ends = time.monotonic() + seconds
        while self.exit is None and not self.over_memory:
            last = time.monotonic() > ends
            self._drain(0 if last else TICK_S)
            self._watch(always=last)
            if last:
                return

    @property
    def exit(self) -> Exit | None:
        """How it ended; None while it runs."""
        return self.process.poll()

    @property
    def why(self) -> str:
        """Why it got nowhere, in a few words: what it was refused, or how it was ended."""
        refused = self.evidence.get("refused", "")
        if isinstance(refused, dict):
            # Some attacks tell the error by way, others the way by error.
            errors = {str(k) if str(k).isupper() else str(v) for k, v in refused.items()}
            refused = ", ".join(sorted(errors - {""}))
        if refused:
            return f"refused: {refused}"
        return f"it was ended: {self.exit.detail}" if self.exit else "nothing came of it"

    def says(self, secret: str) -> bool:
        """Tell whether a secret is in what it printed."""
        self._drain(0)
        return secret.encode() in self.output

    def close(self) -> None:
        """Kill it and let go of it."""
        if not self._closed:
            self._closed = True
            self.process.close()

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _watch(self, always: bool = False) -> None:
        """Look at its memory every so often, or now: on a busy machine a while may be one look."""
        now = time.monotonic()
        if always or now - self._looked >= TICK_S:
            self._looked = now
            if not self.over_memory and self.process.over_memory():
                self.over_memory = True
                self.process.kill()

    def _drain(self, seconds: float) -> None:
        if self._closed:
            return
        streams = [self.process.stdout, self.process.stderr]
        if self._ended:
            streams.remove(self.process.stdout)
        for stream in select.select(streams, [], [], seconds)[0]:
            with contextlib.suppress(BlockingIOError):
                data = os.read(stream, 1 << 16)
                if stream == self.process.stderr:
                    self.logged += len(data)
                    self.log = (self.log + data)[-4096:]
                    if not data:
                        time.sleep(0.005)
                else:
                    self._ended = not data
                    self.output = (self.output + data)[:MOST_BYTES]

    def _lines(self) -> list[dict[str, Any]]:
        """Return what it said since the last call, complete lines that hold an object only."""
        end = self.output.rfind(b"\n") + 1
        found = []
        for line in self.output[self._parsed : end].splitlines():
            with contextlib.suppress(ValueError):
                facts = json.loads(line)
                if isinstance(facts, dict):
                    found.append(facts)
        self._parsed = max(end, self._parsed)
        return found
