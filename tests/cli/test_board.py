from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from niagara_arena import rules
from niagara_arena.cli.board import GEM_LETTERS, WIDE_ENOUGH, draw, tell
from niagara_arena.cli.canvas import Canvas, cells, fit
from niagara_arena.rules.events import EVENT_TYPES
from tests.rules.play import walk

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
NAMES = ("otter", "héron", "鷺" * 30, "\x1b[31mred\x07", "", "z" * 300)


@cache
def seen(ruleset: str, seats: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return observations and events of a few busy games."""
    views, told = [], []
    for seed in range(3):
        for state, events in walk(ruleset, seats, seed, max_rounds=30, retirements=True):
            views.append(rules.observe(state, 0))
            told += [rules.event_to_json(event) for event in events]
    return views, told


def tokens(position: dict[str, Any]) -> Iterator[str]:
    """Yield every canoe that is to be seen, as it is drawn."""
    for seat, player in enumerate(position["players"]):
        for number, canoe in enumerate(player["canoes"]):
            if not player["retired"]:
                load = "".join(GEM_LETTERS[gem] for gem in canoe["cargo"])
                inside = f"{seat}{load.ljust(canoe['capacity'], '.')}"
                moose = "m" if position["moose"] == {"seat": seat, "canoe": number} else ""
                yield (f"[{inside}]" if canoe["ashore"] else f"<{inside}>") + moose


CANOE = re.compile(r"[<\[]\d[ABDRS.]+[>\]]m?")


@pytest.mark.parametrize("width", [80, 79, 50])
@pytest.mark.parametrize(("ruleset", "seats"), [("base", 5), ("spirits", 6)])
def test_every_canoe_and_gem_is_drawn_within_the_width(
    ruleset: str, seats: int, width: int
) -> None:
    for view in seen(ruleset, seats)[0]:
        position = view["position"]
        lines = draw(
            position,
            width=width,
            color=False,
            played=view["played"],
            names=NAMES,
            clocks=[-12, None, 5000, 1_000_000, 0, 77],
            notes=["\x1b[2Jnote " * 20],
        )
        text = "\n".join(lines)
        assert sorted(CANOE.findall(text)) == sorted(tokens(position))
        assert max(map(cells, lines)) <= width
        assert "\x1b" not in text
        assert "\x07" not in text
        river = text[: text.index(" seat  ")]
        for place in position["places"].values():
            for gem, number in place.items():
                assert f"{GEM_LETTERS[gem]}{number}" in river


@pytest.mark.parametrize(("ruleset", "seats"), [("base", 3), ("spirits", 6)])
def test_colour_changes_nothing_but_the_colour(ruleset: str, seats: int) -> None:
    for view in seen(ruleset, seats)[0][::7]:
        plain = draw(view["position"], width=80, color=False, names=NAMES, turn=1)
        coloured = draw(view["position"], width=80, color=True, names=NAMES, turn=1)
        assert coloured != plain
        assert [ESCAPE.sub("", line) for line in coloured] == plain


def test_the_set_up_looks_like_this() -> None:
    state = rules.start("base", 3)
    position = rules.observe(state, 0)["position"]
    lines = draw(position, width=80, color=False, names=["otter", "heron"], max_rounds=200)
    assert "\n".join(lines) == SET_UP.strip("\n")


SET_UP = r"""
 Round 1 of 200   seat 0 starts   weather -1 [0] +1 +2   next arm left

 jetty                                               .----------------
 <0.><0.>                    A7      D7      B7     /    6L      7L   )))
 <1.><1.>  ----------------------------------------/                  )))
 <2.><2.>     1    :  2    :  3    :  4    :  5     ^+----------------+
                   :       :       :       :         |  S7      R7    |
                   :       :       :       :         +----------------+
           ----------------------------------------\     6R      7R   )))
                                                    \                 )))
                                                     '----------------

   seat                  bank           hand               played
      0 otter            -              1 2 3 4 5 6 cloud
      1 heron            -              1 2 3 4 5 6 cloud
      2                  -              1 2 3 4 5 6 cloud
