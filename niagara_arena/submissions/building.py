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
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.sandbox import Backend, Launch, Process, Runtime
from niagara_arena.submissions.names import quoted
from niagara_arena.submissions.programs import is_program, missing_hint, placed
from niagara_arena.submissions.runtimes import runtime_digest
from niagara_arena.submissions.staging import (
    BUILT_CAPS,
    copy_of,
    new_folder,
    publish,
    remove_tree,
)
from niagara_arena.submissions.submission import Submission
from niagara_arena.submissions.tree import Caps, read_tree

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

HIDDEN_SHARE = 8
"""A build may hide what it writes: in files without a name, in locked folders, in a tmp that is on
disk. So it is ended, too, when the disk has meanwhile lost this many times what it may leave, or
half of what was free. Less than that may be the doing of others."""

_TICK_S = 0.05
_LOOK_S = 0.5

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
    caps: Caps = BUILT_CAPS,
    listener: Listener | None = None,
    on_build: Callable[[], None] | None = None,
) -> tuple[Path, Built]:
    """Return the directory of the built files, from the cache if they are there.

    `on_build` is called when they are not, and `listener` handed the output while it comes.
    Raises `BuildFailed`, or `NotPossibleHere` if this machine has not got the compiler.
    """
    _check_tools(submission, runtimes)
    digests = {runtime.name: runtime_digest(runtime, cache) for runtime in runtimes}
    key = build_key(submission, backend.level, digests)
    final = cache / "built" / key
    note = cache / "built" / f"{key}.json"
    with _alone(cache / "built" / f"{key}.lock"):
        found = _found(final, note)
        if found is not None:
            return final, found
        if on_build is not None:
            on_build()
        with _workshop(staged, cache) as work:
            began = time.monotonic()
            launches = [
                Launch(
                    str(work),
                    placed(argv, runtimes, backend.level),
                    limits,
                    runtimes=runtimes,
                    writable=True,
                )
                for argv in submission.build
            ]
            output = _run_all(submission, launches, backend, began + seconds, caps, listener)
            built = _keep(submission, work, final, caps, output, time.monotonic() - began)
        fresh = note.with_suffix(".new")
        fresh.write_bytes(msgspec.json.encode(built))
        os.replace(fresh, note)
        return final, built


def _check_tools(submission: Submission, runtimes: tuple[Runtime, ...]) -> None:
    """Refuse before the first command what a later one would fail for: not the bot's fault."""
    for argv in submission.build:
        tool = argv[0]
        if ("/" in tool and not os.path.isabs(tool)) or submission.tree.get(tool) is not None:
            continue  # its own, or made by a command before
        if not is_program(tool, runtimes):
            raise NotPossibleHere(
                f"{quoted(submission.label)} needs {quoted(tool)} to be built, "
                "which this machine has not",
                missing_hint(tool, "build"),
            )


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
    caps: Caps,
    listener: Listener | None,
) -> str:
    kept = bytearray()

    def hear(piece: bytes) -> None:
        kept.extend(piece[: max(0, OUTPUT_BYTES - len(kept))])
        if listener is not None:
            listener(piece)

    for launch in launches:
        watch = _Watch(Path(launch.directory), caps, deadline)
        try:
            process = backend.start(launch)
        except InputError as error:
            raise BuildFailed(
                f"the build of {quoted(submission.label)} failed: {error.message}",
                kept.decode("utf-8", "replace"),
                error.hint,
            ) from None
        try:
            trouble = _run(process, watch, hear)
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


class _Watch:
    """See to it that a build takes neither too long nor too much of the disk."""

    def __init__(self, work: Path, caps: Caps, deadline: float) -> None:
        self._work = work
        self._caps = caps
        self._deadline = deadline
        self._next_look = 0.0
        self._floors = {}
        """Place → bytes and files that must stay free there."""
        for place in (str(work), tempfile.gettempdir()):
            size, files = _free(place)
            least_size = size - min(size // 2, HIDDEN_SHARE * caps.total_bytes)
            self._floors[place] = least_size, files - min(files // 2, HIDDEN_SHARE * caps.files)

    def trouble(self, process: Process) -> str | None:
        """Say what there is too much of, if anything."""
        now = time.monotonic()
        if now > self._deadline:
            return "out of time"
        if process.over_memory():
            return "out of memory"
        if now > self._next_look:
            found = self._too_much()
            took = time.monotonic() - now
            self._next_look = now + max(_LOOK_S, 20 * took)  # at most a twentieth of our time
            return found
        return None

    def _too_much(self) -> str | None:
        files = size = 0
        waiting = [str(self._work)]
        while waiting:
            with suppress(OSError), os.scandir(waiting.pop()) as entries:  # gone, or locked
                for entry in entries:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        with suppress(OSError):
                            size += entry.stat(follow_symlinks=False).st_blocks * 512
            if files > self._caps.files or size > self._caps.total_bytes:
                return self._words
        for place, floors in self._floors.items():
            if any(left < floor for left, floor in zip(_free(place), floors, strict=True)):
                return self._words
        return None

    @property
    def _words(self) -> str:
        most = self._caps.total_bytes >> 20
        return f"it writes more than {self._caps.files} files or {most} MB"


def _free(place: str) -> tuple[int, int]:
    """Return how many bytes and files the disk still has for us."""
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize, found.f_favail


def _run(process: Process, watch: _Watch, hear: Listener) -> str | None:
    """Drain a build's output until it ends; say what went wrong, if anything did."""
    streams = {process.stdout, process.stderr}
    while True:
        trouble = watch.trouble(process)
        if trouble:
            return trouble
        ready, _, _ = select.select(list(streams), (), (), _TICK_S)
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


def _keep(
    submission: Submission, work: Path, final: Path, caps: Caps, output: str, seconds: float
) -> Built:
    with new_folder(final) as fresh:
        try:
            tree = read_tree(work, (), caps, fresh, canonical=False, links="any", locked=True)
        except ArenaError as error:
            raise BuildFailed(
                f"the build of {quoted(submission.label)} left something behind that can't be "
                f"kept: {error.message}",
                output,
            ) from None
        publish(fresh, final, tree.digest, BUILT_CAPS)
    return Built(tree.digest, output, round(seconds, 3))
