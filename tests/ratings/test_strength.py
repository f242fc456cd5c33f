"""The strength fit: pure, calm with few games, honest about games that go together."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from benchmarks.worlds import World, play
from niagara_arena.ratings import strength
from niagara_arena.ratings.columns import columns
from niagara_arena.ratings.facts import select
from niagara_arena.ratings.likelihood import model
from niagara_arena.ratings.standing import seat_effects
from niagara_arena.ratings.strength import Options, Strengths, fit
from niagara_arena.records import RatedGame
from tests.ratings.made import made, shuffled, winner_takes_all


def same_bytes(a: Strengths, b: Strengths) -> bool:
    def parts(found: Strengths) -> list[object]:
        values = [getattr(found, field.name) for field in fields(found)]
        return [v.tobytes() if isinstance(v, np.ndarray) else v for v in values]

    return parts(a) == parts(b)


def test_shuffled_games_give_the_same_bytes() -> None:
    games = play(World("any", seating="rotations"), 20, 3).games
    assert same_bytes(fit(select(games)), fit(select(shuffled(games))))


def test_strengths_that_the_games_follow_are_found() -> None:
    played = play(World("any", bots=8), 4000, 1)
    found = fit(select(played.games))
    assert found.bots == played.bots
    assert np.abs(found.mean - played.truth).max() < 0.12
    assert found.mean.sum() == pytest.approx(0, abs=1e-9)
    assert found.dispersion == pytest.approx(1, abs=0.1)


def test_information_and_score_are_derivatives_of_the_likelihood() -> None:
    games = [made(i, f"ab{c}", p) for i, (c, p) in enumerate([("c", (1, 2, 3)), ("d", (2, 1, 1))])]
    games.append(made(9, "aabcd", (1, 2, 3, 3, 5)))
    laid = model(columns(select(games)))
    theta = np.linspace(-0.7, 0.9, laid.parameters)

    def likely(at: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return laid.log_likelihood(laid.chances(at))

    chances = laid.chances(theta)
    for i in range(laid.parameters):
        step = np.zeros(laid.parameters)
        step[i] = 1e-5
        slope = (likely(theta + step) - likely(theta - step)) / 2e-5
        assert slope == pytest.approx(laid.score(chances)[i], abs=1e-6)
        bend = (
            laid.score(laid.chances(theta - step)) - laid.score(laid.chances(theta + step))
        ) / 2e-5
        assert laid.information(chances)[i] == pytest.approx(bend, abs=1e-6)


def test_many_rows_and_few_are_fitted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = select(play(World("any", bots=6), 600, 2).games)
    exact = fit(facts)
    monkeypatch.setattr(strength, "_EXACT_ROWS", 0)
    quick = fit(facts)
    assert quick.mean == pytest.approx(exact.mean, abs=0.01)
    assert np.diag(quick.covariance) == pytest.approx(np.diag(exact.covariance), rel=0.03)


def test_no_games_give_no_strengths() -> None:
    found = fit(select([]))
    assert found.bots == ()
    assert found.parts == ()


def test_one_game_says_little() -> None:
    found = fit(select([made(0, "abc", (1, 2, 3))]))
    assert found.mean[0] > 0
    assert np.sqrt(np.diag(found.covariance)).min() > 0.5


def test_an_unbeaten_bot_does_not_run_away() -> None:
    found = fit(select(winner_takes_all([0] * 200, "abc")))
    assert 1 < found.mean[0] < 8
    assert np.isfinite(found.covariance).all()


def test_the_games_of_an_unbeaten_bot_all_count() -> None:
    leads = []
    for count in (100, 1000):
        tables = [("a", *"bcde"[: i % 4], *"bcde"[i % 4 + 1 :]) for i in range(count)]
        found = fit(select([made(i, table, (1, 2, 2, 2)) for i, table in enumerate(tables)]))
        assert found.dispersion < 2
        leads.append(found.mean[0] / np.sqrt(found.covariance[0, 0]))
    assert leads[1] > 1.3 * leads[0]


def test_more_games_narrow_the_interval() -> None:
    deviations = []
    for count in (3, 30, 300):
        found = fit(select(winner_takes_all([number % 3 for number in range(count)], "abc")))
        deviations.append(float(np.sqrt(found.covariance[0, 0])))
        assert found.mean == pytest.approx(np.zeros(3), abs=0.05)
    assert deviations[0] > 1.5 * deviations[1] > 2 * deviations[2]


def test_co_winners_share_the_game() -> None:
    shared = [made(i, "abc", (1, 1, 3)) for i in range(40)]
    taken = [made(i, "abc", ((1, 2, 3), (2, 1, 3))[i % 2]) for i in range(40)]
    one, other = fit(select(shared)), fit(select(taken))
    assert one.mean[0] == pytest.approx(one.mean[1], abs=1e-6)
    assert one.mean == pytest.approx(other.mean, abs=0.8)
    assert one.dispersion == pytest.approx(0.5)


def test_games_without_a_winner_count_for_who_is_placed_first() -> None:
    found = fit(select([made(i, "abc", (2, 1, 3), winners=()) for i in range(20)]))
    assert found.mean.argmax() == 1


def test_parts_of_the_field_that_never_met_are_told_apart() -> None:
    games = [made(0, "abc", (1, 2, 3)), made(1, "cde", (1, 2, 3)), made(2, "xyz", (1, 2, 3))]
    assert fit(select(games)).parts == (tuple("abcde"), tuple("xyz"))
    joined = [*games, made(3, "azq", (1, 2, 3))]
    assert len(fit(select(joined)).parts) == 1


def test_comparing_parts_is_less_sure_than_comparing_within() -> None:
    games = [
        made(i, table, ((1, 2, 3), (3, 1, 2), (2, 3, 1))[i % 3])
        for i, table in enumerate(["abc", "xyz"] * 60)
    ]
    found = fit(select(games))

    def doubt(one: str, other: str) -> float:
        v = np.array([(bot == one) - (bot == other) for bot in found.bots], dtype=float)
        return float(v @ found.covariance @ v)

    assert doubt("a", "x") > 1.4 * doubt("a", "b")


def test_a_seat_that_is_worth_something_is_found_and_not_taken_for_strength() -> None:
    world = World("any", bots=6, seats=3, seating="rotations", seat_worth=(0.6, 0.0, -0.6))
    played = play(world, 900, 4)
    effects = seat_effects(fit(select(played.games)))
    assert [(e.rules, e.seats, e.seat) for e in effects] == [("base", 3, s) for s in range(3)]
    assert effects[0].low > 0 > effects[2].high
    assert effects[0].worth == pytest.approx(0.6, abs=0.15)
    assert sum(effect.chance for effect in effects) == pytest.approx(1)


def test_seat_terms_can_be_left_out() -> None:
    found = fit(select([made(0, "abc", (1, 2, 3))]), Options(seat_terms=False))
    assert len(found.seat_mean) == 0
    assert seat_effects(found) == []


def copied(game: RatedGame, times: int) -> list[RatedGame]:
    return [
        replace_game(game, order=game.order * times + i, cluster=f"c{game.order}")
        for i in range(times)
    ]


def replace_game(game: RatedGame, order: int, cluster: str) -> RatedGame:
    return made(order, game.seats, game.placings, cluster=cluster)


def test_games_that_always_go_together_count_as_about_one() -> None:
    played = play(World("any", bots=8), 60, 6).games
    alone = fit(select(played))
    copies = [copy for game in played for copy in copied(game, 5)]
    together = fit(select(copies))
    apart = fit(select([replace_game(game, game.order, f"{game.order}") for game in copies]))
    assert together.dispersion > 3.5
    assert np.trace(together.covariance) == pytest.approx(np.trace(alone.covariance), rel=0.25)
    assert np.trace(together.covariance) > 2 * np.trace(apart.covariance)


def test_rulesets_have_their_own_seats() -> None:
    games = [made(i, "abc", (1, 2, 3), rules=("base", "spirits")[i % 2]) for i in range(6)]
    found = fit(select(games))
    assert found.kinds == (("base", 3), ("spirits", 3))
    assert len(found.seat_mean) == 6


def test_fits_can_be_compared_field_by_field() -> None:
    found = fit(select([made(0, "abc", (1, 2, 3))]))
    assert same_bytes(found, replace(found))
    assert not same_bytes(found, replace(found, games=2))
