"""Turn a bot's limits into what the kernel takes, and say what its environment is in a cage."""

from __future__ import annotations

import os
import re

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.sandbox.interface import Launch

__all__ = ["MB", "PATH", "by_user", "check", "environment", "resources", "variable"]

MB = 1 << 20
PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a caged bot finds programs."""

_LEAST = {"memory_mb": 16, "processes": 1, "open_files": 64, "file_mb": 1, "tmp_mb": 1, "shm_mb": 1}


def check(launch: Launch) -> None:
    """Refuse limits under which nothing can start, and words that are not what they seem."""
    if any("\0" in word for word in (*launch.command, *launch.env.values())):
        raise InputError("a bot's command and its variables can't hold the character NUL")
    for name in launch.env:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise InputError(f"a variable can't be named {name!r}", "use letters, digits and `_`")
    for name, least in _LEAST.items():
        value = getattr(launch.limits, name)
        if value < least:
            raise InputError(f"the limit {name} = {value} is too small", f"allow at least {least}")
    for runtime in launch.runtimes:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", runtime.name):
            raise InputError(
                f"a runtime can't be named {runtime.name!r}", "use letters, digits, `.`, `_`, `-`"
            )
        if not os.path.isdir(runtime.path):
            raise NotPossibleHere(
                f"the runtime {runtime.name} should be in `{runtime.path}`, which is no directory",
                "put it there, or correct its path in the settings",
            )


def resources(launch: Launch) -> dict[str, tuple[int, int]]:
    """Return soft and hard resource limits by name.

    RLIMIT_DATA, not RLIMIT_AS: node and java reserve gigabytes that they never touch.
    """
    limits = launch.limits
    both = {
        "CORE": 0,
        "DATA": limits.memory_mb * MB,
        "FSIZE": limits.file_mb * MB,
        "NOFILE": limits.open_files,
        "MSGQUEUE": 0,
        "NICE": 0,
        "RTPRIO": 0,
    }
    found = {name: (value, value) for name, value in both.items()}
    found["STACK"] = (8 * MB, 64 * MB)
    if limits.cpu_s is not None:
        found["CPU"] = (limits.cpu_s, limits.cpu_s + 1)  # SIGXCPU, then SIGKILL
    return found


def by_user(processes: int) -> dict[str, tuple[int, int]]:
    """Return the limits on what the kernel counts by user.

    They must be set in a namespace that holds but one bot: set before, they bound all of a user's
    bots together, and one could starve the others.
    """
    found = {"MEMLOCK": 64 << 10, "NPROC": processes, "SIGPENDING": 1024}
    return {name: (value, value) for name, value in found.items()}


def environment(launch: Launch, arena: str, home: str, runtimes: dict[str, str]) -> dict[str, str]:
    """Return everything that a caged bot finds in its environment.

    `RUNTIME_NAME` says where a runtime lies: only where there are mounts is that /runtime/NAME.
    """
    return {
        "PATH": PATH,
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONPATH": arena,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "MALLOC_ARENA_MAX": "2",
        **{variable(name): path for name, path in runtimes.items()},
        **launch.env,
    }


def variable(runtime: str) -> str:
    """Name the variable that tells where a runtime lies."""
    return "RUNTIME_" + re.sub(r"[^A-Za-z0-9]", "_", runtime).upper()
