"""Memory overruns are found and named, whichever limit they meet."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from niagara_arena.records import Limits
from niagara_arena.sandbox import Backend, out_of_memory_words
from tests.sandbox.helpers import finish, launch, python

SMALL = Limits(memory_mb=96)
# Slow enough that a watchdog at 50 Hz sees it near its limit, which a real overrun also is.
GROW = """
import time
kept = []
while True:
    kept.append(bytearray(4 << 20)); time.sleep(0.01)
"""
SHARED = """
import mmap, time
kept = []
while True:
    one = mmap.mmap(-1, 4 << 20); kept.append(one)
    for page in range(0, 4 << 20, 4096): one[page] = 1
    time.sleep(0.005)
"""


def test_a_python_bot_that_grows_is_said_to_end_for_memory(cage: Backend, folder: Path) -> None:
    _, err, ended = finish(cage.start(launch(folder, *python(GROW), limits=SMALL)), watch=True)
    assert ended.memory
    assert ended.code == 1, "RLIMIT_DATA came first, and Python raised MemoryError"
    assert ended.detail.startswith("memory: ")
    assert "limit of 96 MB" in ended.detail
    assert out_of_memory_words(err.encode()) == "MemoryError"


def test_without_a_cage_the_watchdog_finds_it(backend: Backend, folder: Path) -> None:
    _, _, ended = finish(backend.start(launch(folder, *python(GROW), limits=SMALL)), watch=True)
    assert ended.memory


def test_shared_memory_counts(backend: Backend, folder: Path) -> None:
    process = backend.start(launch(folder, *python(SHARED), limits=SMALL))
    _, err, ended = finish(process, watch=True)
    if ended.signal is None:  # where nothing could count it, there is none to be had
        assert out_of_memory_words(err.encode()) == "OSError: [Errno 12] Cannot allocate memory"
        assert backend.level == "landlock" or (backend.level == "bwrap" and os.geteuid() != 0)
    else:
        assert ended.memory
        assert ended.signal == 9


def test_a_c_bot_that_gets_no_memory_and_crashes_is_told_from_a_mere_crash(
    cage: Backend, folder: Path
) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int n, char **words) {
    if (n > 1) { *(volatile int *)0 = 1; }
    for (;;) { memset(malloc(4 << 20), 1, 4 << 20); usleep(5000); }
}
"""
    (folder / "bot.c").write_text(source)
    subprocess.run([compiler, "-O1", "-w", "-o", "bot", "bot.c"], cwd=folder, check=True)
    _, _, ended = finish(cage.start(launch(folder, "./bot", limits=SMALL)), watch=True)
    assert (ended.signal, ended.memory) == (11, True)
    _, _, ended = finish(cage.start(launch(folder, "./bot", "crash", limits=SMALL)), watch=True)
    assert (ended.signal, ended.memory) == (11, False)


def test_a_node_bot_that_grows_is_said_to_end_for_memory(cage: Backend, folder: Path) -> None:
    if shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip("no node")
    code = "const kept=[]; setInterval(() => kept.push(new Array(1<<19).fill(1.5)), 10)"
    bot = launch(folder, "node", "-e", code, limits=Limits(memory_mb=256))
    _, err, ended = finish(cage.start(bot), watch=True)
    assert ended.memory, err
    assert ended.code != 0


def test_a_bot_within_its_memory_may_fail_for_other_reasons(cage: Backend, folder: Path) -> None:
    code = "kept = bytearray(20 << 20); raise SystemExit(7)"
    _, _, ended = finish(cage.start(launch(folder, *python(code), limits=SMALL)), watch=True)
    assert (ended.code, ended.memory) == (7, False)


def test_one_request_for_far_too_much_shows_in_the_bots_last_words(
    cage: Backend, folder: Path
) -> None:
    _, err, ended = finish(cage.start(launch(folder, *python("bytearray(1 << 40)"))))
    assert ended.code == 1
    assert out_of_memory_words(err.encode()) == "MemoryError"


@pytest.mark.parametrize(
    "words",
    [
        "Traceback …\nMemoryError",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "memory allocation of 1073741824 bytes failed",
        "runtime: out of memory: cannot allocate 4194304-byte block (512 in use)",
        "fatal error: runtime: out of memory",
    ],
)
def test_the_words_of_each_language_are_known(words: str) -> None:
    assert out_of_memory_words(b"started\n" + words.encode() + b"\nmore\n")


@pytest.mark.parametrize("words", ["", "KeyError: 'memory'", "MemoryErrors are bad", "thinking"])
def test_other_words_are_not(words: str) -> None:
    assert out_of_memory_words(words.encode()) is None
