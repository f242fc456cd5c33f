"""Nobody thinks while others are asked: who has answered is stopped, or pays for what it does."""

from __future__ import annotations

import sys

import pytest

from niagara_arena.match import Contestant
from niagara_arena.records import GameRecord, Limits, Played
from niagara_arena.sandbox import Launch
from tests.match.playing import ZOO, play, settings


def stolen_ms(record: GameRecord) -> float:
    """Return how much CPU time the ponderer says it got out of turn in a game."""
    return sum(data["stolen_ms"] for data in record.measured.data.values())


def paid_ms(record: GameRecord, seat: int) -> float:
    """Return how much CPU time a seat was charged in a game."""
    acts = [act for page in record.rounds for act in page.acts if isinstance(act, Played)]
    used = zip(acts, record.measured.cpu_us, strict=True)
    return sum(us for act, us in used if act.seat == seat) / 1000


def against_slow_bots(freeze: bool, mode: str) -> list[GameRecord]:
    """Play three games of a bot that ponders with two that take 50 ms a decision."""
    launch = Launch(str(ZOO), (sys.executable, "-S", "ponderer.py"), Limits())
    ponderer = Contestant("0" * 64, "ponderer", "1", {}, launch)
    clock = {"mode": mode, "startup_ms": 60_000, "bank_ms": 60_000, "wall_ms": 60_000}
    return play("slow", ponderer, "slow", under=settings(freeze=freeze, clock=clock), games=3)


@pytest.mark.parametrize("mode", ["cpu", "wall"])
def test_a_bot_that_works_out_of_turn_is_stopped(mode: str) -> None:
    free = sum(map(stolen_ms, against_slow_bots(False, mode)))
    frozen = sum(map(stolen_ms, against_slow_bots(True, mode)))
    assert free > 100
    assert frozen < free / 2  # far less; but on a busy machine those who stop it come late


def test_what_it_works_out_of_turn_before_it_is_stopped_is_on_its_clock() -> None:
    records = against_slow_bots(True, "cpu")
    rounding = 0.001 * sum(len(record.measured.data) for record in records)  # whole µs are charged
    assert sum(paid_ms(record, 1) for record in records) >= sum(map(stolen_ms, records)) - rounding
