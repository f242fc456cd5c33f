"""Drive a referee by hand: no processes, answers from a function."""

from __future__ import annotations

from collections.abc import Callable

from niagara_arena.records import GameHeader, Seat, Settings
from niagara_arena.referee import Answer, Ask, Done, Referee, Request, Tell
from niagara_arena.referee import make_settings as settings
from niagara_arena.rules import RULES_VERSION
from niagara_arena.wire.messages import Act

Player = Callable[[Request], Answer]

__all__ = ["Player", "drive", "first", "header", "settings"]


def header(under: Settings | None = None, seats: int = 3, **more: object) -> GameHeader:
    """Return the header of a small game."""
    who = tuple(Seat(f"{i:064x}", f"bot{i}", seed=i) for i in range(seats))
    fields = {
        "format": 1,
        "arena": "0",
        "rules_version": RULES_VERSION,
        "game": "g-0000000000000000",
        "match": "m-0000000000000000",
        "seats": who,
        "seed": "0" * 32,
        "settings": under or settings("standard", {"max_rounds": 4}),
        "sandbox": "none",
    }
    return GameHeader(**(fields | more))  # type: ignore[arg-type]


def first(request: Request) -> Answer:
    """Answer with the first legal action, in no time."""
    return Answer(request.seat, Act(request.number, choice=0), None, 1000, 2000, 0)


def drive(referee: Referee, player: Player = first) -> tuple[Done, dict[int, list[bytes]]]:
    """Carry a game to its end; return it, and every line that each seat was sent."""
    sent: dict[int, list[bytes]] = {}
    while True:
        step = referee.next_step()
        if isinstance(step, Done):
            return step, sent
        if isinstance(step, Tell):
            for seat, line in step.messages:
                sent.setdefault(seat, []).append(line)
        else:
            assert isinstance(step, Ask)
            for request in step.requests:
                sent.setdefault(request.seat, []).append(request.line)
            referee.answer([player(request) for request in step.requests])
