"""The clauses of protocol/README.md, by number."""

from __future__ import annotations

import re
from pathlib import Path

SPECIFICATION = Path(__file__).parent.parent.parent / "protocol" / "README.md"
TEXT = SPECIFICATION.read_text("utf-8")
NUMBERED = re.compile(r"^- \*\*(P-\d+\.\d+)\*\* (.*(?:\n  .*)*)", re.MULTILINE)

CLAUSES: dict[str, str] = dict(NUMBERED.findall(TEXT))
"""Number → text."""
