"""The live board of a run."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

from niagara_arena.cli.tournament_board import Tally, board
from tests.tournament.commands.words import BOTS, QUICK


def test_the_board_shows_progress_standings_and_running_tables() -> None:
    tally = Tally(total=10, ended=4, played=2, games=8, began=100.0)
    tally.names = {"a": "otter", "b": "beaver\x1b[2J", "c": "mink"}
    tally.points = {"a": [302_400, 2, 1, 0], "b": [604_800, 2, 2, 3], "c": [0, 2, 0, 0]}
    tally.running = [("a", "b", "c")]
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(board(tally, "spring", 104.0, 100))
    text = console.export_text()
    lines = text.splitlines()
    assert "4/10 matches" in lines[0]
    assert "8 games, 2.0 a second, ETA 12 s" in lines[1]
    assert lines[3].startswith("beaver")
    assert "otter – beaver" in lines[6]


def test_a_run_on_a_terminal_shows_the_board(tmp_path: Path) -> None:
    import pty

    parent, child = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "niagara_arena", "tournament", "run", *BOTS, *QUICK],
        cwd=tmp_path,
        stderr=child,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(child)
    seen = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            piece = os.read(parent, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(parent)
    assert run.wait(20) == 0
    assert b"matches" in seen
    assert "━".encode() in seen or "─".encode() in seen
    assert b"finished" in seen
