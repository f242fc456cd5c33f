"""Begin a tournament or go on with it; refuse when it is not the same any more."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from niagara_arena.errors import InputError
from niagara_arena.store import Store, TournamentFacts
from niagara_arena.tournament.agenda import Border
from niagara_arena.tournament.config import Config, make_spec, parse_duration
from niagara_arena.tournament.entering import Field
from niagara_arena.tournament.planning import differences, make_facts
from niagara_arena.tournament.running import now_text

__all__ = ["begin_or_resume", "borders", "meant_facts", "no_news", "time_budget"]

_SHOWN = 12


def meant_facts(config: Config, field: Field, stored: TournamentFacts | None) -> TournamentFacts:
    """Return the tournament that is asked for; its seed is the stored one unless given."""
    seed = config.seed or (stored.spec.seed if stored else secrets.token_hex(16))
    return make_facts(config.name, make_spec(config, seed, field.challengers), field.entrants)


def begin_or_resume(store: Store, config: Config, field: Field) -> tuple[int, bool]:
    """Return the tournament's number, and whether it had begun before."""
    known = store.tournament_number(config.name)
    stored = store.facts(known) if known is not None else None
    facts = meant_facts(config, field, stored)
    if known is not None and stored is not None:
        if stored.hash != facts.hash:
            found = differences(stored, facts)
            shown = "\n".join(f"  {line}" for line in found[:_SHOWN])
            more = f"\n  and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            raise InputError(
                f"the tournament `{config.name}` has begun otherwise:\n{shown}{more}",
                "go on with what it was begun with, or choose another --name",
            )
        _note_sources(store, field)
        return known, True
    for owner, entry in field.owners:
        store.people.add_owner(owner, entry)
    for submission in field.submissions.values():
        store.writer.add_submission(
            submission.id,
            submission.name,
            submission.version,
            submission.language,
            submission.authors,
        )
    for owner, line, name in field.lines:
        store.people.set_line(owner, line, name)
    _note_sources(store, field)
    return store.writer.add_tournament(facts, now_text()), False


def _note_sources(store: Store, field: Field) -> None:
    for submission, reference in field.references.items():
        store.writer.found_at(submission, reference)


def time_budget(text: str, clock: Callable[[], float] = time.monotonic) -> Border:
    """Return a border that stops once so much time has passed since now."""
    seconds = parse_duration(text)
    began = clock()

    def border(heat: int, complete: int) -> str:
        return f"time budget of {text} used" if clock() - began >= seconds else ""

    return border


def no_news(store: Store, tournament: int) -> Border:
    """Return a border that stops when a whole block of games has only repeated earlier ones."""

    def border(heat: int, complete: int) -> str:
        if complete < 2 or store.new_games(tournament, complete - 1):
            return ""
        return "no new information: every game of the last block repeats an earlier one"

    return border


def borders(*several: Border | None) -> Border:
    """Return a border that stops for the first reason of several."""

    def border(heat: int, complete: int) -> str:
        for one in several:
            if one is not None and (why := one(heat, complete)):
                return why
        return ""

    return border
