"""The leaderboard as data: rows in order, with all that a table or a page may show.

The strict order is for prizes and by a stated measure; the *rank* is by strength and is shared
where the games can't separate (`standing.py`). Ties in the measure are broken by the others in
turn: TrueSkill's mu − 3 sigma, strength, mean placing, wins, then the bot's id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from msgspec import Struct

from niagara_arena.ratings.columns import columns
from niagara_arena.ratings.facts import ALL, Facts, Selection, select
from niagara_arena.ratings.kept import Kept
from niagara_arena.ratings.settle import EPSILON, Outlook, outlook
from niagara_arena.ratings.skill import Skill, SkillState, rate
from niagara_arena.ratings.standing import SeatEffect, Standing, seat_effects, standings
from niagara_arena.ratings.strength import Strengths, fit_columns
from niagara_arena.ratings.tally import Tally, tallies
from niagara_arena.records import RatedGame

__all__ = ["Bot", "By", "Leaderboard", "Row", "labels", "leaderboard", "left_out"]


_ID = 12
"""How much of an id is shown where a name will not do."""


class Bot(Struct, frozen=True):
    """Say who a submission is, for people."""

    name: str
    version: str = ""
    author: str = ""


def labels(bots: Mapping[str, Bot]) -> dict[str, str]:
    """Return a name for every submission that no other of them has.

    The name alone if it is the only one so called, else with the version, else with the beginning
    of the id: an author may hand in something else under the same name and version.
    """
    names = Counter(bot.name for bot in bots.values())
    versions = Counter((bot.name, bot.version) for bot in bots.values())
    found = {}
    for submission, bot in bots.items():
        if names[bot.name] == 1:
            found[submission] = bot.name
        elif versions[bot.name, bot.version] == 1 and bot.version:
            found[submission] = f"{bot.name}@{bot.version}"
        else:
            found[submission] = f"{bot.name}@{submission[:_ID]}"
    return found


class By(StrEnum):
    """Name a measure to order by."""

    TRUESKILL = "trueskill"
    STRENGTH = "strength"
    PLACING = "placing"
    WINS = "wins"


@dataclass(frozen=True)
class Row:
    """Hold one bot's line."""

    order: int
    """Place in the strict order, from 1."""
    bot: Bot
    skill: Skill
    standing: Standing
    tally: Tally


@dataclass(frozen=True)
class Leaderboard:
    """Hold the rows and what must be said with them."""

    rows: tuple[Row, ...]
    by: By
    facts: Facts
    seats: int
    """The table size that win chances are for: the commonest."""
    outlook: Outlook
    seat_effects: tuple[SeatEffect, ...]
    notes: tuple[str, ...]
    """Sentences that must be read with the table."""
    kept: Kept
    """What to keep for the next time."""


def leaderboard(
    games: Iterable[RatedGame],
    bots: Mapping[str, Bot] | None = None,
    *,
    selection: Selection = ALL,
    by: By = By.TRUESKILL,
    epsilon: float = EPSILON,
    kept: Kept | None = None,
) -> Leaderboard:
    """Rate the games and put the bots in order."""
    facts = select(games, selection)
    data = columns(facts)
    skills = rate(facts, kept.skills if kept else None)
    strengths = kept.strengths_for(skills.digest) if kept else None
    if strengths is None:
        strengths = fit_columns(data)
    seats = _commonest_size(facts)
    known = bots or {}
    counted = tallies(facts, data)
    lines = [
        (known.get(s.bot, Bot(s.bot[:_ID])), skills.of(s.bot), s, counted[s.bot])
        for s in standings(strengths, seats)
    ]
    lines.sort(key=_key(by))
    return Leaderboard(
        rows=tuple(Row(order, *line) for order, line in enumerate(lines, 1)),
        by=by,
        facts=facts,
        seats=seats,
        outlook=outlook(strengths, epsilon),
        seat_effects=tuple(seat_effects(strengths)),
        notes=tuple(_notes(facts, strengths, skills, known)),
        kept=Kept.of(skills, strengths),
    )


_Line = tuple[Bot, Skill, Standing, Tally]


def _key(by: By) -> Callable[[_Line], tuple[float | str, ...]]:
    """Return the sort key: the measure asked for, then the others, then the id."""
    measures: dict[By, Callable[[_Line], float]] = {
        By.TRUESKILL: lambda line: -line[1].low,
        By.STRENGTH: lambda line: -line[2].strength,
        By.PLACING: lambda line: line[3].mean_placing,
        By.WINS: lambda line: -line[3].wins,
    }
    order = [by, *(other for other in measures if other is not by)]
    return lambda line: (*(measures[m](line) for m in order), line[2].bot)


def _commonest_size(facts: Facts) -> int:
    """Return the table size that most games have; the smaller one of equals."""
    sizes: dict[int, int] = {}
    for game in facts.games:
        sizes[len(game.seats)] = sizes.get(len(game.seats), 0) + 1
    return min(sizes, key=lambda size: (-sizes[size], size)) if sizes else 0


def left_out(facts: Facts) -> Iterable[str]:
    """Say which games do not count, and why."""
    for count, what in (
        (facts.void, "void"),
        (facts.annulled, "annulled"),
        (facts.duplicates, "a repetition of an earlier game"),
    ):
        if count:
            yield f"{count} {'game is' if count == 1 else 'games are'} {what}, not counted"


def _notes(
    facts: Facts, strengths: Strengths, skills: SkillState, bots: Mapping[str, Bot]
) -> Iterable[str]:
    if len(strengths.parts) > 1:
        named = labels(bots)
        parts = "; ".join(_some(part, named) for part in strengths.parts)
        yield (
            f"no chain of games connects {len(strengths.parts)} parts of the field: {parts}; "
            "order and ranks between them are guesses"
        )
    yield from left_out(facts)
    if len(sizes := {kind[0] for kind in strengths.kinds}) > 1:
        yield f"rulesets are mixed: {', '.join(sorted(sizes))}"
    if skills.skipped:
        first = skills.skipped[0]
        yield f"{len(skills.skipped)} not in TrueSkill, first `{first.game}`: {first.why}"


def _some(part: tuple[str, ...], labelled: Mapping[str, str], most: int = 4) -> str:
    names = [labelled.get(bot, bot[:_ID]) for bot in part[:most]]
    more = f" and {len(part) - most} more" if len(part) > most else ""
    return ", ".join(names) + more
