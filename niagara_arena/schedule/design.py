"""Cyclic designs: tables for a round robin in which not all tables can be played.

`m` base tables of k numbers below n, each developed by adding 0, 1, … n-1 modulo n. So every
entrant plays in k·m tables and holds each place of a table exactly m times. How often two
entrants meet depends only on the difference of their numbers: it is the count of that difference
in the base tables. The search flattens these counts: within one wherever it finds such a design.

Law: the search is bounded by steps, never by time, and counts in whole numbers only, so that the
same n, k, m and key give the same tables everywhere.
"""

from __future__ import annotations

from niagara_arena.schedule.chance import Chance

__all__ = ["base_tables", "spread"]

_STEPS = 60_000
_ATTEMPTS = 3
_HOT = 6
"""What a step may worsen the sum of squares by at first; it cools to nothing."""


def base_tables(entrants: int, seats: int, tables: int, key: str) -> list[tuple[int, ...]]:
    """Return base tables whose differences occur equally often, within one where possible."""
    best: list[tuple[int, ...]] = []
    least = -1
    for attempt in range(_ATTEMPTS):
        search = _Search(entrants, seats, tables, Chance(key, "design", entrants, seats, attempt))
        search.run(_STEPS if entrants <= 200 else _STEPS // 2)
        if least < 0 or search.cost < least:
            least, best = search.cost, [tuple(table) for table in search.tables]
        if search.cost <= search.target or entrants > 200:
            break
    return best


def spread(entrants: int, tables: list[tuple[int, ...]]) -> tuple[int, int]:
    """Return how often the rarest and the most frequent pair of the developed tables meet."""
    counts = _differences(entrants, tables)[1:]
    return min(counts), max(counts)


def _differences(entrants: int, tables: list[tuple[int, ...]]) -> list[int]:
    counts = [0] * entrants
    for table in tables:
        for one in table:
            for other in table:
                if one != other:
                    counts[(one - other) % entrants] += 1
    return counts


class _Search:
    """Exchange one number of one table at a time; worse is accepted while it is hot."""

    def __init__(self, entrants: int, seats: int, tables: int, chance: Chance) -> None:
        self.entrants = entrants
        self.chance = chance
        self.tables = [self._random_table(seats) for _ in range(tables)]
        self.counts = _differences(entrants, [tuple(table) for table in self.tables])
        self.cost = sum(count * count for count in self.counts)
        low, more = divmod(tables * seats * (seats - 1), entrants - 1)
        self.target = more * (low + 1) ** 2 + (entrants - 1 - more) * low * low

    def _random_table(self, seats: int) -> list[int]:
        table: list[int] = []
        while len(table) < seats:
            number = self.chance.below(self.entrants)
            if number not in table:
                table.append(number)
        return table

    def run(self, steps: int) -> None:
        """Search until the target is met or the steps are used; end with the best found."""
        best, kept = self.cost, [list(table) for table in self.tables]
        seats = len(self.tables[0])
        size = len(self.tables)
        for step in range(steps):
            if self.cost <= self.target:
                return
            number = self.chance.below(size * seats * self.entrants)
            number, new = divmod(number, self.entrants)
            which, place = divmod(number, seats)
            table = self.tables[which]
            if new in table:
                continue
            self._step(table, place, new, allowed=_HOT * (steps - step) // steps)
            if self.cost < best:
                best, kept = self.cost, [list(row) for row in self.tables]
        self.cost, self.tables = best, kept

    def _step(self, table: list[int], place: int, new: int, allowed: int) -> None:
        """Put a new number in a place, unless that makes it worse by more than is allowed."""
        old = table[place]
        modulus, counts, cost = self.entrants, self.counts, self.cost
        moves = []
        for other in table:
            if other != old:
                moves += [((old - other) % modulus, -1), ((other - old) % modulus, -1)]
                moves += [((new - other) % modulus, 1), ((other - new) % modulus, 1)]
        for difference, sign in moves:
            cost += 2 * sign * counts[difference] + 1
            counts[difference] += sign
        if cost - self.cost <= allowed:
            self.cost = cost
            table[place] = new
        else:
            for difference, sign in moves:
                counts[difference] -= sign
