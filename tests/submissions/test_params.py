from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niagara_arena.errors import InputError
from niagara_arena.submissions.params import Param, Value, param_values, trouble_with_param

PARAMS = {
    "depth": Param("int", 3, range=(1, 8)),
    "greed": Param("float", 0.5, range=(0, 1)),
    "swift": Param("bool", False),
    "style": Param("str", "bold", choices=("bold", "shy")),
    "seeds": Param("int", 2, choices=(2, 3, 5)),
    "motto": Param("str", "row"),
}
DEFAULTS = {"depth": 3, "greed": 0.5, "motto": "row", "seeds": 2, "style": "bold", "swift": False}


def test_without_overrides_the_defaults_hold_in_order_of_names() -> None:
    values = param_values(PARAMS, {}, "otter")
    assert values == DEFAULTS
    assert list(values) == sorted(values)


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("depth", "8", 8),
        ("depth", 1, 1),
        ("greed", "1", 1.0),
        ("greed", 1, 1.0),
        ("greed", "2.5e-1", 0.25),
        ("swift", "true", True),
        ("swift", "no", False),
        ("swift", True, True),
        ("style", "shy", "shy"),
        ("seeds", "5", 5),
        ("motto", "7", "7"),
    ],
)
def test_an_override_is_read_as_the_type_of_its_parameter(
    name: str, given: Value, value: Value
) -> None:
    values = param_values(PARAMS, {name: given}, "otter")
    assert values == DEFAULTS | {name: value}
    assert type(values[name]) is type(value)


@pytest.mark.parametrize(
    ("name", "given", "trouble"),
    [
        ("depth", "9", "9 is outside 1 … 8"),
        ("depth", "0", "0 is outside 1 … 8"),
        ("depth", "2.5", "`2.5` is no `int`"),
        ("depth", 2.0, "`2.0` is no `int`"),
        ("depth", True, "`True` is no `int`"),
        ("depth", "", "`` is no `int`"),
        ("depth", "9" * 400, "is not between -2^53 and 2^53"),
        ("greed", "nan", "nan is not between"),
        ("greed", "inf", "inf is not between"),
        ("greed", "much", "`much` is no `float`"),
        ("swift", "perhaps", "`perhaps` is no `bool`"),
        ("swift", 1, "`1` is no `bool`"),
        ("style", "rude", "`rude` is none of its choices"),
        ("seeds", "4", "`4` is none of its choices"),
        ("motto", "a\x1b[2Jb", "`a\\x1b[2Jb` has characters that do not print"),
        ("motto", "x" * 201, "a text has at most 200 characters"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, given: Value, trouble: str) -> None:
    with pytest.raises(InputError) as caught:
        param_values(PARAMS, {name: given}, "otter")
    assert f"parameter `{name}` of otter: " in caught.value.message
    assert trouble in caught.value.message
    assert caught.value.hint is not None
    assert f"`{name}`" in caught.value.hint


def test_an_unknown_parameter_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InputError, match="otter has no parameter `dept`") as caught:
        param_values(PARAMS, {"dept": "3"}, "otter")
    assert caught.value.hint == "did you mean `depth`?"
    with pytest.raises(InputError) as caught:
        param_values({}, {"dept": "3"}, "otter")
    assert caught.value.hint == "its parameters: none"


@settings(deadline=None, derandomize=True, database=None)
@given(st.integers(), st.integers(), st.integers())
def test_a_specification_is_in_order_exactly_if_its_default_is_taken(
    default: int, low: int, high: int
) -> None:
    param = Param("int", default, range=(low, high))
    if trouble_with_param(param) is None:
        assert param_values({"x": param}, {"x": str(default)}, "otter") == {"x": default}
    else:
        with pytest.raises(InputError):
            param_values({"x": param}, {"x": str(default)}, "otter")
