"""Whether numbers from outside are those of a game under way, checked before it is run on.

`position` checks what lies on the table; this checks who has chosen what and whose turn it is.
"""

from __future__ import annotations

from typing import Final

from niagara_arena.errors import RulesError
from niagara_arena.rules.base import buy_menu
from niagara_arena.rules.components import CLOUD, LASSO
from niagara_arena.rules.engine import purchase_action
from niagara_arena.rules.geometry import ASHORE, JETTY
from niagara_arena.rules.outcome import is_won
from niagara_arena.rules.state import (
    ACTOR,
    AT_PLACE,
    BANK,
    BUY,
    BUYS_NOTHING,
    CARD,
    CLOSING,
    DESERTED,
    ENDING,
    EXACTLY_ONE,
    LAST_SEAT,
    MAX_ROUNDS,
    MAY,
    MOOSE,
    MUST,
    OVER,
    PHASE,
    RETIRED,
    ROUND,
    SECRET,
    SHOWN,
    START,
    TURNS,
    UNDECIDED,
    WHIRLPOOL,
    WON,
    Setup,
    Vector,
    alive,
    block,
)

_FORK_ASHORE: Final = ASHORE + 5
_RUBIES_ASHORE: Final = (ASHORE + 8, ASHORE + 9)


def check_course(setup: Setup, v: Vector) -> None:
    """Raise RulesError unless a game can be at this point."""
    if v[ROUND] > setup.max_rounds:
        raise RulesError(f"round {v[ROUND]} is past max_rounds {setup.max_rounds}", "N-5.2")
    here = alive(setup, v)
    won = any(is_won(v[block(seat) + BANK]) for seat in here)
    if v[PHASE] == OVER:
        _check_ending(setup, v, len(here), won)
        return
    if len(here) < 2:
        raise RulesError("at least two seats must be at the table", "N-5.4")
    if won and v[PHASE] != TURNS:
        raise RulesError("a seat has won already", "N-5.1")
    for seat in range(setup.seats):
        _check_choices(setup, v, seat)
    if v[PHASE] == CLOSING:
        _check_return(setup, v)
    elif v[PHASE] != SECRET:
        _check_turn(setup, v)


def _check_ending(setup: Setup, v: Vector, left: int, won: bool) -> None:
    """Check that a game could end like this."""
    fine = {
        WON: won and left > 1,
        LAST_SEAT: left == 1,
        MAX_ROUNDS: v[ROUND] == setup.max_rounds and left > 1 and not won,
        DESERTED: left == 0,
    }
    if not fine[v[ENDING]]:
        raise RulesError("the game has not ended like that", "N-5", "$.ending")


def _check_choices(setup: Setup, v: Vector, seat: int) -> None:
    """Check one seat's card and buy-back of a round that is not over."""
    at = block(seat)
    card, buy = v[at + CARD], v[at + BUY]
    if v[at + RETIRED]:
        if card or v[at + SHOWN] or buy != BUYS_NOTHING:
            raise RulesError(f"seat {seat} is retired: it has no card, buys nothing", "N-5.4")
        return
    if v[PHASE] == SECRET:
        if v[at + SHOWN]:
            raise RulesError(f"seat {seat} shows its card too early", "N-3.1")
        if buy == UNDECIDED:
            if card:
                raise RulesError(f"seat {seat} buys back before it chooses a card", "N-3.2")
        elif purchase_action(buy) not in buy_menu(setup, v, seat).actions:
            raise RulesError(f"seat {seat} must buy a canoe back", "N-3.3")
    elif not card:
        raise RulesError(f"seat {seat} has no card", "N-3.1")
    elif buy != BUYS_NOTHING:
        raise RulesError(f"the buy-back of seat {seat} is public by then", "N-3.2")
    if (v[at] >= ASHORE or v[at + 2] >= ASHORE) and not (card == LASSO and v[at + SHOWN]):
        raise RulesError(f"seat {seat} has a canoe ashore without a lasso", "N-10.3")


def _check_turn(setup: Setup, v: Vector) -> None:
    """Check phase II: seats before the acting one have shown their cards, those after have not."""
    actor = v[ACTOR]
    had_turn = (actor - v[START]) % setup.seats
    for step in range(setup.seats):
        seat = (v[START] + step) % setup.seats
        at = block(seat)
        if not v[at + RETIRED] and v[at + SHOWN] != (step <= had_turn):
            raise RulesError("cards are revealed clockwise from the start seat", "N-4")
    at = block(actor)
    if v[at + RETIRED]:
        raise RulesError(f"seat {actor} is retired and has no turn", "N-5.4")
    marks = v[MUST] & 3, v[MAY]
    card = v[at + CARD]
    places = v[at], v[at + 2]
    if card == CLOUD:
        fine = v[MUST] == 1 and not v[MAY]
    elif card == LASSO:
        fine = bool(v[MUST]) and not v[MAY] and v[MUST] < EXACTLY_ONE and v[MOOSE] == AT_PLACE
        fine = fine and all(
            places[canoe] in _RUBIES_ASHORE for canoe in (0, 1) if v[MUST] >> canoe & 1
        )
    else:
        fine = bool(marks[0] | marks[1]) and not marks[0] & marks[1] and marks[1] != 3
        fine = fine and all(
            places[canoe] <= JETTY for canoe in (0, 1) if (marks[0] | marks[1]) >> canoe & 1
        )
        fine = fine and not (v[MAY] and v[MUST] & EXACTLY_ONE)
    if not fine:
        raise RulesError("no canoe of that seat moves like that now", "N-4.1", "$.turn")


def _check_return(setup: Setup, v: Vector) -> None:
    """Check the returns from the bank: the one thing that is asked then is an arm at 5."""
    if not setup.ruleset.extras[0]:
        raise RulesError("nothing is asked after the turns in the base game", "N-6.6", "$.phase")
    at = block(v[ACTOR])
    asked = [canoe for canoe in (0, 1) if v[MUST] == 1 << canoe and not v[MAY]]
    if v[WHIRLPOOL] != _FORK_ASHORE - ASHORE or not asked or v[at + 2 * asked[0]] != _FORK_ASHORE:
        raise RulesError("no canoe of that seat returns onto a whirlpool on 5", "N-10.3", "$.turn")
    for seat in range(setup.seats):
        if v[block(seat) + SHOWN] == bool(v[block(seat) + RETIRED]):
            raise RulesError("every card has been revealed by then", "N-4", "$.choices")
