"""Make directories that look like submissions, and a cache of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from niagara_arena.sandbox import Backend, choose

MINIMAL = 'name = "otter"\nrun = "sh bot.sh"\n'

MakeBot = Callable[..., Path]


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    """Call as `make_bot("otter", {"a.txt": b"…"}, manifest='name = …')`."""

    def make(
        folder: str = "otter",
        files: dict[str, bytes | str] | None = None,
        manifest: str | bytes = MINIMAL,
    ) -> Path:
        directory = tmp_path / folder
        content = {"bot.toml": manifest, "bot.sh": "echo hello\n", **(files or {})}
        for name, data in content.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data.encode() if isinstance(data, str) else data)
        return directory

    return make


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def bare() -> Backend:
    return choose("none")
