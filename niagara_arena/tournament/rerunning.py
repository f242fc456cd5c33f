"""Play a stored game again, with the bots as they are found now, and compare."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from niagara_arena.errors import InputError
from niagara_arena.match import Contestant
from niagara_arena.records import GameRecord, MatchJob
from niagara_arena.replay.codec import decode, deterministic_part, encode
from niagara_arena.sandbox import Backend
from niagara_arena.schedule.plan import make_job
from niagara_arena.store import GameRow, Store
from niagara_arena.submissions import load, prepare
from niagara_arena.tournament.entering import expand, match_players

__all__ = ["Rerun", "rerun_game"]


_BEFORE, _AFTER = 100, 200
"""How much is shown of a line that differs, around the first difference."""


class Rerun(Struct, frozen=True):
    """Say how a game came out this time."""

    row: GameRow
    record: GameRecord
    same: bool
    difference: str
    """The first line that differs, empty if none does."""


def rerun_game(
    store: Store, tournament: int, row: GameRow, backend: Backend, bots: Sequence[str] = ()
) -> Rerun:
    """Play a game's match up to it again: bots live through all games of a match."""
    facts = store.facts(tournament)
    match = next(m for m in store.planned(tournament) if m.order == row.match_order)
    job = make_job(facts.spec, match)
    last = row.place - match.first_game
    shortened = MatchJob(job.match, job.entrants, job.games[: last + 1], job.settings)
    contestants = _find(store, tournament, job, backend, bots)
    record = match_players(contestants, backend)(None)(shortened)[last]
    level = decode(row.record).header.sandbox  # how bots were caged is no part of what they played
    same_cage = replace(record, header=replace(record.header, sandbox=level))
    old, new = deterministic_part(row.record), deterministic_part(encode(same_cage))
    return Rerun(row, record, old == new, _difference(old, new))


def _find(
    store: Store, tournament: int, job: MatchJob, backend: Backend, bots: Sequence[str]
) -> dict[str, Contestant]:
    entrants = {entrant.submission: entrant for entrant in store.entrants(tournament)}
    sources = store.sources()
    known = [sources[name] for name in job.entrants if name in sources]
    references = [*expand(bots), *(source for source in known if _there(source))]
    found: dict[str, Contestant] = {}
    for reference in dict.fromkeys(references):
        submission = load(reference)
        if submission.id in job.entrants and submission.id not in found:
            entrant = entrants[submission.id]
            launch = prepare(submission, backend).launch()
            found[submission.id] = Contestant(
                submission.id, entrant.name, entrant.version, dict(entrant.params), launch
            )
    for name in job.entrants:
        if name not in found:
            raise InputError(
                f"{entrants[name].name} ({name[:12]}) is not found as it was",
                "name the folder that holds this very version with --bots",
            )
    return found


def _there(source: str) -> bool:
    return source.startswith("@") or " " in source or Path(source).exists()


def _difference(old: bytes, new: bytes) -> str:
    lines = zip_longest(old.split(b"\n"), new.split(b"\n"), fillvalue=b"")
    for number, (a, b) in enumerate(lines, 1):
        if a != b:
            pairs = enumerate(zip(a, b, strict=False))
            common = next((n for n, (x, y) in pairs if x != y), min(len(a), len(b)))
            shown = slice(max(0, common - _BEFORE), common + _AFTER)
            was, now = (line[shown].decode("utf-8", "replace") for line in (a, b))
            return f"line {number}: it was …{was}… and is now …{now}…"
    return ""
