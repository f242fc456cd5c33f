"""A game's record → proof that it is true, pictures of it, and the bytes that a seat received."""

from __future__ import annotations

from niagara_arena.replay.codec import (
    MAX_RECORD_BYTES,
    decode,
    deterministic_part,
    encode,
    fingerprint,
    record_hash,
)

__all__ = [
    "MAX_RECORD_BYTES",
    "decode",
    "deterministic_part",
    "encode",
    "fingerprint",
    "record_hash",
]
