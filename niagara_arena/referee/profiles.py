"""Named settings: what faults cost, and how much time there is.

| profile    | illegal, malformed, timeout                   | everything else | clock      |
|------------|-----------------------------------------------|-----------------|------------|
| `standard` | first legal action; the third one retires     | retires         | `Clock`    |
| `strict`   | retires                                       | retires         | `Clock`    |
| `lenient`  | first legal action; the twentieth one retires | retires         | four times |
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import structs

from niagara_arena.errors import InputError
from niagara_arena.records import Clock, Sanction, Sanctions, Settings

CLOCK_MODES: Final = ("cpu", "wall", "off")
MOST_ROUNDS: Final = 1_000_000
MOST_MS: Final = 86_400_000
"""A day: more is a slip of the finger."""
MOST_FAULTS: Final = 1_000

_STANDARD: Final = Settings()
_TIMES: Final = 4

PROFILES: Final[dict[str, Settings]] = {
    "standard": _STANDARD,
    "strict": structs.replace(
        _STANDARD,
        profile="strict",
        sanctions=Sanctions(
            illegal=Sanction.RETIRE, malformed=Sanction.RETIRE, timeout=Sanction.RETIRE, faults=1
        ),
    ),
    "lenient": structs.replace(
        _STANDARD,
        profile="lenient",
        sanctions=Sanctions(faults=20),
        clock=Clock(
            startup_ms=_TIMES * _STANDARD.clock.startup_ms,
            bank_ms=_TIMES * _STANDARD.clock.bank_ms,
            increment_ms=_TIMES * _STANDARD.clock.increment_ms,
            wall_ms=_TIMES * _STANDARD.clock.wall_ms,
        ),
    ),
}


def profile(name: str) -> Settings:
    """Return a profile's settings; raise InputError for a name that is none."""
    try:
        return PROFILES[name]
    except KeyError:
        raise InputError(
            f"unknown profile `{name}`", f"the profiles are {', '.join(PROFILES)}"
        ) from None


def make_settings(name: str, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Return a profile's settings with some of them changed, as ``{"clock": {"bank_ms": 9000}}``.

    Raises InputError, naming the setting and a likely meaning, for one that does not exist or a
    value that does not fit.
    """
    base = profile(name)
    if not overrides:
        return base
    merged = _merge(msgspec.to_builtins(base), overrides, "")
    if any(key in overrides for key in ("clock", "sanctions")):
        merged["profile"] = overrides.get("profile", "custom")
    try:
        settings = msgspec.convert(merged, Settings)
    except msgspec.ValidationError as error:
        raise InputError(
            f"settings: {error}", "see `niagara docs settings` for every setting"
        ) from None
    check_settings(settings)
    return settings


def _merge(known: dict[str, Any], changes: Mapping[str, Any], path: str) -> dict[str, Any]:
    merged = dict(known)
    for key, value in changes.items():
        if key not in known:
            close = difflib.get_close_matches(key, known, 1)
            raise InputError(
                f"there is no setting `{path}{key}`",
                f"did you mean `{path}{close[0]}`?" if close else f"there are {', '.join(known)}",
            )
        if isinstance(known[key], dict) and isinstance(value, Mapping):
            merged[key] = _merge(known[key], value, f"{path}{key}.")
        else:
            merged[key] = value
    return merged


def check_settings(settings: Settings) -> None:
    """Raise InputError for settings that no game can be played under."""
    clock = settings.clock
    if clock.mode not in CLOCK_MODES:
        raise InputError(
            f"`clock.mode` is {' or '.join(CLOCK_MODES)}, not `{clock.mode}`",
            "`niagara docs settings` lists every setting and what it may be",
        )
    for key in ("startup_ms", "bank_ms", "increment_ms", "wall_ms"):
        value = getattr(clock, key)
        if not (0 if key == "increment_ms" else 1) <= value <= MOST_MS:
            raise InputError(
                f"`clock.{key}` is from 1 to {MOST_MS}, not {value}",
                "`niagara docs settings` lists every setting and what it may be",
            )
    if not 1 <= settings.max_rounds <= MOST_ROUNDS:
        raise InputError(
            f"`max_rounds` is from 1 to {MOST_ROUNDS}, not {settings.max_rounds}",
            "`niagara docs settings` lists every setting and what it may be",
        )
    if not 1 <= settings.sanctions.faults <= MOST_FAULTS:
        raise InputError(
            f"`sanctions.faults` is from 1 to {MOST_FAULTS}, not {settings.sanctions.faults}",
            "`niagara docs settings` lists every setting and what it may be",
        )
