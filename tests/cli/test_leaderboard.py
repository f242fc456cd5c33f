"""`niagara leaderboard`, `crosstable` and `compare`, as the user sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.filled import fill
from niagara_arena.cli import compare
from niagara_arena.cli.rated import find_bot
from niagara_arena.match import play_match
from niagara_arena.ratings.leaderboard import Bot
from niagara_arena.records import GameRecord, Standing
from tests.cli.conftest import Niagara
from tests.ratings.made import made, shuffled, winner_takes_all

OTTER, BEAVER, TROUT = "a" * 64, "b" * 64, "c" * 64
TABLE = (OTTER, BEAVER, TROUT)
BOTS = {
    OTTER: Bot("otter", "2.0", "Ann"),
    BEAVER: Bot("beaver\x1b[31m", "1.0", "Bob"),
    TROUT: Bot("trout", "1.0"),
}


@pytest.fixture
def db(tmp_path: Path) -> str:
    games = [
        *winner_takes_all([0, 1, 0, 0, 1, 0, 2, 0, 1, 0] * 3, TABLE),
        *[made(100 + i, TABLE, (1, 2, 3), tournament="late", rules="spirits") for i in range(4)],
        made(104, TABLE, (1, 2, 3), tournament="late", rules="spirits", fingerprint="f-100"),
    ]
    path = tmp_path / "arena.db"
    fill(path, games, BOTS)
    return str(path)


def rows(text: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(text)["rows"]
    return found


def test_the_leaderboard_shows_everything_to_programs(niagara: Niagara, db: str) -> None:
    run = niagara("leaderboard", "--db", db, "--json")
    assert run.exit == 0
    first = rows(run.stdout)[0]
    assert (
        list(first)
        == (
            "order rank bot version author skill mu sigma strength strength_low strength_high"
            " win_chance win_low win_high first rank_best rank_worst games wins mean_placing faults"
            " cpu_median_us cpu_worst_us submission"
        ).split()
    )
    assert (first["order"], first["bot"], first["version"], first["author"]) == (
        1,
        "otter",
        "2.0",
        "Ann",
    )
    assert first["games"] == 34
    assert first["wins"] == 22
    assert first["submission"] == OTTER


def test_the_leaderboard_says_what_must_be_said(niagara: Niagara, db: str) -> None:
    told = niagara("leaderboard", "--db", db).stderr
    assert "played without a sandbox: late, spring" in told or "spring, late" in told
    assert "1 game is a repetition of an earlier game, not counted" in told
    assert "rulesets are mixed: base, spirits" in told
    assert "otter is the strongest, or within 0.2 of it, with" in told


def test_people_see_less_unless_wide(niagara: Niagara, db: str) -> None:
    narrow = niagara("leaderboard", "--db", db).stdout
    wide = niagara("leaderboard", "--db", db, "--wide").stdout
    assert "P(first)" not in narrow
    assert "P(first)" in wide
    assert "\x1b" not in narrow
    assert OTTER not in narrow


@pytest.mark.parametrize(
    ("options", "games"),
    [
        (("--rules", "spirits"), 4),
        (("--rules", "base"), 30),
        (("--tournament", "spring"), 30),
        (("--seats", "3"), 34),
        (("--since", "2026-03-01"), 34),
    ],
)
def test_the_leaderboard_of_some_games(
    niagara: Niagara, db: str, options: tuple[str, ...], games: int
) -> None:
    found = rows(niagara("leaderboard", "--db", db, "--json", *options).stdout)
    assert [row["games"] for row in found] == [games] * 3


@pytest.mark.parametrize("command", ["leaderboard", "crosstable"])
def test_no_games_are_said_to_be_none(niagara: Niagara, db: str, command: str) -> None:
    run = niagara(command, "--db", db, "--since", "2030-01-01", "--seats", "4")
    assert run.exit == 0
    assert "no game was played that fits --seats 4 --since 2030-01-01" in run.stderr


@pytest.mark.parametrize("command", ["leaderboard", "crosstable"])
def test_games_that_are_all_void_are_not_said_to_be_missing(
    niagara: Niagara, tmp_path: Path, command: str
) -> None:
    void = (Standing.VOID,) * 3
    path = tmp_path / "void.db"
    fill(path, [made(i, TABLE, (1, 1, 1), verdicts=void, winners=()) for i in range(4)], BOTS)
    run = niagara(command, "--db", str(path))
    assert run.exit == 0
    assert "4 games are void, not counted" in run.stderr
    assert "none of these games counts" in run.stderr
    assert "tournament run" not in run.stderr


def test_submissions_of_one_name_and_version_are_told_apart(
    niagara: Niagara, tmp_path: Path
) -> None:
    twin = Bot("otter", "1.0", "Ann")
    path = str(tmp_path / "twins.db")
    games = winner_takes_all([0, 1] * 10, TABLE)
    fill(Path(path), games, {OTTER: twin, BEAVER: twin, TROUT: Bot("otter", "2.0", "Ann")})
    board = niagara("leaderboard", "--db", path)
    table = niagara("crosstable", "--db", path).stdout
    for told in (board.stdout, table):
        assert told.count(f"otter@{OTTER[:12]}") == told.count(f"otter@{BEAVER[:12]}") == 1
    assert f"otter@{OTTER[:12]} is the strongest" in board.stderr.replace(BEAVER[:12], OTTER[:12])
    assert f"otter@{TROUT[:12]}" not in table + board.stdout
    assert {row["bot"] for row in rows(niagara("leaderboard", "--db", path, "--json").stdout)} == {
        "otter"
    }
    met = rows(niagara("crosstable", f"otter@{OTTER[:12]}", "--db", path, "--json").stdout)
    assert {row["opponent"] for row in met} == {f"otter@{BEAVER[:12]}", "otter@2.0"}


def test_the_order_and_the_number_of_rows_can_be_chosen(niagara: Niagara, db: str) -> None:
    run = niagara("leaderboard", "--db", db, "--json", "--by", "wins", "--top", "2")
    assert [row["wins"] for row in rows(run.stdout)] == [22, 9]


def test_a_wrong_day_or_tournament_is_refused(niagara: Niagara, db: str) -> None:
    assert niagara("leaderboard", "--db", db, "--since", "yesterday").exit == 2
    assert niagara("leaderboard", "--db", db, "--tournament", "none").exit == 2


def test_a_lead_that_is_no_number_is_refused(niagara: Niagara, db: str) -> None:
    run = niagara("leaderboard", "--db", db, "--epsilon", "nan")
    assert run.exit == 2
    assert "'nan' is not a number that can be compared" in run.stderr


def test_ratings_are_kept_and_the_same_when_read_again(niagara: Niagara, db: str) -> None:
    first = niagara("leaderboard", "--db", db, "--json")
    kept = Path(f"{db}.ratings")
    data = kept.read_bytes()
    assert niagara("leaderboard", "--db", db, "--json").stdout == first.stdout
    assert kept.read_bytes() == data
    flipped = bytearray(data)
    place = data.index(OTTER.encode()) + len(OTTER) + 4  # in the first number of its skill
    flipped[place] ^= 1
    for damaged in (b"", b"damaged", data[:-1], bytes(flipped)):
        kept.write_bytes(damaged)
        assert niagara("leaderboard", "--db", db, "--json").stdout == first.stdout
        assert kept.read_bytes() == data


def test_ratings_that_cannot_be_kept_are_shown_all_the_same(
    niagara: Niagara, db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, *data: bytes, **options: bool) -> int:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    run = niagara("-v", "leaderboard", "--db", db)
    assert run.exit == 0
    assert "otter" in run.stdout
    assert "ratings are not kept: Read-only file system" in run.stderr


def test_the_order_in_which_games_were_stored_does_not_matter(
    niagara: Niagara, tmp_path: Path
) -> None:
    games = winner_takes_all([0, 1, 0, 2] * 5, TABLE)
    outputs = set()
    for name, part in (("one", games), ("other", shuffled(games))):
        fill(tmp_path / name, part, BOTS)
        outputs.add(niagara("leaderboard", "--db", str(tmp_path / name), "--json").stdout)
    assert len(outputs) == 2  # the schedule is another one, and TrueSkill goes by it
    strengths = {
        tuple((row["bot"], row["strength"], row["games"]) for row in rows(text)) for text in outputs
    }
    assert len({tuple(sorted(s, key=str)) for s in strengths}) == 1


def test_the_crosstable_shows_shares_and_counts(niagara: Niagara, db: str) -> None:
    run = niagara("crosstable", "--db", db)
    assert run.exit == 0
    assert "of 34" in run.stdout
    assert "\x1b" not in run.stdout
    found = rows(niagara("crosstable", "--db", db, "--json").stdout)
    assert len(found) == 6
    pair = next(row for row in found if row["bot"] == "otter" and row["opponent"] == "trout")
    assert (pair["games"], pair["better"], pair["tied"], pair["worse"]) == (34, 22, 9, 3)


def test_opponents_and_head_to_head(niagara: Niagara, db: str) -> None:
    met = rows(niagara("crosstable", "otter", "--db", db, "--json").stdout)
    assert {row["opponent"] for row in met} == {"beaver\x1b[31m", "trout"}
    run = niagara("crosstable", "otter@2.0", TROUT[:8], "--db", db, "--rules", "spirits", "--json")
    assert [row["placing"] for row in rows(run.stdout)] == [1, 1, 1, 1]
    assert "otter was placed above trout 4 times" in run.stderr


@pytest.mark.parametrize("text", ["a@b", "@a@b", "a@b@1.0", f"a@b@{OTTER[:6]}", OTTER[:6]])
def test_a_bot_with_an_at_in_its_name_is_found(text: str) -> None:
    assert find_bot(text, {OTTER: Bot("a@b", "1.0"), BEAVER: Bot("a", "c")}) == OTTER


@pytest.mark.parametrize(
    "arguments",
    [
        ("nobody",),
        ("otter@9",),
        ("otter", "trout", "otter"),
        ("otter", "--by-seat"),
        ("otter", "otter@2.0"),
    ],
)
def test_a_wrong_question_is_refused(niagara: Niagara, db: str, arguments: tuple[str, ...]) -> None:
    run = niagara("crosstable", *arguments, "--db", db)
    assert run.exit == 2
    assert run.stdout == ""


def test_the_seat_table(niagara: Niagara, db: str) -> None:
    found = rows(niagara("crosstable", "--by-seat", "--db", db, "--json").stdout)
    assert [(row["rules"], row["seat"]) for row in found] == [
        *(("base", seat) for seat in range(3)),
        *(("spirits", seat) for seat in range(3)),
    ]
    assert sum(int(str(row["wins"])) for row in found) == 34


def test_a_bot_is_compared_with_itself_and_not_found_better(niagara: Niagara) -> None:
    run = niagara(
        *("compare", "@homing", "@homing", "--against", "@homing", "--against", "@homing"),
        *("--openings", "none", "--seating", "single", "--margin", "0.5", "--seed", "7"),
        *("--sandbox", "none", "--max-games", "40", "--json"),
    )
    assert run.exit == 1
    found = rows(run.stdout)[0]
    assert found["verdict"] in ("not better", "open")
    assert found["difference"] == 0
    assert str(found["seed"]) == "7"


def test_an_interrupted_comparison_tells_how_it_stood(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = 0

    def interrupted(*job: Any) -> list[GameRecord]:
        nonlocal parts
        parts += 1
        if parts > 2:
            raise KeyboardInterrupt
        return play_match(*job)

    monkeypatch.setattr(compare, "play_match", interrupted)
    run = niagara(
        *("compare", "@homing", "@homing", "--against", "@homing", "--against", "@homing"),
        *("--openings", "none", "--seating", "single", "--sandbox", "none"),
    )
    assert run.exit == 130
    assert run.stdout == ""
    assert "undecided after 2 games: B − A +0.000, -1.000 to +1.000" in run.stderr


def test_compare_needs_a_full_table_and_a_plan_that_can_be_judged(niagara: Niagara) -> None:
    few = niagara("compare", "@homing", "@random", "--against", "@random")
    assert few.exit == 2
    assert "give 2 to 4 --against" in few.stderr
    wrong = niagara(
        *("compare", "@homing", "@random", "--against", "@random", "--against", "@random"),
        *("--alpha", "0.9"),
    )
    assert wrong.exit == 2
    short = niagara(
        *("compare", "@homing", "@random", "--against", "@random", "--against", "@random"),
        *("--max-games", "5"),
    )
    assert short.exit == 2
    assert "both bots in all seatings are 6 games" in short.stderr
