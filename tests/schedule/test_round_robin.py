"""Round robins and gauntlets: how fair they are, counted anew; jobs and their seeds."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import msgspec
import pytest

from niagara_arena.errors import InputError
from niagara_arena.records import MatchJob, Settings
from niagara_arena.rules import start_from
from niagara_arena.schedule.balance import balances
from niagara_arena.schedule.chance import Chance
from niagara_arena.schedule.design import base_tables, spread
from niagara_arena.schedule.openings import random_opening
from niagara_arena.schedule.places import balance_places
from niagara_arena.schedule.plan import fixed_plan, make_job, plan_tables
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.spec import Entrant, Spec, check_spec
from tests.schedule.fields import field


def count(spec: Spec, entrants: list[Entrant]) -> dict[str, Counter[Any]]:
    """Count from the jobs themselves who plays how often, where, and with whom."""
    games: Counter[Any] = Counter()
    places: Counter[Any] = Counter()
    pairs: Counter[Any] = Counter()
    for planned in fixed_plan(spec, entrants):
        job = make_job(spec, planned)
        pairs.update(combinations(sorted(job.entrants), 2))
        for game in job.games:
            for seat, member in enumerate(game.seating):
                games[job.entrants[member]] += 1
                places[job.entrants[member], len(job.entrants), seat] += 1
    return {"games": games, "places": places, "pairs": pairs}


def gap(counts: Counter[Any], expected: int) -> int:
    low = min(counts.values()) if len(counts) == expected else 0
    return int(max(counts.values()) - low)


FIELDS = [
    (size, seats, seating, games)
    for size, seats in [(3, 3), (4, 3), (4, 4), (6, 4), (8, 4), (9, 3), (7, 5), (13, 4), (30, 5)]
    for seating, games in [("balanced", 0), ("single", 0), ("single", 25), ("rotations", 40)]
]


@pytest.mark.parametrize(("size", "seats", "seating", "games"), FIELDS)
def test_everybody_plays_and_sits_equally_often(
    size: int, seats: int, seating: str, games: int
) -> None:
    entrants = field(size)
    spec = Spec(seed="seed", seats=(seats,), seating=seating, games_per_bot=games)
    counted = count(spec, entrants)
    assert gap(counted["games"], size) == 0
    assert min(counted["games"].values()) >= games
    assert gap(counted["places"], size * seats) == 0
    assert gap(counted["pairs"], size * (size - 1) // 2) <= 1


def test_all_tables_are_played_where_they_are_few() -> None:
    entrants = field(8)
    tables = plan_tables(fixed_plan(Spec(seed="seed"), entrants))
    everybody = sorted(entrant.submission for entrant in entrants)
    assert sorted(tuple(sorted(table)) for table in tables) == list(combinations(everybody, 4))


DESIGNS = {
    (13, 4, 1): 0,
    (21, 5, 1): 0,
    (7, 3, 1): 0,
    (31, 6, 1): 0,
    (30, 5, 2): 1,
    (50, 4, 3): 1,
    (41, 5, 2): 0,
    (49, 4, 4): 0,
    (31, 6, 2): 0,
}


@pytest.mark.parametrize("shape", DESIGNS)
def test_a_known_design_is_found(shape: tuple[int, int, int]) -> None:
    size, seats, tables = shape
    low, high = spread(size, base_tables(size, seats, tables, "seed"))
    assert high - low == DESIGNS[shape]


def test_every_cyclic_design_that_exists_in_small_fields_is_found() -> None:
    """All sets of base tables are tried, of one and of two tables of 3 and 4."""
    for size, seats, tables in product(range(6, 14), (3, 4), (1, 2)):
        bases = [(0, *rest) for rest in combinations(range(1, size), seats - 1)]
        spreads = (
            spread(size, list(some)) for some in combinations_with_replacement(bases, tables)
        )
        least = min(high - low for low, high in spreads)
        low, high = spread(size, base_tables(size, seats, tables, "seed"))
        assert (high - low <= 1) == (least <= 1), (size, seats, tables)


def test_another_seed_gives_another_tight_design() -> None:
    found = {tuple(base_tables(41, 5, 2, f"seed {number}")) for number in range(5)}
    assert len(found) == 5
    assert all(spread(41, list(tables)) == (1, 1) for tables in found)


def test_where_no_cyclic_design_is_flat_exchanging_mends_it() -> None:
    """Twelve entrants, tables of 3, six each: two base tables can't cover all differences."""
    low, high = spread(12, base_tables(12, 3, 2, "seed"))
    assert high - low == 2
    spec = Spec(seed="seed", seats=(3,), seating="single", games_per_bot=6)
    counted = count(spec, field(12))
    assert gap(counted["pairs"], 66) == 1
    assert set(counted["games"].values()) == {6}
    assert set(counted["places"].values()) == {2}


