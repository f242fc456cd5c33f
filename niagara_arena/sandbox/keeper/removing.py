"""Unlock and remove what strangers' programs leave: locked, nested without end, full of links."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
from collections.abc import Iterator

__all__ = ["remove_tree", "unlock"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def remove_tree(folder: str | os.PathLike[str]) -> None:
    """Remove a folder, read-only ones in it included; no matter if it is gone already.

    A build may have nested folders deeper than any path or recursion goes. So each is moved to the
    top before it is emptied.
    """
    if not os.path.isdir(folder) or os.path.islink(folder):
        return
    unlock(os.fspath(folder), None, 0o700)
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
            unlock(name, handle, 0o700)
            moved.append(next(unused))
            os.rename(name, moved[-1], src_dir_fd=handle, dst_dir_fd=top)
        else:
            os.unlink(name, dir_fd=handle)
    return moved


def unlock(name: str, parent: int | None, bits: int) -> None:
    """Give the owner of a file or folder these permissions; no link is followed.

    A stranger may have put a link in its place meanwhile.
    """
    by_path = getattr(os, "O_PATH", 0)  # without it, what may not be read can't be opened
    flags = by_path or os.O_RDONLY | os.O_NONBLOCK
    try:
        handle = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    except OSError:  # a link, or gone
        return
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
            with contextlib.suppress(PermissionError):  # not ours: then we are root and may anyway
                place = f"/proc/self/fd/{handle}" if by_path else handle
                os.chmod(place, stat.S_IMODE(mode) | bits)
    finally:
        os.close(handle)
