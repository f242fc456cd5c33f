"""Offer the rules to bots: a copy of what they may import, readable by every uid."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["ARENA", "lay_out"]

ARENA = ".arena"
"""Where in the offered directory the package lies; `PYTHONPATH` ends with it."""

_PACKAGE = Path(__file__).parent.parent
_SHARED = ("__init__.py", "errors.py", "py.typed")


def lay_out(scratch: str) -> str:
    """Copy the rules below `scratch`, once; return the directory that holds `ARENA`.

    Compiled files come along, and times are kept, so that a bot's import need not compile.
    """
    offered = Path(scratch) / "offer"
    if offered.exists():
        return str(offered)
    building = Path(scratch) / f"offer.{os.getpid()}"
    package = building / ARENA / _PACKAGE.name
    shutil.copytree(_PACKAGE / "rules", package / "rules")
    for name in _SHARED:
        shutil.copy2(_PACKAGE / name, package / name)
    compiled = _PACKAGE / "__pycache__"
    if compiled.is_dir():
        (package / "__pycache__").mkdir()
        for path in compiled.iterdir():
            if path.name.startswith(("__init__.", "errors.")):
                shutil.copy2(path, package / "__pycache__" / path.name)
    for path in (building, *building.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    building.rename(offered)
    return str(offered)
