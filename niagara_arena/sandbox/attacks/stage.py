"""Set the stage outside the cage: secrets to steal, files to spoil, ears that listen.

Everything here is laid out so that only the cage stands in the way: secrets are readable to all,
targets writable by all. A `Stage` lives for one run of the suite, a `Trial` for one probe of it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from niagara_arena.errors import NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.sandbox.attacks import outside
from niagara_arena.sandbox.attacks.bot import Bot
from niagara_arena.sandbox.interface import Backend, Launch

__all__ = ["LIMITS", "PYTHON", "Stage", "Trial"]

PYTHON = "/usr/bin/python3"
"""What runs the attackers: an interpreter that every cage offers."""
PROGRAMS = Path(__file__).parent / "programs"
LIMITS = Limits(memory_mb=64, processes=24, open_files=64, file_mb=4, tmp_mb=8, shm_mb=4, cpu_s=30)
"""Small, so that a bomb need not be large to break them."""

COMMON = ("/dev/shm", "/tmp", "/var/tmp", "/run", "/dev", "/", "/bot", "/dev/mqueue")
"""Where bots look for a place to write."""


class Ears:
    """Listen on this machine, on every kind of socket, for words that bots should not get out."""

    def __init__(self, directory: str) -> None:
        self._heard = b""
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self.tcp = self._listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self.udp = self._listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self.tcp6: int | None = None
        with contextlib.suppress(OSError):
            self.tcp6 = self._listen(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
        self.path = f"{directory}/stream.socket"
        self.datagram_path = f"{directory}/datagram.socket"
        self.abstract = f"\0niagara-{secrets.token_hex(8)}"
        self._listen(socket.AF_UNIX, socket.SOCK_STREAM, self.path)
        self._listen(socket.AF_UNIX, socket.SOCK_DGRAM, self.datagram_path)
        self._listen(socket.AF_UNIX, socket.SOCK_STREAM, self.abstract)
        for path in (self.path, self.datagram_path):
            os.chmod(path, 0o777)

    def _listen(self, family: int, kind: int, address: Any) -> int:
        ear = socket.socket(family, kind)
        ear.bind(address)
        if kind == socket.SOCK_STREAM:
            ear.listen(64)
        self._sockets.append(ear)
        threading.Thread(target=self._hear, args=(ear, kind), daemon=True).start()
        name = ear.getsockname()
        return int(name[1]) if isinstance(name, tuple) else 0

    def _hear(self, ear: socket.socket, kind: int) -> None:
        while True:
            try:
                if kind == socket.SOCK_DGRAM:
                    self._note(ear.recv(4096))
                    continue
                line, _ = ear.accept()
                with line:
                    line.settimeout(2)
                    self._take(line)
            except OSError:
                if ear.fileno() < 0:
                    return

    def _take(self, line: socket.socket) -> None:
        with contextlib.suppress(OSError):
            if line.family != socket.AF_UNIX:
                while data := line.recv(4096):
                    self._note(data)
                return
            data, descriptors, _, _ = socket.recv_fds(line, 4096, 4)
            self._note(data)
            for fd in descriptors:
                self._note(os.read(fd, 4096))
                os.close(fd)

    def _note(self, data: bytes) -> None:
        with self._lock:
            self._heard = (self._heard + b"\0" + data)[-65536:]

    def heard(self, secret: str, seconds: float = 0.3) -> bool:
        """Tell whether a secret came in; wait a little for what is on its way."""
        ends = time.monotonic() + seconds
        while True:
            with self._lock:
                if secret.encode() in self._heard:
                    return True
            if time.monotonic() > ends:
                return False
            time.sleep(0.01)

    def close(self) -> None:
        """Stop listening."""
        for ear in self._sockets:
            with contextlib.suppress(OSError):
                ear.shutdown(socket.SHUT_RDWR)
            ear.close()


class Stage:
    """Hold what all probes of a run share."""

    def __init__(self, backend: Backend) -> None:
        if not os.access(PYTHON, os.X_OK):
            raise NotPossibleHere(
                f"the attack suite needs {PYTHON}", "install Python: `sudo apt install python3`"
            )
        self.backend = backend
        self.level = backend.level
        self.directory = tempfile.mkdtemp(prefix=f"niagara-attacks-{os.getpid()}-")
        os.chmod(self.directory, 0o755)
        self.open_directory = f"{self.directory}/open"
        os.mkdir(self.open_directory)
        os.chmod(self.open_directory, 0o777)
        home = os.path.expanduser("~")
        usable = os.path.isdir(home) and os.access(home, os.W_OK)
        self.home = tempfile.mkdtemp(
            prefix=f".niagara-attacks-{os.getpid()}-", dir=home if usable else self.directory
        )
        os.chmod(self.home, 0o755)
        self.ears = Ears(self.open_directory)

    def close(self) -> None:
        """Take everything away."""
        self.ears.close()
        for path in (self.directory, self.home):
            _remove(path)

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Trial:
    """Hold one probe's attempt: its own secret, its own bots, and what must be tidied up after."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.secret = secrets.token_hex(16)
        self.marker = f"attack-{secrets.token_hex(8)}"
        ones = set(secrets.SystemRandom().sample(range(24), 12))
        self.bits = "".join("01"[place in ones] for place in range(24))
        self.bots: list[Bot] = []
        self._bystanders: list[subprocess.Popen[bytes]] = []
        self.room = f"{stage.open_directory}/{self.marker}"
        os.mkdir(self.room)
        os.chmod(self.room, 0o777)

    def staged(self, name: str = "bot") -> str:
        """Stage a copy of the programs as a bot's directory."""
        directory = f"{self.stage.directory}/{self.marker}-{name}"
        if not os.path.isdir(directory):
            shutil.copytree(
                PROGRAMS, f"{directory}/programs", ignore=shutil.ignore_patterns("__pycache__")
            )
        return directory

    def launch(self, program: str, directory: str, **more: Any) -> Launch:
        """Describe the start of a program, `GROUP.FUNCTION`."""
        command = (PYTHON, "-SEB", "-m", "programs", *program.split("."), self.marker)
        return Launch(directory=directory, command=command, **{"limits": LIMITS, **more})

    def start(self, program: str, *, name: str = "bot", told: Any = None, **more: Any) -> Bot:
        """Start a bot and tell it what to do; it is ended with the trial at the latest."""
        bot = Bot(self.stage.backend, self.launch(program, self.staged(name), **more))
        self.bots.append(bot)
        bot.tell(**{"secret": self.secret, **(told or {})})
        return bot

    def run(self, program: str, told: Any = None, **more: Any) -> Bot:
        """Start a bot and wait for the end of its attack."""
        bot = self.start(program, told=told, **more)
        bot.finish()
        return bot

    def file(self, name: str, text: str, mode: int = 0o644) -> str:
        """Lay out a file where only the cage keeps a bot from it."""
        path = Path(self.room, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return str(path)

    def bystander(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a process of the organiser's own, with a secret in its environment."""
        process = subprocess.Popen(
            [PYTHON, "-SEBc", "import sys; sys.stdin.read()", *arguments],
            env={"NIAGARA_SECRET": self.secret},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._bystanders.append(process)
        return process

    def close(self) -> list[int]:
        """End all bots; return the processes that are still there, which are then killed."""
        known: dict[int, int] = {}
        for bot in self.bots:
            if bot.exit is None:
                known |= {pid: outside.birth(pid) for pid in outside.descendants(bot.pid)}
        for bot in reversed(self.bots):  # a victim can't go while its attacker holds it
            bot.close()
        left = outside.vanished(self.marker, known, 1.0)
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for process in self._bystanders:
            process.kill()
            process.communicate()
        self._sweep_up()
        return left

    def _sweep_up(self) -> None:
        """Remove what a bot without a cage has left all over the place."""
        for directory in COMMON:
            try:
                names = os.listdir(directory)
            except OSError:
                continue
            for name in names:
                if name.startswith((self.secret, self.marker)):
                    path = f"{directory}/{name}"
                    if os.path.isdir(path) and not os.path.islink(path):
                        _remove(path)
                    else:
                        os.unlink(path)


def _remove(path: str) -> None:
    """Remove a tree, deeper than Python's own remover can go if a bot wants it so."""
    subprocess.run(["rm", "-rf", "--", path], check=False, stderr=subprocess.DEVNULL)
