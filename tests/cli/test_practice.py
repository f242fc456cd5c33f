"""`niagara practice`: who is met next, when it is enough, and what is said at the end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from niagara_arena.cli.climbing import LADDER, Climb, rungs
from niagara_arena.records import (
    Fault,
    GameEnd,
    GameHeader,
    GameRecord,
    Measured,
    RulingRecord,
    Sanction,
    Seat,
    Settings,
    Standing,
    Verdict,
)
from niagara_arena.replay.codec import decode
from niagara_arena.submissions.bundled import bundled_bots
from tests.cli.conftest import Niagara

FIELD = ("weak", "fair", "good", "best")


def game(
    table: tuple[str, ...], placings: tuple[int, ...], number: int, rounds: int = 20
) -> GameRecord:
    """Return the record of a game that the first placed has won."""
    header = GameHeader(
        format=1,
        arena="0",
        rules_version="0",
        game=f"g-{number:016x}",
        match="m-0",
        seats=tuple(Seat(name, name) for name in table),
        seed=f"{number:032x}",
        settings=Settings(),
        sandbox="none",
        opening=str(number // 6),
        position={"number": number},
    )
    end = GameEnd(
        reason="won",
        winners=tuple(seat for seat, place in enumerate(placings) if place == 1),
        placings=placings,
        rounds=rounds,
        verdicts=tuple(Verdict(Standing.FINISHED) for _ in table),
    )
    return GameRecord(header, (), end, Measured())


def climbed(beats: set[str], most_blocks: int = 6) -> tuple[Climb, list[str]]:
    """Let a bot climb that beats some opponents always, and loses to the others always."""
    climb = Climb("me", FIELD, most_blocks)
    path: list[str] = []
    number = 0
    while (table := climb.table()) is not None:
        path.append(table[1])
        order = sorted(table, key=lambda name: -FIELD.index(name) if name != "me" else -1)
        order.remove("me")
        place = next((i for i, name in enumerate(order) if name in beats), len(order))
        order.insert(place, "me")
        block = []
        for turn in range(6):
            seats = table[turn % 3 :] + table[: turn % 3]
            places = tuple(1 + order.index(name) for name in seats)
            block.append(game(seats, places, number))
            number += 1
        climb.add(block)
    return climb, path


def test_the_ladder_has_every_bundled_opponent_once() -> None:
    assert sorted(LADDER) == sorted(bundled_bots())


def test_opponents_without_a_place_come_last() -> None:
    assert rungs(("greedy", "newcomer", "random")) == ("random", "greedy", "newcomer")


def test_who_beats_all_climbs_to_the_top() -> None:
    climb, path = climbed(set(FIELD))
    assert list(dict.fromkeys(path)) == list(FIELD)
    assert [one.opponent for one in climb.met()] == list(FIELD)
    assert all(one.lost == 0 and one.won == one.games == one.ahead for one in climb.met())
    assert climb.met()[-1].verdict == "passed"
    assert climb.worst(3) == []
    assert climb.ranks() == (1, 1)


def test_the_climb_ends_below_who_is_stronger() -> None:
    climb, path = climbed({"weak", "fair"})
    assert list(dict.fromkeys(path)) == ["weak", "fair", "good"]
    assert climb.beat_next() == "good"
    assert {one.opponent: one.verdict for one in climb.met()}["good"] == "beaten by"
    assert "best" not in {one.opponent for one in climb.met()}


def test_who_beats_nobody_meets_the_weakest_and_one_more_only() -> None:
    climb, path = climbed(set())
    assert set(path) == {"weak"}
    assert climb.beat_next() == "weak"
    assert [one.opponent for one in climb.met()] == ["weak", "fair"]
    assert climb.ranks() == (3, 3)


def test_a_rung_ends_after_the_most_blocks() -> None:
    _, path = climbed(set(FIELD), most_blocks=1)
    assert path == list(FIELD)


def test_a_rung_that_is_decided_early_takes_fewer_blocks() -> None:
    _, path = climbed(set(), most_blocks=50)
    assert 1 <= len(path) < 10


def test_the_worst_games_come_by_placing_then_by_haste() -> None:
    climb = Climb("me", FIELD, 1)
    table = ("me", "weak", "fair")
    games = [
        game(table, (2, 1, 3), 0, rounds=9),
        game(table, (3, 1, 2), 1, rounds=30),
        game(table, (3, 2, 1), 2, rounds=10),
        game(table, (1, 1, 3), 3, rounds=5),
    ]
    climb.add(games)
    assert climb.worst(2) == [games[2], games[1]]
    assert climb.worst(9) == [games[2], games[1], games[0]]


def test_repeated_games_and_faults_are_counted() -> None:
    climb = Climb("me", FIELD, 1)
    first = game(("weak", "me", "fair"), (1, 3, 2), 0)
    again = GameRecord(first.header, (), first.end, Measured())
    ruling = RulingRecord(1, 3, Fault.ILLEGAL, "", "no", Sanction.DEFAULT)
    other = RulingRecord(0, 3, Fault.TIMEOUT, "cpu", "slow", Sanction.DEFAULT)
    end = GameEnd("won", (0,), (1, 3, 2), 5, first.end.verdicts, (ruling, ruling, other))
    climb.add(
        [
            first,
            again,
            GameRecord(game(("weak", "me", "fair"), (1, 3, 2), 7).header, (), end, Measured()),
        ]
    )
    assert climb.repeated() == 1
    assert climb.faults() == {"illegal": 2}


def test_a_ladder_of_one_is_none() -> None:
    with pytest.raises(ValueError, match="an opponent for each other seat"):
        Climb("me", ("weak",), 1)


def test_a_larger_table_seats_the_neighbours_on_the_ladder() -> None:
    climb = Climb("me", FIELD, 1, seats=4)
    assert climb.table() == ("me", "weak", "fair", "good")
    climb.add([game(("me", "weak", "fair", "good"), (1, 2, 3, 4), number) for number in range(4)])
    assert climb.table() == ("me", "fair", "weak", "good")
    with pytest.raises(ValueError, match="an opponent for each other seat"):
        Climb("me", FIELD, 1, seats=6)


def test_practice_at_larger_tables(niagara: Niagara, tmp_path: Path) -> None:
    args = ["--blocks", "1", "--seed", "1", "--sandbox", "none", "--record", str(tmp_path)]
    run = niagara("practice", "@random", *args, "--rules", "spirits", "--seats", "5", "--json")
    assert run.exit == 0, run.stderr
    rows = json.loads(run.stdout)["rows"]
    assert [row["opponent"] for row in rows] == ["@homing", "@thief", "@greedy", "@pilot"]
    files = list(tmp_path.iterdir())
    assert len(files) == 10
    assert {len(decode(file.read_bytes()).header.seats) for file in files} == {5}


def test_a_table_that_can_not_be_filled_is_refused(niagara: Niagara) -> None:
    run = niagara("practice", "@random", "--seats", "6", "--sandbox", "none")
    assert (run.exit, run.stdout) == (2, "")
    assert "base is played by 3 to 5, not 6" in run.stderr
    run = niagara("practice", "@random", "--rules", "spirits", "--seats", "6", "--sandbox", "none")
    assert (run.exit, run.stdout) == (3, "")
    assert "a table of 6 needs 5 bundled opponents, and only 4 are there" in run.stderr
    assert "fewer --seats" in run.stderr


def test_a_bundled_bot_practises_against_the_others(
    niagara: Niagara, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = niagara(
        "practice", "@random", "--blocks", "1", "--seed", "1", "--sandbox", "none", "--json"
    )
    assert run.exit == 0
    listing = json.loads(run.stdout)
    assert listing["kind"] == "practice"
    assert [row["opponent"] for row in listing["rows"]] == ["@homing", "@thief"]
    assert all(row["won"] == 0 and row["games"] == 6 for row in listing["rows"])
    assert "beat next: @homing" in run.stderr
    kept = sorted(path.name for path in (tmp_path / "practice").iterdir())
    assert len(kept) == 3
    assert all(f"niagara replay show practice/{name}" in run.stderr for name in kept)


def test_all_games_are_kept_where_asked(
    niagara: Niagara, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    args = ["--blocks", "1", "--seed", "1", "--sandbox", "none", "--record", "all"]
    run = niagara("practice", "@random", *args, "--rules", "spirits")
    assert run.exit == 0
    assert len(list((tmp_path / "all").iterdir())) == 6
    assert not (tmp_path / "practice").exists()
