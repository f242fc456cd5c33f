"""Attacks on processes: touching others, multiplying, thinking unseen, staying on."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import time
import warnings
from collections.abc import Callable

import msgspec

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox.attacks import outside
from niagara_arena.sandbox.attacks.bot import Bot
from niagara_arena.sandbox.attacks.model import NotTried, Probe, Scenario, Seen
from niagara_arena.sandbox.attacks.scenarios.files import _why as why
from niagara_arena.sandbox.attacks.stage import LIMITS, Trial

TICKS_S = os.sysconf("SC_CLK_TCK")


def _look(trial: Trial) -> Seen:
    other = trial.bystander()
    bot = trial.run("processes.look")
    seen = bot.evidence.get("seen", {})
    known = [pid for pid in (other.pid, os.getpid()) if seen.get(str(pid)) == outside.birth(pid)]
    return Seen(bool(known), f"it saw {len(seen)} processes" if known else f"it saw {len(seen)}")


def _rival(trial: Trial) -> Bot:
    """Start a second caged bot that holds a secret, and wait until it does."""
    rival = trial.start("processes.victim", name="rival")
    rival.hear("fd")
    return rival


def _signal_runner(trial: Trial) -> Seen:
    other = trial.bystander()
    bot = trial.run("processes.signal_them", {"pids": [other.pid]})
    sent = "" in bot.evidence.get("refused", {}).values()
    with contextlib.suppress(subprocess.TimeoutExpired):
        other.wait(2 if sent else 0.01)
    dead = other.returncode is not None
    return Seen(dead, "the organiser's process is dead" if dead else why(bot.evidence))


def _signal_rival(trial: Trial, **more: bool) -> Seen:
    rival = _rival(trial)
    trial.run("processes.signal_them", {"pids": [rival.pid]}, **more)
    rival.linger(0.1)
    dead = rival.exit is not None
    return Seen(dead, "its rival is dead" if dead else "its rival lives")


def _signal_everybody(trial: Trial) -> Seen:
    bot = trial.run("processes.signal_everybody")
    reached = bool(bot.evidence.get("reached"))
    return Seen(reached, "somebody is in reach" if reached else why(bot.evidence), True)


def _trace(trial: Trial) -> Seen:
    rival, other = _rival(trial), trial.bystander()
    trial.run("processes.trace", {"pids": [rival.pid, other.pid]})
    held = [p for p in (rival.pid, other.pid) if outside.status(p).get("TracerPid", "0") != "0"]
    return Seen(bool(held), "it holds another process" if held else "nobody is traced")


def _theft(program: str, *keys: str) -> Scenario:
    """Make a scenario in which a bot takes the secret out of its rival."""

    def scenario(trial: Trial) -> Seen:
        rival = _rival(trial)
        target = [rival.pid, *(rival.evidence[key] for key in keys)]
        bot = trial.run(program, {"targets": [target], "secret": ""})
        stolen = bot.says(trial.secret)
        return Seen(stolen, "it printed its rival's secret" if stolen else why(bot.evidence))

    return scenario


def _speak(trial: Trial) -> Seen:
    rival = _rival(trial)
    trial.run("processes.speak_for", {"pids": [rival.pid]})
    rival.linger(0.05)
    forged = rival.says(f'"forged":"{trial.secret}"')
    return Seen(forged, "a line came in its rival's name" if forged else "no line came")


def _hamper(trial: Trial) -> Seen:
    rival = _rival(trial)
    before = os.getpriority(os.PRIO_PROCESS, rival.pid), outside.hard_limits(rival.pid)
    bot = trial.run("processes.hamper", {"pids": [rival.pid]})
    after = os.getpriority(os.PRIO_PROCESS, rival.pid), outside.hard_limits(rival.pid)
    return Seen(before != after, "its rival has changed" if before != after else why(bot.evidence))


def _children(program: str, **told: int) -> Scenario:
    """Make a scenario in which a bot must not have any process below it."""

    def scenario(trial: Trial) -> Seen:
        bot = trial.run(program, told)
        below = outside.descendants(bot.pid)
        words = f"{len(below)} processes below it" if below else why(bot.evidence)
        return Seen(bool(below), words)

    return scenario


def _held_fork_bomb(trial: Trial) -> Seen:
    """Bomb where forking is allowed: the cgroup must hold it."""
    try:
        bot = trial.start("processes.fork_bomb", told={"count": 72}, multi_process=True)
    except NotPossibleHere as error:
        return Seen(False, f"refused at the start: {error}")
    bot.finish()
    below = len(outside.descendants(bot.pid))
    return Seen(below > LIMITS.processes, f"{below} processes, {LIMITS.processes} allowed")


def _threads(trial: Trial) -> Seen:
    bot = trial.run("processes.thread_bomb", {"count": 4 * LIMITS.processes})
    count = int(outside.status(bot.pid).get("Threads", "0"))
    return Seen(count > LIMITS.processes, f"{count} threads, {LIMITS.processes} allowed")


def _starve(trial: Trial) -> Seen:
    """Let one bot start all the threads it can; another must still get its few."""
    trial.run("processes.thread_bomb", {"count": 4 * LIMITS.processes})
    rival = trial.run("processes.thread_bomb", {"count": 8}, name="rival")
    count = int(outside.status(rival.pid).get("Threads", "0"))
    return Seen(count < 9, f"its rival got {max(count - 1, 0)} threads of 8")


def _starve_pipes(trial: Trial) -> Seen:
    """Let bots fill the pipe budget of their uid; a pipe of ours must keep its size."""
    roomy = msgspec.structs.replace(LIMITS, open_files=256)
    for name in ("bot", "rival"):
        trial.start("memory.exhaust_pipes", name=name, limits=roomy).finish()
    reader, writer = os.pipe()
    size = fcntl.fcntl(writer, 1032)  # F_GETPIPE_SZ
    os.close(reader)
    os.close(writer)
    return Seen(size < 65536, f"our own pipe holds {size} bytes")


def _forking(scenario: Callable[..., Seen]) -> Scenario:
    """Make a scenario of one that is played by a bot that may fork, where a cage allows such."""

    def run(trial: Trial) -> Seen:
        try:
            return scenario(trial, multi_process=True)
        except NotPossibleHere as error:
            return Seen(False, f"refused at the start: {error}")

    return run


def _building(scenario: Callable[..., Seen]) -> Scenario:
    """Make a scenario of one that is played by a build."""
    return lambda trial: scenario(trial, writable=True)


def _daemon(trial: Trial, **more: bool) -> Seen:
    """Kill the bot; see whether its pipe closes and nobody is left."""
    bot = trial.run("processes.daemon", **more)
    known = {pid: outside.birth(pid) for pid in outside.marked(trial.marker)}
    pipe = os.dup(bot.process.stdout)
    bot.process.kill()
    closed, ends = False, time.monotonic() + 2
    while not closed and time.monotonic() < ends:
        closed = bool(select.select([pipe], [], [], 0.1)[0]) and not os.read(pipe, 4096)
    os.close(pipe)
    left = outside.vanished(trial.marker, known, 1.0)
    bot.close()
    words = "nobody is left" if closed else "its pipe stays open"
    return Seen(bool(left) or not closed, f"{len(left)} survive" if left else words)


def _session(trial: Trial) -> Seen:
    bot = trial.start("processes.new_session")
    before = os.getsid(bot.pid), os.getpgid(bot.pid)
    bot.finish()
    now = os.getsid(bot.pid), os.getpgid(bot.pid)
    worked = before != now and bool(bot.evidence.get("worked"))
    return Seen(worked, "it left its session or group" if worked else why(bot.evidence))


def _cpu(pids: list[int]) -> int:
    return sum(outside.cpu_ticks(pid) for pid in pids)


def _burn_by_children(trial: Trial, **more: bool) -> Seen:
    """See whether a child's thinking is on the bot's clock."""
    bot = trial.run("processes.burn_by_children", **more)
    before = bot.process.cpu_ns()
    below = outside.descendants(bot.pid)
    ends = time.monotonic() + 3
    while below and _cpu(below) < 0.2 * TICKS_S and time.monotonic() < ends:
        bot.linger(0.05)
    unseen = _cpu(below) / TICKS_S - (bot.process.cpu_ns() - before) / 1e9
    return Seen(unseen > 0.1, f"{unseen:.2f} s off the clock" if below else why(bot.evidence))


def _think_while_frozen(trial: Trial, **more: bool) -> Seen:
    """Freeze the bot; see whether anything below it goes on thinking."""
    bot = trial.run("processes.burn_by_children", **more)
    bot.process.freeze()
    time.sleep(0.02)
    below = outside.descendants(bot.pid)
    before = _cpu(below)
    ends = time.monotonic() + 1.0
    while below and _cpu(below) <= before + 5 and time.monotonic() < ends:
        time.sleep(0.05)
    gained = (_cpu(below) - before) / TICKS_S
    bot.process.thaw()
    return Seen(gained > 0.04, f"{gained:.2f} s while frozen" if below else why(bot.evidence))


def _cpu_limit(trial: Trial) -> Seen:
    limits = type(LIMITS)(memory_mb=64, cpu_s=1)
    bot = trial.start("processes.burn", told={"seconds": 2.2}, limits=limits)
    bot.finish(30)
    burnt = bot.evidence.get("burnt", 0)
    return Seen(bool(burnt), f"it burnt {burnt:.1f} s of 1" if burnt else "it was ended")


def _outlive(program: str, *, fork: bool = False, multi_process: bool = False) -> Scenario:
    """Make a scenario in which the runner is killed; see whether the bot lives on.

    The runner that dies is a fork of ours, with a back end of its own making.
    """

    def scenario(trial: Trial) -> Seen:
        directory = trial.staged()
        ours, theirs = os.pipe()
        with warnings.catch_warnings():
            # The child starts one bot and dies; no lock of another thread is ever asked for.
            warnings.simplefilter("ignore", DeprecationWarning)
            runner = os.fork()
        if runner == 0:
            try:
                launch = trial.launch(program, directory, multi_process=multi_process)
                bot = Bot(trial.stage.backend, launch)
                bot.tell(secret="", fork=fork)
                os.write(theirs, b"y" if bot.hear("ready", 8) else b"n")
            finally:
                os.kill(os.getpid(), signal.SIGKILL)
        os.close(theirs)
        word = os.read(ours, 1)
        os.close(ours)
        os.waitpid(runner, 0)
        left = outside.vanished(trial.marker, {}, 2.0)
        if not word:
            return Seen(bool(left), "refused at the start")
        return Seen(bool(left), f"{len(left)} survive the runner" if left else "nobody is left")

    return scenario


def _late_thread(trial: Trial) -> Seen:
    """A process whose first thread has ended looks dead; it must still be killed."""
    bot = trial.start("processes.threads_outlive_main")
    bot.hear("ready")
    bot.linger(0.05)
    known = {bot.pid: outside.birth(bot.pid)}
    bot.close()
    left = [
        pid
        for pid, born in known.items()
        if outside.birth(pid) == born and len(os.listdir(f"/proc/{pid}/task")) > 1
    ]
    return Seen(bool(left), "its threads survive" if left else "nobody is left")


def _memory_by_children(trial: Trial, **more: bool) -> Seen:
    bot = trial.run("processes.hoard_by_children", {"count": 3, "bytes": 40 << 20}, **more)
    bot.linger(0.2)
    held = sum(map(outside.resident_bytes, [bot.pid, *outside.descendants(bot.pid)])) >> 20
    # A cgroup can't tell memory from files in memory: it allows for all of them together.
    # Pages that children share with their parent count here for each of them.
    allowed = LIMITS.memory_mb + LIMITS.tmp_mb + LIMITS.shm_mb + 40
    over = held > allowed and bot.exit is None and not bot.over_memory
    return Seen(over, f"{held} MB held together, {allowed} allowed")


def _hot_potato(trial: Trial, **more: bool) -> Seen:
    """Freeze a tree that forks without end; see whether anybody in it is still born.

    Each newborn writes a byte to the log, which only we read.
    """
    bot = trial.run("processes.hot_potato", **more)
    born = 0
    for _ in range(8):  # it is a race; one lost is enough
        bot.process.freeze()
        bot.linger(0.05)
        before = bot.logged
        bot.linger(0.1)
        born += bot.logged - before
        bot.process.thaw()
        bot.linger(0.05)
    return Seen(born > 0, f"{born} were born while frozen" if born else "all stood still")


def _limits(trial: Trial) -> Seen:
    bot = trial.start("kernel.raise_limits")
    before = outside.hard_limits(bot.pid)
    bot.finish()
    after = outside.hard_limits(bot.pid)
    raised = sorted(name for name in after if _higher(after[name], before.get(name, "0")))
    return Seen(bool(raised), ", ".join(raised) or "no limit was raised")


def _higher(after: str, before: str) -> bool:
    def size(word: str) -> float:
        return float("inf") if word == "unlimited" else float(word)

    return size(after) > size(before)


def _pin(trial: Trial) -> Seen:
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise NotTried("this machine offers one core")
    bot = trial.run("kernel.unpin", {"cores": max(cores) + 1}, core=cores[0])
    now = os.sched_getaffinity(bot.pid)
    return Seen(len(now) > 1, f"it may use {len(now)} cores")


def _scheduling(trial: Trial) -> Seen:
    bot = trial.run("kernel.reschedule")
    now = os.sched_getscheduler(bot.pid)
    return Seen(now != os.SCHED_OTHER, f"its scheduling class is {now}")


def _nice(trial: Trial) -> Seen:
    bot = trial.start("kernel.renice")
    before = os.getpriority(os.PRIO_PROCESS, bot.pid)
    bot.finish()
    now = os.getpriority(os.PRIO_PROCESS, bot.pid)
    return Seen(now != before, f"from nice {before} to {now}")


def _disk_priority(trial: Trial) -> Seen:
    bot = trial.run("kernel.reweigh_io")
    worked = bool(bot.evidence.get("worked"))
    return Seen(worked, "it was changed" if worked else why(bot.evidence), True)


_KEPT = "the keeper adopts and kills whatever a bot leaves behind"

PROBES = (
    Probe("see-processes", "See the machine's other processes", _look),
    Probe(
        "signal-runner",
        "Kill a process of the organiser's",
        _signal_runner,
        landlock="stopped",
        note="by the uid where root runs the arena, else by Landlock's signal scope",
    ),
    Probe("signal-rival", "Kill a rival", _signal_rival),
    Probe("signal-anybody", "Find anybody whom it may signal", _signal_everybody),
    Probe("ptrace", "Trace a rival or the organiser's process", _trace),
    Probe(
        "read-memory",
        "Read a rival's memory by process_vm_readv",
        _theft("processes.read_memory", "address", "length"),
    ),
    Probe(
        "read-proc-memory",
        "Read a rival's memory through /proc/PID/mem",
        _theft("processes.read_proc_memory", "address", "length"),
    ),
    Probe(
        "steal-descriptor",
        "Copy an open descriptor out of a rival",
        _theft("processes.take_descriptor", "fd"),
    ),
    Probe("speak-for-rival", "Answer in a rival's name through /proc/PID/fd", _speak),
    Probe("hamper-rival", "Renice a rival or cut its limits", _hamper),
    Probe("fork", "Start another process", _children("processes.fork")),
    Probe("fork-bomb", "Fork 72 times", _children("processes.fork_bomb", count=72)),
    Probe(
        "fork-bomb-allowed",
        "Fork past the limit, as a bot that may fork",
        _held_fork_bomb,
    ),
    Probe("zombies", "Leave 72 dead children", _children("processes.zombies", count=72)),
    Probe("run-program", "Start another program", _children("processes.run_program")),
    Probe("thread-bomb", "Start more threads than allowed", _threads),
    Probe(
        "starve-rival",
        "Leave no threads for a rival",
        _starve,
        none="stopped",
        note="where bots share a uid, the kernel counts their threads together",
    ),
    Probe("starve-pipes", "Use up the pipe budget of the uid", _starve_pipes, none="user"),
    Probe("daemon", "Leave a daemon that holds the pipe", _daemon, none="stopped", note=_KEPT),
    Probe("new-session", "Leave the session that is killed", _session, none="stopped"),
    Probe("cpu-by-children", "Let a child think off the clock", _burn_by_children),
    Probe("think-while-frozen", "Let a child think while frozen", _think_while_frozen),
    Probe("cpu-limit", "Burn CPU past the limit, deaf to warnings", _cpu_limit, none="varies"),
    Probe("memory-by-children", "Take too much memory, spread over children", _memory_by_children),
    Probe(
        "outlive-runner",
        "Live on when the runner is killed",
        _outlive("processes.outlive"),
        none="stopped",
        note=_KEPT,
    ),
    Probe(
        "outlive-runner-by-child",
        "Leave a child that lives on when the runner is killed",
        _outlive("processes.outlive", fork=True),
        none="stopped",
        note=_KEPT,
    ),
    Probe(
        "outlive-runner-forking",
        "The same, as a bot that may fork",
        _outlive("processes.outlive", fork=True, multi_process=True),
        none="stopped",
        note=_KEPT,
    ),
    Probe(
        "kill-keepers",
        "Kill those who watch over it, and live on",
        _outlive("processes.kill_watchers"),
        none="varies",
    ),
    Probe(
        "late-thread",
        "Let threads live on in a process that looks dead",
        _late_thread,
        none="stopped",
    ),
    Probe(
        "daemon-forking",
        "Leave a daemon, as a bot that may fork",
        _forking(_daemon),
        none="stopped",
        note=_KEPT,
    ),
    Probe(
        "cpu-by-children-forking",
        "Let a child think off the clock, as a bot that may fork",
        _forking(_burn_by_children),
    ),
    Probe(
        "frozen-forking",
        "Let a child think while frozen, as a bot that may fork",
        _forking(_think_while_frozen),
    ),
    Probe(
        "hot-potato-forking",
        "Outrun the freeze by forking without end, as a bot that may fork",
        _forking(_hot_potato),
        none="varies",
    ),
    Probe(
        "memory-forking",
        "Take too much memory over children, as a bot that may fork",
        _forking(_memory_by_children),
    ),
    Probe("daemon-building", "Leave a daemon, as a build", _building(_daemon), none="stopped"),
    Probe("signal-building", "Kill a bot, as a build", _building(_signal_rival)),
    Probe("raise-limits", "Raise the limits set for it", _limits, none="varies"),
    Probe("unpin", "Leave the core it was put on", _pin),
    Probe("scheduling", "Change its scheduling class", _scheduling),
    Probe("nice", "Change its own priority", _nice),
    Probe("disk-priority", "Change its disk priority", _disk_priority),
)
