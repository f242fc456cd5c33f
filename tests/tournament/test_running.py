"""Runs: the same bytes however they are run; deaths, voids, withdrawals, borders, full disks."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import pytest

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.records import GameRecord, MatchJob, Standing, Void
from niagara_arena.schedule.spec import Spec
from niagara_arena.store import StoreFull, open_store
from niagara_arena.tournament.planning import differences, make_facts
from niagara_arena.tournament.running import Runner, cores_for
from niagara_arena.tournament.session import borders, no_news, time_budget
from niagara_arena.tournament.settling import until_settled
from niagara_arena.tournament.verifying import verify_tournament
from niagara_arena.tournament.workers import PlayerFactory, Worker, available_cores
from tests.tournament.fakes import Deadly, FakePlayer, Voiding, entrants, factory, quick
from tests.tournament.helpers import begin, exported, play

NAMES = {entrant.submission: entrant.name for entrant in entrants(64)}

TOURNAMENTS = {
    "a-round-robin": (quick(), 8),
    "a-round-robin-of-two-sizes": (quick(seats=(3, 4), seating="single"), 7),
    "a-gauntlet": (quick(format="gauntlet", challengers=(entrants(1)[0].submission,)), 6),
    "swiss": (quick(format="swiss", heats=3), 11),
    "swiss-with-one-game-a-table": (quick(format="swiss", heats=4, seating="single"), 10),
    "openings": (quick(openings="random:1", seats=(3,)), 5),
    "several-openings": (quick(openings="random:1", openings_per_match=3, seats=(3, 4)), 5),
    "swiss-of-several-openings": (
        quick(format="swiss", heats=3, openings="random:1", openings_per_match=2),
        7,
    ),
}


@pytest.mark.parametrize(("spec", "size"), TOURNAMENTS.values(), ids=TOURNAMENTS)
def test_the_number_of_jobs_makes_no_difference(spec: Spec, size: int, tmp_path: Path) -> None:
    for jobs in (1, 2):
        finish = play(tmp_path / f"{jobs}.db", spec, entrants(size), factory(), jobs)
        assert (finish.how, finish.left) == ("finished", 0)
    assert exported(tmp_path / "1.db") == exported(tmp_path / "2.db")
    with open_store(tmp_path / "2.db") as store:
        number = store.find_tournament(None)
        checked = list(verify_tournament(store, number))
        assert [found for found in checked if found is not None] == []
        assert len(checked) == finish.games > 0


def test_a_finished_tournament_has_nothing_left_to_run(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    play(path, quick(), entrants(6), factory())
    before = exported(path)
    finish = play(path, quick(), entrants(6), factory(), jobs=2)
    assert (finish.how, finish.games) == ("finished", 0)
    assert exported(path) == before


def test_a_tournament_of_the_same_name_that_differs_is_told_apart() -> None:
    stored = make_facts("test", quick(), entrants(6))
    other = make_facts("test", quick(games_per_bot=99, seats=(3,)), entrants(7)[1:])
    assert stored.hash != other.hash
    found = differences(stored, other)
    assert any("games_per_bot: 16 is stored, 99 now" in line for line in found)
    assert any(line.startswith("seats: ") for line in found)
    assert sum("is new" in line for line in found) == 1
    assert sum("is missing or has changed" in line for line in found) == 1
    assert differences(stored, stored) == []
    assert make_facts("test", quick(), entrants(6)[::-1]) == stored


@pytest.mark.parametrize("name", ["", " a", "a\nb", "x" * 101])
def test_no_tournament_is_called(name: str) -> None:
    with pytest.raises(InputError, match="is no name"):
        make_facts(name, quick(), entrants(6))


# --- Deaths and voids --------------------------------------------------------------------------


def test_a_match_that_kills_its_worker_is_played_again(tmp_path: Path) -> None:
    victim = entrants(3)[2].submission
    path = tmp_path / "a.db"
    finish = play(
        path, quick(), entrants(8), lambda core: Deadly(NAMES, victim, tmp_path, 1), jobs=2
    )
    assert finish.how == "finished"
    play(tmp_path / "b.db", quick(), entrants(8), factory())
    assert exported(path) == exported(tmp_path / "b.db")
    with open_store(path) as store:
        number = store.find_tournament(None)
        deaths = store.incidents(number)
        mine = [row for row in store.matches(number) if victim in row.table]
        assert sorted(order for order, _, _ in deaths) == sorted(row.order for row in mine)
        assert {(kind, sentence) for _, kind, sentence in deaths} == {
            ("death", "its worker ended by SIGKILL")
        }


def test_a_match_that_kills_three_workers_is_quarantined_alone(tmp_path: Path) -> None:
    victim = entrants(3)[2]
    finish = play(
        tmp_path / "a.db",
        quick(),
        entrants(8),
        lambda core: Deadly(NAMES, victim.submission, tmp_path, 99),
        jobs=2,
    )
    assert (finish.how, finish.left) == ("finished", 0)
    with open_store(tmp_path / "a.db") as store:
        number = store.find_tournament(None)
        rows = list(store.matches(number))
        for row in rows:
            expected = "quarantined" if victim.submission in row.table else "played"
            assert (row.state, bool(row.games)) == (expected, expected == "played")
        unplayed = store.unplayed(number)
        assert len(unplayed) == sum(victim.submission in row.table for row in rows)
        assert all(victim.name in sentence for _, _, sentence in unplayed)
        assert all("killed its worker 3 times" in sentence for _, _, sentence in unplayed)
        assert all(found is None for found in verify_tournament(store, number))


class Hunted(FakePlayer):
    """Be killed while playing whatever comes first, as often as asked; then, if told so, give up.

    So do kills from outside: they hit what happens to be played.
    """

    def __init__(self, counter: Path, times: int, give_up: bool = False) -> None:
        super().__init__(NAMES)
        self.counter, self.times, self.give_up = counter, times, give_up

    def __call__(self, job: MatchJob) -> list[GameRecord]:
        hits = self.counter.stat().st_size if self.counter.exists() else 0
        if hits < self.times:
            with self.counter.open("a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        if self.give_up:
            raise NotPossibleHere("enough")
        return super().__call__(job)


def hunted(counter: Path, times: int) -> PlayerFactory:
    return lambda core: Hunted(counter, times, give_up=True)


def test_kills_one_after_another_hit_one_match_after_another(tmp_path: Path) -> None:
    path, counter = tmp_path / "a.db", tmp_path / "hits"
    finish = play(path, quick(), entrants(8), lambda core: Hunted(counter, 6))
    assert finish.how == "finished"
    play(tmp_path / "b.db", quick(), entrants(8), factory())
    assert exported(path) == exported(tmp_path / "b.db")
    with open_store(path) as store:
        assert len({order for order, _, _ in store.incidents(1)}) == 6


def test_a_match_that_came_to_grief_is_played_late_by_the_next_run_too(tmp_path: Path) -> None:
    path, counter = tmp_path / "a.db", tmp_path / "hits"
    for hits in (1, 2, 3):
        with pytest.raises(NotPossibleHere, match="enough"):
            play(path, quick(), entrants(8), hunted(counter, hits))
    play(path, quick(), entrants(8), factory())
    play(tmp_path / "b.db", quick(), entrants(8), factory())
    assert exported(path) == exported(tmp_path / "b.db")
    with open_store(path) as store:
        assert len({order for order, _, _ in store.incidents(1)}) == 3


def test_void_games_are_played_again(tmp_path: Path) -> None:
    victim = entrants(3)[2].submission
    play(tmp_path / "a.db", quick(), entrants(8), lambda core: Voiding(NAMES, victim, tmp_path, 2))
    play(tmp_path / "b.db", quick(), entrants(8), factory())
    assert exported(tmp_path / "a.db") == exported(tmp_path / "b.db")
    with open_store(tmp_path / "a.db") as store:
        number = store.find_tournament(None)
        mine = sum(victim in row.table for row in store.matches(number))
        voids = store.incidents(number)
        assert [kind for _, kind, _ in voids] == ["void"] * 2 * mine


def test_after_three_tries_a_void_game_is_stored_as_one_and_counts_for_nobody(
    tmp_path: Path,
) -> None:
    victim = entrants(3)[2].submission
    play(tmp_path / "a.db", quick(), entrants(8), lambda core: Voiding(NAMES, victim, tmp_path, 99))
    with open_store(tmp_path / "a.db") as store:
        void = [game for game in store.rated_games() if not game.placings]
        assert void
        assert all(victim in game.seats for game in void)
        assert all(set(game.verdicts) == {Standing.VOID} for game in void)
        assert all(found is None for found in verify_tournament(store, 1))


def test_what_was_killed_from_outside_is_played_ten_times(tmp_path: Path) -> None:
    class Lost(Voiding):
        why = Void.KILLED

    victim = entrants(3)[2].submission
    play(tmp_path / "a.db", quick(), entrants(8), lambda core: Lost(NAMES, victim, tmp_path, 9))
    play(tmp_path / "b.db", quick(), entrants(8), factory())
    assert exported(tmp_path / "a.db") == exported(tmp_path / "b.db")
    counters = tmp_path / "counters"
    counters.mkdir()
    play(tmp_path / "c.db", quick(), entrants(8), lambda core: Lost(NAMES, victim, counters, 99))
    with open_store(tmp_path / "c.db") as store:
        mine = sum(victim in row.table for row in store.matches(1))
        assert [kind for _, kind, _ in store.incidents(1)] == ["killed"] * 10 * mine
        assert len([game for game in store.rated_games() if not game.placings]) == mine


def test_a_player_that_raises_is_our_fault(tmp_path: Path) -> None:
    def make(core: int | None) -> FakePlayer:
        class Buggy(FakePlayer):
            def __call__(self, job: MatchJob) -> list[GameRecord]:
                raise ZeroDivisionError("a bug")

        return Buggy(NAMES)

    play(tmp_path / "a.db", quick(), entrants(4), make)
    with open_store(tmp_path / "a.db") as store:
        assert [row.state for row in store.matches(1)] == ["quarantined"] * 4
        assert "ZeroDivisionError: a bug" in store.unplayed(1)[0][2]


def test_what_no_worker_can_do_stops_the_run(tmp_path: Path) -> None:
    def make(core: int | None) -> FakePlayer:
        class Unable(FakePlayer):
            def __call__(self, job: MatchJob) -> list[GameRecord]:
                raise NotPossibleHere("no cage", "install one")

        return Unable(NAMES)

    with pytest.raises(NotPossibleHere, match="no cage") as told:
        play(tmp_path / "a.db", quick(), entrants(4), make)
    assert told.value.hint == "install one"
    with open_store(tmp_path / "a.db") as store:
        assert store.ended(1) == set()
        assert store.tournaments()[0].how == "failed: no cage"


# --- Withdrawals and borders -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["swiss", "round-robin"])
def test_who_keeps_crashing_is_withdrawn_whatever_finishes_first(kind: str, tmp_path: Path) -> None:
    length = {"heats": 4} if kind == "swiss" else {"games_per_bot": 100}
    spec = quick(format=kind, withdraw_after=2, seating="rotations", **length)
    field = entrants(12, crash=1)
    for jobs in (1, 2):
        play(tmp_path / f"{jobs}.db", spec, field, factory(12, crash=1), jobs)
    assert exported(tmp_path / "1.db") == exported(tmp_path / "2.db")
    crash = field[0].submission
    with open_store(tmp_path / "1.db") as store:
        ((name, (heat, why)),) = store.withdrawals(1).items()
        assert (name, why) == (crash, "forfeited 2 games or more")
        assert heat > 0
        later = [r for r in store.matches(1) if r.heat >= heat and crash in r.table]
        assert all(row.state == "withdrawn" for row in later)
        assert bool(later) == (kind == "round-robin")
        assert all(found is None for found in verify_tournament(store, 1))


def test_a_time_budget_stops_at_a_border_and_the_same_run_goes_on(tmp_path: Path) -> None:
    spec = quick(format="swiss", heats=4)
    path = tmp_path / "a.db"
    now = iter(range(100))
    border = time_budget("3s", clock=lambda: float(next(now)))
    finish = play(path, spec, entrants(9), factory(), border=border)
    assert finish.how == "time budget of 3s used"
    assert finish.left == 4
    with open_store(path) as store:
        assert {row.heat for row in store.matches(1)} == {0, 1}
        assert all(row.state == "played" for row in store.matches(1))
        assert store.tournaments()[0].how == "time budget of 3s used"
    assert play(path, spec, entrants(9), factory(), jobs=2).how == "finished"
    play(tmp_path / "b.db", spec, entrants(9), factory())
    assert exported(path) == exported(tmp_path / "b.db")


def test_a_run_without_news_stops(tmp_path: Path) -> None:
    """All seeds alike: a match's games are the same whenever its table meets again."""

    class Stubborn(FakePlayer):
        def __call__(self, job: MatchJob) -> list[GameRecord]:
            same = [msgspec.structs.replace(game, seed="0" * 32) for game in job.games]
            records = super().__call__(msgspec.structs.replace(job, games=tuple(same)))
            return [
                msgspec.structs.replace(r, header=msgspec.structs.replace(r.header, seed=g.seed))
                for r, g in zip(records, job.games, strict=True)
            ]

    spec = quick(games_per_bot=400)
    with open_store(tmp_path / "a.db", write=True) as store:
        number = begin(store, spec, entrants(4))
        runner = Runner(
            store, number, lambda core: Stubborn(NAMES), [None], border=no_news(store, number)
        )
        finish = runner.run()
        assert finish.how.startswith("no new information")
        assert finish.left > 0
        assert store.duplicates(number) == finish.games - 4


