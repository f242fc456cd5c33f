"""The stopping rule."""

from __future__ import annotations

import pytest

from niagara_arena.ratings.facts import select
from niagara_arena.ratings.settle import Outlook, State, decide, outlook
from niagara_arena.ratings.strength import fit
from tests.ratings.made import made, winner_takes_all


def test_a_clear_leader_settles_it() -> None:
    found = outlook(fit(select(winner_takes_all(([0] * 4 + [1, 2]) * 30, "abc"))))
    assert found.leader == "a"
    assert found.settled
    assert found.more == 0


@pytest.mark.parametrize(
    ("sure", "text"), [(0.5, "50.0%"), (0.9994, "99.9%"), (1.0, "more than 99.9%")]
)
def test_no_more_is_claimed_than_the_draws_can_show(sure: float, text: str) -> None:
    assert Outlook("a", sure, 0.2, 600, 0).sure_text == text


def test_an_open_race_says_how_many_more_games_it_takes() -> None:
    games = winner_takes_all(([0] * 5 + [1] * 4 + [2] * 3) * 3, "abc")
    found = outlook(fit(select(games)), epsilon=0.05)
    assert not found.settled
    assert found.more is not None
    assert found.more > len(games)


def test_a_larger_epsilon_needs_fewer_games() -> None:
    strengths = fit(select(winner_takes_all(([0] * 5 + [1] * 4 + [2] * 3) * 3, "abc")))
    needed = [outlook(strengths, epsilon).more for epsilon in (0.05, 0.1, 0.3)]
    assert all(n is not None for n in needed)
    assert needed == sorted(needed, key=lambda n: -(n or 0))
    assert len(set(needed)) == 3


def test_the_forecast_of_games_needed_comes_true() -> None:
    pattern = [0] * 6 + [1] * 4 + [2] * 3
    few = winner_takes_all(pattern * 3, "abc")
    more = outlook(fit(select(few)), epsilon=0.1).more
    assert more is not None
    times = -(-(len(few) + more) // len(pattern))
    assert outlook(fit(select(winner_takes_all(pattern * times, "abc"))), epsilon=0.1).settled
    assert not outlook(fit(select(winner_takes_all(pattern * (times // 2), "abc"))), 0.1).settled


def test_without_games_nothing_is_settled() -> None:
    found = decide([])
    assert found.state is State.GO_ON
    assert found.outlook.leader == ""


@pytest.mark.parametrize(
    ("winners", "cap", "before", "state"),
    [
        ([0, 1, 2], None, None, State.GO_ON),
        ([0, 1, 2], 3, None, State.CAP),
        ([0, 1, 2], 4, 2, State.GO_ON),
        ([0, 1, 2], None, 3, State.NO_NEWS),
        ([0] * 60, 3, 60, State.SETTLED),
    ],
)
def test_at_a_border_a_tournament_should(
    winners: list[int], cap: int | None, before: int | None, state: State
) -> None:
    found = decide(winner_takes_all(winners, "abc"), cap=cap, counted_before=before)
    assert found.state is state
    assert found.sentence


def test_a_block_that_only_repeats_is_no_news() -> None:
    first = winner_takes_all([0, 1, 2], "abc")
    again = [
        made(9 + i, g.seats, g.placings, fingerprint=g.fingerprint) for i, g in enumerate(first)
    ]
    before = decide(first).outlook.games
    found = decide([*first, *again], counted_before=before)
    assert found.state is State.NO_NEWS
    assert "3 of all games repeat" in found.sentence
