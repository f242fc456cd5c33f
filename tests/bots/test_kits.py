"""The starter kits: all of one shape, each plays and ends its first game, and behaves."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import pytest

from niagara_arena.replay.codec import deterministic_part, encode
from niagara_arena.submissions import load
from tests.bots.driver import POOR, BotProcess, play_game
from tests.bots.matches import BOTS, KITS, Workshop

LANGUAGES = ["cpp", "go", "java", "javascript", "python", "rust"]
EVERY_TABLE = [("base", 3), ("base", 4), ("base", 5), *(("spirits", n) for n in (3, 4, 5, 6))]
any_kit = pytest.mark.parametrize("kit", LANGUAGES)
any_bot = pytest.mark.parametrize(
    "folder", [*BOTS.values(), *KITS.values()], ids=lambda folder: folder.name
)


@contextmanager
def running(workshop: Workshop, folder: Path, number: int) -> Iterator[list[BotProcess]]:
    ready = workshop.ready(folder)
    with ExitStack() as stack:
        yield [
            stack.enter_context(BotProcess(ready.command, Path(ready.directory)))
            for _ in range(number)
        ]


def test_there_is_a_kit_for_each_language() -> None:
    assert sorted(KITS) == LANGUAGES


@any_kit
def test_a_kit_has_the_shape_of_all_kits(kit: str) -> None:
    folder = KITS[kit]
    names = {path.name.lower() for path in folder.iterdir() if path.is_file()}
    stems = {name.rpartition(".")[0] for name in names}
    assert {"readme.md", "bot.toml"} <= names
    assert {"bot", "arena"} <= stems
    assert stems <= {"readme", "bot", "arena", "json", "search"}
    submission = load(str(folder))
    assert submission.name == f"my-{kit}-bot"
    assert submission.version == "0.1.0"
    assert submission.authors == ("Your Name",)


@any_kit
def test_a_kit_names_all_its_files_in_its_readme(kit: str) -> None:
    text = (KITS[kit] / "README.md").read_text("utf-8")
    files = [path.name for path in KITS[kit].iterdir() if path.is_file()]
    assert [name for name in files if name != "README.md" and f"| `{name}` |" not in text] == []


@any_kit
def test_the_file_to_edit_is_short(kit: str) -> None:
    (bot,) = (p for p in KITS[kit].iterdir() if p.stem.lower() == "bot" and p.suffix != ".toml")
    assert len(bot.read_text("utf-8").splitlines()) <= 130


@any_kit
def test_the_first_game_of_a_kit_ends(kit: str, workshop: Workshop) -> None:
    table = [KITS[kit], BOTS["homing"], BOTS["random"]]
    for rules in ("base", "spirits"):
        (record,) = workshop.play(table, rules)
        assert record.end.reason == "won"


def test_kits_end_their_games_among_themselves(workshop: Workshop) -> None:
    table = [KITS[kit] for kit in LANGUAGES]
    for rules, seats in (("base", 5), ("spirits", 6)):
        ends = [record.end for record in workshop.play(table[:seats], rules, games=seats)]
        assert {end.reason for end in ends} == {"won"}
        assert median(end.rounds for end in ends) < 100


@any_kit
def test_a_kit_logs_and_notes(kit: str, workshop: Workshop) -> None:
    (record,) = workshop.play([KITS[kit], BOTS["greedy"], BOTS["greedy"]], max_rounds=10)
    seed = record.header.seats[0].seed
    assert f"base: seat 0 of 3, seed {seed}" in record.measured.stderr[0]
    assert any(note.startswith("score ") for note in record.measured.notes.values())


@any_kit
def test_the_same_seed_gives_the_same_game(kit: str, workshop: Workshop) -> None:
    def played(seed: str) -> list[bytes]:
        table = [KITS[kit], BOTS["greedy"], BOTS["greedy"]]
        records = workshop.play(table, "spirits", games=2, seed=seed, max_rounds=20)
        return [deterministic_part(encode(record)) for record in records]

    assert played("a") == played("a")


@any_bot
def test_a_bot_plays_on_through_unknown_fields_and_many_games(
    folder: Path, workshop: Workshop
) -> None:
    with running(workshop, folder, 1) as (bot,), running(workshop, BOTS["greedy"], 5) as others:
        for rules, seats in EVERY_TABLE:
            table = [bot, *others[: seats - 1]]
            play_game(table, rules, seed=seats, max_rounds=12)
        assert bot.quit() == 0


@any_bot
def test_a_bot_answers_without_a_clock_and_with_an_empty_one(
    folder: Path, workshop: Workshop
) -> None:
    with running(workshop, folder, 1) as (bot,), running(workshop, BOTS["greedy"], 2) as others:
        for clock in (None, POOR):
            play_game([bot, *others], "spirits", max_rounds=4, clock=clock)
        assert bot.quit() == 0


@any_bot
def test_a_bot_exits_when_the_arena_hangs_up(folder: Path, workshop: Workshop) -> None:
    with running(workshop, folder, 1) as (bot,):
        assert bot.hang_up() == 0


@any_bot
def test_a_bot_takes_a_ruling_and_what_it_does_not_know(folder: Path, workshop: Workshop) -> None:
    with running(workshop, folder, 1) as (bot,), running(workshop, BOTS["greedy"], 2) as others:
        play_game([bot, *others], "base", max_rounds=2)
        bot.say(
            {
                "type": "ruling",
                "id": 1,
                "fault": "illegal",
                "sentence": "not so: “ß” \U0001f6f6",
                "played": {"card": "1"},
                "faults_left": 2,
            }
        )
        bot.say({"type": "something-new", "of": "a later protocol"})
        play_game([bot, *others], "base", max_rounds=2)
        assert bot.quit() == 0


def test_the_python_kit_searches_with_the_rules(workshop: Workshop) -> None:
    with running(workshop, KITS["python"], 1) as (bot,):
        with running(workshop, BOTS["greedy"], 2) as others:
            params = [{"search": True}, {}, {}]
            play_game([bot, *others], "base", max_rounds=3, params=params)
        assert bot.quit() == 0
        assert any(note.endswith(" samples") for note in bot.notes)


def test_the_python_kit_says_why_it_can_not_search() -> None:
    run = subprocess.run(
        ["/usr/bin/env", "python3", "-B", "-c", "import search; print(search.available())"],
        cwd=KITS["python"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(KITS["python"])},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert run.stdout == b"False\n"
    assert b"no search: niagara_arena.rules can't be imported" in run.stderr
