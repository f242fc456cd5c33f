"""How one canoe may move: every distinct effect of spending its points.

Laws kept here:

- A move is: acts at the place beside the first space, a route in one direction, then either acts
  at the place beside the last space, or thefts there [N-4.4…4.20].
- Colours that a canoe loads and colours that it unloads in one turn are disjoint: unloading what
  was loaded breaks [N-4.14], loading what was unloaded breaks [N-4.15]. After unloading at the
  first place it loads at no other [N-4.15]. Everything else about two-gem cargoes [N-8] follows.
- Two moves with the same effect are one option, and the one with the fewest acts stands for both.
- Options come in canonical order: by the end space from the jetty down to lost, then by
  ``unload``, ``load``, ``unload_there``, ``load_there``.

Gems at a place and in a canoe are cargo codes and packed ints, see `components`. Moves
are plain tuples of ints: many are listed for each that is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Final, NamedTuple

from niagara_arena.rules.actions import Theft
from niagara_arena.rules.components import (
    BITS,
    CARGO_CODE,
    CARGO_NAMES,
    CARGOES,
    FIELD,
    GEMS,
    ONE,
)
from niagara_arena.rules.geometry import DOWN, JETTY, LOST, PLACE_BESIDE, SPACE_NAMES, UP
from niagara_arena.rules.memo import Memo

ACT_COST: Final = 2
"""Points for loading or unloading one gem [N-4.4]."""

MEMO_SMALL: Final = 4096


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


class Leg(NamedTuple):
    """A route with what it leaves to be done at its end."""

    end: int
    acts: int
    """How many gems must be loaded or unloaded there, so that all points are spent [N-4.5]."""
    steals: bool
    """Whether the canoe may steal there, room permitting."""


Haul = tuple[tuple[Theft, ...], int, tuple[tuple[int, int], ...]]
"""What is stolen, the thief's cargo code then, and (index into v, cargo code) of the robbed."""

Move = tuple[int, int, int, int, int, int, int, int, Haul | None]
"""Canonical order, end, then cargo codes: unload, load, unload_there, load_there, what the canoe
holds at the end before any theft; then its room for thefts, and what it steals."""


# --- Routes ------------------------------------------------------------------------------------


def base_routes(at: int, points: int, whirlpool: int) -> Iterator[Route]:
    """Yield the routes of the base game from a space [N-4.7…4.10]; there is no whirlpool."""
    if at != JETTY:
        space = at
        for cost in range(1, points + 1):
            space = UP[space]
            yield Route(cost, space, open=space != JETTY, upstream=True)
            if space == JETTY:
                break
    reached: tuple[int, ...] = (at,)
    for cost in range(1, points + 1):
        reached = tuple(below for space in reached for below in DOWN[space])
        for space in reached:
            yield Route(cost, space, open=space != LOST, upstream=False)


