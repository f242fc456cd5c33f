"""Fork a bot: everything between the fork and its own program."""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from niagara_arena.sandbox.keeper import landlock, linux

__all__ = ["Started", "close_the_rest", "limit", "prepare", "spawn", "start"]


class Started(NamedTuple):
    """Hold what the warden knows of its bot."""

    pid: int
    """The bot itself."""
    child: int
    """The warden's own child: the bot, or the bwrap that it runs under."""
    base_ns: int = 0
    """What the bot's CPU clock showed as its program began."""
    init: int = 0
    """The first process of its namespace, where it has one."""
    handle: int = -1
    """A pidfd of the bot, where its own parent is not us."""
    init_handle: int = -1
    """A pidfd of the first process of its namespace."""


def start(plan: dict[str, Any], descriptors: list[int]) -> Started:
    """Execute the bot: by a fork if it must shut itself in first, else by a quicker spawn."""
    return _fork(plan, descriptors) if "landlock" in plan else _spawn(plan, descriptors)


def _spawn(plan: dict[str, Any], descriptors: list[int]) -> Started:
    """Spawn the bot from what this warden becomes: its limits, its core, its directory."""
    prepare(plan)
    os.chdir(plan["cwd"])
    os.umask(0o022)
    close_the_rest()
    pid = spawn(plan["executable"], plan["argv"], plan["env"], enumerate(descriptors))
    os.chdir("/")
    return Started(pid, pid, _clock_ns(pid))


def spawn(
    program: str, words: list[str], env: dict[str, str], descriptors: Iterable[tuple[int, int]]
) -> int:
    """Spawn a program in a session of its own, with nothing of ours but these descriptors."""
    return os.posix_spawn(
        program,
        words,
        env,
        file_actions=[(os.POSIX_SPAWN_DUP2, one, number) for number, one in descriptors],
        setsid=True,
        setsigmask=[],
        setsigdef=[signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGXFSZ],
    )


def _fork(plan: dict[str, Any], descriptors: list[int]) -> Started:
    """Fork and execute.

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
    return Started(pid, pid, base_ns)


def _become(plan: dict[str, Any], descriptors: list[int], parent: int) -> None:
    """Turn this fork of the warden into the bot; never returns."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    # First out of the way of 0, 1, 2, whatever numbers they came with.
    moved = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 3) for one in descriptors]
    for target, one in enumerate(moved):
        os.dup2(one, target)
    os.umask(0o022)
    prepare(plan)
    os.chdir(plan["cwd"])
    close_the_rest()
    linux.die_with(parent)
    if "landlock" in plan:
        landlock.restrict(plan["landlock"])
    os.execve(plan["executable"], plan["argv"], plan["env"])


def prepare(plan: dict[str, Any]) -> None:
    """Give this process the core, the limits and the uid that its plan names."""
    if plan.get("core") is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {plan["core"]})
    if plan.get("drop"):
        uid, gid = plan["drop"]
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    for name, (soft, hard) in plan.get("rlimits", {}).items():
        limit(name, soft, hard)


def limit(name: str, soft: int, hard: int, pid: int = 0) -> None:
    """Set a limit, never above what the process already has."""
    which = getattr(resource, f"RLIMIT_{name}", None)
    if which is None:
        return
    now = resource.prlimit(pid, which)[1] if pid else resource.getrlimit(which)[1]
    if now != resource.RLIM_INFINITY:
        soft, hard = min(soft, now), min(hard, now)
    if pid:
        resource.prlimit(pid, which, (soft, hard))
    else:
        resource.setrlimit(which, (soft, hard))


def close_the_rest() -> None:
    """Let no descriptor but the first three pass to the bot; the pipe of errors is one such."""
    if linux.close_on_exec(3):
        return
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            if int(name) > 2:
                os.set_inheritable(int(name), False)


def _clock_ns(pid: int) -> int:
    try:
        return time.clock_gettime_ns((~pid) << 3 | 2)
    except OSError:
        return 0
