"""A whole match through real processes: lives, messages, records, ends."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, structs

from niagara_arena.match import Contestant, play_match
from niagara_arena.match.bot import Bot
from niagara_arena.match.lateness import Lateness
from niagara_arena.match.table import Table
from niagara_arena.records import Fault, GameRecord, Limits, Standing, Void
from niagara_arena.referee import FaultReport
from niagara_arena.replay.codec import decode, deterministic_part, encode
from niagara_arena.sandbox import Launch, Runtime, choose
from niagara_arena.wire.messages import Decide, End, FromArena, arena_decoder, hello_line
from tests.match.playing import PATIENT, ZOO, contestant, job, play, settings


def diarist(path: Path) -> Contestant:
    command = (sys.executable, "-S", "diary.py", str(path))
    return Contestant(f"{7:064x}", "diary", "1", {}, Launch(str(ZOO), command, Limits()))


def entries(path: Path) -> list[FromArena]:
    lines = path.read_text().splitlines()
    return [arena_decoder.decode(line) for line in lines if line.startswith("{")]


def test_a_process_lives_through_all_games_and_exits_on_quit(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    records = play(diarist(diary), "random_play", "random_play", games=3)
    lines = diary.read_text().splitlines()
    assert [line for line in lines if line.startswith("pid")] == lines[:1]
    assert lines[-1] == "bye"
    kinds = [type(message).__name__ for message in entries(diary)]
    assert kinds.count("Start") == kinds.count("End") == len(records) == 3
    assert kinds[0] == "Hello"
    assert kinds[-1] == "Quit"


def test_every_line_sent_fits_the_types_and_ids_count_up(tmp_path: Path) -> None:
    for rules, seats in (("base", 5), ("spirits", 6)):
        diary = tmp_path / rules
        others = ["random_play"] * (seats - 1)
        play(diarist(diary), *others, under=settings(rules=rules, max_rounds=8), games=2)
        ids = [message.id for message in entries(diary) if isinstance(message, Decide)]
        assert ids == list(range(1, len(ids) + 1))


def test_events_tell_everything_once_and_in_order(tmp_path: Path) -> None:
    diary, other = tmp_path / "one", tmp_path / "two"
    play(diarist(diary), "random_play", diarist(other))

    def told(path: Path) -> list[Any]:
        return [event for message in entries(path) for event in getattr(message, "events", ())]

    assert told(diary) == told(other)
    assert told(diary)[0] == {"event": "round_started", "round": 1, "start": 0}
    assert told(diary)[-1]["event"] == "game_ended"


def test_the_stream_hash_covers_every_byte_of_a_game(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    [record] = play(diarist(diary), "random_play", "random_play")
    lines = [line for line in diary.read_text().splitlines(True) if line.startswith("{")]
    sent = "".join(lines[1:-1])  # without hello and quit
    assert record.measured.streams[0] == hashlib.sha256(sent.encode()).hexdigest()


def test_survivors_are_told_how_the_game_ended(tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    play(diarist(diary), "crash", "exit_zero")
    end = entries(diary)[-2]
    assert isinstance(end, End)
    standings = [verdict.standing for verdict in end.verdicts]
    assert standings == ["finished", "forfeited", "forfeited"]
    assert end.winners == [0]


def test_a_bot_that_died_is_started_anew_for_the_next_game() -> None:
    records = play("random_play", contestant("crash", when=1), "random_play", games=3)
    for record in records:
        assert record.end.verdicts[1].fault is Fault.CRASH
        assert "the crasher crashes" in record.measured.stderr[1]


def test_a_bot_that_cannot_start_forfeits_every_game_without_another_try() -> None:
    clock = {"startup_ms": 700, "bank_ms": 60_000, "wall_ms": 60_000}
    records = play(
        "random_play", "never_ready", "random_play", games=5, under=settings(clock=clock)
    )
    assert [record.end.verdicts[1].fault for record in records] == [Fault.STARTUP] * 5
    assert [record.measured.startup_ms[1] for record in records[1:]] == [0] * 4


def test_what_it_takes_to_start_the_cages_is_not_counted(tmp_path: Path) -> None:
    slow = "read hello; sleep 0.3; echo '{\"protocol\":1}'; read quit"
    bot = Bot(choose("none").start(Launch(str(tmp_path), ("sh", "-c", slow), Limits())))
    table = Table(PATIENT, freeze=False)
    table.add(bot)
    try:
        began = time.monotonic_ns() - 2 * PATIENT.startup_ms * 1_000_000
        table.greet([bot], hello_line("0"), [began])
        assert bot.ended is None
        assert bot.startup_ms > PATIENT.startup_ms
    finally:
        table.remove(bot)


def test_a_file_that_is_no_program_is_the_fault_startup(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\x7fELF but not really")
    program.chmod(0o755)
    launch = Launch(str(tmp_path), ("./bot",), Limits())
    bot = contestant("random_play")._replace(launch=launch)
    [record] = play("random_play", bot, "random_play")
    assert record.end.verdicts[1].fault is Fault.STARTUP
    assert "could not be started" in record.end.verdicts[1].sentence


@pytest.fixture
def library() -> Iterator[Path]:
    """Yield a folder that every user can read, as a runtime must be."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def test_the_hash_of_a_runtime_is_a_fact(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIAGARA_CACHE", str(tmp_path / "cache"))

    def hashes(content: str) -> object:
        (library / "number.txt").write_text(content)
        bot = contestant("random_play")
        runtimes = (Runtime("lib", str(library)),)
        bot = bot._replace(launch=structs.replace(bot.launch, runtimes=runtimes))
        [record] = play("random_play", bot, "random_play", under=settings(max_rounds=1))
        assert record.header.seats[0].runtimes is UNSET
        assert decode(encode(record)) == record
        return record.header.seats[1].runtimes

    one, other = hashes("1"), hashes("22")
    assert isinstance(one, dict)
    assert list(one) == ["lib"]
    assert one != other


