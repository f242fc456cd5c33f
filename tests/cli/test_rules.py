"""`niagara rules`: answers on stdout, refusals on stderr with path, clause and exit code 1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import oracle
from tests.cli.conftest import Niagara

Position = dict[str, Any]


def _two_on_the_moose() -> Position:
    position = oracle.setup("spirits", 3)
    position["moose"] = [{"seat": 0, "canoe": 0}, {"seat": 1, "canoe": 0}]
    return position


def _changed(rules: str = "base", **changes: Any) -> Position:
    return {**oracle.setup(rules, 3), **changes}


def _hand(*cards: str) -> Position:
    position = oracle.setup("base", 3)
    position["players"][1]["hand"] = list(cards)
    return position


REFUSED: dict[str, tuple[str, str]] = {
    "a-card-twice": (json.dumps(_hand("1", "1")), "$.players[1].hand[1]: card 1 is there twice"),
    "weather-too-high": (json.dumps(_changed(weather=3)), "$.weather"),
    "two-seats-holding-the-moose": (json.dumps(_two_on_the_moose()), "$.moose"),
    "a-seat-too-many": (json.dumps(_changed(seats=4)), "$.players"),
    "no-json": ("{", "no JSON"),
    "a-list": ("[]", "$"),
    "nothing": ("", "no JSON"),
    "a-key-twice": ('{"rules":"base","rules":"base"}', "twice"),
    "too-deep": ("[" * 100_000, "no JSON"),
    "a-number-without-end": ('{"rules":' + "9" * 5000 + "}", "no JSON"),
    "not-a-number": (json.dumps(_changed(round=float("nan"))), "$.round"),
    "half-a-character": ('{"rules":"\\ud800"}', "missing"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize(
    "command",
    [
        ("turns", "--seat", "0", "--card", "1"),
        ("buys", "--seat", "0"),
        ("flow", "--cards", "1,1,1"),
    ],
    ids=lambda command: command[0],
)
def test_a_bad_position_is_refused(niagara: Niagara, name: str, command: tuple[str, ...]) -> None:
    text, expected = REFUSED[name]
    run = niagara("rules", *command, stdin=text)
    assert (run.exit, run.stdout) == (1, "")
    assert run.stderr.startswith("error: ")
    assert expected in run.stderr


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("turns", "--seat", "3", "--card", "1"), "there is no seat 3 [N-2.3]"),
        (("turns", "--seat", "0", "--card", "7"), "no card '7' in its hand [N-3.1]"),
        (("buys", "--seat", "-1"), "there is no seat -1 [N-2.3]"),
        (("flow", "--cards", "1,1"), "3 cards are needed"),
        (("flow", "--cards", "1,1,-"), "seat 2 has no card '-' in its hand [N-3.1]"),
    ],
)
def test_a_bad_question_is_refused(
    niagara: Niagara, command: tuple[str, ...], expected: str
) -> None:
    run = niagara("rules", *command, stdin=json.dumps(oracle.setup("base", 3)))
    assert (run.exit, run.stdout) == (1, "")
    assert expected in run.stderr


def test_turns_are_printed_sorted_or_counted(niagara: Niagara) -> None:
    text = json.dumps(oracle.setup("base", 3))
    run = niagara("rules", "turns", "--seat", "0", "--card", "6", stdin=text)
    assert (run.exit, run.stderr) == (0, "")
    assert run.stdout.splitlines() == oracle.turns(oracle.setup("base", 3), 0, "6")
    counted = niagara("rules", "turns", "--seat", "0", "--card", "6", "--count", stdin=text)
    assert counted.stdout == "3\n"


def test_flow_answers_every_arm_question_alike(niagara: Niagara) -> None:
    position = oracle.setup("spirits", 3)
    position["whirlpool"] = "5"
    for seat in (0, 2):
        position["players"][seat]["canoes"][1].update(at="5", ashore=True)
    for arm in "LR":
        run = niagara(
            "rules",
            "flow",
            "--cards",
            "lasso,cloud,lasso",
            "--arm",
            arm,
            stdin=json.dumps(position),
        )
        players = json.loads(run.stdout)["players"]
        assert [players[seat]["canoes"][1]["at"] for seat in (0, 2)] == [f"6{arm}"] * 2


def test_a_won_position_has_no_flow(niagara: Niagara) -> None:
    position = oracle.setup("base", 3)
    position["players"][1]["bank"] = {"ruby": 4}
    position["places"]["ruby"]["ruby"] -= 4
    run = niagara("rules", "flow", "--cards", "1,1,1", stdin=json.dumps(position))
    assert (run.exit, run.stdout) == (1, "")
    assert "the position is won: the game is over without a flow [N-5.1]" in run.stderr


@pytest.mark.parametrize("left", [0, 1])
def test_with_fewer_than_two_seats_left_there_is_no_flow(niagara: Niagara, left: int) -> None:
    position = oracle.setup("base", 3)
    for player in position["players"][left:]:
        player["retired"] = True
        for canoe in player["canoes"]:
            canoe["at"] = "lost"
    cards = ",".join(["1"] * left + ["-"] * (3 - left))
    run = niagara("rules", "flow", "--cards", cards, stdin=json.dumps(position))
    assert (run.exit, run.stdout) == (1, "")
    assert "fewer than two seats are left: the game is over without a flow [N-5.4]" in run.stderr


def test_a_retired_seat_plays_a_dash(niagara: Niagara) -> None:
    position = oracle.setup("base", 3)
    position["players"][1]["retired"] = True
    for canoe in position["players"][1]["canoes"]:
        canoe["at"] = "lost"
    run = niagara("rules", "flow", "--cards", "1,-,2", stdin=json.dumps(position))
    assert run.exit == 0
    assert run.stdout == (oracle.flow(position, ["1", "-", "2"], "L") or "") + "\n"
    assert json.loads(run.stdout)["start"] == 2


def test_random_games_repeat_with_their_seed(niagara: Niagara) -> None:
    command = ("rules", "random", "--rules", "spirits", "--seats", "6", "--rounds", "5", "--seed")
    first, again, other = (niagara(*command, seed).stdout for seed in ("7", "7", "8"))
    assert first == again != other
    assert len(first.splitlines()) == 5
    assert [json.loads(line)["round"] for line in first.splitlines()] == [1, 2, 3, 4, 5]


def test_perft_prints_paths_and_states(niagara: Niagara) -> None:
    run = niagara("rules", "perft", "--rules", "base", "--seats", "3", "--depth", "4", "--json")
    rows = json.loads(run.stdout)
    assert "1035" in run.stdout
    assert run.exit == 0
    assert rows