def _find_legs(key: tuple[Routes, int, int, int]) -> tuple[Leg, ...]:
    """Return the legs that can spend all of these points."""
    routes, at, points, whirlpool = key
    legs: dict[Leg, None] = {}
    for route in routes(at, points, whirlpool):
        rest = points - route.cost
        if not route.open:
            if rest == 0 or route.end in (JETTY, LOST):  # only there points lapse [N-4.5]
                legs[Leg(route.end, 0, False)] = None
        elif rest == 0:
            legs[Leg(route.end, 0, route.upstream)] = None
        elif rest % ACT_COST == 0 and PLACE_BESIDE[route.end] >= 0:
            legs[Leg(route.end, rest // ACT_COST, False)] = None
    return tuple(legs)


LEGS: Final = Memo(_find_legs, MEMO_SMALL)
"""(routes, space, points, whirlpool) → legs."""


# --- Acts at a place ---------------------------------------------------------------------------

_CARGO_RANK: Final = tuple(sorted(CARGOES).index(gems) for gems in CARGOES)
"""The place of each cargo code in the order of sorted lists of names."""
_COLOURS: Final = tuple(sum(1 << gem for gem in set(gems)) for gems in CARGOES)
"""The bit mask of a cargo's colours, by cargo code."""
SIZES: Final = tuple(len(gems) for gems in CARGOES)
"""How many gems a cargo has, by cargo code."""

Act = tuple[int, int, int, int, int, int]
"""Cargo codes: unloaded, loaded, and what the canoe holds then; the canonical order of the two
first; and their bit masks of colours."""


def without(cargo: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...]:
    """Return a cargo's gems after a part of them is taken out."""
    rest = list(cargo)
    for gem in part:
        rest.remove(gem)
    return tuple(rest)


def _find_acts(key: tuple[int, int, int]) -> tuple[tuple[Act, ...], ...]:
    """Return what can be done beside a place with this supply, by the number of gems handled.

    Unloading comes first: as no colour is both unloaded and loaded, no other order allows more.
    """
    code, capacity, supply = key
    cargo = CARGOES[code]
    lying = [gem for gem in GEMS for _ in range(min(2, supply >> (BITS * gem) & FIELD))]
    acts: list[list[Act]] = [[] for _ in range(2 * capacity + 1)]
    parts = {part for size in range(len(cargo) + 1) for part in combinations(cargo, size)}
    for unload in sorted(parts):
        rest = without(cargo, unload)
        room = capacity - len(rest)
        loads = {some for size in range(room + 1) for some in combinations(lying, size)}
        for load in sorted(loads):
            if set(unload).isdisjoint(load):
                gone, come = CARGO_CODE[unload], CARGO_CODE[load]
                held = CARGO_CODE[tuple(sorted(rest + load))]
                order = _CARGO_RANK[gone] << 5 | _CARGO_RANK[come]
                act = (gone, come, held, order, _COLOURS[gone], _COLOURS[come])
                acts[len(unload) + len(load)].append(act)
    return tuple(tuple(some) for some in acts)


ACTS: Final = Memo(_find_acts, MEMO_SMALL)
"""(cargo code, capacity, supply) → acts by number."""


def capped(most: int) -> Memo[int, int]:
    """Return a memo that caps each colour's count in a supply, since more can't be loaded."""

    def cap(packed: int) -> int:
        return sum(ONE[gem] * min(most, packed >> (BITS * gem) & FIELD) for gem in GEMS)

    return Memo(cap, MEMO_SMALL)


# --- Whole moves -------------------------------------------------------------------------------

_RANK: Final = tuple(space % JETTY << 20 if space < LOST else LOST << 20 for space in range(12))
"""The canonical order of end spaces: from the jetty down to lost."""


def unrank(order: int) -> tuple[str, Gems, Gems, Gems, Gems]:
    """Return the names that a canonical order number stands for: end, unload, load, …"""
    unload, load, unload_there, load_there = [
        _NAMES_SORTED[order >> shift & 31] for shift in (15, 10, 5, 0)
    ]
    return SPACE_NAMES[order >> 20 or JETTY], unload, load, unload_there, load_there


Gems = tuple[str, ...]
_NAMES_SORTED: Final = tuple(sorted(CARGO_NAMES))
_LEAST: Final = tuple(
    tuple(CARGO_CODE[tuple(g for g in gems if g != gem)] for gem in GEMS) for gems in CARGOES
)
"""``_LEAST[code][gem]``: a cargo without its gems of one colour."""


Way = tuple[int, int, int, bool]
"""How many gems are handled before the first space, the end space, how many are handled there,
and whether the canoe may steal there, room permitting."""


def find_ways(
    routes: Routes, capacity: int, at: int, amounts: tuple[int, ...], whirlpool: int, held: int
) -> tuple[Way, ...]:
    """Return how a canoe with so many gems aboard can spend all of any one of these amounts."""
    most = held + capacity  # what it loads it does not unload
    ways: set[Way] = set()
    for amount in amounts:
        for count in range(min(most, amount // ACT_COST) + 1 if PLACE_BESIDE[at] >= 0 else 1):
            left = amount - ACT_COST * count
            if left == 0:  # all spent in place [N-4.6]
                ways.add((count, at, 0, False))
                continue
            for leg in LEGS[routes, at, left, whirlpool]:
                if count + leg.acts <= most:
                    ways.add((count, leg.end, leg.acts, leg.steals))
    return tuple(sorted(ways))


def find_moves(
    capacity: int, at: int, cargo: int, ways: tuple[Way, ...], supply: dict[int, int]
) -> tuple[Move, ...]:
    """Return every distinct move that goes one of these ways, in canonical order.

    ``supply`` tells by place what lies there, as far as it can matter. Thefts are left aside.
    """
    place = PLACE_BESIDE[at]
    first = ACTS[cargo, capacity, supply.get(place, 0)] if place >= 0 else NOTHING[cargo]
    found: dict[int, Move] = {}
    for count, end, acts, steals in ways:
        if acts:
            _act(first[count], end, capacity, acts, supply.get(PLACE_BESIDE[end], 0), found)
        elif end == LOST:
            _fall(first[count], place, found)
        else:
            _stop(first[count], end, capacity, steals, found)
    return tuple(sorted(found.values()))


NOTHING: Final = tuple(((((0, 0, cargo, 0, 0, 0),),)) for cargo in range(len(CARGOES)))
"""The acts where there is no place, by cargo code."""


def _stop(
    starts: tuple[Act, ...], end: int, capacity: int, steals: bool, found: dict[int, Move]
) -> None:
    """Add the moves that begin with any of these acts and end here without more."""
    rank = _RANK[end]
    for unload, load, held, order, _, _ in starts:
        key = rank | order << 10
        room = capacity - SIZES[held] if steals else 0
        known = found.get(key)
        if known is None or room > known[7]:  # dragged there or come freely: that allows more
            found[key] = (key, end, unload, load, 0, 0, held, room, None)


def _fall(starts: tuple[Act, ...], place: int, found: dict[int, Move]) -> None:
    """Add the moves over the falls.

    There all cargo goes back to the places of its colours [N-6.5], so a gem that was loaded from
    its own place, or unloaded at it, makes no difference; the fewest acts come first.
    """
    rank = _RANK[LOST]
    for unload, load, held, order, _, _ in starts:
        key = rank | order << 10
        if place >= 0:
            gone, come = _LEAST[unload][place], _LEAST[load][place]
            key = rank | (_CARGO_RANK[gone] << 5 | _CARGO_RANK[come]) << 10
        if key not in found:
            found[key] = (rank | order << 10, LOST, unload, load, 0, 0, held, 0, None)


def _act(
    starts: tuple[Act, ...],
    end: int,
    capacity: int,
    count: int,
    lying: int,
    found: dict[int, Move],
) -> None:
    """Add the moves that begin with any of these acts and end with as many as asked."""
    rank = _RANK[end]
    for unload, load, held, order, gone, come in starts:
        acts = ACTS[held, capacity, lying]
        if count >= len(acts):
            return
        start = rank | order << 10
        for unload_there, load_there, final, order_there, gone_there, come_there in acts[count]:
            if gone and come_there:  # it loads at no other place [N-4.15]
                continue
            if (gone | gone_there) & (come | come_there):  # [N-4.14, N-4.15]
                continue
            key = start | order_there
            found[key] = (key, end, unload, load, unload_there, load_there, final, 0, None)
