"""Hostile bots against every level that this machine offers, as root and as an ordinary user."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from niagara_arena.sandbox import LEVELS
from niagara_arena.sandbox.attacks import Outcome, ProbeResult
from tests.sandbox.attacks.people import run_suite, run_with_old_landlock
from tests.sandbox.attacks.table import PROPERTY, Run

Record = Callable[[str, object], None]


def _run(who: str, level: str, record: Record) -> list[ProbeResult]:
    """Run the whole suite, and have it shown below the test results."""
    try:
        results = run_suite(who, level)
    except pytest.skip.Exception as reason:
        record(PROPERTY, msgspec.json.encode(Run(who, level, skipped=str(reason))).decode())
        raise
    record(PROPERTY, msgspec.json.encode(Run(who, level, results)).decode())
    return results


def _lines(results: list[ProbeResult]) -> str:
    return "\n".join(f"{one.probe}: {one.outcome}, {one.detail}" for one in results)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("who", ["root", "user"])
@pytest.mark.parametrize("level", [level for level in LEVELS if level != "none"])
def test_no_bot_does_in_the_cage_what_nobody_expects(
    who: str, level: str, record_property: Record
) -> None:
    results = _run(who, level, record_property)
    holes = [one for one in results if one.unexpectedly_open]
    assert not holes, f"open at {level} as {who}:\n{_lines(holes)}"
    better = [one for one in results if one.surprising]
    assert not better, f"stopped, but documented as open:\n{_lines(better)}"
    tried = [one for one in results if one.outcome is not Outcome.NOT_RUN]
    assert len(tried) >= 0.9 * len(results), "most of the suite could not be tried"


@pytest.mark.timeout(400)
@pytest.mark.parametrize("who", ["root", "user"])
def test_without_a_cage_the_probes_get_through(who: str, record_property: Record) -> None:
    """Prove that the probes work: what is stopped above is stopped by the cage."""
    results = _run(who, "none", record_property)
    wrong = [one for one in results if one.surprising]
    assert not wrong, f"otherwise than documented:\n{_lines(wrong)}"
    through = [one for one in results if one.outcome is Outcome.OPEN]
    assert len(through) >= 0.65 * len(results)


@pytest.mark.timeout(400)
def test_the_oldest_landlock_lets_through_what_is_documented_and_no_more() -> None:
    """The filter must make up for what Landlock learnt later: sockets, signals, devices."""
    results = run_with_old_landlock(1, "files", "network", "processes")
    wrong = [one for one in results if one.surprising]
    assert not wrong, f"otherwise than documented:\n{_lines(wrong)}"
    assert [one.probe for one in results if one.outcome is Outcome.OPEN].count("spoil-results") == 1
