from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from niagara_arena.wire.framing import LineBuffer
from niagara_arena.wire.limits import SPARE_LINES


def _drain(buffer: LineBuffer) -> list[bytes]:
    lines = []
    while (line := buffer.pop()) is not None:
        lines.append(line)
    return lines


@given(st.lists(st.binary(max_size=20), max_size=20), st.lists(st.integers(1, 9), min_size=1))
def test_lines_do_not_depend_on_how_the_bytes_were_cut(
    parts: list[bytes], sizes: list[int]
) -> None:
    data = b"\n".join(part.replace(b"\n", b"") for part in parts)
    whole, cut = LineBuffer(), LineBuffer()
    whole.push(data)
    at, turn = 0, 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        cut.push(data[at : at + size])
        at, turn = at + size, turn + 1
    assert (_drain(cut), cut.partial) == (_drain(whole), whole.partial)
    assert data == b"" or cut.partial == data.split(b"\n")[-1]


def test_a_line_of_exactly_the_limit_is_fine_and_one_byte_more_is_not() -> None:
    buffer = LineBuffer(limit=10)
    buffer.push(b"0123456789\n")
    assert (_drain(buffer), buffer.overflow) == ([b"0123456789"], "")
    buffer.push(b"0123456789a\n")
    assert (_drain(buffer), buffer.overflow) == ([], "line")


def test_a_line_without_an_end_is_given_up_at_the_limit_and_costs_no_memory() -> None:
    buffer = LineBuffer(limit=10)
    for _ in range(1000):
        buffer.push(b"x" * 10)
    assert buffer.overflow == "line"
    assert len(buffer.partial) == 11, "a beginning is kept as evidence"


def test_too_many_waiting_lines_are_given_up() -> None:
    buffer = LineBuffer()
    buffer.push(b"{}\n" * SPARE_LINES)
    assert buffer.overflow == ""
    buffer.push(b"{}\n")
    assert buffer.overflow == "lines"
    assert buffer.pop() is None
