"""Shut a process in with Landlock and a system-call filter, just before it becomes a bot."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from typing import Any

from niagara_arena.sandbox.keeper import linux

__all__ = ["abi", "install_filter", "restrict"]

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
OWN_PROC = """
auxv cmdline comm environ exe fd fdinfo limits maps oom_score_adj stat statm status
""".split()
"""What it may read of its own /proc; the rest tells of the host: mounts, cgroups, in `net` and
`task/*/net` everybody's sockets, in `smaps` and `pagemap` who else has mapped a page."""
PR_SET_SECCOMP, MODE_FILTER = 22, 2


def abi() -> int:
    """Return the version of Landlock that the kernel speaks; 0 without it."""
    if not linux.LINUX:
        return 0
    try:
        return linux.syscall(CREATE_RULESET, None, 0, 1)
    except OSError:
        return 0


def restrict(plan: dict[str, Any]) -> None:
    """Allow reading below `read`, everything below `write`, and install the `filter`."""
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    version = abi()
    handled = _handled(version)
    # Sockets: neither bind nor connect by TCP (4). Scopes: no abstract socket, no signal (6).
    attributes = struct.pack("<QQQ", handled, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = linux.syscall(CREATE_RULESET, attributes, size, 0)
    for paths, access in ((plan["read"], READ), (plan["write"], handled)):
        for path in paths:
            _allow(rules, path, access & handled)
    for name in OWN_PROC:
        _allow(rules, f"/proc/self/{name}", READ)
    linux.syscall(RESTRICT_SELF, rules, 0)
    os.close(rules)
    install_filter(bytes.fromhex(plan["filter"]), plan["self"])


def install_filter(program: bytes, stand_in: int) -> None:
    """Install a filter, with our pid where the stand-in is."""
    program = program.replace(struct.pack("<I", stand_in), struct.pack("<I", os.getpid()))
    buffer = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(MODE_FILTER), ctypes.c_char_p(head), zero, zero):
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def _handled(version: int) -> int:
    handled = (1 << 13) - 1
    for since, right in ((2, 1 << 13), (3, TRUNCATE), (5, IOCTL_DEV)):
        if version >= since:
            handled |= right
    return handled


def _allow(rules: int, path: str, access: int) -> None:
    with contextlib.suppress(FileNotFoundError, PermissionError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not os.path.isdir(path):
                access &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
            linux.syscall(ADD_RULE, rules, 1, struct.pack("<Qi", access, descriptor), 0)
        finally:
            os.close(descriptor)
