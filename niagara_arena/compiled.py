"""Run the hot modules as machine code where `make compile` has made some, else as they are written.

`make compile` translates the rules, the referee and the exchange with bots to C (mypyc) and keeps
what the compiler makes of it below `_compiled`, with a hash of each source. The same source runs
either way, with the same results; compiled the referee takes three fifths of the time a request.

Laws kept here:

- Stale code never runs: unless every hash fits the source beside it, all is interpreted.
- `state` says which it is, and why. `NIAGARA_INTERPRETED=1` in the environment switches it off.

Standard library only: this is imported before anything else.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TypedDict

__all__ = ["FOLDER", "MANIFEST", "digest", "install", "reason", "state"]

FOLDER = Path(__file__).parent / "_compiled"
MANIFEST = "manifest.json"
_SWITCH = "NIAGARA_INTERPRETED"


class _Finder:
    """Find the compiled modules, and only them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(names)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where the machine code of a module is."""
        if name not in self._names:
            return None
        file = str(FOLDER / (name + EXTENSION_SUFFIXES[0]))
        return spec_from_file_location(name, file, loader=ExtensionFileLoader(name, file))


def digest(source: Path) -> str:
    """Return the hash by which a source is known."""
    return hashlib.sha256(source.read_bytes()).hexdigest()


def install() -> None:
    """Let the compiled modules be imported, if they are those of this source."""
    if reason() == "":
        sys.meta_path.insert(0, _Finder(_read()["modules"]))


def state() -> tuple[bool, str]:
    """Return whether the hot modules run compiled, and a few words about that."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return True, "compiled"
    return False, reason() or "loaded before they were compiled"


def reason() -> str:
    """Say why the modules must be interpreted; empty if they need not be."""
    if os.environ.get(_SWITCH, "") not in ("", "0"):
        return f"{_SWITCH} is set"
    try:
        made = _read()
    except (OSError, ValueError):
        return "not compiled"
    package = Path(__file__).parent
    try:
        stale = [name for name, known in made["sources"].items() if digest(package / name) != known]
    except OSError:
        return "compiled from files that are gone"
    if stale:
        return f"compiled before {stale[0]} was changed"
    if not all((FOLDER / (name + EXTENSION_SUFFIXES[0])).exists() for name in made["modules"]):
        return "compiled for another Python"
    return ""


class _Made(TypedDict):
    """What the manifest says."""

    modules: list[str]
    sources: dict[str, str]
    """By path below the package: the hash of what was compiled."""


def _read() -> _Made:
    made: _Made = json.loads((FOLDER / MANIFEST).read_bytes())
    return made
