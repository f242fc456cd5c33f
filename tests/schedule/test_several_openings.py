"""Matches of several openings: every opening another, nothing else changed, no needless length."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import msgspec
import pytest
from msgspec.structs import replace

from niagara_arena.errors import InputError
from niagara_arena.records import MatchJob
from niagara_arena.schedule.balance import balances
from niagara_arena.schedule.openings import random_opening
from niagara_arena.schedule.plan import Numbering, fixed_plan, make_job, plan_tables
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.spec import (
    MAX_GAMES_A_MATCH,
    Entrant,
    Spec,
    check_spec,
    match_games,
)
from niagara_arena.schedule.standings import Outcome, scores
from tests.schedule.fields import field

SEVERAL = Spec(seed="seed", openings="random:4", openings_per_match=3, games_per_bot=60)


def jobs_of(spec: Spec, entrants: list[Entrant]) -> list[MatchJob]:
    return [make_job(spec, match) for match in fixed_plan(spec, entrants)]


def openings_of(job: MatchJob) -> list[str]:
    """Return the openings of a match in order, each once."""
    return list(dict.fromkeys(game.opening for game in job.games))


# --- One opening a match is what it was --------------------------------------------------------

CHALLENGERS = tuple(entrant.submission for entrant in field(6)[:2])
BEFORE = {
    "round-robin": (
        Spec(seed="seed", openings="random:2", games_per_bot=100),
        ("7e4473979182dec8", "b723f26fb1c0ad85"),
    ),
    "mixed-sizes": (
        Spec(seed="seed", seats=(3, 5), seating="single"),
        ("ac3540202119cb1b", "bfeb0ceddf26dfae"),
    ),
    "gauntlet": (
        Spec(
            seed="seed",
            format="gauntlet",
            challengers=CHALLENGERS,
            openings="random:1",
            seating="rotations",
        ),
        ("7215fac9575f3bd9", "857bc7c77bbe55ee"),
    ),
}
"""Digests of schedule and spec, worked out before a match could play several openings."""


@pytest.mark.parametrize("name", BEFORE)
def test_with_one_opening_ids_seeds_and_hashes_are_what_they_always_were(name: str) -> None:
    spec, expected = BEFORE[name]
    said = [
        [job.match, job.entrants, [[g.game, g.seating, g.seed, g.opening] for g in job.games]]
        for job in jobs_of(spec, field(6))
    ]
    digests = (
        hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16],
        hashlib.sha256(msgspec.json.encode(spec, order="deterministic")).hexdigest()[:16],
    )
    assert digests == expected


def test_one_opening_said_or_unsaid_is_the_same_spec() -> None:
    said, unsaid = Spec(seed="s", openings_per_match=1), Spec(seed="s")
    assert said == unsaid
    assert msgspec.json.encode(said) == msgspec.json.encode(unsaid)
    assert b"openings_per_match" not in msgspec.json.encode(said)
    read = msgspec.json.decode(msgspec.json.encode(SEVERAL), type=Spec)
    assert (read, read.match_openings) == (SEVERAL, 3)
    assert replace(SEVERAL, openings_per_match=1).match_openings == 1


# --- The plan of several -----------------------------------------------------------------------


@pytest.mark.parametrize("seating", ["single", "rotations", "balanced"])
def test_a_match_plays_each_opening_through_the_whole_seating(seating: str) -> None:
    rows = seatings(seating, 4)
    for job in jobs_of(replace(SEVERAL, seating=seating), field(5)):
        assert tuple(game.seating for game in job.games) == rows * 3
        by_opening = [job.games[at : at + len(rows)] for at in range(0, len(job.games), len(rows))]
        for games in by_opening:
            assert len({game.opening for game in games}) == 1
            assert all(game.position == games[0].position for game in games)
        assert len(openings_of(job)) == 3
        positions = [json.dumps(games[0].position) for games in by_opening]
        assert len(set(positions)) == 3


def test_no_opening_game_or_seed_comes_twice_at_any_table() -> None:
    spec = replace(SEVERAL, games_per_bot=300)
    planned = fixed_plan(spec, field(5))
    jobs = [make_job(spec, match) for match in planned]
    assert max(Counter(frozenset(job.entrants) for job in jobs).values()) > 1
    openings = [opening for job in jobs for opening in openings_of(job)]
    games = [game for job in jobs for game in job.games]
    assert len(set(openings)) == len(openings) == 3 * len(jobs)
    assert len({game.game for game in games}) == len({game.seed for game in games}) == len(games)
    assert [m.first_game for m in planned] == [12 * number for number in range(len(planned))]


def test_a_table_plays_the_same_openings_however_they_are_cut_into_matches() -> None:
    """Twelve openings of a lone table: in twelve matches, in four, or in two."""

    def played(openings: int) -> list[tuple[str, str]]:
        spec = replace(SEVERAL, openings_per_match=openings, games_per_bot=48)
        return [(g.opening, g.seed) for job in jobs_of(spec, field(4)) for g in job.games]

    assert len(played(1)) == 48
    assert played(1) == played(3) == played(6)


def test_several_openings_do_not_depend_on_the_order_of_entrants() -> None:
    entrants = field(7)
    one, two = (msgspec.json.encode(jobs_of(SEVERAL, e)) for e in (entrants, entrants[::-1]))
    assert one == two


def test_all_challengers_play_the_same_openings() -> None:
    entrants = field(6)
    both = tuple(entrant.submission for entrant in entrants[:2])
    spec = replace(SEVERAL, format="gauntlet", challengers=both, openings_per_match=4)
    seen: dict[str, list[object]] = {name: [] for name in both}
    for job in jobs_of(spec, entrants):
        (challenger,) = set(both) & set(job.entrants)
        seen[challenger].append([(g.opening, g.seed, g.seating) for g in job.games])
    first, second = seen.values()
    assert first == second
    assert sum(len(games) for games in first if isinstance(games, list)) >= 60


@pytest.mark.parametrize("seating", ["single", "rotations", "balanced"])
@pytest.mark.parametrize(("size", "seats"), [(5, 3), (6, 4), (13, 4), (7, 5)])
def test_balance_counts_all_openings_and_stays_even(size: int, seats: int, seating: str) -> None:
    entrants = field(size)
    spec = replace(SEVERAL, seats=(seats,), seating=seating, games_per_bot=50)
    jobs = jobs_of(spec, entrants)
    games: Counter[str] = Counter()
    places: Counter[tuple[str, int]] = Counter()
    for job in jobs:
        for game in job.games:
            for seat, member in enumerate(game.seating):
                games[job.entrants[member]] += 1
                places[job.entrants[member], seat] += 1
    assert len(set(games.values())) == len(set(places.values())) == 1
    (balance,) = balances(
        plan_tables(fixed_plan(spec, entrants)),
        [e.submission for e in entrants],
        seating,
        openings=3,
    )
    assert balance.games == sum(len(job.games) for job in jobs)
    assert balance.games_per_bot.least == balance.games_per_bot.most == max(games.values()) >= 50
    assert balance.games_per_seat.least == balance.games_per_seat.most == max(places.values())
    assert balance.tables_per_pair.even


def test_positions_of_a_file_do_not_repeat_within_a_match() -> None:
    positions = tuple(random_opening("base", 4, 2, str(n)) for n in range(4))
    spec = replace(SEVERAL, openings="file", positions=positions, openings_per_match=2)
    jobs = jobs_of(spec, field(4))
    assert all(len(openings_of(job)) == 2 for job in jobs)
    first, second = jobs[0], jobs[1]
    assert not set(openings_of(first)) & set(openings_of(second))


def test_numbering_leaves_room_for_all_games_of_mixed_tables() -> None:
    spec = Spec(seed="s", format="swiss", openings="random:2", openings_per_match=5)
    names = [entrant.submission for entrant in field(7)]
    planned = Numbering(spec).plan(0, [tuple(names[:4]), tuple(names[4:])])
    assert [match.first_game for match in planned] == [0, 20]
    assert [len(make_job(spec, match).games) for match in planned] == [20, 30]
    assert [match_games(spec, len(match.table)) for match in planned] == [20, 30]


# --- What is refused ---------------------------------------------------------------------------

TWO = tuple(random_opening("base", 4, 2, str(n)) for n in range(2))
BAD = {
    "no-opening": (Spec(seed="s", openings="random:2", openings_per_match=0), "is at least 1"),
    "fewer-than-none": (Spec(seed="s", openings="random:2", openings_per_match=-3), "at least 1"),
    "nothing-but-the-set-up": (
        Spec(seed="s", openings_per_match=2),
        "all 2 of a match would be the set-up",
    ),
    "more-games-than-a-match-may-have": (
        Spec(seed="s", openings="random:2", openings_per_match=17),
        "17 openings of up to 4 games are more than the 64",
    ),
    "too-long-at-the-tables-that-swiss-may-make": (
        Spec(seed="s", format="swiss", openings="random:2", openings_per_match=8, withdraw_after=1),
        "8 openings of up to 10 games",
    ),
    "fewer-positions-than-openings": (
        Spec(seed="s", openings="file", positions=TWO, openings_per_match=3),
        "3 openings a match need as many positions for 4 seats, and the file has 2",
    ),
    "no-positions-for-tables-that-swiss-needs": (
        Spec(
            seed="s",
            format="swiss",
            openings="file",
            positions=TWO,
            openings_per_match=2,
            withdraw_after=1,
        ),
        "as many positions for 3 seats, and the file has 0",
    ),
}


@pytest.mark.parametrize(("spec", "message"), BAD.values(), ids=BAD)
def test_no_tournament_with(spec: Spec, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_spec(spec, 4)


def test_the_hint_of_a_refusal_is_accepted() -> None:
    spec = Spec(seed="s", openings="random:2", openings_per_match=17)
    with pytest.raises(InputError) as refused:
        check_spec(spec, 4)
    assert refused.value.hint == "set `openings_per_match` to 16 or less"
    check_spec(replace(spec, openings_per_match=16), 4)
    check_spec(replace(spec, openings="file", positions=TWO, openings_per_match=2), 4)


# --- Points ------------------------------------------------------------------------------------


@pytest.mark.parametrize("games", range(1, MAX_GAMES_A_MATCH + 1))
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_points_of_a_match_of_any_length_are_exact(games: int, seats: int) -> None:
    """Both play the same places, one in one long match, the other in as many short ones."""
    names = tuple("abcdef"[:seats])
    ranks = [tuple((shift + seat) % seats + 1 for seat in range(seats)) for shift in range(games)]
    long = scores([Outcome("m", names, row) for row in ranks], names)
    short = scores([Outcome(str(n), names, row) for n, row in enumerate(ranks)], names)
    for name in names:
        assert long[name].points * games == short[name].points
