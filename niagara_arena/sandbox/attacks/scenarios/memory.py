"""Attacks on memory and kernel objects: more than allowed, where counters look away."""

from __future__ import annotations

import contextlib
import os

from niagara_arena.sandbox.attacks import outside
from niagara_arena.sandbox.attacks.model import Probe, Scenario, Seen
from niagara_arena.sandbox.attacks.programs import syscalls
from niagara_arena.sandbox.attacks.stage import COMMON, LIMITS, Trial

MB = 1 << 20
ALLOWED = (LIMITS.memory_mb + LIMITS.tmp_mb + LIMITS.shm_mb) * MB
"""All that a bot may hold at once: its memory and what its two scratch places may hold."""
WANTED = 2 * LIMITS.memory_mb * MB


def _bomb(program: str) -> Scenario:
    """Make a scenario in which a bot takes twice its memory, by any means."""

    def scenario(trial: Trial) -> Seen:
        places = [*COMMON, trial.room]
        told = {"bytes": WANTED, "directories": places, "megabytes": LIMITS.tmp_mb}
        bot = trial.run(program, told)
        bot.linger(0.2)
        for segment in bot.evidence.get("segments", []):
            with contextlib.suppress(OSError):
                syscalls.call("shmctl", segment, 0, None)
        ended = bot.exit is not None or bot.over_memory
        held = max(outside.resident_bytes(bot.pid), int(bot.evidence.get("bytes", 0)))
        is_open = held > ALLOWED + 8 * MB and not ended
        words = f"{held // MB} MB held, {ALLOWED // MB} allowed"
        return Seen(is_open, "it was ended" if ended else words)

    return scenario


def _lock(trial: Trial) -> Seen:
    bot = trial.run("memory.lock_pages", {"bytes": 16 * MB})
    locked = int(outside.status(bot.pid).get("VmLck", "0 kB").split()[0]) >> 10
    return Seen(locked >= 16, f"{locked} MB nailed down")


def _descriptors(trial: Trial) -> Seen:
    bot = trial.run("memory.descriptors", {"count": 4 * LIMITS.open_files})
    seen = len(outside.open_descriptors(bot.pid))
    count = seen or int(bot.evidence.get("made", 0))
    return Seen(count > LIMITS.open_files, f"{count} open, {LIMITS.open_files} allowed", not seen)


def _in_flight(trial: Trial) -> Seen:
    bot = trial.run("memory.in_flight", {"count": 16 * LIMITS.open_files})
    made = int(bot.evidence.get("made", 0))
    return Seen(made > 4 * LIMITS.open_files, f"{made} in the post", True)


def _timers(trial: Trial) -> Seen:
    bot = trial.run("memory.timers", {"count": 20_000})
    queued = outside.status(bot.pid).get("SigQ", "0/0").partition("/")[0]
    made = int(bot.evidence.get("made", 0))
    return Seen(made > 5_000, f"{made} timers, {queued} on its account", True)


def _rules(trial: Trial) -> Seen:
    bot = trial.run("memory.rules", {"count": 20_000})
    made = int(bot.evidence.get("made", 0))
    return Seen(made > 1_000, f"{made} rules" if made else bot.why, True)


def _locks(trial: Trial) -> Seen:
    bot = trial.run("memory.locks", {"count": 2_000, "path": os.path.realpath("/usr/bin/env")})
    made = int(bot.evidence.get("made", 0))
    return Seen(made > 1_000, f"{made} locks", True)


_WATCHED = "the watchdog sees it, at every level"
_UNSEEN = "mapped nowhere, so only the kernel's own accounts can tell"

PROBES = (
    Probe(
        "private-memory", "Take private memory", _bomb("memory.private"), "stopped", note=_WATCHED
    ),
    Probe("shared-memory", "Take shared memory", _bomb("memory.shared"), "stopped", note=_WATCHED),
    Probe(
        "hidden-memory",
        "Take shared memory and let go of all but a page of it",
        _bomb("memory.hidden"),
        note=_UNSEEN,
    ),
    Probe(
        "disguised-memory",
        "Take memory under a name that confuses /proc's readers",
        _bomb("memory.disguised"),
        none="stopped",
        note=_WATCHED,
    ),
    Probe("stack-memory", "Take memory that grows down", _bomb("memory.stack_like"), "stopped"),
    Probe(
        "page-tables",
        "Take memory for page tables alone",
        _bomb("memory.page_tables"),
        none="stopped",
        note=_WATCHED,
    ),
    Probe("attribute-bytes", "Hide bytes in attributes", _bomb("memory.attributes"), "varies"),
    Probe("memfd", "Hide bytes in many memory files", _bomb("memory.memfd"), note=_UNSEEN),
    Probe("big-memfd", "Hide bytes in one memory file", _bomb("memory.big_memfd"), note=_UNSEEN),
    Probe("deleted-files", "Hide bytes in files without a name", _bomb("memory.deleted_files")),
    Probe("pipe-buffers", "Park bytes in pipes", _bomb("memory.pipes"), "varies", note=_UNSEEN),
    Probe("spliced-pages", "Give pages to pipes", _bomb("memory.spliced"), "varies", note=_UNSEEN),
    Probe("socket-buffers", "Park bytes in socket pairs", _bomb("memory.socket_buffers"), "varies"),
    Probe("sysv-memory", "Leave bytes in System V segments", _bomb("memory.system_v")),
    Probe(
        "all-memory",
        "Take memory, tmp and shared memory together",
        _bomb("memory.everything"),
        none="varies",
    ),
    Probe("lock-memory", "Nail memory down", _lock, none="varies"),
    Probe("descriptor-bomb", "Open more files than allowed", _descriptors),
    Probe("descriptors-in-post", "Hold descriptors in the post", _in_flight, none="varies"),
    Probe("timer-bomb", "Make 20,000 kernel timers", _timers),
    Probe("rule-bomb", "Make 20,000 rules for a cage of its own", _rules, none="varies"),
    Probe("lock-bomb", "Make 2,000 file locks", _locks),
)
