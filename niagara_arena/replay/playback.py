"""Play a record again through the rules, act by act.

Only the rules core is believed: an act that it refuses, or that stands where no such decision was
open, ends the playback with a `Mismatch` that names the act. Bots are not needed and nothing is
timed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from niagara_arena.errors import ArenaError, InputError, RulesError
from niagara_arena.records import GameHeader, GameRecord, Played, Retired
from niagara_arena.referee.profiles import check_settings
from niagara_arena.referee.translate import open_game
from niagara_arena.rules import (
    RULES_VERSION,
    Action,
    Event,
    State,
    Step,
    action_from_json,
    action_to_json,
    apply,
    legal,
    observe,
    retire,
)

__all__ = ["Mismatch", "Moment", "opening", "position_at", "replay", "view"]


class Mismatch(ArenaError):
    """Say where a record departs from what the rules and its other lines say."""

    where: str
    """The place in the record: ``round 4, act 2`` or ``end.winners``."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where


class Moment(NamedTuple):
    """One step of a playback."""

    state: State
    """What the act led to, forced decisions played."""
    events: tuple[Event, ...]
    act: Played | Retired | None
    """None at the opening."""
    decision: int
    """How many decisions were answered before this act."""
    round: int
    """The round of the line that the act stands in."""
    where: str
    """The act's place in the record, for messages."""
    begun: dict[str, Any] | None
    """The position with which a round began in this step, if one did."""


def opening(header: GameHeader) -> Step:
    """Return a game's first state and the events that lead to it."""
    try:
        check_settings(header.settings)
        state, events, _ = open_game(header)
    except ArenaError as error:
        raise Mismatch("game", str(error)) from None
    return Step(state, events)


def replay(record: GameRecord) -> Iterator[Moment]:
    """Yield the opening, then what each act of a record led to; raise Mismatch at the first
    act that can't be carried out."""
    header = record.header
    if header.rules_version != RULES_VERSION:
        raise InputError(
            f"the game was played by {header.rules_version}, these rules are {RULES_VERSION}",
            "replay it with the version of the arena that it was played with",
        )
    state, events = opening(header)
    begun = header.position or view(state)["position"]
    number = header.position["round"] if header.position else state.round
    yield Moment(state, events, None, 0, number, "game", begun)
    for line, later in pairwise(record.rounds):
        if line.round >= later.round:
            raise Mismatch(f"round {later.round}", "the rounds are not in order")
    decision = 0
    for line in record.rounds:
        for index, act in enumerate(line.acts):
            where = f"round {line.round}, act {index}"
            if state.round != line.round:
                raise Mismatch(where, f"the game is in round {state.round} there")
            if isinstance(act, Played):
                (state, events), begun = _carry_out(state, act, where)
            else:
                (state, events), begun = _take_off(state, act, where)
            yield Moment(state, events, act, decision, line.round, where, begun)
            decision += isinstance(act, Played)


def _carry_out(state: State, act: Played, where: str) -> tuple[Step, dict[str, Any] | None]:
    action = read_action(act, where)
    try:
        step = apply(state, act.seat, action)
    except RulesError as error:
        raise Mismatch(where, f"seat {act.seat} may not play {_text(act)}: {error}") from None
    if step.state.round == state.round:
        return step, None
    paused = apply(state, act.seat, action, pause_at_round=True).state
    return step, view(paused)["position"]


def _take_off(state: State, act: Retired, where: str) -> tuple[Step, dict[str, Any] | None]:
    try:
        step = retire(state, act.seats)
    except RulesError as error:
        raise Mismatch(where, str(error)) from None
    if step.state.round == state.round or step.state.phase != "secret":
        return step, None
    return step, view(step.state)["position"]


def read_action(act: Played, where: str) -> Action:
    """Return the action of an act, which must be spelled as the rules spell it."""
    try:
        action = action_from_json(msgspec.json.decode(act.action))
    except RulesError as error:
        raise Mismatch(where, str(error)) from None
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise Mismatch(where, "its action is no JSON") from None
    if msgspec.json.encode(action_to_json(action)) != bytes(act.action):
        raise Mismatch(where, f"{_text(act)} is not the canonical spelling of the action")
    return action


def _text(act: Played) -> str:
    return bytes(act.action).decode("utf-8", "replace")[:200]


def default_action(state: State, seat: int) -> Action | None:
    """Return what is played for a seat that failed to answer; None if it is not asked."""
    actions = legal(state, seat)
    return actions[0] if actions else None


def view(state: State) -> dict[str, Any]:
    """Return what everybody sees: seat 0's observation without its own secrets."""
    seen = observe(state, 0)
    del seen["seat"], seen["own"]
    return seen


def position_at(record: GameRecord, number: int) -> dict[str, Any]:
    """Return the position with which a round of a game began."""
    last = 0
    for moment in replay(record):
        if moment.begun is not None:
            last = moment.begun["round"]
            if last == number:
                return moment.begun
    first = record.header.position["round"] if record.header.position else 1
    raise InputError(
        f"the game has no choice to make at the start of round {number}"
        if first <= number <= last
        else f"the game has no round {number}",
        f"it has the rounds {first} to {last}",
    )
