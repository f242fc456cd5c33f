"""Simulated worlds with known strengths, played by the project's own schedules.

A world deals out strengths and says how likely each seat of a table is to win. The truth that
ratings are held against is the Plackett–Luce fit to the world's exact chances at all tables. For
worlds that follow the model, that is the strengths themselves; for others, the best it can say.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from niagara_arena.ratings.columns import Columns, Floats, Ints
from niagara_arena.ratings.likelihood import model
from niagara_arena.records import RatedGame, Standing
from niagara_arena.schedule.round_robin import round_robin
from niagara_arena.schedule.seating import seatings

__all__ = ["WORLDS", "Played", "World", "play"]


@dataclass(frozen=True)
class World:
    """Say how a world works."""

    name: str
    bots: int = 12
    seats: int = 4
    spread: float = 0.7
    """Standard deviation of strengths."""
    seating: str = "single"
    seat_worth: tuple[float, ...] = ()
    together: float = 0.0
    """How much an opening suits a bot, in all its games from there (standard deviation)."""
    matchups: float = 0.0
    """How much a bot suits another, whatever their strengths (standard deviation): intransitive."""
    deterministic: bool = False
    """Whether a table, opening and seating always give the same game."""
    openings: int = 0
    """How many openings there are; 0: as many as wanted."""
    openings_per_match: int = 1
    """How many openings a table plays through its seating when it meets: more, so fewer tables."""


WORLDS = (
    World("as the model"),
    World("wide field", bots=20, seats=5, spread=1.5),
    World("equals", spread=0.15),
    World("seats matter", seating="rotations", seat_worth=(0.5, 0.1, -0.2, -0.4)),
    World("openings matter", seating="rotations", together=1.0),
    World("intransitive", seating="rotations", matchups=1.0),
    World("long matches", seating="rotations", matchups=1.0, openings_per_match=4),
    World("deterministic", seating="rotations", together=1.0, deterministic=True),
)


_SCHEDULES = 16
"""How many schedules of a kind are made, which takes long where the field is large. Worlds share
them: strengths and ids are dealt to the bots of a schedule by the world's own luck."""


@dataclass(frozen=True)
class Played:
    """Hold a world's games and its truth."""

    bots: tuple[str, ...]
    truth: Floats
    """By bot: strength, with mean 0."""
    games: list[RatedGame]


class _Nature:
    """Hold what a world has dealt out."""

    def __init__(self, world: World, rng: np.random.Generator) -> None:
        self.world, self.rng = world, rng
        self.strength = rng.normal(0, world.spread, world.bots)
        likes = rng.normal(0, 1, (world.bots, world.bots))
        self.matchup = world.matchups * (likes - likes.T) / np.sqrt(2)
        worth = world.seat_worth or (0.0,) * world.seats
        self.worth = np.array(worth)

    def lean(self, tables: Ints) -> Floats:
        """Return what each seat of each table brings, seats' worth and luck aside."""
        against = self.matchup[tables[:, :, None], tables[:, None, :]].sum(2)
        return np.asarray(self.strength[tables] + against / (self.world.seats - 1))

    def luck(self, *key: object) -> np.random.Generator:
        """Return fresh luck, or the same for the same key where nothing is left to chance."""
        if not self.world.deterministic:
            return self.rng
        salt = self.strength.tobytes() + repr(key).encode()
        return np.random.default_rng(int.from_bytes(hashlib.sha256(salt).digest()[:8], "big"))

    def truth(self) -> Floats:
        """Fit the model to the exact chances at all tables."""
        world = self.world
        if not (world.together or world.matchups):
            return np.asarray(self.strength - self.strength.mean())
        tables = np.array(list(combinations(range(world.bots), world.seats)))
        if len(tables) > 2000:
            tables = tables[np.random.default_rng(1).permutation(len(tables))[:2000]]
        lean = self.lean(tables)[:, None, :]
        noise = np.random.default_rng(2).normal(0, world.together, (len(tables), 60, world.seats))
        force = np.exp(lean + noise)
        chances = (force / force.sum(2, keepdims=True)).mean(1)
        return _projected(tables, chances, world)


