"""Swiss: pairings against brute force, seats, mixed tables, points and tie-breaks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from niagara_arena.errors import InputError
from niagara_arena.records import Settings
from niagara_arena.schedule import swiss
from niagara_arena.schedule.heats import heat_count, next_heat, withdrawn
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.spec import Spec
from niagara_arena.schedule.standings import POINT, Outcome, game_points, scores, standings
from niagara_arena.schedule.swiss import Player, cost_of, pair_heat, table_sizes
from tests.schedule.fields import field


def partitions(left: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to split players into tables of the sizes; some more than once."""
    if not sizes:
        yield []
        return
    for table in combinations(left, sizes[0]):
        rest = tuple(number for number in left if number not in table)
        for others in partitions(rest, sizes[1:]):
            yield [table, *others]


def made_up(size: int, seed: int, owners: int = 0) -> list[Player]:
    source = random.Random(seed)
    met: list[dict[str, int]] = [{} for _ in range(size)]
    for one, other in combinations(range(size), 2):
        if source.random() < 0.4:
            met[one][f"p{other}"] = met[other][f"p{one}"] = source.randint(1, 2)
    return [
        Player(
            f"p{number}",
            source.randint(0, 6) * 10,
            met[number],
            owner=f"o{number % owners}" if owners else "",
        )
        for number in range(size)
    ]


@pytest.mark.parametrize(
    ("size", "preferred", "seed", "owners"),
    [(size, 3 + seed % 3, seed, (0, 3)[seed % 2]) for size in (3, 5, 6, 7, 8, 9) for seed in (1, 2)]
    + [(10, 4, 3, 0)],
)
def test_a_small_field_is_paired_as_well_as_by_brute_force(
    size: int, preferred: int, seed: int, owners: int
) -> None:
    players = made_up(size, seed, owners)
    sizes = table_sizes(size, preferred, 5)
    best = min(cost_of(players, pairing) for pairing in partitions(tuple(range(size)), sizes))
    pairing = pair_heat(players, preferred, 5, "key")
    assert sorted(number for table in pairing for number in table) == list(range(size))
    assert cost_of(players, pairing) == best


def test_the_search_of_larger_fields_is_as_good_on_fields_of_twelve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seed in range(6):
        players = made_up(12, seed)
        best = cost_of(players, pair_heat(players, 4, 5, "key"))
        with monkeypatch.context() as patch:
            patch.setattr(swiss, "EXACT_FIELD", 0)
            patch.setattr(swiss, "_STEPS", 20_000)
            found = cost_of(players, pair_heat(players, 4, 5, "key"))
        assert found[1] == best[1]
        assert found[2] <= best[2] * 1.1


def test_a_pairing_does_not_depend_on_the_order_of_players() -> None:
    for size in (11, 20):
        players = made_up(size, 5)
        names = {
            frozenset(
                tuple(sorted(order[number].submission for number in table))
                for table in pair_heat(order, 4, 5, "key")
            )
            for order in (players, players[::-1])
        }
        assert len(names) == 1


@pytest.mark.parametrize("largest", [5, 6])
def test_any_field_from_three_splits_into_tables(largest: int) -> None:
    for size in range(3, 60):
        for preferred in range(3, largest + 1):
            sizes = table_sizes(size, preferred, largest)
            assert sum(sizes) == size
            assert all(3 <= table <= largest for table in sizes)
    assert table_sizes(12, 4, 5) == (4, 4, 4)
    assert table_sizes(11, 4, 5) == (4, 4, 3)
    assert table_sizes(6, 4, 5) == (3, 3)


def test_two_are_no_field() -> None:
    with pytest.raises(InputError, match="2 bots are too few"):
        table_sizes(2, 4, 5)


