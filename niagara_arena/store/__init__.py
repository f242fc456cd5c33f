"""The database: one SQLite file that holds many tournaments, their schedules and every game.

    with open_store(path, write=True) as store:      # one writer at a time; readers are free
        store.writer.add_match(…)
    for game in open_store(path).rated_games(tournament="spring"):
        …

Facts are only ever added. What ratings need of a game lies in narrow rows; its record lies beside
them, packed. What differs from run to run (times, logs, incidents) is kept apart from the facts.
"""

from __future__ import annotations

from niagara_arena.store.database import DEFAULT_DATABASE, StoreBusy, StoreDamaged, StoreFull
from niagara_arena.store.facts import EndState, GameFacts, MatchEnd, TournamentFacts
from niagara_arena.store.people import Person, Roster, RosterEntry
from niagara_arena.store.rows import GameRow, MatchRow, TournamentRow
from niagara_arena.store.store import Store, open_store

__all__ = [
    "DEFAULT_DATABASE",
    "EndState",
    "GameFacts",
    "GameRow",
    "MatchEnd",
    "MatchRow",
    "Person",
    "Roster",
    "RosterEntry",
    "Store",
    "StoreBusy",
    "StoreDamaged",
    "StoreFull",
    "TournamentFacts",
    "TournamentRow",
    "open_store",
]
