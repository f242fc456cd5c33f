"""`niagara practice`: climb the bundled opponents, and learn where a bot stands."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from niagara_arena.cli.climbing import Climb, Met, rungs
from niagara_arena.cli.options import sandbox_option, set_option, settings_from
from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, show
from niagara_arena.cli.play import write_record
from niagara_arena.cli.preparing import launch_of
from niagara_arena.cli.references import BOT
from niagara_arena.cli.terminal import Terminal
from niagara_arena.errors import ArenaError, NotPossibleHere
from niagara_arena.match import Contestant, play_match
from niagara_arena.records import GameJob, GameRecord, MatchJob, Settings
from niagara_arena.rules import RULESETS
from niagara_arena.sandbox import Backend, choose
from niagara_arena.schedule.openings import random_opening
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.seeds import game_id, game_seed, match_id
from niagara_arena.submissions import Submission, load, resolve_params
from niagara_arena.submissions.bundled import bundled_bots

OPENING_ROUNDS: Final = 2
"""After the first block of a rung, games start after so many random rounds: new games for bots
that always do the same."""
KEPT: Final = 3
"""How many of the worst games are kept to be looked at."""

COLUMNS: Final = (
    Column("opponent"),
    Column("games"),
    Column("won"),
    Column("lost"),
    Column("ahead"),
    Column("chance", "is stronger", ".2f"),
    Column("verdict"),
)


@click.command()
@click.argument("bot", metavar="BOT", type=BOT)
@click.option(
    "--rules",
    "ruleset",
    type=click.Choice(tuple(RULESETS)),
    default="base",
    show_default=True,
    help="Which game to play.",
)
@click.option(
    "--seats",
    type=click.IntRange(3, 6),
    default=3,
    show_default=True,
    help="How many sit at a table: up to 5 in the base game.",
)
@click.option(
    "--blocks",
    type=click.IntRange(1, 1000),
    default=4,
    show_default=True,
    help="At most so many balanced blocks against one opponent: of 6 games at tables of three, "
    "4 of four, 10 of five, 6 of six.",
)
@click.option("--seed", help="Any text; the same seed gives the same games. Random if left out.")
@set_option
@sandbox_option
@click.option(
    "--record",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep every game here.  [default: the worst three, in practice/]",
)
@format_options
@click.pass_obj
def practice(
    terminal: Terminal,
    bot: str,
    ruleset: str,
    seats: int,
    blocks: int,
    seed: str | None,
    changes: dict[str, Any],
    sandbox: str,
    folder: Path | None,
    output_format: Format,
) -> None:
    """Climb the bundled opponents and see where a bot stands.

    The bot meets the opponents from weak to strong, in the cage, at tables in which everybody sits
    everywhere. Against each it plays until it is clear who is stronger, or the blocks are used up,
    and goes on to the next if it is ahead. You learn how sure that is, whom to beat next, and which
    games it lost worst.

    \b
    Examples:
      niagara practice @homing --blocks 1 --sandbox none
      niagara practice @homing --rules spirits --seats 4 --blocks 1 --sandbox none
    """
    counts = RULESETS[ruleset].seat_counts
    if seats not in counts:
        raise click.UsageError(f"{ruleset} is played by {counts[0]} to {counts[-1]}, not {seats}")
    settings = settings_from("standard", changes, rules=ruleset)
    backend = choose(sandbox)
    gym = _Gym(terminal, load(bot), settings, backend, seed or secrets.token_hex(8), seats)
    climb = Climb(gym.bot, gym.ladder, blocks, seats)
    try:
        while (table := climb.table()) is not None:
            climb.add(gym.play(table, climb.block))
            gym.tell_chance(climb, table[1])
    finally:
        if climb.records:
            rows = [_row(gym.names, one) for one in climb.met()]
            show(Listing("practice", 1, COLUMNS, rows), output_format)
            gym.sum_up(climb, folder)


def _row(names: Mapping[str, str], met: Met) -> dict[str, Cell]:
    return {
        "opponent": names[met.opponent],
        "games": met.games,
        "won": met.won,
        "lost": met.lost,
        "ahead": met.ahead,
        "chance": met.chance,
        "verdict": met.verdict,
    }


class _Gym:
    """Hold the bot, its opponents, and what is needed to let them play."""

    def __init__(
        self,
        terminal: Terminal,
        submission: Submission,
        settings: Settings,
        backend: Backend,
        seed: str,
        seats: int,
    ) -> None:
        self._seats = seats
        self._terminal = terminal
        self._settings = settings
        self._backend = backend
        self._seed = seed
        self._games = 0
        self.bot = submission.id
        self.names = {submission.id: submission.name}
        self._contestants = {submission.id: _contestant(submission, backend, terminal)}
        self.ladder = self._opponents()

    def _opponents(self) -> tuple[str, ...]:
        found = []
        for name in rungs(tuple(bundled_bots())):
            opponent = load(f"@{name}")
            if opponent.id == self.bot:
                continue
            try:
                self._contestants[opponent.id] = _contestant(
                    opponent, self._backend, self._terminal
                )
            except ArenaError as error:
                self._terminal.warn(f"@{name} stays away: {error.message}")
                continue
            self.names[opponent.id] = f"@{name}"
            found.append(opponent.id)
        if len(found) < self._seats - 1:
            raise NotPossibleHere(
                f"a table of {self._seats} needs {self._seats - 1} bundled opponents, and only "
                f"{len(found)} are there to play",
                "give fewer --seats; `niagara doctor` says what does not run here and why",
            )
        return tuple(found)

    def play(self, table: tuple[str, ...], block: int) -> list[GameRecord]:
        """Play one block: everybody in every seat, from one opening."""
        match = match_id(self._seed, table, block)
        name, position = "", None
        if block:
            name = f"random:{OPENING_ROUNDS} {block}"
            position = random_opening(
                self._settings.rules, self._seats, OPENING_ROUNDS, f"{self._seed} {match}"
            )
        jobs = tuple(
            GameJob(
                game_id(self._seed, match, index),
                row,
                game_seed(self._seed, match, index),
                name,
                position,
            )
            for index, row in enumerate(seatings("balanced", self._seats))
        )
        job = MatchJob(match, table, jobs, self._settings)
        contestants = [self._contestants[one] for one in table]
        return play_match(job, contestants, self._backend)

    def tell_chance(self, climb: Climb, opponent: str) -> None:
        """Say how a block went."""
        chance = climb.chances().get(opponent, 0.5)
        self._terminal.note(
            f"{len(climb.records)} games: stronger than {self.names[opponent]} "
            f"with {chance:.0%} certainty"
        )

    def sum_up(self, climb: Climb, folder: Path | None) -> None:
        """Say where the bot stands, whom to beat next, and what to look at."""
        note = self._terminal.note
        best, worst = climb.ranks()
        rank = f"number {best}" if best == worst else f"between number {best} and {worst}"
        note(f"{self.names[self.bot]} is {rank} of the {len(climb.met()) + 1} that met (95 %)")
        following = climb.beat_next()
        note(f"beat next: {self.names[following]}" if following else "nobody is left to beat")
        if repeated := climb.repeated():
            note(f"{repeated} games were the same as another and count once")
        for fault, number in climb.faults().items():
            self._terminal.warn(f"{number} × {fault}: see `niagara check`")
        self._keep(climb, folder)
        note(f"{len(climb.records)} games, sandbox {self._backend.level}, seed {self._seed}")

    def _keep(self, climb: Climb, folder: Path | None) -> None:
        worst = climb.worst(KEPT)
        path = folder or Path("practice")
        kept = climb.records if folder is not None else worst
        if kept:
            path.mkdir(parents=True, exist_ok=True)
        for record in kept:
            write_record(path, record)
        for record in worst:
            seat = [one.submission for one in record.header.seats].index(self.bot)
            winners = [record.header.seats[winner].name for winner in record.end.winners]
            place = record.end.placings[seat]
            self._terminal.note(
                f"lost to {' and '.join(winners) or 'nobody'}, number {place} in "
                f"{record.end.rounds} rounds: niagara replay show {path / record.header.game}.jsonl"
            )


def _contestant(submission: Submission, backend: Backend, terminal: Terminal) -> Contestant:
    params: dict[str, object] = {**resolve_params(submission, {})}
    launch = launch_of(submission, backend, terminal)
    return Contestant(submission.id, submission.name, submission.version, params, launch)
