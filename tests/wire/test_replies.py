from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niagara_arena.wire.messages import Act, Ready
from niagara_arena.wire.replies import STALE, Trouble, excerpt, read_act, read_ready

GOOD = (
    (b'{"id":7,"choice":1}', Act(7, choice=1)),
    (b'{"choice":1,"id":7,"type":"act"}', Act(7, choice=1)),
    (b' {"id":7,"choice":0}\r', Act(7, choice=0)),
    (b'{"id":7,"action":{"card":"4"}}', Act(7, action={"card": "4"})),
    (
        b'{"id":7,"choice":0,"note":"hm","data":{"depth":3}}',
        Act(7, choice=0, note="hm", data={"depth": 3.0}),
    ),
)


@pytest.mark.parametrize(("line", "act"), GOOD)
def test_a_good_reply_is_read(line: bytes, act: Act) -> None:
    assert read_act(line, 7) == act


@pytest.mark.parametrize("number", [1, 6])
def test_an_answer_to_an_earlier_question_is_stale(number: int) -> None:
    assert read_act(b'{"id":%d,"choice":1}' % number, 7) is STALE


BAD = (
    ("an id of the future", b'{"id":8,"choice":0}', "id", "the question asked is 7"),
    ("an id of zero", b'{"id":0,"choice":0}', "id", "the question asked is 7"),
    ("an id as text", b'{"id":"7","choice":0}', "fields", "$.id"),
    ("a typo", b'{"id":7,"chioce":0}', "fields", "chioce"),
    ("another type", b'{"id":7,"type":"move","choice":0}', "fields", "$.type"),
    ("a long type", b'{"id":7,"type":"%s","choice":0}' % (b"x" * 900), "fields", "at `$.type`"),
    ("a list", b"[7,0]", "json", "first character is '['"),
    ("nothing", b"", "empty", "an empty line"),
    ("white space", b"  \t\r", "empty", "an empty line"),
    ("half an object", b'{"id":7,"choice":', "json", "a message is one line"),
    ("half a pair", b'{"id":7,"choice":0,"note":"\\ud83d!"}', "json", "half of a surrogate pair"),
    ("the other half", b'{"id":7,"choice":0,"note":"\\uDC2A"}', "json", "half of a surrogate pair"),
    ("a comma", b'{"id":7,"choice":0,"note":"\\ud83d\\udc2a",}', "json", "trailing comma"),
    ("a word of another script", "Ørn".encode(), "json", "first character is 'Ø'"),
    ("two objects", b'{"id":7,"choice":0}{"id":7}', "json", "not JSON"),
    ("infinity", b'{"id":7,"choice":Infinity}', "json", "NaN and Infinity"),
    ("a choice below zero", b'{"id":7,"choice":-1}', "fields", "$.choice"),
    ("a fractional choice", b'{"id":7,"choice":0.5}', "fields", "$.choice"),
    ("an action that is no object", b'{"id":7,"action":3}', "fields", "$.action"),
    ("a long note", b'{"id":7,"choice":0,"note":"%s"}' % (b"n" * 501), "fields", "$.note"),
    (
        "too many numbers",
        b'{"id":7,"choice":0,"data":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}}',
        "fields",
        "$.data",
    ),
    ("a number that is none", b'{"id":7,"choice":0,"data":{"a":"x"}}', "fields", "$.data"),
    ("nesting", b'{"id":7,"action":' + b'{"a":' * 9_000, "nesting", "nested too deeply"),
    ("a lone surrogate byte", b'{"id":7,"choice":0,"note":"\xed\xa0"}', "utf-8", "byte 27"),
)


@pytest.mark.parametrize(("name", "line", "detail", "words"), BAD, ids=[row[0] for row in BAD])
def test_a_bad_reply_is_named_and_explained(
    name: str, line: bytes, detail: str, words: str
) -> None:
    trouble = read_act(line, 7)
    assert isinstance(trouble, Trouble), name
    assert trouble.detail == detail
    assert words in trouble.sentence
    assert "[P-" in trouble.sentence


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":%s,"choice":0}' % (b"9" * 4_000),
        b'{"id":-%s,"choice":0}' % (b"9" * 4_000),
        b'{"id":7,"choice":0,"%s":1}' % (b"x" * 60_000),
        b'{"id":7,"choice":0,"type":"%s"}' % (b"x" * 60_000),
        b'{"id":7,"choice":0,"x\\u001b[2J\\n  again    rm":1}',
        b'{"protocol":%s}' % (b"9" * 4_000),
        b'{"protocol":1,"%s":1}' % (b"x" * 60_000),
    ],
    ids=lambda line: line[:24].decode(),
)
def test_a_sentence_is_short_and_on_one_line_whatever_a_bot_sends(line: bytes) -> None:
    trouble = read_ready(line) if b"protocol" in line else read_act(line, 7)
    assert isinstance(trouble, Trouble)
    assert trouble.sentence.isprintable()
    assert len(trouble.sentence) < 300


def test_ready_is_read_and_another_protocol_refused() -> None:
    ready = read_ready(b'{"type":"ready","protocol":1,"name":"otter"}')
    assert ready == Ready(1, "otter")
    trouble = read_ready(b'{"type":"ready","protocol":2}')
    assert isinstance(trouble, Trouble)
    assert trouble.detail == "protocol"


@given(st.binary(max_size=200))
def test_no_line_makes_the_readers_raise(line: bytes) -> None:
    assert isinstance(read_act(line, 3), Act | Trouble | type(STALE))
    assert isinstance(read_ready(line), Ready | Trouble)
    assert excerpt(line).isprintable()


def test_an_excerpt_is_bounded_and_printable() -> None:
    shown = excerpt(b"\x1b[2Jhello\n" + b"x" * 5000)
    assert shown.startswith("\\x1b[2Jhello\\n")
    assert shown.endswith("bytes more")
    assert len(shown) < 1_100
