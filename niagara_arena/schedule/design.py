"""Cyclic designs: tables for a round robin in which not all tables can be played.

`m` base tables of k numbers below n, each developed by adding 0, 1, … n-1 modulo n. So every
entrant plays in k·m tables and holds each place of a table exactly m times. How often two
entrants meet depends only on the difference of their numbers: it is the count of that difference
in the base tables. The search flattens these counts: within one wherever it finds such a design.

Exchanging at random finds most such designs. The tight ones, in which hardly a difference may come
up once too often, are found in small fields by trying all tables in order, or shown not to exist.

Law: the search is bounded by steps, never by time, and counts in whole numbers only, so that the
same n, k, m and key give the same tables everywhere.
"""

from __future__ import annotations

from math import gcd

from niagara_arena.schedule.chance import Chance

__all__ = ["base_tables", "spread"]

_STEPS = 60_000
_ATTEMPTS = 4
_SMALL_FIELD = 64
"""Up to how many entrants tables are also tried in order."""
_TRIALS = 300_000
"""How many numbers are tried in order; a quarter of a second."""
_HOT = 6
"""What a step may worsen the sum of squares by at first; it cools to nothing."""


def base_tables(entrants: int, seats: int, tables: int, key: str) -> list[tuple[int, ...]]:
    """Return base tables whose differences occur equally often, within one where possible."""
    best: list[tuple[int, ...]] = []
    least = -1
    for attempt in range(_ATTEMPTS):
        chance = Chance(key, "design", entrants, seats, attempt)
        search = _Search(entrants, seats, tables, chance)
        search.run(_STEPS if entrants <= 200 else _STEPS // 2)
        if least < 0 or search.cost < least:
            least, best = search.cost, [tuple(table) for table in search.tables]
        if search.cost <= search.target or entrants > 200:
            break
        if attempt == 0 and entrants <= _SMALL_FIELD:
            trial = _Trial(entrants, seats, tables)
            if trial.succeeds():
                return _disguised(trial.tables, entrants, chance)
            if trial.left >= 0:
                break  # there is no such design
    return best


def _disguised(
    tables: list[tuple[int, ...]], entrants: int, chance: Chance
) -> list[tuple[int, ...]]:
    """Renumber the entrants so that differences change their names and no more."""
    units = [number for number in range(1, entrants) if gcd(number, entrants) == 1]
    factor = units[chance.below(len(units))]
    shifts = [chance.below(entrants) for _ in tables]
    return [
        tuple((number * factor + shift) % entrants for number in chance.shuffled(table))
        for table, shift in zip(tables, shifts, strict=True)
    ]


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


class _Trial:
    """Try tables in order, each from the smallest difference that is still to come up.

    A difference and its negative are one class. Each must come up `need` times at least, once more
    at most, and only so many classes may. The half of an even n is its own negative: it comes up
    twice at a time, so that its number is known beforehand.
    """

    def __init__(self, entrants: int, seats: int, tables: int) -> None:
        self.entrants, self.seats, self.size = entrants, seats, tables
        self.left = _TRIALS
        self.tables: list[tuple[int, ...]] = []
        total = tables * seats * (seats - 1)
        low = total // (entrants - 1)
        half = entrants // 2
        self.need = [0] + [low] * half
        self.most = [0] + [low + 1] * half
        whole = half
        if entrants % 2 == 0:
            whole -= 1
            self.need[half] = self.most[half] = (low + 1) // 2
            total -= 2 * self.need[half]
        self.spare = total // 2 - low * whole
        """How many classes may still come up once more than they need."""
        self.counts = [0] * (half + 1)

    def succeeds(self) -> bool:
        """Go on from the tables that are whole; say whether all could be made."""
        if len(self.tables) == self.size:
            return True
        classes = range(1, len(self.counts))
        firsts = [d for d in classes if self.counts[d] < self.need[d]][:1]
        for first in firsts or [d for d in classes if self.counts[d] < self.most[d]]:
            if self._put([0], first, 0):
                return True
            if self.left < 0:
                break
        return False

    def _extend(self, table: list[int], last: int) -> bool:
        if len(table) == self.seats:
            self.tables.append(tuple(table))
            if self.succeeds():
                return True
            self.tables.pop()
            return False
        for number in range(last + 1, self.entrants):
            if number not in table and self._put(table, number, number):
                return True
            if self.left < 0:
                break
        return False

    def _put(self, table: list[int], number: int, last: int) -> bool:
        """Go on with a number at the table; take it away again if that leads nowhere."""
        self.left -= 1
        counts, fits = self.counts, True
        made = []
        for other in table:
            difference = abs(number - other)
            difference = min(difference, self.entrants - difference)
            made.append(difference)
            counts[difference] += 1
            self.spare -= counts[difference] > self.need[difference]
            fits = fits and counts[difference] <= self.most[difference]
        if fits and self.spare >= 0 and self._extend([*table, number], last):
            return True
        for difference in made:
            self.spare += counts[difference] > self.need[difference]
            counts[difference] -= 1
        return False
