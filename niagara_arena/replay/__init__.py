"""A game's record → proof that it is true, pictures of it, and the bytes that a seat received."""

from __future__ import annotations

from niagara_arena.replay.audit import verify, verify_bytes
from niagara_arena.replay.codec import (
    MAX_RECORD_BYTES,
    decode,
    deterministic_part,
    encode,
    fingerprint,
    record_hash,
)
from niagara_arena.replay.playback import Mismatch, Moment, position_at, replay, view

__all__ = [
    "MAX_RECORD_BYTES",
    "Mismatch",
    "Moment",
    "decode",
    "deterministic_part",
    "encode",
    "fingerprint",
    "position_at",
    "record_hash",
    "replay",
    "verify",
    "verify_bytes",
    "view",
]
