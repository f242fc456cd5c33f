"""Swiss pairing of one heat: who sits together, given what has been played.

A pairing splits the field into tables and costs, in this order of weight: bots of one owner at a
table (where that is not allowed); repeated pairs, each as often as the two have met before; the
spread of scores, the sum over the tables of best less worst. Small fields get the best pairing
there is; larger ones the best that a search of a fixed number of steps finds.

Laws: pure; bounded by steps, never by time; whole numbers only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, permutations

from msgspec import Struct

from niagara_arena.errors import InputError
from niagara_arena.schedule.chance import Chance

__all__ = ["EXACT_FIELD", "Player", "cost_of", "pair_heat", "seat_table", "table_sizes"]

EXACT_FIELD = 12
"""Up to how many players the best pairing is found by trying all."""
SMALLEST_TABLE = 3

_STEPS = 60_000
_REACH = 24
"""How many places down the standings a player is exchanged at most, at first."""
_WANDER = 40
_KICKS = 3
"""After so many steps a player, so many exchanges for better or worse: out of a dead end."""
_CROWD = 200
"""In a larger field there is always somewhere to go."""

Cost = tuple[int, int, int]
Pairing = list[tuple[int, ...]]


class Player(Struct, frozen=True):
    """Hold what pairing needs to know of an entrant."""

    submission: str
    score: int = 0
    met: Mapping[str, int] = {}
    """Other submissions → in how many heats they sat together."""
    seats: tuple[int, ...] = ()
    """By seat: how many games were played in it."""
    owner: str = ""


@cache
def table_sizes(field: int, preferred: int, largest: int) -> tuple[int, ...]:
    """Split a field into tables as near to the preferred size as can be, large ones first."""
    if field < SMALLEST_TABLE:
        raise InputError(f"{field} bots are too few for a table", "at least 3 must be left")
    best: list[tuple[int, tuple[int, ...]] | None] = [(0, ()), *[None] * field]
    for total in range(1, field + 1):
        for size in range(SMALLEST_TABLE, min(largest, total) + 1):
            before = best[total - size]
            if before is not None:
                split = (before[0] + (size - preferred) ** 2, (*before[1], size))
                now = best[total]
                if now is None or split[0] < now[0]:
                    best[total] = split
    found = best[field]
    if found is None:
        raise InputError(
            f"{field} bots can't be split into tables of 3 to {largest}", "name more bots, or fewer"
        )
    return tuple(sorted(found[1], reverse=True))


def pair_heat(players: Sequence[Player], preferred: int, largest: int, key: str) -> Pairing:
    """Return tables of indices into `players`, best scores first.

    `key` breaks ties between equal scores and steers the search; it names seed and heat.
    """
    chance = Chance(key, "pairing")
    ids = sorted(range(len(players)), key=lambda number: players[number].submission)
    luck = {number: place for place, number in enumerate(chance.shuffled(ids))}
    ranked = sorted(ids, key=lambda number: (-players[number].score, luck[number]))
    field = [players[number] for number in ranked]
    sizes = table_sizes(len(field), preferred, largest)
    worth = _Worth(field)
    exact = len(field) <= EXACT_FIELD
    found = _best(worth, sizes) if exact else _searched(worth, sizes, chance)
    tables = [tuple(sorted(table)) for table in found]
    return [tuple(ranked[place] for place in table) for table in sorted(tables)]


def cost_of(players: Sequence[Player], pairing: Pairing) -> Cost:
    """Return owner clashes, repeated pairs and spread of a pairing."""
    worth = _Worth(players)
    costs = [worth.table(table) for table in pairing]
    return (sum(c[0] for c in costs), sum(c[1] for c in costs), sum(c[2] for c in costs))


class _Worth:
    """Price tables of one field."""

    def __init__(self, players: Sequence[Player]) -> None:
        place = {player.submission: number for number, player in enumerate(players)}
        self.scores = [player.score for player in players]
        self.met = [
            {place[other]: times for other, times in player.met.items() if other in place}
            for player in players
        ]
        self.owners = [player.owner for player in players]
        self.apart = any(self.owners)

    def table(self, table: Sequence[int]) -> Cost:
        """Return the cost of one table."""
        clashes = repeats = 0
        for one, other in combinations(table, 2):
            repeats += self.met[one].get(other, 0)
            if self.apart and self.owners[one] and self.owners[one] == self.owners[other]:
                clashes += 1
        scores = [self.scores[number] for number in table]
        return clashes, repeats, max(scores) - min(scores)


def _best(worth: _Worth, sizes: tuple[int, ...]) -> Pairing:
    """Try all pairings: the lowest player not yet seated is seated with every possible company."""

    @cache
    def best(
        left: tuple[int, ...], sizes: tuple[int, ...]
    ) -> tuple[Cost, tuple[Sequence[int], ...]]:
        if not left:
            return (0, 0, 0), ()
        found: tuple[Cost, tuple[Sequence[int], ...]] | None = None
        for size in sorted(set(sizes)):
            at = sizes.index(size)
            remaining = sizes[:at] + sizes[at + 1 :]
            for company in combinations(left[1:], size - 1):
                table = (left[0], *company)
                a = worth.table(table)
                if found is not None and a > found[0]:
                    continue
                b, others = best(tuple(n for n in left if n not in table), remaining)
                total = (a[0] + b[0], a[1] + b[1], a[2] + b[2])
                if found is None or total < found[0]:
                    found = total, (table, *others)
        assert found is not None  # sizes add up to what is left
        return found

    return [tuple(table) for table in best(tuple(range(len(worth.scores))), sizes)[1]]


class _Search:
    """Exchange two players of different tables while that is no worse."""

    def __init__(self, worth: _Worth, sizes: tuple[int, ...]) -> None:
        self.worth = worth
        self.tables: list[list[int]] = []
        self.at: list[int] = []
        for number, size in enumerate(sizes):
            start = len(self.at)
            self.tables.append(list(range(start, start + size)))
            self.at += [number] * size
        self.costs = [worth.table(table) for table in self.tables]

    def total(self) -> Cost:
        """Return the cost of all tables."""
        costs = self.costs
        return sum(c[0] for c in costs), sum(c[1] for c in costs), sum(c[2] for c in costs)

    def swap(self, one: int, other: int, always: bool = False) -> None:
        """Exchange two players if the cost falls or stays, or in any case."""
        a, b = self.at[one], self.at[other]
        if a == b:
            return
        mine = [other if n == one else n for n in self.tables[a]]
        theirs = [one if n == other else n for n in self.tables[b]]
        new_a, new_b = self.worth.table(mine), self.worth.table(theirs)
        old_a, old_b = self.costs[a], self.costs[b]
        new = (new_a[0] + new_b[0], new_a[1] + new_b[1], new_a[2] + new_b[2])
        old = (old_a[0] + old_b[0], old_a[1] + old_b[1], old_a[2] + old_b[2])
        if new > old and not always:
            return
        self.tables[a], self.tables[b] = mine, theirs
        self.costs[a], self.costs[b] = new_a, new_b
        self.at[one], self.at[other] = b, a

    def troubled(self) -> list[int]:
        """List the players at tables with clashes or repeats."""
        return [
            number
            for table, cost in zip(self.tables, self.costs, strict=True)
            if cost[0] or cost[1]
            for number in table
        ]


def _searched(worth: _Worth, sizes: tuple[int, ...], chance: Chance) -> Pairing:
    """Search from the field cut by rank: first mend tables with trouble, then wander."""
    search = _Search(worth, sizes)
    steps = _STEPS
    field = len(search.at)
    reach = _REACH
    while steps > 0 and (troubled := search.troubled()):
        before = sum(cost[0] + cost[1] for cost in search.costs)
        for one in troubled:
            for other in range(max(0, one - reach), min(field, one + reach + 1)):
                steps -= 1
                search.swap(one, other)
        if sum(cost[0] + cost[1] for cost in search.costs) == before:
            if reach >= field:
                break
            reach *= 4
    best, kept = search.total(), [tuple(table) for table in search.tables]
    while steps > 0 and best > (0, 0, 0):
        wander = min(steps, _WANDER * field)
        steps -= wander
        for _ in range(wander):
            one = chance.below(field)
            other = one + 1 + chance.below(min(_REACH, field - 1))
            search.swap(one, other % field)
        if search.total() < best:
            best, kept = search.total(), [tuple(table) for table in search.tables]
        for _ in range(_KICKS if field <= _CROWD else 0):
            search.swap(chance.below(field), chance.below(field), always=True)
    return kept


def seat_table(table: Sequence[Player]) -> tuple[int, ...]:
    """Return the order of seats in which everybody gets what it has had least of."""

    def had(order: tuple[int, ...]) -> int:
        seen = 0
        for seat, number in enumerate(order):
            seats = table[number].seats
            times = seats[seat] if seat < len(seats) else 0
            seen += (times + 1) ** 2 - times**2
        return seen

    return min(permutations(range(len(table))), key=had)
