"""Make a bot ready to play, and say so where that takes a while."""

from __future__ import annotations

from functools import partial

from niagara_arena.cli.terminal import Terminal
from niagara_arena.sandbox import Backend, Launch
from niagara_arena.submissions import Submission, prepare

__all__ = ["launch_of"]


def launch_of(submission: Submission, backend: Backend, terminal: Terminal) -> Launch:
    """Build a bot unless that has been done before; return how to start it."""
    on_build = partial(terminal.note, f"building {submission.name}")
    return prepare(submission, backend, on_build=on_build).launch()
