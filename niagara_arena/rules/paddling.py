"""Menus: what a seat may answer, worked out once for each situation that differs.

Theory of operation. What a canoe can do depends on little: its kind, space, cargo, points, the
whirlpool if it is in reach, which colours lie at the places where it can act, and the loaded
opponents on the spaces that it can reach upstream. A `Reach` knows which of these matter; menus
are remembered by it and the supplies, menus with thefts by the victims. All memos hold pure
functions' results and are bounded (`memo`).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

from niagara_arena.rules.actions import Paddle, Theft
from niagara_arena.rules.components import CARGO_CODE, CARGOES, GEM_NAMES
from niagara_arena.rules.geometry import DOWN, JETTY, PLACE_BESIDE, UP
from niagara_arena.rules.memo import Memo
from niagara_arena.rules.moves import (
    SIZES,
    Haul,
    Move,
    Routes,
    Way,
    capped,
    find_moves,
    find_ways,
    unrank,
    without,
)
from niagara_arena.rules.state import PLACES, SEATS, STRIDE, WHIRLPOOL

MEMO_REACHES: Final = 4096
MEMO_MENUS: Final = (0, 16384, 4096)
"""By capacity: the menus of a single canoe are short, so more of them are kept."""
MEMO_PADDLES: Final = 8192
MEMO_ROBBED: Final = 4096
MEMO_HAULS: Final = 4096


_FEW: Final = 24
"""So many actions are looked through faster than they are indexed."""


class Menu:
    """Actions in canonical order."""

    __slots__ = ("_by_value", "actions", "ids", "moves", "text")

    def __init__(
        self, actions: tuple[Any, ...], moves: tuple[Move | None, ...] | None = None
    ) -> None:
        self.actions = actions
        self.moves = (None,) * len(actions) if moves is None else moves
        """What each action does, for the moves of canoes."""
        self.ids: dict[int, int] = {}
        """Memo: identity of an action → its index, where there are many."""
        self.text: str | None = None
        """Memo: the entries of the legal actions in JSON, joined by commas."""
        self._by_value: dict[Any, int] | None = None

    def find(self, action: object) -> int:
        """Return the index of an action that came from here, -1 if it did not.

        Most actions that are played came from here, and need no look at their fields.
        """
        actions = self.actions
        if len(actions) <= _FEW:
            for index, known in enumerate(actions):
                if known is action:
                    return index
            return -1
        if not self.ids:  # the menu keeps its actions alive: no other thing can have their ids
            self.ids = {id(known): index for index, known in enumerate(actions)}
        return self.ids.get(id(action), -1)

    def find_equal(self, action: object) -> int:
        """Return the index of the action that equals this one, -1 if none does."""
        if self._by_value is None:
            self._by_value = {(type(known), known): i for i, known in enumerate(self.actions)}
        try:
            index = self._by_value.get((type(action), action), -1)
        except Exception:  # whatever the parts of a hand-made action do when hashed or compared
            return -1
        return index if index >= 0 and same_types(self.actions[index], action) else -1


def same_types(known: object, given: object) -> bool:
    """Say whether equal things are made of the same types: True is not 1, nor is 1.0."""
    if type(known) is not type(given):
        return False
    if isinstance(known, tuple) and isinstance(given, tuple):
        return all(map(same_types, known, given))
    return True


def _paddles(canoe: int, takes: bool) -> Memo[int, Paddle]:
    """Return a memo of a canoe's moves by canonical order, which is all that they are."""

    def make(order: int) -> Paddle:
        end, unload, load, unload_there, load_there = unrank(order)
        return Paddle(canoe, end, unload, load, unload_there, load_there, (), takes)

    return Memo(make, MEMO_PADDLES)


_PADDLES: Final = tuple(_paddles(canoe, takes) for canoe in (0, 1) for takes in (False, True))


def unranked(which: int, order: int) -> Paddle:
    """Return a move by its canonical order; ``which`` is twice the canoe, plus 1 with the moose."""
    return _PADDLES[which][order]


def _with_theft(action: Paddle, steal: tuple[Theft, ...]) -> Paddle:
    """Return ``action._replace(steal=steal)``, quickly."""
    return tuple.__new__(Paddle, (*action[:6], steal, action[7]))


