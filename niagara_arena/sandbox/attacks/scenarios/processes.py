"""Attacks on processes: touching others, multiplying, staying on."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import time
import warnings

import msgspec

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox.attacks import outside
from niagara_arena.sandbox.attacks.bot import Bot
from niagara_arena.sandbox.attacks.model import Probe, Scenario, Seen
from niagara_arena.sandbox.attacks.scenarios.kinds import building, forking
from niagara_arena.sandbox.attacks.stage import LIMITS, Trial


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
    return Seen(dead, "the organiser's process is dead" if dead else bot.why)


def _signal_rival(trial: Trial, **more: bool) -> Seen:
    rival = _rival(trial)
    trial.run("processes.signal_them", {"pids": [rival.pid]}, **more)
    rival.linger(0.1)
    dead = rival.exit is not None
    return Seen(dead, "its rival is dead" if dead else "its rival lives")


def _signal_everybody(trial: Trial) -> Seen:
    bot = trial.run("processes.signal_everybody")
    reached = bool(bot.evidence.get("reached"))
    return Seen(reached, "somebody is in reach" if reached else bot.why, True)


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
        return Seen(stolen, "it printed its rival's secret" if stolen else bot.why)

    return scenario


def _rewrite_parent(trial: Trial) -> Seen:
    bot = trial.run("processes.rewrite_parent")
    worked = bool(bot.evidence.get("worked"))
    return Seen(worked, "it wrote into it" if worked else bot.why, True)


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
    return Seen(before != after, "its rival has changed" if before != after else bot.why)


def _doom(trial: Trial) -> Seen:
    """Aim at the first process of the bot's namespace: its end looks like the doing of others."""
    caged = trial.stage.level == "bwrap"
    target = 1 if caged else trial.bystander().pid
    bot = trial.run("processes.doom", {"pid": target})
    victim = int(outside.status(bot.pid)["PPid"]) if caged else target
    doomed = outside.hard_limits(victim).get("Max cpu time") == "29"
    return Seen(doomed, "its CPU time is limited" if doomed else bot.why)


def _children(program: str, **told: int) -> Scenario:
    """Make a scenario in which a bot must not have any process below it."""

    def scenario(trial: Trial) -> Seen:
        bot = trial.run(program, told)
        below = outside.descendants(bot.pid)
        words = f"{len(below)} processes below it" if below else bot.why
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
    """Count the bot's threads; where a watch counts them too, it needs a moment to end the bot."""
    bot = trial.run("processes.thread_bomb", {"count": 4 * LIMITS.processes})
    ends = time.monotonic() + 2
    while (count := int(outside.status(bot.pid).get("Threads", "0"))) > LIMITS.processes:
        if time.monotonic() > ends:
            return Seen(True, f"{count} threads go on, {LIMITS.processes} allowed")
        bot.linger(0.05)
    return Seen(False, f"{count} threads, {LIMITS.processes} allowed")


def _starve(trial: Trial) -> Seen:
    """Let one bot start all the threads it can; another must still get its few."""
    trial.run("processes.thread_bomb", {"count": 4 * LIMITS.processes})
    rival = trial.run("processes.thread_bomb", {"count": 8}, name="rival")
    count = int(outside.status(rival.pid).get("Threads", "0"))
    return Seen(count < 9, f"its rival got {max(count - 1, 0)} threads of 8")


def _starve_timers(trial: Trial) -> Seen:
    hog = trial.run("processes.take_timers", {"count": 3000})
    rival = trial.run("processes.take_timers", {"count": 8}, name="rival")
    starved = rival.evidence.get("made") == 0
    made = hog.evidence.get("made")
    return Seen(starved, f"{made} timers left {'none' if starved else 'enough'} for its rival")


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
    return Seen(worked, "it left its session or group" if worked else bot.why)


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
        "rewrite-parent",
        "Rewrite the process that started it, which no clock counts and no freeze stops",
        _rewrite_parent,
        none="varies",
    ),
    Probe(
        "steal-descriptor",
        "Copy an open descriptor out of a rival",
        _theft("processes.take_descriptor", "fd"),
    ),
    Probe("speak-for-rival", "Answer in a rival's name through /proc/PID/fd", _speak),
    Probe("hamper-rival", "Renice a rival or cut its limits", _hamper),
    Probe("doom-first", "Have the kernel kill the first process of its namespace", _doom),
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
    Probe(
        "starve-timers",
        "Use up the kernel timers of the uid",
        _starve_timers,
        none="varies",
        landlock="varies",
        note="where bots share a uid, as an ordinary user's do at landlock, the kernel counts "
        "their timers together",
    ),
    Probe("starve-pipes", "Use up the pipe budget of the uid", _starve_pipes, none="user"),
    Probe("daemon", "Leave a daemon that holds the pipe", _daemon, none="stopped", note=_KEPT),
    Probe("new-session", "Leave the session that is killed", _session, none="stopped"),
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
        forking(_daemon),
        none="stopped",
        note=_KEPT,
    ),
    Probe(
        "memory-forking",
        "Take too much memory over children, as a bot that may fork",
        forking(_memory_by_children),
    ),
    Probe("daemon-building", "Leave a daemon, as a build", building(_daemon), none="stopped"),
    Probe(
        "signal-building",
        "Kill a bot, as a build",
        building(_signal_rival),
        landlock="user, abi<6",
        note="a build must signal its own; before ABI 6 Landlock does not tell whose",
    ),
)
