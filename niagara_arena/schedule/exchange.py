"""Improve tables without touching their other balances: swap two entrants of the same place.

Two entrants that hold the same place of two tables of one block change over. Nobody then plays
more or less, or sits in other seats, or more often in that block; only who meets whom changes.
This keeps one owner's bots apart, and flattens pair counts where no cyclic design does.

Law: bounded by steps, whole numbers only; the input is unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from niagara_arena.schedule.chance import Chance

__all__ = ["Tables", "exchange"]

Tables = list[list[tuple[int, ...]]]
"""Blocks of tables of entrants' numbers, all of one size, in order of their places."""

_CLASH = 1_000_000
"""What two bots of one owner at a table cost; more than any pair counts can."""


def exchange(
    blocks: Tables, entrants: int, owners: Sequence[str], chance: Chance, steps: int
) -> Tables:
    """Return the tables with owners kept apart, then pair counts flattened, as far as found.

    `owners` holds each entrant's; empty where nobody's bots need to be kept apart.
    """
    search = _Exchange(blocks, entrants, owners)
    search.part_owners(chance, steps)
    search.flatten(chance, steps)
    return search.blocks()


class _Exchange:
    def __init__(self, blocks: Tables, entrants: int, owners: Sequence[str]) -> None:
        self.rows = [[list(table) for table in block] for block in blocks]
        self.entrants = entrants
        self.met = [[0] * entrants for _ in range(entrants)]
        for block in blocks:
            for table in block:
                for one, other in combinations(table, 2):
                    self.met[one][other] += 1
                    self.met[other][one] += 1
        self.owners = list(owners)
        if owners:
            for one, other in combinations(range(entrants), 2):
                if owners[one] == owners[other]:
                    # A price on each meeting: exchanging then gets rid of them by itself.
                    self.met[one][other] += _CLASH
                    self.met[other][one] += _CLASH
        pairs = entrants * (entrants - 1) // 2
        total = sum(len(t) * (len(t) - 1) // 2 for block in blocks for t in block)
        low, more = divmod(total, pairs) if pairs else (0, 0)
        self.target = more * (low + 1) ** 2 + (pairs - more) * low * low
        self.cost = sum(count * count for row in self.met for count in row) // 2

    def blocks(self) -> Tables:
        return [[tuple(table) for table in block] for block in self.rows]

    def _clashing(self) -> list[tuple[int, int, int]]:
        """List block, table and place of each entrant who meets one of the same owner."""
        return [
            (b, t, place)
            for b, block in enumerate(self.rows)
            for t, table in enumerate(block)
            for place, one in enumerate(table)
            if any(o != one and self.owners[o] == self.owners[one] for o in table)
        ]

    def part_owners(self, chance: Chance, steps: int) -> None:
        """Swap until nobody meets a bot of the same owner, or the steps are used."""
        if not self.owners:
            return
        while steps > 0 and (clashing := self._clashing()):
            for b, t, place in clashing:
                for _ in range(20):
                    steps -= 1
                    self._swap(b, t, chance.below(len(self.rows[b])), place, 0)
            steps -= len(clashing)

    def flatten(self, chance: Chance, steps: int) -> None:
        """Swap at random while pair counts can be flatter."""
        offset = 0
        if self.owners:
            offset = sum(
                self.met[one][other] ** 2
                for one, other in combinations(range(self.entrants), 2)
                if self.owners[one] == self.owners[other]
            )
        best, kept = self.cost, self.blocks()
        for step in range(steps):
            if self.cost - offset <= self.target:
                return
            b = chance.below(len(self.rows))
            block = self.rows[b]
            place = chance.below(len(block[0]))
            one, other = chance.below(len(block)), chance.below(len(block))
            self._swap(b, one, other, place, 4 * (steps - step) // steps)
            if self.cost < best:
                best, kept = self.cost, self.blocks()
        self.rows = [[list(table) for table in block] for block in kept]

    def _swap(self, b: int, one: int, other: int, place: int, allowed: int) -> None:
        """Let two entrants change over, unless that costs more than is allowed."""
        mine, theirs = self.rows[b][one], self.rows[b][other]
        x, y = mine[place], theirs[place]
        if x == y or y in mine or x in theirs:
            return
        met = self.met
        cost = self.cost
        moves = [(x, o, -1) for o in mine if o != x] + [(y, o, -1) for o in theirs if o != y]
        moves += [(y, o, 1) for o in mine if o != x] + [(x, o, 1) for o in theirs if o != y]
        for a, o, sign in moves:
            cost += 2 * sign * met[a][o] + 1
            met[a][o] += sign
            met[o][a] += sign
        if cost - self.cost <= allowed:
            self.cost = cost
            mine[place], theirs[place] = y, x
        else:
            for a, o, sign in moves:
                met[a][o] -= sign
                met[o][a] -= sign
