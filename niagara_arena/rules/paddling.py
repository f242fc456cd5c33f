"""How one canoe may move: every distinct effect of spending its points.

Laws kept here:

- A move is: acts at the place beside the first space, a route in one direction, then either acts
  at the place beside the last space, or thefts there [N-4.4…4.20].
- Colours that a canoe loads and colours that it unloads in one turn are disjoint: unloading what
  was loaded breaks [N-4.14], loading what was unloaded breaks [N-4.15]. After unloading at the
  first place it loads at no other [N-4.15]. Everything else about two-gem cargoes [N-8] follows.
- Two moves with the same effect are one option, and the one with the fewest acts stands for both.
- Options come in canonical order: by the end space from the jetty down to lost, then by
  ``unload``, ``load``, ``unload_there``, ``load_there``, then by what is stolen.

Theory of operation. What a canoe can do depends on little: its kind, space, cargo, points, the
whirlpool, which colours lie at the places it can act at, and the loaded opponents on the spaces
it can reach upstream. So the list of options for the first five is worked out once (`template`),
thinned once for each kind of supply met (`Template.menu`), and thefts are added on the spot.
The memos hold pure functions' results, are bounded, and are dropped whole when full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any, Final, NamedTuple

from niagara_arena.rules.actions import Paddle, Theft
from niagara_arena.rules.components import (
    BITS,
    CARGO_CODE,
    CARGOES,
    FIELD,
    GEM_NAMES,
    GEMS,
    ONE,
)
from niagara_arena.rules.geometry import DOWN as DOWN_FROM
from niagara_arena.rules.geometry import JETTY, LOST, PLACE_BESIDE, SPACE_NAMES, UP
from niagara_arena.rules.state import PLACES, SEATS, STRIDE

ACT_COST: Final = 2
"""Points for loading or unloading one gem [N-4.4]."""

MEMO_TEMPLATES: Final = 4096
MEMO_MENUS: Final = 64
MEMO_THEFTS: Final = 64


class Route(NamedTuple):
    """One way to spend points on spaces."""

    cost: int
    end: int
    open: bool
    """Whether the canoe rests on ``end`` of its own accord: it may act or steal there."""
    upstream: bool
    """Whether it moved up at least one space."""


Routes = Callable[[int, int, int], Iterable[Route]]
"""(space, points, whirlpool) → the routes of at least one space that cost at most the points."""

_RANK: Final = {JETTY: 0} | {space: space for space in range(1, JETTY)} | {LOST: LOST}


class Option:
    """One effect of moving a canoe, ready to be carried out."""

    __slots__ = (
        "action",
        "banked",
        "cargo",
        "deltas",
        "end",
        "fallen",
        "needs",
        "room",
        "steals",
        "takes",
        "thefts",
    )

    def __init__(self, action: Paddle, end: int, cargo: int, room: int) -> None:
        self.action = action
        self.end = end
        self.cargo = cargo
        """Cargo code at the end, after thefts; 0 once landed or lost."""
        self.room = room
        """How many gems it may steal on its end space; 0 where theft is out of the question."""
        self.needs: tuple[tuple[int, int], ...] = ()
        """(place, packed gems) that must lie there to be loaded."""
        self.deltas: tuple[tuple[int, int], ...] = ()
        """(index into v, packed change) for every place whose supply changes."""
        self.banked = 0
        """Cargo code that lands in the bank."""
        self.fallen = 0
        """Cargo code that goes over the falls."""
        self.steals: tuple[tuple[int, int], ...] = ()
        """(index into v of an opponent's cargo, its new cargo code)."""
        self.thefts: dict[tuple[int, ...], tuple[Option, ...]] = {}
        """Memo: victims on the end space → the options that rob them."""
        self.takes = action.take_moose


class Menu(NamedTuple):
    """Actions in canonical order, with what each does."""

    actions: tuple[Any, ...]
    options: dict[Any, Option]


class Template:
    """All that a canoe could do if every gem lay everywhere, and the menus cut from it."""

    __slots__ = ("_menus", "options", "places", "steal_spaces")

    def __init__(self, options: list[Option]) -> None:
        self.options = options
        self.places = tuple(sorted({place for o in options for place, _ in o.needs}))
        """Places whose supply matters."""
        self.steal_spaces = 0
        """Bit mask of the end spaces on which it has room to steal."""
        for option in options:
            if option.room:
                self.steal_spaces |= 1 << option.end
        self._menus: dict[tuple[int, ...], Menu] = {}

    def menu(self, v: list[int]) -> Menu:
        """Return the moves that the gems lying at the places allow, thefts left aside."""
        key = tuple([_supply(v[PLACES + place]) for place in self.places])
        menu = self._menus.get(key)
        if menu is None:
            if len(self._menus) >= MEMO_MENUS:
                self._menus.clear()
            supply = dict(zip(self.places, key, strict=True))
            menu = _menu(o for o in self.options if _supplied(o, supply))
            self._menus[key] = menu
        return menu


_SUPPLY: Final[dict[int, int]] = {}


def _supply(packed: int) -> int:
    """Return a supply with each count capped at two, all that any canoe can load at a place."""
    capped = _SUPPLY.get(packed)
    if capped is None:
        if len(_SUPPLY) >= MEMO_TEMPLATES:
            _SUPPLY.clear()
        capped = sum(ONE[gem] * min(2, (packed >> (BITS * gem)) & FIELD) for gem in GEMS)
        _SUPPLY[packed] = capped
    return capped


def _supplied(option: Option, supply: dict[int, int]) -> bool:
    """Say whether the gems that an option loads lie there [N-4.12]."""
    return all(
        (supply[place] >> (BITS * gem)) & FIELD >= (gems >> (BITS * gem)) & FIELD
        for place, gems in option.needs
        for gem in GEMS
    )


def _menu(options: Iterable[Option]) -> Menu:
    table = {option.action: option for option in options}
    return Menu(tuple(table), table)


def base_routes(at: int, points: int, whirlpool: int) -> Iterator[Route]:
    """Yield the routes of the base game from a space [N-4.7…4.10]; there is no whirlpool."""
    del whirlpool
    if at != JETTY:
        space = at
        for cost in range(1, points + 1):
            space = UP[space]
            yield Route(cost, space, open=space != JETTY, upstream=True)
            if space == JETTY:
                break
    reached: tuple[int, ...] = (at,)
    for cost in range(1, points + 1):
        reached = tuple(below for space in reached for below in DOWN_FROM[space])
        for space in reached:
            yield Route(cost, space, open=space != LOST, upstream=False)


def _parts(cargo: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return every multiset of gems that can be taken out of a cargo, the empty one first."""
    return sorted({part for size in range(len(cargo) + 1) for part in combinations(cargo, size)})


def _without(cargo: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...]:
    rest = list(cargo)
    for gem in part:
        rest.remove(gem)
    return tuple(rest)


def _acts(
    cargo: tuple[int, ...], capacity: int, place: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """Yield (unloaded, loaded, cargo after) for all that can be done beside one place.

    Unloading comes first: as no colour is both unloaded and loaded, no other order allows more.
    """
    yield (), (), cargo
    if place < 0:
        return
    for unload in _parts(cargo):
        rest = _without(cargo, unload)
        for load in CARGOES:
            if len(rest) + len(load) > capacity or not (unload or load):
                continue
            if set(unload).isdisjoint(load):
                yield unload, load, tuple(sorted(rest + load))


def _moves(
    capacity: int, at: int, cargo: int, points: int, whirlpool: int, routes: Routes
) -> Iterator[tuple[tuple[tuple[int, ...], ...], Route, tuple[int, ...]]]:
    """Yield ((unload, load, unload_there, load_there), route, cargo at the end)."""
    for unload, load, held in _acts(CARGOES[cargo], capacity, PLACE_BESIDE[at]):
        left = points - ACT_COST * (len(unload) + len(load))
        if left < 0:
            continue
        if left == 0:  # all spent in place [N-4.6]
            yield (unload, load, (), ()), Route(0, at, open=False, upstream=False), held
            continue
        for route in routes(at, left, whirlpool):
            rest = left - route.cost
            if not route.open:
                if rest == 0 or route.end in (JETTY, LOST):  # only there points lapse [N-4.5]
                    yield (unload, load, (), ()), route, held
                continue
            for unload_there, load_there, final in _acts(held, capacity, PLACE_BESIDE[route.end]):
                if ACT_COST * (len(unload_there) + len(load_there)) != rest:
                    continue
                if unload and load_there:  # loads at no other place [N-4.15]
                    continue
                if not set(unload + unload_there).isdisjoint(load + load_there):
                    continue
                yield (unload, load, unload_there, load_there), route, final


def _names(gems: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(GEM_NAMES[gem] for gem in gems)


def _option(
    canoe: int,
    takes: bool,
    capacity: int,
    at: int,
    move: tuple[tuple[tuple[int, ...], ...], Route, tuple[int, ...]],
) -> Option:
    """Return the option of one move; see `_moves` for the shape of ``move``."""
    (unload, load, unload_there, load_there), route, cargo = move
    names = (_names(unload), _names(load), _names(unload_there), _names(load_there))
    action = Paddle(canoe, SPACE_NAMES[route.end], *names, (), takes)
    steals = route.open and route.upstream and not unload_there and not load_there
    rests = route.end not in (JETTY, LOST)
    option = Option(
        action,
        route.end,
        CARGO_CODE[cargo] if rests else 0,
        capacity - len(cargo) if steals else 0,
    )
    changes: dict[int, int] = {}
    needs: dict[int, int] = {}
    for place, gone, come in (
        (PLACE_BESIDE[at], load, unload),
        (PLACE_BESIDE[route.end], load_there, unload_there),
    ):
        if gone:
            needs[place] = sum(ONE[gem] for gem in gone)
        if gone or come:
            changes[place] = sum(ONE[gem] for gem in come) - sum(ONE[gem] for gem in gone)
    if route.end == JETTY:
        option.banked = CARGO_CODE[cargo]
    elif route.end == LOST:
        option.fallen = CARGO_CODE[cargo]
        for gem in cargo:  # back to the place of its own colour [N-6.5]
            changes[gem] = changes.get(gem, 0) + ONE[gem]
    option.needs = tuple(sorted(needs.items()))
    option.deltas = tuple((PLACES + place, c) for place, c in sorted(changes.items()) if c)
    return option


_TEMPLATES: Final[dict[tuple[object, ...], Template]] = {}


def template(
    canoe: int,
    capacity: int,
    at: int,
    cargo: int,
    points: tuple[int, ...],
    whirlpool: int,
    takes_moose: bool,
    routes: Routes,
) -> Template:
    """Return what a canoe could do with any one of these amounts of points."""
    key = (canoe, capacity, at, cargo, points, whirlpool, takes_moose, routes)
    found = _TEMPLATES.get(key)
    if found is None:
        if len(_TEMPLATES) >= MEMO_TEMPLATES:
            _TEMPLATES.clear()
        options = [
            _option(canoe, takes_moose, capacity, at, move)
            for amount in points
            for move in _moves(capacity, at, cargo, amount, whirlpool, routes)
        ]
        found = Template(_distinct(options))
        _TEMPLATES[key] = found
    return found


def _distinct(options: list[Option]) -> list[Option]:
    """Return one option for each effect, in canonical order."""
    effects: dict[tuple[object, ...], Option] = {}
    for option in sorted(options, key=_acts_of):
        effect = (option.end, option.cargo, option.banked, option.deltas)
        known = effects.setdefault(effect, option)
        known.room = max(known.room, option.room)
    return sorted(effects.values(), key=_canonical)


def _acts_of(option: Option) -> int:
    a = option.action
    return len(a.unload) + len(a.load) + len(a.unload_there) + len(a.load_there)


def _canonical(option: Option) -> tuple[object, ...]:
    return (_RANK[option.end], *option.action[2:6])


def loaded_opponents(v: list[int], seat: int, seats: int) -> int:
    """Return the bit mask of spaces on which an opponent's canoe can be robbed."""
    mask = 0
    own = SEATS + seat * STRIDE
    for at in range(SEATS, SEATS + seats * STRIDE, STRIDE):
        if at != own:
            if v[at + 1]:
                mask |= 1 << v[at]
            if v[at + 3]:
                mask |= 1 << v[at + 2]
    return mask


def with_thefts(menu: Menu, spaces: int, v: list[int], seat: int, seats: int, pair: bool) -> Menu:
    """Return a menu with a robbing option after each option that ends beside loaded opponents.

    ``spaces`` masks the spaces where there is something to steal; ``pair`` says that a seat's
    two canoes can't be told apart, so robbing either of two equal ones is the same.
    """
    options: list[Option] = []
    for option in menu.options.values():
        options.append(option)
        if option.room and spaces >> option.end & 1:
            options.extend(_thefts(option, _victims(v, option.end, seat, seats, pair)))
    return _menu(options)


def _victims(v: list[int], space: int, seat: int, seats: int, pair: bool) -> tuple[int, ...]:
    """Return (index into v of the cargo, cargo code) pairs, flat, of the robbable canoes."""
    found: list[int] = []
    for other in range(seats):
        if other == seat:
            continue
        at = SEATS + other * STRIDE
        first = v[at] == space and v[at + 1] != 0
        if first:
            found += (at + 1, v[at + 1])
        if v[at + 2] == space and v[at + 3] and not (pair and first and v[at + 1] == v[at + 3]):
            found += (at + 3, v[at + 3])
    return tuple(found)


def _thefts(option: Option, victims: tuple[int, ...]) -> tuple[Option, ...]:
    """Return the ways to rob these victims at the end of a move [N-4.17, N-8.3]."""
    known = option.thefts.get(victims)
    if known is None:
        if len(option.thefts) >= MEMO_THEFTS:
            option.thefts.clear()
        loot = [
            (index, gem)
            for index, code in zip(victims[::2], victims[1::2], strict=True)
            for gem in CARGOES[code]
        ]
        hauls = {haul for size in range(1, option.room + 1) for haul in combinations(loot, size)}
        robbing = [
            _robbing(option, haul, dict(zip(victims[::2], victims[1::2], strict=True)))
            for haul in hauls
        ]
        known = tuple(sorted(robbing, key=lambda o: o.action.steal))
        option.thefts[victims] = known
    return known


def _robbing(option: Option, haul: tuple[tuple[int, int], ...], cargoes: dict[int, int]) -> Option:
    """Return the option that ends as another does and then takes these gems."""
    thefts = []
    after: dict[int, tuple[int, ...]] = {}
    cargo = CARGOES[option.cargo]
    for index, gem in haul:
        seat, place = divmod(index - SEATS, STRIDE)
        thefts.append(Theft(seat, place // 2, GEM_NAMES[gem]))
        after[index] = _without(after.get(index, CARGOES[cargoes[index]]), (gem,))
        cargo += (gem,)
    action = option.action._replace(steal=tuple(sorted(thefts)))
    robbing = Option(action, option.end, CARGO_CODE[tuple(sorted(cargo))], 0)
    robbing.needs = option.needs
    robbing.deltas = option.deltas
    robbing.steals = tuple((index, CARGO_CODE[rest]) for index, rest in sorted(after.items()))
    return robbing
