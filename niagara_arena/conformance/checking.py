"""Run the steps: in order, up to the first failed MUST, or one alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from niagara_arena.conformance.model import (
    Check,
    Duty,
    Evidence,
    Result,
    Step,
    StepFailed,
    Verdict,
)
from niagara_arena.conformance.steps import STEPS
from niagara_arena.errors import InputError

__all__ = ["passed", "run_check", "step_number"]

_NEEDED = ("files", "build")
"""What a single step needs to have been done before."""


def run_check(
    check: Check,
    only: int | None = None,
    on_result: Callable[[Result], None] | None = None,
    steps: Sequence[Step] = STEPS,
) -> list[Result]:
    """Run all steps up to the first MUST that fails; with `only`, that one alone.

    What a single step needs (the files read, the build done) happens before it without a result,
    unless it fails.
    """
    results = []
    for number, step in enumerate(steps, 1):
        if only is not None and number != only and (number > only or step.name not in _NEEDED):
            continue
        result = _run(check, number, step)
        failed = result.verdict is Verdict.FAILED
        if only in (None, number) or failed:
            results.append(result)
            if on_result is not None:
                on_result(result)
        if failed and step.duty is Duty.MUST:
            break
    return results


def passed(results: Sequence[Result], strict: bool = False) -> bool:
    """Tell whether no MUST has failed; with `strict`, no SHOULD either."""
    return not any(
        result.verdict is Verdict.FAILED and (strict or result.duty is Duty.MUST)
        for result in results
    )


def step_number(text: str, steps: Sequence[Step] = STEPS) -> int:
    """Return the number of a step given by its number or name."""
    if text.isdecimal() and 1 <= int(text) <= len(steps):
        return int(text)
    for number, step in enumerate(steps, 1):
        if step.name == text:
            return number
    raise InputError(
        f"there is no step `{text}`", f"steps go from 1 to {len(steps)}: see `niagara check --list`"
    )


def _run(check: Check, number: int, step: Step) -> Result:
    began = time.monotonic()
    try:
        found = step.run(check)
    except StepFailed as failure:
        return Result(
            number,
            step.name,
            step.duty,
            Verdict.FAILED,
            failure.clause or step.clause,
            str(failure),
            failure.hint,
            failure.evidence or Evidence(),
            _since(began),
        )
    verdict = Verdict.SKIPPED if found.skipped else Verdict.PASSED
    return Result(
        number,
        step.name,
        step.duty,
        verdict,
        step.clause,
        found.detail,
        duration_ms=_since(began),
    )


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)