class Ranked(FakePlayer):
    """Let the order of names decide: the leader is never in doubt."""

    def __call__(self, job: MatchJob) -> list[GameRecord]:
        records = []
        for record in super().__call__(job):
            names = [seat.name for seat in record.header.seats]
            order = sorted(range(len(names)), key=lambda seat: names[seat])
            placings = tuple(1 + order.index(seat) for seat in range(len(names)))
            end = msgspec.structs.replace(record.end, winners=(order[0],), placings=placings)
            records.append(msgspec.structs.replace(record, end=end))
        return records


def test_a_run_until_settled_stops_at_the_same_border_however_it_is_run(tmp_path: Path) -> None:
    spec = quick(games_per_bot=600)
    for jobs in (1, 2):
        with open_store(tmp_path / f"{jobs}.db", write=True) as store:
            number = begin(store, spec, entrants(6))
            border = until_settled(store, number)
            finish = Runner(
                store, number, lambda core: Ranked(NAMES), [None] * jobs, border=border
            ).run()
            assert finish.how.startswith("settled: the leader is within 0.2 of the best")
            assert finish.left > 0
            again = Runner(store, number, lambda core: Ranked(NAMES), [None], border=border).run()
            assert (again.how, again.games) == (finish.how, 0)
    assert exported(tmp_path / "1.db") == exported(tmp_path / "2.db")


