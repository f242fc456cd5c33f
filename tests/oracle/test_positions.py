"""Set-up and canonical text, worked out by hand from the clauses."""

import json

import pytest

from . import GEMS, canonical, setup
from .cases import gems_of, put, table


@pytest.mark.parametrize(
    ("rules", "seats", "gems"),
    [("base", 3, 7), ("base", 5, 7), ("spirits", 3, 6), ("spirits", 5, 7), ("spirits", 6, 8)],
)
def test_setup(rules: str, seats: int, gems: int) -> None:
    """[N-2.1, N-2.2, N-7.1] Count gems, seats and cards."""
    position = setup(rules, seats)
    assert gems_of(position) == dict.fromkeys(GEMS, gems)
    assert len(position["players"]) == seats
    assert len(position["players"][0]["hand"]) == (10 if rules == "spirits" else 7)


def test_canonical_text() -> None:
    """[N-2.1] Write keys in order, no zeros, base canoes by where they are."""
    position = table()
    put(position, 0, 1, "4", "ruby")
    position["places"]["amber"] = {"ruby": 0, "amber": 7}
    shuffled = {key: position[key] for key in reversed(position)}
    text = canonical(shuffled)
    start = (
        '{"rules":"base","seats":3,"round":1,"start":0,"weather":0,"next_arm":"L",'
        '"places":{"amethyst":{"amethyst":7},"diamond":{"diamond":7},"amber":{"amber":7},'
        '"sapphire":{"sapphire":7},"ruby":{"ruby":6}},'
        '"players":[{"canoes":[{"capacity":1,"at":"4","cargo":["ruby"],"ashore":false},'
        '{"capacity":1,"at":"jetty","cargo":[],"ashore":false}],'
        '"bank":{},"hand":["1","2","3","4","5","6","cloud"],"retired":false},'
    )
    assert text.startswith(start)
    assert text.endswith(',"whirlpool":null,"beaver":null,"moose":null}')


def test_canonical_keeps_the_double_first() -> None:
    """[N-7.2] Keep canoe 0 the double even where it would sort later."""
    position = table("spirits")
    put(position, 0, 1, "4")
    assert [c["capacity"] for c in json.loads(canonical(position))["players"][0]["canoes"]] == [
        2,
        1,
    ]
