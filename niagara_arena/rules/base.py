"""The base game as a ruleset: its cards, its questions, and what closes a round.

The functions here take the set-up, the numbers ``v`` of a state in the making, and a list that
collects events; they change only those two. Spirits builds on them (`rules/spirits/`); nothing
here knows that it exists.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Final

from niagara_arena.rules.actions import Action, BuyBack, Paddle, PlayCard, Stay, Weather
from niagara_arena.rules.components import (
    CARD_BY_NAME,
    CARD_NAMES,
    CARGO_NAMES,
    CARGO_PACKED,
    CLOUD,
    GEM_NAMES,
    GEMS,
    WEATHER_HIGH,
    WEATHER_LOW,
    cards_of,
    count,
)
from niagara_arena.rules.events import Banked, CanoeMoved, CanoeStayed, Event, WeatherChanged
from niagara_arena.rules.geometry import JETTY, LOST, PLACE_BESIDE, SPACE_NAMES
from niagara_arena.rules.memo import Memo
from niagara_arena.rules.moves import Move, base_routes
from niagara_arena.rules.paddling import Menu, Paddler
from niagara_arena.rules.river import check_winners, flow, lose_cargo, next_round
from niagara_arena.rules.state import (
    BANK,
    CARD,
    CARGO,
    EXACTLY_ONE,
    MAY,
    MUST,
    PLACES,
    SEATS,
    STRIDE,
    WEATHER,
    CardPlay,
    Question,
    Ruleset,
    Setup,
    Vector,
    sort_canoes,
)

# --- Phase I: what may be bought back, which cards may be played -------------------------------


def _make_buy_menu(key: tuple[bool, bool, int, bool]) -> Menu:
    first, second, bank, interchangeable = key
    lost = [canoe for canoe, gone in enumerate((first, second)) if gone]
    if not lost:
        return Menu((BuyBack((), ()),))
    either = lost[:1] if interchangeable else lost
    stranded = len(lost) == 2
    if stranded and not bank:
        return Menu(tuple(BuyBack((canoe,), ()) for canoe in either))
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
    return Menu(tuple(sorted(menu)))


_BUY_MENUS: Final = Memo(_make_buy_menu, 2048)


def buy_menu(setup: Setup, v: Vector, seat: int) -> Menu:
    """Return a seat's buy-backs: nothing first, then by canoes, then by gems [N-3.2…3.4]."""
    at = SEATS + seat * STRIDE
    return _BUY_MENUS[v[at] == LOST, v[at + 2] == LOST, v[at + BANK], setup.ruleset.interchangeable]


PLAYS: Final = tuple(PlayCard(name) for name in CARD_NAMES)
"""The choice of each card."""

CARD_BY_ID: Final = {id(play): card for card, play in enumerate(PLAYS)}
"""Cards by the identity of their choice, which lives as long as this module."""


def card_of(action: object) -> int:
    """Return the card that an action chooses, 0 if it chooses none."""
    if type(action) is not PlayCard:
        return 0
    parts: list[object] = list(action)  # one that was made by hand may hold anything, or nothing
    card = parts[0] if parts else None
    return CARD_BY_NAME.get(card, 0) if type(card) is str else 0


CARD_MENUS: Final = tuple(
    (Menu(tuple(PLAYS[card] for card in cards_of(mask))),) for mask in range(1 << len(CARD_NAMES))
)
"""By hand: the menu of its cards, ordered by name as strings [N-3.1]."""


# --- Phase II: number cards --------------------------------------------------------------------


def open_number(setup: Setup, v: Vector, seat: int, events: list[Event]) -> None:
    """Judge at the start of the turn which canoes must and which may move [N-4.1]."""
    at = SEATS + seat * STRIDE
    river = (v[at] < JETTY) | (v[at + 2] < JETTY) << 1
    if river == BOTH:
        v[MUST] = BOTH
        return
    jetty = (v[at] == JETTY) | (v[at + 2] == JETTY) << 1
    if river:
        v[MUST] = river
        v[MAY] = jetty
    elif jetty:
        v[MUST] = (1 if setup.ruleset.interchangeable else jetty) | EXACTLY_ONE


BOTH: Final = 3
_FIRST: Final = Paddler(0, 1, base_routes)
_SECOND: Final = Paddler(1, 1, base_routes, twin=_FIRST)


def base_canoe_menus(setup: Setup, v: Vector, seat: int) -> tuple[Menu, ...]:
    """Return what each canoe that still moves can do with the seat's number card."""
    at = SEATS + seat * STRIDE
    must = v[MUST]
    candidates = must | v[MAY]
    points = v[at + CARD]
    rivals = setup.rivals[seat]
    menus: tuple[Menu, ...] = () if must else (STAY_MENUS[v[MAY] >> 1],)
    if candidates & 1:
        menus += (_FIRST.menu(v, at, points, False, rivals),)
        if candidates & 2 and v[at] == v[at + 2] and v[at + 1] == v[at + 3]:
            return menus  # two equal canoes: moving either is the same [N-2.1]
    if candidates & 2:
        menus += (_SECOND.menu(v, at + 2, points, False, rivals),)
    return menus


