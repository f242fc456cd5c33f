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
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from niagara_arena.errors import NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.sandbox.attacks import outside
from niagara_arena.sandbox.attacks.bot import Bot
from niagara_arena.sandbox.attacks.ears import Ears
from niagara_arena.sandbox.interface import Backend, Launch

__all__ = ["LIMITS", "PYTHON", "Stage", "Trial"]

PYTHON = "/usr/bin/python3"
"""What runs the attackers: an interpreter that every cage offers."""
PROGRAMS = Path(__file__).parent / "programs"
LIMITS = Limits(memory_mb=64, processes=24, open_files=64, file_mb=4, tmp_mb=8, shm_mb=4, cpu_s=30)
"""Small, so that a bomb need not be large to break them."""

COMMON = ("/dev/shm", "/tmp", "/var/tmp", "/run", "/dev", "/", "/bot", "/dev/mqueue")
"""Where bots look for a place to write."""


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
        self.programs = f"{self.directory}/programs"
        """The attackers' programs, compiled once for all bots."""
        shutil.copytree(PROGRAMS, self.programs, ignore=shutil.ignore_patterns("__pycache__"))
        compiling = [PYTHON, "-SE", "-m", "compileall", "-q", self.programs]
        subprocess.run(compiling, check=True, stdout=subprocess.DEVNULL)

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
        ones = set(secrets.SystemRandom().sample(range(40), 16))
        self.bits = "".join("01"[place in ones] for place in range(40))
        self.bots: list[Bot] = []
        self._bystanders: list[subprocess.Popen[bytes]] = []
        self.room = f"{stage.open_directory}/{self.marker}"
        os.mkdir(self.room)
        os.chmod(self.room, 0o777)

    def staged(self, name: str = "bot") -> str:
        """Stage a copy of the programs as a bot's directory."""
        directory = f"{self.stage.directory}/{self.marker}-{name}"
        if not os.path.isdir(directory):
            shutil.copytree(self.stage.programs, f"{directory}/programs")
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
