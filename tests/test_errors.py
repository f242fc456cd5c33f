"""The tree of errors."""

from __future__ import annotations

import copy
import pickle

import pytest

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere, RulesError

SHOWN = {
    "message-alone": (RulesError("no such seat"), "no such seat"),
    "with-its-clause": (RulesError("points are left", "N-4.5"), "points are left [N-4.5]"),
    "with-its-path": (RulesError("not a list", path="$.hand"), "$.hand: not a list"),
    "with-both": (RulesError("twice", "N-2.1", "$.hand"), "$.hand: twice [N-2.1]"),
    "the-hint-is-told-apart": (ArenaError("no", hint="try"), "no"),
}


@pytest.mark.parametrize(("error", "shown"), SHOWN.values(), ids=SHOWN)
def test_str(error: ArenaError, shown: str) -> None:
    assert str(error) == shown


@pytest.mark.parametrize(
    "error",
    [
        ArenaError("a", "b"),
        InputError("a"),
        NotPossibleHere("a", hint="b"),
        RulesError("a", "N-1.1", "$.b", "c"),
        RulesError("a", path="$.b"),
    ],
    ids=repr,
)
def test_an_error_survives_a_copy_and_a_pickle(error: ArenaError) -> None:
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is type(error)
        assert vars(twin) == vars(error)
        assert str(twin) == str(error)
