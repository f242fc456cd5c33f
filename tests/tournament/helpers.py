"""Set up and run a tournament of fakes in a database of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from niagara_arena.schedule.spec import Entrant, Spec
from niagara_arena.store import Store, open_store
from niagara_arena.tournament.exporting import export_facts
from niagara_arena.tournament.planning import make_facts
from niagara_arena.tournament.running import Finish, Runner, now_text
from niagara_arena.tournament.workers import PlayerFactory


def begin(store: Store, spec: Spec, field: Sequence[Entrant], name: str = "test") -> int:
    """Return the number of the tournament, begun if need be."""
    known = store.tournament_number(name)
    if known is not None:
        return known
    for entrant in field:
        store.writer.add_submission(entrant.submission, entrant.name, "1.0", "fake", ["Ann"])
    return store.writer.add_tournament(make_facts(name, spec, field), now_text())


def play(
    path: Path,
    spec: Spec,
    field: Sequence[Entrant],
    player: PlayerFactory,
    jobs: int = 1,
    name: str = "test",
    **options: Any,
) -> Finish:
    with open_store(path, write=True) as store:
        number = begin(store, spec, field, name)
        return Runner(store, number, player, [None] * jobs, **options).run("none")


def exported(path: Path, name: str = "test") -> bytes:
    with open_store(path) as store:
        return b"".join(export_facts(store, store.find_tournament(name)))
