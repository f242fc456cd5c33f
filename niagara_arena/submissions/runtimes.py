"""Runtimes: the organiser's named, read-only directories that a bot.toml may ask for.

A venv with numpy, node modules, a newer JDK. They are named in a TOML file, which the environment
variable NIAGARA_RUNTIMES points to:

    [runtimes]
    numpy = "/srv/runtimes/numpy"

A bot that asks for `runtime = "numpy"` may name /runtime/numpy/… in its commands, at every level of
isolation, and finds the place in the variable RUNTIME_NUMPY. What a runtime holds
decides how a bot plays, so its hash belongs to the facts of a tournament. Hashing some hundred
megabytes takes a while; the hash is kept in the cache with the list of paths, sizes and times it
was made from, and made anew when that list changes.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.sandbox import Runtime, fingerprint
from niagara_arena.submissions.names import quoted, suggestion
from niagara_arena.submissions.staging import default_cache, open_cache, unreachable
from niagara_arena.submissions.submission import Submission

__all__ = [
    "offered_runtimes",
    "parse_runtime",
    "read_runtimes",
    "resolve_runtimes",
    "runtime_digest",
]

VARIABLE = "NIAGARA_RUNTIMES"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_LEFT_OUT = ("__pycache__",)


class _Known(Struct, frozen=True):
    """Keep a hash with the signature of what it was made from."""

    signature: str
    digest: str


def offered_runtimes() -> dict[str, Runtime]:
    """Return the runtimes of the file that NIAGARA_RUNTIMES names; none without it."""
    named = os.environ.get(VARIABLE)
    return read_runtimes(Path(named)) if named else {}


def read_runtimes(file: Path) -> dict[str, Runtime]:
    """Return the runtimes that a TOML file offers; relative paths start at its folder."""
    try:
        table = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise NotPossibleHere(
            f"the list of runtimes {quoted(str(file))} can't be read: {error.strerror}",
            f"correct {VARIABLE}",
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{quoted(str(file))} is no TOML: {str(error).lower()}",
            "`niagara docs bot-toml` says how runtimes are offered",
        ) from None
    unknown = [key for key in table if key != "runtimes"]
    listed = table.get("runtimes", {})
    if unknown or not isinstance(listed, dict):
        what = f"unknown key {quoted(unknown[0])}" if unknown else "`runtimes` is no table"
        raise InputError(f"{file}: {what}", 'write `[runtimes]`, then lines as `numpy = "/path"`')
    runtimes = {}
    for name, path in listed.items():
        if not _NAME.fullmatch(name) or not isinstance(path, str) or not path:
            raise InputError(
                f"{file}: {quoted(name)} is no runtime",
                'name (a to z, 0 to 9, - and _) and path: `numpy = "/srv/numpy"`',
            )
        runtimes[name] = Runtime(name, str((file.parent / path).resolve()))
    return runtimes


def parse_runtime(text: str) -> Runtime:
    """Return the runtime that a word of a command line names: ``NAME=DIR``."""
    name, sign, path = text.partition("=")
    if not (_NAME.fullmatch(name) and sign and path):
        raise InputError(
            f"{quoted(text)} is no runtime",
            "give a name (a to z, 0 to 9, - and _) and a directory: NAME=DIR",
        )
    return Runtime(name, os.path.abspath(path))


def resolve_runtimes(submission: Submission, offered: Mapping[str, Runtime]) -> tuple[Runtime, ...]:
    """Return the runtimes that a submission asks for; refuse what is not offered or readable."""
    found = []
    for name in submission.runtimes:
        if name not in offered:
            names = ", ".join(f"`{each}`" for each in sorted(offered)) or "none"
            raise NotPossibleHere(
                f"{quoted(submission.label)} asks for the runtime {quoted(name)}, "
                "which is not offered here",
                suggestion(name, offered, f"offered by {VARIABLE}: {names}"),
            )
        _check_readable(offered[name])
        found.append(offered[name])
    return tuple(found)


def runtime_digest(runtime: Runtime, cache: Path | None = None) -> str:
    """Return 64 hex digits that stand for a runtime's files; quick if nothing has changed."""
    _check_readable(runtime)
    place = open_cache(cache or default_cache()) / "runtimes"
    place.mkdir(mode=0o700, exist_ok=True)
    note = place / f"{hashlib.sha256(os.fsencode(runtime.path)).hexdigest()}.json"
    signature = _signature(Path(runtime.path))
    try:
        known = msgspec.json.decode(note.read_bytes(), type=_Known)
    except (FileNotFoundError, msgspec.DecodeError):
        known = _Known("", "")
    if known.signature == signature:
        return known.digest
    digest = fingerprint(Path(runtime.path))
    fresh = note.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(msgspec.json.encode(_Known(signature, digest)))
    os.replace(fresh, note)
    return digest


def _check_readable(runtime: Runtime) -> None:
    path = Path(runtime.path)
    if not path.is_dir():
        raise NotPossibleHere(
            f"the runtime `{runtime.name}` is no directory: {quoted(runtime.path)}",
            f"correct the file that {VARIABLE} names",
        )
    if not os.access(path, os.R_OK | os.X_OK):
        raise NotPossibleHere(
            f"the runtime `{runtime.name}` can't be read: {quoted(str(path))}",
            "see that it exists and may be read",
        )
    if os.geteuid() != 0:
        return
    closed = unreachable(path)
    if closed is None and not path.stat().st_mode & stat.S_IROTH:
        closed = path
    if closed is not None:
        raise NotPossibleHere(
            f"bots run as another user, who can't read the runtime `{runtime.name}`: "
            f"{quoted(str(closed))} is closed",
            f"`chmod o+rx {closed}`, or move the runtime to where everybody can read it",
        )


def _signature(root: Path) -> str:
    """Hash paths, sizes and times of everything below, without reading any file."""
    lines = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(files):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            lines.append(
                f"{os.path.relpath(path, root)}\0{status.st_mode}\0{status.st_size}\0"
                f"{status.st_mtime_ns}\0{status.st_ctime_ns}\n"
            )
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
