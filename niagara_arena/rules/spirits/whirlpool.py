"""The whirlpool: routes through it, and the flow that carries it [N-9].

Moving down it is an ordinary space, except that a canoe whose last space it is goes one further.
Moving up it costs one point more to pass, and a canoe whose points end in it goes one back down.
Both are one *drag*: one space down, the seat picking the arm at 5, over the falls at 7. A route
that ends in a drag is not open: nothing is loaded, unloaded or stolen after it [N-9.5].
"""

from __future__ import annotations

from collections.abc import Iterator

from niagara_arena.rules.events import Event, WhirlpoolMoved
from niagara_arena.rules.geometry import DOWN, JETTY, LOST, PUSH, SPACE_NAMES, UP
from niagara_arena.rules.moves import Route
from niagara_arena.rules.river import drift_canoes, push_discs
from niagara_arena.rules.spirits.animals import drift_beaver, moose_leaves_later
from niagara_arena.rules.state import ENTERS_NEXT, WHIRLPOOL, Setup, Vector


def whirlpool_routes(at: int, points: int, whirlpool: int) -> Iterator[Route]:
    """Yield the routes from a space when the whirlpool lies on another."""
    if at != JETTY:
        yield from _upstream(at, points, whirlpool)
    yield from _downstream(at, points, whirlpool)


def _upstream(at: int, points: int, whirlpool: int) -> Iterator[Route]:
    space = at
    cost = 0
    while space != JETTY and cost < points:
        space = UP[space]
        cost += 1
        if space != whirlpool:
            yield Route(cost, space, open=space != JETTY, upstream=True)
            continue
        for below in DOWN[space]:  # the points end on entering it, or inside it [N-9.3]
            yield Route(cost, below, open=False, upstream=True)
            if cost < points:
                yield Route(cost + 1, below, open=False, upstream=True)
        cost += 1


def _downstream(at: int, points: int, whirlpool: int) -> Iterator[Route]:
    reached: tuple[int, ...] = (at,)
    for cost in range(1, points + 1):
        reached = tuple(below for space in reached for below in DOWN[space])
        for space in reached:
            if space != whirlpool:
                yield Route(cost, space, open=space != LOST, upstream=False)
                continue
            for below in DOWN[space]:  # dragged on, free of charge [N-9.2]
                if below != LOST or cost == points:
                    yield Route(cost, below, open=False, upstream=False)


def flow(setup: Setup, v: Vector, events: list[Event]) -> bool:
    """Push the discs in: canoes, whirlpool and beaver ride [N-6.2, N-9.1, N-9.6, N-11.1]."""
    flowed = push_discs(setup, v, events)
    if flowed.arms:
        drift_canoes(setup, v, flowed.carries, events, moose_leaves_later)
        _drift_whirlpool(v, flowed.arms, events)
        drift_beaver(v, flowed.carries, events)
    return True


def _drift_whirlpool(v: Vector, arms: tuple[int, ...], events: list[Event]) -> None:
    space = v[WHIRLPOOL]
    for arm in arms:
        if space == ENTERS_NEXT:
            space = 1
        else:
            space = PUSH[arm][space]
            if space == LOST:
                space = ENTERS_NEXT
    if space != v[WHIRLPOOL]:
        v[WHIRLPOOL] = space
        name = "next" if space == ENTERS_NEXT else SPACE_NAMES[space]
        events.append(WhirlpoolMoved(name))