"""


def canoe(at: str, *cargo: str, capacity: int = 2, ashore: bool = False) -> dict[str, Any]:
    return {"capacity": capacity, "at": at, "cargo": list(cargo), "ashore": ashore}


def busy_position() -> dict[str, Any]:
    """Return a made-up position that has everything at once."""
    position: dict[str, Any] = rules.observe(rules.start("spirits", 3), 0)["position"]
    position |= {"whirlpool": "6R", "beaver": "2", "weather": 2, "next_arm": "R"}
    position["moose"] = {"seat": 1, "canoe": 0}
    position["places"]["amber"] = {"amethyst": 1, "diamond": 2, "amber": 3, "ruby": 1}
    players = position["players"]
    players[0]["canoes"] = [canoe("5", "ruby", ashore=True), canoe("lost", capacity=1)]
    players[1]["canoes"] = [canoe("7R", "amber", "ruby"), canoe("1", "diamond", capacity=1)]
    players[2] |= {"retired": True, "hand": []}
    return position


def test_a_busy_river_looks_like_this() -> None:
    lines = draw(
        busy_position(),
        width=80,
        color=False,
        played=["lasso", None, None],
        clocks=[4980, 20, None],
        turn=0,
        notes=["seat 0 pulls a canoe ashore"],
    )
    assert "\n".join(lines) == BUSY.strip("\n")


BUSY = r"""
 Round 1   seat 0 starts   weather -1 0 +1 [+2]   next arm right

 jetty                                       A1 D2   .----------------
                             A6      D6      B3 R1  /    6L      7L   )))
           ----------------------------------------/                  )))
              1    :  2    :  3    :  4    :  5      +----------------+
             <1D>  : beaver:       :       : [0R.]   |  S6      R6    |
                   :       :       :       :        v+----------------+
           ----------------------------------------\     6R      7R   )))
                                                    \   (@@@)   <1BR>m)))
                                                     '----------------
 over the falls: <0.>

   seat            bank           hand                           played    clock
 >    0            -              1 2 3 4 5 6 7 cloud       123  lasso     4.98s
      1            -              1 2 3 4 5 6 7 cloud lasso 123            0.02s
      2            retired

 seat 0 pulls a canoe ashore
"""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"whirlpool": "next"}, "the whirlpool is the next disc to enter"),
        ({"moose": "returning"}, "the moose is on its way back"),
        ({"moose": "place"}, "moose"),
    ],
)
def test_the_spirits_that_are_not_on_the_river_are_told(
    change: dict[str, Any], sentence: str
) -> None:
    for width in (80, 40):
        assert sentence in "\n".join(draw(busy_position() | change, width=width, color=False))


def test_every_kind_of_event_has_a_sentence() -> None:
    """The games above show each kind; a new kind fails here until it has a sentence."""
    # These games see no weather of +2, so no beaver.
    told = {"beaver_moved": tell({"event": "beaver_moved", "to": None})}
    for game in (("base", 5), ("spirits", 3), ("spirits", 6)):
        for event in seen(*game)[1]:
            told[event["event"]] = tell(event, NAMES)
    assert set(told) == set(EVENT_TYPES)
    assert len(set(told.values())) == len(told)
    assert not any("\x1b" in sentence or "\n" in sentence for sentence in told.values())
    assert max(map(len, told.values())) < 300


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            rules.event_from_json(
                {
                    "event": "canoe_moved",
                    "seat": 0,
                    "canoe": 1,
                    "origin": "5",
                    "to": "3",
                    "unload": ["ruby", "ruby"],
                    "load": ["amber"],
                    "unload_there": [],
                    "load_there": [],
                    "steal": [{"seat": 1, "canoe": 0, "gem": "diamond"}],
                }
            ),
            "otter (0) unloads two rubies, loads an amber, paddles from 5 to 3 and steals a "
            "diamond from seat 1",
        ),
        (
            rules.event_from_json({"event": "river_flowed", "speed": 3, "arms": "RLR"}),
            "the river flows 3, into the right arm first",
        ),
        (
            rules.event_from_json({"event": "weather_changed", "seat": None, "weather": 0}),
            "the beaver fell: the weather is 0",
        ),
        (
            rules.event_from_json({"event": "bought_back", "seat": 1, "canoe": 0, "gem": None}),
            "seat 1 gets a canoe back free",
        ),
        (
            rules.event_from_json({"event": "game_ended", "reason": "won", "winners": [0, 1]}),
            "the game is over: otter (0) and seat 1 won",
        ),
        (
            rules.event_from_json({"event": "game_ended", "reason": "deserted", "winners": []}),
            "the game is over: nobody is left at the table",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else rules.event_name(value),
)
def test_an_event_is_told(event: rules.Event, sentence: str) -> None:
    assert tell(rules.event_to_json(event), ["otter"]) == sentence


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("otter", 5, "otter"),
        ("otter", 7, "otter  "),
        ("otters", 5, "otte…"),
        ("鷺鷺鷺", 5, "鷺鷺…"),
        ("鷺鷺鷺", 4, "鷺… "),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("a\x1b[31mb\n", 4, "ab  "),
        ("otter", 1, "…"),
        ("otter", 0, ""),
    ],
)
def test_text_is_cut_to_its_cells(text: str, width: int, shown: str) -> None:
    assert fit(text, width) == shown


def test_a_canvas_cuts_off_what_is_beyond_its_edge() -> None:
    canvas = Canvas(3, 1)
    assert canvas.put(-1, 0, "abcdef") == 5
    canvas.put(0, 9, "x")
    assert [piece.text for piece in canvas.rows()[0]] == ["bcd"]


def test_the_widest_drawing_fits_a_terminal_of_eighty_columns() -> None:
    assert WIDE_ENOUGH <= 80
