"""The cache of staged and built submissions: read-only copies, named by their content.

Laws kept here:

- A directory of the cache appears under its name only when it is complete (rename), so workers may
  prepare the same submission at the same time.
- What is found there is hashed again before it is used; a copy that differs is made anew.
- Everybody can read it, since bots run as another user when the arena runs as root; nobody can list
  it, and only the arena's user can write to it.

    CACHE/staged/DIGEST/    a submission's files
    CACHE/built/KEY/        its files after its build; KEY.json says what they should hash to
    CACHE/work/             builds that are running
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.sandbox.keeper.removing import remove_tree
from niagara_arena.submissions.names import quoted
from niagara_arena.submissions.submission import Submission
from niagara_arena.submissions.tree import Caps, Tree, read_tree

__all__ = [
    "BUILT_CAPS",
    "Cleaned",
    "clean",
    "copy_of",
    "default_cache",
    "open_cache",
    "publish",
    "remove_tree",
    "stage",
    "unreachable",
]

BUILT_CAPS = Caps(files=50_000, file_bytes=512 << 20, total_bytes=1 << 30, depth=64)
"""What a build may leave behind."""

_FOLDERS = ("staged", "built", "work")
_NEW = ".new-"


def default_cache() -> Path:
    """Return the folder that `NIAGARA_CACHE` names, else the usual one of this user."""
    named = os.environ.get("NIAGARA_CACHE")
    if named:
        return Path(named)
    if os.geteuid() == 0:  # root's home is closed to the user that bots run as
        return Path("/var/tmp/niagara-arena-root")
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "niagara-arena"
    except RuntimeError:  # a user without a home
        return Path(f"/var/tmp/niagara-arena-{os.geteuid()}")


def open_cache(cache: Path) -> Path:
    """Make the cache's folders if need be; refuse one that others could write to."""
    try:
        cache.mkdir(mode=0o711, parents=True, exist_ok=True)
        for folder in _FOLDERS:
            _own_folder(cache / folder)
    except OSError as error:
        raise NotPossibleHere(
            f"the cache {quoted(str(cache))} can't be used: {error.strerror}",
            "name another folder by NIAGARA_CACHE",
        ) from None
    _check_owner(cache)
    return cache.resolve()


def _own_folder(folder: Path) -> None:
    folder.mkdir(mode=0o711, exist_ok=True)
    _check_owner(folder)
    if folder.stat().st_mode & 0o777 != 0o711:  # whatever the umask said
        folder.chmod(0o711)


def _check_owner(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise NotPossibleHere(
            f"the cache {quoted(str(folder))} is not this user's alone to write",
            "remove it, or name another folder by NIAGARA_CACHE",
        )


def unreachable(path: Path) -> Path | None:
    """Return the first directory above `path`, or itself, that other users can't enter."""
    for folder in (*reversed(path.parents), path):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


def stage(submission: Submission, cache: Path) -> Path:
    """Return a read-only copy of the submission's files, made or found in the open cache."""
    final = cache / "staged" / submission.tree.digest
    if copy_of(final, submission.tree.digest):
        return final
    with new_folder(final) as fresh:
        if submission.directory is not None:
            tree = read_tree(submission.directory, submission.patterns, into=fresh)
            if tree.digest != submission.tree.digest:
                raise InputError(
                    f"the files of {quoted(submission.name)} changed while they were read",
                    "try again",
                )
        publish(fresh, final, submission.tree.digest)
    return final


def copy_of(folder: Path, digest: str, caps: Caps | None = None) -> bool:
    """Tell whether the folder is there and holds what the digest stands for; mark it as used."""
    if not folder.is_dir():
        return False
    try:
        tree = tree_of(folder, caps)
    except (InputError, NotPossibleHere):
        return False
    if tree.digest != digest:
        return False
    os.utime(folder)
    return True


def tree_of(folder: Path, caps: Caps | None = None) -> Tree:
    """Read a folder of the cache as it is, nothing left out."""
    return read_tree(folder, (), caps, canonical=False, links="any")


@contextmanager
def new_folder(final: Path) -> Iterator[Path]:
    """Give an empty folder beside `final`; what is not published of it is removed."""
    fresh = Path(tempfile.mkdtemp(prefix=_NEW, dir=final.parent))
    try:
        yield fresh
    finally:
        remove_tree(fresh)


def publish(fresh: Path, final: Path, digest: str, caps: Caps | None = None) -> None:
    """Make a folder read-only and give it its name, unless as good a one has it by now."""
    for folder, _, _ in os.walk(fresh, topdown=False):
        os.chmod(folder, 0o555)
    for _ in range(3):
        try:
            # Both have the same parent: a read-only directory may then be renamed by its owner.
            os.rename(fresh, final)
        except OSError:
            if copy_of(final, digest, caps):  # another worker was quicker
                return
            _remove_spoilt(final)
        else:
            return
    raise NotPossibleHere(f"{quoted(str(final))} can't be replaced", "remove it and try again")


def _remove_spoilt(final: Path) -> None:
    aside = final.parent / f"{_NEW}{secrets.token_hex(8)}"
    with suppress(FileNotFoundError):  # another worker has removed it
        os.rename(final, aside)
        remove_tree(aside)


class Cleaned(Struct, frozen=True):
    """Say what was removed from the cache."""

    folders: int
    bytes: int


def clean(cache: Path, unused_days: float = 30, now: float | None = None) -> Cleaned:
    """Remove what no match has used for so many days, and what broken-off work left behind."""
    moment = time.time() if now is None else now
    folders = size = 0
    for path in [p for f in _FOLDERS if (cache / f).is_dir() for p in (cache / f).iterdir()]:
        days = 1.0 if path.parent.name == "work" or path.name.startswith(_NEW) else unused_days
        if moment - path.lstat().st_mtime < days * 86_400:
            continue
        if path.is_dir() and not path.is_symlink():
            size += sum(p.lstat().st_size for p in path.rglob("*"))
            folders += 1
            remove_tree(path)
        else:
            size += path.lstat().st_size
            path.unlink()
    return Cleaned(folders, size)
