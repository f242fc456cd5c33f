"""Serve the runner: keep one warden forked and waiting, so that a start costs no fork of ours.

The waiting warden takes the next bot from the runner's socket itself and then asks, by its number
in a pipe, for a successor; one that was killed has its successor already, and its number says so.
Never do two wait at that socket, and what comes there is one byte a bot: so no kill, whenever it
comes, can leave half a message to the next. The keeper ends when the runner has gone and every
warden has finished, and takes the runner's scratch directory with it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import time

from niagara_arena.sandbox.keeper import linux, tree, warden
from niagara_arena.sandbox.keeper.removing import remove_tree

__all__ = ["serve"]

GROUP_S = 2.0
"""How long a control group may take to be empty when all that was in it is dead."""


def serve(descriptor: int, runner: int, scratch: str, cgroups: list[str]) -> None:
    """Serve until the runner is gone and nothing is left of what was started for it."""
    if os.getppid() != runner:  # it died before we could look
        with contextlib.suppress(OSError):
            remove_tree(scratch)
        return
    keeper = _Keeper(socket.socket(fileno=descriptor), runner)
    keeper.run()
    with contextlib.suppress(OSError):
        remove_tree(scratch)
    _remove_groups(runner, cgroups)


class _Keeper:
    def __init__(self, line: socket.socket, runner: int) -> None:
        self._line = line
        self._runner: list[int] = []
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                self._runner.append(os.pidfd_open(runner))
        linux.call_me("niagara-keeper")
        linux.adopt_orphans()
        _heed_signals()
        self._wake = warden.wake_on_children()
        self._wanted, self._want = os.pipe()
        # Wardens read its end as the runner's: it comes when we see the runner go, or go ourselves.
        watched, self._alive = os.pipe()
        self._runner.append(watched)
        self._wardens: set[int] = set()
        self._spare = self._number = 0
        gc.freeze()

    def run(self) -> None:
        """Fork a warden whenever the last one has got its plan, until the runner is gone."""
        poller = select.poll()
        poller.register(self._line, select.POLLHUP)
        for one in (self._wanted, self._wake, *self._runner[:-1]):
            poller.register(one, select.POLLIN)
        self._fork()
        while True:
            ready = {one for one, _ in poller.poll()}
            if self._line.fileno() in ready or not ready.isdisjoint(self._runner):
                break
            if self._wake in ready:
                self._bury()
            if self._wanted in ready:
                number = os.read(self._wanted, warden.NUMBER_BYTES)
                if int.from_bytes(number) == self._number:
                    self._fork()
        self._line.close()
        os.close(self._alive)
        self._finish()

    def _fork(self) -> None:
        self._number += 1
        pid = os.fork()
        if pid == 0:
            try:
                os.close(self._wanted)
                os.close(self._alive)
                warden.serve_one(self._line, self._want, self._runner, self._number)
            finally:
                os._exit(70)
        self._wardens.add(pid)
        self._spare = pid

    def _bury(self) -> None:
        """Reap what ended. A warden that was killed may have left a bot's children with us."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 4096)
        orphaned = False
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = found
                orphaned = orphaned or status != 0 or pid not in self._wardens
                self._wardens.discard(pid)
                if pid == self._spare and status != 0:  # somebody killed the one that waits
                    self._fork()
        if orphaned:
            tree.sweep(os.getpid(), spare=frozenset(self._wardens))

    def _finish(self) -> None:
        """Wait for the wardens, who have seen the runner go as we have."""
        poller = select.poll()
        poller.register(self._wake, select.POLLIN)
        while self._wardens:
            poller.poll(1000)
            self._bury()
        tree.sweep(os.getpid(), spare=frozenset())


def _heed_signals() -> None:
    """Block nothing and ignore only what Python does: bots would inherit what a shell ignores."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _remove_groups(runner: int, bases: list[str]) -> None:
    """Remove the control groups that a killed runner could not; the last may be leaving them."""
    for base in bases:
        with contextlib.suppress(OSError):
            for name in os.listdir(base):
                if name.startswith(f"niagara-{runner}-"):
                    _remove_group(os.path.join(base, name))


def _remove_group(path: str) -> None:
    end = time.monotonic() + GROUP_S
    while time.monotonic() < end:
        try:
            os.rmdir(path)
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)
