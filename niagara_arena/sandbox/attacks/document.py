"""Write the table of docs/attacks.md: every probe, and what to expect of it at each level."""

from __future__ import annotations

from niagara_arena.sandbox.attacks.catalogue import PROBES

__all__ = ["table"]

_HEADINGS = ("probe", "group", "what it tries", "none", "landlock", "bwrap", "remark")


def table() -> str:
    """Return the table as Markdown."""
    rows = [
        (p.name, p.group, p.title, p.none, p.landlock, p.bwrap, p.note[:1].upper() + p.note[1:])
        for p in PROBES
    ]
    lines = [_HEADINGS, tuple("---" for _ in _HEADINGS), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace("|  |", "| |")
