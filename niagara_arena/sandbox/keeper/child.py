"""Fork a bot: everything between the fork and its own program."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from typing import Any

from niagara_arena.sandbox.keeper import linux

__all__ = ["start"]


def start(plan: dict[str, Any], descriptors: list[int]) -> tuple[int, int]:
    """Fork and execute; return the bot's pid and what its CPU clock showed as it began.

    An OSError of the child is raised here: it comes back through a pipe that a successful exec
    closes.
    """
    ours, theirs = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            _become(plan, descriptors, parent)
        except OSError as error:
            words = f"{error.errno or 0}\n{error.filename or ''}\n{error.strerror}"
            os.write(theirs, words.encode())
        finally:
            os._exit(127)
    os.close(theirs)
    report = b""
    while part := os.read(ours, 4096):
        report += part
    base_ns = _clock_ns(pid)
    os.close(ours)
    if report:
        os.waitpid(pid, 0)
        number, name, reason = report.decode().split("\n", 2)
        raise OSError(int(number), reason, name)
    return pid, base_ns


def _become(plan: dict[str, Any], descriptors: list[int], parent: int) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    # First out of the way of 0, 1, 2, whatever numbers they came with.
    moved = [os.dup(one) if one > 2 else _above(one) for one in descriptors]
    for target, one in enumerate(moved):
        os.dup2(one, target)
    os.umask(0o022)
    os.chdir(plan["cwd"])
    if plan.get("core") is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {plan["core"]})
    for name, limit in plan.get("rlimits", {}).items():
        limit_to(name, limit)
    _close_the_rest()
    linux.die_with(parent)
    os.execve(plan["executable"], plan["argv"], plan["env"])


def _close_the_rest() -> None:
    """Let no descriptor but the first three pass to the bot; the pipe of errors is one such."""
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            if int(name) > 2:
                os.set_inheritable(int(name), False)


def _above(descriptor: int) -> int:
    import fcntl  # noqa: PLC0415 - needed once, here

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)


def limit_to(name: str, limit: int) -> None:
    """Set a limit of this process, soft and hard, never above what it already has."""
    which = getattr(resource, f"RLIMIT_{name}", None)
    if which is None:
        return
    _, hard = resource.getrlimit(which)
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    with contextlib.suppress(ValueError):
        resource.setrlimit(which, (limit, limit))


def _clock_ns(pid: int) -> int:
    try:
        return time.clock_gettime_ns((~pid) << 3 | 2)
    except OSError:
        return 0
