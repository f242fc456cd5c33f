"""Plays bots and kits under the real referee, each built once for all tests of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from niagara_arena.match import Contestant, play_match
from niagara_arena.records import Clock, GameJob, GameRecord, MatchJob, Settings, Standing
from niagara_arena.sandbox import choose
from niagara_arena.schedule.seating import seatings
from niagara_arena.schedule.seeds import game_id, game_seed, match_id
from niagara_arena.submissions import load, prepare, resolve_params
from niagara_arena.submissions.preparing import Ready

CHECKOUT = Path(__file__).parent.parent.parent
BOTS = {path.parent.name: path.parent for path in sorted((CHECKOUT / "bots").glob("*/bot.toml"))}
KITS = {
    path.parent.name: path.parent
    for path in sorted((CHECKOUT / "protocol" / "starter-kits").glob("*/bot.toml"))
}
TOOLS = {
    "python": "python3",
    "javascript": "node",
    "go": "go",
    "c++": "g++",
    "java": "javac",
    "rust": "rustc",
}
"""What each language needs on the machine, by the `language` of bot.toml."""


class Workshop:
    """Build bots into a cache, and let them play."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._backend = choose("none")

    def ready(self, folder: Path) -> Ready:
        """Return a built bot; skip the test where its language is not installed."""
        submission = load(str(folder))
        tool = TOOLS[submission.language]
        if not any(Path(top, tool).exists() for top in ("/usr/bin", "/bin", "/usr/local/bin")):
            pytest.skip(f"no `{tool}` on this machine")
        return prepare(submission, self._backend, self._cache)

    def play(
        self,
        folders: Sequence[Path],
        rules: str = "base",
        *,
        games: int = 1,
        seed: str = "bots",
        max_rounds: int = 200,
        params: Sequence[dict[str, Any]] | None = None,
    ) -> list[GameRecord]:
        """Play a match in rotating seats; every seat must have finished without a fault."""
        contestants = [
            self._contestant(folder, params[i] if params else {})
            for i, folder in enumerate(folders)
        ]
        settings = Settings(
            rules=rules, max_rounds=max_rounds, clock=Clock(mode="off"), freeze=False
        )
        rows = seatings("rotations", len(folders))
        table = tuple(contestant.submission for contestant in contestants)
        match = match_id(seed, table, 0)
        jobs = tuple(
            GameJob(game_id(seed, match, i), rows[i % len(rows)], game_seed(seed, match, i))
            for i in range(games)
        )
        records = play_match(MatchJob(match, table, jobs, settings), contestants, self._backend)
        for record in records:
            assert [v.standing for v in record.end.verdicts] == [Standing.FINISHED] * len(folders)
            assert record.end.rulings == ()
        return records

    def _contestant(self, folder: Path, params: dict[str, Any]) -> Contestant:
        submission = load(str(folder))
        values: dict[str, object] = {**resolve_params(submission, params)}
        launch = self.ready(folder).launch()
        return Contestant(submission.id, submission.name, submission.version, values, launch)


def wins(records: Sequence[GameRecord], name: str) -> int:
    """Count the games that a bot of this name has won."""
    return sum(
        any(record.header.seats[seat].name == name for seat in record.end.winners)
        for record in records
    )
