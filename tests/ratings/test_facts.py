"""Which games count, and in which order."""

from __future__ import annotations

import pytest

from niagara_arena.errors import InputError
from niagara_arena.ratings.facts import Digest, Selection, select
from niagara_arena.records import Standing
from tests.ratings.made import made, shuffled

ABC = ("a", "b", "c")


def test_games_are_sorted_by_tournament_then_schedule() -> None:
    games = [
        made(2, ABC, (1, 2, 3), tournament="late", tournament_order=2),
        made(5, ABC, (1, 2, 3)),
        made(1, ABC, (1, 2, 3)),
    ]
    found = select(games).games
    assert [(g.tournament, g.order) for g in found] == [("spring", 1), ("spring", 5), ("late", 2)]
    assert select(shuffled(games)) == select(games)


def test_what_does_not_count_is_left_out_and_counted() -> None:
    void = (Standing.VOID,) * 3
    games = [
        made(0, ABC, (1, 2, 3)),
        made(1, ABC, (), verdicts=void, winners=()),
        made(2, ABC, (1, 2, 3), annulled=True),
        made(3, ABC, (3, 1, 2), fingerprint="f-0"),
        made(0, ABC, (1, 2, 3)),
    ]
    facts = select(games)
    assert [game.order for game in facts.games] == [0]
    assert (facts.void, facts.annulled, facts.duplicates) == (1, 1, 2)


def test_a_void_game_does_not_hide_its_replay() -> None:
    void = made(0, ABC, (), verdicts=(Standing.VOID,) * 3, winners=())
    replay = made(0, ABC, (1, 2, 3))
    assert select([void, replay]).games == (replay,)


def test_games_without_a_fingerprint_are_no_repetitions() -> None:
    games = [made(i, ABC, (1, 2, 3), fingerprint="") for i in range(3)]
    assert len(select(games).games) == 3


@pytest.mark.parametrize(
    ("selection", "orders"),
    [
        (Selection(), [0, 1, 2]),
        (Selection(rules="spirits"), [1]),
        (Selection(seats=3), [0, 1]),
        (Selection(since="2026-03-02"), [2]),
        (Selection(tournament="spring"), [0, 1, 2]),
        (Selection(tournament="autumn"), []),
        (Selection(epoch="2"), [0]),
    ],
)
def test_a_selection_keeps(selection: Selection, orders: list[int]) -> None:
    games = [
        made(0, ABC, (1, 2, 3), epoch="2"),
        made(1, ABC, (1, 2, 3), rules="spirits"),
        made(2, (*ABC, "d"), (1, 2, 3, 4), day="2026-03-02"),
    ]
    assert [game.order for game in select(games, selection).games] == orders


@pytest.mark.parametrize(
    "game",
    [
        made(0, ABC, (1, 2)),
        made(0, ABC, (2, 3, 4)),
        made(0, ABC, (1, 2, 3), winners=(3,)),
        made(0, ("a",), (1,)),
    ],
)
def test_a_game_whose_parts_do_not_fit_is_refused(game: object) -> None:
    with pytest.raises(InputError, match="g-0000000000000000"):
        select([game])  # type: ignore[list-item]  # it is a RatedGame


def test_a_digest_can_be_taken_in_parts() -> None:
    games = [made(i, ABC, (1, 2, 3)) for i in range(4)]
    parts = Digest(games[:1])
    parts.add(games[1:])
    assert parts.text() == Digest(games).text()
    assert Digest(games[:3]).text() != Digest(games).text()
    assert Digest([made(0, ABC, (1, 3, 2))]).text() != Digest(games[:1]).text()
