"""Choose a back end: the best that works here, never a weaker one than asked for.

A level is believed in only after a bot has been run at it and has found itself caged. The answer is
kept for the life of the process.
"""

from __future__ import annotations

import functools
import os
import select
import tempfile
import time

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.sandbox import remedies
from niagara_arena.sandbox.bwrap import Bwrap, find_bwrap
from niagara_arena.sandbox.interface import LEVELS, Backend, Launch, Process
from niagara_arena.sandbox.keeper import landlock
from niagara_arena.sandbox.landlocked import Landlocked
from niagara_arena.sandbox.none import NoCage

__all__ = ["Trial", "choose", "trial"]

TRIAL_S = 20.0

# Every line must fail but the last two: reading a file that is not the bot's, writing beside it,
# writing to the system; then the shell may speak, and may not fork.
_SCRIPT = """
{ read x <"$1"; } 2>/dev/null && echo it read a file of the host
{ echo >"$1.new"; } 2>/dev/null && echo it wrote to the host
{ echo >/usr/niagara-trial; } 2>/dev/null && echo it wrote to the system
echo caged
{ ( exit 0 ); } 2>/dev/null && echo it forked
"""


class Trial:
    """Hold what came of trying a level: a back end, or the reason why there is none."""

    def __init__(self, backend: Backend | None, reason: str = "", hint: str = "") -> None:
        self.backend = backend
        self.reason = reason
        self.hint = hint


def choose(asked: str, minimum: str = "none") -> Backend:
    """Return the back end for `auto`, `bwrap`, `landlock` or `none`; at least `minimum`.

    `auto` never means `none`: to play without a cage, ask for it by name.
    """
    for level in (asked if asked != "auto" else "none", minimum):
        if level not in LEVELS:
            raise InputError(
                f"there is no sandbox `{level}`", f"there are auto, {', '.join(reversed(LEVELS))}"
            )
    if asked != "auto" and LEVELS.index(asked) < LEVELS.index(minimum):
        raise NotPossibleHere(
            f"the sandbox `{asked}` is weaker than the `{minimum}` that is required here",
            f"ask for `--sandbox {minimum}`, or lower minimum_sandbox in the settings",
        )
    levels = [asked] if asked != "auto" else ["bwrap", "landlock"]
    levels = [level for level in levels if LEVELS.index(level) >= LEVELS.index(minimum)]
    failed = []
    for level in levels:
        tried = trial(level)
        if tried.backend is not None:
            return tried.backend
        failed.append((level, tried))
    raise NotPossibleHere(
        "no sandbox works here: " + "; ".join(f"{level}: {one.reason}" for level, one in failed),
        failed[0][1].hint or "`niagara doctor` shows what this machine lacks",
    )


@functools.cache
def trial(level: str) -> Trial:
    """Try a level by running a bot at it; remembered for the life of the process."""
    if level == "none":
        return Trial(NoCage())
    if level == "landlock":
        if not landlock.abi():
            return Trial(None, "the kernel has no Landlock", remedies.landlock())
        return _try(Landlocked())
    program = find_bwrap()
    if program is None:
        return Trial(None, "bwrap is not installed", remedies.BWRAP)
    veiled = _try(Bwrap(program))
    return veiled if veiled.backend is not None else _try(Bwrap(program, veil=False))


def _try(backend: Backend) -> Trial:
    with tempfile.TemporaryDirectory(prefix="niagara-") as folder:
        directory = os.path.join(folder, "bot")
        os.mkdir(directory)
        secret = os.path.join(folder, "secret")
        with open(secret, "w", encoding="ascii") as file:
            file.write("x\n")
        for path in (folder, directory):
            os.chmod(path, 0o755)
        command = ("/bin/sh", "-c", _SCRIPT, "sh", secret)
        try:
            process = backend.start(Launch(directory, command, Limits()))
        except ArenaError as error:
            return Trial(None, str(error), remedies.namespaces() or error.hint or "")
        said = _listen(process)
        process.close()
    if said == "caged":
        return Trial(backend)
    return Trial(None, f"a trial bot was not caged: {said!r}", "`niagara doctor` shows more")


def _listen(process: Process) -> str:
    """Return what the trial bot says until it ends or its time is over."""
    end = time.monotonic() + TRIAL_S
    said = b""
    while (left := end - time.monotonic()) > 0:
        ready, _, _ = select.select([process.stdout], [], [], left)
        part = os.read(process.stdout, 4096) if ready else b""
        if not part:
            break
        said += part
    return said.decode("utf-8", "replace").strip()
