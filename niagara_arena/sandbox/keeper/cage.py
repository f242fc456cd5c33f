"""Start a bot under bwrap, from a warden that has become what bwrap may be run as.

The warden itself gives up root, takes the limits that bwrap and the bot shall inherit, and, where
the kernel lets it, enters a mount namespace of its own in which it prepares what bwrap then binds
(`veil`). bwrap is held by `--block-fd` until the limits that must be set on its child are set and
the runner has put that child into a cgroup.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import socket
import struct
import time
from typing import Any

from niagara_arena.sandbox.keeper import child, linux, tree, veil

__all__ = ["FIRST", "start", "true_end"]

FIRST = 40
"""From this number on, bwrap's own descriptors: its arguments, the filter, info, block."""
PATIENCE_S = 15.0

PIDFD_GET_INFO = 0xC040FF0B
PIDFD_INFO_EXIT = 1 << 3


def start(plan: dict[str, Any], descriptors: list[int], line: socket.socket) -> child.Started:
    """Start bwrap with the bot in it; return when the bot's own process exists."""
    child.prepare(plan)
    linux.prctl(linux.PR_SET_DUMPABLE, 1)  # a change of uid clears it, and with it our /proc/self
    if plan.get("veil"):
        veil.draw(plan["veil"])
        # Counted in the new namespace, which holds nothing but this bot.
        child.limit("NPROC", plan["processes"], plan["processes"])
    child.close_the_rest()
    info, outer = _spawn(plan, descriptors)
    try:
        init = _init_of(info[0])
        if not plan.get("veil"):
            child.limit("NPROC", plan["processes"], plan["processes"], init)
        if plan.get("hold"):
            line.sendall(json.dumps({"held": init}).encode() + b"\n")
            if line.recv(1) != b"g":
                raise OSError(0, "the runner has gone")
    except OSError:
        with contextlib.suppress(OSError):
            os.kill(outer, signal.SIGKILL)
        raise
    os.write(info[1], b"g")
    for one in info:
        os.close(one)
    pid = _bot_of(init, outer)
    handle = -1
    if pid:
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(pid)
    return child.Started(pid or init, outer, init=init, handle=handle)


def _spawn(plan: dict[str, Any], descriptors: list[int]) -> tuple[tuple[int, int], int]:
    """Spawn bwrap; return our ends of info and block, and its pid."""
    info, info_theirs = os.pipe()
    block_theirs, block = os.pipe()
    theirs = (
        _file("args", b"".join(word.encode() + b"\0" for word in plan["bwrap"])),
        _file("filter", bytes.fromhex(plan["filter"])),
        info_theirs,
        block_theirs,
    )
    numbered = [*enumerate(descriptors), *enumerate(theirs, FIRST)]
    words = ["bwrap", "--args", str(FIRST), "--", *plan["argv"]]
    outer = child.spawn(plan["executable"], words, {}, numbered)
    for one in theirs:
        os.close(one)
    return (info, block), outer


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


def true_end(bot: child.Started, status: int) -> tuple[int, int]:
    """Return how the bot ended, and its peak of resident memory in KB.

    bwrap passes a signal on as 128 plus its number. Since Linux 6.15 a pidfd remembers the end of
    its process; before, 128 plus a signal is taken for that signal, as every shell does. The peak
    comes with the namespace's first process, the bot's parent, whom bwrap leaves to us.
    """
    peak_kb = 0
    with contextlib.suppress(ChildProcessError):
        peak_kb = os.wait4(bot.init, 0)[2].ru_maxrss
    if bot.handle >= 0:
        info = bytearray(struct.pack("<Q56x", PIDFD_INFO_EXIT))
        with contextlib.suppress(OSError):
            fcntl.ioctl(bot.handle, PIDFD_GET_INFO, info)
            mask, code = struct.unpack("<Q52xi", info)
            if mask & PIDFD_INFO_EXIT:
                return os.waitstatus_to_exitcode(code), peak_kb
    status = 128 - status if 128 < status <= 128 + signal.NSIG else status
    return status, peak_kb
