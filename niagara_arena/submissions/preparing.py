"""From a submission to something that can be started: staged, built, its command checked.

`prepare` is all that `play` and tournaments need: it ends with a `Ready`, whose `launch` the
sandbox starts. Whatever is missing (an interpreter, a file, an executable bit) is told before
anything runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.sandbox import Backend, Launch, Runtime
from niagara_arena.submissions.building import Listener, build
from niagara_arena.submissions.names import quoted, suggestion
from niagara_arena.submissions.programs import is_program, missing_hint, placed
from niagara_arena.submissions.runtimes import offered_runtimes, resolve_runtimes
from niagara_arena.submissions.staging import (
    BUILT_CAPS,
    default_cache,
    open_cache,
    stage,
    tree_of,
    unreachable,
)
from niagara_arena.submissions.submission import Submission
from niagara_arena.submissions.tree import Tree

__all__ = ["MAX_LIMITS", "Ready", "grant_limits", "prepare"]

MAX_LIMITS = Limits(
    memory_mb=1024, processes=256, open_files=1024, file_mb=256, tmp_mb=256, shm_mb=64
)
"""The most that a bot gets, unless the organiser says otherwise."""

_SOURCES = (".py", ".js", ".mjs", ".cjs", ".jar", ".rb", ".pl", ".lua", ".sh", ".php", ".dll")


class Ready(Struct, frozen=True):
    """Hold what can be started."""

    directory: str
    """Read-only copy of the files, built if there was something to build."""
    command: tuple[str, ...]
    limits: Limits
    runtimes: tuple[Runtime, ...] = ()
    multi_process: bool = False
    output: str = ""
    """What the build printed."""

    def launch(self, *, core: int | None = None, env: dict[str, str] | None = None) -> Launch:
        """Return what the sandbox starts."""
        return Launch(
            directory=self.directory,
            command=self.command,
            limits=self.limits,
            env=env or {},
            runtimes=self.runtimes,
            multi_process=self.multi_process,
            core=core,
        )


def prepare(
    submission: Submission,
    backend: Backend,
    cache: Path | None = None,
    *,
    offered: Mapping[str, Runtime] | None = None,
    maximum: Limits = MAX_LIMITS,
    listener: Listener | None = None,
    on_build: Callable[[], None] | None = None,
) -> Ready:
    """Stage the submission, build it in the cage if it has a build, and check its command.

    Uses the cache's copy where there is one. `offered` are the runtimes that bots may ask for, by
    name: those of NIAGARA_RUNTIMES if left out. `on_build` is called before a build that is not in
    the cache. Raises `BuildFailed`, `InputError` or `NotPossibleHere`.
    """
    limits = grant_limits(submission, maximum)
    runtimes = resolve_runtimes(submission, offered_runtimes() if offered is None else offered)
    place = open_cache(cache or default_cache())
    if os.geteuid() == 0 and backend.level != "none" and (closed := unreachable(place)):
        raise NotPossibleHere(
            f"bots run as another user, who can't enter {quoted(str(closed))}",
            "name a folder that everybody can enter by NIAGARA_CACHE, such as /var/tmp/niagara",
        )
    folder = stage(submission, place)
    output = ""
    if submission.build:
        folder, built = build(
            submission,
            folder,
            backend,
            place,
            runtimes=runtimes,
            listener=listener,
            on_build=on_build,
        )
        output = built.output
    _check_command(submission, folder, runtimes)
    return Ready(
        directory=str(folder),
        command=placed(submission.run, runtimes, backend.level),
        limits=limits,
        runtimes=runtimes,
        multi_process=submission.multi_process,
        output=output,
    )


def grant_limits(submission: Submission, maximum: Limits = MAX_LIMITS) -> Limits:
    """Return the limits that the submission asks for; refuse more than the organiser allows."""
    for name in ("memory_mb", "processes", "open_files", "file_mb", "tmp_mb", "shm_mb"):
        asked, allowed = getattr(submission.limits, name), getattr(maximum, name)
        if asked > allowed:
            raise InputError(
                f"{quoted(submission.label)} asks for {name} = {asked}, and {allowed} is allowed",
                f"ask for less in bot.toml: `[limits] {name} = {allowed}`",
            )
    return submission.limits


def _check_command(submission: Submission, folder: Path, runtimes: tuple[Runtime, ...]) -> None:
    tree = tree_of(folder, BUILT_CAPS)
    program = submission.run[0]
    inside = tree.get(os.path.normpath(program)) if not os.path.isabs(program) else None
    if inside is not None and inside.kind == "link":
        return  # found by following it, in the cage
    if inside is not None:
        _check_program(submission, inside.kind, folder / inside.path, runtimes)
    elif "/" in program and not os.path.isabs(program):
        raise _not_there(submission, program, tree)
    elif not is_program(program, runtimes):
        raise NotPossibleHere(
            f"{quoted(submission.label)} needs {quoted(program)}, which this machine has not",
            missing_hint(program, "run"),
        )
    for word in submission.run[1:]:
        plain = os.path.normpath(word)
        relative = not os.path.isabs(word) and not word.startswith("-")
        if relative and word.endswith(_SOURCES) and tree.get(plain) is None:
            raise _not_there(submission, word, tree)


def _check_program(
    submission: Submission, kind: str, file: Path, runtimes: tuple[Runtime, ...]
) -> None:
    """Refuse a file that the kernel would not run, or whose interpreter is missing."""
    if kind != "program":
        raise InputError(
            f"{quoted(submission.label)}: {quoted(file.name)} is not executable",
            f"`chmod +x {file.name}`, with `#!` in the first line of a script; "
            "or name the interpreter in `run`",
        )
    with open(file, "rb") as opened:
        first = opened.readline(256)
    if not first.startswith(b"#!"):
        return
    words = first[2:].decode("utf-8", "replace").split()
    by_env = bool(words) and Path(words[0]).name == "env"
    names = [w for w in words[1:] if not w.startswith("-") and "=" not in w] if by_env else words
    if not names or not is_program(names[0], runtimes):
        needed = names[0] if names else "nothing"
        raise NotPossibleHere(
            f"{quoted(submission.label)}: {quoted(file.name)} wants to be run by "
            f"{quoted(needed)}, which this machine has not",
            "install it, or correct the first line of the file",
        )


def _not_there(submission: Submission, word: str, tree: Tree) -> InputError:
    paths = [entry.path for entry in tree.entries]
    after = " after its build" if submission.build else ""
    return InputError(
        f"{quoted(submission.label)}: `run` needs {quoted(word)}, which is not there{after}",
        suggestion(word.removeprefix("./"), paths, "see `run` in its bot.toml"),
    )
