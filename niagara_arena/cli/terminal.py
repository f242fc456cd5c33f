"""What people read on stderr: notes, warnings and errors. Data goes to stdout, never through here.

One `Terminal` belongs to one run of the command line. It is made by `main`, told by the options
of the root command how loud and how colourful to be, and handed down as click's `ctx.obj`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

import click

from niagara_arena.cli.text import clean

__all__ = ["Terminal", "can_redraw"]


def can_redraw(stream: TextIO) -> bool:
    """Tell whether what is on a screen can be drawn over there."""
    return stream.isatty() and os.environ.get("TERM") not in (None, "", "dumb")


@dataclass
class Terminal:
    """Speak to the person at the terminal."""

    color: bool | None = None
    """Whether to colour; None leaves it to what the stream is."""

    verbosity: int = 0
    """The number of `-v` less the number of `-q`."""

    def choose_color(self, when: str, environment: Mapping[str, str]) -> None:
        """Follow `--color`; `auto` honours NO_COLOR (https://no-color.org)."""
        if when == "auto":
            self.color = False if environment.get("NO_COLOR") else None
        else:
            self.color = when == "always"

    def detail(self, message: str) -> None:
        """Tell what only `-v` asks for."""
        if self.verbosity >= 1:
            self._write(message)

    def note(self, message: str) -> None:
        """Tell what changed or what to do next; `-q` hides it."""
        if self.verbosity >= 0:
            self._write(message)

    def warn(self, message: str) -> None:
        """Tell what may be wrong; `-qq` hides it."""
        if self.verbosity >= -1:
            self._write(message, label="warning", color="yellow")

    def error(self, message: str, hint: str | None = None) -> None:
        """Tell what is wrong, then what to do about it; nothing hides it."""
        self._write(message, label="error", color="red")
        if hint is not None:
            click.echo(err=True)
            self._write(hint, label="hint", color="cyan")

    def _write(self, message: str, label: str = "", color: str = "") -> None:
        text = "\n".join(clean(line) for line in message.split("\n"))
        if label:
            text = f"{click.style(f'{label}:', fg=color, bold=True)} {text}"
        click.echo(text, err=True, color=self.color)
