"""Tell one state of a runtime directory from another."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

__all__ = ["fingerprint"]


def fingerprint(directory: Path) -> str:
    """Return a SHA-256 over names, kinds, executable bits and contents below a directory.

    Times, owners and compiled Python files do not count. A link counts by its target's name.
    """
    if not directory.is_dir():
        raise NotADirectoryError(20, "not a directory", str(directory))
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files + [one for one in folders if os.path.islink(f"{folder}/{one}")]):
            path = os.path.join(folder, name)
            digest.update(os.fsencode(os.path.relpath(path, directory)) + b"\0")
            if os.path.islink(path):
                digest.update(b"link\0" + os.fsencode(os.readlink(path)) + b"\0")
            elif os.path.isfile(path):
                digest.update(b"x" if os.access(path, os.X_OK) else b"-")
                with open(path, "rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
