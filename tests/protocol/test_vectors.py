from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from niagara_arena.records import Fault
from niagara_arena.wire.schema import schema
from tests.protocol import vectors
from tests.protocol.clauses import CLAUSES

NAMES = vectors.names()


@pytest.mark.parametrize("name", NAMES)
def test_the_arena_judges_a_vector_as_it_says(name: str) -> None:
    vector = vectors.load(name)
    assert vectors.judged(vector) == vector["result"]


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_is_well_formed(name: str) -> None:
    vector = vectors.load(name)
    assert vector["message"] == name.partition("/")[0]
    assert vector["clause"] in CLAUSES
    assert vector["idea"].endswith(".")
    assert ("question" in vector) is (vector["message"] == "act")
    assert sum(key in vector for key in ("line", "hex", "parts")) == 1
    known = {"idea", "clause", "message", "question", "line", "hex", "parts", "newline", "times"}
    assert set(vector) - known == {"result"}


def conforms(vector: dict[str, Any]) -> bool:
    """Say whether a vector's line is JSON that its message's schema allows."""
    try:
        message = json.loads(vectors.written(vector).decode("utf-8"), parse_constant=int)
        jsonschema.validate(message, schema(vector["message"]))
    except (ValueError, RecursionError, jsonschema.ValidationError):
        return False
    return True


JUDGED_LATER = {"id", "choice", "action", "protocol", "line", "lines", "nesting"}
"""What a line's schema can't know: the question, the rules, the framing."""


@pytest.mark.parametrize("name", NAMES)
def test_the_schemas_draw_the_same_line_as_the_arena(name: str) -> None:
    vector = vectors.load(name)
    result = vector["result"]
    if result.get("detail") in JUDGED_LATER:
        return
    assert conforms(vector) is ("fault" not in result), vector["idea"]


def test_both_questions_are_as_the_arena_asks_them() -> None:
    for kind, number in (("card", 1), ("canoe", 2)):
        request = vectors.question(kind).request
        assert request.number == number
        path = vectors.QUESTIONS / f"{kind}.json"
        assert path.read_bytes() == request.line, "run `python -m tests.protocol.talks`"


def test_every_fault_that_a_line_can_be_has_vectors() -> None:
    found = {vectors.load(name)["result"].get("fault") for name in NAMES}
    by_lines = {Fault.ILLEGAL, Fault.MALFORMED, Fault.FLOOD, Fault.STARTUP}
    assert found - {None} == {fault.value for fault in by_lines}


NOT_ABOUT_LINES = {
    "P-1.7": "when a line is flushed can't be seen in it",
    "P-1.8": "about the arena's lines",
    "P-2.1": "about the arena's lines",
    "P-2.3": "about the end of a process",
    "P-2.4": "about the life of a process",
    "P-2.5": "about what surrounds a process",
    "P-4.1": "about the arena's lines",
    "P-4.6": "about the arena's lines",
    "P-4.7": "about the arena's lines",
    "P-4.8": "about the arena's lines",
}


def test_every_clause_about_a_bots_lines_has_vectors() -> None:
    """Add a file to protocol/vectors/ for each clause that is named here."""
    cited = {vectors.load(name)["clause"] for name in NAMES}
    ours = {clause for clause in CLAUSES if clause.startswith(("P-1.", "P-2.", "P-4."))}
    assert ours - cited == set(NOT_ABOUT_LINES)
