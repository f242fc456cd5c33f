"""Find the programs that a submission's commands name, before anything is started."""

from __future__ import annotations

import os
import shutil

from niagara_arena.sandbox import Runtime

__all__ = ["is_program"]


def is_program(word: str, runtimes: tuple[Runtime, ...]) -> bool:
    """Tell whether a program stands at that path, or under that name in PATH or a runtime."""
    if not os.path.isabs(word):
        folders = [os.path.join(runtime.path, "bin") for runtime in runtimes]
        folders += [os.environ.get("PATH", ""), "/usr/bin", "/bin"]
        return shutil.which(word, path=os.pathsep.join(folders)) is not None
    for runtime in runtimes:
        prefix = f"/runtime/{runtime.name}/"
        if word.startswith(prefix):
            word = os.path.join(runtime.path, word.removeprefix(prefix))
    return os.access(word, os.X_OK) and not os.path.isdir(word)
