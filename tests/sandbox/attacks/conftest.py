"""Start what lives on between tests before any of them counts descriptors."""

from __future__ import annotations

import pytest

from niagara_arena.records import Limits
from niagara_arena.sandbox import Launch, choose


@pytest.fixture(scope="session", autouse=True)
def _keeper_without_a_cage() -> None:
    """The other levels' keepers are started by their trials."""
    choose("none").start(Launch("/", ("/bin/true",), Limits())).close()
