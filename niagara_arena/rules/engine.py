"""The course of a game: which stage comes next, whose decision is open, forced ones played.

`run` drives the numbers of a state until a real choice is open or the game is over. A round is:
the secret phase (buy-backs and cards, all seats at once), the turns clockwise from the start
seat, then the ruleset's closing stages in order.
"""

from __future__ import annotations

from typing import Final

from niagara_arena.rules.actions import KINDS, BuyBack
from niagara_arena.rules.base import buy_menu
from niagara_arena.rules.components import (
    CARD_NAMES,
    CARGO_CODE,
    CARGO_NAMES,
    CARGO_PACKED,
    CARGOES,
    GEM_BY_NAME,
    ONE,
)
from niagara_arena.rules.events import (
    BoughtBack,
    CardRevealed,
    Event,
    GameEnded,
    SeatRetired,
)
from niagara_arena.rules.geometry import JETTY, LOST
from niagara_arena.rules.memo import Memo
from niagara_arena.rules.paddling import Menu
from niagara_arena.rules.river import return_gems
from niagara_arena.rules.state import (
    ACTOR,
    BANK,
    BUY,
    BUYS,
    BUYS_NOTHING,
    CARD,
    CARGO,
    CLOSING,
    DESERTED,
    HAND,
    LAST_SEAT,
    MAY,
    MUST,
    PHASE,
    PLACES,
    RETIRED,
    RETIREMENTS,
    SEATS,
    SECRET,
    SHOWN,
    STAGE,
    START,
    STRIDE,
    TURNS,
    UNDECIDED,
    Decision,
    Setup,
    State,
    Vector,
    alive,
    block,
    decode_purchase,
    encode_purchase,
    end_game,
    sort_canoes,
)

_CARD_DECISIONS: Final = tuple(Decision(seat, "card") for seat in range(6))
_BUY_DECISIONS: Final = tuple(Decision(seat, "buy") for seat in range(6))
_ASKED: Final = {
    kind: tuple((Decision(seat, kind),) for seat in range(6)) for kind in KINDS if kind != "buy"
}
_REVEALED: Final = tuple(
    tuple(CardRevealed(seat, card) for card in CARD_NAMES) for seat in range(6)
)

Asked = tuple[tuple[Decision, ...], tuple[Menu, ...]]


def settle(setup: Setup, v: Vector, events: list[Event], pause_at_round: bool = False) -> State:
    """Run to the next real choice and freeze the numbers into a state."""
    pending, menus = run(setup, v, events, pause_at_round)
    return State(setup, v, pending, menus)


def run(setup: Setup, v: Vector, events: list[Event], pause_at_round: bool = False) -> Asked:
    """Play everything forced; return the open decisions and, after phase I, their menus.

    With ``pause_at_round`` it comes back, nothing pending, the moment a round has begun.
    """
    while True:
        phase = v[PHASE]
        if phase == TURNS:
            asked = run_turns(setup, v, events)
            if asked is not None:
                return asked
        elif phase == CLOSING:
            closing = setup.ruleset.closing
            while v[PHASE] == CLOSING:
                if closing[v[STAGE]](setup, v, events):
                    v[STAGE] += v[PHASE] == CLOSING
                else:
                    seat = v[ACTOR]
                    return _ASKED["arm"][seat], setup.ruleset.questions["arm"].options(
                        setup, v, seat
                    )
            if pause_at_round and v[PHASE] == SECRET:
                return (), ()
        elif phase == SECRET:
            pending = open_secret(setup, v)
            if pending:
                return pending, ()
            begin_turns(setup, v, events)
        else:
            return (), ()


def run_turns(setup: Setup, v: Vector, events: list[Event]) -> Asked | None:
    """Go on with the turns from the acting seat's; return an open decision, None at their end.

    To be called in phase II or later; later than that there is nothing to do.
    """
    if v[PHASE] != TURNS:
        return None
    plays = setup.ruleset.plays
    seats = setup.seats
    start = v[START]
    seat = v[ACTOR]
    while True:
        at = SEATS + seat * STRIDE
        if not v[at + RETIRED]:
            card = v[at + CARD]
            opens, kind, options, perform = plays[card]
            if not v[at + SHOWN]:
                v[at + SHOWN] = 1
                events.append(_REVEALED[seat][card])
                opens(setup, v, seat, events)
            while v[MUST] or v[MAY]:
                menus = options(setup, v, seat)
                menu = menus[0]
                if len(menus) > 1 or len(menu.actions) > 1:
                    v[ACTOR] = seat
                    return _ASKED[kind][seat], menus
                perform(setup, v, seat, menu.actions[0], menu.moves[0], events)
        v[MUST] = v[MAY] = 0
        seat += 1
        if seat == seats:
            seat = 0
        if seat == start:
            v[PHASE] = CLOSING
            v[STAGE] = 0
            return None


