"""The door: everything that a referee or a searching bot does with a game goes through here.

    state = start("base", 4)
    while not state.over:
        for decision in pending(state):            # in phase I several seats at once
            seat = decision.seat
        actions = legal(state, seat)               # canonical order, one for each effect
        state, events = apply(state, seat, actions[0])
    print(outcome(state))

Laws kept here: a state handed in is never changed; what is legal is exactly what `apply`
accepts; anything else raises `RulesError`, and nothing has happened. So the entries are declared to
take any `object`, and look at it themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from niagara_arena.errors import RulesError
from niagara_arena.rules.actions import Action
from niagara_arena.rules.base import CARD_BY_ID, CARD_MENUS, buy_menu, card_of
from niagara_arena.rules.checks import need_flag, need_seat, need_state, refuse_state, shown
from niagara_arena.rules.engine import answer_buy, begin_turns, run, run_turns, settle, take_off
from niagara_arena.rules.events import Event, RoundStarted
from niagara_arena.rules.explain import explain
from niagara_arena.rules.geometry import ASHORE
from niagara_arena.rules.outcome import is_won
from niagara_arena.rules.paddling import Menu
from niagara_arena.rules.position import read_position
from niagara_arena.rules.registry import DEFAULT_MAX_ROUNDS, make_setup, opening_numbers
from niagara_arena.rules.state import (
    BANK,
    CARD,
    HAND,
    MOOSE,
    PHASE,
    RETIRED,
    RETURNING,
    ROUND,
    SEATS,
    SECRET,
    START,
    STRIDE,
    Decision,
    State,
    Vector,
    alive,
    block,
)


class Step(NamedTuple):
    """What an action led to."""

    state: State
    events: tuple[Event, ...]


def start(
    rules: object,
    seats: object,
    *,
    max_rounds: object = DEFAULT_MAX_ROUNDS,
    placings: object = "progress",
) -> State:
    """Return the first state of a game from the set-up."""
    setup = make_setup(rules, seats, max_rounds, placings)
    return settle(setup, opening_numbers(setup), [])


def start_from(
    position: object,
    *,
    max_rounds: object = DEFAULT_MAX_ROUNDS,
    placings: object = "progress",
) -> Step:
    """Return the first state of a game from a position at the start of a round.

    What is forced there is played at once; the events tell it.
    """
    setup, v = read_position(position, max_rounds, placings)
    if v[ROUND] > setup.max_rounds:
        raise RulesError(
            f"round {v[ROUND]} is past max_rounds {setup.max_rounds}", "N-5.2", "$.round"
        )
    if v[MOOSE] == RETURNING:
        raise RulesError("at the start of a round the moose is back", "N-11.4", "$.moose")
    here = alive(setup, v)
    if len(here) < 2:
        raise RulesError("at least two seats must be at the table", "N-5.4", "$.players")
    for seat in here:
        at = block(seat)
        path = f"$.players[{seat}]"
        if is_won(v[at + BANK]):
            raise RulesError(f"seat {seat} has won already", "N-5.1", f"{path}.bank")
        if v[at] >= ASHORE or v[at + 2] >= ASHORE:
            raise RulesError("no canoe is ashore when a round starts", "N-10.3", f"{path}.canoes")
    events: list[Event] = []
    return Step(settle(setup, v, events), tuple(events))


def pending(state: object) -> tuple[Decision, ...]:
    """Return the open decisions, lowest seat first; empty when the game is over."""
    if not isinstance(state, State):
        refuse_state(state)
    return state._pending


def legal(state: object, seat: object) -> tuple[Action, ...]:
    """Return the actions of a seat's open decision, in canonical order; empty if it has none."""
    if not isinstance(state, State):
        refuse_state(state)
    for decision in state._pending:
        if decision[0] is seat:  # the usual case; `open_menus` judges every other
            if decision[1] == "card":
                return CARD_MENUS[state._v[SEATS + decision[0] * STRIDE + HAND]][0].actions
            menus = state._menus or open_menus(state, seat)
            break
    else:
        menus = open_menus(state, seat)
    if len(menus) == 1:
        return menus[0].actions
    if len(menus) == 2:
        return menus[0].actions + menus[1].actions
    return tuple([action for menu in menus for action in menu.actions])


def open_menus(state: object, seat: object) -> tuple[Menu, ...]:
    """Return the menus of a seat's open decision; empty if it has none."""
    if not isinstance(state, State):
        refuse_state(state)
    number = seat if type(seat) is int else need_seat(seat, state.seats)
    for decision in state._pending:
        if decision[0] == number:
            if decision[1] == "card":
                return CARD_MENUS[state._v[SEATS + number * STRIDE + HAND]]
            return state._menus or (buy_menu(state._setup, state._v, number),)
    need_seat(number, state.seats)
    return ()


