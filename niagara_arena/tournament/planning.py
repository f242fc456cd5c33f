"""What a tournament is fixed by, as facts; and whether a stored one is the one that is meant."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from niagara_arena import __version__
from niagara_arena.errors import InputError
from niagara_arena.records import RECORD_FORMAT, Settings
from niagara_arena.rules import RULES_VERSION
from niagara_arena.schedule.balance import Balance, balances
from niagara_arena.schedule.heats import heat_count, next_heat
from niagara_arena.schedule.plan import Numbering, Planned, fixed_plan, numbered, plan_tables
from niagara_arena.schedule.spec import Entrant, Spec, check_spec
from niagara_arena.store import TournamentFacts

__all__ = ["differences", "epoch_of", "first_plan", "make_facts", "tournament_hash"]

_JSON = msgspec.json.Encoder(order="deterministic")


def epoch_of(settings: Settings) -> str:
    """Return a name for one behaviour of rules and settings; another behaviour, another name."""
    said = [RULES_VERSION, RECORD_FORMAT, settings]
    digest = hashlib.sha256(_JSON.encode(said)).hexdigest()[:12]
    return f"{settings.rules}-{settings.profile}-{digest}"


def tournament_hash(spec: Spec, entrants: Sequence[Entrant]) -> str:
    """Return a hash of all that decides what is played."""
    who = [[e.submission, e.owner, e.params] for e in entrants]
    said = [__version__, RULES_VERSION, spec, who]
    return hashlib.sha256(_JSON.encode(said)).hexdigest()


def first_plan(spec: Spec, entrants: Sequence[Entrant]) -> tuple[list[Planned], list[Balance], int]:
    """Return the schedule as far as it is known, its balance, and the number of heats."""
    check_spec(spec, len(entrants))
    if spec.format == "swiss":
        heats = heat_count(spec, len(entrants))
        planned = Numbering(spec).plan(0, next_heat(spec, entrants, [], 0))
    else:
        planned = fixed_plan(spec, entrants)
        heats = planned[-1].heat + 1
    owners = {e.submission: e.owner for e in entrants}
    tables = plan_tables(planned)
    found = balances(tables, list(owners), spec.seating, owners, spec.match_openings)
    return planned, found, heats


def make_facts(name: str, spec: Spec, entrants: Sequence[Entrant]) -> TournamentFacts:
    """Return what is fixed when a tournament begins, entrants in the order of their numbers."""
    if not name or len(name) > 100 or not name.isprintable() or name != name.strip():
        raise InputError(f"`{name[:100]}` is no name for a tournament")
    order = numbered(entrants, spec)
    _, balance, _ = first_plan(spec, order)
    return TournamentFacts(
        name=name,
        spec=spec,
        entrants=tuple(order),
        arena=__version__,
        rules_version=RULES_VERSION,
        epoch=epoch_of(spec.settings),
        hash=tournament_hash(spec, order),
        balance=_JSON.encode(balance).decode(),
    )


def differences(stored: TournamentFacts, meant: TournamentFacts) -> list[str]:
    """Say in what a stored tournament differs from the one that is meant."""
    found = []
    for what in ("arena", "rules_version"):
        if getattr(stored, what) != getattr(meant, what):
            found.append(f"{what}: {getattr(stored, what)} is stored, {getattr(meant, what)} now")
    old, new = _said(stored.spec), _said(meant.spec)
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            found.append(f"{key}: {old.get(key)!r} is stored, {new.get(key)!r} now")
    return found + _entrant_differences(stored.entrants, meant.entrants)


def _said(spec: Spec) -> dict[str, object]:
    """Return all settings by name, with the default that a spec leaves unsaid."""
    return _flat(msgspec.to_builtins(spec)) | {"openings_per_match": spec.match_openings}


def _entrant_differences(stored: Sequence[Entrant], meant: Sequence[Entrant]) -> list[str]:
    old = {entrant.submission: entrant for entrant in stored}
    new = {entrant.submission: entrant for entrant in meant}
    found = []
    for submission in sorted(old.keys() | new.keys()):
        a, b = old.get(submission), new.get(submission)
        if a is None and b is not None:
            found.append(f"bot {b.name} {b.version} ({submission[:12]}) is new")
        elif b is None and a is not None:
            found.append(f"bot {a.name} {a.version} ({submission[:12]}) is missing or has changed")
        elif a is not None and b is not None and (a.owner, a.params) != (b.owner, b.params):
            found.append(f"bot {b.name} ({submission[:12]}) has another owner or other parameters")
    return found


def _flat(value: object, path: str = "") -> dict[str, object]:
    if not isinstance(value, dict):
        return {path: value}
    flat: dict[str, object] = {}
    for key, inner in value.items():
        flat |= _flat(inner, f"{path}.{key}" if path else str(key))
    return flat
