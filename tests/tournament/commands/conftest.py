"""A folder of its own for every command, and a database with a finished tournament."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tournament.commands.words import BOTS, QUICK


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a database with a tournament of three bundled bots."""
    folder = tmp_path_factory.mktemp("finished")
    command = [sys.executable, "-m", "niagara_arena", "-q", "tournament", "run", *BOTS, *QUICK]
    subprocess.run([*command, "--name", "spring", "--seed", "7"], cwd=folder, check=True)
    return (folder / "results" / "arena.db").read_bytes()


@pytest.fixture
def results(tmp_path: Path, finished: bytes) -> Path:
    (tmp_path / "results").mkdir()
    path = tmp_path / "results" / "arena.db"
    path.write_bytes(finished)
    return path
