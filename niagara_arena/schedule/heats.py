"""Heat after heat of a Swiss tournament: from all that was played to the next tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from niagara_arena.schedule.chance import Chance, keyed
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.spec import Entrant, Spec, largest_table
from niagara_arena.schedule.standings import Outcome, scores
from niagara_arena.schedule.swiss import SMALLEST_TABLE, Player, pair_heat, seat_table

__all__ = ["heat_count", "next_heat", "withdrawn"]


def heat_count(spec: Spec, entrants: int) -> int:
    """Return how many heats there are: as asked for, or one more than halvings of the field."""
    return spec.heats or max(3, (entrants - 1).bit_length() + 1)


def withdrawn(spec: Spec, outcomes: Sequence[Outcome], entrants: Sequence[Entrant]) -> set[str]:
    """Return who has forfeited so many games that it is withdrawn."""
    if not spec.withdraw_after:
        return set()
    table = scores(outcomes, [entrant.submission for entrant in entrants])
    return {name for name, score in table.items() if score.forfeits >= spec.withdraw_after}


def next_heat(
    spec: Spec,
    entrants: Sequence[Entrant],
    outcomes: Sequence[Outcome],
    heat: int,
    gone: Collection[str] = (),
) -> list[tuple[str, ...]]:
    """Return the tables of a heat, in order of play, members in order of their seats.

    `outcomes` holds every game of the heats before, in schedule order; `gone` who is withdrawn.
    Fewer than three who are left can't play: no tables.
    """
    table = scores(outcomes, [entrant.submission for entrant in entrants])
    players = [
        Player(
            submission=entrant.submission,
            score=table[entrant.submission].points,
            met=table[entrant.submission].met,
            seats=table[entrant.submission].seats,
            owner=entrant.owner if spec.one_per_owner else "",
        )
        for entrant in sorted(entrants, key=lambda entrant: entrant.submission)
        if entrant.submission not in gone
    ]
    if len(players) < SMALLEST_TABLE:
        return []
    key = keyed(spec.seed, "heat", heat).hex()
    pairing = pair_heat(players, spec.seats[0], largest_table(spec), key)
    tables = []
    for numbers in pairing:
        members = Chance(key, *numbers).shuffled([players[number] for number in numbers])
        if len(seatings(spec.seating, len(members))) % len(members):
            members = [members[place] for place in seat_table(members)]
        tables.append(tuple(member.submission for member in members))
    return tables
