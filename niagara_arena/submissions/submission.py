"""A submission: what an author handed in, found by whatever a user calls it.

A reference is a directory with a bot.toml, `@name` for a bundled opponent, or a command in quotes
for a quick try. `load` reads it completely, refuses what is not in order, and runs nothing.

The id of a submission with a manifest is the digest of its tree (see `tree`), manifest included.
A command's id covers its words and the files in the directory it is run in.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.submissions.bundled import bundled_bots
from niagara_arena.submissions.manifest import (
    MANIFEST,
    MAX_MANIFEST_BYTES,
    Manifest,
    asked_limits,
    commands_of,
    parse_manifest,
    runtimes_of,
)
from niagara_arena.submissions.names import quoted, suggestion, trouble_with_name
from niagara_arena.submissions.params import Param, Value, param_values
from niagara_arena.submissions.tree import (
    ALWAYS_LEFT_OUT,
    BUILD_OUTPUTS,
    Tree,
    left_out,
    read_tree,
)

__all__ = ["Submission", "find", "load", "read_manifest", "resolve_params"]


class Submission(Struct, frozen=True):
    """Hold all that is known of a submission before it is staged or built."""

    id: str
    """64 hex digits: the same on every machine for the same content."""
    name: str
    run: tuple[str, ...]
    tree: Tree
    directory: Path | None
    """Where it was read; None for a command that names no file."""
    version: str = ""
    authors: tuple[str, ...] = ()
    language: str = ""
    build: tuple[tuple[str, ...], ...] = ()
    """Commands, in order; empty if there is nothing to build."""
    limits: Limits = Limits()
    """What it asks for."""
    runtimes: tuple[str, ...] = ()
    multi_process: bool = False
    params: dict[str, Param] = {}
    patterns: tuple[str, ...] = ALWAYS_LEFT_OUT
    """What of the directory is no part of it."""

    @property
    def label(self) -> str:
        """Return name and version for messages."""
        return f"{self.name} {self.version}".strip()


def load(reference: str) -> Submission:
    """Find and read the submission that a user means; run nothing.

    Raises `InputError` for what is wrong in it, `NotPossibleHere` if there is none.
    """
    directory = find(reference)
    return _load_directory(directory) if directory is not None else _load_command(reference)


def find(reference: str) -> Path | None:
    """Return the directory that a reference means, None if it is a command.

    Raises `NotPossibleHere` if there is no such bot; looks at nothing inside it.
    """
    if reference.startswith("@"):
        return _find_bundled(reference[1:])
    if reference == "human":
        raise InputError(
            "a person can't play here", "`human` is a bot of `niagara play` only; else say ./human"
        )
    if not reference.strip():
        raise InputError("a bot's name is empty", "give a directory, `@name` or a command")
    path = Path(reference)
    if path.name == MANIFEST and path.is_file():
        path = path.parent
    if path.is_dir():
        return path
    _words(reference)
    return None


def read_manifest(directory: Path) -> Manifest:
    """Read the bot.toml of a directory, and nothing else."""
    return parse_manifest(_manifest_bytes(directory), str(directory / MANIFEST))


def resolve_params(submission: Submission, overrides: Mapping[str, Value]) -> dict[str, Value]:
    """Return the value of each parameter, with the overrides; `InputError` if one does not fit."""
    return param_values(submission.params, overrides, quoted(submission.name))


def _find_bundled(name: str) -> Path:
    known = bundled_bots()
    if name not in known:
        names = ", ".join(f"`@{each}`" for each in known) or "none"
        close = suggestion(f"@{name}", (f"@{each}" for each in known))
        raise NotPossibleHere(
            f"there is no bundled opponent {quoted('@' + name)}", close or f"there are: {names}"
        )
    return known[name]


def _load_directory(path: Path) -> Submission:
    where = str(path / MANIFEST)
    data = _manifest_bytes(path)
    manifest = parse_manifest(data, where)
    run, build = commands_of(manifest)
    patterns = (*ALWAYS_LEFT_OUT, *manifest.exclude, *(BUILD_OUTPUTS if build else ()))
    try:
        tree = read_tree(path, patterns)
    except InputError as error:
        raise InputError(f"{quoted(str(path))}: {error.message}", error.hint) from None
    entry = tree.get(MANIFEST)
    canonical = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
    if entry is None or entry.digest != canonical:
        raise InputError(f"{where} changed while it was read", "try again")
    submission = _describe(manifest, tree, path, run, build, patterns)
    _check_run(submission, path)
    return submission


def _describe(
    manifest: Manifest,
    tree: Tree,
    path: Path,
    run: tuple[str, ...],
    build: tuple[tuple[str, ...], ...],
    patterns: tuple[str, ...],
) -> Submission:
    return Submission(
        id=tree.digest,
        name=manifest.name,
        run=run,
        tree=tree,
        directory=path.resolve(),
        version=manifest.version,
        authors=manifest.authors,
        language=manifest.language,
        build=build,
        limits=asked_limits(manifest),
        runtimes=runtimes_of(manifest),
        multi_process=manifest.multi_process,
        params=manifest.params,
        patterns=patterns,
    )


def _manifest_bytes(path: Path) -> bytes:
    file = path / MANIFEST
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotPossibleHere(
            f"{quoted(str(path))} has no `{MANIFEST}`",
            "`niagara bot new LANGUAGE DIR` makes a bot that has one",
        ) from None
    except OSError as error:
        raise InputError(
            f"{quoted(str(file))} can't be read: {error.strerror}", "see that it may be read"
        ) from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise InputError(
                f"{quoted(str(file))} is no file",
                "name a folder with a `bot.toml`, or a command in quotes",
            )
        return os.read(handle, MAX_MANIFEST_BYTES + 1)
    finally:
        os.close(handle)


def _check_run(submission: Submission, path: Path) -> None:
    """Refuse a `run` that names a file which is there but left out of the submission."""
    for word in submission.run:
        plain = word.removeprefix("./")
        parts = plain.split("/")
        heads = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        out = [head for head in heads if left_out(head, submission.patterns)]
        if out and not submission.build and not word.startswith("-") and (path / plain).is_file():
            raise InputError(
                f"{quoted(str(path / MANIFEST))}: run needs {quoted(word)}, but {quoted(out[0])} "
                "is no part of a submission",
                "move it elsewhere, or give the `build` command that makes it",
            )


def _words(reference: str) -> list[str]:
    """Split a command into words; its first one must be there to be run."""
    try:
        words = shlex.split(reference)
    except ValueError as error:
        raise InputError(
            f"{quoted(reference)} is no command: {str(error).lower()}",
            "close every quote, as in a shell",
        ) from None
    if not words or not words[0]:
        raise InputError(f"{quoted(reference)} is no command", "give a directory or `@name`")
    if not Path(words[0]).is_file() and not shutil.which(words[0]):
        raise NotPossibleHere(_no_such_bot(reference, words), _how_to_name(words))
    return words


def _load_command(reference: str) -> Submission:
    words = _words(reference)
    directory, run = _where_to_run(words)
    tree = read_tree(directory) if directory else Tree(())
    name = Path(_main_file(words) or words[0]).stem[:40]
    identity = json.dumps([tree.digest, run]).encode()
    return Submission(
        id=hashlib.sha256(b"niagara-command 1\n" + identity).hexdigest(),
        name=name if trouble_with_name(name) is None else "command",
        run=tuple(run),
        tree=tree,
        directory=directory,
    )


def _no_such_bot(reference: str, words: list[str]) -> str:
    if len(words) == 1:
        return f"there is no bot {quoted(reference)}"
    return f"there is no program {quoted(words[0])} to run {quoted(reference)}"


def _how_to_name(words: list[str]) -> str:
    if words[0] in bundled_bots():
        return f"the bundled opponent is called `@{words[0]}`"
    return "a bot is a directory with a bot.toml, `@name` or a command in quotes"


def _where_to_run(words: list[str]) -> tuple[Path | None, list[str]]:
    """Choose the directory to stage for a command, and say the command from in there.

    It is the deepest one that holds every file the command names. A first word that is an
    absolute path is an interpreter if another word names a file, and stays as it is.
    """
    named = [n for n, word in enumerate(words) if n > 0 and Path(word).is_file()]
    if Path(words[0]).is_file() and not (named and os.path.isabs(words[0])):
        named.insert(0, 0)
    if not named:
        return None, words
    files = {n: Path(os.path.abspath(words[n])) for n in named}
    directory = Path(os.path.commonpath([file.parent for file in files.values()]))
    run = [
        f"./{files[n].relative_to(directory)}" if n in files else word
        for n, word in enumerate(words)
    ]
    return directory.resolve(), run


def _main_file(words: list[str]) -> str | None:
    return next((word for word in words[1:] if Path(word).is_file()), None)
