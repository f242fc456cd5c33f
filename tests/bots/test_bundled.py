"""The bundled opponents: legal, lively, repeatable, and as strong as they say."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest

from niagara_arena.records import GameRecord, Played
from niagara_arena.replay.codec import deterministic_part, encode
from niagara_arena.submissions import load
from tests.bots.matches import BOTS, KITS, Workshop, wins

FINISHERS = ("homing", "thief", "greedy", "pilot")


def actions(records: list[GameRecord]) -> list[bytes]:
    return [
        bytes(act.action)
        for record in records
        for page in record.rounds
        for act in page.acts
        if isinstance(act, Played)
    ]


def test_there_are_opponents_in_four_languages() -> None:
    submissions = [load(f"@{name}") for name in BOTS]
    assert {"random", "homing", "greedy", "thief", "pilot"} == set(BOTS)
    assert len({submission.language for submission in submissions}) >= 4
    for name, submission in zip(BOTS, submissions, strict=True):
        assert submission.name == name
        assert submission.authors == ("Niagara Arena contributors",)


@pytest.mark.parametrize("name", BOTS)
def test_an_opponent_is_described_in_a_paragraph(name: str) -> None:
    title, blank, *text = (BOTS[name] / "README.md").read_text("utf-8").splitlines()
    assert title == f"# @{name}"
    assert blank == ""
    assert 3 <= len(text) <= 12
    assert all(text)


@pytest.mark.parametrize(
    "path",
    [path for folder in BOTS.values() for path in folder.iterdir() if path.suffix != ".md"],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_a_library_is_the_same_as_in_its_kit(path: Path) -> None:
    for kit in KITS.values():
        original = kit / path.name
        if original.exists() and path.stem.lower() in ("arena", "json"):
            assert path.read_bytes() == original.read_bytes()


@pytest.mark.parametrize("name", BOTS)
def test_an_opponent_plays_under_the_referee(name: str, workshop: Workshop) -> None:
    for rules, seats in (("base", 3), ("spirits", 6)):
        records = workshop.play([BOTS[name]] * seats, rules, games=2, max_rounds=40)
        assert len(records) == 2


@pytest.mark.parametrize("rules", ["base", "spirits"])
@pytest.mark.parametrize("seats", [3, 5])
def test_the_finishers_end_their_games_in_tens_of_rounds(
    rules: str, seats: int, workshop: Workshop
) -> None:
    table = [BOTS[name] for name in (FINISHERS * 2)[:seats]]
    ends = [record.end for record in workshop.play(table, rules, games=2 * seats)]
    assert {end.reason for end in ends} == {"won"}
    assert median(end.rounds for end in ends) < 60


@pytest.mark.parametrize("name", FINISHERS)
@pytest.mark.parametrize("rules", ["base", "spirits"])
def test_a_finisher_ends_games_against_its_own_kind(
    name: str, rules: str, workshop: Workshop
) -> None:
    ends = [record.end for record in workshop.play([BOTS[name]] * 4, rules, games=4)]
    assert {end.reason for end in ends} == {"won"}


@pytest.mark.parametrize("rules", ["base", "spirits"])
def test_the_ladder_goes_from_weak_to_strong(rules: str, workshop: Workshop) -> None:
    low = workshop.play([BOTS["homing"], BOTS["random"], BOTS["random"]], rules, games=6)
    assert wins(low, "homing") == 6
    middle = workshop.play([BOTS["greedy"], BOTS["homing"], BOTS["random"]], rules, games=12)
    assert wins(middle, "greedy") > 2 * wins(middle, "homing")
    top = workshop.play([BOTS["pilot"], BOTS["greedy"], BOTS["thief"]], rules, games=15)
    assert wins(top, "pilot") > wins(top, "greedy") > wins(top, "thief")


def test_the_thief_lives_on_others(workshop: Workshop) -> None:
    table = [BOTS["thief"], BOTS["homing"], BOTS["homing"], BOTS["homing"], BOTS["homing"]]
    stolen = [
        theft["seat"]
        for action in actions(workshop.play(table, games=5))
        for theft in json.loads(action).get("steal", [])
    ]
    assert len(stolen) >= 5


def test_malice_changes_what_the_thief_does(workshop: Workshop) -> None:
    table = [BOTS["thief"], *[BOTS["homing"]] * 4]
    meek, bad = (
        actions(workshop.play(table, games=2, params=[{"malice": malice}, {}, {}, {}, {}]))
        for malice in (0, 4)
    )
    assert meek != bad


@pytest.mark.parametrize("name", BOTS)
def test_the_same_seed_gives_the_same_game(name: str, workshop: Workshop) -> None:
    def played(seed: str) -> list[bytes]:
        table = [BOTS[name]] * 3
        records = workshop.play(table, "spirits", games=2, seed=seed, max_rounds=15)
        return [deterministic_part(encode(record)) for record in records]

    assert played("a") == played("a")
    assert played("a") != played("b")


def test_random_uses_its_seed(workshop: Workshop) -> None:
    table = [BOTS["random"]] * 3
    one, two = (workshop.play(table, max_rounds=5, seed=seed) for seed in "ab")
    assert actions(one) != actions(two)