class CanoeMenu(Menu):
    """The moves of one canoe."""

    __slots__ = ("at", "canoe", "takes")
    moves: tuple[Move, ...]

    def __init__(self, canoe: int, at: int, takes: bool, moves: tuple[Move, ...]) -> None:
        self.canoe = canoe
        self.at = at
        self.takes = takes
        paddles = _PADDLES[2 * canoe + takes]
        actions = [
            paddles[move[0]] if move[8] is None else _with_theft(paddles[move[0]], move[8][0])
            for move in moves
        ]
        super().__init__(tuple(actions), moves)

    @property
    def idle(self) -> int:
        """The index of the move that changes nothing at all, -1 if there is none."""
        for index, move in enumerate(self.moves):
            if move[1] == self.at and not any(move[2:6]) and not self.takes:
                return index
        return -1

    def without_idle(self) -> CanoeMenu:
        """Return the menu without the move that changes nothing."""
        idle = self.idle
        moves = self.moves[:idle] + self.moves[idle + 1 :]
        return CanoeMenu(self.canoe, self.at, self.takes, moves)


# --- One canoe ---------------------------------------------------------------------------------

_CAPPED: Final = (capped(0), capped(1), capped(2))
"""By capacity: a canoe can load no more gems of a colour at one place."""


class Reach:
    """What else than its cargo's colours a canoe's moves depend on."""

    __slots__ = ("at", "places", "spaces", "ways")

    def __init__(self, at: int, capacity: int, held: int, ways: tuple[Way, ...]) -> None:
        self.at = at
        self.ways = ways
        self.spaces = sum({1 << end for _, end, _, steals in ways if steals})
        """Bit mask of the spaces on which it may steal, room permitting."""
        needed = 1 if held < capacity else 2  # a full canoe unloads before it loads
        places = {PLACE_BESIDE[at] for count, _, _, _ in ways if count >= needed}
        places |= {PLACE_BESIDE[end] for _, end, acts, _ in ways if acts >= needed}
        self.places = tuple(PLACES + place for place in sorted(places))
        """Indices into v of the places whose supply matters."""


def _touched(at: int, points: int) -> int:
    """Return the bit mask of the spaces that a canoe with these points can touch."""
    mask = 0
    above, below = at, {at}
    for _ in range(points):
        above = UP[above] if above not in (0, JETTY) else 0
        below = {space for each in below for space in DOWN[each]}
        mask |= 1 << above
        for space in below:
            mask |= 1 << space
    return mask & ~1


AMOUNTS: Final = (*[(points,) for points in range(10)], (1, 2, 3), (3, 4, 5))
"""The amounts of points among which a canoe may choose, numbered: up to a 7 and the moose; then
what 123 gives, without the moose and with it [N-10.2, N-11.3]."""
_TOUCHED: Final = tuple(
    tuple(_touched(at, points[-1]) for points in AMOUNTS) for at in range(JETTY + 1)
)


