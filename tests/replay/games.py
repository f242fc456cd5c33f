"""Games played here, without bots, and written down as the referee would."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from msgspec import Raw
from msgspec.json import encode as to_json

from niagara_arena import __version__, rules
from niagara_arena.records import (
    Fault,
    GameEnd,
    GameHeader,
    GameRecord,
    Measured,
    Played,
    Retired,
    RoundRecord,
    RulingRecord,
    Sanction,
    Seat,
    Settings,
    Standing,
    Verdict,
)
from tests.rules.play import busy


def position_of(state: rules.State) -> dict[str, Any]:
    """Return the position of a state that is at the start of a round."""
    position: dict[str, Any] = rules.observe(state, 0)["position"]
    return position


class Scribe:
    """Play busily with rare faults, and write it all down."""

    def __init__(self, settings: Settings, seats: int, seed: int, faulty: bool) -> None:
        self.settings = settings
        self.seats = seats
        self.source = random.Random(f"{settings.rules} {seats} {seed}")
        self.faulty = faulty
        self.acts: dict[int, list[Played | Retired]] = {}
        self.rulings: list[RulingRecord] = []
        self.faults = [0] * seats
        self.gone: set[int] = set()
        self.decision = 0

    def play(self, state: rules.State) -> rules.State:
        while not state.over:
            state = self._decide(state)
        return state

    def _decide(self, state: rules.State) -> rules.State:
        seat = self.source.choice(rules.pending(state)).seat
        legal = rules.legal(state, seat)
        acts = self.acts.setdefault(state.round, [])
        fault = ""
        action = busy(self.source, legal)
        if self.faulty and self.source.random() < 0.02:
            action, fault = legal[0], "illegal"
            self._rule(seat, Fault.ILLEGAL, "illegal", Sanction.DEFAULT)
        acts.append(Played(seat, Raw(to_json(rules.action_to_json(action))), fault))
        self.decision += 1
        state = rules.apply(state, seat, action).state
        dead = self.faulty and seat not in self.gone and self.source.random() < 0.002
        if (self.faults[seat] == 3 or dead) and seat not in self.gone and not state.over:
            if dead and self.faults[seat] < 3:
                self._rule(seat, Fault.CRASH, "SIGSEGV", Sanction.RETIRE)
            self.gone.add(seat)
            self.acts.setdefault(state.round, []).append(Retired((seat,)))
            state = rules.retire(state, [seat]).state
        return state

    def _rule(self, seat: int, fault: Fault, detail: str, sanction: Sanction) -> None:
        self.faults[seat] += 1
        if self.faults[seat] == self.settings.sanctions.faults:
            sanction = Sanction.RETIRE
        ruling = RulingRecord(seat, self.decision, fault, detail, "not in `legal`", sanction)
        self.rulings.append(ruling)

    def verdict(self, seat: int) -> Verdict:
        if seat not in self.gone:
            return Verdict(Standing.FINISHED, faults=self.faults[seat])
        last = [ruling for ruling in self.rulings if ruling.seat == seat][-1]
        return Verdict(Standing.FORFEITED, last.fault, self.faults[seat], last.sentence)


@cache
def record(
    ruleset: str = "base",
    seats: int = 3,
    seed: int = 0,
    *,
    faulty: bool = False,
    max_rounds: int = 40,
    opening: int = 0,
) -> GameRecord:
    """Return the record of a busy game; ``opening`` rounds of another game lead to its start."""
    settings = Settings(rules=ruleset, max_rounds=max_rounds)
    state = rules.start(ruleset, seats, max_rounds=max_rounds)
    position = None
    if opening:
        source = random.Random(seed)
        while state.round <= opening:
            seat = rules.pending(state)[0].seat
            state = rules.apply(state, seat, busy(source, rules.legal(state, seat))).state
        assert not state.over
        position = position_of(state)
        state = rules.start_from(position, max_rounds=max_rounds).state
    scribe = Scribe(settings, seats, seed, faulty)
    result = rules.outcome(scribe.play(state))
    assert result is not None
    header = GameHeader(
        format=1,
        arena=__version__,
        rules_version=rules.RULES_VERSION,
        game=f"g-{seed:016x}",
        match="m-0000000000000000",
        seats=tuple(Seat(f"{s:064x}", f"bot {s}", "1", {"b": 1, "a": 2}, s) for s in range(seats)),
        seed=f"{seed:032x}",
        settings=settings,
        sandbox="none",
        opening="test" if opening else "",
        position=position,
    )
    end = GameEnd(
        reason=result.reason,
        winners=result.winners,
        placings=result.placings,
        rounds=result.rounds,
        verdicts=tuple(scribe.verdict(seat) for seat in range(seats)),
        rulings=tuple(scribe.rulings),
    )
    rounds = tuple(RoundRecord(number, tuple(acts)) for number, acts in scribe.acts.items())
    times = tuple(range(scribe.decision))
    measured = Measured(times, times, times, notes={"0": "é\x1b[31m", "10": "x"}, host={"b": "1"})
    return GameRecord(header, rounds, end, measured)
