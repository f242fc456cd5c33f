"""Judge the vectors of protocol/vectors/ as the arena judges lines of a real bot."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from niagara_arena import rules
from niagara_arena.records import Fault
from niagara_arena.referee import Answer, Ask, FaultReport, Referee, Request, Tell
from niagara_arena.referee.judging import judge
from niagara_arena.wire.framing import LineBuffer
from niagara_arena.wire.messages import Act, Ready
from niagara_arena.wire.replies import Stale, read_act, read_ready
from tests.protocol.talks import TALKS, header

FOLDER = Path(__file__).parent.parent.parent / "protocol" / "vectors"
QUESTIONS = FOLDER / "questions"


def load(name: str) -> dict[str, Any]:
    """Return a vector by its path without the ending."""
    vector: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return vector


def names() -> list[str]:
    """Return the vectors' paths without the ending, sorted."""
    files = [*FOLDER.glob("ready/*.json"), *FOLDER.glob("act/*.json")]
    return sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in files)


def written(vector: dict[str, Any]) -> bytes:
    """Return what the bot of a vector writes."""
    if "hex" in vector:
        line = bytes.fromhex(vector["hex"])
    elif "parts" in vector:
        parts = [part if isinstance(part, str) else part[0] * part[1] for part in vector["parts"]]
        line = "".join(parts).encode()
    else:
        line = vector["line"].encode()
    end = b"\n" if vector.get("newline", True) else b""
    times: int = vector.get("times", 1)
    return (line + end) * times


class Question(NamedTuple):
    """A question, and the state in which it is asked."""

    request: Request
    state: rules.State


@cache
def question(name: str) -> Question:
    """Return the question that a vector answers: `card` has the id 1, `canoe` the id 2."""
    referee = Referee(header(TALKS["base-3"], 1), [0, 0, 0])
    cards = iter(("6", "1", "1"))
    while True:
        step = referee.next_step()
        if isinstance(step, Tell):
            continue
        assert isinstance(step, Ask)
        if step.requests[0].kind == name:
            return Question(step.requests[0], referee.state)
        acts = [Act(ask.number, action={"card": next(cards)}) for ask in step.requests]
        pairs = zip(step.requests, acts, strict=True)
        referee.answer([Answer(ask.seat, act, None) for ask, act in pairs])


def judged(vector: dict[str, Any]) -> dict[str, Any]:
    """Return what the arena makes of a vector, in the words of a vector's `result`."""
    buffer = LineBuffer()
    buffer.push(written(vector))
    if buffer.overflow:
        return {"fault": Fault.FLOOD.value, "detail": buffer.overflow}
    line = buffer.pop()
    assert line is not None
    if vector["message"] == "ready":
        ready = read_ready(line)
        if isinstance(ready, Ready):
            return {"accepted": True}
        return {"fault": Fault.STARTUP.value, "detail": ready.detail}
    asked = question(vector["question"])
    act = read_act(line, asked.request.number)
    if isinstance(act, Stale):
        return {"ignored": True}
    if not isinstance(act, Act):
        return {"fault": Fault.MALFORMED.value, "detail": act.detail}
    seat = asked.request.seat
    action = judge(asked.state, seat, rules.legal(asked.state, seat), act)
    if isinstance(action, FaultReport):
        return {"fault": action.fault.value, "detail": action.detail}
    return {"accepted": True, "plays": rules.action_to_json(action)}
