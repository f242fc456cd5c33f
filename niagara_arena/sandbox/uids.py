"""Lend each bot a uid of its own, where we are root and no namespace does so.

A uid is claimed by the name of an abstract socket: taken by one process at a time on the whole
machine, and free again when its holder dies, however it dies.
"""

from __future__ import annotations

import itertools
import os
import socket

from niagara_arena.errors import NotPossibleHere

__all__ = ["Claim", "claim"]

FAR = range(2_000_000_000, 2_000_004_096)
"""Beyond every range that Linux distributions and systemd give out."""
NEAR = range(65520, 65534)
"""For containers that have no more: above systemd's dynamic users, below `nobody`."""


class Claim:
    """Hold a uid until it is released."""

    def __init__(self, uid: int, lock: socket.socket) -> None:
        self.uid = uid
        self._lock = lock

    def release(self) -> None:
        """Give the uid back; may be called again."""
        self._lock.close()


def claim() -> Claim:
    """Claim a uid that nobody else holds."""
    uids = FAR if _is_mapped(FAR[-1]) else NEAR
    start = os.getpid() * 7 % len(uids)
    for uid in itertools.islice(itertools.cycle(uids), start, start + len(uids)):
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lock.bind(f"\0niagara-uid-{uid}")
        except OSError:
            lock.close()
            continue
        return Claim(uid, lock)
    raise NotPossibleHere(
        f"all {len(uids)} uids for bots are in use", "run fewer matches at a time: `--jobs`"
    )


def _is_mapped(uid: int) -> bool:
    """Tell whether a uid exists in our user namespace."""
    try:
        with open("/proc/self/uid_map", encoding="ascii") as file:
            ranges = [list(map(int, line.split())) for line in file]
    except OSError:
        return False
    return any(first <= uid < first + count for first, _, count in ranges)
