"""Text from outside is harmless on a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niagara_arena.cli.text import clean, counted

CASES = {
    "plain-text-stays": ("otter 2.0", "otter 2.0"),
    "other-scripts-stay": ("Wasserfälle 瀑布 שלום", "Wasserfälle 瀑布 שלום"),
    "joined-emoji-stay": ("👩\u200d🚀", "👩\u200d🚀"),
    "colours-go-with-their-parameters": ("\x1b[1;31mred\x1b[0m", "red"),
    "a-window-title-goes-with-its-text": ("a\x1b]0;title\x07b", "ab"),
    "an-unended-title-swallows-the-rest": ("a\x1b]0;title", "a"),
    "eight-bit-sequences-go": ("a\x9b31mb", "ab"),
    "a-lone-escape-goes": ("a\x1b", "a"),
    "a-bell-goes": ("a\x07b", "ab"),
    "lines-become-one": ("a\r\nb\tc\u2028d", "a b c d"),
    "direction-marks-go": ("a\u202eb\u2066c", "abc"),
    "half-a-surrogate-pair-goes": ("a\ud800b", "ab"),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_clean(text: str, expected: str) -> None:
    assert clean(text) == expected


@given(st.text(st.characters(codec=None) | st.sampled_from("\x1b[]\x9b\x07\\;m\n")))
def test_nothing_that_steers_is_left(text: str) -> None:
    cleaned = clean(text)
    assert not {unicodedata.category(c) for c in cleaned} & {"Cc", "Cs", "Zl", "Zp"}
    assert clean(cleaned) == cleaned


def test_things_are_counted_in_words() -> None:
    assert [counted(number, "game") for number in (0, 1, 2)] == ["0 games", "1 game", "2 games"]
    assert [counted(number, "match", "matches") for number in (1, 2)] == ["1 match", "2 matches"]
