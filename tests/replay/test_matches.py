"""Records of real processes that misbehave are proved too, down to the bytes they were sent."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from niagara_arena.match import play_match
from niagara_arena.records import Fault, GameHeader, GameRecord, RulingRecord, Standing, Void
from niagara_arena.replay import decode, encode, verify, verify_bytes
from niagara_arena.replay.frames import story
from niagara_arena.replay.requests import rebuild
from niagara_arena.rules import State
from niagara_arena.sandbox import choose
from tests.match.playing import contestant, job, play, settings


@pytest.mark.parametrize(
    ("ruleset", "kinds", "faults"),
    [
        (
            "spirits",
            ("babble", "random_play", "card_not_in_hand", "crash"),
            {Fault.MALFORMED, Fault.ILLEGAL, Fault.CRASH},
        ),
        ("base", ("exit_at_once", "random_play", "long_line"), {Fault.STARTUP, Fault.FLOOD}),
    ],
)
def test_games_of_misbehaving_processes_are_proved(
    ruleset: str, kinds: tuple[str, ...], faults: set[Fault]
) -> None:
    records = play(*kinds, under=settings(rules=ruleset), games=2)
    assert {ruling.fault for record in records for ruling in record.end.rulings} == faults
    for record in records:
        assert verify_bytes(encode(record)) is None
        assert rebuild(record).hashes == record.measured.streams
        assert story(record).frames


class Impatient:
    """Watch a few steps, then press Ctrl-C."""

    def __init__(self) -> None:
        self.left = 4

    def game_started(self, header: GameHeader, state: State, events: Sequence[str]) -> None:
        """Wait."""

    def stepped(
        self,
        state: State,
        events: Sequence[str],
        bank_ms: Sequence[int],
        rulings: Sequence[RulingRecord],
    ) -> None:
        """Lose patience."""
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt

    def game_ended(self, record: GameRecord, incidents: object) -> None:
        """Be gone."""


def test_a_game_that_was_interrupted_is_void_and_its_acts_are_proved() -> None:
    bots = [contestant("random_play") for _ in range(3)]
    records: list[GameRecord] = []
    with pytest.raises(KeyboardInterrupt):
        play_match(
            job(bots, settings(max_rounds=9)),
            bots,
            choose("none"),
            watcher=Impatient(),
            on_game=records.append,
        )
    (record,) = records
    assert record.end.void is Void.INTERRUPT
    assert record.rounds
    assert verify(decode(encode(record))) is None
    assert {verdict.standing for verdict in record.end.verdicts} == {Standing.VOID}
    streams = rebuild(record).streams
    assert all(b'"reason":"void"' in stream[-1].line for stream in streams)
