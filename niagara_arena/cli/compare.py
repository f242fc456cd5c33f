"""`niagara compare`: is one bot better than another? Paired games until that is known."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

# Many small matrices: threads of the linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from niagara_arena.cli.exits import Exit
from niagara_arena.cli.options import sandbox_option, set_option, settings_from
from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, show
from niagara_arena.cli.preparing import launch_of
from niagara_arena.cli.references import BOT
from niagara_arena.cli.starting import Start, read_openings
from niagara_arena.cli.terminal import Terminal
from niagara_arena.match import Contestant, play_match
from niagara_arena.ratings.trial import Judgement, Plan, Score, Verdict, judge, score
from niagara_arena.records import GameJob, GameRecord, MatchJob, Settings
from niagara_arena.referee import PROFILES
from niagara_arena.replay.codec import fingerprint
from niagara_arena.rules import RULESETS
from niagara_arena.sandbox import Backend, choose
from niagara_arena.schedule.seating import SEATING_KINDS, seatings
from niagara_arena.schedule.seeds import game_id, game_seed, match_id
from niagara_arena.submissions import load, resolve_params

__all__ = ["compare"]

MOST_BLOCKS_TOGETHER = 8
"""How many blocks are played before the next look; processes live through them all."""
PATIENCE = 3
"""So many blocks in a row that repeat earlier games end the trial."""

COLUMNS: tuple[Column, ...] = (
    Column("verdict"),
    Column("a"),
    Column("b"),
    Column("difference", "B − A", "+z.3f"),
    Column("low", "from", "+z.3f"),
    Column("high", "to", "+z.3f"),
    Column("confidence", "sure", ".0%"),
    Column("score_a", "A", ".3f"),
    Column("score_b", "B", ".3f"),
    Column("blocks"),
    Column("games"),
    Column("evidence", "evidence", ".3g"),
    Column("counter_evidence", "against", ".3g"),
    Column("score"),
    Column("margin"),
    Column("alpha"),
    Column("power"),
    Column("seed"),
)
SHOWN = "verdict a b difference low high confidence score_a score_b blocks games".split()


@click.command()
@click.argument("a", metavar="A", type=BOT)
@click.argument("b", metavar="B", type=BOT)
@click.option(
    "--against",
    type=BOT,
    multiple=True,
    required=True,
    metavar="BOT",
    help="An opponent. Repeat for more.",
)
@click.option(
    "--rules",
    type=click.Choice(tuple(RULESETS)),
    default="base",
    show_default=True,
    help="Which game to play.",
)
@click.option(
    "--margin",
    type=float,
    default=0.05,
    show_default=True,
    help="The difference in mean score that must not be missed.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Chance of a false yes.")
@click.option(
    "--power", type=float, default=0.95, show_default=True, help="Chance to find the margin."
)
@click.option(
    "--score",
    "kind",
    type=click.Choice([kind.value for kind in Score]),
    default=Score.WINS.value,
    show_default=True,
    help="What a game is worth: the win alone, or the placing.",
)
@click.option(
    "--seating",
    type=click.Choice(SEATING_KINDS),
    default="rotations",
    show_default=True,
    help="The games of a table: one, everybody in every seat, or every neighbour order too.",
)
@click.option(
    "--openings",
    default="random:2",
    show_default=True,
    metavar="none|random:N|FILE",
    help="Where games start, as in `niagara play`.",
)
@click.option(
    "--max-games",
    type=click.IntRange(2),
    default=4000,
    show_default=True,
    help="Give up, undecided, before more games than this.",
)
@click.option("--seed", help="The same seed gives the same trial. Random if left out.")
@click.option(
    "--profile",
    type=click.Choice(tuple(PROFILES)),
    default="standard",
    show_default=True,
    help="What faults cost and how much time there is.",
)
@set_option
@sandbox_option
@format_options
@click.pass_obj
def compare(
    terminal: Terminal,
    a: str,
    b: str,
    against: tuple[str, ...],
    rules: str,
    margin: float,
    alpha: float,
    power: float,
    kind: str,
    seating: str,
    openings: str,
    max_games: int,
    seed: str | None,
    profile: str,
    changes: dict[str, Any],
    sandbox: str,
    output_format: Format,
) -> Exit:
    """Find out whether one bot is better than another.

    A and B meet the same opponents at the same tables, in the same seats, with the same seeds and
    openings, until it is known whether B is better than A. A B that is no better is called better
    with a chance of at most ALPHA; a B that is better by MARGIN is found with a chance of POWER.
    Exits with 0 if B is better, else with 1.

    \b
    Examples:
      niagara compare @random @homing --against @random --against @random --max-games 12 \\
        --seed 7 --sandbox none  # exit 1
    """
    plan = Plan(margin, alpha, power, Score(kind))
    low, high = RULESETS[rules].seat_counts[0], RULESETS[rules].seat_counts[-1]
    if not low <= len(against) + 1 <= high:
        raise click.UsageError(
            f"{rules} is played by {low} to {high} bots: give {low - 1} to {high - 1} --against"
        )
    block = 2 * len(seatings(seating, len(against) + 1))
    if max_games < block:
        raise click.UsageError(
            f"--max-games {max_games} is less than one block: "
            f"both bots in all seatings are {block} games"
        )
    settings = settings_from(profile, changes, rules=rules)
    backend = choose(sandbox)
    one, other, *rest = (_contestant(text, backend, terminal) for text in (a, b, *against))
    key = seed if seed is not None else secrets.token_hex(16)
    trial = _Trial((one, other), rest, settings, backend, plan, seating, openings, key)
    judgement, why = _run(terminal, trial, max_games)
    show(_listing(trial, judgement, key, output_format), output_format)
    terminal.note(f"{_told(judgement, trial)}{why}; sandbox {backend.level}, seed {key}")
    return Exit.DONE if judgement.verdict is Verdict.BETTER else Exit.NO


def _contestant(text: str, backend: Backend, terminal: Terminal) -> Contestant:
    """Prepare one bot; what can't be built can't be compared."""
    bot = load(text)
    params: dict[str, Any] = dict(resolve_params(bot, {}))
    launch = launch_of(bot, backend, terminal)
    return Contestant(bot.id, bot.name, bot.version, params, launch)


@dataclass
class _Trial:
    """Hold a trial under way."""

    rivals: tuple[Contestant, Contestant]
    others: Sequence[Contestant]
    settings: Settings
    backend: Backend
    plan: Plan
    seating: str
    openings: str
    seed: str
    played: int = 0
    """Blocks played, counted or not."""
    games: int = 0
    repeated: int = 0
    """Blocks in a row that repeated earlier games."""
    voided: int = 0
    differences: list[float] = field(default_factory=list)
    scores: list[tuple[float, float]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    starts: list[Start] = field(default_factory=list)

    @property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        return seatings(self.seating, len(self.others) + 1)

    def block_games(self) -> int:
        """Return how many games a block takes, both rivals together."""
        return 2 * len(self.rows)

    def play(self, blocks: int) -> None:
        """Play so many blocks with both rivals and take in what they tell."""
        first = self.played
        results = [list(self._play(rival, first, blocks)) for rival in self.rivals]
        for mine, theirs in zip(*results, strict=True):
            self._take(mine, theirs)
        self.played += blocks

    def _play(self, rival: Contestant, first: int, blocks: int) -> Iterator[list[GameRecord]]:
        """Play a rival's part of the blocks; only who sits at its place depends on the rival."""
        table = [rival, *self.others]
        rows = self.rows
        starts = self._starts(first + blocks)[first : first + blocks]
        ids = tuple(contestant.submission for contestant in table)
        jobs = []
        for block, (name, position) in enumerate(starts, first):
            for place, row in enumerate(rows):
                index = block * len(rows) + place
                seed = game_seed(self.seed, "compare", index)
                game = game_id(seed, rival.submission, index)
                jobs.append(GameJob(game, row, seed, name, position))
        job = MatchJob(match_id(self.seed, ids, first), ids, tuple(jobs), self.settings)
        records = play_match(job, table, self.backend)
        self.games += len(records)
        for begin in range(0, len(records), len(rows)):
            yield records[begin : begin + len(rows)]

    def _starts(self, blocks: int) -> list[Start]:
        """Return where the first blocks start; made in growing batches, as it takes time."""
        if len(self.starts) < blocks:
            count = max(blocks, 2 * len(self.starts))
            seats = len(self.others) + 1
            self.starts = read_openings(self.openings, self.settings.rules, seats, self.seed, count)
        return self.starts

    def _take(self, mine: list[GameRecord], theirs: list[GameRecord]) -> None:
        """Count a block, unless a game of it is void or all of it was seen before."""
        if any(record.end.void is not None for record in (*mine, *theirs)):
            self.voided += 1
            return
        prints = {fingerprint(record) for record in (*mine, *theirs)}
        if prints <= self.seen:
            self.repeated += 1
            return
        self.seen |= prints
        self.repeated = 0
        a, b = (self._mean(records) for records in (mine, theirs))
        self.scores.append((a, b))
        self.differences.append(b - a)

    def _mean(self, records: list[GameRecord]) -> float:
        """Return the mean score of the rival, who is the table's first member."""
        found = [
            score(record.end.placings, row.index(0), self.plan.score)
            for record, row in zip(records, self.rows, strict=True)
        ]
        return sum(found) / len(found)


