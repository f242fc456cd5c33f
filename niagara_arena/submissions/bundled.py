"""Find the opponents and starter kits that come with the arena.

In an installed wheel they are package data, below `niagara_arena/_data/`; in a checkout they are
the folders `bots/` and `protocol/starter-kits/`.
"""

from __future__ import annotations

from pathlib import Path

from niagara_arena.submissions.manifest import MANIFEST

__all__ = ["bundled_bots", "starter_kits"]

_PACKAGE = Path(__file__).resolve().parent.parent


def bundled_bots() -> dict[str, Path]:
    """Return the directories of the bundled opponents by name, without the `@`."""
    return _folders("bots", "bots")


def starter_kits() -> dict[str, Path]:
    """Return the directories of the starter kits by language."""
    return _folders("starter-kits", "protocol/starter-kits")


def _folders(packaged: str, checkout: str) -> dict[str, Path]:
    for top in (_PACKAGE / "_data" / packaged, _PACKAGE.parent / checkout):
        if top.is_dir():
            return {
                path.name: path for path in sorted(top.iterdir()) if (path / MANIFEST).is_file()
            }
    return {}
