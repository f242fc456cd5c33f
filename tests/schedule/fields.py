"""Fields of made-up entrants."""

from __future__ import annotations

import hashlib

from niagara_arena.schedule.spec import Entrant


def submission(number: int) -> str:
    return hashlib.sha256(f"bot {number}".encode()).hexdigest()


def field(size: int, bots_an_owner: int = 0) -> list[Entrant]:
    return [
        Entrant(
            submission(number),
            f"bot-{number}",
            owner=f"owner-{number // bots_an_owner}" if bots_an_owner else "",
        )
        for number in range(size)
    ]
