"""One canoe's action in a turn, simulated step by step with a history of what it did."""

from dataclasses import dataclass, replace

from .board import (
    ABOVE,
    BELOW,
    PLACE_BESIDE,
    add_gem,
    dragged,
    floats,
    holds_moose,
    put_on,
    take_gem,
    the_canoe,
)
from .positions import Position, copied

Act = tuple[str, str, str]  # "load" or "unload", the gem, the place


@dataclass(frozen=True)
class Move:
    """Hold a canoe's action so far: where things stand, points left, what it did."""

    position: Position
    seat: int
    index: int
    points: int
    acts: tuple[Act, ...] = ()


@dataclass(frozen=True)
class Stop:
    """Hold one way to paddle: the last space, the points then left and how it came there."""

    space: str
    points: int
    direction: str
    in_whirlpool: bool = False


def canoe_moves(position: Position, seat: int, index: int, card_points: int) -> list[Position]:
    """Return what one canoe's whole action with these points can lead to, some of it twice."""
    results: list[Position] = []
    for begun in with_and_without_moose(position, seat, index):
        points = card_points
        if holds_moose(begun, seat, index):
            points += 2  # [N-11.3]
        for started in all_acts(Move(begun, seat, index, points)):  # before its first space
            if started.points == 0:
                results.append(started.position)  # all spent in place [N-4.6]
            for stop in ways_up(started) + ways_down(started):
                results.extend(endings(started, stop))
    return results


def with_and_without_moose(position: Position, seat: int, index: int) -> list[Position]:
    """Return the position as it is and, where it may be taken, with the moose taken [N-11.2]."""
    choices = [position]
    at_rubies = the_canoe(position, seat, index)["at"] in ("7L", "7R")
    if at_rubies and position["moose"] == "place":
        taken = copied(position)
        taken["moose"] = {"seat": seat, "canoe": index}
        choices.append(taken)
    return choices


def all_acts(move: Move) -> list[Move]:
    """Return the move with every series of loads and unloads in place, none included."""
    found = {tuple(sorted(move.acts)): move}
    waiting = [move]
    while waiting:
        earlier = waiting.pop()
        for later in loads(earlier) + unloads(earlier):
            key = tuple(sorted(later.acts))  # the order of the acts makes no difference
            if key not in found:
                found[key] = later
                waiting.append(later)
    return list(found.values())


def loads(move: Move) -> list[Move]:
    """Return the move after each load that is possible right now, right here."""
    canoe = the_canoe(move.position, move.seat, move.index)
    place = PLACE_BESIDE.get(canoe["at"])
    if place is None or move.points < 2:  # [N-4.4, N-4.12]
        return []
    if len(canoe["cargo"]) >= canoe["capacity"]:  # [N-4.11, N-8.1]
        return []
    if any(what == "unload" and where != place for what, _, where in move.acts):
        return []  # it has unloaded elsewhere [N-4.15]
    results = []
    for gem in move.position["places"][place]:  # any colour that lies there [N-4.12]
        if any(what == "unload" and which == gem for what, which, _ in move.acts):
            continue  # a colour it has unloaded [N-4.15]
        after = copied(move.position)
        take_gem(after["places"][place], gem)
        the_canoe(after, move.seat, move.index)["cargo"].append(gem)
        acts = (*move.acts, ("load", gem, place))
        results.append(replace(move, position=after, points=move.points - 2, acts=acts))
    return results


def unloads(move: Move) -> list[Move]:
    """Return the move after each unload that is possible right now, right here."""
    canoe = the_canoe(move.position, move.seat, move.index)
    place = PLACE_BESIDE.get(canoe["at"])
    if place is None or move.points < 2:  # [N-4.4, N-4.12]
        return []
    results = []
    for gem in sorted(set(canoe["cargo"])):  # any colour at any place [N-4.13]
        if any(what == "load" and which == gem for what, which, _ in move.acts):
            continue  # a colour it has loaded this turn [N-4.14]
        after = copied(move.position)
        the_canoe(after, move.seat, move.index)["cargo"].remove(gem)
        add_gem(after["places"][place], gem)
        acts = (*move.acts, ("unload", gem, place))
        results.append(replace(move, position=after, points=move.points - 2, acts=acts))
    return results


def ways_up(move: Move) -> list[Stop]:
    """Return every stop on the way up, one point after another."""
    whirlpool = move.position["whirlpool"]
    space = the_canoe(move.position, move.seat, move.index)["at"]
    points = move.points
    stops = []
    while points > 0 and space in ABOVE:
        space = ABOVE[space]
        points -= 1  # [N-4.4]
        if space != whirlpool:
            stops.append(Stop(space, points, "up"))
            continue
        if points > 0:
            points -= 1  # the point it pays inside [N-9.3]
        if points == 0:  # on entering or inside; with points left it can't end here [N-9.5]
            stops.append(Stop(space, 0, "up", in_whirlpool=True))
    return stops


def ways_down(move: Move) -> list[Stop]:
    """Return every stop on the way down, both arms included [N-4.7]."""
    whirlpool = move.position["whirlpool"]
    spaces = [the_canoe(move.position, move.seat, move.index)["at"]]
    stops = []
    for points in range(move.points - 1, -1, -1):  # points left after each space [N-4.4]
        spaces = [below for space in spaces for below in BELOW.get(space, [])]
        for space in spaces:
            if space != whirlpool:
                stops.append(Stop(space, points, "down"))
            elif points == 0:  # its last space; else it passes by [N-9.2, N-9.5]
                stops.append(Stop(space, 0, "down", in_whirlpool=True))
    return stops


def endings(started: Move, stop: Stop) -> list[Position]:
    """Return every way to end the action at a stop, with no point left over [N-4.5]."""
    seat, index = started.seat, started.index
    if stop.in_whirlpool:  # no loading, unloading or stealing there or after [N-9.5]
        return dragged(started.position, seat, index, stop.space)
    after = copied(started.position)
    put_on(after, seat, index, stop.space)
    if stop.space in ("jetty", "lost"):  # points lapse [N-4.5, N-4.9, N-4.10]
        return [after]
    if stop.points > 0:  # the rest goes into loads and unloads after the last space [N-4.12]
        arrived = replace(started, position=after, points=stop.points)
        return [move.position for move in all_acts(arrived) if move.points == 0]
    if stop.direction == "up":  # not moving down [N-4.19]
        return with_and_without_thefts(after, seat, index)
    return [after]


def with_and_without_thefts(position: Position, seat: int, index: int) -> list[Position]:
    """Return the position as it is and after every series of thefts [N-4.17, N-8.3].

    The caller has seen to it that the canoe went up, has no point left and has neither loaded
    nor unloaded where it ended [N-4.17, N-4.18].
    """
    results = [position]  # it may decline [N-4.17]
    thief = the_canoe(position, seat, index)
    if len(thief["cargo"]) >= thief["capacity"]:
        return results  # no room [N-4.17]
    for other_seat, player in enumerate(position["players"]):
        if other_seat == seat:
            continue  # not from its own [N-4.19]
        for other_index, other in enumerate(player["canoes"]):
            if other["at"] != thief["at"] or not floats(other):
                continue  # the same space [N-1.3], and not on the bank [N-10.3]
            for gem in sorted(set(other["cargo"])):
                after = copied(position)
                the_canoe(after, other_seat, other_index)["cargo"].remove(gem)
                the_canoe(after, seat, index)["cargo"].append(gem)
                results.extend(with_and_without_thefts(after, seat, index))
    return results
