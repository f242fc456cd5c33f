"""Phase I: buying lost canoes back."""

from .board import add_gem, take_gem, the_canoe
from .positions import Position, copied, sorted_texts


def buys(position: Position, seat: int) -> list[str]:
    """Return every distinct position after that seat's buy-back [N-3.2, N-3.3, N-3.4]."""
    before = copied(position)
    player = before["players"][seat]
    if player["retired"]:
        return sorted_texts([before])  # it has left the table [N-5.4]
    lost = [index for index in (0, 1) if the_canoe(before, seat, index)["at"] == "lost"]
    if len(lost) == 2 and not player["bank"]:
        return sorted_texts([with_canoe(before, seat, index) for index in lost])  # [N-3.4]
    results = [before]
    for index in lost:
        results += [after for earlier in results for after in bought(earlier, seat, index)]
    if len(lost) == 2:
        results.remove(before)  # it must buy at least one [N-3.3]
    return sorted_texts(results)


def bought(position: Position, seat: int, index: int) -> list[Position]:
    """Return the position after buying this canoe with each colour in the bank [N-3.2]."""
    results = []
    for gem in position["players"][seat]["bank"]:
        after = with_canoe(position, seat, index)
        take_gem(after["players"][seat]["bank"], gem)
        add_gem(after["places"][gem], gem)
        results.append(after)
    return results


def with_canoe(position: Position, seat: int, index: int) -> Position:
    """Return the position with this lost canoe back at the jetty [N-3.2]."""
    after = copied(position)
    the_canoe(after, seat, index)["at"] = "jetty"
    return after
