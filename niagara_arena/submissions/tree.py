"""Read the files of a directory that strangers wrote; hash and copy them.

Laws kept here:

- Nothing outside the directory is read: no symbolic link is followed, and what was looked at is
  what is opened (O_NOFOLLOW, fstat), even if the directory changes meanwhile.
- Only regular files and links to files inside are accepted, with names that can be shown, within
  the caps. Anything else is refused before a byte of it is read.
- What is hashed is what is copied. Both are the *canonical form*: CRLF in text files becomes LF,
  and of all permissions only the owner's executable bit of a program (`#!` or ELF) is kept.
- The hash depends on paths and canonical content alone, not on order, times, owners, umask, empty
  directories or the machine.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

from msgspec import Struct

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.sandbox.keeper.removing import unlock
from niagara_arena.submissions.names import quoted, trouble_with_path

__all__ = ["ALWAYS_LEFT_OUT", "BUILD_OUTPUTS", "Caps", "Entry", "Tree", "left_out", "read_tree"]

ALWAYS_LEFT_OUT = (
    *(".git", ".hg", ".svn", ".idea", ".vscode", ".DS_Store", "Thumbs.db", "desktop.ini"),
    *("__pycache__", "*.pyc", "*.pyo", ".mypy_cache", ".pytest_cache", ".ruff_cache"),
    *(".venv", "venv", "*~", "*.swp"),
)
"""Never part of a submission: version control, editors, caches, environments that can't move."""

BUILD_OUTPUTS = ("target", "build", "dist", "out", "*.o", "*.obj", "*.class", "*.exe")
"""Not part of a submission that has a `build`, which writes them anew."""

_TEXT_BYTES = 1 << 20
"""A longer file is data, whatever is in it."""
_CHUNK = 1 << 20
_FORMAT = b"niagara-tree 1\n"
_READING = {stat.S_IFDIR: 0o500, stat.S_IFREG: 0o400}
"""What an owner needs to read something."""


class Caps(Struct, frozen=True):
    """Say how much a directory may hold."""

    files: int = 5_000
    file_bytes: int = 64 << 20
    total_bytes: int = 128 << 20
    depth: int = 32


class Entry(Struct, frozen=True):
    """Describe one file or link in canonical form."""

    path: str
    """Relative, with slashes."""
    kind: str
    """``file``, ``program`` (executable) or ``link``."""
    size: int
    digest: str
    """SHA-256 of the content, or of a link's target."""
    target: str = ""
    """Where a link points to."""


class Tree(Struct, frozen=True):
    """Describe a directory in canonical form."""

    entries: tuple[Entry, ...]
    """In order of their paths' bytes."""

    @property
    def digest(self) -> str:
        """Return 64 hex digits that stand for names and content."""
        whole = hashlib.sha256(_FORMAT)
        for entry in self.entries:  # no path holds a newline, so lines can't be confused
            whole.update(f"{entry.kind} {entry.digest} {entry.path}\n".encode())
        return whole.hexdigest()

    @property
    def total_bytes(self) -> int:
        """Return the size of all content."""
        return sum(entry.size for entry in self.entries)

    def get(self, path: str) -> Entry | None:
        """Return the entry of that path."""
        return next((entry for entry in self.entries if entry.path == path), None)


def left_out(path: str, patterns: Sequence[str]) -> bool:
    """Tell whether a relative path is left out; a pattern without a slash fits at any depth."""
    name = posixpath.basename(path)
    for pattern in patterns:
        plain = pattern.rstrip("/").removeprefix("./")
        if fnmatchcase(path if "/" in plain else name, plain):
            return True
    return False