def test_several_sizes_are_each_balanced_and_mixed() -> None:
    entrants = field(9)
    spec = Spec(seed="seed", seats=(3, 4, 5), games_per_bot=100)
    planned = fixed_plan(spec, entrants)
    found = balances(plan_tables(planned), [e.submission for e in entrants], spec.seating)
    assert [balance.seats for balance in found] == [3, 4, 5]
    for balance in found:
        assert balance.games_per_bot.least == balance.games_per_bot.most >= 34
        assert balance.games_per_seat.least == balance.games_per_seat.most
        assert balance.tables_per_pair.even
    early = planned[: len(planned) * 2 // 3]
    assert {len(match.table) for match in early} == {3, 4, 5}


def test_early_on_everybody_has_played_about_equally_often() -> None:
    entrants = field(40)
    planned = fixed_plan(Spec(seed="seed", games_per_bot=48), entrants)
    played: Counter[str] = Counter()
    for match in planned[: len(planned) // 4]:
        played.update(match.table)
    assert len(played) == 40
    assert max(played.values()) - min(played.values()) <= 2


def test_bots_of_one_owner_never_meet_and_all_else_stays_fair() -> None:
    entrants = field(24, bots_an_owner=3)
    owner = {entrant.submission: entrant.owner for entrant in entrants}
    spec = Spec(seed="seed", seating="single", games_per_bot=20, one_per_owner=True)
    tables = plan_tables(fixed_plan(spec, entrants))
    assert all(len({owner[name] for name in table}) == 4 for table in tables)
    counted = count(spec, entrants)
    assert set(counted["games"].values()) == {20}
    assert set(counted["places"].values()) == {5}
    (balance,) = balances(tables, list(owner), spec.seating, owner)
    assert balance.owner_clashes == 0
    mixed = plan_tables(fixed_plan(Spec(seed="seed", seating="single"), entrants))
    assert balances(mixed, list(owner), spec.seating, owner)[0].owner_clashes > 0


def test_too_many_bots_of_one_owner_are_refused() -> None:
    with pytest.raises(InputError, match="owner `owner-0` has 4 of 12 bots"):
        fixed_plan(Spec(seed="seed", one_per_owner=True), field(12, bots_an_owner=4))


@pytest.mark.parametrize("seating", ["balanced", "single"])
@pytest.mark.parametrize("size", [5, 10])
def test_challengers_meet_the_same_tables_in_the_same_seats(size: int, seating: str) -> None:
    entrants = field(size)
    both = (entrants[3].submission, entrants[4].submission)
    spec = Spec(seed="seed", format="gauntlet", challengers=both, seating=seating)
    if seating == "single":
        spec = msgspec.structs.replace(spec, openings="random:3")
    seen: dict[str, list[Any]] = {name: [] for name in both}
    for planned in fixed_plan(spec, entrants):
        job = make_job(spec, planned)
        (challenger,) = set(both) & set(job.entrants)
        table = ["-" if name == challenger else name for name in job.entrants]
        seen[challenger].append(
            [table, [(g.seed, g.seating, g.opening, g.position) for g in job.games]]
        )
    first, second = seen.values()
    assert first == second
    seats: Counter[int] = Counter()
    for table, games in first:
        for _, seating_row, _, _ in games:
            seats[seating_row.index(table.index("-"))] += 1
    assert len(seats) == 4
    assert max(seats.values()) - min(seats.values()) <= 1
    assert sum(seats.values()) >= 60


def test_a_schedule_does_not_depend_on_the_order_of_entrants() -> None:
    entrants = field(10)
    spec = Spec(seed="seed", openings="random:2", seats=(3, 5), games_per_bot=50)
    one = [make_job(spec, match) for match in fixed_plan(spec, entrants)]
    two = [make_job(spec, match) for match in fixed_plan(spec, entrants[::-1])]
    assert msgspec.json.encode(one) == msgspec.json.encode(two)
    other = msgspec.structs.replace(spec, seed="another")
    assert plan_tables(fixed_plan(spec, entrants)) != plan_tables(fixed_plan(other, entrants))


def test_ids_and_seeds_of_a_schedule_are_all_different() -> None:
    spec = Spec(seed="seed", games_per_bot=200)
    planned = fixed_plan(spec, field(5))
    jobs = [make_job(spec, match) for match in planned]
    assert len({job.match for job in jobs}) == len(jobs) > 50
    games = [game for job in jobs for game in job.games]
    assert len({game.game for game in games}) == len({game.seed for game in games}) == len(games)
    assert [match.order for match in planned] == list(range(len(jobs)))
    assert planned[7].first_game == sum(len(job.games) for job in jobs[:7])
    assert msgspec.json.decode(msgspec.json.encode(jobs[0]), type=MatchJob) == jobs[0]


def test_each_match_has_an_opening_of_its_own_for_all_its_games() -> None:
    spec = Spec(seed="seed", openings="random:4", games_per_bot=60)
    jobs = [make_job(spec, match) for match in fixed_plan(spec, field(5))]
    assert all(len({game.opening for game in job.games}) == 1 for job in jobs)
    assert len({job.games[0].opening for job in jobs}) == len(jobs)
    position = jobs[0].games[0].position
    assert position is not None
    assert not start_from(position).state.over


def test_positions_of_a_file_take_turns_at_each_table() -> None:
    positions = tuple(random_opening("base", 4, 2, str(n)) for n in range(3))
    spec = Spec(seed="seed", openings="file", positions=positions, games_per_bot=24)
    jobs = [make_job(spec, match) for match in fixed_plan(spec, field(4))]
    openings = Counter(job.games[0].opening for job in jobs)
    assert openings == Counter({"file-0": 2, "file-1": 2, "file-2": 2})
    assert all(job.games[0].position in positions for job in jobs)


def test_places_are_balanced_for_any_tables() -> None:
    chance = Chance("tables")
    tables = [tuple(chance.shuffled(range(11))[:4]) for _ in range(100)]
    placed = balance_places(tables)
    assert [sorted(table) for table in placed] == [sorted(table) for table in tables]
    for entrant in range(11):
        seats = Counter(table.index(entrant) for table in placed if entrant in table)
        assert max(seats.values()) - min(seats[seat] for seat in range(4)) <= 1
    assert balance_places([]) == []


BAD = {
    "an-unknown-format": (Spec(seed="s", format="knockout"), "unknown format `knockout`"),
    "an-unknown-seating": (Spec(seed="s", seating="x"), "unknown seating `x`"),
    "unknown-rules": (Spec(seed="s", settings=Settings(rules="chess")), "unknown rules `chess`"),
    "six-seats-in-the-base-game": (Spec(seed="s", seats=(6,)), "base is played by 3 to 5 seats"),
    "a-size-twice": (Spec(seed="s", seats=(4, 4)), "`seats` names each table size once"),
    "too-few-bots": (Spec(seed="s", seats=(5,)), "4 bots are too few for tables of 5"),
    "several-sizes-in-swiss": (
        Spec(seed="s", format="swiss", seats=(3, 4)),
        "Swiss takes one size of table",
    ),
    "games-per-bot-in-swiss": (
        Spec(seed="s", format="swiss", games_per_bot=9),
        "Swiss is as long as its heats",
    ),
    "heats-in-a-round-robin": (Spec(seed="s", heats=3), "only Swiss has heats"),
    "challengers-in-a-round-robin": (Spec(seed="s", challengers=("x",)), "only a gauntlet has"),
    "a-negative-number": (Spec(seed="s", withdraw_after=-1), "`withdraw_after` is not negative"),
    "no-seed": (Spec(seed=""), "needs a seed"),
    "openings-without-a-number": (Spec(seed="s", openings="random:x"), "`random:x` is no kind"),
    "openings-of-too-many-rounds": (Spec(seed="s", openings="random:99"), "`random:99` is no"),
    "openings-longer-than-a-game": (
        Spec(seed="s", openings="random:9", settings=Settings(max_rounds=9)),
        "openings of 9 rounds leave nothing of 9",
    ),
    "unknown-openings": (Spec(seed="s", openings="book"), "unknown openings `book`"),
    "a-file-without-positions": (Spec(seed="s", openings="file"), "need positions"),
    "positions-of-other-rules": (
        Spec(seed="s", openings="file", positions=(random_opening("spirits", 4, 1, "s"),)),
        "no base game can start from position 0",
    ),
    "positions-of-another-size": (
        Spec(seed="s", openings="file", positions=(random_opening("base", 3, 1, "s"),)),
        "no position for 4 seats",
    ),
}


@pytest.mark.parametrize(("spec", "message"), BAD.values(), ids=BAD)
def test_no_tournament_with(spec: Spec, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_spec(spec, 4)


def test_a_gauntlet_needs_its_challengers_among_the_entrants() -> None:
    with pytest.raises(InputError, match="needs challengers"):
        fixed_plan(Spec(seed="s", format="gauntlet", challengers=("x",)), field(6))
    few = field(4)
    challengers = tuple(entrant.submission for entrant in few[:2])
    with pytest.raises(InputError, match="field of 2 is too small"):
        fixed_plan(Spec(seed="s", format="gauntlet", challengers=challengers), few)


def test_every_game_of_a_seating_is_there() -> None:
    spec = Spec(seed="seed", seats=(5,))
    job = make_job(spec, fixed_plan(spec, field(5))[0])
    assert tuple(game.seating for game in job.games) == seatings("balanced", 5)
