"""Determinism, mirror symmetry, seat rotation, golden playthroughs and perft numbers."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from niagara_arena import rules
from niagara_arena.rules import enumeration
from tests import oracle
from tests.rules.play import GAMES, busy, walk

GOLDEN = Path(__file__).parent / "golden"


def playthrough(name: str, seats: int) -> str:
    """Return a whole busy game as text: each state's digest and the events that led to it."""
    lines = []
    for state, events in walk(name, seats, 11, max_rounds=15, retirements=False):
        told = [rules.event_to_json(event) for event in events]
        encoded = json.dumps(rules.state_to_json(state), sort_keys=True)
        digest = hashlib.sha256(encoded.encode()).hexdigest()[:16]
        lines.append(json.dumps({"state": digest, "events": told}, separators=(",", ":")))
    return "\n".join(lines) + "\n"


def perft_table() -> dict[str, list[list[int]]]:
    """Return the perft counts of every game, by name and seats."""
    return {f"{n} {s}": [list(row) for row in enumeration.perft(n, s, 5)] for n, s in GAMES}


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_golden_playthroughs_come_out_the_same(name: str, seats: int) -> None:
    """Run `python -m tests.rules.test_symmetry` to write them anew after a wanted change."""
    assert playthrough(name, seats) == (GOLDEN / f"{name}-{seats}.jsonl").read_text()


def test_perft_numbers_are_those_on_file() -> None:
    assert perft_table() == json.loads((GOLDEN / "perft.json").read_text())


def test_first_perft_numbers_worked_by_hand() -> None:
    """Seven cards for each of three seats; then seat 0's card decides what is asked.

    Of its seven cards the cloud asks up or down (2), 5 lands on 5 or on 3 with a gem (2), 6
    asks 6L, 6R or 4 with a gem (3); 1 to 4 leave no choice and pass the turn on to seat 1.
    """
    counts = enumeration.perft("base", 3, 4)
    assert [row.paths for row in counts[:4]] == [1, 7, 49, 343]
    asked = 49 * (2 + 2 + 3)  # seat 0 itself is asked
    asked += 4 * 7 * (2 + 2 + 3)  # seat 0 had no choice, seat 1 is asked
    asked += 4 * 4 * (2 + 2 + 3)  # neither had, seat 2 is asked
    # With no choice for anybody nobody is on 5 or beyond and each plays on: seat 0's next card.
    asked += 4 * 4 * 4 * 6
    assert counts[4].paths == asked


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_same_bytes_in_a_fresh_process_under_another_hash_seed(hash_seed: str) -> None:
    code = (
        "from tests.rules.test_symmetry import playthrough; import sys;"
        "sys.stdout.write(playthrough('base', 4) + playthrough('spirits', 6))"
    )
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    root = Path(__file__).parents[2]
    ran = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=root, capture_output=True, text=True, check=True
    )
    assert ran.stdout == playthrough("base", 4) + playthrough("spirits", 6)


def _positions(name: str, seats: int, seed: int) -> list[dict[str, Any]]:
    source = random.Random(f"symmetry {name} {seats} {seed}")
    texts = enumeration.random_rounds(name, seats, 15, lambda actions: busy(source, actions))
    return [json.loads(text) for text in texts]


def _rotated(position: dict[str, Any]) -> dict[str, Any]:
    """Return the position with every seat moved one clockwise."""
    seats = position["seats"]
    turned = json.loads(json.dumps(position))
    turned["players"] = [position["players"][(seat - 1) % seats] for seat in range(seats)]
    turned["start"] = (position["start"] + 1) % seats
    if isinstance(position["moose"], dict):
        turned["moose"]["seat"] = (position["moose"]["seat"] + 1) % seats
    return dict(turned)


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_mirrored_positions_have_mirrored_turns(name: str, seats: int) -> None:
    for position in _positions(name, seats, 1):
        for seat in range(seats):
            for card in position["players"][seat]["hand"]:
                plain = enumeration.turns(position, seat, card)
                mirror = enumeration.turns(oracle.mirrored(position), seat, card)
                expected = [oracle.canonical(oracle.mirrored(json.loads(t))) for t in plain]
                assert sorted(expected) == mirror


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_rotated_seats_have_rotated_turns_and_flows(name: str, seats: int) -> None:
    for position in _positions(name, seats, 2):
        turned = _rotated(position)
        for seat in range(seats):
            card = position["players"][seat]["hand"][0]
            plain = enumeration.turns(position, seat, card)
            expected = [oracle.canonical(_rotated(json.loads(t))) for t in plain]
            assert sorted(expected) == enumeration.turns(turned, (seat + 1) % seats, card)
        cards = [player["hand"][-1] for player in position["players"]]
        flowed = enumeration.flow(position, cards, "L")
        again = enumeration.flow(turned, [cards[-1], *cards[:-1]], "L")
        assert flowed is not None
        assert again == oracle.canonical(_rotated(json.loads(flowed)))


def write_golden() -> None:
    """Write the golden files anew."""
    GOLDEN.mkdir(exist_ok=True)
    for name, seats in GAMES:
        (GOLDEN / f"{name}-{seats}.jsonl").write_text(playthrough(name, seats))
    (GOLDEN / "perft.json").write_text(json.dumps(perft_table(), indent=1) + "\n")


if __name__ == "__main__":
    write_golden()