def play(spec: Spec, size: int, heats: int, crash: str = "") -> tuple[list[Outcome], list[int]]:
    """Play heats in which lower numbers tend to win; return the games and repeats a heat."""
    entrants = field(size, bots_an_owner=2)
    skill = {entrant.submission: number for number, entrant in enumerate(entrants)}
    source = random.Random(1)
    outcomes: list[Outcome] = []
    repeats = []
    met: Counter[tuple[str, str]] = Counter()
    for heat in range(heats):
        gone = withdrawn(spec, outcomes, entrants)
        tables = next_heat(spec, entrants, outcomes, heat, gone)
        assert sorted(n for t in tables for n in t) == sorted(set(skill) - gone)
        pairs = [pair for table in tables for pair in combinations(sorted(table), 2)]
        repeats.append(sum(met[pair] for pair in pairs))
        met.update(pairs)
        for number, table in enumerate(tables):
            for row in seatings(spec.seating, len(table)):
                seats = tuple(table[member] for member in row)
                order = sorted(seats, key=lambda n: (n == crash, source.gauss(skill[n], 4)))
                placings = tuple(1 + order.index(name) for name in seats)
                forfeited = tuple(name == crash for name in seats)
                outcomes.append(Outcome(f"{heat} {number}", seats, placings, forfeited))
    return outcomes, repeats


def test_nobody_meets_again_while_that_can_be_avoided() -> None:
    _, repeats = play(Spec(seed="seed", format="swiss"), 40, 6)
    assert repeats == [0] * 6
    _, repeats = play(Spec(seed="seed", format="swiss", seats=(3,)), 9, 4)
    assert repeats == [0] * 4  # the affine plane of order 3, heat by heat


def test_the_better_meet_the_better() -> None:
    outcomes, _ = play(Spec(seed="seed", format="swiss"), 40, 5)
    skill = {entrant.submission: number for number, entrant in enumerate(field(40))}
    last = [game for game in outcomes if game.match.startswith("4 ")]
    spread = [max(skill[n] for n in g.seats) - min(skill[n] for n in g.seats) for g in last]
    assert sum(spread) / len(spread) < 22  # four at random are 24 apart
    order = [skill[place.submission] for place in standings(outcomes, list(skill))]
    assert sum(order[:10]) < 10 * 12


def test_seats_are_balanced_over_the_heats() -> None:
    outcomes, _ = play(Spec(seed="seed", format="swiss", seating="single"), 16, 8)
    for score in scores(outcomes, [e.submission for e in field(16)]).values():
        assert sum(score.seats) == 8
        assert max(score.seats[:4]) <= 3
        assert min(score.seats[:4]) >= 1


def test_owners_are_kept_apart_in_swiss_too() -> None:
    spec = Spec(seed="seed", format="swiss", one_per_owner=True)
    owner = {entrant.submission: entrant.owner for entrant in field(14, bots_an_owner=2)}
    outcomes, _ = play(spec, 14, 4)
    assert all(len({owner[n] for n in g.seats}) == len(g.seats) for g in outcomes)


def test_who_forfeits_too_often_is_withdrawn_at_the_next_heat() -> None:
    crash = field(1)[0].submission
    outcomes, _ = play(Spec(seed="seed", format="swiss", withdraw_after=5), 12, 4, crash)
    matches = [game.match[0] for game in outcomes if crash in game.seats]
    assert set(matches) == {"0", "1"}  # 4 games in heat 0; over 5 in heat 1, which it finishes
    assert len({game.match for game in outcomes if game.match.startswith("3 ")}) == 3


def test_fewer_than_three_left_play_no_heat() -> None:
    entrants = field(4)
    gone = [entrant.submission for entrant in entrants[:2]]
    assert next_heat(Spec(seed="s", format="swiss"), entrants, [], 0, gone) == []


