from __future__ import annotations

import pytest

from niagara_arena.conformance.reading import hint_for, oddities, strict_act, strict_ready
from niagara_arena.wire.messages import Act, Ready
from niagara_arena.wire.replies import Trouble


@pytest.mark.parametrize(
    ("line", "detail", "words"),
    [
        (b'{"id":7,"choice":0,"choice":0}', "duplicate", '"choice" is there twice'),
        (b'{"id":7,"choice":0, "id" :7}', "duplicate", "(bytes 1 and 20)"),
        (b'{"id":7,"action":{"card":"1","card":"2"}}', "duplicate", '"card" is there twice'),
        (b'{"id":7,"action":{"a":[{"b":1,"b":2}]}}', "duplicate", '"b" is there twice'),
        (b'{"id":7,"choice":0,"data":{"x":1,"x":2}}', "duplicate", '"x" is there twice'),
        (b'{"id":7,"choice":0,"ch\\u006fice":0}', "duplicate", '"choice" is there twice'),
        (b'\xef\xbb\xbf{"id":7,"choice":0}', "bom", "byte order mark"),
        (b'{"id":7,"choice":NaN}', "json", "NaN"),
        (b'{"id":7,"choice":0,"data":{"x":NaN}}', "json", "NaN"),
        (b'{"id":7,"choice":0,"data":{"x":Infinity}}', "json", "Infinity"),
        (b'{"id":7,"choice":99999999999999999999}', "number", "`$.choice` is a number of 20"),
        (b'{"id":7,"note":"\xff","choice":0}', "utf-8", "byte 16"),
        (b'{"id":7,"action":' + b'{"a":' * 5000 + b"1" + b"}" * 5001, "nesting", "too deeply"),
        (b"Thinking ...", "json", "stdout is for messages only"),
        (b"", "empty", "an empty line"),
        (b'{"id":6,"choice":0}', "id", "an earlier question"),
        (b'{"id":8,"choice":0}', "id", "`$.id` is 8"),
        (b'{"id":7,"chioce":0}', "fields", "chioce"),
    ],
)
def test_what_is_wrong_with_an_answer_is_named_and_located(
    line: bytes, detail: str, words: str
) -> None:
    trouble = strict_act(line, 7)
    assert isinstance(trouble, Trouble)
    assert trouble.detail == detail
    assert words in trouble.sentence
    assert "[P-" in trouble.sentence
    assert hint_for(detail)


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":7,"choice":0}',
        b'{"id":7,"choice":0}\r',
        b' {"id":7,"choice":0}',
        b'{"id":7,"action":{"card":"1"},"data":{"id":7},"note":"\\"id\\":7"}',
        b'{"type":"act","id":7,"action":{"id":1,"choice":2}}',
    ],
)
def test_a_right_answer_is_read(line: bytes) -> None:
    assert isinstance(strict_act(line, 7), Act)


def test_the_handshake_is_read_as_strictly() -> None:
    assert isinstance(strict_ready(b'{"type":"ready","protocol":1}'), Ready)
    trouble = strict_ready(b'{"type":"ready","protocol":1,"protocol":1}')
    assert isinstance(trouble, Trouble)
    assert trouble.detail == "duplicate"


def test_what_passes_but_should_not_be_is_an_oddity() -> None:
    assert oddities(b'{"id":7,"choice":0}') == []
    assert [o.detail for o in oddities(b'{"id":7,"choice":0}\r')] == ["crlf"]
    assert [o.detail for o in oddities(b'\t{"id":7,"choice":0}')] == ["space"]
    assert all(hint_for(detail) for detail in ("crlf", "space"))
