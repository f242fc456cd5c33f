"""From what the organiser names to entrants that can be started: loaded, built, owned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from niagara_arena.errors import ArenaError, InputError
from niagara_arena.match import Contestant, play_match
from niagara_arena.records import GameRecord, MatchJob
from niagara_arena.sandbox import Backend
from niagara_arena.schedule.spec import Entrant, check_spec
from niagara_arena.store.people import Roster, RosterEntry, pseudonym
from niagara_arena.submissions import (
    Submission,
    bundled_bots,
    default_cache,
    load,
    open_cache,
    prepare,
    resolve_params,
)
from niagara_arena.tournament.config import Config, make_spec
from niagara_arena.tournament.workers import Player, PlayerFactory

__all__ = ["Field", "LeftOut", "enter", "expand", "match_players"]

MANIFEST = "bot.toml"


class LeftOut(Struct, frozen=True):
    """Say why a bot does not take part."""

    reference: str
    reason: str


class Field(Struct, frozen=True):
    """Hold everybody who takes part."""

    entrants: tuple[Entrant, ...]
    submissions: dict[str, Submission]
    contestants: dict[str, Contestant]
    left_out: tuple[LeftOut, ...]
    references: dict[str, str] = {}
    """Submission → how it was named, paths from the root."""
    challengers: tuple[str, ...] = ()
    """Submissions' ids."""
    owners: tuple[tuple[str, RosterEntry], ...] = ()
    """Pseudonyms with what the roster says of them."""
    lines: tuple[tuple[str, str, str], ...] = ()
    """Pseudonym, line, submission."""


def expand(references: Iterable[str]) -> list[str]:
    """Return bots' references: a folder without a bot.toml stands for the bots in it."""
    found: list[str] = []
    for reference in references:
        path = Path(reference)
        if reference == "@*":
            found += [f"@{name}" for name in bundled_bots()]
        elif path.is_dir() and not (path / MANIFEST).is_file():
            inside = sorted(str(p) for p in path.iterdir() if (p / MANIFEST).is_file())
            if not inside:
                raise InputError(
                    f"`{reference}` has no `bot.toml`, nor has any folder in it",
                    "name a bot's folder, or one that holds bots' folders",
                )
            found += inside
        else:
            found.append(reference)
    return list(dict.fromkeys(found))


def enter(
    config: Config,
    backend: Backend | None,
    roster: tuple[Roster, Path] | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Field:
    """Load and build everybody; who can't be is left out, or stops it all by `require_all`.

    Without a back end nothing is built: enough for a plan. What takes a while is told. What can't
    be played is refused before anything is built.
    """
    if backend is not None:
        open_cache(default_cache())  # what is wrong with it is nobody's fault: say it once
    left_out: list[LeftOut] = []

    def leave_out(reference: str, error: ArenaError) -> None:
        if config.require_all:
            raise error
        left_out.append(LeftOut(reference, str(error)))

    submissions: dict[str, Submission] = {}
    references: dict[str, str] = {}
    for reference in expand(dict.fromkeys((*config.bots, *config.challengers))):
        try:
            submission = load(reference)
            if submission.id in submissions:
                twin = submissions[submission.id].name
                raise InputError(
                    f"it is the same, file for file, as {twin}", "leave one of the two out"
                )
        except ArenaError as error:
            leave_out(reference, error)
            continue
        submissions[submission.id] = submission
        references[submission.id] = reference
    given = _params(config, submissions)
    challengers = _challengers(config, submissions)
    if not left_out:  # else it is said first who is
        check_spec(make_spec(config, config.seed or "any", challengers), len(submissions))
    contestants: dict[str, Contestant] = {}
    if backend is not None:
        for name, submission in list(submissions.items()):
            try:
                contestants[name] = _contestant(submission, given[name], backend, tell)
            except ArenaError as error:
                leave_out(references[name], error)
                del submissions[name]
    owned = _owned(roster, submissions) if roster is not None else {}
    entrants = tuple(
        Entrant(
            submission=name,
            name=submission.name,
            version=submission.version,
            owner=owned[name][0] if name in owned else "",
            params=given[name],
        )
        for name, submission in sorted(submissions.items())
    )
    owners = tuple((pseudonym(roster[0].salt, e.key), e) for e in roster[0].owner) if roster else ()
    return Field(
        entrants=entrants,
        submissions=submissions,
        contestants=contestants,
        left_out=tuple(left_out),
        references={name: _placed(references[name]) for name in submissions},
        challengers=tuple(name for name in challengers if name in submissions),
        owners=owners,
        lines=tuple((owner, line, name) for name, (owner, line) in sorted(owned.items())),
    )


def _contestant(
    submission: Submission,
    params: Mapping[str, Any],
    backend: Backend,
    tell: Callable[[str], None],
) -> Contestant:
    on_build = partial(tell, f"building {submission.name}")
    launch = prepare(submission, backend, on_build=on_build).launch()
    return Contestant(submission.id, submission.name, submission.version, dict(params), launch)


def _params(config: Config, submissions: Mapping[str, Submission]) -> dict[str, dict[str, Any]]:
    """Return each bot's parameters; what the organiser says wrongly is no bot's fault."""
    names = {submission.name for submission in submissions.values()}
    for name in config.params:
        if name not in names:
            raise InputError(
                f"`params.{name}`: no bot here is called {name}",
                "use the name that stands in its `bot.toml`",
            )
    return {
        name: dict(resolve_params(submission, config.params.get(submission.name, {})))
        for name, submission in submissions.items()
    }


def _placed(reference: str) -> str:
    """Return how a bot was named, a path from the root."""
    here = Path(reference)
    return str(here.resolve()) if here.exists() else reference


def _challengers(config: Config, submissions: dict[str, Submission]) -> tuple[str, ...]:
    if not config.challengers:
        return ()
    asked = [load(reference).id for reference in expand(config.challengers)]
    return tuple(name for name in asked if name in submissions)


def _owned(
    roster: tuple[Roster, Path], submissions: dict[str, Submission]
) -> dict[str, tuple[str, str]]:
    """Return owner's pseudonym and line of each submission that the roster names."""
    by_place = {
        str(s.directory.resolve()): name
        for name, s in submissions.items()
        if s.directory is not None
    }
    bundled = {f"@{name}": str(path.resolve()) for name, path in bundled_bots().items()}
    found: dict[str, tuple[str, str]] = {}
    for entry in roster[0].owner:
        owner = pseudonym(roster[0].salt, entry.key)
        for line, references in entry.bots.items():
            for reference in references:
                place = bundled.get(reference, str((roster[1] / reference).resolve()))
                name = reference if reference in submissions else by_place.get(place)
                if name is not None:
                    found[name] = (owner, line)
    return found


def match_players(contestants: dict[str, Contestant], backend: Backend) -> PlayerFactory:
    """Return the factory of players that start real bots."""

    def make(core: int | None) -> Player:
        def play(job: MatchJob) -> list[GameRecord]:
            table: Sequence[Contestant] = [contestants[name] for name in job.entrants]
            return play_match(job, table, backend, core=core)

        return play

    return make
