"""The few system calls that Python has no name for; each says where it is missing."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys

LINUX = sys.platform == "linux"

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_CLOSE_RANGE, _CLOSE_RANGE_CLOEXEC = 436, 4
_WAITID = {"x86_64": 247, "aarch64": 95}

_libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Call prctl with one argument."""
    zero = ctypes.c_ulong(0)
    if _libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero):
        raise _error("prctl")


def syscall(number: int, *arguments: int | bytes | None) -> int:
    """Call the kernel by number; integers go as long, bytes as a pointer to them."""
    words = [ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in arguments]
    _libc.syscall.restype = ctypes.c_long
    result = int(_libc.syscall(ctypes.c_long(number), *words))
    if result < 0:
        raise _error(f"system call {number}")
    return result


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    if _libc.unshare(flags):
        raise _error("unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None) -> None:
    """Mount a file system, or change a mount."""
    if _libc.mount(
        source.encode(),
        target.encode(),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode() if options else None,
    ):
        raise _error(f"mount {target}")


def call_me(name: str) -> None:
    """Give this process a name of at most 15 letters, for people who list processes."""
    if LINUX:
        _libc.prctl(PR_SET_NAME, ctypes.c_char_p(name.encode()), 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of whatever this process's descendants leave behind."""
    if LINUX:
        prctl(PR_SET_CHILD_SUBREAPER, 1)


def close_on_exec(first: int) -> bool:
    """Mark all descriptors from `first` on; False where the kernel (before 5.11) can't."""
    if not LINUX:
        return False
    try:
        syscall(_CLOSE_RANGE, first, 0xFFFFFFFF, _CLOSE_RANGE_CLOEXEC)
    except OSError:
        return False
    return True


def die_with(parent: int) -> None:
    """Ask for SIGKILL when `parent` dies; die now if it already has.

    The signal is tied to the parent's *thread* that forked us; our parents have one thread only. A
    change of uid clears it, so call this after that.
    """
    if LINUX:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def peek(pid: int) -> tuple[int, int] | None:
    """Return how a child ended, and its peak of resident memory in KB, without reaping it.

    The status is an exit code or, negative, a signal. None while it runs.
    """
    if not hasattr(os, "waitid"):  # reaped then: where there is no pidfd, a pid is all we have
        done, code = os.waitpid(pid, os.WNOHANG)
        return (os.waitstatus_to_exitcode(code), 0) if done else None
    found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    status = found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
    return status, _peak_kb(pid)


def _peak_kb(pid: int) -> int:
    """Ask again for the usage, which Python's waitid leaves out; 0 where we can't."""
    number = _WAITID.get(os.uname().machine) if LINUX else None
    if number is None:
        return 0
    usage = bytes(144)
    try:
        syscall(number, os.P_PID, pid, None, os.WEXITED | os.WNOHANG | os.WNOWAIT, usage)
    except OSError:
        return 0
    return int(struct.unpack_from("<q", usage, 32)[0])


def _error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
