from __future__ import annotations

import os

import pytest

from tests.bots.matches import Workshop


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Share one cache of builds among all workers of a run."""
    base = tmp_path_factory.getbasetemp()
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    cache = (base if alone else base.parent) / "bots-cache"
    cache.mkdir(exist_ok=True)
    return Workshop(cache)
