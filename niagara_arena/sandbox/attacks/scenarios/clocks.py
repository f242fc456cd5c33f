"""Attacks on time and limits: thinking off the clock, getting more of a core than is due."""

from __future__ import annotations

import os
import time

from niagara_arena.sandbox.attacks import outside
from niagara_arena.sandbox.attacks.model import NotTried, Probe, Seen
from niagara_arena.sandbox.attacks.scenarios.kinds import forking
from niagara_arena.sandbox.attacks.stage import LIMITS, Trial

TICKS_S = os.sysconf("SC_CLK_TCK")


def _cpu(pids: list[int]) -> int:
    return sum(outside.cpu_ticks(pid) for pid in pids)


def _burn_by_children(trial: Trial, **more: bool) -> Seen:
    """See whether a child's thinking is on the bot's clock."""
    bot = trial.run("processes.burn_by_children", **more)
    before = bot.process.meter.cpu_ns()
    below = outside.descendants(bot.pid)
    ends = time.monotonic() + 3
    while below and _cpu(below) < 0.2 * TICKS_S and time.monotonic() < ends:
        bot.linger(0.05)
    unseen = _cpu(below) / TICKS_S - (bot.process.meter.cpu_ns() - before) / 1e9
    return Seen(unseen > 0.1, f"{unseen:.2f} s off the clock" if below else bot.why)


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
    return Seen(gained > 0.04, f"{gained:.2f} s while frozen" if below else bot.why)


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


def _cpu_limit(trial: Trial) -> Seen:
    limits = type(LIMITS)(memory_mb=64, cpu_s=1)
    bot = trial.start("processes.burn", told={"seconds": 2.2}, limits=limits)
    bot.finish(30)
    burnt = bot.evidence.get("burnt", 0)
    return Seen(bool(burnt), f"it burnt {burnt:.1f} s of 1" if burnt else "it was ended")


def _rival_clock(trial: Trial) -> Seen:
    rival = trial.start("processes.victim", name="rival")
    rival.hear("fd")
    bot = trial.run("processes.read_clock", {"pids": [rival.pid, os.getpid()]})
    worked = bool(bot.evidence.get("worked"))
    return Seen(worked, f"it could: {bot.evidence['worked']}" if worked else bot.why, True)


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
    before = os.getpriority(os.PRIO_PROCESS, 0)  # ours, which it begins with
    bot = trial.run("kernel.renice")
    now = os.getpriority(os.PRIO_PROCESS, bot.pid)
    return Seen(now != before, f"from nice {before} to {now}")


def _disk_priority(trial: Trial) -> Seen:
    bot = trial.run("kernel.reweigh_io")
    worked = bool(bot.evidence.get("worked"))
    return Seen(worked, "it was changed" if worked else bot.why, True)


PROBES = (
    Probe("cpu-by-children", "Let a child think off the clock", _burn_by_children),
    Probe("think-while-frozen", "Let a child think while frozen", _think_while_frozen),
    Probe("cpu-limit", "Burn CPU past the limit, deaf to warnings", _cpu_limit, none="varies"),
    Probe(
        "cpu-by-children-forking",
        "Let a child think off the clock, as a bot that may fork",
        forking(_burn_by_children),
    ),
    Probe(
        "frozen-forking",
        "Let a child think while frozen, as a bot that may fork",
        forking(_think_while_frozen),
    ),
    Probe(
        "hot-potato-forking",
        "Outrun the freeze by forking without end, as a bot that may fork",
        forking(_hot_potato),
        none="varies",
    ),
    Probe("rival-clock", "Read how much CPU time a rival has used", _rival_clock),
    Probe("raise-limits", "Raise the limits set for it", _limits, none="varies"),
    Probe("unpin", "Leave the core it was put on", _pin),
    Probe("scheduling", "Change its scheduling class", _scheduling),
    Probe("nice", "Change its own priority", _nice),
    Probe("disk-priority", "Change its disk priority", _disk_priority),
)
