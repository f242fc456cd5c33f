"""Check bots with small steps, so that tests are quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from msgspec import structs

from niagara_arena.conformance import Check, Result, Sizes, run_check, step_number
from niagara_arena.errors import NotPossibleHere
from niagara_arena.records import Clock, Settings
from niagara_arena.sandbox import Backend, choose
from niagara_arena.submissions.staging import remove_tree

SMALL = Sizes(
    seat_rounds=1,
    long_rounds=4,
    games=3,
    game_rounds=2,
    match_rounds=2,
    silence_ms=60,
    idle_ms=100,
    quick_ms=10_000,
)
ANIMAL = Path(__file__).parent.parent / "zoo" / "animal.py"
ODD = Path(__file__).with_name("odd_bot.py")

CheckBot = Callable[..., list[Result]]


@pytest.fixture(scope="session")
def cache() -> Iterator[Path]:
    """A cache where the user that bots run as can read; pytest's folders are closed to others."""
    folder = Path(mkdtemp(prefix="niagara-check-", dir="/var/tmp"))
    folder.chmod(0o711)
    yield folder
    remove_tree(folder)


@pytest.fixture(scope="session")
def caged() -> Backend:
    """The best cage of this machine, none where there is none."""
    try:
        return choose("auto")
    except NotPossibleHere:
        return choose("none")


@pytest.fixture
def check_bot(cache: Path) -> CheckBot:
    """Call as `check_bot("odd_bot.py", "KIND", step="idle")`, or with any reference."""

    def run(
        reference: str,
        *,
        step: str | None = None,
        sizes: Sizes = SMALL,
        clock: Clock | None = None,
        backend: Backend | None = None,
    ) -> list[Result]:
        settings = structs.replace(Settings(), clock=clock or Clock())
        check = Check(reference, backend or choose("none"), sizes, settings, cache)
        return run_check(check, step_number(step) if step is not None else None)

    return run


def animal(kind: str, when: int = 1) -> str:
    """Return the command of an animal of the zoo."""
    return f"{python()} {ANIMAL} {kind} {when}"


def odd(kind: str) -> str:
    """Return the command of an odd bot."""
    return f"{python()} {ODD} '{kind}'"


def python() -> str:
    """Return a Python that needs no site packages."""
    return f"{os.path.realpath(sys.executable)} -S"
