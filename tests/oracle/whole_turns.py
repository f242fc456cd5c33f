"""A seat's whole turn in phase II."""

from .board import floats, the_canoe
from .canoe_moves import canoe_moves, with_and_without_moose
from .positions import Position, copied, distinct, sorted_texts


def turns(position: Position, seat: int, card: str) -> list[str]:
    """Return every distinct position that the seat's turn with this card can lead to."""
    before = copied(position)
    if before["players"][seat]["retired"]:
        return sorted_texts([before])  # its turns are skipped [N-5.4]
    if card == "cloud":
        return sorted_texts(cloud_turns(before))
    if card == "lasso":
        return sorted_texts(lasso_turns(before, seat))
    if card == "123":
        return sorted_texts(one_two_three_turns(before, seat))
    return sorted_texts(number_turns(before, seat, int(card)))  # [N-10.1] for the 7


def number_turns(position: Position, seat: int, points: int) -> list[Position]:
    """Return every result of a number card."""
    results = []
    for order in orders(position, seat):
        reached = [position]
        for index in order:  # each completes its action before the next begins [N-4.2]
            reached = [
                after
                for earlier in distinct(reached)
                for after in canoe_moves(earlier, seat, index, points)
            ]
        results.extend(reached)
    return results


def orders(position: Position, seat: int) -> list[list[int]]:
    """Return which canoes may move, in every order, as judged at the start [N-4.1, N-4.2]."""
    canoes = position["players"][seat]["canoes"]
    afloat = [index for index in (0, 1) if floats(canoes[index])]
    landed = [index for index in (0, 1) if canoes[index]["at"] == "jetty"]
    if len(afloat) == 2:
        return [[0, 1], [1, 0]]
    if len(afloat) == 1:
        first = afloat[0]
        choices = [[first]]
        for second in landed:
            choices += [[first, second], [second, first]]
        return choices
    if landed:
        return [[index] for index in landed]
    return [[]]


def one_two_three_turns(position: Position, seat: int) -> list[Position]:
    """Return every result of the 123: one canoe, 1 to 3 points [N-10.2]."""
    results = []
    for index, canoe in enumerate(position["players"][seat]["canoes"]):
        if floats(canoe) or canoe["at"] == "jetty":
            for points in (1, 2, 3):
                results.extend(canoe_moves(position, seat, index, points))
    return results or [position]


def cloud_turns(position: Position) -> list[Position]:
    """Return every result of the cloud: the weather one step up or down [N-4.21]."""
    results = []
    for step in (-1, +1):
        weather = position["weather"] + step
        if weather not in (-1, 0, 1, 2):  # the track [N-2.2]
            continue
        after = copied(position)
        after["weather"] = weather
        if weather == 2 and after["rules"] == "spirits" and after["beaver"] is None:
            after["beaver"] = "2" if after["whirlpool"] == "1" else "1"  # [N-11.1]
        results.append(after)
    return results


def lasso_turns(position: Position, seat: int) -> list[Position]:
    """Return every result of the lasso [N-10.3], with the moose taken or not [N-11.2]."""
    pulled = [index for index in (0, 1) if floats(the_canoe(position, seat, index))]
    after = copied(position)
    for index in pulled:
        the_canoe(after, seat, index)["ashore"] = True
    results = [after]
    for index in pulled:  # either or neither [N-11.2]
        results.extend(with_and_without_moose(after, seat, index))
    return results
