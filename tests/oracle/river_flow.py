"""Phases III and IV: the end of the game, the river, and the next round."""

from .board import dragged, put_on
from .positions import GEMS, Position, canonical, copied, full_hand


def flow(position: Position, cards: list[str], arm: str) -> str | None:
    """Return the position after phases III and IV, or None if the game is over before."""
    after = copied(position)
    if game_is_over(after):
        return None  # without a flow [N-5.1]
    for _ in range(speed(after, cards)):
        push(after)
    if after["moose"] == "returning":
        after["moose"] = "place"  # even if the river stood still [N-11.4]
    after = with_canoes_back(after, arm)
    put_cards_away(after, cards)
    start_next_round(after)
    return canonical(after)


def has_won(bank: dict[str, int]) -> bool:
    """Say whether a bank holds one of the three winning sets [N-5.1]."""
    counts = [bank.get(gem, 0) for gem in GEMS]
    return min(counts) >= 1 or max(counts) >= 4 or sum(counts) >= 7


def game_is_over(position: Position) -> bool:
    """Say whether a bank wins [N-5.1] or at most one seat is left [N-5.4]."""
    left = [player for player in position["players"] if not player["retired"]]
    return len(left) <= 1 or any(has_won(player["bank"]) for player in left)


def speed(position: Position, cards: list[str]) -> int:
    """Return the number of pushes [N-6.1]; only 1 to 7 are number cards [N-10.4]."""
    numbers = [
        int(card)
        for card, player in zip(cards, position["players"], strict=True)
        if card in ("1", "2", "3", "4", "5", "6", "7") and not player["retired"]  # [N-5.4]
    ]
    lowest = min(numbers) if numbers else 0
    return max(0, lowest + int(position["weather"]))


def push(position: Position) -> None:
    """Push one disc in at 1; everything that moves rides its disc [N-6.2, N-6.4]."""
    arm = position["next_arm"]
    downstream = {"1": "2", "2": "3", "3": "4", "4": "5", "5": "6" + arm}
    downstream["6" + arm] = "7" + arm
    downstream["7" + arm] = "lost"
    for seat, player in enumerate(position["players"]):
        for index, canoe in enumerate(player["canoes"]):
            if canoe["at"] in downstream and not canoe["ashore"]:  # on the bank [N-10.3]
                put_on(position, seat, index, downstream[canoe["at"]])
    push_beaver(position, downstream)
    push_whirlpool(position, downstream)
    position["next_arm"] = "R" if arm == "L" else "L"  # strictly in turns [N-6.3]


def push_beaver(position: Position, downstream: dict[str, str]) -> None:
    """Let the beaver ride; when it falls the weather goes to 0 at once [N-11.1]."""
    if position["beaver"] in downstream:
        position["beaver"] = downstream[position["beaver"]]
    if position["beaver"] == "lost":
        position["beaver"] = None
        position["weather"] = 0


def push_whirlpool(position: Position, downstream: dict[str, str]) -> None:
    """Let the whirlpool ride [N-9.1]; once fallen it is the next disc pushed in [N-9.6]."""
    if position["whirlpool"] == "next":
        position["whirlpool"] = "1"
    elif position["whirlpool"] in downstream:
        position["whirlpool"] = downstream[position["whirlpool"]]
        if position["whirlpool"] == "lost":
            position["whirlpool"] = "next"


def with_canoes_back(position: Position, arm: str) -> Position:
    """Return the position with the lassoed canoes back, in turn order [N-10.3]."""
    after = copied(position)
    seats = after["seats"]
    for seat in [(after["start"] + step) % seats for step in range(seats)]:
        for index in (0, 1):
            canoe = after["players"][seat]["canoes"][index]
            if canoe["ashore"]:
                canoe["ashore"] = False
                if canoe["at"] == after["whirlpool"]:
                    after = dragged_back(after, seat, index, arm)
    return after


def dragged_back(position: Position, seat: int, index: int, arm: str) -> Position:
    """Return the position after the drag of a returning canoe, at 5 into the given arm."""
    results = dragged(position, seat, index, position["whirlpool"])
    if len(results) == 2:  # its owner chooses the arm at 5 [N-9.4, N-10.3]
        wanted = "6" + arm
        results = [
            after for after in results if after["players"][seat]["canoes"][index]["at"] == wanted
        ]
    after = results[0]
    if after["moose"] == "returning":
        after["moose"] = "place"  # back at once [N-11.4]
    return after


def put_cards_away(position: Position, cards: list[str]) -> None:
    """Take the played cards out of the hands; an empty hand comes back whole [N-3.5]."""
    for card, player in zip(cards, position["players"], strict=True):
        if player["retired"]:
            continue
        player["hand"].remove(card)
        if not player["hand"]:
            player["hand"] = full_hand(position["rules"])


def start_next_round(position: Position) -> None:
    """Move the start marker clockwise [N-6.6], past retired seats [N-5.4]."""
    position["round"] += 1
    position["start"] = (position["start"] + 1) % position["seats"]
    while position["players"][position["start"]]["retired"]:
        position["start"] = (position["start"] + 1) % position["seats"]
