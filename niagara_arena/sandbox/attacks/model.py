"""What a probe is, and what came of it.

A *probe* is one attack: a program that runs as a bot, in a cage of its own, and a scenario that
drives it from outside and decides what really happened. The decision is `stopped` or `open`; what
could not be tried on this machine is `not run`, with the reason.

What to expect depends on the level and, in a few places, on the machine. The words for that are:

    stopped       the cage stops it
    open          the cage lets it through, and says so
    root          open to root, who runs the arena; the kernel itself stops it for anybody else
    user          open to an ordinary user; for root the bot's uid differs, which stops it
    abi<N         open where the kernel's Landlock is older than ABI N
    no cgroup     open where no cgroup holds the bot
    cgroup        open where a cgroup lets bots fork
    varies        settings of the kernel decide; either is fine

Two of them with a comma between mean: open where both are true.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from niagara_arena.sandbox.attacks.stage import Trial

__all__ = ["Machine", "NotTried", "Outcome", "Probe", "ProbeResult", "Scenario", "Seen", "expected"]


class Outcome(StrEnum):
    """Name what came of a probe."""

    STOPPED = "stopped"
    OPEN = "open"
    NOT_RUN = "not run"


class NotTried(Exception):
    """Say why a probe can't be tried on this machine."""


class Seen(Struct, frozen=True):
    """Say what a scenario saw."""

    open: bool
    detail: str
    """In a few words, for people."""
    inside: bool = False
    """Whether only the bot's own word tells; the outside has no way to see it."""


Scenario = Callable[["Trial"], Seen]


class Machine(Struct, frozen=True):
    """Hold what the expectations depend on."""

    root: bool
    """Whether the arena is run by root."""
    landlock_abi: int
    """0 where there is no Landlock."""
    cgroup: bool
    """Whether a bot is held by a cgroup of its own."""


class Probe(Struct, frozen=True):
    """Describe one attack of the suite."""

    name: str
    title: str
    """What it tries, as a sentence without a full stop."""
    scenario: Scenario
    none: str = "open"
    landlock: str = "stopped"
    bwrap: str = "stopped"
    note: str = ""
    """Why an expectation is what it is, where that is not plain."""
    group: str = ""

    def word(self, level: str) -> str:
        """Return the word that says what to expect at a level."""
        return {"none": self.none, "landlock": self.landlock, "bwrap": self.bwrap}[level]


class ProbeResult(Struct, frozen=True):
    """Hold what came of one probe at one level."""

    probe: str
    group: str
    title: str
    level: str
    outcome: Outcome
    expected: Outcome | None
    """None where either is fine."""
    detail: str
    seconds: float = 0.0
    inside: bool = False

    @property
    def surprising(self) -> bool:
        """Tell whether the outcome differs from what was to be expected."""
        return self.outcome is not Outcome.NOT_RUN and self.expected not in (None, self.outcome)

    @property
    def unexpectedly_open(self) -> bool:
        """Tell whether the cage has a hole that nobody knew of."""
        return self.surprising and self.outcome is Outcome.OPEN


def expected(word: str, machine: Machine) -> Outcome | None:
    """Translate a word of expectation for one machine; None means that either is fine."""
    if word == "varies":
        return None
    is_open = all(_holds(part, machine) for part in word.split(", "))
    return Outcome.OPEN if is_open else Outcome.STOPPED


def _holds(word: str, machine: Machine) -> bool:
    abi = word.removeprefix("abi<")
    if abi != word:
        return machine.landlock_abi < int(abi)
    return {
        "open": True,
        "stopped": False,
        "root": machine.root,
        "user": not machine.root,
        "no cgroup": not machine.cgroup,
        "cgroup": machine.cgroup,
    }[word]
