"""What every back end offers: the nouns of starting, timing and ending one bot.

Laws kept here:

- A level is never weaker than its name: what a back end can't give, it refuses.
- Whatever ends a bot (a verdict, an interrupt, a SIGKILL of the runner), the bot and all it started
  end with it.
- Starting is ours: what the cage costs before the bot's own program runs is not on its clock.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from niagara_arena.errors import NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.sandbox.meter import Meter

__all__ = ["LEVELS", "Backend", "Exit", "Launch", "Lost", "Process", "Runtime"]

LEVELS = ("none", "landlock", "bwrap")
"""The levels of isolation, weakest first."""


class Lost(NotPossibleHere):
    """Say that what watched over a caged bot was killed from outside, and the bot with it.

    No bot can reach its warden out of the cage, so no bot is to blame.
    """


class Runtime(Struct, frozen=True):
    """Name a directory of the organiser's that bots may read, as ``/runtime/NAME``."""

    name: str
    path: str


class Launch(Struct, frozen=True):
    """Say what to start, and under which limits."""

    directory: str
    """The staged bot: read-only, and where it starts (`/bot` in the cage)."""
    command: tuple[str, ...]
    """What to run; a relative first word is looked up in the directory, then in PATH."""
    limits: Limits
    env: dict[str, str] = {}
    """A few more variables."""
    runtimes: tuple[Runtime, ...] = ()
    multi_process: bool = False
    """Whether it may fork; a cage then needs a cgroup to hold it."""
    writable: bool = False
    """Whether this is a build: the directory is writable, and it may fork."""
    core: int | None = None
    """The CPU to pin it to; None leaves it free."""


class Exit(Struct, frozen=True):
    """Say how a process ended."""

    code: int | None
    """Its exit code; None when a signal ended it."""
    signal: int | None
    """The signal that ended it."""
    memory: bool
    """Whether it ended because it wanted more memory than its limit."""
    detail: str
    """The same in a few words: ``exit 1``, ``SIGSEGV``, ``memory: …``."""


class Process(Protocol):
    """Hold one running bot: the only view of it that the runner has."""

    stdin: int
    """Our end of the pipe that it reads; like the two others, it never blocks."""
    stdout: int
    stderr: int
    pid: int
    """The bot's own process, as this machine numbers it."""
    level: str
    meter: Meter
    """What it uses."""

    def freeze(self) -> None:
        """Stop it until `thaw`."""

    def thaw(self) -> None:
        """Let it run again."""

    def poll(self) -> Exit | None:
        """Return how it ended, or None while it runs; never blocks. May raise `Lost`."""

    def stdout_closed(self) -> bool:
        """Tell whether the bot has closed its stdout though the pipe shows no end of it."""

    def over_memory(self) -> bool:
        """Tell whether it holds more memory than its limit, shared memory included."""

    def kill(self) -> None:
        """End it and all it started, at once; may be called again."""

    def close(self) -> None:
        """Kill, wait until nothing is left, and give back every descriptor."""


class Backend(Protocol):
    """Start bots at one level of isolation."""

    level: str

    def start(self, launch: Launch) -> Process:
        """Start a bot; raise InputError or NotPossibleHere when it can't be."""
