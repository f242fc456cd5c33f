"""The board: its spaces, and what happens to a canoe at its edges and in the whirlpool."""

from typing import Any

from .positions import Position, copied

# [N-1.1] The space or spaces below each; past 7 is the waterfall.
BELOW = {
    "jetty": ["1"],  # [N-4.8]
    "1": ["2"],
    "2": ["3"],
    "3": ["4"],
    "4": ["5"],
    "5": ["6L", "6R"],
    "6L": ["7L"],
    "6R": ["7R"],
    "7L": ["lost"],
    "7R": ["lost"],
}
# [N-1.1, N-4.7] The space above each; both arms lead up to 5.
ABOVE = {
    "1": "jetty",
    "2": "1",
    "3": "2",
    "4": "3",
    "5": "4",
    "6L": "5",
    "6R": "5",
    "7L": "6L",
    "7R": "6R",
}
# [N-1.2] The discovery place beside each space; 1, 2 and the jetty have none.
PLACE_BESIDE = {
    "3": "amethyst",
    "4": "diamond",
    "5": "amber",
    "6L": "sapphire",
    "6R": "sapphire",
    "7L": "ruby",
    "7R": "ruby",
}
MIRROR = {"L": "R", "R": "L", "6L": "6R", "6R": "6L", "7L": "7R", "7R": "7L"}


def the_canoe(position: Position, seat: int, index: int) -> dict[str, Any]:
    """Return one canoe of a seat, to read or to change."""
    canoe: dict[str, Any] = position["players"][seat]["canoes"][index]
    return canoe


def floats(canoe: dict[str, Any]) -> bool:
    """Say whether a canoe is on the river: on a space and not on the bank."""
    return canoe["at"] in ABOVE and not canoe["ashore"]


def add_gem(counts: dict[str, int], gem: str) -> None:
    """Put one gem into a place or a bank."""
    counts[gem] = counts.get(gem, 0) + 1


def take_gem(counts: dict[str, int], gem: str) -> None:
    """Take one gem out of a place or a bank."""
    counts[gem] -= 1
    if counts[gem] == 0:
        del counts[gem]


def holds_moose(position: Position, seat: int, index: int) -> bool:
    """Say whether this canoe carries the moose."""
    return bool(position["moose"] == {"seat": seat, "canoe": index})


def land(position: Position, seat: int, index: int) -> None:
    """Land a canoe and bank its cargo [N-4.10]."""
    canoe = the_canoe(position, seat, index)
    for gem in canoe["cargo"]:
        add_gem(position["players"][seat]["bank"], gem)
    canoe["cargo"] = []
    canoe["at"] = "jetty"
    if holds_moose(position, seat, index):
        position["moose"] = "returning"  # [N-11.4]


def fall(position: Position, seat: int, index: int) -> None:
    """Send a canoe over the falls; its gems go to the places of their own colours [N-6.5]."""
    canoe = the_canoe(position, seat, index)
    for gem in canoe["cargo"]:
        add_gem(position["places"][gem], gem)
    canoe["cargo"] = []
    canoe["at"] = "lost"
    canoe["ashore"] = False
    if holds_moose(position, seat, index):
        position["moose"] = "returning"  # [N-11.4]


def put_on(position: Position, seat: int, index: int, space: str) -> None:
    """Put a canoe on a space, which may turn out to be the jetty or the foot of the falls."""
    if space == "lost":
        fall(position, seat, index)
    elif space == "jetty":
        land(position, seat, index)
    else:
        the_canoe(position, seat, index)["at"] = space


def dragged(position: Position, seat: int, index: int, whirlpool: str) -> list[Position]:
    """Return what the whirlpool can do to a canoe on it: one result, from 5 one an arm."""
    results = []
    for space in BELOW[whirlpool]:  # [N-9.2, N-9.3]; either arm, or over the falls [N-9.4]
        after = copied(position)
        put_on(after, seat, index, space)
        results.append(after)
    return results


def mirrored(position: Position) -> Position:
    """Return the position with left and right swapped everywhere."""
    other = copied(position)
    for name in ("next_arm", "whirlpool", "beaver"):
        other[name] = MIRROR.get(other[name], other[name])
    for player in other["players"]:
        for canoe in player["canoes"]:
            canoe["at"] = MIRROR.get(canoe["at"], canoe["at"])
    return other
