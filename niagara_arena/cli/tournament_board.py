"""What is seen of a running tournament: a live board on a terminal, plain lines elsewhere.

`board` is a pure function of what has happened and the time. Names of bots come from outside and
are cleaned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from niagara_arena.cli.text import clean, counted
from niagara_arena.schedule.plan import Planned
from niagara_arena.schedule.standings import POINT, game_points
from niagara_arena.store import MatchEnd
from niagara_arena.tournament.agenda import Agenda
from niagara_arena.tournament.workers import Worker

__all__ = ["Lines", "LiveBoard", "Tally", "board"]

_TOP = 12
_REFRESH_SECONDS = 0.25


@dataclass
class Tally:
    """Add up what has happened in this run."""

    total: int = 0
    ended: int = 0
    played: int = 0
    games: int = 0
    began: float = 0.0
    points: dict[str, list[int]] = field(default_factory=dict)
    """Submission → points, games, wins, faults."""
    running: list[tuple[str, ...]] = field(default_factory=list)
    """The tables that are being played."""
    troubles: int = 0
    names: dict[str, str] = field(default_factory=dict)
    ids: Sequence[str] = ()

    def begin(self, agenda: Agenda, now: float) -> None:
        """Start from what was played before."""
        self.began = now
        self.names = {e.submission: clean(e.name) for e in agenda.entrants}
        self.ids = [e.submission for e in agenda.entrants]
        self.points = {name: [0, 0, 0, 0] for name in self.ids}
        self.update(agenda)

    def update(self, agenda: Agenda) -> None:
        """Take over how much there is to play."""
        self.total, self.ended = agenda.total_matches, agenda.ended

    def add(self, end: MatchEnd) -> None:
        """Count a match that has ended."""
        self.played += 1
        self.games += len(end.games)
        for game in end.games:
            won = game_points(game.placings) if game.placings else []
            for seat, number in enumerate(game.seats):
                sums = self.points[self.ids[number]]
                sums[3] += game.faults[seat]
                if won:
                    sums[0] += won[seat]
                    sums[1] += 1
                    sums[2] += seat in game.winners

    def rate(self, now: float) -> float:
        """Return games a second."""
        return self.games / max(now - self.began, 1e-9)

    def remaining_seconds(self, now: float) -> float | None:
        """Return how long the rest will take at the rate so far."""
        if not self.played:
            return None
        return (now - self.began) / self.played * max(0, self.total - self.ended)

    def standings(self) -> list[tuple[str, float, int, int, int]]:
        """Return name, mean points, games, wins and faults, best first."""
        rows = [
            (self.names[name], points / POINT / games if games else 0.0, games, wins, faults)
            for name, (points, games, wins, faults) in self.points.items()
        ]
        return sorted(rows, key=lambda row: (-row[1], row[0]))


def span(seconds: float | None) -> str:
    """Return a span of time for people."""
    if seconds is None:
        return "–"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} m"


def board(tally: Tally, title: str, now: float, width: int) -> Group:
    """Draw the board."""
    share = tally.ended / tally.total if tally.total else 1.0
    room = max(10, min(40, width - 50))
    full = int(share * room)
    head = Text(f"{clean(title)}  ", style="bold")
    head.append("━" * full, style="green").append("─" * (room - full), style="dim")
    head.append(f"  {tally.ended}/{tally.total} matches", style="bold")
    facts = (
        f"{tally.games} games, {tally.rate(now):.1f} a second, "
        f"ETA {span(tally.remaining_seconds(now))}, {span(now - tally.began)} so far"
    )
    if tally.troubles:
        facts += f", {tally.troubles} void or lost"
    table = Table(box=None, pad_edge=False)
    for heading in ("bot", "points", "games", "wins", "faults"):
        table.add_column(heading, justify="left" if heading == "bot" else "right", no_wrap=True)
    rows = tally.standings()
    for name, points, games, wins, faults in rows[:_TOP]:
        table.add_row(Text(name), f"{points:.3f}", str(games), str(wins), str(faults or ""))
    parts: list[Text | Table] = [head, Text(facts), table]
    if len(rows) > _TOP:
        parts.append(Text(f"and {len(rows) - _TOP} more", style="dim"))
    for members in tally.running:
        names = " – ".join(tally.names[name] for name in members)
        parts.append(Text(f"▸ {names}", style="dim", overflow="ellipsis", no_wrap=True))
    return Group(*parts)


class _Watching:
    """Keep the tally; what is shown is up to the children."""

    def __init__(self, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.title = title
        self.tally = Tally()
        self._clock = clock
        self._agenda: Agenda | None = None
        self._workers: Sequence[Worker] = ()

    def began(self, agenda: Agenda, workers: Sequence[Worker]) -> None:
        """Learn that matches are about to be played."""
        self._agenda = agenda
        self._workers = workers
        self.tally.begin(agenda, self._clock())

    def handed_out(self, match: Planned, worker: Worker) -> None:
        """Learn that a worker was given a match."""

    def ended(self, match: Planned, end: MatchEnd, seconds: float) -> None:
        """Learn that a match has ended and is stored."""
        assert self._agenda is not None
        self.tally.add(end)
        self.tally.update(self._agenda)

    def trouble(self, match: Planned, sentence: str) -> None:
        """Learn that a match was void or killed its worker."""
        self.tally.troubles += 1

    def idle(self) -> None:
        """Have a moment."""

    def close(self) -> None:
        """Stop showing."""


class Lines(_Watching):
    """Write one plain line a match."""

    def __init__(self, title: str, write: Callable[[str], None]) -> None:
        super().__init__(title)
        self._write = write

    def ended(self, match: Planned, end: MatchEnd, seconds: float) -> None:
        """Tell how a match ended."""
        super().ended(match, end, seconds)
        tally = self.tally
        points: dict[str, int] = dict.fromkeys(match.table, 0)
        for game in end.games:
            for seat, won in enumerate(game_points(game.placings) if game.placings else []):
                points[tally.ids[game.seats[seat]]] += won
        told = ", ".join(
            f"{tally.names[name]} {won / POINT:.2f}"
            for name, won in sorted(points.items(), key=lambda item: -item[1])
        )
        what = end.sentence or f"{counted(len(end.games), 'game')} in {seconds:.1f} s"
        self._write(f"match {tally.ended} of {tally.total}: {told} ({what})")

    def trouble(self, match: Planned, sentence: str) -> None:
        """Tell that a match will be played again."""
        super().trouble(match, sentence)
        self._write(f"match {match.order}: {sentence.strip().splitlines()[-1]}")


class LiveBoard(_Watching):
    """Redraw a board in place, from the runner's own loop: no thread, so that forking is safe."""

    def __init__(self, title: str, console: Console) -> None:
        super().__init__(title)
        self.console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._drawn = 0.0

    def began(self, agenda: Agenda, workers: Sequence[Worker]) -> None:
        """Show the board."""
        super().began(agenda, workers)
        self._live.start()

    def ended(self, match: Planned, end: MatchEnd, seconds: float) -> None:
        """Count, and perhaps draw."""
        super().ended(match, end, seconds)
        self.idle()

    def idle(self) -> None:
        """Draw, a few times a second at most."""
        now = self._clock()
        if now - self._drawn >= _REFRESH_SECONDS and self._live.is_started:
            self._drawn = now
            self.tally.running = [w.orders[0].job.entrants for w in self._workers if w.orders]
            drawn = board(self.tally, self.title, now, self.console.width)
            self._live.update(drawn, refresh=True)

    def close(self) -> None:
        """Take the board away."""
        if self._live.is_started:
            self._live.stop()
