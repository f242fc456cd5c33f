"""A bot's misbehaviour as data: which fault, which kind of it, and a sentence for people."""

from __future__ import annotations

from typing import NamedTuple

from niagara_arena.records import Fault


class FaultReport(NamedTuple):
    """Say what a bot did wrong.

    ``detail`` and ``sentence`` are part of the deterministic record, so they name limits, never
    measurements.
    """

    fault: Fault
    detail: str
    sentence: str
    reply: bytes = b""
    """What it sent, if anything; kept, shortened, for its author."""
