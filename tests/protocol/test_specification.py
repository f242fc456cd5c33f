"""protocol/README.md says what the arena does: its examples, tables and drawing are tested."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from niagara_arena import rules
from niagara_arena.records import Fault, Sanctions, Settings
from niagara_arena.referee import Answer, Ask, Referee, Tell
from niagara_arena.rules.actions import KINDS
from niagara_arena.rules.events import EVENT_TYPES
from niagara_arena.wire import limits
from niagara_arena.wire.messages import Act, act_decoder, arena_decoder, ready_decoder
from niagara_arena.wire.schema import MESSAGES, life_cycle, schema, schema_text
from niagara_arena.wire.session import FROM_BOT, TABLE, Phase
from tests.protocol import talks
from tests.protocol.clauses import CLAUSES, NUMBERED, SPECIFICATION, TEXT
from tests.rules.play import walk

replaced = msgspec.structs.replace
CHECKOUT = SPECIFICATION.parent.parent
BLOCKS = re.findall(r"^```json\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
CITED = re.compile(r"P-\d+\.\d+")


def section(heading: str) -> list[list[str]]:
    """Return the rows of the first table after a piece of text, cell by cell."""
    _, _, rest = TEXT.partition(heading)
    rows = re.search(r"\|---.*\n((?:\|.*\n)+)", rest)
    assert rows, f"no table after {heading!r}"
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows[1].splitlines()
    ]


def decode(message: dict[str, Any]) -> object:
    data = json.dumps(message).encode()
    kind = message.get("type", "act")
    decoder: Any = {"ready": ready_decoder, "act": act_decoder}.get(kind, arena_decoder)
    return decoder.decode(data)


def check(message: dict[str, Any]) -> None:
    """Check a message against its type and its schema."""
    kind = message.get("type", "act")
    assert isinstance(decode(message), MESSAGES[kind])
    jsonschema.validate(message, schema(kind))


# --- The text -----------------------------------------------------------------------------------


def test_clauses_are_numbered_without_gaps() -> None:
    numbers = [tuple(map(int, n.removeprefix("P-").split("."))) for n, _ in NUMBERED.findall(TEXT)]
    assert len(numbers) == len(CLAUSES) > 35
    for before, after in pairwise(numbers):
        section_of, place = before
        assert after in ((section_of, place + 1), (section_of + 1, 1))


def test_every_clause_that_is_cited_exists() -> None:
    files = [
        *(CHECKOUT / "niagara_arena").rglob("*.py"),
        *(CHECKOUT / "docs").rglob("*.md"),
        *(path for path in (CHECKOUT / "protocol").rglob("*.*") if path.suffix != ".json"),
        SPECIFICATION,
    ]
    missing = {
        f"{path.relative_to(CHECKOUT)}: {number}"
        for path in files
        if path.is_file()
        for number in CITED.findall(path.read_text("utf-8", "replace"))
        if number not in CLAUSES
    }
    assert missing == set()


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[:40])
def test_an_example_is_such_a_message(block: str) -> None:
    check(json.loads(block))


def test_every_message_has_an_example() -> None:
    assert {json.loads(block).get("type", "act") for block in BLOCKS} == set(MESSAGES)


def test_the_life_cycle_is_drawn_from_the_table() -> None:
    drawn = re.search(r"^```mermaid\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert drawn
    assert drawn[1] == life_cycle()
    for (phase, message), after in TABLE.items():
        assert f"    {phase} --> {after}: " in drawn[1], message


def test_the_table_of_events_is_that_of_the_rules() -> None:
    rows = section("**P-4.7**")
    told = {row[0].strip("`"): tuple(re.findall(r"`(\w+)`", row[1])) for row in rows}
    assert told == {name: kind._fields for name, kind in EVENT_TYPES.items()}


def test_the_table_of_actions_is_that_of_the_rules() -> None:
    rows = section("**P-4.3**")
    assert {row[0].strip("`") for row in rows} == set(KINDS)
    for row in rows:
        action = json.loads(row[1].strip("`"))
        assert rules.action_to_json(rules.action_from_json(action)) == action


def test_the_table_of_faults_is_that_of_the_records() -> None:
    told = {row[0].strip("`"): row[2] for row in section("**P-6.2**")}
    sanctions = Sanctions()
    assert told == {fault.value: getattr(sanctions, fault.value).value for fault in Fault}
    assert sanctions.faults == 3
    assert "the third such fault" in CLAUSES["P-6.3"]


NUMBERS = {
    "longest line a bot may send, in bytes": limits.LINE_BYTES,
    "longest line a bot must be ready to read, in bytes": limits.REQUEST_BYTES,
    "lines in a game that nobody asked for": limits.SPARE_LINES,
    "characters of a `note`": limits.NOTE_CHARACTERS,
    "numbers in `data`": limits.DATA_ENTRIES,
    "characters of such a number's name": limits.DATA_NAME_CHARACTERS,
    "bytes kept of a bot's log in each game": limits.STDERR_TAIL_BYTES,
    "bytes kept of a faulty reply": limits.REPLY_EXCERPT_BYTES,
}


def test_the_limits_are_those_of_the_arena() -> None:
    rows = section("## Limits in one place")
    assert {row[0]: int(row[1].replace(",", "")) for row in rows} == NUMBERS
    for _, number, clause in rows:
        assert number in CLAUSES[clause]


def test_the_default_times_are_those_of_the_settings() -> None:
    clock = Settings().clock
    assert (clock.startup_ms, clock.bank_ms, clock.increment_ms, clock.wall_ms) == (
        10_000,
        5_000,
        20,
        5_000,
    )
    assert "10 s of wall time" in CLAUSES["P-2.2"]
    assert "the bank holds 5 s and the increment is 20 ms" in CLAUSES["P-5.2"]
    assert "5 s for\n  each seat" in CLAUSES["P-5.3"]


# --- The files beside it ------------------------------------------------------------------------


def test_the_schemas_are_made_from_the_types() -> None:
    folder = SPECIFICATION.parent / "schema"
    assert {path.name for path in folder.iterdir()} == {f"{name}.json" for name in MESSAGES}
    for name in MESSAGES:
        text = (folder / f"{name}.json").read_text("utf-8")
        assert text == schema_text(name), "run `niagara protocol schema --out protocol/schema`"
        jsonschema.Draft202012Validator.check_schema(json.loads(text))


def test_there_is_a_transcript_of_each_talk() -> None:
    files = {path.stem for path in talks.FOLDER.iterdir()}
    assert files == set(talks.TALKS)
    rows = section("## Using the vectors and transcripts")
    assert {row[0]: row[1] for row in rows} == {
        f"[{name}](transcripts/{name}.txt)": talk.about for name, talk in talks.TALKS.items()
    }


@pytest.mark.parametrize("name", talks.TALKS)
def test_a_transcript_is_word_for_word(name: str) -> None:
    text = (talks.FOLDER / f"{name}.txt").read_text("utf-8")
    assert text == talks.text(talks.TALKS[name]), "run `python -m tests.protocol.talks`"


@pytest.mark.parametrize("name", talks.TALKS)
def test_a_transcript_keeps_to_the_protocol(name: str) -> None:
    phase = Phase.LAUNCHED
    for line in (talks.FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
        arrow, text = line[0], line[2:]
        try:
            message = json.loads(text)
        except ValueError:
            assert (name, arrow) == ("faults", "←")
            continue
        kind = message.get("type", "act")
        check(message)
        assert (kind in FROM_BOT) is (arrow == "←")
        late = kind == "act" and name == "faults" and (phase, kind) not in TABLE
        phase = phase if late else TABLE[phase, kind]
    gone = phase is Phase.GONE
    assert gone is (name != "faults"), "only the clumsy bot is stopped in mid-game"


def test_transcripts_show_every_message_and_most_kinds_of_question() -> None:
    text = "".join(path.read_text("utf-8") for path in talks.FOLDER.iterdir())
    assert all(f'"type":"{name}"' in text for name in MESSAGES)
    assert {"card", "canoe", "weather"} <= set(re.findall(r'"kind":"(\w+)"', text))


# --- Lines of real games ------------------------------------------------------------------------


@pytest.mark.parametrize(("ruleset", "seats"), [("base", 5), ("spirits", 6)])
def test_questions_of_busy_games_fit_the_schemas(ruleset: str, seats: int) -> None:
    """Decoding with the types checks every field; the schemas are made from them."""
    longest = 0
    for seed in range(2):
        for state, events in walk(ruleset, seats, seed, max_rounds=12):
            for seat, kind in rules.pending(state)[:1]:
                told = [rules.event_to_json(event) for event in events]
                message = {
                    "type": "decide",
                    "id": 1,
                    "kind": kind,
                    "events": told,
                    "observation": rules.observe(state, seat),
                    "legal": json.loads(rules.legal_text(state, seat)),
                    "clock": None,
                }
                line = json.dumps(message, separators=(",", ":")).encode()
                arena_decoder.decode(line)
                longest = max(longest, len(line))
    assert longest < (16_000 if ruleset == "base" else limits.REQUEST_BYTES // 3)


def test_the_most_crowded_position_found_stays_far_below_the_bound() -> None:
    crowded = json.loads((Path(__file__).parent / "crowded.json").read_text("utf-8"))
    seats = crowded["position"]["seats"]
    header = talks.header(talks.TALKS["spirits-4"], 1)
    header = replaced(
        header,
        seats=header.seats[:1] * seats,
        position=crowded["position"],
        settings=Settings(rules="spirits"),
    )
    referee = Referee(header, [0] * seats)
    line = b""
    while not line:
        step = referee.next_step()
        if isinstance(step, Tell):
            continue
        assert isinstance(step, Ask)
        if step.requests[0].kind == "canoe":
            line = step.requests[0].line
            break
        cards = [crowded["card"] if ask.seat == 0 else "1" for ask in step.requests]
        pairs = zip(step.requests, cards, strict=True)
        referee.answer(
            [Answer(a.seat, Act(a.number, action={"card": card}), None) for a, card in pairs]
        )
    entries = len(json.loads(line)["legal"])
    assert f"with {entries} entries" in CLAUSES["P-1.8"]
    assert 65_000 < len(line) < 75_000
    assert 3 * len(line) < limits.REQUEST_BYTES
