"""Whole turns, flows and buy-backs of a position, for checking the rules from outside.

Positions in, canonical texts out. Nothing forced is skipped over here: the stages are driven one
by one, so that each answer is about exactly one seat's turn or one phase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from niagara_arena.errors import RulesError
from niagara_arena.rules.actions import Action, Arm
from niagara_arena.rules.base import buy_menu
from niagara_arena.rules.checks import need_seat, shown
from niagara_arena.rules.components import CARD_BY_NAME
from niagara_arena.rules.engine import disclose_purchase, purchase_number, settle
from niagara_arena.rules.events import Event
from niagara_arena.rules.game import apply, legal, pending, start
from niagara_arena.rules.outcome import is_won
from niagara_arena.rules.position import read_position
from niagara_arena.rules.registry import make_setup, opening_numbers
from niagara_arena.rules.state import (
    ACTOR,
    BANK,
    BUY,
    BUYS_NOTHING,
    CARD,
    CLOSING,
    HAND,
    MAY,
    MUST,
    PHASE,
    RETIRED,
    SHOWN,
    TURNS,
    Setup,
    State,
    Vector,
    alive,
    block,
)
from niagara_arena.rules.text import write_position

_MANY_ROUNDS: Final = 1_000_001
"""So many that no round of a position from outside is the last."""


def _seat(setup: Setup, v: Vector, seat: int) -> int:
    """Return where the block of a seat that is at the table begins."""
    need_seat(seat, setup.seats)
    if v[block(seat) + RETIRED]:
        raise RulesError(f"seat {seat} is retired", "N-5.4")
    return block(seat)


def _play(setup: Setup, v: Vector, seat: int, card: str, path: str | None = None) -> None:
    """Put a card of the seat's hand before it."""
    at = block(seat)
    number = CARD_BY_NAME.get(card) if isinstance(card, str) else None
    if number is None or not v[at + HAND] >> number & 1:
        raise RulesError(f"seat {seat} has no card {shown(card)} in its hand", "N-3.1", path)
    v[at + CARD] = number


def turns(position: Mapping[str, Any], seat: int, card: str) -> list[str]:
    """Return every distinct position that a seat's whole turn with a card can lead to, sorted.

    Hands, round and start marker stay as they were. A canoe that is ashore neither moves nor
    counts as on the river [N-10.3].
    """
    setup, v = read_position(position, _MANY_ROUNDS)
    at = _seat(setup, v, seat)
    _play(setup, v, seat, card)
    v[PHASE] = TURNS
    v[ACTOR] = seat
    v[at + SHOWN] = 1
    play = setup.ruleset.cards[v[at + CARD]]
    play.open(setup, v, seat, [])
    question = setup.ruleset.questions[play.kind]
    done: set[str] = set()
    seen = {tuple(v)}
    work = [tuple(v)]
    while work:
        numbers = work.pop()
        if not numbers[MUST] | numbers[MAY]:
            done.add(write_position(setup, list(numbers)))
            continue
        menus = question.options(setup, list(numbers), seat)
        for menu in menus:
            for action, move in zip(menu.actions, menu.moves, strict=True):
                after = list(numbers)
                question.perform(setup, after, seat, action, move, [])
                frozen = tuple(after)
                if frozen not in seen:
                    seen.add(frozen)
                    work.append(frozen)
    return sorted(done)


def buys(position: Mapping[str, Any], seat: int) -> list[str]:
    """Return every distinct position after a seat's buy-back, sorted [N-3.2…3.4]."""
    setup, v = read_position(position, _MANY_ROUNDS)
    at = _seat(setup, v, seat)
    found = set()
    for action in buy_menu(setup, v, seat).actions:
        after = list(v)
        after[at + BUY] = purchase_number(action)
        if after[at + BUY] != BUYS_NOTHING:
            disclose_purchase(setup, after, seat, [])
        found.add(write_position(setup, after))
    return sorted(found)


def flow(position: Mapping[str, Any], cards: list[str], arm: str) -> str | None:
    """Return the position after phases III and IV, or None when the position is won [N-6].

    A retired seat's card is ``-``; ``arm`` answers every arm question.
    """
    setup, v = read_position(position, _MANY_ROUNDS)
    if len(cards) != setup.seats:
        raise RulesError(f"{setup.seats} cards are needed, one a seat, not {len(cards)}", "N-3.1")
    if arm not in ("L", "R"):
        raise RulesError(f"an arm is L or R, not {shown(arm)}", "N-1.1")
    for seat, card in enumerate(cards):
        if v[block(seat) + RETIRED]:
            if card != "-":
                raise RulesError(f"seat {seat} is retired: its card is -", "N-5.4")
        else:
            _play(setup, v, seat, card)
            v[block(seat) + SHOWN] = 1
    here = alive(setup, v)
    if len(here) < 2 or any(is_won(v[block(seat) + BANK]) for seat in here):
        return None  # a single seat left has won [N-5.4]
    v[PHASE] = CLOSING
    for stage in setup.ruleset.closing:
        while not stage(setup, v, []):
            seat = v[ACTOR]
            question = setup.ruleset.questions["arm"]
            question.perform(setup, v, seat, Arm(arm), None, [])
    return write_position(setup, v)


def random_rounds(
    rules: str, seats: int, rounds: int, choose: Callable[[tuple[Action, ...]], Action]
) -> Iterator[str]:
    """Yield the positions at the start of each round of a game whose choices ``choose`` makes."""
    setup = make_setup(rules, seats, _MANY_ROUNDS)
    v = opening_numbers(setup)
    for _ in range(rounds):
        yield write_position(setup, v)
        events: list[Event] = []
        state = settle(setup, v, events, pause_at_round=True)
        while pending(state):
            seat = pending(state)[0].seat
            state = apply(state, seat, choose(legal(state, seat)), pause_at_round=True).state
        if state.over:
            return
        v = state._v.copy()


class Perft(NamedTuple):
    """How many ways there are to answer the first decisions, and where they lead."""

    depth: int
    paths: int
    states: int


def perft(rules: str, seats: int, depth: int) -> list[Perft]:
    """Count paths and distinct states after 0, 1, … ``depth`` asked decisions from the set-up.

    The pending decision of the lowest seat is answered first; forced ones are not asked. A game
    that is over has no further paths.
    """
    layer: dict[State, int] = {start(rules, seats): 1}
    counts = [Perft(0, 1, 1)]
    for level in range(1, depth + 1):
        after: dict[State, int] = {}
        for state, paths in layer.items():
            if state.over:
                continue
            seat = pending(state)[0].seat
            for action in legal(state, seat):
                reached = apply(state, seat, action).state
                after[reached] = after.get(reached, 0) + paths
        layer = after
        counts.append(Perft(level, sum(layer.values()), len(layer)))
    return counts