@pytest.mark.parametrize("size", [3, 5, 6, 7, 11, 23])
def test_a_heat_of_any_field_is_played_by_all(size: int) -> None:
    for rules, seats in [("base", 3), ("spirits", 6)]:
        spec = Spec(seed="s", format="swiss", seats=(seats,), settings=Settings(rules=rules))
        tables = next_heat(spec, field(size), [], 0)
        assert sorted(n for t in tables for n in t) == sorted(e.submission for e in field(size))


def test_heats_are_as_many_as_asked_for_or_as_tell_the_field_apart() -> None:
    assert heat_count(Spec(seed="s", heats=7), 100) == 7
    assert [heat_count(Spec(seed="s"), size) for size in (3, 4, 8, 9, 1000)] == [3, 3, 4, 5, 11]


def test_points_of_a_game() -> None:
    assert game_points((1, 2, 3)) == [POINT, POINT // 2, 0]
    assert game_points((2, 1, 2, 4)) == [POINT // 2, POINT, POINT // 2, 0]
    assert game_points((1, 1, 1, 1, 1)) == [POINT // 2] * 5
    for placings in [(1, 1, 3, 3, 5, 6), (1, 2, 2, 2), (3, 1, 1)]:
        assert sum(game_points(placings)) * 2 == POINT * len(placings)


def test_a_void_game_is_half_a_point() -> None:
    table = scores([Outcome("m", ("a", "b", "c"), ())], "abc")
    assert [table[name].points for name in "abc"] == [POINT // 2] * 3
    assert table["a"].games == 0


def places(*outcomes: Outcome, entrants: str = "abcdef") -> list[str]:
    return [place.submission for place in standings(outcomes, list(entrants))]


def test_points_come_first() -> None:
    order = places(Outcome("m", ("a", "b", "c"), (3, 2, 1)), entrants="abc")
    assert order == ["c", "b", "a"]


def test_then_the_strength_of_opponents_met() -> None:
    games = (
        Outcome("1", ("a", "c", "d"), (1, 2, 3)),
        Outcome("2", ("b", "e", "f"), (1, 2, 3)),
        Outcome("3", ("e", "x", "y"), (1, 2, 3)),
    )
    order = places(*games, entrants="abcdefxy")
    assert order.index("e") == 0
    assert order.index("b") < order.index("a")  # b beat e, who won elsewhere


def test_then_head_to_head_then_wins() -> None:
    first = Outcome("1", ("a", "b", "c"), (1, 2, 3))
    second = Outcome("2", ("b", "a", "c"), (1, 2, 3))
    assert places(first, second, entrants="abc") == ["a", "b", "c"]  # all equal: by id
    # With a third game both have the same points, and so the same opponents' strength.
    third = Outcome("3", ("b", "a", "c"), (2, 2, 1))
    assert places(first, second, third, entrants="abc")[:2] == ["a", "b"]
    group = standings([first, second], ["a", "b", "c"])
    assert [place.head_to_head for place in group] == [0, 0, 0]
    # a is ahead of b twice by little, b of a once by much: equal points, a leads head to head.
    games = (
        Outcome("1", ("b", "a", "x", "y", "z"), (2, 1, 3, 4, 5)),
        Outcome("2", ("b", "a", "x", "y", "z"), (2, 1, 3, 4, 5)),
        Outcome("3", ("b", "a", "x", "y", "z"), (1, 3, 2, 4, 5)),
    )
    found = {place.submission: place for place in standings(games, list("abxyz"))}
    assert found["a"].points == found["b"].points
    assert found["a"].opponents == found["b"].opponents
    assert (found["a"].head_to_head, found["b"].head_to_head) == (1, -1)
    assert (found["a"].rank, found["b"].rank) == (1, 2)


def test_to_be_first_where_nobody_won_is_no_win() -> None:
    games = [
        Outcome("1", ("a", "b", "c"), (1, 1, 3)),
        Outcome("2", ("a", "b", "c"), (1, 2, 3), winners=(0,)),
    ]
    assert [place.wins for place in standings(games, ["a", "b", "c"])] == [1, 0, 0]
