"""Give tests each level that this machine offers, and directories that every uid can read."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from niagara_arena.sandbox import LEVELS, Backend
from niagara_arena.sandbox.choosing import trial
from niagara_arena.sandbox.none import NoCage


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a directory that a bot of another uid can read, as a staged submission is."""
    path = Path(tempfile.mkdtemp(prefix="niagara-test-", dir="/tmp"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def marker() -> str:
    """Make a word that no other process has in its command line."""
    return f"marker-{uuid.uuid4().hex}"


def get(level: str) -> Backend:
    """Return a level's back end, or skip the test with the reason why there is none."""
    tried = trial(level)
    if tried.backend is None:
        pytest.skip(f"no {level} here: {tried.reason}")
    return tried.backend


@pytest.fixture(params=LEVELS)
def backend(request: pytest.FixtureRequest) -> Backend:
    """Give each level in turn."""
    return get(request.param)


@pytest.fixture(params=LEVELS[1:])
def cage(request: pytest.FixtureRequest) -> Backend:
    """Give each level but `none`."""
    return get(request.param)


@pytest.fixture
def bwrap() -> Backend:
    """Give the level bwrap."""
    return get("bwrap")


@pytest.fixture(autouse=True)
def descriptors_are_given_back() -> Iterator[None]:
    """Fail a test that leaves descriptors open; keepers, which live on, are started before."""
    for level in LEVELS:
        backend = trial(level).backend
        if isinstance(backend, NoCage):  # which no trial has started yet
            assert backend._keeper.scratch
    before = _descriptors()
    yield
    after = _descriptors()
    assert not {one: after[one] for one in after.keys() - before.keys()}


def _descriptors() -> dict[str, str]:
    """Name what is open, without the descriptor that lists it."""
    found = {}
    with contextlib.suppress(FileNotFoundError):
        for one in os.listdir("/proc/self/fd"):
            with contextlib.suppress(FileNotFoundError):
                found[one] = os.readlink(f"/proc/self/fd/{one}")
    return found
