"""What holds at every level: talk, clocks, freeze, ends, and what a bot inherits."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.sandbox import Backend, Launch, Runtime
from niagara_arena.sandbox.none import NoCage
from tests.sandbox.helpers import finish, launch, log, marked, python, read_line, until

IGNORED = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1)
SPIN = "print('on', flush=True)\nwhile True: pass"


def test_a_bot_reads_and_answers(backend: Backend, folder: Path) -> None:
    process = backend.start(launch(folder, "/bin/cat"))
    os.write(process.stdin, b"hello\n")
    assert read_line(process) == "hello"
    assert process.level == backend.level
    assert process.poll() is None
    assert not process.over_memory()
    process.close()


def test_reading_and_writing_never_block(backend: Backend, folder: Path) -> None:
    process = backend.start(launch(folder, *python("import time; time.sleep(1000)")))
    for one in (process.stdout, process.stderr):
        with pytest.raises(BlockingIOError):
            os.read(one, 1)
    assert os.write(process.stdin, b"x" * 1_000_000) < 1_000_000
    with pytest.raises(BlockingIOError):
        os.write(process.stdin, b"x" * 65536)
    process.close()


def test_the_pid_is_the_bots_own(backend: Backend, folder: Path) -> None:
    process = backend.start(launch(folder, *python("import os; print(os.getpid()); input()")))
    said = read_line(process)
    status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
    inner = next(line for line in status.splitlines() if line.startswith("NSpid:"))
    assert inner.split()[1] == str(process.pid)
    assert inner.split()[-1] == said
    process.close()


def test_the_cpu_clock_counts_the_bots_work_and_stays_readable(
    backend: Backend, folder: Path
) -> None:
    process = backend.start(launch(folder, *python(SPIN)))
    read_line(process)
    before = process.meter.cpu_ns()
    until(lambda: process.meter.cpu_ns() > before + 20_000_000, "20 ms of CPU")
    assert process.meter.wait_ns() >= 0
    process.kill()
    until(lambda: process.poll() is not None, "the end")
    assert process.meter.cpu_ns() >= before + 20_000_000
    process.close()


def test_starting_is_not_on_the_bots_clock(backend: Backend, folder: Path) -> None:
    process = backend.start(launch(folder, "/bin/cat"))
    os.write(process.stdin, b"x\n")
    read_line(process)
    # Cat itself needs about a millisecond; the fork of a warden and its work would be several.
    assert process.meter.cpu_ns() < 20_000_000
    process.close()


def test_a_frozen_bot_uses_no_time_until_it_is_thawed(backend: Backend, folder: Path) -> None:
    process = backend.start(launch(folder, *python(SPIN)))
    read_line(process)
    process.freeze()
    state = Path(f"/proc/{process.pid}/stat")
    until(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", "stopped")
    before = process.meter.cpu_ns()
    process.over_memory()
    assert process.meter.cpu_ns() == before
    process.thaw()
    until(lambda: process.meter.cpu_ns() > before, "running again")
    process.close()


def test_a_frozen_bot_can_be_killed(backend: Backend, folder: Path, marker: str) -> None:
    process = backend.start(launch(folder, *python(SPIN), marker))
    read_line(process)
    process.freeze()
    process.close()
    assert not marked(marker)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("raise SystemExit(0)", (0, None, "exit 0")),
        ("raise SystemExit(3)", (3, None, "exit 3")),
        ("import os; os.kill(os.getpid(), 11)", (None, 11, "SIGSEGV")),
        ("import os; os.abort()", (None, 6, "SIGABRT")),
        ("import os; os.kill(os.getpid(), 15)", (None, 15, "SIGTERM")),
    ],
)
def test_an_end_is_told_as_it_was(
    backend: Backend, folder: Path, code: str, wanted: tuple[int | None, int | None, str]
) -> None:
    _, _, ended = finish(backend.start(launch(folder, *python(code))))
    assert (ended.code, ended.signal, ended.detail) == wanted
    assert not ended.memory


def test_a_bot_that_ends_before_we_look_has_an_end(backend: Backend, folder: Path) -> None:
    for _ in range(5):
        assert finish(backend.start(launch(folder, "/bin/true")))[2].code == 0


def test_closing_twice_and_killing_the_dead_is_harmless(backend: Backend, folder: Path) -> None:
    process = backend.start(launch(folder, "/bin/cat"))
    process.kill()
    process.kill()
    until(lambda: process.poll() is not None, "the end")
    process.close()
    process.close()
    process.kill()
    ended = process.poll()
    assert ended is not None
    assert ended.signal == signal.SIGKILL


def test_cpu_time_is_limited(backend: Backend, folder: Path) -> None:
    started = backend.start(launch(folder, *python(SPIN), limits=Limits(cpu_s=1)))
    _, _, ended = finish(started)
    assert ended.signal == signal.SIGXCPU
    assert ended.detail == "SIGXCPU"


def test_a_bot_inherits_three_descriptors_only(backend: Backend, folder: Path) -> None:
    code = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    out, err, _ = finish(backend.start(launch(folder, *python(code))))
    assert out == "['0', '1', '2', '3']\n", err  # 3 is the listing's own


def test_signals_are_as_a_program_expects_them(backend: Backend, folder: Path) -> None:
    command = ("/bin/cat", "/proc/self/status")
    out, _, _ = finish(backend.start(launch(folder, *command)))
    words = dict(line.split(":\t", 1) for line in out.splitlines() if ":\t" in line)
    # glibc's own two, 32 and 33, never show; SIGPIPE must not be ignored, nothing blocked.
    assert int(words["SigBlk"], 16) == 0
    assert int(words["SigIgn"], 16) & ~(0b11 << 31) == 0


def test_a_bot_does_not_ignore_what_we_ignore(folder: Path) -> None:
    before = {number: signal.signal(number, signal.SIG_IGN) for number in IGNORED}
    try:
        process = NoCage().start(launch(folder, "/bin/cat", "/proc/self/status"))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    out, _, _ = finish(process)
    (ignored,) = (line for line in out.splitlines() if line.startswith("SigIgn"))
    assert int(ignored.split()[1], 16) & ~(0b11 << 31) == 0


def test_a_bot_runs_on_the_core_that_it_is_pinned_to(backend: Backend, folder: Path) -> None:
    core = max(os.sched_getaffinity(0))
    code = "import os; print(os.sched_getaffinity(0))"
    out, _, _ = finish(backend.start(launch(folder, *python(code), core=core)))
    assert out == f"{{{core}}}\n"


def test_a_python_bot_can_import_the_rules(backend: Backend, folder: Path) -> None:
    code = (
        "from niagara_arena import rules, errors; print(len(rules.pending(rules.start('base', 3))))"
    )
    out, err, _ = finish(backend.start(launch(folder, *python(code))))
    assert out == "3\n", err


def test_the_rest_of_the_arena_is_not_offered(cage: Backend, folder: Path) -> None:
    code = "import niagara_arena.records"
    _, err, ended = finish(cage.start(launch(folder, *python(code))))
    assert ended.code == 1
    assert "ModuleNotFoundError" in err


def test_a_bot_starts_in_its_directory_and_finds_its_program_there(
    backend: Backend, folder: Path
) -> None:
    (folder / "data.txt").write_text("42\n")
    (folder / "run").write_text("#!/bin/sh\nread x < data.txt; echo $x $1 $KEY\n")
    (folder / "run").chmod(0o755)
    started = backend.start(launch(folder, "./run", "word", env={"KEY": "value"}))
    assert finish(started)[0] == "42 word value\n"
    assert finish(backend.start(launch(folder, "run", "word")))[0].startswith("42 word")


def test_a_runtime_can_be_read_where_its_variable_says(backend: Backend, folder: Path) -> None:
    (folder / "bot").mkdir()
    (folder / "tools").mkdir()
    (folder / "tools" / "answer").write_text("42\n")
    runtime = Runtime("my-tools", str(folder / "tools"))
    command = ("/bin/sh", "-c", 'read x < "$RUNTIME_MY_TOOLS/answer"; echo $x $RUNTIME_MY_TOOLS')
    out, err, _ = finish(backend.start(launch(folder / "bot", *command, runtimes=(runtime,))))
    where = "/runtime/my-tools" if backend.level == "bwrap" else str(folder / "tools")
    assert out == f"42 {where}\n", err


BAD = {
    "a-missing-program": (("no-such-program",), "no program `no-such-program`"),
    "an-empty-command": ((), "is empty"),
    "a-file-that-is-not-executable": (("./plain.txt",), "not executable"),
    "a-directory": (("./folder",), "not a file"),
    "a-missing-file": (("./nothing",), "no program `./nothing`"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_run_is_refused_in_words(backend: Backend, folder: Path, name: str) -> None:
    command, words = BAD[name]
    (folder / "plain.txt").write_text("x")
    (folder / "folder").mkdir()
    with pytest.raises(InputError, match=words) as caught:
        backend.start(launch(folder, *command))
    assert caught.value.hint


def test_a_missing_interpreter_is_named(backend: Backend, folder: Path) -> None:
    (folder / "bot").write_text("#!/usr/bin/no-such-interpreter\n")
    (folder / "bot").chmod(0o755)
    with pytest.raises(InputError, match="bot") as caught:
        backend.start(launch(folder, "./bot"))
    assert "interpreter" in f"{caught.value} {caught.value.hint}"


def test_a_file_that_is_no_program_is_an_error_not_a_hang(backend: Backend, folder: Path) -> None:
    (folder / "bot").write_text("nothing that could run")
    (folder / "bot").chmod(0o755)
    if backend.level == "bwrap":  # bwrap itself tries, and says so on the bot's behalf
        _, err, ended = finish(backend.start(launch(folder, "./bot")))
        assert ended.code not in (0, None)
        assert "bot" in err
        return
    with pytest.raises(InputError, match="bot"):
        backend.start(launch(folder, "./bot"))


def test_a_word_with_a_nul_cannot_smuggle_options_in(backend: Backend, folder: Path) -> None:
    for bot in (
        launch(folder, "/bin/cat", env={"KEY": "x\0--bind\0/\0/host"}),
        launch(folder, "/bin/cat", "x\0y"),
        launch(folder, "/bin/cat", env={"A=B": "x"}),
    ):
        with pytest.raises(InputError):
            backend.start(bot)


def test_a_missing_directory_is_refused(backend: Backend, folder: Path) -> None:
    with pytest.raises(InputError, match="not a directory"):
        backend.start(Launch(str(folder / "none"), ("/bin/cat",), Limits()))


def test_limits_under_which_nothing_starts_are_refused(cage: Backend, folder: Path) -> None:
    with pytest.raises(InputError, match="memory_mb = 1 is too small"):
        cage.start(launch(folder, "/bin/cat", limits=Limits(memory_mb=1)))


def test_a_runtime_that_is_not_there_is_refused(cage: Backend, folder: Path) -> None:
    with pytest.raises(NotPossibleHere, match="runtime numpy"):
        cage.start(launch(folder, "/bin/cat", runtimes=(Runtime("numpy", str(folder / "no")),)))
    with pytest.raises(InputError, match="can't be named"):
        cage.start(launch(folder, "/bin/cat", runtimes=(Runtime("../x", str(folder)),)))


def test_a_log_is_the_bots_alone(backend: Backend, folder: Path) -> None:
    process = backend.start(launch(folder, "/bin/cat"))
    os.write(process.stdin, b"x\n")
    read_line(process)
    assert log(process) == ""
    process.close()