def apply(state: object, seat: object, action: object, *, pause_at_round: object = False) -> Step:
    """Return the state after a seat's action, with all that happened up to the next real choice.

    With ``pause_at_round`` it stops, nothing pending, when a round has just begun. Raises
    RulesError, citing the clause, when the seat is not asked or the action not legal.
    """
    if not isinstance(state, State):
        refuse_state(state)
    number = seat if type(seat) is int else need_seat(seat, state.seats)
    if type(pause_at_round) is not bool:
        need_flag(pause_at_round, "pause_at_round")
    pause = pause_at_round is True
    asked = state._pending
    for decision in asked:
        if decision[0] == number:
            break
    else:
        raise explain(state, number, action)
    v = state._v.copy()
    if decision[1] == "card":
        at = SEATS + number * STRIDE
        card = CARD_BY_ID.get(id(action)) or card_of(action)
        if not v[at + HAND] >> card & 1:
            raise explain(state, number, action)
        v[at + CARD] = card
        if len(asked) > 1:  # others still think: nothing is told
            left = asked[1:] if decision is asked[0] else _without(asked, decision)
            return _step(Step, (State(state._setup, v, left, (), state._position), ()))
        return _begin(state, v, pause)
    if decision[1] == "buy":
        return _buy(state, v, number, action, pause)
    for menu in state._menus:
        index = menu.find(action)
        if index >= 0:
            break
    else:
        menu, index = _find_equal(state, number, action)
    events: list[Event] = []
    setup = state._setup
    perform = setup.ruleset.performs[decision[1]]
    perform(setup, v, number, menu.actions[index], menu.moves[index], events)
    asked, menus = run_turns(setup, v, events) or run(setup, v, events, pause)
    return _step(Step, (State(setup, v, asked, menus, None), tuple(events)))


_step: Final = tuple.__new__  # what Step(…) does, without its detour


def _begin(state: State, v: Vector, pause: bool) -> Step:
    """Go on to the next real choice when phase I is over."""
    setup = state._setup
    events: list[Event] = []
    begin_turns(setup, v, events)
    asked, menus = run_turns(setup, v, events) or run(setup, v, events, pause)
    return _step(Step, (State(setup, v, asked, menus, None), tuple(events)))


def _without(asked: tuple[Decision, ...], answered: Decision) -> tuple[Decision, ...]:
    return tuple([decision for decision in asked if decision is not answered])


def _find_equal(state: State, seat: int, action: object) -> tuple[Menu, int]:
    """Find an action that did not come from `legal` but equals one that did."""
    for menu in state._menus:
        index = menu.find_equal(action)
        if index >= 0:
            return menu, index
    raise explain(state, seat, action)


def _buy(state: State, v: Vector, seat: int, action: object, pause: bool) -> Step:
    """Note a seat's secret buy-back."""
    menu = buy_menu(state._setup, v, seat)
    index = menu.find_equal(action)
    if index < 0:
        raise explain(state, seat, action)
    left = answer_buy(state, v, seat, menu.actions[index])
    if left:
        return Step(State(state._setup, v, left, (), state._position), ())
    return _begin(state, v, pause)


def retire(state: object, seats: object) -> Step:
    """Take seats off the table in one step, as the referee may after any decision [N-5.4]."""
    state = need_state(state)
    if state.over:
        raise RulesError("the game is over", clause="N-5.4")
    if not isinstance(seats, Iterable) or isinstance(seats, str | bytes):
        raise RulesError(f"name the seats to retire, not {shown(seats)}", clause="N-5.4")
    gone = tuple(sorted({need_seat(seat, state.seats) for seat in seats}))
    if not gone:
        raise RulesError("name at least one seat to retire", clause="N-5.4")
    for seat in gone:
        if state._v[block(seat) + RETIRED]:
            raise RulesError(f"seat {seat} is retired already", clause="N-5.4")
    v = state._v.copy()
    events: list[Event] = []
    take_off(state._setup, v, gone, events)
    return Step(settle(state._setup, v, events), tuple(events))


def first_events(state: object) -> tuple[Event, ...]:
    """Return the event that opens the round in which a state in its secret phase is."""
    v = need_state(state)._v
    return (RoundStarted(v[ROUND], v[START]),) if v[PHASE] == SECRET else ()
