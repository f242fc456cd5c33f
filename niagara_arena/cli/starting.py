"""Where games start, as a user says it: a position's file, a recorded game's round, openings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from niagara_arena.cli.positions import read_position
from niagara_arena.cli.text import clean
from niagara_arena.errors import InputError, NotPossibleHere, RulesError
from niagara_arena.replay.files import position_from
from niagara_arena.rules import canonical_position, start_from
from niagara_arena.rules.position import ROUND_LIMIT
from niagara_arena.schedule.openings import random_opening
from niagara_arena.schedule.seeds import game_seed

__all__ = ["check_rounds", "read_openings", "read_start"]

MAX_FILE_BYTES: Final = 64 << 20
"""Some 30,000 positions; who has more should take a choice of them."""

Start = tuple[str, dict[str, Any] | None]
"""A name for where games start, and the position; None for the set-up."""


def read_file(path: Path) -> bytes:
    """Return a file's content; say clearly what is wrong with one that can't be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise NotPossibleHere(
            f"can't read `{path}`: {error.strerror}",
            "check that it is the path you mean, and that you may read it",
        ) from None
    if len(data) > MAX_FILE_BYTES:
        raise InputError(
            f"`{path}` is longer than {MAX_FILE_BYTES} bytes",
            "give a position, or a file of positions, one a line",
        )
    return data


def read_start(text: str, rules: str, seats: int) -> dict[str, Any]:
    """Read POSITION or RECORD@ROUND."""
    position = None if Path(text).exists() else position_from(text)
    if position is None:
        position = _position(read_file(Path(text)), text)
    return _fitting(position, rules, seats, text)


def read_openings(text: str, rules: str, seats: int, seed: str, blocks: int) -> list[Start]:
    """Return where each block of games starts, for `none`, `random:N` or a file of positions."""
    if text == "none":
        return [("", None)] * blocks
    kind, colon, number = text.partition(":")
    if kind == "random" and colon:
        if not number.isdecimal():
            raise InputError(
                f"`{text}`: after `random:` comes a number of rounds", "such as `random:3`"
            )
        return [
            (
                f"{text}#{block}",
                random_opening(rules, seats, int(number), game_seed(seed, "opening", block)),
            )
            for block in range(blocks)
        ]
    lines = [line for line in read_file(Path(text)).split(b"\n") if line.strip()]
    if not lines:
        raise InputError(
            f"`{text}` holds no position", "put one on each line, as `niagara rules random` does"
        )
    name = clean(Path(text).name)
    positions = [
        _fitting(_position(line, f"{text}, line {i}"), rules, seats, text)
        for i, line in enumerate(lines, 1)
    ]
    count = len(positions)
    return [(f"{name}#{block % count}", positions[block % count]) for block in range(blocks)]


def check_rounds(starts: Sequence[Start], max_rounds: int) -> None:
    """Refuse a start whose round is past the last one, before anything is played [N-5.2]."""
    for name, position in starts:
        if position is not None and position["round"] > max_rounds:
            raise InputError(
                f"{name} starts in round {position['round']}, and games end after round "
                f"{max_rounds} [N-5.2]",
                "choose an earlier start, or allow more rounds with `--set max_rounds=N`",
            )


def _position(data: bytes, where: str) -> dict[str, Any]:
    try:
        value = read_position(data, "it")
        start_from(value, max_rounds=ROUND_LIMIT)
        return canonical_position(value)
    except RulesError as error:
        raise InputError(f"{where}: {error}", error.hint) from None


def _fitting(position: dict[str, Any], rules: str, seats: int, where: str) -> dict[str, Any]:
    if position["rules"] != rules or position["seats"] != seats:
        raise InputError(
            f"{where} is a position of {position['rules']} with {position['seats']} seats",
            f"this match is {rules} with {seats}: change --rules or the number of bots",
        )
    return position
