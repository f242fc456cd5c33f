"""Ids and seeds, each a keyed hash: they depend on what they are for, never on an order of events.

A tournament's seed is the key. From it comes every match's and game's id, which bots may see, and
every game's seed, which they may not; from that, each seat's own. Nobody who knows an id or one
seat's seed can work out another's.
"""

from __future__ import annotations

from collections.abc import Sequence

from niagara_arena.schedule.chance import keyed

__all__ = ["bot_seed", "game_id", "game_seed", "match_id"]


def match_id(seed: str, table: Sequence[str], index: int) -> str:
    """Return the id of a table's match; `index` tells apart the matches of one table."""
    return f"m-{keyed(seed, 'match', *table, index, size=8).hex()}"


def game_id(seed: str, match: str, index: int) -> str:
    """Return the id of a match's game, counted from 0."""
    return f"g-{keyed(seed, 'game', match, index, size=8).hex()}"


def game_seed(seed: str, match: str, index: int) -> str:
    """Return the seed of a match's game, 32 hex digits."""
    return keyed(seed, "seed", match, index, size=16).hex()


def bot_seed(game_seed: str, seat: int) -> int:
    """Return the seed that the bot in a seat is given, below 2**48."""
    return int.from_bytes(keyed(game_seed, "bot", seat, size=6), "big")