def test_a_build_that_failed_is_the_fault_build() -> None:
    report = FaultReport(Fault.BUILD, "build", "its build failed: no such type `Rivr`")
    bot = contestant("random_play")._replace(refusal=report)
    [record] = play("random_play", bot, "random_play")
    assert record.end.verdicts[1].fault is Fault.BUILD
    assert "no such type" in record.end.verdicts[1].sentence


def test_diaries_give_the_same_deterministic_bytes_twice(tmp_path: Path) -> None:
    def once(name: str) -> list[bytes]:
        bots = [diarist(tmp_path / f"{name}{seat}") for seat in range(3)]
        return [deterministic_part(encode(record)) for record in play(*bots, games=2)]

    assert once("a") == once("b")


def test_a_record_survives_its_codec() -> None:
    [record] = play("random_play", "wrong_id", "good_note")
    assert decode(encode(record)) == record


def test_everything_is_measured_for_every_decision() -> None:
    [record] = play("random_play", "sleep_a_little", "random_play")
    measured = record.measured
    decisions = sum(len(page.acts) for page in record.rounds)
    assert len(measured.cpu_us) == len(measured.wall_us) == len(measured.wait_us) == decisions
    assert max(measured.wall_us) >= 50_000
    assert min(measured.cpu_us) > 0
    assert all(ms > 0 for ms in measured.startup_ms)


@pytest.mark.parametrize("mode", ["wall", "off"])
def test_clocks_can_count_wall_time_or_be_off(mode: str) -> None:
    clock = {"mode": mode, "startup_ms": 60_000, "bank_ms": 60_000, "wall_ms": 60_000}
    [record] = play("random_play", "sleep_a_little", "random_play", under=settings(clock=clock))
    assert record.end.rulings == ()


def test_without_clocks_a_slow_bot_is_waited_for() -> None:
    clock = {"mode": "off", "bank_ms": 1, "wall_ms": 1, "startup_ms": 1}
    [record] = play("random_play", "sleep_a_little", "random_play", under=settings(clock=clock))
    assert record.end.rulings == ()


