"""Start-up to the first reply, bare and in the cage, and the cost of a round trip in it.

The sides alternate, so that a busy machine is unkind to both. Bare means `subprocess.Popen`.
"""

from __future__ import annotations

import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from benchmarks.match_speed import pinned
from niagara_arena.errors import ArenaError
from niagara_arena.records import Limits
from niagara_arena.sandbox import Backend, Launch, choose

STARTS = {"C": 60, "Python": 60, "node": 40, "Java": 30}
TRIPS = 60_000
PLAIN = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
"""The bare side's environment; ours may make a language slow to start."""
BLOCKS = 15

C = r"""
#include <unistd.h>
int main(void) { char b[4096]; for (long n; (n = read(0, b, sizeof b)) > 0;) write(1, b, n); }
"""
PYTHON = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"
NODE = "process.stdin.on('data', data => process.stdout.write(data));\n"
JAVA = """
public class Bot {
    public static void main(String[] words) throws Exception {
        byte[] b = new byte[4096];
        for (int n; (n = System.in.read(b)) > 0;) { System.out.write(b, 0, n); System.out.flush(); }
    }
}
"""


def prepare(folder: Path) -> dict[str, tuple[str, ...]]:
    """Write and build an echo in each language that is there; return the commands."""
    for name, text in (("bot.c", C), ("bot.py", PYTHON), ("bot.js", NODE), ("Bot.java", JAVA)):
        (folder / name).write_text(text)
    found: dict[str, tuple[str, ...]] = {}
    if shutil.which("cc"):
        subprocess.run(["cc", "-O2", "-w", "-o", "bot", "bot.c"], cwd=folder, check=True)
        found["C"] = (f"{folder}/bot",)
    path = PLAIN["PATH"]
    if python := shutil.which("python3", path=path):
        found["Python"] = (python, "bot.py")
    if node := shutil.which("node", path=path):
        found["node"] = (node, "bot.js")
    if (java := shutil.which("java", path=path)) and shutil.which("javac"):
        subprocess.run(["javac", "Bot.java"], cwd=folder, check=True)
        found["Java"] = (java, "Bot")
    return found


def exchange(stdin: int, stdout: int) -> None:
    """Send a line and wait for it to come back."""
    os.write(stdin, b"hello\n")
    select.select([stdout], [], [], 30)
    assert os.read(stdout, 4096) == b"hello\n"


def start_bare(folder: Path, command: tuple[str, ...]) -> float:
    """Return the seconds from start to first reply of a plain process."""
    begun = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=PLAIN, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin
        assert process.stdout
        exchange(process.stdin.fileno(), process.stdout.fileno())
        spent = time.perf_counter() - begun
        process.kill()
    return spent


def start_caged(backend: Backend, folder: Path, command: tuple[str, ...]) -> float:
    """Return the seconds from start to first reply in the cage."""
    launch = Launch(str(folder), command, Limits(memory_mb=1024))
    begun = time.perf_counter()
    process = backend.start(launch)
    exchange(process.stdin, process.stdout)
    spent = time.perf_counter() - begun
    process.close()
    return spent


def p20(values: list[float]) -> float:
    """Return the value that a fifth stay below: what a quiet moment looks like."""
    return sorted(values)[len(values) // 5]


def compare_starts(backend: Backend, folder: Path, commands: dict[str, tuple[str, ...]]) -> None:
    """Print medians and p20 of both sides, and what the cage adds."""
    who = "root, bots as another user" if os.geteuid() == 0 else "an ordinary user"
    print(f"sandbox: start to first reply in ms, level {backend.level}, as {who}")
    print(f"  {'':<8}{'bare p20':>10}{'median':>9}{'caged p20':>11}{'median':>9}{'added p20':>11}")
    for name, command in commands.items():
        sides: dict[str, Callable[[], float]] = {
            "bare": lambda command=command: start_bare(folder, command),  # type: ignore[misc]
            "caged": lambda command=command: start_caged(backend, folder, command),  # type: ignore[misc]
        }
        times: dict[str, list[float]] = {side: [] for side in sides}
        for turn in range(STARTS[name] + 2):
            for side, run_side in sides.items():
                spent = run_side()
                if turn >= 2:  # the first two warm the caches
                    times[side].append(spent * 1000)
        bare, caged = times["bare"], times["caged"]
        print(
            f"  {name:<8}{p20(bare):>10.1f}{statistics.median(bare):>9.1f}{p20(caged):>11.1f}"
            f"{statistics.median(caged):>9.1f}{p20(caged) - p20(bare):>11.1f}"
        )


def trip_us(stdin: int, stdout: int, count: int) -> float:
    """Return the microseconds of a round trip."""
    poller = select.poll()
    poller.register(stdout, select.POLLIN)
    begun = time.perf_counter()
    for _ in range(count):
        os.write(stdin, b"x\n")
        poller.poll()
        os.read(stdout, 64)
    return (time.perf_counter() - begun) / count * 1e6


def compare_trips(backend: Backend, folder: Path, command: tuple[str, ...]) -> None:
    """Print the median round trip of a bot in C on each side, all on one core as in a match.

    Where the kernel schedules by session (autogroup), any process in a session of its own takes
    longer to switch to, in a cage or not: so that is a side too, and what the cage is compared to.
    """
    core = min(os.sched_getaffinity(0))
    with pinned(core), ExitStack() as stack:
        sides = {
            "our child": _echo(stack, command),
            "of its own session": _echo(stack, command, session=True),
        }
        caged = backend.start(Launch(str(folder), command, Limits(), core=core))
        stack.callback(caged.close)
        sides[f"at level {backend.level}"] = (caged.stdin, caged.stdout)
        found: dict[str, list[float]] = {side: [] for side in sides}
        for _ in range(BLOCKS):
            for side, pipes in sides.items():
                found[side].append(trip_us(*pipes, TRIPS // BLOCKS))
    told = ", ".join(f"{side} {statistics.median(each):.1f}" for side, each in found.items())
    print(f"  round trip of a C bot in us, median of {BLOCKS} blocks: {told}")


def _echo(stack: ExitStack, command: tuple[str, ...], session: bool = False) -> tuple[int, int]:
    """Start a plain process, which goes with the stack; return our ends of its pipes."""
    process = stack.enter_context(
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=session,
        )
    )
    stack.callback(process.kill)
    assert process.stdin
    assert process.stdout
    return process.stdin.fileno(), process.stdout.fileno()


def run() -> None:
    """Measure at the best level that works here."""
    try:
        backend = choose("auto")
    except ArenaError as error:
        print(f"sandbox: not measured: {error}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(prefix="niagara-bench-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        commands = prepare(folder)
        compare_starts(backend, folder, commands)
        if "C" in commands:
            compare_trips(backend, folder, commands["C"])