def test_borders_stop_for_the_first_reason() -> None:
    assert borders(None, lambda h, c: "")(0, 0) == ""
    assert borders(lambda h, c: "", lambda h, c: "b", lambda h, c: "c")(0, 0) == "b"


# --- The machine -------------------------------------------------------------------------------


def test_a_signal_on_the_way_out_leaves_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    """The runner closes the pipe and sends a signal: it comes while the first is acted upon."""

    def make(core: int | None) -> FakePlayer:
        real = signal.signal

        def interrupted(*args: Any) -> object:
            """Be called in the worker, by which it wants to hear no signal any more."""
            patched.stop()
            os.kill(os.getpid(), signal.SIGTERM)
            return real(*args)

        patched = mock.patch.object(signal, "signal", interrupted)
        patched.start()
        return FakePlayer(NAMES)

    worker = Worker(make, None)
    worker.dismiss()
    assert worker.how_it_ended() == "ended with code 0"
    assert capfd.readouterr() == ("", "")


def test_more_jobs_than_cores_are_refused_unless_forced() -> None:
    cores = available_cores()
    assert cores_for(1, force=False) == [cores[0]]
    with pytest.raises(NotPossibleHere, match="are more than the"):
        cores_for(len(cores) + 1, force=False)
    assert cores_for(len(cores) + 1, force=True) == [None] * (len(cores) + 1)
    with pytest.raises(NotPossibleHere):
        cores_for(0, force=False)


