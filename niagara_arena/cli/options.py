"""Options that several commands share, and how they become settings."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import click

from niagara_arena.records import Settings
from niagara_arena.referee import make_settings
from niagara_arena.sandbox import LEVELS

__all__ = ["LEAD", "FiniteRange", "sandbox_option", "set_option", "settings_from"]


class FiniteRange(click.FloatRange):
    """A range of numbers without `nan`, which lies in every range of click's."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, or refuse it."""
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is not a number that can be compared", param, ctx)
        return found


LEAD = FiniteRange(0.001, 10)
"""A lead in strength that does not matter; without any, equals would play for ever."""

sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(("auto", *reversed(LEVELS))),
    default="auto",
    show_default=True,
    help="How bots are caged; auto takes the best that works here.",
)


def _read_changes(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> dict[str, Any]:
    """Turn KEY=VALUE texts into nested settings."""
    changes: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        words = key.split(".")
        if not equals or not all(words):
            raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE", ctx, param)
        inner = changes
        for word in words[:-1]:
            inner = inner.setdefault(word, {})
            if not isinstance(inner, dict):
                raise click.BadParameter(f"{key!r} contradicts another setting", ctx, param)
        try:
            inner[words[-1]] = json.loads(value)
        except ValueError:
            inner[words[-1]] = value
    return changes


def set_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--set KEY=VALUE`; it receives `changes`, nested."""
    return click.option(
        "--set",
        "changes",
        multiple=True,
        metavar="KEY=VALUE",
        callback=_read_changes,
        help="Change one setting, such as clock.bank_ms=9000.",
    )(command)


def settings_from(
    profile: str,
    changes: dict[str, Any],
    *,
    rules: str,
    clocks: str | None = None,
    names: bool = False,
    freeze: bool = True,
) -> Settings:
    """Return the settings that a command line asks for; what `--set` says comes last."""
    merged: dict[str, Any] = {"rules": rules, "names": names, "freeze": freeze}
    if clocks is not None:
        merged["clock"] = {"mode": clocks}
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = {**merged[key], **value}
        else:
            merged[key] = value
    return make_settings(profile, merged)
