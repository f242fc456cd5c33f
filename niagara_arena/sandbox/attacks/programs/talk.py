"""Talk to the runner of the suite: one JSON object a line, both ways."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from typing import Any

Facts = dict[str, Any]


def say(facts: Facts) -> None:
    """Print one line of evidence, in a single write."""
    os.write(1, (json.dumps(facts) + "\n").encode())


def listen() -> Facts:
    """Read one line from the runner; an empty object at the end of stdin."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            return {}
        line += byte
    told = json.loads(line)
    return told if isinstance(told, dict) else {}


def refusal(error: BaseException) -> str:
    """Name why something did not work, shortly."""
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, str(error.errno))
    return type(error).__name__


def attempt(what: Callable[..., Any], *arguments: Any) -> str:
    """Do it; return an empty string if it worked, else why it did not."""
    try:
        what(*arguments)
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        return refusal(error)
    return ""


def first_that_works(ways: dict[str, Callable[[], Any]]) -> Facts:
    """Try each way in turn; say which worked first and why the others did not."""
    refused: dict[str, str] = {}
    for name, way in ways.items():
        why = attempt(way)
        if not why:
            return {"worked": name, "refused": refused}
        refused[name] = why
    return {"refused": refused}
