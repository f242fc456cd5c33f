"""Make a bot from a starter kit; never touch what exists."""

from __future__ import annotations

import os
import re
from pathlib import Path

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere
from niagara_arena.submissions.bundled import bundled_bots, starter_kits
from niagara_arena.submissions.manifest import MANIFEST
from niagara_arena.submissions.names import quoted, suggestion, trouble_with_name
from niagara_arena.submissions.submission import load

__all__ = ["make_kit"]

_ALIASES = {
    "c++": "cpp",
    "cxx": "cpp",
    "golang": "go",
    "js": "javascript",
    "node": "javascript",
    "nodejs": "javascript",
    "py": "python",
    "python3": "python",
    "rs": "rust",
}
_NAME_LINE = re.compile(r'^name\s*=\s*"[^"\n]*"', re.MULTILINE)


def make_kit(language: str, directory: Path, name: str | None = None) -> list[str]:
    """Copy a language's starter kit into a directory and name the bot; return the files made.

    The directory may exist if it is empty. The name is the directory's unless given, and must not
    be that of a bundled opponent or of a bot beside it.
    """
    kit = _find(language)
    if os.path.lexists(directory) and not (directory.is_dir() and not any(directory.iterdir())):
        raise InputError(
            f"{quoted(str(directory))} exists already",
            "choose another directory: nothing is ever overwritten",
        )
    chosen = directory.resolve().name if name is None else name
    _check_name(chosen, directory)
    made = []
    directory.mkdir(parents=True, exist_ok=True)
    for entry in load(str(kit)).tree.entries:
        data = (kit / entry.path).read_bytes()
        if entry.path == MANIFEST:
            data = _renamed(data.decode("utf-8"), chosen).encode("utf-8")
        target = directory / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target, "xb") as file:
            file.write(data)
        if entry.kind == "program":
            target.chmod(target.stat().st_mode | 0o111)
        made.append(entry.path)
    return made


def _find(language: str) -> Path:
    kits = starter_kits()
    wanted = language.lower()
    wanted = _ALIASES.get(wanted, wanted)
    if wanted not in kits:
        known = ", ".join(f"`{kit}`" for kit in kits) or "none"
        raise NotPossibleHere(
            f"there is no starter kit for {quoted(language)}",
            suggestion(wanted, kits, f"there are: {known}"),
        )
    return kits[wanted]


def _check_name(name: str, directory: Path) -> None:
    trouble = trouble_with_name(name)
    if trouble:
        raise InputError(f"the name {quoted(name)} {trouble}", "give another one by --name")
    if '"' in name:
        raise InputError(f"the name {quoted(name)} contains quotes", "give another one by --name")
    if name.lower() in {each.lower() for each in bundled_bots()}:
        raise InputError(
            f"the name {quoted(name)} is a bundled opponent's", "give another one by --name"
        )
    for manifest in sorted(directory.resolve().parent.glob(f"*/{MANIFEST}")):
        if manifest.parent != directory.resolve() and _name_of(manifest.parent) == name:
            raise InputError(
                f"{quoted(str(manifest.parent))} is called {quoted(name)} already",
                "give another name by --name",
            )


def _name_of(directory: Path) -> str | None:
    try:
        return load(str(directory)).name
    except ArenaError:  # a bot that is not in order has no name to clash with
        return None


def _renamed(manifest: str, name: str) -> str:
    return _NAME_LINE.sub(lambda _: f'name = "{name}"', manifest, count=1)
