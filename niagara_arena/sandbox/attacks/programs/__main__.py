"""Run one attack: read what it is told on the first line of stdin, print evidence as JSON lines."""

from __future__ import annotations

import importlib
import sys

from .talk import listen, refusal, say


def main() -> None:
    """Carry out the attack named on the command line, then wait to be looked at."""
    group, function = sys.argv[1:3]
    attack = getattr(importlib.import_module(f".{group}", __package__), function)
    try:
        evidence = attack(listen())
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        evidence = {"refused": refusal(error)}
    say({"done": True, **evidence})
    listen()


main()
