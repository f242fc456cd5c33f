"""The base game as a ruleset: its cards, its questions, and what closes a round.

The functions here take the set-up, the numbers ``v`` of a state in the making, and a list that
collects events; they change only those two. Spirits builds on them (`rules/spirits/`); nothing
here knows that it exists.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Final

from niagara_arena.rules.actions import Action, BuyBack, PlayCard, Stay, Weather
from niagara_arena.rules.components import (
    BITS,
    CARD_NAMES,
    CARGO_NAMES,
    CARGO_PACKED,
    CLOUD,
    FIELD,
    GEM_NAMES,
    GEMS,
    HIGHEST_NUMBER,
    WEATHER_HIGH,
    WEATHER_LOW,
    cards_of,
    count,
)
from niagara_arena.rules.events import (
    Banked,
    CanoeDrifted,
    CanoeLost,
    CanoeMoved,
    CanoeStayed,
    Event,
    GameEnded,
    HandRefilled,
    RiverFlowed,
    RoundStarted,
    WeatherChanged,
)
from niagara_arena.rules.geometry import ARM_NAMES, JETTY, LOST, PUSH, SPACE_NAMES
from niagara_arena.rules.outcome import is_won
from niagara_arena.rules.paddling import (
    Menu,
    Option,
    base_routes,
    loaded_opponents,
    template,
    with_thefts,
)
from niagara_arena.rules.state import (
    ACTOR,
    BANK,
    BUY,
    CARD,
    CARGO,
    EXACTLY_ONE,
    HAND,
    MAX_ROUNDS,
    MAY,
    MUST,
    NEXT_ARM,
    PHASE,
    PLACES,
    RETIRED,
    ROUND,
    SEATS,
    SECRET,
    SHOWN,
    STAGE,
    START,
    STRIDE,
    UNDECIDED,
    WEATHER,
    WON,
    CardPlay,
    Question,
    Ruleset,
    Setup,
    Vector,
    end_game,
    sort_canoes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

# --- Phase I: what may be bought back, which cards may be played -------------------------------


def buy_menu(setup: Setup, v: Vector | tuple[int, ...], seat: int) -> tuple[BuyBack, ...]:
    """Return a seat's buy-backs: nothing first, then by canoes, then by gems [N-3.2…3.4]."""
    at = SEATS + seat * STRIDE
    lost = [canoe for canoe in (0, 1) if v[at + 2 * canoe] == LOST]
    if not lost:
        return (BuyBack((), ()),)
    bank = v[at + BANK]
    either = lost[:1] if setup.ruleset.interchangeable else lost
    stranded = len(lost) == 2
    if stranded and not bank:
        return tuple(BuyBack((canoe,), ()) for canoe in either)
    menu = [] if stranded else [BuyBack((), ())]
    menu += [
        BuyBack((canoe,), (GEM_NAMES[gem],)) for canoe in either for gem in GEMS if count(bank, gem)
    ]
    if stranded:
        pairs = combinations_with_replacement(GEMS, 2)
        menu += [
            BuyBack((0, 1), (GEM_NAMES[a], GEM_NAMES[b]))
            for a, b in pairs
            if count(bank, a) > (a == b) and count(bank, b)
        ]
    return tuple(sorted(menu))


_CARD_MENUS: Final = {
    mask: tuple(PlayCard(CARD_NAMES[card]) for card in cards_of(mask)) for mask in range(0, 2048, 2)
}


def card_menu(hand: int) -> tuple[PlayCard, ...]:
    """Return the cards of a hand, ordered by name as strings [N-3.1]."""
    return _CARD_MENUS[hand]


# --- Phase II: number cards --------------------------------------------------------------------


def open_number(setup: Setup, v: Vector, seat: int, events: list[Event]) -> None:
    """Judge at the start of the turn which canoes must and which may move [N-4.1]."""
    del events
    at = SEATS + seat * STRIDE
    river = (v[at] < JETTY) | (v[at + 2] < JETTY) << 1
    jetty = (v[at] == JETTY) | (v[at + 2] == JETTY) << 1
    if river:
        v[MUST] = river
        v[MAY] = jetty
    elif jetty:
        v[MUST] = (1 if setup.ruleset.interchangeable else jetty) | EXACTLY_ONE


_POINTS: Final = tuple((points,) for points in range(12))


def base_canoe_menus(setup: Setup, v: Vector, seat: int) -> tuple[Menu, ...]:
    """Return what each canoe that still moves can do with the seat's number card."""
    at = SEATS + seat * STRIDE
    candidates = v[MUST] | v[MAY]
    if candidates & 3 == 3 and v[at] == v[at + 2] and v[at + 1] == v[at + 3]:
        candidates &= ~2  # two equal canoes: moving either is the same [N-2.1]
    points = _POINTS[v[at + CARD]]
    menus = [_STAY_MENUS[v[MAY] >> 1]] if not v[MUST] else []
    for canoe in (0, 1):
        if candidates >> canoe & 1:
            i = at + 2 * canoe
            found = template(canoe, 1, v[i], v[i + 1], points, 0, False, base_routes)
            menu = found.menu(v)
            if found.steal_spaces:
                spaces = found.steal_spaces & loaded_opponents(v, seat, setup.seats)
                if spaces:
                    menu = with_thefts(menu, spaces, v, seat, setup.seats, pair=True)
            menus.append(menu)
    return tuple(menus)


