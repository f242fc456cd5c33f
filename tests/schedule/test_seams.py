"""Chance, seeds, seatings and openings: the small pure things that schedules are made of."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import pairwise, permutations

import pytest

from niagara_arena import rules
from niagara_arena.errors import ArenaError, InputError
from niagara_arena.schedule.chance import Chance, keyed
from niagara_arena.schedule.openings import random_opening
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.seeds import bot_seed, game_id, game_seed, match_id


def test_chance_never_changes() -> None:
    """These numbers are in every stored schedule; a change would orphan them."""
    chance = Chance("seed", "texts", 1)
    assert [chance.below(1000) for _ in range(6)] == [605, 859, 177, 406, 133, 818]
    assert Chance("seed", "x").shuffled("abcdef") == list("cadefb")


def test_chance_is_fair_enough() -> None:
    chance = Chance("fair")
    counts = Counter(chance.below(6) for _ in range(60_000))
    assert sorted(counts) == list(range(6))
    assert all(9_500 < count < 10_500 for count in counts.values())


def test_chance_shuffles_without_losing_anything() -> None:
    things = list(range(100))
    order = Chance("seed").shuffled(things)
    assert sorted(order) == things
    assert order != things
    assert things == list(range(100))


@pytest.mark.parametrize("limit", [0, -1, 2**64 + 1])
def test_chance_refuses_a_limit_of(limit: int) -> None:
    with pytest.raises(ValueError, match="the limit is from 1"):
        Chance("seed").below(limit)


def test_a_keyed_hash_tells_lists_apart() -> None:
    lists = [("ab", "c"), ("a", "bc"), ("abc",), ("ab", "c", ""), ("", "ab", "c")]
    assert len({keyed("key", *texts) for texts in lists}) == len(lists)
    assert keyed("key", "a") != keyed("kez", "a")
    assert keyed("key", "a", size=8) != keyed("key", "a")[:8]


def test_ids_and_seeds_have_their_shape() -> None:
    match = match_id("seed", ["a" * 64, "b" * 64], 0)
    game = game_id("seed", match, 0)
    seed = game_seed("seed", match, 0)
    assert (match, game) == ("m-62f7df212717ae43", "g-10b8d82f40d20470")
    assert (len(seed), int(seed, 16) >= 0) == (32, True)
    assert 0 <= bot_seed(seed, 0) < 2**48


def test_ids_and_seeds_differ_for_everything_that_differs() -> None:
    tables = [("a", "b", "c"), ("a", "c", "b"), ("a", "b"), ("ab", "c")]
    matches = {match_id(seed, t, i) for seed in ("s", "t") for t in tables for i in range(3)}
    assert len(matches) == 2 * 4 * 3
    games = {game_id("s", m, i) for m in matches for i in range(10)}
    seeds = {game_seed("s", m, i) for m in matches for i in range(10)}
    assert len(games) == len(seeds) == 240
    assert len({bot_seed(seed, seat) for seed in seeds for seat in range(6)}) == 1440


GAMES = {3: 6, 4: 4, 5: 10, 6: 6}


@pytest.mark.parametrize("seats", GAMES)
def test_a_balanced_seating_has_everybody_everywhere(seats: int) -> None:
    rows = seatings("balanced", seats)
    assert len(rows) == GAMES[seats]
    assert all(sorted(row) == list(range(seats)) for row in rows)
    places = Counter((seat, member) for row in rows for seat, member in enumerate(row))
    assert set(places.values()) == {len(rows) // seats}
    assert len(places) == seats * seats


@pytest.mark.parametrize("seats", GAMES)
def test_in_a_balanced_seating_all_neighbours_are_equal_within_one(seats: int) -> None:
    left_of = Counter(
        (row[seat], row[(seat + 1) % seats])
        for row in seatings("balanced", seats)
        for seat in range(seats)
    )
    assert set(left_of) == set(permutations(range(seats), 2))
    assert max(left_of.values()) - min(left_of.values()) <= 1
    # In a row, start to end, they are equal exactly: who plays just after whom in round 1.
    after = Counter(pair for row in seatings("balanced", seats) for pair in pairwise(row))
    assert len(set(after.values())) == 1


def test_the_other_seatings() -> None:
    assert seatings("single", 4) == ((0, 1, 2, 3),)
    assert seatings("rotations", 3) == ((0, 1, 2), (1, 2, 0), (2, 0, 1))


@pytest.mark.parametrize(("kind", "seats"), [("spiral", 4), ("balanced", 1)])
def test_no_seating_is_made_up(kind: str, seats: int) -> None:
    with pytest.raises(InputError):
        seatings(kind, seats)


@pytest.mark.parametrize(("name", "seats", "rounds"), [("base", 3, 8), ("spirits", 6, 3)])
def test_a_game_can_start_from_an_opening(name: str, seats: int, rounds: int) -> None:
    for number in range(5):
        position = random_opening(name, seats, rounds, f"seed {number}")
        state = rules.start_from(position).state
        assert (position["rules"], position["round"]) == (name, rounds + 1)
        assert (state.seats, state.over) == (seats, False)
        assert not any(player.get("retired") for player in position["players"])
        assert position == random_opening(name, seats, rounds, f"seed {number}")


def test_openings_vary_with_the_seed() -> None:
    found = {str(random_opening("base", 4, 3, str(number))) for number in range(20)}
    assert len(found) == 20


def test_play_that_is_won_early_is_begun_anew() -> None:
    """Forty rounds of random play are often won before; an opening never is."""
    for number in range(6):
        position = random_opening("base", 3, 40, str(number))
        assert position["round"] == 41


@pytest.mark.parametrize(
    ("name", "seats", "rounds"), [("base", 4, 0), ("base", 4, 41), ("base", 6, 2), ("x", 4, 2)]
)
def test_no_opening_of(name: str, seats: int, rounds: int) -> None:
    with pytest.raises(ArenaError):
        random_opening(name, seats, rounds, "seed")


def test_openings_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from niagara_arena.schedule.openings import random_opening as r;"
        "print(r('spirits', 4, 4, 'seed'))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1")
    }
    assert len(outputs) == 1
