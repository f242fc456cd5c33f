"""`niagara check`: numbered steps that a bot must or should pass before it is handed in.

Each step stands alone: it starts its own process, says what a tournament would say, and reads what
the bot answers more strictly than the referee does. So any step can be repeated by its number.
"""

from __future__ import annotations

from niagara_arena.conformance.checking import passed, run_check, step_number
from niagara_arena.conformance.model import (
    Check,
    Duty,
    Evidence,
    Result,
    Sizes,
    Verdict,
    sizes_from,
)
from niagara_arena.conformance.steps import STEPS

__all__ = [
    "STEPS",
    "Check",
    "Duty",
    "Evidence",
    "Result",
    "Sizes",
    "Verdict",
    "passed",
    "run_check",
    "sizes_from",
    "step_number",
]