def stay_menu(canoe: int) -> Menu:
    """Return the menu that only lets a canoe stay at the jetty."""
    return _STAY_MENUS[canoe]


_STAY_MENUS: Final = tuple(Menu((Stay(canoe),), {}) for canoe in (0, 1))


def find_option(menus: tuple[Menu, ...], action: Action) -> Option:
    """Return the option of a legal move."""
    for menu in menus:
        option = menu.options.get(action)
        if option is not None:
            return option
    raise AssertionError("legality is judged before a move is carried out")


def close_canoe(v: Vector, canoe: int) -> None:
    """Note that a canoe has moved or stays: it does not move again this turn [N-4.3]."""
    if v[MUST] & EXACTLY_ONE:
        v[MUST] = v[MAY] = 0
    else:
        v[MUST] &= ~(1 << canoe)
        v[MAY] &= ~(1 << canoe)


def carry_out(v: Vector, seat: int, option: Option, events: list[Event]) -> None:
    """Move a canoe as an option says, and tell it."""
    action = option.action
    canoe = action.canoe
    at = SEATS + seat * STRIDE + 2 * canoe
    events.append(
        CanoeMoved(
            seat,
            canoe,
            SPACE_NAMES[v[at]],
            action.to,
            action.unload,
            action.load,
            action.unload_there,
            action.load_there,
            action.steal,
        )
    )
    v[at] = option.end
    v[at + CARGO] = option.cargo
    for index, change in option.deltas:
        v[index] += change
    for index, cargo in option.steals:
        v[index] = cargo
    if option.banked:
        v[SEATS + seat * STRIDE + BANK] += CARGO_PACKED[option.banked]
        events.append(Banked(seat, CARGO_NAMES[option.banked]))
    elif option.end == LOST:
        events.append(CanoeLost(seat, canoe, CARGO_NAMES[option.fallen]))
    close_canoe(v, canoe)


