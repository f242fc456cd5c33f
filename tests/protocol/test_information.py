"""What a seat is sent tells it nothing of what others have chosen in secret [P-7.1, P-7.2]."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from niagara_arena import rules
from niagara_arena.records import Fault, Settings
from niagara_arena.referee import Answer, Ask, FaultReport, Referee, Request, Tell
from niagara_arena.wire.messages import Act
from tests.protocol import talks

replaced = msgspec.structs.replace


def buyers(ruleset: str) -> dict[str, Any]:
    """Return a position in which every seat may buy a canoe back, each with several gems."""
    position: dict[str, Any] = rules.observe(rules.start(ruleset, 3), 0)["position"]
    gems = ("amber", "amethyst", "diamond")
    for player in position["players"]:
        player["canoes"][1]["at"] = "lost"
        player["bank"] = dict.fromkeys(gems, 1)
        for gem in gems:
            position["places"][gem][gem] -= 1
    return position


class Table:
    """A game in which seats answer as they are told, and what they were sent is kept."""

    def __init__(self, ruleset: str) -> None:
        header = talks.header(talks.TALKS["base-3"], 1)
        header = replaced(header, position=buyers(ruleset), settings=Settings(rules=ruleset))
        self.referee = Referee(header, [0, 0, 0])
        self.sent: list[bytes] = []
        """Everything that seat 0 was sent."""

    def asked(self) -> tuple[Request, ...]:
        while not isinstance(step := self.referee.next_step(), Ask):
            assert isinstance(step, Tell)
            self.sent += [line for seat, line in step.messages if seat == 0]
        self.sent += [request.line for request in step.requests if request.seat == 0]
        return step.requests

    def answer(self, choices: tuple[int | Fault, ...]) -> None:
        answers = []
        for request in self.asked():
            choice = choices[request.seat]
            if isinstance(choice, Fault):
                report = FaultReport(choice, "why", "for this reason")
                answers.append(Answer(request.seat, None, report))
            else:
                answers.append(Answer(request.seat, Act(request.number, choice=choice), None))
        self.referee.answer(answers)


@pytest.mark.parametrize("ruleset", ["base", "spirits"])
@pytest.mark.parametrize(
    "others", [(0, 0), (1, 3), (3, 1), (Fault.ILLEGAL, 0), (2, Fault.TIMEOUT)], ids=str
)
def test_a_seat_is_sent_the_same_bytes_whatever_others_choose_in_secret(
    ruleset: str, others: tuple[int | Fault, int | Fault]
) -> None:
    usual, other = Table(ruleset), Table(ruleset)
    usual.answer((1, 0, 0))
    other.answer((1, *others))
    assert [request.kind for request in usual.asked()] == ["card"] * 3
    assert [request.kind for request in other.asked()] == ["card"] * 3
    assert b'"kind":"buy"' in usual.sent[1]
    assert b'"kind":"card"' in usual.sent[2]
    assert usual.sent == other.sent


def test_the_reveal_does_show_what_was_bought() -> None:
    usual, other = Table("base"), Table("base")
    usual.answer((1, 0, 0))
    other.answer((1, 1, 0))
    for table in (usual, other):
        table.answer((0, 0, 0))
        table.asked()
    assert usual.sent != other.sent
    assert b'"event":"bought_back","seat":1' in other.sent[-1]
