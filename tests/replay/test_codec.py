from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niagara_arena.errors import InputError
from niagara_arena.records import GameRecord, Played
from niagara_arena.replay import decode, deterministic_part, encode, fingerprint, record_hash
from tests.replay import games

RECORDS = {
    "base": games.record("base", 3, 1),
    "a game with faults": games.record("base", 5, 2, faulty=True),
    "spirits from an opening": games.record("spirits", 6, 3, opening=4, max_rounds=20),
}
replaced = msgspec.structs.replace


@pytest.fixture(params=RECORDS)
def record(request: pytest.FixtureRequest) -> GameRecord:
    return RECORDS[request.param]


def test_a_record_comes_back_as_it_was(record: GameRecord) -> None:
    data = encode(record)
    assert decode(data) == record
    assert encode(decode(data)) == data


def test_a_record_is_the_lines_that_records_py_describes() -> None:
    lines = [json.loads(line) for line in encode(RECORDS["base"]).splitlines()]
    assert [line["type"] for line in lines[:2]] == ["game", "round"]
    assert [line["type"] for line in lines[-2:]] == ["end", "measured"]
    assert {line["type"] for line in lines[1:-2]} == {"round"}
    assert lines[1]["round"] == 1
    assert lines[1]["acts"][0][0] == "p"
    assert set(lines[1]["acts"][0][2]) == {"card"}


def test_keys_of_free_objects_keep_the_order_in_which_bots_saw_them() -> None:
    record = RECORDS["base"]
    assert list(record.header.seats[0].params) == ["b", "a"]
    again = decode(encode(record))
    assert list(again.header.seats[0].params) == ["b", "a"]
    assert b'"params":{"b":1,"a":2}' in encode(again)


def test_the_deterministic_part_is_all_but_what_was_measured(record: GameRecord) -> None:
    data = encode(record)
    part = deterministic_part(data)
    assert part == b"".join(data.splitlines(keepends=True)[:-1])
    quicker = replaced(record, measured=replaced(record.measured, wall_us=()))
    assert encode(quicker) != data
    assert record_hash(encode(quicker)) == record_hash(data)
    named = replaced(record, header=replaced(record.header, sandbox="bwrap"))
    assert record_hash(encode(named)) != record_hash(data)


def test_identical_games_have_one_fingerprint(record: GameRecord) -> None:
    header = record.header
    again = replaced(
        header,
        game="g-ffffffffffffffff",
        match="m-ffffffffffffffff",
        seed="f" * 32,
        sandbox="bwrap",
        seats=tuple(replaced(seat, seed=9, name="other") for seat in header.seats),
        position=header.position and dict(sorted(header.position.items())),
    )
    assert fingerprint(replaced(record, header=again)) == fingerprint(record)


@pytest.mark.parametrize("what", ["submission", "setting", "position", "action", "fault"])
def test_another_game_has_another_fingerprint(what: str) -> None:
    record = RECORDS["base"]
    header, rounds = record.header, record.rounds
    first = rounds[0].acts[0]
    assert isinstance(first, Played)
    match what:
        case "submission":
            header = replaced(header, seats=header.seats[::-1])
        case "setting":
            header = replaced(header, settings=replaced(header.settings, max_rounds=41))
        case "position":
            header = replaced(header, position={"round": 1})
        case "action":
            act = replaced(first, action=msgspec.Raw(b'{"card":"cloud"}'))
            rounds = (replaced(rounds[0], acts=(act, *rounds[0].acts[1:])), *rounds[1:])
        case "fault":
            act = replaced(first, fault="timeout")
            rounds = (replaced(rounds[0], acts=(act, *rounds[0].acts[1:])), *rounds[1:])
    assert fingerprint(GameRecord(header, rounds, record.end, record.measured)) != fingerprint(
        record
    )


LINES = encode(RECORDS["base"]).splitlines(keepends=True)
BAD = {
    "nothing": (b"", "the record is empty"),
    "something else": (b"hello\n", "line 1: this is no game record"),
    "another JSON object": (b'{"type":"round"}\n', "line 1: this is no game record"),
    "binary": (b"\xff\xfe\n", "line 1: this is no game record"),
    "a newer format": (
        LINES[0].replace(b'"format":1', b'"format":2') + b"".join(LINES[1:]),
        "line 1: the record has format 2, this arena reads 1",
    ),
    "an unknown field in the header": (
        LINES[0].replace(b'"format":1', b'"format":1,"x":1'),
        "line 1: object contains unknown field `x`",
    ),
    "a wrong type in the header": (
        LINES[0].replace(b'"max_rounds":40', b'"max_rounds":"40"'),
        "line 1: expected `int`, got `str` - at `$.settings.max_rounds`",
    ),
    "no rounds and no end": (LINES[0], "line 2: the record breaks off here"),
    "no end": (LINES[0] + LINES[1], "line 3: the record breaks off here"),
    "no measured": (LINES[0] + LINES[-2], "line 3: the record breaks off here"),
    "measured without end": (LINES[0] + LINES[-1], "line 2: the `end` line is missing"),
    "a second header": (LINES[0] * 2, "line 2: the `end` line is missing"),
    "half a line": (LINES[0] + LINES[1][:-9], "line 2: the record breaks off in the middle"),
    "a cut line that has its newline": (LINES[0] + LINES[1][:-9] + b"\n", "line 2: "),
    "an empty line": (LINES[0] + b"\n" + b"".join(LINES[1:]), "line 2: "),
    "bad text": (LINES[0] + b'{"type":"round","\xff":1}\n', "line 2: "),
    "an unknown act": (
        LINES[0] + b'{"type":"round","round":1,"acts":[["x",1]]}\n',
        "line 2: invalid value 'x'",
    ),
    "something after the end": (b"".join(LINES) + LINES[-1], f"line {len(LINES) + 1}: nothing may"),
    "deep nesting": (
        LINES[0] + b'{"type":"round","round":' + b"[" * 9000 + b"]" * 9000 + b"}\n",
        "line 2: ",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_refused_with_its_line(name: str) -> None:
    data, message = BAD[name]
    with pytest.raises(InputError) as refusal:
        decode(data)
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize("data", [b"", b"\n", LINES[-1], b"".join(LINES[:-1]), LINES[0] + b"x"])
def test_what_lacks_its_measured_line_has_no_hash(data: bytes) -> None:
    with pytest.raises(InputError, match="does not end with its `measured` line"):
        record_hash(data)


@given(st.data())
def test_a_damaged_record_is_refused_or_still_a_record(data: st.DataObject) -> None:
    """Whatever the damage, nothing but InputError comes out."""
    whole = LINES[0] + LINES[1] + LINES[-2] + LINES[-1]
    at = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.binary(max_size=3))
    width = data.draw(st.integers(0, 40))
    try:
        record = decode(whole[:at] + damage + whole[at + width :])
    except InputError:
        return
    assert decode(encode(record)) == record