def read_tree(
    root: Path,
    patterns: Sequence[str] = ALWAYS_LEFT_OUT,
    caps: Caps | None = None,
    into: Path | None = None,
    *,
    canonical: bool = True,
    links: str = "inside",
    locked: bool = False,
) -> Tree:
    """Hash the files below `root` and, if asked, copy them into the empty directory `into`.

    `canonical=False` takes bytes and executable bits as they are, for what a build made.
    `links` is ``inside`` (others are refused) or ``any``: kept as they are, never followed.
    `locked=True` unlocks what its owner, who must be this user, has locked.
    Raises `InputError` for what can't be accepted; `into` may then be half full.
    """
    reader = _Reader(patterns, caps or Caps(), into, canonical, locked)
    if locked:
        unlock(str(root), None, _READING[stat.S_IFDIR])
    with _directory(root) as top:
        reader.walk(top, "")
    entries = sorted(reader.entries, key=lambda entry: entry.path.encode())
    if links == "inside":
        _check_links(entries)
    return Tree(tuple(entries))


class _Reader:
    """Walk one directory; holds what was found so far."""

    def __init__(
        self,
        patterns: Sequence[str],
        caps: Caps,
        into: Path | None,
        canonical: bool,
        locked: bool,
    ) -> None:
        self.patterns = patterns
        self.caps = caps
        self.into = into
        self.canonical = canonical
        self.locked = locked
        self.entries: list[Entry] = []
        self.total = 0

    def walk(self, directory: int, prefix: str) -> None:
        """Read the directory open as `directory`; `prefix` is its path with a slash, or empty."""
        if prefix.count("/") > self.caps.depth:
            raise InputError(
                f"{quoted(prefix)} is nested more than {self.caps.depth} deep",
                "leave out what the bot does not need to play",
            )
        with os.scandir(directory) as found:
            names = sorted(item.name for item in found)
        for name in names:
            path = prefix + name
            if left_out(path, self.patterns):
                continue
            trouble = trouble_with_path(name)
            if trouble:
                raise InputError(f"the file name {quoted(path)} {trouble}", "rename it")
            self._take(directory, name, path)

    def _take(self, directory: int, name: str, path: str) -> None:
        status = os.lstat(name, dir_fd=directory)
        kind = stat.S_IFMT(status.st_mode)
        needed = _READING.get(kind, 0)
        if self.locked and status.st_mode & needed != needed:
            unlock(name, directory, needed)
        if kind == stat.S_IFDIR:
            self._descend(directory, name, path)
            return
        if len(self.entries) >= self.caps.files:
            raise InputError(
                f"there are more than {self.caps.files} files",
                "give the bot a directory of its own, or leave files out by `exclude` in bot.toml",
            )
        if kind == stat.S_IFLNK:
            target = os.readlink(name, dir_fd=directory)
            digest = hashlib.sha256(os.fsencode(target)).hexdigest()
            self.entries.append(Entry(path, "link", 0, digest, target))
            if self.into is not None:
                os.symlink(target, self.into / path)
        elif kind == stat.S_IFREG:
            self._check_size(path, status.st_size)
            self._read(directory, name, path)
        else:
            raise InputError(f"{quoted(path)} is {_KINDS.get(kind, 'no file')}", "remove it")

    def _descend(self, directory: int, name: str, path: str) -> None:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        with _opened(name, flags, directory, path) as inner:
            if self.into is not None:
                (self.into / path).mkdir()
            before = len(self.entries)
            self.walk(inner, f"{path}/")
            if self.into is not None and len(self.entries) == before:
                (self.into / path).rmdir()  # empty directories are no part of a tree

    def _check_size(self, path: str, size: int) -> None:
        if size > self.caps.file_bytes:
            raise InputError(
                f"{quoted(path)} has {_megabytes(size)}, and {_megabytes(self.caps.file_bytes)} "
                "are allowed for one file",
                "leave out what the bot does not need to play",
            )
        if self.total + size > self.caps.total_bytes:
            raise InputError(
                f"the files have more than {_megabytes(self.caps.total_bytes)} together",
                "leave out by `exclude` in bot.toml what the bot does not need",
            )

    def _read(self, directory: int, name: str, path: str) -> None:
        # O_NONBLOCK: should the file have become a FIFO by now, opening it must not wait.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with _opened(name, flags, directory, path) as file:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise _changed(path)
            self._check_size(path, status.st_size)
            head, rest = self._content(file, status.st_size, path)
            program = bool(status.st_mode & stat.S_IXUSR)
            if self.canonical:
                program = program and head.startswith((b"#!", b"\x7fELF"))
            self._store(path, head, rest, program)
        self.total += status.st_size

    def _content(self, file: int, size: int, path: str) -> tuple[bytes, Iterator[bytes]]:
        """Return the first bytes in canonical form, and the rest of a long file piece by piece."""
        head = b""
        while len(head) < min(size, _TEXT_BYTES):
            piece = os.read(file, min(size, _TEXT_BYTES) - len(head))
            if not piece:
                raise _changed(path)
            head += piece
        if size <= _TEXT_BYTES and self.canonical and b"\r\n" in head and _is_text(head):
            head = head.replace(b"\r\n", b"\n")

        def rest() -> Iterator[bytes]:
            left = size - _TEXT_BYTES
            while left > 0:
                piece = os.read(file, min(left, _CHUNK))
                if not piece:
                    raise _changed(path)
                left -= len(piece)
                yield piece

        return head, rest()

    def _store(self, path: str, head: bytes, rest: Iterator[bytes], program: bool) -> None:
        digest, size = hashlib.sha256(), 0
        with ExitStack() as stack:
            write: Callable[[bytes], object] = len
            if self.into is not None:
                copy = stack.enter_context(open(self.into / path, "xb"))
                os.fchmod(copy.fileno(), 0o555 if program else 0o444)
                write = copy.write
            for piece in chain((head,), rest):
                digest.update(piece)
                size += len(piece)
                write(piece)
        kind = "program" if program else "file"
        self.entries.append(Entry(path, kind, size, digest.hexdigest()))


