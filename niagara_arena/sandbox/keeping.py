"""The runner's side of the keeper: start it, hand it plans, get bots.

One keeper serves one runner process. A runner that was forked from another gets its own: sharing
would tie its bots to its parent's life.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import msgspec

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere
from niagara_arena.sandbox.cgroups import Group
from niagara_arena.sandbox.interface import Lost
from niagara_arena.sandbox.keeper.removing import remove_tree
from niagara_arena.sandbox.line import Line

__all__ = ["Keeper", "Started"]

PROGRAM = Path(__file__).parent / "keeper"
PREFIX = "niagara-scratch-"
YOUNG_S = 60.0
"""How long a scratch directory without a lock is left alone."""
START_S = 20.0
"""How long a start may take before we call it our own failure."""


class Started(msgspec.Struct, frozen=True):
    """Hold what a started bot left in our hands."""

    stdin: int
    stdout: int
    stderr: int
    line: Line
    """To its warden."""
    facts: dict[str, Any]
    """What the warden said: `pid`, `base_ns` and more."""
    keeper: Keeper
    """Which lives as long as its bots."""


class Keeper:
    """Hold the keeper process of this runner; start it when it is first needed."""

    def __init__(self, cgroup_bases: tuple[str, ...] = ()) -> None:
        self._cgroup_bases = cgroup_bases
        """Where the keeper removes what we leave when we are killed."""
        self._lock = threading.Lock()
        self._owner = 0
        self._line: socket.socket | None = None
        self._scratch = ""
        self._in_use = -1
        """What holds the lock of the scratch directory."""

    @property
    def scratch(self) -> str:
        """The runner's scratch directory; readable by every uid, removed by the keeper."""
        with self._lock:
            self._ensure()
        return self._scratch

    def start(self, plan: dict[str, Any], group: Group | None = None) -> Started:
        """Carry out a plan; raise what its warden reports.

        bwrap is put into `group` before it does anything, and so is all that it starts. Where the
        warden was killed with the plan in its hands, another gets it: a killed keeper leaves such a
        one for a moment.
        """
        try:
            return self._start(plan, group)
        except Lost:
            return self._start(plan, group)

    def _start(self, plan: dict[str, Any], group: Group | None) -> Started:
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        ours, wardens = socket.socketpair()
        theirs = (stdin[0], stdout[1], stderr[1])
        mine = (stdin[1], stdout[0], stderr[0])
        try:
            self._hand_out([*theirs, wardens.fileno()])
        finally:
            wardens.close()
            for one in theirs:
                os.close(one)
        _send(ours, plan)
        line = Line(ours)
        if group is not None:
            group.brace()
        for one in mine:
            os.set_blocking(one, False)
        facts = line.wait(START_S)
        if facts is not None and "held" in facts and group is not None:
            try:
                group.add(facts["held"])
                line.order(b"g")
                facts = line.wait(START_S)
            except ProcessLookupError:
                facts = {"killed": True}
            except OSError as error:
                facts = {"what": error.filename or "", "error": error.strerror}
        if facts is None or "pid" not in facts:
            words = _drain(mine[2])
            killed = line.ended if facts is None else "killed" in facts  # a warden is never silent
            line.close()
            for one in mine:
                os.close(one)
            if killed:
                raise Lost(
                    "what watches over the bots was killed from outside",
                    "see who ends processes here: the kernel for lack of memory, or a person",
                )
            raise _refusal(plan, facts, words)
        return Started(*mine, line=line, facts=facts, keeper=self)

    def _hand_out(self, descriptors: list[int]) -> None:
        """Give a bot's descriptors to the keeper; to a new one if the last was killed.

        What goes there is a single byte: all wardens share the line, and one that was killed with
        a part of a message would leave its rest to the next.
        """
        if self._owner != os.getpid():
            self._lock = threading.Lock()  # a fork may have caught it in another thread's hands
        with self._lock:
            try:
                socket.send_fds(self._ensure(), [b"+"], descriptors)
            except BrokenPipeError:
                if self._line is not None:
                    self._line.close()
                self._line = None
                socket.send_fds(self._ensure(), [b"+"], descriptors)

    def _ensure(self) -> socket.socket:
        """Return the line to the keeper, which is started if need be."""
        if self._line is not None and self._owner == os.getpid():
            return self._line
        if self._owner != os.getpid():  # else the last keeper was killed, and left it to us
            self._scratch, self._in_use = _make_scratch()
            weakref.finalize(self, os.close, self._in_use)
        self._line, theirs = socket.socketpair()
        command = [sys.executable, "-I", "-S", str(PROGRAM), str(theirs.fileno()), str(os.getpid())]
        process = subprocess.Popen(
            [*command, self._scratch, *self._cgroup_bases],
            env={},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(), self._in_use),
            start_new_session=True,
            cwd="/",
        )
        theirs.close()
        self._owner = os.getpid()
        weakref.finalize(self, _let_go, self._line, process, self._owner, self._scratch)
        return self._line


