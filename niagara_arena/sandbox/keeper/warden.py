"""Be the warden of one bot: start it, tell the runner its pid and its end, leave nothing of it.

The line to the runner carries the plan down, four bytes of length and JSON; then JSON lines up:
`{"pid", …}` or `{"error", "errno", "what"}`, or
`{"killed"}` where somebody outside ended the cage first; then `{"status"}`. And downwards the byte
`k`: kill it and all it started. When the runner closes its side, or dies, everything is killed and
reaped and the warden ends; the runner sees the line close only then.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
from typing import Any

from niagara_arena.sandbox.keeper import cage, child, linux, tree

__all__ = ["serve_one", "wake_on_children"]

DESCRIPTORS = 4
"""What comes for a bot: its stdin, stdout and stderr, and the warden's line."""
NUMBER_BYTES = 8
"""How long a warden's number is in the pipe to the keeper."""
GLANCE_MS = 50
"""How often a bot's threads are counted, where the kernel does not hold it to its own number."""


def wake_on_children() -> int:
    """Return a descriptor that becomes readable when a child changes state."""
    ours, theirs = os.pipe()
    for one in (ours, theirs):
        os.set_blocking(one, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return ours


def serve_one(keeper: socket.socket, want: int, runner: list[int], number: int) -> None:
    """Wait for a plan, carry it out, watch over what it started; never returns."""
    linux.call_me("niagara-warden")
    linux.adopt_orphans()
    wake = wake_on_children()
    poller = select.poll()
    for one in (keeper.fileno(), *runner):
        poller.register(one, select.POLLIN)
    ready = {one for one, _ in poller.poll()}
    descriptors = [] if not ready.isdisjoint(runner) else _take(keeper)
    keeper.close()
    if not descriptors:
        os._exit(0)
    line = socket.socket(fileno=descriptors.pop())
    plan = _read_plan(line)
    bot = None if plan is None else _start(plan, descriptors, line)
    with contextlib.suppress(OSError):
        os.write(want, number.to_bytes(NUMBER_BYTES))
    os.close(want)
    for one in descriptors:
        os.close(one)
    if plan is not None and bot is not None:
        _watch(line, runner, wake, bot, plan.get("threads"))
        tree.sweep(os.getpid(), frozenset(), keep=bot.child)
    tree.sweep(os.getpid(), frozenset())
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    line.close()
    os._exit(0)


def _take(line: socket.socket) -> list[int]:
    """Take the descriptors of one bot; none when the runner has hung up."""
    try:
        _, descriptors, _, _ = socket.recv_fds(line, 1, DESCRIPTORS)
    except OSError:
        return []
    for one in descriptors:
        os.set_inheritable(one, False)  # recv_fds takes flags and ignores them
    return list(descriptors)


def _read_plan(line: socket.socket) -> dict[str, Any] | None:
    """Read the plan; None when the runner has hung up."""
    try:
        plan: dict[str, Any] = json.loads(_exactly(line, int.from_bytes(_exactly(line, 4))))
    except OSError:
        return None
    return plan


def _exactly(line: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = line.recv(size - len(data))
        if not part:
            raise ConnectionResetError
        data += part
    return bytes(data)


def _start(
    plan: dict[str, Any], descriptors: list[int], line: socket.socket
) -> child.Started | None:
    try:
        if "bwrap" in plan:
            bot = cage.start(plan, descriptors, line)
        else:
            bot = child.start(plan, descriptors)
    except cage.Killed:
        _tell(line, killed=True)
        return None
    except OSError as error:
        _tell(line, error=str(error.strerror), errno=error.errno, what=str(error.filename or ""))
        return None
    _tell(line, pid=bot.pid, base_ns=bot.base_ns, init=bot.init)
    return bot


def _watch(
    line: socket.socket, runner: list[int], wake: int, bot: child.Started, threads: int | None
) -> None:
    poller = select.poll()
    for one in (line.fileno(), wake, *runner):
        poller.register(one, select.POLLIN)
    ended = False
    ready = {wake}  # it may have ended while it was being started
    while True:
        if not ready.isdisjoint(runner):
            return
        if wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake, 4096)
            if not ended and _report_end(line, bot):
                ended = True
                tree.sweep(os.getpid(), frozenset(), keep=bot.child)
        if line.fileno() in ready:
            if not _is_order(line):
                return
            tree.sweep(os.getpid(), frozenset(), keep=bot.child)
        ready = {one for one, _ in poller.poll(GLANCE_MS if threads and not ended else None)}
        if threads and not ready and _threads(bot.pid) > threads:
            tree.sweep(os.getpid(), frozenset(), keep=bot.child)


def _threads(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0


def _is_order(line: socket.socket) -> bool:
    """Tell whether the runner asks for a kill; False when it has hung up."""
    try:
        return bool(line.recv(64))
    except OSError:
        return False


def _report_end(line: socket.socket, bot: child.Started) -> bool:
    """Report the bot's end, without reaping it: its pid stays its own until the runner is done."""
    found = linux.peek(bot.child)
    if found is None:
        return False
    status: int | None
    status, peak_kb = found
    if bot.init:
        status, peak_kb = cage.true_end(bot, found[0])
    _tell(line, status=status, peak_kb=peak_kb)
    return True


def _tell(line: socket.socket, **facts: Any) -> None:
    with contextlib.suppress(OSError):
        line.sendall(json.dumps(facts).encode() + b"\n")