def test_a_disk_that_fills_up_stops_the_run_in_time(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with pytest.raises(StoreFull, match="10 MB are free"):
        play(path, quick(), entrants(8), factory(), free_bytes=lambda: 10 << 20)
    with open_store(path) as store:
        assert store.ended(1) == set()
    room = iter([10 << 30, 10 << 20])
    spec = quick(games_per_bot=150, seating="single")
    with pytest.raises(StoreFull):
        play(path, spec, entrants(8), factory(), name="b", free_bytes=lambda: next(room))
    with open_store(path) as store:
        assert len(store.ended(store.find_tournament("b"))) == 50
    assert play(path, spec, entrants(8), factory(), name="b").how == "finished"
    play(tmp_path / "b.db", spec, entrants(8), factory(), name="b")
    assert exported(path, "b") == exported(tmp_path / "b.db", "b")


def test_the_room_that_is_asked_for_is_that_of_all_games(tmp_path: Path) -> None:
    spec = quick(openings="random:1", openings_per_match=4, games_per_bot=300)
    with pytest.raises(StoreFull, match="MB are needed") as told:
        play(tmp_path / "a.db", spec, entrants(8), factory(), free_bytes=lambda: 1 << 20)
    with open_store(tmp_path / "a.db") as store:
        games = 16 * len(list(store.matches(1)))
    needed = int(str(told.value).split(", ")[1].split(" MB")[0])
    assert needed == ((50 << 20) + games * 4096) >> 20
    assert games * 4096 > 1 << 20


def test_many_tournaments_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    play(path, quick(), entrants(6), factory(), name="one")
    before = exported(path, "one")
    play(path, quick(seed="other"), entrants(8)[2:], factory(), name="two")
    assert exported(path, "one") == before
    with open_store(path) as store:
        games = list(store.rated_games())
        assert [g.tournament for g in games] == sorted(g.tournament for g in games)
        keys = [(g.tournament_order, g.order) for g in games]
        assert keys == sorted(keys)
        assert {row.name for row in store.tournaments()} == {"one", "two"}
