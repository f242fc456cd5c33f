"""The database: facts in and out, packing, people, annulments, one writer, damage, a full disk."""

from __future__ import annotations

import os
import random
import re
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from niagara_arena import store as store_package
from niagara_arena.errors import ArenaError, InputError, NotPossibleHere
from niagara_arena.records import Measured, Standing
from niagara_arena.replay.codec import deterministic_part, encode
from niagara_arena.schedule.plan import fixed_plan, make_job
from niagara_arena.store import (
    EndState,
    MatchEnd,
    RosterEntry,
    Store,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    open_store,
)
from niagara_arena.store.packing import (
    DamagedRecord,
    pack,
    pack_measured,
    unpack,
    unpack_measured,
)
from niagara_arena.store.people import parse_roster, pseudonym
from niagara_arena.store.salvage import salvage
from niagara_arena.store.schema import VERSION
from niagara_arena.tournament.exporting import salvage_records
from niagara_arena.tournament.results import game_facts
from tests.tournament.fakes import FakePlayer, entrants, factory, quick
from tests.tournament.helpers import begin, exported, play

NAMES = {entrant.submission: entrant.name for entrant in entrants(64)}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a database with one tournament of six bots."""
    path = tmp_path_factory.mktemp("store") / "arena.db"
    play(path, quick(), entrants(6), factory())
    with open_store(path, write=True) as store:
        store.writer.scrub()
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, played: bytes) -> Path:
    file = tmp_path / "arena.db"
    file.write_bytes(played)
    return file


# --- Facts in and out --------------------------------------------------------------------------


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    spec = quick(openings="random:1")
    with open_store(tmp_path / "a.db", write=True) as store:
        number = begin(store, spec, entrants(6))
        facts = store.facts(number)
        planned = fixed_plan(spec, facts.entrants)
        numbers = {e.submission: n for n, e in enumerate(facts.entrants)}
        store.writer.add_schedule(number, planned, numbers)
        assert store.planned(number) == planned
        records = FakePlayer(NAMES)(make_job(spec, planned[3]))
        games = tuple(
            game_facts(record, planned[3].first_game + n, numbers, "all")
            for n, record in enumerate(records)
        )
        store.writer.end_match(number, MatchEnd(3, EndState.PLAYED, "", games))
        assert store.ended(number) == {3}
        assert [row.record for row in store.games(number)] == [encode(r) for r in records]
        rated = list(store.rated_games())
        assert [game.order for game in rated] == [planned[3].first_game + n for n in range(4)]
        for game, record in zip(rated, records, strict=True):
            assert game.seats == tuple(seat.submission for seat in record.header.seats)
            assert (game.winners, game.placings) == (record.end.winners, record.end.placings)
            assert game.verdicts == (Standing.FINISHED,) * 4
            assert len(game.cpu_median_us) == len(game.cpu_worst_us) == 4
            assert game.rules == "base"
            assert not game.annulled
        assert len({game.cluster for game in rated}) == 1
        _, row = store.find_game(records[2].header.game[:12])
        assert row.game == records[2].header.game


def test_logs_are_kept_as_asked_for(tmp_path: Path) -> None:
    spec = quick()
    planned = fixed_plan(spec, entrants(6, crash=1))
    numbers = {e.submission: n for n, e in enumerate(entrants(6))}
    names = {e.submission: e.name for e in entrants(6, crash=1)}
    crash = entrants(1)[0].submission
    match = next(match for match in planned if crash in match.table)
    first, *_, last = FakePlayer(names)(make_job(spec, match))
    assert any(verdict.faults for verdict in first.end.verdicts)
    assert not any(verdict.faults for verdict in last.end.verdicts)
    kept = {
        keep: [bool(game_facts(record, 0, numbers, keep).log) for record in (first, last)]
        for keep in ("all", "faults", "none")
    }
    assert kept == {"all": [True, True], "faults": [True, False], "none": [False, False]}


def test_dropping_logs_leaves_everything_else(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    play(path, quick(), entrants(5, crash=1), factory(5, crash=1), keep_logs="all")
    before = exported(path)
    with open_store(path, write=True) as store:
        number = store.find_tournament(None)
        logged = sum(b"log of" in row.record for row in store.games(number))
        assert store.writer.drop_logs("2020-01-01") == 0
        dropped = store.writer.drop_logs("2999-01-01")
        left = sum(b"log of" in row.record for row in store.games(number))
        assert 0 < left == logged - dropped < logged  # games with faults keep theirs
        assert store.writer.drop_logs("2999-01-01", keep_faulty=False) == left
    assert exported(path) == before


def test_a_transaction_that_fails_leaves_nothing(path: Path) -> None:
    with open_store(path, write=True) as store:
        number = store.find_tournament(None)
        before = exported(path)
        ended = MatchEnd(0, EndState.PLAYED)
        with pytest.raises(ArenaError):
            store.writer.end_match(number, ended)  # it has ended already
        with pytest.raises(ArenaError):
            store.writer.end_match(number, MatchEnd(10_000, EndState.PLAYED))  # no such match
    assert exported(path) == before


def test_a_schedule_that_is_another_one_is_refused(path: Path) -> None:
    with open_store(path, write=True) as store:
        number = store.find_tournament(None)
        planned = store.planned(number)
        numbers = {e.submission: n for n, e in enumerate(store.entrants(number))}
        store.writer.add_schedule(number, planned, numbers)
        other = msgspec.structs.replace(planned[2], table=planned[2].table[::-1])
        with pytest.raises(InputError, match="match 2 of the schedule is not the one stored"):
            store.writer.add_schedule(number, [*planned[:2], other], numbers)


def test_games_are_found_by_tournament_rules_seats_and_day(path: Path) -> None:
    with open_store(path) as store:
        everything = list(store.rated_games())
        assert len(everything) == store.tournaments()[0].games > 0
        assert list(store.rated_games(tournament="test")) == everything
        assert list(store.rated_games(rules="base", seats=4)) == everything
        assert list(store.rated_games(seats=5)) == []
        assert list(store.rated_games(rules="spirits")) == []
        assert list(store.rated_games(since="2999-01-01")) == []
        assert list(store.rated_games(since="2020-01-01")) == everything
        with pytest.raises(InputError, match="no tournament `x`"):
            list(store.rated_games(tournament="x"))


def test_unknown_things_are_told(path: Path) -> None:
    with open_store(path) as store:
        with pytest.raises(InputError, match="no game `g-0000`"):
            store.find_game("g-0000")
        with pytest.raises(InputError, match="more than one game"):
            store.find_game("g-")
        with pytest.raises(InputError, match="opened for reading only"):
            _ = store.writer


def test_no_placeholder_has_a_number() -> None:
    """Python up to 3.12.3 takes `?1` for a name, and warns."""
    found = [
        f"{path.name}: {line.strip()}"
        for path in Path(store_package.__file__).parent.glob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"\?\d", line)
    ]
    assert found == []


# --- Packing -----------------------------------------------------------------------------------


def test_packing_loses_nothing_and_saves_room() -> None:
    spec = quick()
    record = FakePlayer(NAMES)(make_job(spec, fixed_plan(spec, entrants(4))[0]))[0]
    data = deterministic_part(encode(record))
    packed = pack(data)
    assert unpack(packed) == data
    assert len(packed) < len(data) / 4
    for text in (b"", b"\0" * 10_000, os.urandom(1000)):
        assert unpack(pack(text)) == text


def test_what_was_not_packed_is_not_unpacked() -> None:
    packed = pack(b"a record " * 50)
    for bad in (b"", b"\x02" + packed[1:], packed[:-3], packed + b"x", b"\x01" + b"\xff" * 20):
        with pytest.raises(DamagedRecord):
            unpack(bad)


def test_times_are_packed_apart_and_come_back() -> None:
    line = b'{"type":"measured","cpu_us":[],"wall_us":[],"wait_us":[],"notes":{}}\n'
    source = random.Random(1)
    for count in (0, 1, 500):
        times = [[int(source.expovariate(1e-3)) for _ in range(count)] for _ in range(3)]
        packed = pack_measured(line, times)
        said = b",".join(
            f'"{name}":{numbers}'.replace(" ", "").encode()
            for name, numbers in zip(("cpu_us", "wall_us", "wait_us"), times, strict=True)
        )
        assert unpack_measured(packed) == b'{"type":"measured",' + said + b',"notes":{}}\n'
        for bad in (b"", packed[:10], packed[:-4], b"\x01" + packed[1:]):
            with pytest.raises(DamagedRecord):
                unpack_measured(bad)
    assert len(packed) < 0.95 * len(pack(unpack_measured(packed)))
    with pytest.raises(DamagedRecord):
        pack_measured(b"{}", [[], [], []])


def test_a_note_can_not_pass_for_a_log(tmp_path: Path) -> None:
    spec = quick()
    planned = fixed_plan(spec, entrants(4))
    record = FakePlayer(NAMES)(make_job(spec, planned[0]))[0]
    tricky = Measured(notes={"0": '"stderr":[]'}, stderr=("a", "b", '"stderr":[]', "d"))
    record = msgspec.structs.replace(record, measured=tricky)
    numbers = {e.submission: n for n, e in enumerate(entrants(4))}
    with open_store(tmp_path / "a.db", write=True) as store:
        number = begin(store, spec, entrants(4))
        order = {e.submission: n for n, e in enumerate(store.entrants(number))}
        store.writer.add_schedule(number, planned, order)
        facts = game_facts(record, 0, numbers, "all")
        store.writer.end_match(number, MatchEnd(0, EndState.PLAYED, "", (facts,)))
        assert [row.record for row in store.games(number)] == [encode(record)]


# --- People and annulments ---------------------------------------------------------------------

ROSTER = b"""
salt = "secret"
[[owner]]
key = "s1234"
name = "Ann Example"
contact = "ann@example.org"
[owner.bots]
otter = ["bots/otter-1", "bots/otter-2"]
[[owner]]
key = "s5678"
"""


def test_a_roster_is_read() -> None:
    roster = parse_roster(ROSTER, "roster.toml")
    assert [entry.key for entry in roster.owner] == ["s1234", "s5678"]
    assert roster.owner[0].bots == {"otter": ["bots/otter-1", "bots/otter-2"]}
    token = pseudonym(roster.salt, "s1234")
    assert token.startswith("o-")
    assert len(token) == 18
    assert token != pseudonym("another", "s1234")


BAD_ROSTERS = {
    "no-toml": (b"[[owner", "Expected"),
    "an-unknown-key": (b'[[owner]]\nkey = "a"\nmail = "x"\n', "unknown field `mail`"),
    "a-key-twice": (b'[[owner]]\nkey = "a"\n[[owner]]\nkey = "a"\n', "not `a` twice"),
    "a-bot-twice": (
        b'[[owner]]\nkey = "a"\nbots = {x = ["b"]}\n[[owner]]\nkey = "c"\nbots = {y = ["b"]}\n',
        "`b` belongs to one owner",
    ),
}


@pytest.mark.parametrize(("data", "message"), BAD_ROSTERS.values(), ids=BAD_ROSTERS)
def test_no_roster_with(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_roster(data, "roster.toml")


def test_people_are_forgotten_and_no_hash_breaks(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_store(path, write=True) as store:
        for number in range(2):
            entry = RosterEntry(f"key-{number}", "Ann Example", "ann@example.org")
            store.people.add_owner(f"o-{number}", entry)
        begin(store, quick(), entrants(6, owners=2))
        store.people.set_line("o-0", "otter", entrants(6)[0].submission)
    play(path, quick(), entrants(6, owners=2), factory())
    before = exported(path)
    with open_store(path, write=True) as store:
        assert store.lines() == {entrants(6)[0].submission: ("o-0", "otter")}
        store.people.erase("o-0")
        store.people.add_owner("o-0", RosterEntry("key-0", "Ann Example", ""))  # stays erased
        first, second = store.owners()
        assert (first.key, first.name, first.contact, first.erased) == ("", "", "", True)
        assert (second.name, second.erased) == ("Ann Example", False)
        assert len(store.authors()) == 3
        store.people.erase("o-1")
        with pytest.raises(InputError, match="no owner `o-9`"):
            store.people.erase("o-9")
    assert exported(path) == before
    assert b"Ann Example" not in path.read_bytes()
    assert b"ann@example" not in path.read_bytes()


def counted(store: Store) -> int:
    return sum(not game.annulled for game in store.rated_games())


def test_what_is_annulled_stays_and_no_longer_counts(path: Path) -> None:
    with open_store(path, write=True) as store:
        games = list(store.rated_games())
        number = store.find_tournament(None)
        store.writer.annul("game", games[0].game, "a cable fell out", "2026-01-01")
        assert [game.annulled for game in store.rated_games()].count(True) == 1
        victim = games[0].seats[0]
        with_victim = sum(victim in game.seats for game in games)
        store.writer.annul("submission", victim, "it cheated", "2026-01-01", number)
        assert counted(store) == len(games) - with_victim
        assert [row[3] for row in store.annulments()] == ["a cable fell out", "it cheated"]
        with pytest.raises(InputError, match="needs a reason"):
            store.writer.annul("game", games[1].game, " ", "2026-01-01")
        with pytest.raises(InputError, match="can't be annulled"):
            store.writer.annul("heat", "1", "why", "2026-01-01")


def test_an_owners_games_are_annulled_together(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    field = entrants(8, owners=8)
    with open_store(path, write=True) as store:
        for entrant in field:
            store.people.add_owner(entrant.owner, RosterEntry(entrant.owner))
        begin(store, quick(), field)
    play(path, quick(), field, factory())
    with open_store(path, write=True) as store:
        games = list(store.rated_games())
        mine = sum(field[3].submission in game.seats for game in games)
        store.writer.annul("owner", "o-3", "left the course", "2026-01-01")
        assert counted(store) == len(games) - mine


# --- One writer, readers free ------------------------------------------------------------------


def test_there_is_one_writer_and_readers_are_free(path: Path) -> None:
    with open_store(path, write=True) as store:
        with pytest.raises(StoreBusy, match=f"process {os.getpid()}"):
            open_store(path, write=True)
        with open_store(path) as reader:
            assert reader.tournaments() == store.tournaments()
    open_store(path, write=True).close()


def test_a_writer_that_was_killed_leaves_no_lock(path: Path) -> None:
    program = (
        "import os, signal, sys; from niagara_arena.store import open_store;"
        "store = open_store(sys.argv[1], write=True);"
        "store.writer.incident(1, 0, 'void', 'x', ''); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == -9
    with open_store(path, write=True) as store:
        assert len(store.incidents(1)) == 1


def test_a_run_that_was_killed_is_told_from_one_that_runs(path: Path) -> None:
    with open_store(path, write=True) as store:
        store.writer.begin_run(1, "now", 1, "none")
        with open_store(path) as reader:
            assert reader.tournaments()[0].how == "running"
    with open_store(path) as reader:
        assert reader.tournaments()[0].how == "killed"
    open_store(path, write=True).close()


# --- Files that are not what they should be ----------------------------------------------------


def test_no_file_no_reader(tmp_path: Path) -> None:
    with pytest.raises(NotPossibleHere, match="there is no database"):
        open_store(tmp_path / "no.db")
    assert not (tmp_path / "no.db").exists()


def test_files_of_others_are_refused_and_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    sqlite3.connect(other).execute("CREATE TABLE t (x)").connection.close()
    text = tmp_path / "text.db"
    text.write_bytes(b"not a database at all, but long enough to look at" * 40)
    for path, error in ((other, InputError), (text, StoreDamaged)):
        before = path.read_bytes()
        for write in (False, True):
            with pytest.raises(error):
                open_store(path, write=write)
        assert path.read_bytes() == before


def test_a_newer_file_is_refused(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    for write in (False, True):
        with pytest.raises(InputError, match=f"schema {VERSION + 1}"):
            open_store(path, write=write)


def test_an_old_file_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    open_store(path, write=True).close()
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_that_may_only_be_read_can_be(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = games_in(path)
    before = sorted(path.parent.iterdir())
    monkeypatch.setattr(os, "access", lambda *_: False)
    with open_store(path) as store:
        assert {row.record for row in store.games(store.find_tournament(None))} == whole
        assert sorted(path.parent.iterdir()) == before, "nothing is written beside it"


def games_in(path: Path) -> set[bytes]:
    with open_store(path) as store:
        return {row.record for row in store.games(store.find_tournament(None))}


@pytest.mark.parametrize("keep", [0.97, 0.8, 0.5, 0.2])
def test_a_truncated_file_is_told_and_its_good_part_saved(path: Path, keep: float) -> None:
    whole = games_in(path)
    size = path.stat().st_size
    os.truncate(path, int(size * keep))
    cut = path.read_bytes()
    for write in (False, True):
        with pytest.raises(StoreDamaged, match="is damaged") as told:
            open_store(path, write=write)
        assert "--salvage" in (told.value.hint or "")
    found = [one.record for one in salvage(path)]
    saved = {record for record in found if record}
    assert saved <= whole
    assert len(found) <= len(whole), "no loss is made up"
    if keep > 0.9:
        assert saved
    assert path.read_bytes() == cut


@pytest.mark.parametrize("keep", [0.9, 0.7, 0.5, 0.3])
def test_what_is_saved_of_a_cut_file_is_never_called_all(path: Path, keep: float) -> None:
    whole = len(games_in(path))
    os.truncate(path, int(path.stat().st_size * keep))
    kept, lost = salvage_records(path, path.parent / "saved")
    assert kept < whole
    assert lost is None or lost > 0


def test_a_corrupted_file_is_told_and_its_good_part_saved(path: Path) -> None:
    whole = games_in(path)
    data = bytearray(path.read_bytes())
    page = 1024
    told = saved_some = 0
    for number in range(1, len(data) // page, 9):
        broken = bytearray(data)
        broken[number * page : number * page + 400] = b"\xa5" * 400
        path.write_bytes(broken)
        try:
            with open_store(path) as store:
                readable = {row.record for row in store.games(store.find_tournament(None))}
            assert readable <= whole
        except (StoreDamaged, DamagedRecord):
            told += 1
        saved = {one.record for one in salvage(path) if one.record}
        saved_some += bool(saved & whole)
    assert told >= 3
    assert saved_some >= 3


def test_a_file_that_names_its_tables_in_no_text_is_damaged(path: Path) -> None:
    """SQLite's own words about it then are no text either."""
    data = path.read_bytes()
    broken = data.replace(b"games_by_id", b"games_by_\xa0d").replace(b"(game)", b"(gam#)")
    assert broken != data
    path.write_bytes(broken)
    for write in (False, True):
        with pytest.raises(StoreDamaged, match="is damaged"):
            open_store(path, write=write)


