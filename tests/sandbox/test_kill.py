"""An end is total: trees, daemons, a killed runner, a killed warden; nothing is left."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from niagara_arena.sandbox import Backend, Lost, keeping
from niagara_arena.sandbox.bwrap import Bwrap
from niagara_arena.sandbox.choosing import trial
from niagara_arena.sandbox.keeper import cage, tree
from niagara_arena.sandbox.none import NoCage
from tests.sandbox.helpers import finish, launch, marked, python, read_line, until

ROOT = Path(__file__).parents[2]

# Children, grandchildren in sessions of their own, a daemon whose parents have gone; all deaf to
# whatever can be ignored, all with the marker on their command line.
TREE = """
import os, signal, subprocess, sys, time
marker, depth = sys.argv[1], int(sys.argv[2])
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
def more(depth, **how):
    words = [sys.executable, "-S", "-c", SOURCE, marker, str(depth)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, **how)
if depth:
    more(depth - 1)
    more(depth - 1, start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        more(0)
        os._exit(0)
print("grown", flush=True)
time.sleep(1000)
"""
TREE = "SOURCE = " + repr(TREE) + "\nexec(SOURCE)"
TREE = TREE.replace('"-c", SOURCE', '"-c", "SOURCE = " + repr(SOURCE) + "\\\\nexec(SOURCE)"')


def grow_and_close(backend: Backend, folder: Path, marker: str, **fields: object) -> None:
    """Start a tree of processes; end it when it is grown."""
    process = backend.start(launch(folder, "python3", "-S", "-c", TREE, marker, "2", **fields))
    assert read_line(process) == "grown"
    until(lambda: len(marked(marker)) >= 7, "a tree of processes")
    process.close()


def test_a_tree_of_daemons_dies_with_the_bot_even_without_a_cage(folder: Path, marker: str) -> None:
    backend = trial("none").backend
    assert backend is not None
    grow_and_close(backend, folder, marker)
    assert not marked(marker)


def test_a_build_that_forks_dies_whole(cage: Backend, folder: Path, marker: str) -> None:
    grow_and_close(cage, folder, marker, writable=True)
    assert not marked(marker)


def test_what_a_bot_leaves_when_it_ends_is_killed(folder: Path, marker: str) -> None:
    backend = trial("none").backend
    assert backend is not None
    command = f"setsid sh -c 'sleep 1000; : {marker}' & exit 0"
    process = backend.start(launch(folder, "/bin/sh", "-c", command))
    until(lambda: process.poll() is not None, "the end of the shell")
    until(lambda: not marked(marker), "the end of what it left")
    process.close()


def test_a_caged_bot_cannot_fork(cage: Backend, folder: Path) -> None:
    code = """
import os, subprocess, threading
spawn = lambda: os.posix_spawn("/bin/true", ["true"], {})
for way in (os.fork, lambda: subprocess.run(["/bin/true"]), spawn):
    try: way(); print("forked")
    except PermissionError: print("refused")
threading.Thread(target=lambda: print("thread")).start()
"""
    out, err, _ = finish(cage.start(launch(folder, *python(code))))
    assert out.split() == ["refused", "refused", "refused", "thread"], err


RUNNER = """
import sys, time
from niagara_arena.records import Limits
from niagara_arena.sandbox import Launch, choose
backend = choose(sys.argv[1])
launches = [Launch(sys.argv[2], tuple(sys.argv[4:]), Limits(), writable=sys.argv[3] == "True")] * 3
bots = [backend.start(one) for one in launches]
print("started", flush=True)
time.sleep(1000) if sys.argv[-1] != "leave" else None
"""


def run(*words: str) -> subprocess.Popen[bytes]:
    """Start a runner of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-c", RUNNER, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd="/")


@pytest.mark.parametrize("build", [False, True], ids=["a-bot", "a-build-that-forks"])
def test_nothing_survives_a_sigkill_of_the_runner(
    backend: Backend, folder: Path, marker: str, build: bool
) -> None:
    grown = build or backend.level == "none"
    words = ("python3", "-S", "-c", TREE, marker, "1" if grown else "0")
    with run(backend.level, str(folder), str(build), *words) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == b"started\n"
        until(lambda: len(marked(marker)) >= (9 if grown else 3), "three bots")
        runner.kill()
        runner.wait()
        until(lambda: not marked(marker), "the end of every bot")


def test_nothing_survives_a_runner_that_just_ends(
    backend: Backend, folder: Path, marker: str
) -> None:
    words = ("python3", "-S", "-c", "import time; time.sleep(1000)", marker, "leave")
    with run(backend.level, str(folder), "False", *words) as runner:
        assert runner.wait() == 0
    until(lambda: not marked(marker), "the end of every bot")


def test_a_bot_dies_with_its_warden(backend: Backend, folder: Path, marker: str) -> None:
    process = backend.start(launch(folder, *python("import time; time.sleep(1000)"), marker))
    warden = process.pid
    while Path(f"/proc/{warden}/comm").read_text() != "niagara-warden\n":
        status = Path(f"/proc/{warden}/status").read_text()
        warden = int(next(line for line in status.splitlines() if line.startswith("PPid"))[6:])
    os.kill(warden, signal.SIGKILL)
    until(lambda: not marked(marker), "the end of the bot")
    if backend.level == "bwrap":  # out of which no bot can reach its warden
        with pytest.raises(Lost, match="killed from outside"):
            until(lambda: process.poll() is not None, "word of it")
    else:
        until(lambda: process.poll() is not None, "word of it")
    process.close()


def keeper_of(backend: NoCage | Bwrap) -> int:
    """Return a back end's keeper; those of older tests may end while we look."""
    for pid in tree.children(os.getpid()):
        with contextlib.suppress(OSError):
            if backend._keeper.scratch in Path(f"/proc/{pid}/cmdline").read_text():
                return pid
    raise AssertionError("it has no keeper")


def test_bots_die_with_a_killed_keeper_and_the_next_start_gets_a_new_one(
    folder: Path, marker: str
) -> None:
    backend = NoCage()
    process = backend.start(launch(folder, *python("import time; time.sleep(1000)"), marker))
    keeper = keeper_of(backend)
    os.kill(keeper, signal.SIGKILL)
    until(lambda: not marked(marker), "the end of the bot")
    process.close()
    again = backend.start(launch(folder, "/bin/cat"))
    os.write(again.stdin, b"x\n")
    assert read_line(again) == "x"
    again.close()
    scratch = backend._keeper.scratch
    assert os.path.isdir(scratch)
    del backend, again, process
    until(lambda: not os.path.exists(scratch), "the removal of what the first keeper left")


@pytest.mark.parametrize("keeper_too", [False, True], ids=["warden", "keeper-and-warden"])
def test_a_plan_that_a_killed_warden_held_is_carried_out_by_another(
    folder: Path, keeper_too: bool
) -> None:
    backend = NoCage()
    first = backend.start(launch(folder, "/bin/cat"))
    keeper = keeper_of(backend)
    until(lambda: len(tree.children(keeper)) == 2, "a second warden beside the bot's own")
    first.close()
    until(lambda: len(tree.children(keeper)) == 1, "the end of the bot's own")
    (waiting,) = tree.children(keeper)
    os.kill(waiting, signal.SIGSTOP)
    if keeper_too:
        os.kill(keeper, signal.SIGKILL)
    killer = threading.Timer(0.2, os.kill, (waiting, signal.SIGKILL))
    killer.start()
    again = backend.start(launch(folder, "/bin/cat"))
    killer.join()
    os.write(again.stdin, b"x\n")
    assert read_line(again) == "x"
    again.close()


def test_a_warden_that_is_killed_as_soon_as_it_has_a_bot_has_one_successor(folder: Path) -> None:
    """Two that wait would read each other's plans, and no bot would ever start again."""
    backend = NoCage()
    first = backend.start(launch(folder, "/bin/cat"))
    keeper = keeper_of(backend)
    until(lambda: len(tree.children(keeper)) == 2, "a second warden beside the bot's own")
    (waiting,) = (one for one in tree.children(keeper) if not tree.children(one))
    os.kill(keeper, signal.SIGSTOP)
    second = backend.start(launch(folder, "/bin/cat"))  # its warden has asked for a successor
    os.kill(waiting, signal.SIGKILL)
    os.kill(keeper, signal.SIGCONT)
    until(lambda: second.poll() is not None, "the end of its bot")
    until(lambda: len(tree.children(keeper)) == 2, "a third beside the first bot's")
    for _ in range(20):
        again = backend.start(launch(folder, "/bin/cat"))
        os.write(again.stdin, b"x\n")
        assert read_line(again) == "x"
        again.close()
    first.close()
    second.close()
    until(lambda: len(tree.children(keeper)) == 1, "the one that waits")


def test_a_start_that_is_killed_from_outside_is_never_the_bots_fault(
    bwrap: Backend, folder: Path
) -> None:
    assert isinstance(bwrap, Bwrap)
    bwrap.start(launch(folder, "/bin/true")).close()
    keeper = keeper_of(bwrap)
    source = random.Random("killed starts")
    hits = 0

    def kill(seconds: float, depth: int) -> None:
        nonlocal hits
        time.sleep(seconds)
        below = [keeper]
        for _ in range(depth):  # a warden, its bwrap, the first process of the namespace
            below = [child for one in below for child in tree.children(one)]
        with contextlib.suppress(ProcessLookupError):
            if below:
                os.kill(source.choice(below), signal.SIGKILL)
                hits += 1

    for _ in range(80):
        told = (source.random() * 0.006, source.choice((1, 2, 2, 3)))
        killer = threading.Thread(target=kill, args=told)
        killer.start()
        try:
            process = bwrap.start(launch(folder, "/bin/cat"))
        except Lost:
            continue
        finally:
            killer.join()
        with contextlib.suppress(Lost):
            time.sleep(0.01)
            assert process.poll() is None
        process.close()
    assert hits > 20


def test_a_bwrap_that_is_killed_while_its_child_waits_for_it_is_noticed_at_once() -> None:
    ours, theirs = os.pipe()
    with subprocess.Popen(["/bin/sleep", "1000"]) as outer:
        outer.kill()
        assert not cage._released(theirs, outer.pid)
        os.close(ours)  # as when a child was done, and nobody holds what it was held by
        assert cage._released(theirs, outer.pid)
    os.close(theirs)


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for scratch directories alone."""
    found = Path(tempfile.mkdtemp(prefix="niagara-kill-", dir="/var/tmp"))
    found.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(found))
    monkeypatch.setattr(tempfile, "tempdir", str(found))
    yield found
    shutil.rmtree(found)


def test_what_a_killed_runner_and_keeper_left_is_removed_by_the_next_one(
    folder: Path, marker: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = NoCage()
    used = mine._keeper.scratch
    words = ("python3", "-S", "-c", "import time; time.sleep(1000)", marker)
    with run("none", str(folder), "False", *words) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == b"started\n"
        (keeper,) = tree.children(runner.pid)
        wardens = tree.children(keeper)
        (left,) = {str(one) for one in place.iterdir()} - {used}
        os.kill(keeper, signal.SIGKILL)
        runner.kill()
    until(lambda: not marked(marker), "the end of every bot")
    until(lambda: not any(os.path.exists(f"/proc/{one}") for one in wardens), "that of wardens")
    young = NoCage()
    unlocked = {used, left, young._keeper.scratch}
    assert {str(one) for one in place.iterdir()} == unlocked, "it may have just been made"
    (place / "niagara-scratch").mkdir()  # somebody else's, whatever it is
    monkeypatch.setattr(keeping, "YOUNG_S", 0.0)
    another = NoCage()
    expected = unlocked - {left} | {another._keeper.scratch, str(place / "niagara-scratch")}
    assert {str(one) for one in place.iterdir()} == expected
    del mine, young, another


def test_a_bot_outlives_the_thread_that_started_it(backend: Backend, folder: Path) -> None:
    found = []
    thread = threading.Thread(
        target=lambda: found.append(backend.start(launch(folder, "/bin/cat")))
    )
    thread.start()
    thread.join()
    (process,) = found
    os.write(process.stdin, b"alive\n")
    assert read_line(process) == "alive"
    process.close()


def test_a_forked_runner_has_bots_of_its_own(backend: Backend, folder: Path) -> None:
    ours = backend.start(launch(folder, "/bin/cat"))
    pid = os.fork()
    if pid == 0:  # no assertion may leave this branch
        try:
            theirs = backend.start(launch(folder, "/bin/cat"))
            os.write(theirs.stdin, b"child\n")
            good = read_line(theirs) == "child"
            theirs.close()
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.write(ours.stdin, b"parent\n")
    assert read_line(ours) == "parent"
    ours.close()


def test_the_children_of_a_process_are_found_without_the_kernels_help() -> None:
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as child:
        assert (child.pid, os.getpid()) in tree._parents()
        assert child.pid in tree.descendants(os.getpid())