def _send(line: socket.socket, plan: dict[str, Any]) -> None:
    """Send a plan to whichever warden takes the bot; what became of it, the line will tell."""
    body = msgspec.json.encode(plan)
    line.settimeout(START_S)
    with contextlib.suppress(OSError):
        line.sendall(len(body).to_bytes(4) + body)


def _let_go(
    line: socket.socket, process: subprocess.Popen[bytes], owner: int, scratch: str
) -> None:
    line.close()
    if os.getpid() == owner:
        # Nobody can catch what a finalizer raises: it would only be printed. The keeper tidies up.
        with contextlib.suppress(subprocess.TimeoutExpired, OSError, KeyboardInterrupt):
            process.wait(10)
            remove_tree(scratch)  # a keeper that was killed left it
    else:
        process.returncode = 0  # our parent's child: not ours to wait for


def _make_scratch() -> tuple[str, int]:
    """Make a scratch directory; return it with the lock that tells it is in use.

    We hold the lock and so do the keeper and its wardens, who inherit it: it is free when all are
    gone. What lies about unlocked was left by a keeper that was killed together with its runner.
    """
    folder = _open_folder()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                _remove_if_abandoned(entry.path)
    scratch = tempfile.mkdtemp(prefix=PREFIX, dir=folder)
    os.chmod(scratch, 0o755)
    lock = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return scratch, lock


def _remove_if_abandoned(scratch: str) -> None:
    """Remove a scratch directory of ours that nobody uses; whoever just made one will lock it."""
    with contextlib.suppress(OSError):
        lock = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            found = os.fstat(lock)
            if found.st_uid == os.geteuid() and time.time() - found.st_ctime > YOUNG_S:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(scratch)
        finally:
            os.close(lock)


def _open_folder() -> str:
    """Choose a directory for scratch that every uid can reach."""
    for folder in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        path = Path(folder).resolve()
        with contextlib.suppress(OSError):
            if os.access(path, os.W_OK) and all(
                one.stat().st_mode & 0o001 for one in (path, *path.parents)
            ):
                return str(path)
    return tempfile.gettempdir()


def _drain(descriptor: int) -> str:
    try:
        return os.read(descriptor, 4096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _refusal(plan: dict[str, Any], facts: dict[str, Any] | None, words: str) -> ArenaError:
    """Say why a bot did not start."""
    program = plan["argv"][0]
    if facts is None:
        return NotPossibleHere(f"`{program}` could not be started: {words or 'no answer'}")
    why = facts.get("error", "")
    if facts.get("what") == "bwrap" or words:
        return NotPossibleHere(
            f"`{program}` could not be started in its cage: {words or why}",
            "`niagara doctor` shows what this machine lacks",
        )
    if facts.get("what") in (plan["executable"], ""):
        return InputError(
            f"`{program}` can't be run: {why}",
            "the file must exist, be executable, and name an interpreter that exists",
        )
    return NotPossibleHere(f"`{program}` could not be started: {facts['what']}: {why}")
