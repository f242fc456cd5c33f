"""Talk to bots in tests: every wait has a deadline, and nothing is left behind."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from pathlib import Path

from niagara_arena.records import Limits
from niagara_arena.sandbox import Exit, Launch, Process

PATIENCE_S = 60.0


def launch(directory: Path, *command: str, **fields: object) -> Launch:
    """Make a launch with default limits."""
    limits = fields.pop("limits", Limits())
    return Launch(str(directory), command, limits, **fields)  # type: ignore[arg-type]


def python(code: str) -> tuple[str, ...]:
    """Make a command that runs Python code."""
    return ("python3", "-c", code)


def until(condition: Callable[[], object], what: str, pause_s: float = 0.005) -> None:
    """Wait for a condition; fail, saying what did not come true, when it takes too long."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE_S} s: {what}"
        time.sleep(pause_s)


def read_line(process: Process) -> str:
    """Read one line of the bot's output."""
    said = b""
    end = time.monotonic() + PATIENCE_S
    while not said.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"the bot says nothing more after {said!r}; it is {process.poll()}"
        part = os.read(process.stdout, 1)
        assert part, f"the bot hung up after {said!r}: {log(process)} {process.poll()}"
        said += part
    return said.decode().rstrip("\n")


def log(process: Process) -> str:
    """Read what the bot has logged so far."""
    try:
        return os.read(process.stderr, 65536).decode()
    except BlockingIOError:
        return ""


def finish(process: Process, watch: bool = False) -> tuple[str, str, Exit]:
    """Read until the bot ends, with or without the watchdog; close it."""
    said = {process.stdout: b"", process.stderr: b""}
    unread = set(said)
    end = time.monotonic() + PATIENCE_S
    while process.poll() is None or select.select(unread, [], [], 0)[0]:
        assert time.monotonic() < end, f"the bot does not end; it said {said}"
        for one in select.select(unread, [], [], 0.02)[0]:
            part = os.read(one, 65536)
            said[one] += part
            if not part:
                unread.discard(one)
        if watch and process.poll() is None and process.over_memory():
            process.kill()
    ended = process.poll()
    assert ended is not None
    out, err = (said[one].decode("utf-8", "replace") for one in (process.stdout, process.stderr))
    process.close()
    return out, err, ended


def marked(marker: str) -> list[int]:
    """List the living processes whose command line holds a marker."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and int(place.name) != os.getpid():
            try:
                if marker.encode() in (place / "cmdline").read_bytes():
                    found.append(int(place.name))
            except OSError:
                continue
    return found
