"""Be the warden of one bot: fork it, tell the runner its pid and its end, leave nothing of it.

The line to the runner carries JSON lines up: `{"pid", "base_ns"}` or `{"error", "errno"}`, then
`{"status", "peak_kb"}`; and downwards the byte `k`: kill it and all it started. When the runner
closes its side, or dies, everything is killed and reaped and the warden ends; the runner sees the
line close only then.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
from typing import Any

from niagara_arena.sandbox.keeper import child, linux, tree

__all__ = ["wake_on_children", "watch"]


def wake_on_children() -> int:
    """Return a descriptor that becomes readable when a child changes state."""
    ours, theirs = os.pipe()
    for one in (ours, theirs):
        os.set_blocking(one, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return ours


def watch(plan: dict[str, Any], descriptors: list[int], runner: list[int]) -> None:
    """Start the bot and watch it; returns never."""
    linux.adopt_orphans()
    wake = wake_on_children()
    line = socket.socket(fileno=descriptors.pop())
    try:
        pid, base_ns = child.start(plan, descriptors)
    except OSError as error:
        _tell(line, error=str(error.strerror), errno=error.errno, what=str(error.filename or ""))
        tree.sweep(os.getpid(), frozenset())
        os._exit(0)
    for one in descriptors:
        os.close(one)
    _tell(line, pid=pid, base_ns=base_ns)
    _loop(line, runner, wake, pid)
    tree.sweep(os.getpid(), frozenset())
    _kill_group(pid)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    line.close()
    os._exit(0)


def _loop(line: socket.socket, runner: list[int], wake: int, pid: int) -> None:
    poller = select.poll()
    for one in (line.fileno(), wake, *runner):
        poller.register(one, select.POLLIN)
    ended = False
    while True:
        ready = {one for one, _ in poller.poll()}
        if not ready.isdisjoint(runner):
            return
        if wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake, 4096)
            if not ended and _has_ended(line, pid):
                ended = True
                tree.sweep(os.getpid(), frozenset(), keep=pid)
        if line.fileno() in ready:
            if not _order(line):
                return
            _kill_group(pid)
            tree.sweep(os.getpid(), frozenset(), keep=pid)


def _order(line: socket.socket) -> bool:
    """Tell whether the runner asks for a kill; False when it has hung up."""
    try:
        return bool(line.recv(64))
    except OSError:
        return False


def _has_ended(line: socket.socket, pid: int) -> bool:
    """Report the bot's end, without reaping it: its pid stays its own until the runner is done."""
    found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return False
    status = found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
    _tell(line, status=status)
    return True


def _kill_group(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def _tell(line: socket.socket, **facts: Any) -> None:
    with contextlib.suppress(OSError):
        line.sendall(json.dumps(facts).encode() + b"\n")
