"""`niagara tournament plan` as a user sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Niagara
from tests.tournament.commands.words import BOTS


def test_plan_prints_the_schedule_and_its_balance(niagara: Niagara) -> None:
    run = niagara("tournament", "plan", *BOTS, "--bots", "@thief", "--seats", "3", "--seed", "7")
    assert run.exit == 0
    assert len(run.stdout.splitlines()) == 2 + 4
    assert "tables of 3: 4 matches, 24 games; 18 games a bot, 6 games a bot and seat," in run.stderr
    assert not Path("results").exists()


def test_plan_speaks_json_and_is_the_same_each_time(niagara: Niagara) -> None:
    command = ("tournament", "plan", *BOTS, "--bots", "@thief", "--seats", "3,4", "--seed", "x")
    one, two = niagara(*command, "--json"), niagara(*command, "--json")
    assert one.stdout == two.stdout
    document = json.loads(one.stdout)
    assert (document["kind"], document["version"]) == ("plan", 1)
    assert {len(row["table"].split(" – ")) for row in document["rows"]} == {3, 4}


def test_of_swiss_the_first_heat_is_planned(niagara: Niagara) -> None:
    run = niagara("tournament", "plan", *BOTS, "--format", "swiss", "--seed", "7")
    assert run.exit == 0
    assert "3 heats; from the second on they depend on results" in run.stderr


def test_a_gauntlet_follows_from_its_challengers(niagara: Niagara) -> None:
    run = niagara(
        "tournament", "plan", *BOTS, "--challengers", "@thief", "--seats", "3", "--seed", "7"
    )
    assert run.exit == 0
    assert all("thief" in line for line in run.stdout.splitlines()[2:])


BAD = {
    "no-bots": ((), "name the bots with --bots"),
    "two-bots": (("--bots", "@random", "--bots", "@homing"), "2 bots are too few for tables of 4"),
    "seats-that-are-no-numbers": ((*BOTS, "--seats", "four"), "is not of the form 4 or 3,4,5"),
    "too-many-seats": ((*BOTS, "--seats", "4"), "3 bots are too few for tables of 4"),
    "a-setting-that-does-not-exist": (
        (*BOTS, "--seats", "3", "--set", "max_round=3"),
        "there is no setting `max_round`",
    ),
    "openings-of-no-kind": ((*BOTS, "--seats", "3", "--openings", "book"), "can't read the openin"),
}


@pytest.mark.parametrize(("args", "message"), BAD.values(), ids=BAD)
def test_no_plan_of(niagara: Niagara, args: tuple[str, ...], message: str) -> None:
    run = niagara("tournament", "plan", *args)
    assert (run.exit, run.stdout) == (2, "")
    assert message in run.stderr
