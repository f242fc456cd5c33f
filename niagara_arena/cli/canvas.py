"""Text on a grid: a small canvas with colours, and text cut to fit its columns.

Rendering is pure: what was put on a canvas comes out as lines, with or without colour. Widths
count terminal cells, so that names in wide scripts do not push the columns apart.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import click

from niagara_arena.cli.text import clean

__all__ = ["Canvas", "Piece", "Text", "cells", "cut", "fit", "render"]


class Piece(NamedTuple):
    """A run of text in one style; ``style`` is a colour's name, ``bold`` or ``dim`` or empty."""

    text: str
    style: str = ""


Text = Sequence[Piece]


def _cell(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn", "Me"):
        return 0
    if "\u1160" <= char <= "\u11ff":  # the later parts of a Korean syllable written in parts
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cells(text: str) -> int:
    """Return how many terminal cells a text takes."""
    return len(text) if text.isascii() else sum(map(_cell, text))


def fit(text: str, width: int) -> str:
    """Return a text from outside, made safe, cut or padded to exactly this many cells."""
    text = clean(text)
    if cells(text) > width:
        kept, room = "", width - 1
        for char in text:
            room -= _cell(char)
            if room < 0:
                break
            kept += char
        text = f"{kept}…" if width > 0 else ""
    return text + " " * (width - cells(text))


@dataclass
class Canvas:
    """Hold characters with styles; anything put beyond the right edge is cut off."""

    width: int
    height: int
    _rows: list[list[Piece]] = field(init=False)

    def __post_init__(self) -> None:
        self._rows = [[Piece(" ")] * self.width for _ in range(self.height)]

    def put(self, x: int, y: int, text: str, style: str = "") -> int:
        """Write plain narrow text and return the column after it."""
        for char in text:
            if 0 <= x < self.width and 0 <= y < self.height:
                self._rows[y][x] = Piece(char, style)
            x += 1
        return x

    def write(self, x: int, y: int, pieces: Text) -> int:
        """Write pieces one after another and return the column after them."""
        for piece in pieces:
            x = self.put(x, y, piece.text, piece.style)
        return x

    def rows(self) -> list[list[Piece]]:
        """Return the rows, neighbours of one style joined."""
        return [_merged(row) for row in self._rows]


def _merged(row: Sequence[Piece]) -> list[Piece]:
    return [
        Piece("".join(piece.text for piece in run), style)
        for style, run in groupby(row, key=lambda piece: piece.style)
    ]


def cut(pieces: Text, width: int) -> list[Piece]:
    """Return the beginning of a line that fits this many cells."""
    kept: list[Piece] = []
    for piece in pieces:
        if cells(piece.text) > width:
            return [*kept, piece._replace(text=fit(piece.text, width))] if width > 0 else kept
        width -= cells(piece.text)
        kept.append(piece)
    return kept


def render(pieces: Text, color: bool) -> str:
    """Return a line of pieces as text, without trailing blanks."""
    kept = list(pieces)
    while kept and not kept[-1].text.rstrip():
        kept.pop()
    if kept:
        kept[-1] = kept[-1]._replace(text=kept[-1].text.rstrip())
    if not color:
        return "".join(piece.text for piece in kept)
    return "".join(_styled(piece) for piece in kept)


def _styled(piece: Piece) -> str:
    match piece.style:
        case "":
            return piece.text
        case "bold":
            return click.style(piece.text, bold=True)
        case "dim":
            return click.style(piece.text, dim=True)
        case "reverse":
            return click.style(piece.text, reverse=True)
        case color:
            return click.style(piece.text, fg=color)
