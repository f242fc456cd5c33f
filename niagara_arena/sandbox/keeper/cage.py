"""Start a bot under bwrap, from a warden that has become what bwrap may be run as.

The warden itself gives up root, takes the limits that bwrap and the bot shall inherit, and, where
the kernel lets it, enters a mount namespace of its own in which it prepares what bwrap then binds
(`veil`). bwrap is held twice: by the pipe of its own arguments until the runner has put it into a
cgroup, before it makes namespaces, so that the bot sees that cgroup as the root of all; and by
`--block-fd` until the limits that must be set on its child are set.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import struct
import time
from typing import Any, NamedTuple

from niagara_arena.sandbox.keeper import child, linux, tree, veil

__all__ = ["FIRST", "Killed", "start", "true_end"]

FIRST = 40
"""From this number on, bwrap's own descriptors: its arguments, the filter, info, block."""
PATIENCE_S = 15.0
DYING_S = 0.5
"""How long a process whose pipes have closed may take to be dead."""

PIDFD_GET_INFO = 0xC040FF0B
PIDFD_INFO_EXIT = 1 << 3


class Killed(Exception):
    """Somebody outside killed the cage before there was a bot in it."""


def start(plan: dict[str, Any], descriptors: list[int], line: socket.socket) -> child.Started:
    """Start bwrap with the bot in it; return when the bot's own process exists."""
    child.prepare(plan)
    linux.prctl(linux.PR_SET_DUMPABLE, 1)  # a change of uid clears it, and with it our /proc/self
    if plan.get("veil"):
        veil.draw(plan["veil"])
        _limit_by_user(plan)  # counted in the new namespace, which holds nothing but this bot
    child.close_the_rest()
    held, outer = _spawn(plan, descriptors)
    try:
        if plan.get("hold"):
            line.sendall(json.dumps({"held": outer}).encode() + b"\n")
            if line.recv(1) != b"g":
                raise OSError(0, "the runner has gone")
        _write(held.words, b"".join(word.encode() + b"\0" for word in plan["bwrap"]))
        init = _init_of(held.info)
        init_handle = os.pidfd_open(init)
        if not plan.get("veil"):
            _limit_by_user(plan, init)
        os.write(held.block, b"g")
    except OSError as error:
        killed = _was_killed(outer)
        with contextlib.suppress(OSError):
            os.kill(outer, signal.SIGKILL)
        if killed:
            raise Killed from error
        raise
    os.close(held.info)
    if not _released(held.block, outer):
        raise Killed
    os.close(held.block)
    pid = _bot_of(init, outer)
    handle = _handle(pid) if pid else -1
    return child.Started(pid or init, outer, init=init, handle=handle, init_handle=init_handle)


def _was_killed(outer: int) -> bool:
    """Say whether a bwrap that has not started its bot yet, or its first process, was killed."""
    end = time.monotonic() + DYING_S
    while (found := os.waitid(os.P_PID, outer, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is None:
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return found.si_code != os.CLD_EXITED or found.si_status == 128 + signal.SIGKILL


def _handle(pid: int) -> int:
    """Return a pidfd; -1 if the process is gone already."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return -1


def _limit_by_user(plan: dict[str, Any], pid: int = 0) -> None:
    for name, (soft, hard) in plan["by_user"].items():
        child.limit(name, soft, hard, pid)


class _Held(NamedTuple):
    """Hold our ends of a bwrap's pipes."""

    words: int
    """Its arguments; it does nothing until it has read them to the end."""
    info: int
    block: int


def _spawn(plan: dict[str, Any], descriptors: list[int]) -> tuple[_Held, int]:
    """Spawn bwrap; return our ends of its pipes, and its pid."""
    info, info_theirs = os.pipe()
    block_theirs, block = os.pipe()
    words_theirs, words = os.pipe()
    theirs = (
        words_theirs,
        _file("filter", bytes.fromhex(plan["filter"])),
        info_theirs,
        block_theirs,
    )
    numbered = [*enumerate(descriptors), *enumerate(theirs, FIRST)]
    argv = ["bwrap", "--args", str(FIRST), "--", *plan["argv"]]
    outer = child.spawn(plan["executable"], argv, {}, numbered)
    for one in theirs:
        os.close(one)
    return _Held(words, info, block), outer


def _write(pipe: int, content: bytes) -> None:
    """Write all of it and close."""
    while content:
        content = content[os.write(pipe, content) :]
    os.close(pipe)


def _file(name: str, content: bytes) -> int:
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _init_of(info: int) -> int:
    """Read what bwrap says of its child; the first process of the bot's namespace."""
    text = b""
    while b"}" not in text:
        part = os.read(info, 4096)
        if not part:
            raise OSError(0, "bwrap gave up", "bwrap")
        text += part
    return int(json.loads(text)["child-pid"])


def _released(block: int, outer: int) -> bool:
    """Wait until nobody reads what holds bwrap: its child is done with all but starting the bot.

    False where bwrap ended before: its child would wait for it for ever.
    """
    handle = os.pidfd_open(outer)
    poller = select.poll()
    poller.register(block, 0)
    poller.register(handle, select.POLLIN)
    ready = {one for one, _ in poller.poll(PATIENCE_S * 1000)}
    os.close(handle)
    return ready != {handle}


def _bot_of(init: int, outer: int) -> int:
    """Wait for the bot's own process; 0 when it has come and gone already."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = tree.children(init)
        if found:
            return found[0]
        if os.waitid(os.P_PID, outer, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return 0
        time.sleep(0.0001)
    raise OSError(0, "the bot's process did not appear", "bwrap")


def true_end(bot: child.Started, status: int) -> tuple[int | None, int]:
    """Return how the bot ended, and its peak of resident memory in KB.

    None where its cage was killed from outside: neither bwrap nor the namespace's first process can
    be reached by a bot's signals. As a rule bwrap ends first and takes that process along, which is
    left to us. Where bwrap has reaped it, it ended first: its work done, or killed by somebody.

    bwrap passes a signal on as 128 plus its number. Since Linux 6.15 a pidfd remembers the end of
    its process; before, 128 plus a signal is taken for that signal, as every shell does. The peak
    comes with the namespace's first process, the bot's parent.
    """
    peak_kb = 0
    killed = status < 0
    try:
        peak_kb = os.wait4(bot.init, 0)[2].ru_maxrss
    except ChildProcessError:
        killed = killed or (_remembered(bot.init_handle) or 0) < 0
    if killed:
        return None, peak_kb
    true = _remembered(bot.handle)
    if true is not None:
        return true, peak_kb
    status = 128 - status if 128 < status <= 128 + signal.NSIG else status
    return status, peak_kb


def _remembered(handle: int) -> int | None:
    """Return how the process of a pidfd ended; None where the kernel does not tell."""
    if handle >= 0:
        info = bytearray(struct.pack("<Q56x", PIDFD_INFO_EXIT))
        with contextlib.suppress(OSError):
            fcntl.ioctl(handle, PIDFD_GET_INFO, info)
            mask, code = struct.unpack("<Q52xi", info)
            if mask & PIDFD_INFO_EXIT:
                return os.waitstatus_to_exitcode(code)
    return None