def _run(terminal: Terminal, trial: _Trial, max_games: int) -> tuple[Judgement, str]:
    """Play until it is decided; say what else ended it."""
    together = 1
    while True:
        judgement = judge(trial.differences, trial.plan)
        standing = (
            f"{trial.games} games: B − A {judgement.mean:+z.3f}, "
            f"{judgement.low:+z.3f} to {judgement.high:+z.3f}"
        )
        if trial.games:
            terminal.detail(standing)
        if judgement.verdict is not Verdict.OPEN:
            return judgement, ""
        left = (max_games - trial.games) // trial.block_games()
        if left < 1:
            return judgement, f" after {trial.games} games, the most allowed"
        if trial.repeated >= PATIENCE:
            return judgement, ": games only repeat, there is no new information"
        try:
            trial.play(min(together, left))
        except KeyboardInterrupt:
            if trial.scores:
                terminal.note(f"undecided after {standing}")
            raise
        together = min(together * 2, MOST_BLOCKS_TOGETHER)
        if trial.voided:
            terminal.warn(f"{trial.voided} blocks held a void game and do not count")
            trial.voided = 0


def _listing(trial: _Trial, found: Judgement, seed: str, output_format: Format) -> Listing:
    counted = trial.scores[: found.blocks]
    means = [sum(pair[i] for pair in counted) / len(counted) if counted else 0.0 for i in (0, 1)]
    row: dict[str, Cell] = {
        "verdict": found.verdict.value,
        "a": trial.rivals[0].name,
        "b": trial.rivals[1].name,
        "difference": round(found.mean, 6),
        "low": round(found.low, 6),
        "high": round(found.high, 6),
        "confidence": round(found.confidence, 6),
        "score_a": round(means[0], 6),
        "score_b": round(means[1], 6),
        "blocks": found.blocks,
        "games": trial.games,
        "evidence": round(found.evidence, 6),
        "counter_evidence": round(found.counter_evidence, 6),
        "score": trial.plan.score.value,
        "margin": trial.plan.margin,
        "alpha": trial.plan.alpha,
        "power": trial.plan.power,
        "seed": seed,
    }
    columns = COLUMNS
    if output_format in (Format.TABLE, Format.MARKDOWN):
        columns = tuple(column for column in COLUMNS if column.name in SHOWN)
        row = {name: row[name] for name in SHOWN}
    return Listing("compare", 1, columns, [row])


def _told(found: Judgement, trial: _Trial) -> str:
    a, b = (rival.name for rival in trial.rivals)
    match found.verdict:
        case Verdict.BETTER:
            return f"{b} is better than {a}"
        case Verdict.NOT_BETTER if found.high < 0:
            return f"{b} is worse than {a}"
        case Verdict.NOT_BETTER:
            return f"{b} is not better than {a} by {trial.plan.margin:g}"
        case _:
            return "undecided"
