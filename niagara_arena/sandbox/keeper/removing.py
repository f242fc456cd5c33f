"""Remove what strangers' programs leave behind: locked, nested without end, full of links."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator

__all__ = ["remove_tree"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def remove_tree(folder: str | os.PathLike[str]) -> None:
    """Remove a folder, read-only ones in it included; no matter if it is gone already.

    A build may have nested folders deeper than any path or recursion goes. So each is moved to the
    top before it is emptied.
    """
    if not os.path.isdir(folder) or os.path.islink(folder):
        return
    _unlock(os.fspath(folder), None)
    unused = (f"{os.getpid()}-{os.urandom(8).hex()}" for _ in itertools.count())
    top = os.open(folder, _FOLDER)
    try:
        waiting = _clear(top, top, unused)
        while waiting:
            name = waiting.pop()
            inner = os.open(name, _FOLDER, dir_fd=top)
            try:
                waiting += _clear(inner, top, unused)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(folder)


def _clear(handle: int, top: int, unused: Iterator[str]) -> list[str]:
    """Remove the files of a folder, move its folders to the top; return their names there."""
    with os.scandir(handle) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    moved = []
    for name, is_folder in found:
        if is_folder:
            _unlock(name, handle)
            moved.append(next(unused))
            os.rename(name, moved[-1], src_dir_fd=handle, dst_dir_fd=top)
        else:
            os.unlink(name, dir_fd=handle)
    return moved


def _unlock(name: str, parent: int | None) -> None:
    """Let us into a directory; a link in its place, which a stranger may put there, stays shut."""
    by_path = getattr(os, "O_PATH", 0)  # without it, what may not be read can't be opened
    flags = by_path or os.O_RDONLY
    try:
        handle = os.open(name, flags | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    except OSError:  # a link, or gone
        return
    try:
        with contextlib.suppress(PermissionError):  # not ours: then we are root and may anyway
            os.chmod(f"/proc/self/fd/{handle}" if by_path else handle, 0o700)
    finally:
        os.close(handle)
