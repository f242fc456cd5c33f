"""A tournament's matches, in order: from entrants, settings and seed to jobs.

Entrants are numbered by a shuffle of their sorted ids, so that the order in which they were named
does not matter. A `Planned` match is small; its `MatchJob`, with seeds and openings, is made when
it is about to be played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from niagara_arena.errors import InputError
from niagara_arena.records import GameJob, MatchJob
from niagara_arena.schedule.chance import Chance, keyed
from niagara_arena.schedule.exchange import Tables
from niagara_arena.schedule.gauntlet import gauntlet
from niagara_arena.schedule.openings import random_opening
from niagara_arena.schedule.round_robin import round_robin
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.seeds import game_id, game_seed, match_id
from niagara_arena.schedule.spec import Entrant, Spec, check_spec, match_games, opening_rounds

__all__ = ["Numbering", "Planned", "fixed_plan", "make_job", "numbered", "plan_tables"]

_BLOCK_MATCHES = 16


class Planned(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold one match of the schedule."""

    order: int
    """Place among the tournament's matches, from 0."""
    first_game: int
    """Place of its first game among the tournament's games, from 0."""
    heat: int
    """Heat of a Swiss tournament, or block of another, from 0."""
    match: str
    table: tuple[str, ...]
    """Submissions, in the order of their seats in the first game."""
    index: int = 0
    """Which match of this table it is, from 0."""


def numbered(entrants: Iterable[Entrant], spec: Spec) -> list[Entrant]:
    """Return the entrants in the order of their numbers; challengers of a gauntlet are first."""
    by_id = sorted(entrants, key=lambda entrant: entrant.submission)
    shuffled = Chance(spec.seed, "numbers").shuffled(by_id)
    if spec.format != "gauntlet":
        return shuffled
    first = [entrant for entrant in shuffled if entrant.submission in spec.challengers]
    if len(first) != len(set(spec.challengers)) or not first:
        raise InputError(
            "a gauntlet needs challengers, and each must be an entrant",
            "name challengers among the bots with --challengers",
        )
    return first + [entrant for entrant in shuffled if entrant.submission not in spec.challengers]


def fixed_plan(spec: Spec, entrants: Sequence[Entrant]) -> list[Planned]:
    """Return every match of a round robin or gauntlet, in order of play."""
    check_spec(spec, len(entrants))
    order = numbered(entrants, spec)
    sizes = [_blocks(spec, order, seats) for seats in spec.seats]
    numbering = Numbering(spec)
    planned: list[Planned] = []
    for heat, block in enumerate(_grouped(_merged(sizes))):
        tables = [tuple(order[number].submission for number in table) for table in block]
        planned += numbering.plan(heat, tables)
    return planned


def _blocks(spec: Spec, order: Sequence[Entrant], seats: int) -> Tables:
    games = len(seatings(spec.seating, seats))
    each = -(-spec.games_per_bot // len(spec.seats))
    if spec.format == "gauntlet":
        challengers = len(set(spec.challengers))
        field = len(order) - challengers
        if field < seats - 1:
            raise InputError(
                f"a field of {field} is too small for tables of {seats}",
                "name more bots, or smaller tables with --seats",
            )
        return gauntlet(challengers, field, seats, games, each, spec.seed, spec.match_openings)
    owners = [e.owner or e.submission for e in order] if spec.one_per_owner else []
    openings = spec.match_openings
    return round_robin(len(order), seats, games, each, spec.seed, owners, openings)


def _merged(sizes: Sequence[Tables]) -> Iterator[list[tuple[int, ...]]]:
    """Yield the blocks of all sizes, each size spread evenly over the whole."""
    marked = [
        ((2 * place + 1) / (2 * len(blocks)), size, block)
        for size, blocks in enumerate(sizes)
        for place, block in enumerate(blocks)
    ]
    for _, _, block in sorted(marked, key=lambda mark: mark[:2]):
        yield block


def _grouped(blocks: Iterable[list[tuple[int, ...]]]) -> Iterator[list[tuple[int, ...]]]:
    """Join small blocks: a border is a place to wait at, so there should not be too many."""
    group: list[tuple[int, ...]] = []
    for block in blocks:
        group += block
        if len(group) >= _BLOCK_MATCHES:
            yield group
            group = []
    if group:
        yield group


class Numbering:
    """Give tables their place in the schedule; carried from heat to heat."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._met: dict[tuple[str, ...], int] = {}
        self._matches = 0
        self._games = 0

    def plan(self, heat: int, tables: Iterable[tuple[str, ...]]) -> list[Planned]:
        """Return the tables of the next heat as matches."""
        planned = []
        for table in tables:
            group = tuple(sorted(table))
            index = self._met.get(group, 0)
            self._met[group] = index + 1
            match = match_id(self._spec.seed, table, index)
            planned.append(Planned(self._matches, self._games, heat, match, table, index))
            self._matches += 1
            self._games += match_games(self._spec, len(table))
        return planned


def plan_tables(planned: Iterable[Planned]) -> list[tuple[str, ...]]:
    """Return the tables of matches, for a look at their balance."""
    return [match.table for match in planned]


def make_job(spec: Spec, planned: Planned) -> MatchJob:
    """Return what a worker needs to play a match."""
    # In a gauntlet the field's games are the same for every challenger; see `gauntlet`.
    common = sorted(set(planned.table) - set(spec.challengers))
    what = common if spec.format == "gauntlet" else sorted(planned.table)
    # A table's openings are counted through all its matches, so that none comes twice.
    first = planned.index * spec.match_openings
    games: list[GameJob] = []
    for index in range(first, first + spec.match_openings):
        games += _games(spec, planned, what, index, len(games))
    return MatchJob(
        match=planned.match,
        entrants=planned.table,
        games=tuple(games),
        settings=spec.settings,
    )


def _games(
    spec: Spec, planned: Planned, what: Sequence[str], index: int, before: int
) -> list[GameJob]:
    """Return the games of one opening, the table's `index`th; `before` games precede them."""
    seats = len(planned.table)
    occasion = keyed(spec.seed, "occasion", seats, *what, index, size=16).hex()
    opening, position = _opening(spec, seats, occasion, index, what)
    return [
        GameJob(
            game=game_id(spec.seed, planned.match, before + number),
            seating=seating,
            seed=game_seed(spec.seed, occasion, number),
            opening=opening,
            position=position,
        )
        for number, seating in enumerate(seatings(spec.seating, seats))
    ]


def _opening(
    spec: Spec, seats: int, occasion: str, index: int, what: Sequence[str]
) -> tuple[str, dict[str, Any] | None]:
    """Return the name and the position that a table's `index`th opening starts from."""
    rounds = opening_rounds(spec.openings)
    if rounds:
        position = random_opening(spec.settings.rules, seats, rounds, occasion)
        return f"random-{rounds}-{occasion[:12]}", position
    fitting = [n for n, position in enumerate(spec.positions) if position["seats"] == seats]
    if not fitting:
        return "", None
    start = Chance(spec.seed, "file", *what).below(len(fitting))
    number = fitting[(start + index) % len(fitting)]
    return f"file-{number}", spec.positions[number]