STAY_MENUS: Final = tuple(Menu((Stay(canoe),)) for canoe in (0, 1))
"""By canoe: the menu that only lets it stay at the jetty."""
_STAYED: Final = tuple(tuple(CanoeStayed(seat, canoe) for canoe in (0, 1)) for seat in range(6))


def carry_out(v: Vector, seat: int, action: Paddle, move: Move, events: list[Event]) -> None:
    """Move a canoe and tell it; it does not move again this turn [N-4.3]."""
    canoe = action[0]
    at = SEATS + seat * STRIDE
    i = at + 2 * canoe
    origin = v[i]
    _, end, unload, load, unload_there, load_there, held, _, haul = move
    _, to, unloaded, loaded, unloaded_there, loaded_there, stolen, _ = action
    acts = (unloaded, loaded, unloaded_there, loaded_there, stolen)
    events.append(_event(CanoeMoved, (seat, canoe, SPACE_NAMES[origin], to, *acts)))
    if unload or load:
        v[PLACES + PLACE_BESIDE[origin]] += CARGO_PACKED[unload] - CARGO_PACKED[load]
    if unload_there or load_there:
        v[PLACES + PLACE_BESIDE[end]] += CARGO_PACKED[unload_there] - CARGO_PACKED[load_there]
    v[i] = end
    v[i + CARGO] = held
    if end == JETTY:
        v[i + CARGO] = 0
        if held:
            v[at + BANK] += CARGO_PACKED[held]
            events.append(Banked(seat, CARGO_NAMES[held]))
    elif end == LOST:
        lose_cargo(v, i, seat, canoe, events)
    elif haul is not None:
        _, v[i + CARGO], robbed = haul
        for index, cargo in robbed:
            v[index] = cargo
    if v[MUST] & EXACTLY_ONE:
        v[MUST] = v[MAY] = 0
    else:
        v[MUST] &= ~(1 << canoe)
        v[MAY] &= ~(1 << canoe)


_event: Final = tuple.__new__  # what CanoeMoved(…) does, without its detour


def stay(v: Vector, seat: int, action: Action, events: list[Event]) -> None:
    """Leave the one canoe that might still move at the jetty [N-4.1]."""
    assert isinstance(action, Stay)
    v[MAY] = 0
    events.append(_STAYED[seat][action.canoe])


def base_perform_canoe(
    setup: Setup, v: Vector, seat: int, action: Any, move: Move | None, events: list[Event]
) -> None:
    """Carry out a canoe's move, keeping every base seat's pair sorted [N-2.1]."""
    if move is None:
        stay(v, seat, action, events)
        return
    carry_out(v, seat, action, move, events)
    haul = move[8]
    if haul is not None:
        for index, _ in haul[2]:
            sort_canoes(v, SEATS + (index - SEATS) // STRIDE * STRIDE)
    at = SEATS + seat * STRIDE
    if v[at] > v[at + 2] or (v[at] == v[at + 2] and v[at + 1] > v[at + 3]):
        v[at], v[at + 1], v[at + 2], v[at + 3] = v[at + 2], v[at + 3], v[at], v[at + 1]
        v[MUST] = _SWAPPED[v[MUST]]  # the pair swapped numbers, so its marks do too
        v[MAY] = _SWAPPED[v[MAY]]
    mark_second(v, at)


def mark_second(v: Vector, at: int) -> None:
    """Let the second of two equal canoes be the one that still moves, so equal states are equal."""
    if v[at] == v[at + 2] and v[at + 1] == v[at + 3] and v[MUST] | v[MAY] in (1, 2):
        v[MUST] = v[MUST] and 2
        v[MAY] = v[MAY] and 2


_SWAPPED: Final = (0, 2, 1, 3)


# --- Phase II: the cloud -----------------------------------------------------------------------


def open_cloud(setup: Setup, v: Vector, seat: int, events: list[Event]) -> None:
    """Let the cloud ask for the weather's step."""
    v[MUST] = 1


def weather_menus(setup: Setup, v: Vector, seat: int) -> tuple[Menu, ...]:
    """Return the steps that stay on the track, down first [N-4.21]."""
    return _WEATHER_MENUS[v[WEATHER] - WEATHER_LOW]


_WEATHER_MENUS: Final = tuple(
    (Menu(tuple(Weather(s) for s in (-1, 1) if WEATHER_LOW <= now + s <= WEATHER_HIGH)),)
    for now in range(WEATHER_LOW, WEATHER_HIGH + 1)
)


def perform_weather(
    setup: Setup, v: Vector, seat: int, action: Action, move: Move | None, events: list[Event]
) -> None:
    """Move the weather one step."""
    assert isinstance(action, Weather)
    v[WEATHER] += action.step
    v[MUST] = 0
    events.append(WeatherChanged(seat, v[WEATHER]))


def nothing_rides_along(v: Vector, seat: int) -> None:
    """Do nothing more when a base seat is taken off the board."""


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
