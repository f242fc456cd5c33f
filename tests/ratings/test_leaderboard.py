"""The leaderboard as data, what is kept of it, and forecasts."""

from __future__ import annotations

import pytest

from benchmarks.worlds import World, play
from niagara_arena.errors import InputError
from niagara_arena.ratings import leaderboard as module
from niagara_arena.ratings.facts import Facts, Selection, select
from niagara_arena.ratings.forecast import half_split
from niagara_arena.ratings.kept import Kept
from niagara_arena.ratings.leaderboard import Bot, By, leaderboard
from niagara_arena.records import Standing
from tests.ratings.made import made, shuffled, winner_takes_all

BOTS = {"a": Bot("otter", "2", "Ann"), "b": Bot("beaver", "1", "Bob")}
GAMES = winner_takes_all([0, 1, 0, 0, 1, 0, 2, 0, 1, 0] * 2, "abc")


def test_rows_come_in_order_with_all_that_is_known() -> None:
    found = leaderboard(GAMES, BOTS)
    assert [row.order for row in found.rows] == [1, 2, 3]
    assert [row.bot.name for row in found.rows] == ["otter", "beaver", "c"]
    assert [row.tally.wins for row in found.rows] == [12, 6, 2]
    assert found.seats == 3
    lows = [row.skill.low for row in found.rows]
    assert lows == sorted(lows, reverse=True)


def test_the_order_can_be_by_another_measure() -> None:
    games = [
        *winner_takes_all([0] * 6, "abc"),
        *[made(10 + i, "abc", (3, 1, 2)) for i in range(5)],
        *[made(20 + i, "abc", (3, 2, 1)) for i in range(4)],
    ]
    assert [r.standing.bot for r in leaderboard(games, by=By.WINS).rows] == ["a", "b", "c"]
    assert [r.standing.bot for r in leaderboard(games, by=By.PLACING).rows] == ["b", "c", "a"]
    by_strength = [r.standing.strength for r in leaderboard(games, by=By.STRENGTH).rows]
    assert by_strength == sorted(by_strength, reverse=True)


def test_shuffled_games_give_the_same_table_and_the_same_bytes_to_keep() -> None:
    one, other = leaderboard(GAMES, BOTS), leaderboard(shuffled(GAMES), BOTS)
    assert one == other
    assert one.kept.encode() == other.kept.encode()


def test_a_selection_rates_only_what_it_holds() -> None:
    games = [*GAMES, *[made(50 + i, "xyz", (1, 2, 3), rules="spirits") for i in range(3)]]
    assert len(leaderboard(games).rows) == 6
    found = leaderboard(games, selection=Selection(rules="spirits"))
    assert {row.standing.bot for row in found.rows} == set("xyz")


def test_what_must_be_said_is_said() -> None:
    games = [
        *GAMES,
        made(50, "xyz", (1, 2, 3), rules="spirits"),
        made(51, "abc", (), verdicts=(Standing.VOID,) * 3, winners=()),
        made(52, "abc", (1, 2, 3), annulled=True),
        made(53, "abc", (1, 2, 3), fingerprint="f-0"),
    ]
    notes = leaderboard(games, BOTS).notes
    assert notes == (
        "no chain of games connects 2 parts of the field: otter, beaver, c; x, y, z; "
        "order and ranks between them are guesses",
        "1 game is void, not counted",
        "1 game is annulled, not counted",
        "1 game is a repetition of an earlier game, not counted",
        "rulesets are mixed: base, spirits",
    )
    assert leaderboard(GAMES).notes == ()


def test_no_games_give_an_empty_table() -> None:
    found = leaderboard([])
    assert found.rows == ()
    assert found.outlook.leader == ""


def test_what_is_kept_is_used_when_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    first = leaderboard(GAMES, BOTS)
    kept = Kept.decode(first.kept.encode())
    with monkeypatch.context() as patched:
        patched.delattr(module, "fit_columns")
        assert leaderboard(GAMES, BOTS, kept=kept) == first


def test_what_is_kept_is_not_used_when_it_does_not() -> None:
    kept = leaderboard(GAMES).kept
    more = [*GAMES, made(99, "abc", (3, 1, 2))]
    assert leaderboard(more, kept=kept) == leaderboard(more)


def test_what_is_kept_and_damaged_is_forgotten() -> None:
    data = leaderboard(GAMES).kept.encode()
    assert Kept.decode(data[:-1]) is None
    assert Kept.decode(b"") is None


def test_forecasts_of_the_second_half_beat_knowing_nothing() -> None:
    facts = select(play(World("any", bots=8, spread=1.0), 300, 1).games)
    found = half_split(facts)
    assert found.fitted + found.scored == len(facts.games)
    assert found.log_loss < found.uniform_loss - 0.1
    assert sum(b.forecasts for b in found.calibration) == found.scored * 4
    large = [b for b in found.calibration if b.forecasts > 150]
    assert len(large) >= 3
    for part in large:
        assert part.observed == pytest.approx(part.claimed, abs=0.1)


def test_a_forecast_needs_games_and_known_bots() -> None:
    with pytest.raises(InputError):
        half_split(Facts((made(0, "abc", (1, 2, 3)),)))
    with pytest.raises(InputError):
        half_split(Facts((made(0, "abc", (1, 2, 3)), made(1, "xyz", (1, 2, 3)))))