_KINDS = {
    stat.S_IFIFO: "a named pipe (FIFO)",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def _check_links(entries: Sequence[Entry]) -> None:
    """Refuse links that lead out of the directory, to nothing, or in a circle."""
    links = {entry.path: entry.target for entry in entries if entry.kind == "link"}
    inside = {entry.path for entry in entries if entry.kind != "link"}
    folders = {"/".join(p.split("/")[:n]) for p in inside for n in range(1, p.count("/") + 1)}
    for start, target in links.items():
        trouble = _follow(start, links, inside | folders)
        if trouble:
            raise InputError(
                f"the symbolic link {quoted(start)} to {quoted(target)} {trouble}",
                "put a copy of the file there instead",
            )


def _follow(start: str, links: dict[str, str], real: set[str]) -> str | None:
    """Walk a link part by part, as the kernel would, without touching the disk."""
    done: list[str] = []
    todo = start.split("/")
    hops = 0
    while todo:
        part = todo.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            if not done:
                return "leads out of the submission"
            done.pop()
            continue
        done.append(part)
        target = links.get("/".join(done))
        if target is None:
            continue
        hops += 1
        if target.startswith("/"):
            return "leads out of the submission"
        if hops > 40:
            return "leads in a circle"
        done.pop()
        todo = target.split("/") + todo
    return None if not done or "/".join(done) in real else "leads to nothing"


@contextmanager
def _directory(root: Path) -> Iterator[int]:
    try:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotPossibleHere(
            f"there is no directory {quoted(str(root))}", "name a folder with a `bot.toml`"
        ) from None
    except NotADirectoryError:
        raise InputError(
            f"{quoted(str(root))} is no directory", "name a folder with a `bot.toml`"
        ) from None
    except PermissionError:
        raise NotPossibleHere(
            f"the directory {quoted(str(root))} can't be read", "see who may read it: `ls -ld`"
        ) from None
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _opened(name: str, flags: int, directory: int, path: str) -> Iterator[int]:
    try:
        handle = os.open(name, flags, dir_fd=directory)
    except PermissionError:
        raise NotPossibleHere(
            f"{quoted(path)} can't be read", f"let it be read: `chmod u+r {path}`"
        ) from None
    except OSError:  # gone, or a link by now
        raise _changed(path) from None
    try:
        yield handle
    finally:
        os.close(handle)


def _is_text(data: bytes) -> bool:
    if b"\0" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _changed(path: str) -> InputError:
    return InputError(f"{quoted(path)} changed while it was read", "try again")


def _megabytes(size: int) -> str:
    return f"{size / (1 << 20):,.0f} MB"
