"""A tournament as its organiser writes it: a TOML file, or the same keys as options.

docs/example-tournament.toml shows every key with a comment.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from niagara_arena.errors import InputError
from niagara_arena.referee import make_settings
from niagara_arena.schedule.spec import Spec
from niagara_arena.tournament.results import KEEP_LOGS

__all__ = ["Config", "make_spec", "parse_duration", "read_config"]

SHORT_SEED = 16
"""A seed of fewer characters could be guessed by trying."""


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold what an organiser asks for; paths are relative to the file, or to where we are."""

    name: str = "tournament"
    bots: tuple[str, ...] = ()
    format: str = "round-robin"
    rules: str = "base"
    seats: int | tuple[int, ...] = 4
    games_per_bot: int = 0
    heats: int = 0
    seating: str = "balanced"
    openings: str = "none"
    openings_per_match: int = 1
    seed: str = ""
    """Empty: 128 random bits, or those of the tournament that is resumed."""
    profile: str = "standard"
    settings: dict[str, Any] = {}
    params: dict[str, dict[str, Any]] = {}
    """Bot's name → parameter → value."""
    challengers: tuple[str, ...] = ()
    one_per_owner: bool = False
    withdraw_after: int = 0
    roster: str = ""
    sandbox: str = "auto"
    minimum_sandbox: str = "none"
    """The weakest level that this tournament is played at; below it, it is refused."""
    names: bool = False
    """Whether bots are told who sits where."""
    require_all: bool = False
    keep_logs: str = "faults"
    time_budget: str = ""


def read_config(path: Path) -> Config:
    """Read a file; paths in it become relative to where we are."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"can't read `{path}`: {error.strerror}", "see that the file exists and may be read"
        ) from None
    try:
        raw = msgspec.toml.decode(data)
        _check_keys(raw, path)
        config = msgspec.convert(raw, Config, strict=True)
    except (msgspec.MsgspecError, ValueError) as error:
        raise InputError(
            f"`{path}`: {error}", "`niagara docs example-tournament` shows every key"
        ) from None
    base = path.parent
    return msgspec.structs.replace(
        config,
        bots=tuple(_moved(bot, base) for bot in config.bots),
        challengers=tuple(_moved(bot, base) for bot in config.challengers),
        roster=_moved(config.roster, base) if config.roster else "",
        openings=_moved_openings(config.openings, base),
    )


def _check_keys(raw: Mapping[str, Any], path: Path) -> None:
    known = Config.__struct_fields__
    for key in raw:
        if key not in known:
            close = difflib.get_close_matches(key, known, 1)
            raise InputError(
                f"`{path}`: there is no key `{key}`",
                f"did you mean `{close[0]}`?" if close else f"there are {', '.join(known)}",
            )


def _moved(reference: str, base: Path) -> str:
    """Return a bot's reference as seen from here; `@name` and commands stay as they are."""
    if reference.startswith("@") or " " in reference or Path(reference).is_absolute():
        return reference
    return str(base / reference)


def _moved_openings(openings: str, base: Path) -> str:
    if openings == "none" or openings.startswith("random:"):
        return openings
    return _moved(openings, base)


def make_spec(config: Config, seed: str, challengers: tuple[str, ...] = ()) -> Spec:
    """Return what decides the schedule; `challengers` are submissions' ids."""
    if config.keep_logs not in KEEP_LOGS:
        raise InputError(
            f"`keep_logs` is {', '.join(KEEP_LOGS)}, not `{config.keep_logs}`",
            "`niagara docs example-tournament` explains every key",
        )
    changes = {"rules": config.rules, "names": config.names, **config.settings}
    seats = (config.seats,) if isinstance(config.seats, int) else tuple(sorted(config.seats))
    openings = config.openings
    positions: tuple[dict[str, Any], ...] = ()
    if openings != "none" and not openings.startswith("random:"):
        openings, positions = "file", _read_positions(Path(config.openings))
    return Spec(
        seed=seed,
        format=config.format,
        settings=make_settings(config.profile, changes),
        seats=seats,
        games_per_bot=config.games_per_bot,
        heats=config.heats,
        seating=config.seating,
        openings=openings,
        positions=positions,
        challengers=tuple(sorted(challengers)),
        one_per_owner=config.one_per_owner,
        withdraw_after=config.withdraw_after,
        openings_per_match=config.openings_per_match,
    )


def _read_positions(path: Path) -> tuple[dict[str, Any], ...]:
    try:
        lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
    except OSError as error:
        raise InputError(
            f"can't read the openings `{path}`: {error.strerror}",
            "openings are `none`, `random:N` or a file of positions, one a line",
        ) from None
    positions = []
    for number, line in enumerate(lines, 1):
        try:
            position = json.loads(line)
        except (ValueError, RecursionError):
            position = None
        if not isinstance(position, dict):
            raise InputError(
                f"`{path}`, line {number}: no JSON object",
                "a file of openings has one position a line: `niagara rules random` prints some",
            )
        positions.append(position)
    if not positions:
        raise InputError(
            f"`{path}` holds no position",
            "a file of openings has one position a line: `niagara rules random` prints some",
        )
    return tuple(positions)


_UNITS = {"s": 1, "m": 60, "h": 3600}


def parse_duration(text: str) -> float:
    """Return the seconds of `90s`, `30m` or `8h`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text.strip())
    if not found:
        raise InputError(f"`{text}` is no span of time", "write 90s, 30m or 8h")
    return float(found[1]) * _UNITS[found[2]]
