"""Offer bots what they may read: the rules to import, and the little of /etc that programs need."""

from __future__ import annotations

import functools
import glob
import os
import shutil
from pathlib import Path

__all__ = ["ARENA", "ETC_FILES", "etc_folders", "lay_out"]

ARENA = "arena"
"""Where in the offered directory the rules lie; `PYTHONPATH` ends with it."""

ETC_FILES = ("ld.so.cache", "localtime")
"""What programs need of /etc, besides `etc_folders`. No certificates: there is no network."""

_PACKAGE = Path(__file__).parent.parent
_SHARED = ("__init__.py", "errors.py", "py.typed")


def lay_out(scratch: str) -> str:
    """Copy what is offered below `scratch`, once; return the directory with `arena` and `etc`."""
    offered = Path(scratch) / "offer"
    if offered.exists():
        return str(offered)
    building = Path(scratch) / f"offer.{os.getpid()}"
    _copy_rules(building / ARENA / _PACKAGE.name)
    _copy_etc(building / "etc")
    for folder, folders, files in os.walk(building):
        for name in (".", *folders, *files):
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o755 if os.path.isdir(path) else 0o644)
    building.rename(offered)
    return str(offered)


def _copy_rules(package: Path) -> None:
    """Copy the rules; compiled files come along, with their times: no bot need compile them."""
    shutil.copytree(_PACKAGE / "rules", package / "rules")
    for name in _SHARED:
        shutil.copy2(_PACKAGE / name, package / name)
    compiled = _PACKAGE / "__pycache__"
    if compiled.is_dir():
        (package / "__pycache__").mkdir()
        for path in compiled.iterdir():
            if path.name.startswith(("__init__.", "errors.")):
                shutil.copy2(path, package / "__pycache__" / path.name)


@functools.cache
def etc_folders() -> tuple[str, ...]:
    """List the directories of /etc that programs need: links to programs, settings of java.

    Looked up once, so that what `lay_out` made places for is what is shown.
    """
    return tuple(
        path for name in ("alternatives", "java*") for path in sorted(glob.glob(f"/etc/{name}"))
    )


def _copy_etc(target: Path) -> None:
    """Copy the files, and make places for the directories."""
    target.mkdir(parents=True)
    for path in etc_folders():
        (target / Path(path).name).mkdir()
    for name in ETC_FILES:
        if os.access(f"/etc/{name}", os.R_OK):
            shutil.copyfile(f"/etc/{name}", target / name)
