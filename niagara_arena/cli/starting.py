"""Where games start, as a user says it: a position's file, a recorded game's round, openings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from niagara_arena.cli.text import clean
from niagara_arena.errors import InputError, NotPossibleHere, RulesError
from niagara_arena.replay.codec import MAX_RECORD_BYTES, decode
from niagara_arena.replay.playback import position_at
from niagara_arena.rules import canonical_position, start_from
from niagara_arena.rules.position import ROUND_LIMIT
from niagara_arena.schedule.openings import random_opening
from niagara_arena.schedule.seeds import game_seed

__all__ = ["read_file", "read_openings", "read_start"]

Start = tuple[str, dict[str, Any] | None]
"""A name for where games start, and the position; None for the set-up."""


def read_file(path: Path) -> bytes:
    """Return a file's content; say clearly what is wrong with one that can't be read."""
    try:
        if path.stat().st_size > MAX_RECORD_BYTES:
            raise InputError(f"`{path}` is longer than {MAX_RECORD_BYTES} bytes")
        return path.read_bytes()
    except OSError as error:
        raise NotPossibleHere(f"can't read `{path}`: {error.strerror}") from None


def read_start(text: str, rules: str, seats: int) -> dict[str, Any]:
    """Read POSITION or RECORD@ROUND."""
    name, at, number = text.rpartition("@")
    if at and number.isdecimal() and not Path(text).exists():
        record = decode(read_file(Path(name)))
        return _fitting(position_at(record, int(number)), rules, seats, text)
    return _fitting(_position(read_file(Path(text)), text), rules, seats, text)


def read_openings(text: str, rules: str, seats: int, seed: str, blocks: int) -> list[Start]:
    """Return where each block of games starts, for `none`, `random:N` or a file of positions."""
    if text == "none":
        return [("", None)] * blocks
    kind, colon, number = text.partition(":")
    if kind == "random" and colon:
        if not number.isdecimal():
            raise InputError(f"`{text}`: after `random:` comes a number of rounds")
        return [
            (
                f"{text}#{block}",
                random_opening(rules, seats, int(number), game_seed(seed, "opening", block)),
            )
            for block in range(blocks)
        ]
    lines = [line for line in read_file(Path(text)).split(b"\n") if line.strip()]
    if not lines:
        raise InputError(f"`{text}` holds no position")
    name = clean(Path(text).name)
    positions = [
        _fitting(_position(line, f"{text}, line {i}"), rules, seats, text)
        for i, line in enumerate(lines, 1)
    ]
    count = len(positions)
    return [(f"{name}#{block % count}", positions[block % count]) for block in range(blocks)]


def _position(data: bytes, where: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: no JSON: {str(error)[:120]}") from None
    try:
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
