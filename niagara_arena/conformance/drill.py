"""Play a game with the bot in one seat and the house in all others.

The referee judges as in a tournament; the house draws its actions from a seed. The first fault of
the bot ends the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import structs

from niagara_arena import __version__
from niagara_arena.conformance.talk import Reply, Talk
from niagara_arena.records import RECORD_FORMAT, GameHeader, Seat, Settings
from niagara_arena.referee import Answer, Ask, Done, Referee, Request, Tell
from niagara_arena.rules import RULES_VERSION, legal
from niagara_arena.schedule.chance import Chance
from niagara_arena.schedule.seeds import bot_seed, game_id, game_seed
from niagara_arena.wire.messages import Act

__all__ = ["Game", "Played", "play"]

Alter = Callable[[bytes], bytes]
Interlude = Callable[[Request, Reply], None]


class Game(NamedTuple):
    """Say which game to play."""

    rules: str
    seats: int
    seat: int
    """The bot's."""
    rounds: int
    variant: int = 0
    """Another number, another game."""
    position: dict[str, Any] | None = None


class Played(NamedTuple):
    """Say what was asked and answered."""

    kinds: tuple[str, ...]
    lines: tuple[bytes, ...]
    acts: tuple[tuple[object, object], ...]
    """What was chosen, notes and data left out."""
    cpu_us: tuple[int, ...]
    wall_us: tuple[int, ...]
    rounds: int


def play(
    talk: Talk,
    game: Game,
    settings: Settings,
    alter: Alter | None = None,
    interlude: Interlude | None = None,
) -> Played:
    """Play the game to its end.

    `alter` may change each line before the bot gets it, `interlude` comes after each answer.
    """
    change = alter or (lambda line: line)
    referee = Referee(_header(game, settings, talk.params), _last_ids(game, talk.last_id))
    house = Chance("check", "house", game.rules, game.seats, game.variant)
    kinds: list[str] = []
    replies = []
    while not isinstance(step := referee.next_step(), Done):
        if isinstance(step, Tell):
            for seat, line in step.messages:
                if seat == game.seat:
                    talk.tell(change(line))
            continue
        assert isinstance(step, Ask)
        answers = []
        for request in step.requests:
            if request.seat != game.seat:
                answers.append(_house(referee, request, house))
                continue
            reply = talk.ask(request, change(request.line))
            kinds.append(request.kind)
            replies.append(reply)
            answers.append(Answer(request.seat, reply.act, None, reply.cpu_us, reply.wall_us))
            if interlude is not None:
                interlude(request, reply)
        referee.answer(answers)
        if referee.incidents:
            raise talk.refuse(referee.incidents[0][1])
    return Played(
        tuple(kinds),
        tuple(reply.line for reply in replies),
        tuple((reply.act.choice, reply.act.action) for reply in replies),
        tuple(reply.cpu_us for reply in replies),
        tuple(reply.wall_us for reply in replies),
        step.end.rounds,
    )


def _house(referee: Referee, request: Request, chance: Chance) -> Answer:
    options = len(legal(referee.state, request.seat))
    return Answer(request.seat, Act(id=request.number, choice=chance.below(options)), None)


def _last_ids(game: Game, last: int) -> list[int]:
    return [last if seat == game.seat else 0 for seat in range(game.seats)]


def _header(game: Game, settings: Settings, params: dict[str, Any]) -> GameHeader:
    first = game.position["round"] if game.position is not None else 1
    settings = structs.replace(settings, rules=game.rules, max_rounds=first + game.rounds - 1)
    seed = game_seed("check", game.rules, game.variant)
    seats = tuple(
        Seat("", "", "", params if seat == game.seat else {}, bot_seed(seed, seat))
        for seat in range(game.seats)
    )
    return GameHeader(
        RECORD_FORMAT,
        __version__,
        RULES_VERSION,
        game_id("check", game.rules, game.variant),
        "m-check",
        seats,
        seed,
        settings,
        "",
        "",
        game.position,
    )