def test_a_wall_clock_needs_no_cpu_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(clock: int) -> int:
        raise OSError("no such clock")

    monkeypatch.setattr(time, "clock_gettime_ns", absent)
    clock = {"mode": "wall", "startup_ms": 60_000, "bank_ms": 60_000, "wall_ms": 60_000}
    [record] = play("random_play", "random_play", "random_play", under=settings(clock=clock))
    assert record.end.rulings == ()
    assert set(record.measured.cpu_us) == {0}


def test_bots_without_the_freeze_play_as_well() -> None:
    [record] = play("random_play", "twice", "flood_stderr", under=settings(freeze=False))
    assert record.end.rulings == ()


@pytest.fixture
def one_core() -> Iterator[None]:
    """Run on one core, which bots then share."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("kind", ["partial_lines", "twice_in_one_write", "early", "slow"])
def test_on_the_referees_own_core_odd_answers_are_taken_as_well(kind: str) -> None:
    [record] = play("random_play", kind, "random_play")
    assert record.end.rulings == ()
    assert record.end.reason == "max_rounds"


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize(
    ("kind", "detail"), [("exit_zero", "exit 0"), ("close_stdout", "stdout"), ("not_json", "json")]
)
def test_on_the_referees_own_core_faults_are_seen_as_well(kind: str, detail: str) -> None:
    [record] = play("random_play", kind, "random_play")
    assert [ruling.detail for ruling in record.end.rulings] == [detail]


def test_an_interrupt_voids_the_game_and_leaves_no_process(tmp_path: Path) -> None:
    bots = [contestant("random_play"), contestant("stall"), contestant("random_play")]
    records: list[GameRecord] = []
    pid = os.getpid()
    stopper = subprocess.Popen(
        [sys.executable, "-c", f"import time,os; time.sleep(1.5); os.kill({pid}, 2)"]
    )
    with pytest.raises(KeyboardInterrupt):
        play_match(job(bots, settings()), bots, choose("none"), on_game=records.append)
    stopper.wait()
    [record] = records
    assert record.end.void is Void.INTERRUPT
    assert {verdict.standing for verdict in record.end.verdicts} == {Standing.VOID}
    assert record.end.placings == ()


_RUNNER = """
import sys
from tests.match.playing import contestant, play
play("random_play", contestant("leave_children", when=1), "stall", games=1)
"""


def _alive(marker: str) -> list[int]:
    """Return the processes, zombies aside, whose environment holds the marker."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                environment = (entry / "environ").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if marker.encode() in environment and state != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_process_survives_the_runner(number: int) -> None:
    marker = f"NIAGARA_TEST_MARKER={os.getpid()}-{number}"
    name, _, value = marker.partition("=")
    runner = subprocess.Popen(
        [sys.executable, "-c", _RUNNER],
        cwd=Path(__file__).parents[2],
        env={**os.environ, name: value},
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while len(_alive(marker)) < 7 and time.monotonic() < deadline:
            time.sleep(0.05)  # runner, three bots, three children
        assert len(_alive(marker)) >= 7
    finally:
        runner.send_signal(number)
        runner.wait(30)
    deadline = time.monotonic() + 20
    while _alive(marker) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert _alive(marker) == []


def test_the_host_is_blamed_only_when_we_were_late_and_the_bots_were_not_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0]
    monkeypatch.setattr("niagara_arena.match.lateness.time.monotonic_ns", lambda: now[0])
    monkeypatch.setattr("niagara_arena.match.lateness.own_wait_ns", lambda: 0)

    def blamed(late_ns: int, bots_ns: int) -> bool:
        now[0] = 0
        lateness = Lateness([0])
        lateness.timer(50, 50 + late_ns)
        now[0] = 1000
        return lateness.host_is_to_blame([bots_ns])

    assert blamed(600, 0)
    assert not blamed(100, 0)
    assert not blamed(600, 900)  # fifty threads of a bot made us late: its own doing
