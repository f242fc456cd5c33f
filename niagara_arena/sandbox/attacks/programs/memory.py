"""Use more memory, descriptors and kernel objects than we were given, where counters look away."""

from __future__ import annotations

import ctypes
import fcntl
import itertools
import mmap
import os
import resource
import socket
import struct
from collections.abc import Iterator
from functools import partial

from . import syscalls
from .talk import Facts, attempt, refusal, say

_BLOCK = 4 << 20
_PAGE = 4096
_KEPT: list[object] = []
"""What must not be let go when an attack is over, but held until it has been looked at."""


def _touch(area: mmap.mmap) -> None:
    for offset in range(0, len(area), _PAGE):
        area[offset] = 0xA5


def _until_refused(step: object, size: int, most: int) -> Facts:
    """Call `step` until it has taken `most` bytes or is refused; keep what it holds."""
    taken, why = 0, ""
    assert callable(step)
    _KEPT.append(step)
    while taken < most:
        try:
            step()
        except (OSError, MemoryError, ValueError) as error:
            why = refusal(error)
            break
        taken += size
    return {"bytes": taken, "refused": why}


def private(told: Facts) -> Facts:
    """Take private memory."""
    held = []

    def step() -> None:
        area = mmap.mmap(-1, _BLOCK, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        held.append(area)
        _touch(area)

    return _until_refused(step, _BLOCK, told["bytes"])


def shared(told: Facts) -> Facts:
    """Take shared memory, which limits on data do not count."""
    held = []

    def step() -> None:
        area = mmap.mmap(-1, _BLOCK, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
        held.append(area)
        _touch(area)

    return _until_refused(step, _BLOCK, told["bytes"])


def hidden(told: Facts) -> Facts:
    """Take shared memory and let go of all but a page of it: the kernel keeps it whole."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p

    def step() -> None:
        start = libc.mmap(None, ctypes.c_size_t(_BLOCK), 3, 0x21, -1, ctypes.c_long(0))
        if start in (None, ctypes.c_void_p(-1).value):
            raise OSError(ctypes.get_errno(), "mmap")
        for offset in range(0, _BLOCK, _PAGE):
            ctypes.c_ubyte.from_address(start + offset).value = 0xA5
        libc.munmap(ctypes.c_void_p(start + _PAGE), ctypes.c_size_t(_BLOCK - _PAGE))

    return _until_refused(step, _BLOCK, told["bytes"])


def rules(told: Facts) -> Facts:
    """Have the kernel keep rules for a cage that we will never enter."""
    made = 0
    try:
        handled = ctypes.create_string_buffer(struct.pack("=QQ", 0, 3), 16)
        rules = syscalls.call("landlock_create_ruleset", handled, 16, 0)
        for port in range(told["count"]):
            rule = ctypes.create_string_buffer(struct.pack("=QQ", 1, port), 16)
            syscalls.call("landlock_add_rule", rules, 2, rule, 0)
            made += 1
    except OSError as error:
        return {"made": made, "refused": refusal(error)}
    return {"made": made}


def stack_like(told: Facts) -> Facts:
    """Take memory that grows downwards, which limits on data take for a stack."""
    held = []

    def step() -> None:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100  # MAP_GROWSDOWN
        area = mmap.mmap(-1, _BLOCK, flags=flags)
        held.append(area)
        _touch(area)

    return _until_refused(step, _BLOCK, told["bytes"])


def page_tables(told: Facts) -> Facts:
    """Read one byte here and there of a vast empty mapping: all that costs is its page tables."""
    step, size = 2 << 20, told["bytes"] // _PAGE * (2 << 20)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
    start = libc.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, flags, -1, ctypes.c_long(0))
    if start in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "mmap")
    libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), 15)  # MADV_NOHUGEPAGE
    for offset in range(0, size, step):
        ctypes.string_at(start + offset, 1)
    return {"bytes": size // step * _PAGE}


def _hang(path: str, numbers: Iterator[int]) -> None:
    os.setxattr(path, f"user.{next(numbers)}", b"\xa5" * (1 << 15))


def attributes(told: Facts) -> Facts:
    """Hide bytes in the attributes of files in tmp."""
    for directory in told["directories"]:
        path = f"{directory}/{told['secret']}"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            os.setxattr(path, "user.0", b"x")
        except OSError:
            continue
        return _until_refused(partial(_hang, path, itertools.count(1)), 1 << 15, told["bytes"])
    return {"refused": "nowhere to hang them"}


def disguised(told: Facts) -> Facts:
    """Take shared memory under a name that confuses whoever reads /proc, and undumpable."""
    syscalls.call("prctl", 15, b") R 1 1 1 0 -", 0, 0, 0)
    syscalls.call("prctl", 4, 0, 0, 0, 0)
    return shared(told)


def memfd(told: Facts) -> Facts:
    """Write into files that live in memory and are mapped nowhere."""
    held = []

    def step() -> None:
        fd = os.memfd_create("x")
        held.append(fd)
        os.write(fd, b"\xa5" * (1 << 20))

    return _until_refused(step, 1 << 20, told["bytes"])


def big_memfd(told: Facts) -> Facts:
    """Write one large file that lives in memory."""
    fd = os.memfd_create("x")
    return _until_refused(lambda: os.write(fd, b"\xa5" * _BLOCK), _BLOCK, told["bytes"])


def deleted_files(told: Facts) -> Facts:
    """Hide bytes in files that have no name any more."""
    held = []

    def step() -> None:
        for directory in told["directories"]:
            try:
                fd = os.open(directory, os.O_TMPFILE | os.O_RDWR, 0o600)
            except OSError:
                continue
            held.append(fd)
            os.write(fd, b"\xa5" * (1 << 20))
            return
        raise OSError(13, "nowhere to write")

    return _until_refused(step, 1 << 20, told["bytes"])


def everything(told: Facts) -> Facts:
    """Take all there is of each kind at once: private memory, tmp, shared memory files."""
    taken = 0
    for directory in told["directories"]:
        for index in range(told["megabytes"]):
            try:
                with open(f"{directory}/{told['secret']}{index}", "wb", buffering=0) as file:
                    taken += file.write(b"\xa5" * (1 << 20))
            except OSError:
                break
    while taken < told["bytes"]:
        try:
            area = mmap.mmap(-1, 1 << 20)
        except (OSError, MemoryError, ValueError):
            break
        _KEPT.append(area)
        _touch(area)
        taken += 1 << 20
    return {"bytes": taken}


def pipes(told: Facts) -> Facts:
    """Park bytes in the buffers of pipes."""
    held: list[int] = []

    def step() -> None:
        reader, writer = os.pipe()
        held.extend((reader, writer))
        size = fcntl.fcntl(writer, 1031, 1 << 20)  # F_SETPIPE_SZ
        os.set_blocking(writer, False)
        if os.write(writer, b"\xa5" * size) < 1 << 20:
            raise MemoryError

    return _until_refused(step, 1 << 20, told["bytes"])


def exhaust_pipes(told: Facts) -> Facts:
    """Use up what all pipes of our uid may hold, to the last page."""
    size = 65536
    try:
        while size >= 65536:
            _, writer = os.pipe()
            attempt(fcntl.fcntl, writer, 1031, 1 << 20)
            size = fcntl.fcntl(writer, 1032)  # F_GETPIPE_SZ
    except OSError as error:
        return {"refused": refusal(error)}
    return {"left": size}


def spliced(told: Facts) -> Facts:
    """Give pages to a pipe and forget them, so that no process seems to own them."""
    held: list[int] = []

    def step() -> None:
        reader, writer = os.pipe()
        held.extend((reader, writer))
        size = fcntl.fcntl(writer, 1031, 1 << 20)
        os.set_blocking(writer, False)
        area = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        _touch(area)
        start = ctypes.addressof(ctypes.c_char.from_buffer(area))
        vector = (ctypes.c_size_t * 2)(start, size)
        if syscalls.call("vmsplice", writer, ctypes.addressof(vector), 1, 0) < size:
            raise MemoryError
        libc = ctypes.CDLL(None)
        libc.munmap(ctypes.c_void_p(start), ctypes.c_size_t(size))

    return _until_refused(step, 1 << 20, told["bytes"])


def socket_buffers(told: Facts) -> Facts:
    """Park bytes in the buffers of socket pairs."""
    held: list[socket.socket] = []

    def step() -> None:
        left, right = socket.socketpair()
        held.extend((left, right))
        left.setblocking(False)
        for _ in range(4):
            left.send(b"\xa5" * (1 << 15))

    return _until_refused(step, 1 << 17, told["bytes"])


def system_v(told: Facts) -> Facts:
    """Fill a System V segment and let go of it: it stays, mapped nowhere."""

    def step() -> None:
        segment = syscalls.call("shmget", 0, _BLOCK, 0o1600)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.shmat.restype = ctypes.c_void_p
        start = libc.shmat(segment, None, 0)
        if start in (None, ctypes.c_void_p(-1).value):
            raise OSError(ctypes.get_errno(), "shmat")
        ctypes.memset(start, 0xA5, _BLOCK)
        libc.shmdt(ctypes.c_void_p(start))
        ids.append(segment)
        say({"segments": ids})  # for the runner to remove, should we be killed

    ids: list[int] = []
    return _until_refused(step, _BLOCK, told["bytes"])


def lock_pages(told: Facts) -> Facts:
    """Nail memory down so that it can't be swapped out."""
    area = mmap.mmap(-1, told["bytes"], flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    libc = ctypes.CDLL(None, use_errno=True)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    if libc.mlock(ctypes.c_void_p(start), ctypes.c_size_t(told["bytes"])):
        raise OSError(ctypes.get_errno(), "mlock")
    _KEPT.append(area)
    return {}


def descriptors(told: Facts) -> Facts:
    """Open files until told or refused."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    made = 0
    try:
        while made < told["count"]:
            os.open("/dev/null", os.O_RDONLY)
            made += 1
    except OSError as error:
        return {"made": made, "refused": refusal(error)}
    return {"made": made}


def in_flight(told: Facts) -> Facts:
    """Hold more descriptors than allowed by leaving them in the post, never in our hands."""
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.setblocking(False)
    sent, why = 0, ""
    _KEPT.append(right)
    while sent < told["count"]:
        try:
            fd = os.open("/dev/null", os.O_RDONLY)
            try:
                socket.send_fds(left, [b"x"], [fd] * 8)
            finally:
                os.close(fd)
        except BlockingIOError:
            try:
                left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            except OSError as error:
                why = refusal(error)
                break
            left.setblocking(False)
            _KEPT.extend((left, right))
            continue
        except OSError as error:
            why = refusal(error)
            break
        sent += 8
    return {"made": sent, "refused": why}


def timers(told: Facts) -> Facts:
    """Make kernel timers until told or refused."""
    event = ctypes.create_string_buffer(struct.pack("=QiiQQ", 0, 34, 0, 0, 0), 64)
    made, timer = 0, ctypes.create_string_buffer(8)
    try:
        while made < told["count"]:
            syscalls.call("timer_create", 1, event, timer)
            made += 1
    except OSError as error:
        return {"made": made, "refused": refusal(error)}
    return {"made": made}


def locks(told: Facts) -> Facts:
    """Lock every other byte of a file that all may read: each lock is kernel memory."""
    fd = os.open(told["path"], os.O_RDONLY)
    made = 0
    try:
        while made < told["count"]:
            record = struct.pack("=hhxxxxqqixxxx", fcntl.F_RDLCK, 0, 2 * made, 1, 0)
            fcntl.fcntl(fd, fcntl.F_SETLK, record)
            made += 1
    except OSError as error:
        return {"made": made, "refused": refusal(error)}
    return {"made": made}
