"""TrueSkill: as the library computes it, symmetric for ties, and able to go on."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random
from statistics import NormalDist
from typing import Any

import msgspec
import pytest
import trueskill

from niagara_arena.ratings import skill
from niagara_arena.ratings.facts import select
from niagara_arena.ratings.skill import Skill, SkillState, rate, start
from tests.ratings.made import made, shuffled, winner_takes_all

BACKEND = (
    lambda x: math.erfc(-x / math.sqrt(2)) / 2,
    lambda x: math.exp(-x * x / 2) / math.sqrt(2 * math.pi),
    NormalDist().inv_cdf,
)


def library(draw_probability: float) -> Any:
    return trueskill.TrueSkill(tau=0, draw_probability=draw_probability, backend=BACKEND)


@pytest.mark.parametrize("draw_probability", [0.1, 0.5])
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_one_game_is_rated_as_the_library_rates_it(draw_probability: float, seats: int) -> None:
    source = Random(seats)
    env = library(draw_probability)
    formulas = skill._Formulas(draw_probability)
    for _ in range(30):
        before = [Skill(source.gauss(25, 6), source.uniform(0.3, 8)) for _ in range(seats)]
        placings = sorted(source.randint(1, seats) for _ in before)
        expected = env.rate([(env.create_rating(s.mu, s.sigma),) for s in before], ranks=placings)
        ties = [a == b for a, b in pairwise(placings)]
        gains = skill._update(before, ties, formulas)
        for old, (precision, weighted), (new,) in zip(before, gains, expected, strict=True):
            total = old.sigma**-2 + precision
            assert (old.mu * old.sigma**-2 + weighted) / total == pytest.approx(new.mu, abs=1e-9)
            assert total**-0.5 == pytest.approx(new.sigma, abs=1e-9)


def spread(ratings: list[tuple[float, float]]) -> float:
    """Return how far apart the ratings are, in their sigmas."""
    mus = [mu for mu, _ in ratings]
    return (max(mus) - min(mus)) / max(sigma for _, sigma in ratings)


@pytest.mark.parametrize("draw_probability", [0.1, 0.5])
def test_identical_bots_that_win_in_turn_stay_together(draw_probability: float) -> None:
    bots = ("a", "b", "c", "d", "e")
    games = winner_takes_all([number % 5 for number in range(1000)], bots)
    after = rate(select(games), start(draw_probability)).skills
    assert spread([(s.mu, s.sigma) for s in after.values()]) < 0.1


@pytest.mark.parametrize("draw_probability", [0.1, 0.5])
def test_the_plain_library_drives_identical_bots_apart(draw_probability: float) -> None:
    env = library(draw_probability)
    ratings = [env.create_rating() for _ in range(5)]
    for number in range(1000):
        ranks = [0 if seat == number % 5 else 1 for seat in range(5)]
        ratings = [new for (new,) in env.rate([(old,) for old in ratings], ranks=ranks)]
    assert spread([(r.mu, r.sigma) for r in ratings]) > 0.3


def some_games(count: int = 60) -> list[Any]:
    source = Random(5)
    bots = [f"bot{i}" for i in range(8)]
    games = []
    for number in range(count):
        table = source.sample(bots, 4)
        placings = source.choice([(1, 2, 3, 4), (2, 1, 2, 4), (4, 2, 2, 1), (1, 1, 3, 3)])
        games.append(made(number, table, placings))
    return games


def test_the_order_of_the_input_does_not_matter() -> None:
    games = some_games()
    whole = msgspec.json.encode(rate(select(games)))
    assert msgspec.json.encode(rate(select(shuffled(games)))) == whole


def test_the_order_of_the_schedule_does() -> None:
    games = some_games()
    turned = [msgspec.structs.replace(game, order=-game.order) for game in games]
    assert rate(select(turned)).skills != rate(select(games)).skills


def test_rating_goes_on_from_a_kept_state() -> None:
    games = some_games()
    half = msgspec.json.encode(rate(select(games[:30])))
    kept = msgspec.json.decode(half, type=SkillState)
    assert rate(select(games), kept) == rate(select(games))


def test_only_new_games_are_rated(monkeypatch: pytest.MonkeyPatch) -> None:
    games = some_games()
    kept = rate(select(games[:50]))
    rated = []
    real = skill._after

    def noting(game: Any, *rest: Any) -> Any:
        rated.append(game)
        return real(game, *rest)

    monkeypatch.setattr(skill, "_after", noting)
    rate(select(games), kept)
    assert [game.order for game in rated] == list(range(50, 60))


@pytest.mark.parametrize("change", ["annulled", "late", "fewer", "placings"])
def test_a_kept_state_that_does_not_fit_is_thrown_away(change: str) -> None:
    games = some_games()
    kept = rate(select(games))
    match change:
        case "annulled":
            games[3] = msgspec.structs.replace(games[3], annulled=True)
        case "late":
            games.append(made(99, games[0].seats, (1, 2, 3, 4), tournament_order=0))
        case "fewer":
            games.pop()
        case "placings":
            games[7] = msgspec.structs.replace(games[7], placings=(4, 3, 2, 1))
    assert rate(select(games), kept) == rate(select(games))
    assert rate(select(games), kept) != kept


@pytest.mark.parametrize(
    ("god", "worm", "placings"),
    [
        pytest.param(Skill(5000.0, 0.01), Skill(-5000.0, 0.01), (2, 1, 3), id="division-by-zero"),
        pytest.param(Skill(396.0, 0.1), Skill(-370.0, 1.0), (2, 1, 1), id="root-of-a-negative"),
    ],
)
def test_a_game_the_library_cannot_compute_is_named_and_changes_nothing(
    god: Skill, worm: Skill, placings: tuple[int, ...]
) -> None:
    sure = SkillState(0.1, 0, start().digest, {"god": god, "worm": worm})
    state = rate(select([made(0, ("god", "worm", "new"), placings)]), sure)
    assert [skipped.game for skipped in state.skipped] == ["g-0000000000000000"]
    assert "all but impossible" in state.skipped[0].why
    assert state.skills == sure.skills
    assert state.games == 1


def test_a_bot_that_sits_twice_learns_from_both_seats() -> None:
    once = rate(select([made(0, ("a", "b", "c"), (1, 2, 3))])).skills
    twice = rate(select([made(0, ("a", "a", "c"), (1, 2, 3))])).skills
    assert set(twice) == {"a", "c"}
    assert twice["a"].sigma < once["a"].sigma


def test_winning_pays_and_a_bot_that_never_played_has_the_initial_rating() -> None:
    state = rate(select([made(i, ("a", "b", "c"), (1, 2, 3)) for i in range(20)]))
    assert state.of("a").low > state.of("b").low > state.of("c").low
    assert state.of("nobody") == Skill(25.0, 25 / 3)