def _projected(tables: Ints, chances: Floats, world: World) -> Floats:
    games, seats = tables.shape
    none = np.zeros(games, dtype=np.int64)
    data = Columns(
        bots=tuple(map(str, range(world.bots))),
        kinds=(("base", seats),),
        games=games,
        size=none + seats,
        kind=none,
        cluster=none,
        table=none,
        game=np.repeat(np.arange(games), seats),
        bot=tables.ravel(),
        seat=np.tile(np.arange(seats), games),
        placing=np.ones(games * seats, dtype=np.int64),
        share=chances.ravel(),
    )
    laid, theta = model(data, seat_terms=False), np.zeros(world.bots)
    for _ in range(30):
        p = laid.chances(theta)
        theta = theta + np.linalg.solve(
            laid.information(p) + 1e-6 * np.eye(world.bots), laid.score(p) - 1e-6 * theta
        )
    return np.asarray(theta - theta.mean())


def play(world: World, games_per_bot: int, seed: int) -> Played:
    """Deal out a world and play a round robin in it."""
    rng = np.random.default_rng(seed)
    nature = _Nature(world, rng)
    rows = seatings(world.seating, world.seats)
    blocks = _blocks(world, games_per_bot, seed % _SCHEDULES)
    bots = tuple(hashlib.sha256(f"{seed} {i}".encode()).hexdigest() for i in range(world.bots))
    games: list[RatedGame] = []
    for block, tables in enumerate(blocks):
        for table in tables:
            first = block * world.openings_per_match
            for opening in range(first, first + world.openings_per_match):
                _play_table(nature, table, opening, rows, bots, games)
    order = np.argsort(np.array(bots))
    truth = nature.truth()
    return Played(tuple(sorted(bots)), truth[order], games)


@cache
def _blocks(world: World, games_per_bot: int, seed: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return the tables of each block of a round robin."""
    rows, each = len(seatings(world.seating, world.seats)), world.openings_per_match
    blocks = round_robin(world.bots, world.seats, rows, games_per_bot, f"{seed}", openings=each)
    return tuple(tuple(tables) for tables in blocks)


def _play_table(
    nature: _Nature,
    table: tuple[int, ...],
    opening: int,
    rows: tuple[tuple[int, ...], ...],
    bots: tuple[str, ...],
    games: list[RatedGame],
) -> None:
    world = nature.world
    opening = opening % world.openings if world.openings else len(games)
    members = np.array(table)
    lean = nature.lean(members[None, :])[0]
    if world.together:
        luck = nature.luck("opening", sorted(table), opening)
        lean = lean + luck.normal(0, world.together, world.seats)
    finished, none = (Standing.FINISHED,) * world.seats, (0,) * world.seats
    for row in rows:
        seated = members[list(row)]
        luck = nature.luck("game", sorted(table), opening, seated.tolist())
        force = lean[list(row)] + nature.worth + luck.gumbel(size=world.seats)
        placings = np.empty(world.seats, dtype=np.int64)
        placings[np.argsort(-force)] = np.arange(1, world.seats + 1)
        number = len(games)
        print_ = f"{opening} {seated.tolist()}" if world.deterministic else f"{number}"
        games.append(
            RatedGame(
                tournament="world",
                tournament_order=0,
                order=number,
                game=f"g-{number:016x}",
                rules="base",
                seats=tuple(bots[i] for i in seated),
                winners=(int(np.argmax(force)),),
                placings=tuple(placings.tolist()),
                cluster=f"{sorted(table)} {opening}",
                fingerprint=print_,
                verdicts=finished,
                faults=none,
                day="2026-01-01",
            )
        )