# --- Phase I -----------------------------------------------------------------------------------


def open_secret(setup: Setup, v: Vector) -> tuple[Decision, ...]:
    """Answer what is forced in the secret phase; return what each seat must still decide."""
    pending = []
    seat = -1
    for at in setup.blocks:
        seat += 1
        if v[at + CARD] or v[at + RETIRED]:
            continue
        if v[at + BUY] == UNDECIDED:
            lost = (v[at] == LOST) + (v[at + 2] == LOST)
            if lost == 2 or (lost and v[at + BANK]):
                menu = buy_menu(setup, v, seat).actions
                if len(menu) > 1:
                    pending.append(_BUY_DECISIONS[seat])
                    continue
                v[at + BUY] = purchase_number(menu[0])
            else:
                v[at + BUY] = BUYS_NOTHING
        hand = v[at + HAND]
        if hand & (hand - 1):
            pending.append(_CARD_DECISIONS[seat])
        else:
            v[at + CARD] = hand.bit_length() - 1
    return tuple(pending)


def purchase_number(action: BuyBack) -> int:
    """Return a buy-back as the number kept in a state."""
    return _PURCHASES[action]


def _number_purchase(action: BuyBack) -> int:
    if not action.canoes:
        return BUYS_NOTHING
    gems = CARGO_CODE[tuple(GEM_BY_NAME[gem] for gem in action.gems)]
    return encode_purchase(sum(1 << canoe for canoe in action.canoes), gems)


_PURCHASES: Final = Memo(_number_purchase, 256)


def purchase_action(number: int) -> BuyBack | None:
    """Return the buy-back of a number kept in a state, None while undecided."""
    if number == UNDECIDED:
        return None
    if number == BUYS_NOTHING:
        return BuyBack((), ())
    mask, gems = decode_purchase(number)
    return BuyBack(tuple(canoe for canoe in (0, 1) if mask >> canoe & 1), CARGO_NAMES[gems])


def begin_turns(setup: Setup, v: Vector, events: list[Event]) -> None:
    """Disclose all buy-backs together, then give the turn to the start seat [N-3.2]."""
    for seat in range(setup.seats):
        if v[SEATS + seat * STRIDE + BUY] >= BUYS:
            disclose_purchase(setup, v, seat, events)
    v[PHASE] = TURNS
    v[ACTOR] = v[START]
    v[MUST] = v[MAY] = 0


def disclose_purchase(setup: Setup, v: Vector, seat: int, events: list[Event]) -> None:
    """Bring a seat's bought canoes to the jetty and its gems to their places."""
    at = block(seat)
    mask, gems = decode_purchase(v[at + BUY])
    v[at + BUY] = BUYS_NOTHING
    paid: list[str | None] = list(CARGO_NAMES[gems]) or [None]
    for canoe in (0, 1):
        if mask >> canoe & 1:
            v[at + 2 * canoe] = JETTY
            events.append(BoughtBack(seat, canoe, paid.pop(0)))
    v[at + BANK] -= CARGO_PACKED[gems]
    for gem in CARGOES[gems]:
        v[PLACES + gem] += ONE[gem]
    if setup.ruleset.interchangeable:
        sort_canoes(v, at)


def answer_buy(state: State, v: Vector, seat: int, action: BuyBack) -> tuple[Decision, ...]:
    """Note a seat's legal buy-back in ``v``; return what is then still pending."""
    at = SEATS + seat * STRIDE
    v[at + BUY] = purchase_number(action)
    hand = v[at + HAND]
    if hand & (hand - 1):
        return tuple([_CARD_DECISIONS[seat] if d[0] == seat else d for d in state._pending])
    v[at + CARD] = hand.bit_length() - 1
    return tuple([decision for decision in state._pending if decision[0] != seat])


# --- Retirement --------------------------------------------------------------------------------


def take_off(setup: Setup, v: Vector, seats: tuple[int, ...], events: list[Event]) -> None:
    """Take seats off the table in one step [N-5.4]."""
    v[RETIREMENTS] += 1
    for seat in seats:
        at = block(seat)
        setup.ruleset.on_removed(v, seat)
        for i in (at, at + 2):
            return_gems(v, CARGO_PACKED[v[i + CARGO]])
            v[i] = LOST
            v[i + CARGO] = 0
        return_gems(v, v[at + BANK])
        v[at + BANK] = v[at + CARD] = v[at + SHOWN] = 0
        v[at + BUY] = BUYS_NOTHING
        v[at + RETIRED] = v[RETIREMENTS]
        if v[PHASE] in (TURNS, CLOSING) and v[ACTOR] == seat:
            v[MUST] = v[MAY] = 0
        events.append(SeatRetired(seat))
    left = alive(setup, v)
    if len(left) < 2:
        end_game(v, LAST_SEAT if left else DESERTED)
        events.append(GameEnded("last_seat" if left else "deserted", tuple(left)))
