"""Covert channels: a message from one bot to another, who should not know of each other."""

from __future__ import annotations

from typing import Any

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
    """Tell whether a message arrived; of 24 bits, up to 3 may be lost to noise."""
    if not isinstance(text, str):
        return False
    wrong = sum(a != b for a, b in zip(trial.bits, text, strict=False))
    bits = len(text) == len(trial.bits) and wrong <= 3
    return bits or trial.secret in text or trial.secret[:15] in text.split()


def _judge(trial: Trial, text: object) -> Seen:
    got = _message(trial, text)
    return Seen(got, "the message arrived" if got else "no message")


def _channel(
    channel: str, places: tuple[str, ...] = (), *, later: bool = False, same: bool = False
) -> Scenario:
    """Make a scenario for a channel between two bots that run at once, or one after the other.

    The receiver is told everything but the message; for the bits it is told how many.
    """

    def scenario(trial: Trial) -> Seen:
        told = _told(trial, channel, places)
        sender = trial.start("channels.send", told=told, name="one")
        sender.hear("sent")
        if later:
            sender.close()
        blind = told | {"secret": "", "bits": "0" * len(trial.bits)}
        receiver = trial.start("channels.receive", told=blind, name="one" if same else "two")
        return _judge(trial, receiver.finish().get("text"))

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
    return _judge(trial, receiver.finish().get("text"))


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
    Probe("covert-flock", "Signal by locks on shared files", _channel("flock"), note=_BITS),
    Probe(
        "covert-record-locks",
        "Signal by record locks on a shared read-only file",
        _channel("record_locks"),
        note=_BITS,
    ),
    Probe("covert-inotify", "Watch a rival open shared files", _watched, note=_BITS),
    Probe(
        "covert-page-cache",
        "Signal by what of shared files is in memory",
        _channel("page_cache"),
        none="varies",
        note=_BITS,
    ),
)
