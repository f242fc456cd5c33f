"""The nouns of `niagara check`: steps, their sizes, and what they found."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field, structs

from niagara_arena.errors import InputError
from niagara_arena.records import Settings
from niagara_arena.sandbox import Backend
from niagara_arena.submissions import Ready, Submission

__all__ = [
    "Check",
    "Duty",
    "Evidence",
    "Finding",
    "Result",
    "Series",
    "Sizes",
    "Step",
    "StepFailed",
    "Verdict",
    "sizes_from",
]


class Duty(StrEnum):
    """Say whether a step counts."""

    MUST = "MUST"
    """A bot that fails it will have faults in a tournament."""
    SHOULD = "SHOULD"
    """A bot that fails it can play, but has something to mend."""


class Verdict(StrEnum):
    """Say how a step went."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """It can't be measured here."""


class Sizes(Struct, frozen=True):
    """Say how much each step does; the defaults take a quick bot well under a minute."""

    seat_rounds: int = 4
    """Rounds of the games that try each number of seats."""
    long_rounds: int = 100
    """Rounds of the long game."""
    games: int = 12
    """Games that one process plays one after another."""
    game_rounds: int = 8
    """Rounds of each of these, and of the games that measure time."""
    match_rounds: int = 40
    """Rounds of each game of the match that the bot plays against itself."""
    silence_ms: int = 150
    """How long we listen whether the bot speaks without being asked."""
    idle_ms: int = 400
    """How long we watch the bot's CPU time while others would think."""
    growth_mb: int = 32
    """How much more memory a process may use after all its games than after the first third."""
    quick_ms: int = 2_000
    """A start-up that takes longer makes tournaments slow."""


def sizes_from(texts: tuple[str, ...]) -> Sizes:
    """Return the sizes with some changed, each given as NAME=NUMBER."""
    known = {f.name for f in structs.fields(Sizes)}
    changes = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in known or not number.isdecimal() or not 1 <= int(number) <= 10**6:
            raise InputError(
                f"`{text}` is no size", f"say NAME=NUMBER with one of {', '.join(sorted(known))}"
            )
        changes[name] = int(number)
    return structs.replace(Sizes(), **changes)


class Evidence(Struct, frozen=True):
    """Show what was said when a step failed."""

    request: str = ""
    """The last line that the bot was sent, in full."""
    reply: str = ""
    """What it answered, escaped and cut; empty if nothing."""
    stderr: str = ""
    """The end of its log."""


class StepFailed(Exception):
    """End a step: the bot does not keep its duty."""

    def __init__(
        self,
        sentence: str,
        clause: str = "",
        hint: str = "",
        evidence: Evidence | None = None,
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.clause = clause
        self.hint = hint
        self.evidence = evidence


class Finding(NamedTuple):
    """Say what a step found when it passed or could not be done."""

    detail: str = ""
    """A few words for the table: numbers, names."""
    skipped: bool = False


class Result(Struct, frozen=True):
    """Say how one step went."""

    number: int
    step: str
    duty: Duty
    verdict: Verdict
    clause: str
    detail: str
    """What was measured, or what is wrong."""
    hint: str = ""
    evidence: Evidence = field(default_factory=Evidence)
    duration_ms: int = 0


class Series(NamedTuple):
    """Hold what was measured while one process played many games."""

    cpu_us: tuple[tuple[int, ...], ...]
    """By game and decision."""
    wall_us: tuple[tuple[int, ...], ...]
    memory_mb: tuple[float | None, ...]
    """After each game."""
    log: bytes
    """The end of it."""
    logged: int
    oddities: tuple[tuple[str, str], ...]
    """What the referee let pass: a word for it, and a sentence."""


class Check:
    """Hold what the steps of one check share: the bot, the cage, and what was seen already.

    Some steps look at the same conversation from different sides; it is held once. A step that is
    done alone holds it for itself, in the same words.
    """

    def __init__(
        self,
        reference: str,
        backend: Backend,
        sizes: Sizes,
        settings: Settings | None = None,
        cache: Path | None = None,
    ) -> None:
        self.reference = reference
        self.backend = backend
        self.sizes = sizes
        self.cache = cache
        self.settings = settings or Settings()
        self.submission: Submission | None = None
        self.ready: Ready | None = None
        self.startups_ms: list[int] = []
        """How long each process so far took to be ready."""
        self.scenes: dict[str, dict[str, Finding | StepFailed]] = {}
        """By ruleset and kind: how the question was answered, once it was asked."""
        self.series: Series | None = None
        """What was measured while one process played many games, once it did."""


class Step(NamedTuple):
    """Describe one step."""

    name: str
    duty: Duty
    clause: str
    """The clause of the protocol, or the document, that demands it."""
    about: str
    """What the bot must or should do, as a sentence."""
    run: Callable[[Check], Finding]
