"""Run `niagara` in this process, as the user would see it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from niagara_arena.cli.main import main


@dataclass(frozen=True)
class Run:
    """What one call of `niagara` left behind."""

    exit: int
    stdout: str
    stderr: str


Niagara = Callable[..., Run]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("NIAGARA_COLOR", raising=False)


@pytest.fixture
def niagara(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Run]:
    """Call as `niagara("rules", "buys", "--seat", "0", stdin=position)`."""

    def run(*args: str, stdin: str = "") -> Run:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
        capsys.readouterr()
        code = main(args)
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return run