class Paddler:
    """One kind of canoe: its number, its capacity, and the routes that its game knows."""

    def __init__(
        self, canoe: int, capacity: int, routes: Routes, twin: Paddler | None = None
    ) -> None:
        self.canoe = canoe
        self.capacity = capacity
        self.routes = routes
        self.pair = False
        """Whether a seat's two canoes can't be told apart: robbing either of equal ones is one."""
        if twin is not None:
            self.pair = twin.pair = True
        self._capped = _CAPPED[capacity]
        self._reaches = Memo(self._make_reach, MEMO_REACHES)
        self._menus = Memo(self._make_menu, MEMO_MENUS[capacity])
        self._moves: Memo[tuple[int, ...], tuple[Move, ...]] = (
            Memo(self._find_moves, MEMO_MENUS[capacity]) if twin is None else twin._moves
        )

    def _make_reach(self, number: int) -> Reach:
        points, whirlpool, at, held = number >> 10, number >> 6 & 15, number >> 2 & 15, number & 3
        ways = find_ways(self.routes, self.capacity, at, AMOUNTS[points], whirlpool, held)
        return Reach(at, self.capacity, held, ways)

    def _find_moves(self, key: tuple[int, ...]) -> tuple[Move, ...]:
        reach = self._reaches[key[0]]
        supply = {place - PLACES: gems for place, gems in zip(reach.places, key[2:], strict=True)}
        return find_moves(self.capacity, reach.at, key[1] >> 1, reach.ways, supply)

    def _make_menu(self, key: tuple[int, ...]) -> CanoeMenu:
        return CanoeMenu(self.canoe, key[0] >> 2 & 15, key[1] & 1 == 1, self._moves[key])

    def menu(
        self, v: list[int], i: int, points: int, takes: bool, rivals: tuple[int, ...]
    ) -> CanoeMenu:
        """Return what the canoe whose space is at index ``i`` can do now, thefts included.

        ``points`` is an index into AMOUNTS, ``rivals`` are those of the opponents' cargoes into v.
        """
        at = v[i]
        cargo = v[i + 1]
        whirlpool = v[WHIRLPOOL]
        if whirlpool and not _TOUCHED[at][points] >> whirlpool & 1:
            whirlpool = 0  # out of reach
        number = points << 10 | whirlpool << 6 | at << 2 | SIZES[cargo]
        reach = self._reaches[number]
        cap = self._capped
        loaded = cargo << 1 | takes
        places = reach.places
        if len(places) == 1:  # the usual lengths, without a loop
            menu = self._menus[number, loaded, cap[v[places[0]]]]
        elif len(places) == 2:
            menu = self._menus[number, loaded, cap[v[places[0]]], cap[v[places[1]]]]
        else:
            menu = self._menus[(number, loaded, *[cap[v[place]] for place in places])]
        spaces = reach.spaces
        if spaces:
            victims = [i for i in rivals if v[i] and spaces >> v[i - 1] & 1]
            if victims:
                return _ROBBED[menu, _loot(v, victims, self.pair)]
        return menu


# --- Thefts ------------------------------------------------------------------------------------


def _loot(v: list[int], victims: list[int], pair: bool) -> tuple[int, ...]:
    """Return flat triples of the victims: space, index into v of the cargo, cargo code."""
    flat: list[int] = []
    for i in victims:
        if pair and (i - SEATS) % STRIDE == 3 and v[i - 2] == v[i] and v[i - 3] == v[i - 1]:
            continue  # the like of the canoe before it
        flat += (v[i - 1], i, v[i])
    return tuple(flat)


def _make_robbed(key: tuple[CanoeMenu, tuple[int, ...]]) -> CanoeMenu:
    """Return a menu with the thefts after each move that ends beside victims."""
    menu, flat = key
    by_space: dict[int, tuple[int, ...]] = {}
    for space, index, code in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
        by_space[space] = (*by_space.get(space, ()), index, code)
    moves: list[Move] = []
    for move in menu.moves:
        moves.append(move)
        room = move[7]
        if room and move[1] in by_space:
            plain = move[:8]
            moves += [(*plain, haul) for haul in _HAULS[move[6], room, by_space[move[1]]]]
    return CanoeMenu(menu.canoe, menu.at, menu.takes, tuple(moves))


_ROBBED: Final = Memo(_make_robbed, MEMO_ROBBED)


def _find_hauls(key: tuple[int, int, tuple[int, ...]]) -> tuple[Haul, ...]:
    """Return the ways to rob these victims at the end of a move [N-4.17, N-8.3]."""
    cargo, room, flat = key
    victims = dict(zip(flat[::2], flat[1::2], strict=True))
    loot = [(index, gem) for index, code in victims.items() for gem in CARGOES[code]]
    hauls = {haul for size in range(1, room + 1) for haul in combinations(loot, size)}
    return tuple(sorted(_haul(cargo, haul, victims) for haul in hauls))


_HAULS: Final = Memo(_find_hauls, MEMO_HAULS)
"""(cargo code, room, victims) → hauls; victims are flat pairs: index into v, cargo code."""


def _haul(cargo: int, haul: tuple[tuple[int, int], ...], victims: dict[int, int]) -> Haul:
    thefts = []
    after: dict[int, tuple[int, ...]] = {}
    held = CARGOES[cargo]
    for index, gem in haul:
        seat, place = divmod(index - SEATS, STRIDE)
        thefts.append(Theft(seat, place // 2, GEM_NAMES[gem]))
        after[index] = without(after.get(index, CARGOES[victims[index]]), (gem,))
        held += (gem,)
    robbed = tuple((index, CARGO_CODE[rest]) for index, rest in sorted(after.items()))
    return tuple(sorted(thefts)), CARGO_CODE[tuple(sorted(held))], robbed
