"""Covert channels: a message from one bot to another, who should not know of each other."""

from __future__ import annotations

from typing import Any

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox.attacks.bot import Bot
from niagara_arena.sandbox.attacks.model import Probe, Scenario, Seen
from niagara_arena.sandbox.attacks.stage import COMMON, Trial


def _told(trial: Trial, channel: str, places: tuple[str, ...]) -> dict[str, Any]:
    return {
        "channel": channel,
        "name": trial.marker,
        "key": int(trial.secret[:7], 16) | 1,
        "directories": list(places),
        "bits": trial.bits,
    }


def _message(trial: Trial, text: object) -> bool:
    """Tell whether a message arrived; of 40 bits, up to 6 may be lost to noise."""
    if not isinstance(text, str):
        return False
    wrong = sum(a != b for a, b in zip(trial.bits, text, strict=False))
    bits = len(text) == len(trial.bits) and wrong <= 6
    return bits or trial.secret in text or trial.secret[:15] in text.split()


def _judge(trial: Trial, *bots: Bot) -> Seen:
    """See whether the last of the bots got the message."""
    got = _message(trial, bots[-1].finish().get("text"))
    refused = [bot.evidence["refused"] for bot in bots if "refused" in bot.evidence]
    why = f"no message; refused: {', '.join(map(str, refused))}" if refused else "no message"
    return Seen(got, "the message arrived" if got else why)


def _channel(
    channel: str,
    places: tuple[str, ...] = (),
    *,
    later: bool = False,
    same: bool = False,
    forking: bool = False,
) -> Scenario:
    """Make a scenario for a channel between two bots that run at once, or one after the other.

    The receiver is told everything but the message; for the bits it is told how many. With
    `forking` both are bots that may fork, to whom a cage must allow more.
    """

    def scenario(trial: Trial) -> Seen:
        told = _told(trial, channel, places)
        try:
            sender = trial.start("channels.send", told=told, name="one", multi_process=forking)
        except NotPossibleHere as error:
            return Seen(False, f"refused at the start: {error}")
        sender.hear("sent")
        if later:
            sender.close()
        blind = told | {"secret": "", "bits": "0" * len(trial.bits)}
        receiver = trial.start(
            "channels.receive", told=blind, name="one" if same else "two", multi_process=forking
        )
        return _judge(trial, sender, receiver)

    return scenario


def _watched(trial: Trial) -> Seen:
    """Let the receiver watch while the sender opens files."""
    told = _told(trial, "inotify", ())
    blind = told | {"secret": "", "bits": "0" * len(trial.bits)}
    receiver = trial.start("channels.receive", told=blind, name="two")
    if receiver.hear("sent"):
        sender = trial.start("channels.send", told=told, name="one")
        sender.hear("sent")
        receiver.tell(go=True)
    return _judge(trial, receiver)


def _noisy(scenario: Scenario) -> Scenario:
    """Let the bots try again: others open and lock files of /usr as well."""

    def scenario_again(trial: Trial) -> Seen:
        for _ in range(2):
            seen = scenario(trial)
            if seen.open:
                return seen
            for bot in trial.bots:
                bot.close()
        return scenario(trial)

    return scenario_again


_BITS = "both bots can read the same files of /usr"

PROBES = (
    Probe("covert-tmp", "Pass a file to a rival in /tmp", _channel("file", ("/tmp", "/var/tmp"))),
    Probe("covert-shm", "Pass a file to a rival in /dev/shm", _channel("file", ("/dev/shm",))),
    Probe("covert-staged", "Pass a file in the staged copy", _channel("file", (".",), same=True)),
    Probe(
        "leftover-file",
        "Leave a file for a later bot",
        _channel("file", (*COMMON, "."), later=True, same=True),
    ),
    Probe("covert-sysv-memory", "Share System V memory", _channel("system_v_memory")),
    Probe("covert-sysv-queue", "Share a System V message queue", _channel("system_v_queue")),
    Probe("covert-sysv-semaphores", "Share semaphores", _channel("system_v_semaphores")),
    Probe(
        "leftover-sysv-memory",
        "Leave System V memory for a later bot",
        _channel("system_v_memory", later=True),
    ),
    Probe("covert-posix-queue", "Share a POSIX message queue", _channel("posix_queue")),
    Probe("covert-keyring", "Share a key of the user's keyring", _channel("keyring")),
    Probe("leftover-keyring", "Leave a key for a later bot", _channel("keyring", later=True)),
    Probe("covert-abstract", "Meet at an abstract socket", _channel("abstract")),
    Probe("covert-process-name", "Read a rival's process name in /proc", _channel("name")),
    Probe("covert-flock", "Signal by locks on shared files", _noisy(_channel("flock")), note=_BITS),
    Probe(
        "covert-record-locks",
        "Signal by record locks on a shared read-only file",
        _noisy(_channel("record_locks")),
        note=_BITS,
    ),
    Probe(
        "covert-flock-forking",
        "Signal by locks on shared files, as bots that may fork",
        _noisy(_channel("flock", forking=True)),
        note=_BITS,
    ),
    Probe(
        "covert-futex",
        "Wait on a word of a shared read-only file",
        _noisy(_channel("futex")),
        note=_BITS,
    ),
    Probe(
        "covert-futex-forking",
        "The same, as bots that may fork",
        _noisy(_channel("futex", forking=True)),
        bwrap="cgroup",
        note="processes that share semaphores need the calls that this uses, and a filter can't "
        "see what is mapped where they point",
    ),
    Probe(
        "covert-thread-end",
        "Wait on a word of a shared file until a rival's thread ends in its name",
        _noisy(_channel("thread_ends")),
        none="varies",
        landlock="varies",
        bwrap="varies",
        note="every C library waits so for its own threads, and a filter can't see what is mapped "
        "where a call points; it takes two who run at the same time",
    ),
    Probe(
        "covert-shared-pages",
        "Ask the kernel who else has mapped a page of a shared file",
        _noisy(_channel("shared_pages")),
        bwrap="open",
        note="a process's own /proc tells, and without its own /proc many a program does not run",
    ),
    Probe(
        "covert-own-hint",
        "Leave a write hint on a file that an ordinary user's bots own",
        _channel("own_hint"),
        none="varies",
        note="the rules, which every bot may import",
    ),
    Probe(
        "covert-page-out",
        "Have pages forgotten of a file that an ordinary user's bots own",
        _channel("page_out"),
        none="varies",
        note="the rules, which every bot may import",
    ),
    Probe(
        "covert-write-hint",
        "Signal by the write hint of shared files",
        _noisy(_channel("write_hint")),
        none="varies",
        note="the kernel lets only owners set it since about Linux 6.9",
    ),
    Probe(
        "covert-access-time",
        "Signal by the access times of shared files",
        _noisy(_channel("access_time")),
        none="varies",
        landlock="varies",
        note="a read moves the time once a day where /usr is mounted with relatime, unless the "
        "cage mounts it read-only",
    ),
    Probe(
        "covert-totals",
        "Signal by how much memory the machine holds in all",
        _channel("totals"),
        none="varies",
        landlock="varies",
        bwrap="varies",
        note="sysinfo() tells everybody, and the C library takes its answer unseen, so it can't be "
        "refused; how clearly depends on what else runs",
    ),
    Probe("covert-inotify", "Watch a rival open shared files", _noisy(_watched), note=_BITS),
    Probe(
        "covert-page-cache",
        "Signal by what of shared files is in memory",
        _noisy(_channel("page_cache")),
        none="varies",
        note=_BITS,
    ),
)
