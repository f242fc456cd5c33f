"""Let Ctrl-C be pressed in tests; show the attack suite's table below the results."""

from __future__ import annotations

import signal

import pytest

from tests.sandbox.attacks.table import PROPERTY, summary

# A shell has what it runs in the background ignore Ctrl-C, and our children would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Collect what the tests of the suite recorded, in whichever process they ran."""
    reports = [r for group in terminalreporter.stats.values() for r in group]
    found = [
        str(value)
        for report in reports
        if getattr(report, "when", "") in ("call", "setup")
        for name, value in getattr(report, "user_properties", ())
        if name == PROPERTY
    ]
    lines = summary(found)
    if lines:
        terminalreporter.section("attack suite")
        for line in lines:
            terminalreporter.write_line(line)
