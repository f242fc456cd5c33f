"""Serve the runner: take a plan and descriptors from its socket, fork a warden for it.

The keeper ends when the runner has gone and every warden has finished, and takes the runner's
scratch directory with it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
from typing import Any

from niagara_arena.sandbox.keeper import linux, tree, warden

__all__ = ["serve"]

DESCRIPTORS = 4
"""What comes with a plan: the bot's stdin, stdout and stderr, and the warden's line."""
CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


def serve(descriptor: int, runner: int, scratch: str) -> None:
    """Serve until the runner is gone and nothing is left of what was started for it."""
    if os.getppid() != runner:
        return
    line = socket.socket(fileno=descriptor)
    watched = [descriptor]
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):
            watched.append(os.pidfd_open(runner))
    linux.adopt_orphans()
    wake = warden.wake_on_children()
    gc.freeze()
    wardens: set[int] = set()
    poller = select.poll()
    for one in (*watched, wake):
        poller.register(one, select.POLLIN)
    alive = True
    while alive:
        ready = {one for one, _ in poller.poll()}
        if wake in ready:
            _bury(wake, wardens)
        if watched[1:] and watched[1] in ready:
            alive = False
        elif descriptor in ready:
            plan = _receive(line)
            if plan is None:
                alive = False
            else:
                _fork(plan, wardens, (line, wake), watched[1:])
    line.close()
    _finish(wake, wardens)
    _remove(scratch)


def _receive(line: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Read one plan: four bytes of length, then JSON; None when the runner has hung up."""
    try:
        head, descriptors, _, _ = socket.recv_fds(line, 4, DESCRIPTORS, CLOSE_ON_EXEC)
        if not head:
            return None
        while len(head) < 4:
            head += line.recv(4 - len(head)) or b"\0" * 4
        size = int.from_bytes(head, "little")
        body = bytearray()
        while len(body) < size:
            part = line.recv(size - len(body))
            if not part:
                return None
            body += part
    except OSError:
        return None
    return json.loads(body), list(descriptors)


def _fork(
    plan: tuple[dict[str, Any], list[int]],
    wardens: set[int],
    ours: tuple[socket.socket, int],
    runner: list[int],
) -> None:
    what, descriptors = plan
    pid = os.fork()
    if pid == 0:
        try:
            ours[0].close()
            warden.watch(what, descriptors, runner)
        finally:
            os._exit(70)
    wardens.add(pid)
    for one in descriptors:
        os.close(one)


def _bury(wake: int, wardens: set[int]) -> None:
    """Reap what ended. A warden that was killed may have left a bot's children with us."""
    with contextlib.suppress(BlockingIOError):
        os.read(wake, 4096)
    orphaned = False
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = found
            orphaned = orphaned or (pid in wardens and status != 0) or pid not in wardens
            wardens.discard(pid)
    if orphaned:
        tree.sweep(os.getpid(), spare=frozenset(wardens))


def _finish(wake: int, wardens: set[int]) -> None:
    """Wait for the wardens, who have seen the runner go as we have."""
    poller = select.poll()
    poller.register(wake, select.POLLIN)
    while wardens:
        poller.poll(1000)
        _bury(wake, wardens)
    tree.sweep(os.getpid(), spare=frozenset())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _remove(scratch: str) -> None:
    for folder, folders, files in os.walk(scratch, topdown=False):
        with contextlib.suppress(OSError):
            for name in files:
                os.unlink(os.path.join(folder, name))
            for name in folders:
                path = os.path.join(folder, name)
                os.unlink(path) if os.path.islink(path) else os.rmdir(path)
    with contextlib.suppress(OSError):
        os.rmdir(scratch)