def test_a_full_disk_is_told_and_what_was_stored_is_kept(tmp_path: Path) -> None:
    """A limit on the size of files is as good as a full disk: writing fails part of the way."""
    path = tmp_path / "a.db"
    spec = quick(games_per_bot=60)
    program = f"""
import resource, sys
sys.path.insert(0, {str(Path.cwd())!r})
from niagara_arena.store import StoreFull
from tests.tournament.fakes import entrants, factory, quick
from tests.tournament.helpers import play
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
try:
    play(Path({str(path)!r}), quick(games_per_bot=60), entrants(8), factory())
except StoreFull as error:
    sys.exit(f"full: {{error}}")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr.startswith("full: no room to write to"), done.stderr
    with open_store(path) as store:
        kept = len(store.ended(store.find_tournament("test")))
    assert kept > 0
    finish = play(path, spec, entrants(8), factory())
    assert finish.how == "finished"
    play(tmp_path / "b.db", spec, entrants(8), factory())
    assert exported(path) == exported(tmp_path / "b.db")


def test_a_folder_that_can_not_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises((NotPossibleHere, OSError)):
        open_store(tmp_path / "file" / "a.db", write=True)


def test_limits_of_this_test_do_not_leak() -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    assert issubclass(StoreFull, NotPossibleHere)
