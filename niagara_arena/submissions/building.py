"""Build a submission in the cage, once for each content and toolchain.

The commands of `build` run one after another in a writable copy of the staged files, with fork,
larger limits and no network. What they leave behind is copied, as carefully as what strangers hand
in, into a read-only directory of the cache.

A build is found again by its key: the files, the commands, the runtimes, the level of isolation,
the machine's kind, and which compilers stand in PATH (path, size and time of each), since an
update of the compiler makes another program. A failed build is not kept: the next try may have
more luck or another compiler.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import select
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from niagara_arena.errors import ArenaError, InputError
from niagara_arena.records import Limits
from niagara_arena.sandbox import Backend, Launch, Process, Runtime
from niagara_arena.submissions.names import quoted
from niagara_arena.submissions.runtimes import runtime_digest
from niagara_arena.submissions.staging import (
    BUILT_CAPS,
    copy_of,
    new_folder,
    publish,
    remove_tree,
)
from niagara_arena.submissions.submission import Submission
from niagara_arena.submissions.tree import read_tree

__all__ = ["BUILD_LIMITS", "BUILD_SECONDS", "BuildFailed", "Built", "build", "build_key"]

BUILD_LIMITS = Limits(
    memory_mb=4096, processes=512, open_files=4096, file_mb=512, tmp_mb=1024, shm_mb=64, cpu_s=600
)
"""What a compiler may use: enough for cargo, go and javac."""

BUILD_SECONDS = 300.0
"""Wall time for all commands of a build together."""

OUTPUT_BYTES = 256 * 1024
"""How much of the compiler's words is kept, from the beginning: the first error counts."""

_TOOLS = (
    *("cc", "c++", "gcc", "g++", "clang", "clang++", "ld", "as", "make", "cmake"),
    *("rustc", "cargo", "go", "javac", "java", "kotlinc", "dotnet", "ghc", "zig", "nim"),
    *("node", "npm", "tsc", "python3", "sh"),
)

Listener = Callable[[bytes], None]


class BuildFailed(ArenaError):
    """Say that a submission can't be built, in the compiler's words."""

    output: str
    """What the build printed, capped."""

    def __init__(self, message: str, output: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.args = (message, output, hint)  # what a copy or a pickle is rebuilt from
        self.output = output

    def __str__(self) -> str:
        return f"{self.message}\n\n{self.output.rstrip()}" if self.output.strip() else self.message


class Built(Struct, frozen=True):
    """Describe a build in the cache."""

    digest: str
    """What the built files hash to."""
    output: str
    seconds: float


def build_key(submission: Submission, level: str, runtimes: Mapping[str, str]) -> str:
    """Return the name under which the cache keeps this build; `runtimes` are digests by name."""
    parts = [
        "niagara-build 1",
        submission.tree.digest,
        submission.build,
        level,
        sorted(runtimes.items()),
        platform.machine(),
        list(_toolchain()),
    ]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def build(
    submission: Submission,
    staged: Path,
    backend: Backend,
    cache: Path,
    *,
    runtimes: tuple[Runtime, ...] = (),
    limits: Limits = BUILD_LIMITS,
    seconds: float = BUILD_SECONDS,
    listener: Listener | None = None,
) -> tuple[Path, Built]:
    """Return the directory of the built files, from the cache if they are there.

    `listener` is handed the output while it comes. Raises `BuildFailed`.
    """
    digests = {runtime.name: runtime_digest(runtime, cache) for runtime in runtimes}
    key = build_key(submission, backend.level, digests)
    final = cache / "built" / key
    note = cache / "built" / f"{key}.json"
    with _alone(cache / "built" / f"{key}.lock"):
        found = _found(final, note)
        if found is not None:
            return final, found
        with _workshop(staged, cache) as work:
            began = time.monotonic()
            launches = [
                Launch(str(work), argv, limits, runtimes=runtimes, writable=True)
                for argv in submission.build
            ]
            output = _run_all(submission, launches, backend, began + seconds, listener)
            built = _keep(submission, work, final, output, time.monotonic() - began)
        fresh = note.with_suffix(".new")
        fresh.write_bytes(msgspec.json.encode(built))
        os.replace(fresh, note)
        return final, built


def _toolchain() -> Iterator[tuple[str, str, int, int]]:
    for tool in _TOOLS:
        found = shutil.which(tool)
        if found:
            path = os.path.realpath(found)
            status = os.stat(path)
            yield tool, path, status.st_size, status.st_mtime_ns


def _found(final: Path, note: Path) -> Built | None:
    try:
        built = msgspec.json.decode(note.read_bytes(), type=Built)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    if not copy_of(final, built.digest, BUILT_CAPS):
        return None
    os.utime(note)  # `clean` goes by the time of last use
    return built


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other worker builds the same."""
    with open(lock, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _workshop(staged: Path, cache: Path) -> Iterator[Path]:
    """Give a copy of the staged files that the build's user may write to."""
    with new_folder(cache / "work" / "any") as outer:
        outer.chmod(0o711)
        work = outer / "bot"
        shutil.copytree(staged, work, symlinks=True)
        others = 0o777 if os.geteuid() == 0 else 0o700  # as root, a build runs as another user
        for folder, _, files in os.walk(work):
            os.chmod(folder, others)
            for name in files:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    os.chmod(path, others & (0o777 if os.access(path, os.X_OK) else 0o666))
        try:
            yield work
        finally:
            remove_tree(work)


def _run_all(
    submission: Submission,
    launches: list[Launch],
    backend: Backend,
    deadline: float,
    listener: Listener | None,
) -> str:
    kept = bytearray()

    def hear(piece: bytes) -> None:
        kept.extend(piece[: max(0, OUTPUT_BYTES - len(kept))])
        if listener is not None:
            listener(piece)

    for launch in launches:
        process = backend.start(launch)
        try:
            trouble = _run(process, deadline, hear)
        finally:
            process.close()
        if trouble:
            raise BuildFailed(
                f"the build of {quoted(submission.label)} failed: "
                f"`{shlex.join(launch.command)}`: {trouble}",
                kept.decode("utf-8", "replace"),
                "builds have no network: bring along what it needs, or ask for a runtime"
                if b"resolve" in kept or b"network" in kept.lower()
                else None,
            )
    return kept.decode("utf-8", "replace")


def _run(process: Process, deadline: float, hear: Listener) -> str | None:
    """Drain a build's output until it ends; say what went wrong, if anything did."""
    streams = {process.stdout, process.stderr}
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return "out of time"
        if process.over_memory():
            return "out of memory"
        ready, _, _ = select.select(list(streams), (), (), min(left, 0.05))
        for stream in ready:
            piece = _read(stream)
            if piece:
                hear(piece)
            elif piece is not None:
                streams.discard(stream)
        ended = process.poll()
        if ended is not None and not ready:
            if ended.memory:
                return "out of memory"
            return None if ended.code == 0 else ended.detail


def _read(stream: int) -> bytes | None:
    """Read what is there: empty at the end, None if nothing is there after all."""
    try:
        return os.read(stream, 65536)
    except BlockingIOError:
        return None


def _keep(submission: Submission, work: Path, final: Path, output: str, seconds: float) -> Built:
    with new_folder(final) as fresh:
        try:
            tree = read_tree(work, (), BUILT_CAPS, fresh, canonical=False, links="any")
        except InputError as error:
            raise BuildFailed(
                f"the build of {quoted(submission.label)} left something behind that can't be "
                f"kept: {error.message}",
                output,
            ) from None
        publish(fresh, final, tree.digest, BUILT_CAPS)
    return Built(tree.digest, output, round(seconds, 3))