def base_perform_canoe(
    setup: Setup, v: Vector, seat: int, action: Action, menus: tuple[Menu, ...], events: list[Event]
) -> None:
    """Carry out a canoe's move, keeping every base seat's pair sorted [N-2.1]."""
    del setup
    if isinstance(action, Stay):
        events.append(CanoeStayed(seat, action.canoe))
        close_canoe(v, action.canoe)
        return
    option = find_option(menus, action)
    carry_out(v, seat, option, events)
    for index, _ in option.steals:
        sort_canoes(v, SEATS + (index - SEATS) // STRIDE * STRIDE)
    at = SEATS + seat * STRIDE
    before = v[at : at + 4]
    sort_canoes(v, at)
    if v[at : at + 4] != before:  # the pair swapped numbers, so its marks do too
        v[MUST] = _SWAPPED[v[MUST]]
        v[MAY] = _SWAPPED[v[MAY]]


_SWAPPED: Final = (0, 2, 1, 3)


# --- Phase II: the cloud -----------------------------------------------------------------------


def open_cloud(setup: Setup, v: Vector, seat: int, events: list[Event]) -> None:
    """Let the cloud ask for the weather's step."""
    del setup, seat, events
    v[MUST] = 1


def weather_menus(setup: Setup, v: Vector, seat: int) -> tuple[Menu, ...]:
    """Return the steps that stay on the track, down first [N-4.21]."""
    del setup, seat
    return _WEATHER_MENUS[v[WEATHER] - WEATHER_LOW]


_WEATHER_MENUS: Final = tuple(
    (Menu(tuple(Weather(s) for s in (-1, 1) if WEATHER_LOW <= now + s <= WEATHER_HIGH), {}),)
    for now in range(WEATHER_LOW, WEATHER_HIGH + 1)
)


def perform_weather(
    setup: Setup, v: Vector, seat: int, action: Action, menus: tuple[Menu, ...], events: list[Event]
) -> None:
    """Move the weather one step."""
    del setup, menus
    assert isinstance(action, Weather)
    v[WEATHER] += action.step
    v[MUST] = 0
    events.append(WeatherChanged(seat, v[WEATHER]))


# --- Phases III and IV -------------------------------------------------------------------------


def check_winners(setup: Setup, v: Vector, events: list[Event]) -> bool:
    """End the game if a bank holds a winning set after the last turn [N-5.1]."""
    winners = []
    for seat in range(setup.seats):
        at = SEATS + seat * STRIDE
        bank = v[at + BANK]
        if bank and not v[at + RETIRED] and is_won(bank):
            winners.append(seat)
    if winners:
        end_game(v, WON)
        events.append(GameEnded("won", tuple(winners)))
    return True


def river_speed(setup: Setup, v: Vector) -> int:
    """Return how many discs are pushed in: the lowest number card plus the weather [N-6.1]."""
    lowest = HIGHEST_NUMBER + 1
    for at in range(SEATS, SEATS + setup.seats * STRIDE, STRIDE):
        if 0 < v[at + CARD] < lowest:
            lowest = v[at + CARD]
    if lowest > HIGHEST_NUMBER:
        lowest = 0
    return max(0, lowest + v[WEATHER])


def pushes(v: Vector, speed: int) -> list[int]:
    """Return the arms that move in a flow, one a push, and turn the next one on [N-6.3]."""
    first = v[NEXT_ARM]
    v[NEXT_ARM] = first ^ (speed & 1)
    return [first ^ (push & 1) for push in range(speed)]


def drift_canoes(
    setup: Setup,
    v: Vector,
    arms: list[int],
    events: list[Event],
    on_lost: Callable[[Vector, int, int, list[Event]], None] | None = None,
) -> None:
    """Let every canoe on the river ride its disc through the pushes [N-6.2, N-6.4, N-6.5]."""
    pair = setup.ruleset.interchangeable
    for seat in range(setup.seats):
        at = SEATS + seat * STRIDE
        for canoe in (0, 1):
            i = at + 2 * canoe
            origin = v[i]
            if origin >= JETTY:
                continue
            space = origin
            for arm in arms:
                space = PUSH[arm][space]
            if space == origin:
                continue
            v[i] = space
            events.append(CanoeDrifted(seat, canoe, SPACE_NAMES[origin], SPACE_NAMES[space]))
            if space == LOST:
                lose_cargo(v, i, seat, canoe, events)
                if on_lost is not None:
                    on_lost(v, seat, canoe, events)
        if pair:
            sort_canoes(v, at)


def lose_cargo(v: Vector, i: int, seat: int, canoe: int, events: list[Event]) -> None:
    """Return a lost canoe's cargo to the places of its own colours [N-6.5]."""
    cargo = v[i + CARGO]
    v[i + CARGO] = 0
    return_gems(v, CARGO_PACKED[cargo])
    events.append(CanoeLost(seat, canoe, CARGO_NAMES[cargo]))


def return_gems(v: Vector, packed: int) -> None:
    """Put gems back at the places of their colours."""
    for gem in GEMS:
        v[PLACES + gem] += packed & (FIELD << (BITS * gem))


def flow(setup: Setup, v: Vector, events: list[Event]) -> bool:
    """Push the discs in."""
    speed = river_speed(setup, v)
    arms = pushes(v, speed)
    events.append(RiverFlowed(speed, "".join(ARM_NAMES[arm] for arm in arms)))
    if speed:
        drift_canoes(setup, v, arms, events)
    return True


def next_round(setup: Setup, v: Vector, events: list[Event]) -> bool:
    """Put the played cards away, refill empty hands, pass the start marker on [N-3.5, N-6.6]."""
    full = setup.ruleset.full_hand
    for seat in range(setup.seats):
        at = SEATS + seat * STRIDE
        if v[at + RETIRED]:
            continue
        hand = v[at + HAND] & ~(1 << v[at + CARD])
        if not hand:
            hand = full
            events.append(HandRefilled(seat))
        v[at + HAND] = hand
        v[at + CARD] = v[at + SHOWN] = 0
        v[at + BUY] = UNDECIDED
    v[STAGE] = v[ACTOR] = 0
    start = v[START]
    for step in range(1, setup.seats + 1):
        seat = (start + step) % setup.seats
        if not v[SEATS + seat * STRIDE + RETIRED]:
            v[START] = seat
            break
    if v[ROUND] >= setup.max_rounds:
        end_game(v, MAX_ROUNDS)
        events.append(GameEnded("max_rounds", ()))
        return True
    v[ROUND] += 1
    v[PHASE] = SECRET
    events.append(RoundStarted(v[ROUND], v[START]))
    return True


def nothing_rides_along(v: Vector, seat: int) -> None:
    """Do nothing more when a base seat is taken off the board."""
    del v, seat


NUMBER_PLAY: Final = CardPlay(open_number, "canoe")

BASE: Final = Ruleset(
    name="base",
    seat_counts=range(3, 6),
    deck=(1, 2, 3, 4, 5, 6, CLOUD),
    capacities=(1, 1),
    interchangeable=True,
    gems_a_place=lambda seats: 7,
    extras=(0, 0, 0),
    cards=dict.fromkeys(range(1, 7), NUMBER_PLAY) | {CLOUD: CardPlay(open_cloud, "weather")},
    questions={
        "canoe": Question(base_canoe_menus, base_perform_canoe),
        "weather": Question(weather_menus, perform_weather),
    },
    closing=(check_winners, flow, next_round),
    on_removed=nothing_rides_along,
)
