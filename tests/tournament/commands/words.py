"""Words that many commands of these tests share."""

from __future__ import annotations

from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
BOTS = ("--bots", "@random", "--bots", "@homing", "--bots", "@greedy")
QUICK = ("--seats", "3", "--sandbox", "none", "--set", "max_rounds=3", "--seating", "rotations")
