"""Cases of flows and buy-backs, worked out by hand from the clauses that they cite."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.oracle import GEMS
from tests.rules.tables import Position, base, spirits


class Flow(NamedTuple):
    """A position, the cards played, and what must be so after phases III and IV."""

    name: str
    clauses: str
    position: Position
    cards: str
    expected: dict[str, Any]
    """Seats by number: their canoes as told by `described`; else keys of the position."""
    arm: str = "L"


class Buy(NamedTuple):
    """A position and every buy-back of seat 0: canoes, then its bank."""

    name: str
    clauses: str
    position: Position
    results: set[str]


FLOWS = [
    Flow(
        "the-river-runs-by-the-lowest-number-and-the-weather",
        "N-6.1",
        base("1", "lost", weather=1),
        "4,2,cloud",
        {"0": "4 lost"},
    ),
    Flow(
        "with-no-number-card-the-weather-alone-drives-the-river",
        "N-6.1",
        base("1", "lost", weather=2),
        "cloud,cloud,cloud",
        {"0": "3 lost"},
    ),
    Flow(
        "at-zero-or-less-the-river-stands",
        "N-6.1 N-6.3",
        base("1", "5", weather=-1),
        "1,3,cloud",
        {"0": "1 5", "next_arm": "L"},
    ),
    Flow(
        "one-push-moves-the-trunk-and-one-arm",
        "N-6.2",
        base("5", "6L", s1=("7R", "6R"), s2=("1", "7L")),
        "1,2,3",
        {"0": "6L 7L", "1": "6R 7R", "2": "2 lost"},
    ),
    Flow(
        "the-arms-take-turns",
        "N-6.3",
        base("4", "5"),
        "2,3,4",
        {"0": "6L 6R", "next_arm": "L"},
    ),
    Flow(
        "the-marked-arm-is-the-next",
        "N-6.3",
        base("5", "lost", next_arm="R"),
        "1,2,3",
        {"0": "6R lost", "next_arm": "L"},
    ),
    Flow(
        "canoes-ride-and-nothing-is-loaded-or-stolen",
        "N-6.4",
        base("3", "3[ruby]", s1=("4[amber]", "4")),
        "1,2,3",
        {"0": "4 4[ruby]", "1": "5 5[amber]"},
    ),
    Flow(
        "the-cargo-of-a-lost-canoe-returns-to-its-own-place",
        "N-6.5",
        base("7L[amber]", "jetty"),
        "1,2,3",
        {"0": "jetty lost", "places": {gem: {gem: 7} for gem in GEMS}},
    ),
    Flow(
        "the-start-marker-and-the-round-move-on",
        "N-6.6",
        base("jetty", "jetty", start=2, round=7),
        "1,2,3",
        {"start": 0, "round": 8},
    ),
    Flow(
        "the-start-marker-passes-over-a-retired-seat-and-its-card-counts-for-nothing",
        "N-5.4 N-6.6",
        base("1", "lost", start=0, retired=(1,)),
        "4,-,3",
        {"0": "4 lost", "start": 2},
    ),
    Flow(
        "the-whirlpool-rides-its-disc",
        "N-9.1",
        spirits("jetty", "jetty", whirlpool="3"),
        "2,3,4",
        {"whirlpool": "5"},
    ),
    Flow(
        "a-fallen-whirlpool-enters-next-in-the-same-flow",
        "N-9.6",
        spirits("jetty", "jetty", whirlpool="7L"),
        "2,3,4",
        {"whirlpool": "1"},
    ),
    Flow(
        "a-whirlpool-that-falls-on-the-last-push-waits-off-the-board",
        "N-9.6",
        spirits("jetty", "jetty", whirlpool="7L"),
        "1,3,4",
        {"whirlpool": "next"},
    ),
    Flow(
        "a-standing-river-brings-no-whirlpool",
        "N-9.6",
        spirits("jetty", "jetty", whirlpool="next"),
        "cloud,lasso,123",
        {"whirlpool": "next"},
    ),
    Flow(
        "lasso-123-cloud-and-moose-do-not-count-for-the-speed",
        "N-10.4",
        spirits("1", "1", moose={"seat": 0, "canoe": 0}),
        "7,lasso,123",
        {"0": "7L* 7L", "next_arm": "R"},
    ),
    Flow(
        "a-lassoed-canoe-is-not-carried-and-returns-to-its-space",
        "N-10.3",
        spirits("3[ruby]~", "lost", whirlpool="7R"),
        "lasso,2,3",
        {"0": "3[ruby] lost"},
    ),
    Flow(
        "a-canoe-that-returns-onto-the-whirlpool-is-dragged",
        "N-10.3 N-9.2",
        spirits("3~", "lost", whirlpool="1"),
        "lasso,2,3",
        {"0": "4 lost", "whirlpool": "3"},
    ),
    Flow(
        "returning-onto-a-whirlpool-on-5-the-owner-picks-the-arm",
        "N-10.3 N-9.4",
        spirits("5~", "lost", whirlpool="3"),
        "lasso,2,3",
        {"0": "6R lost"},
        arm="R",
    ),
    Flow(
        "lost-on-returning-the-moose-is-back-at-once",
        "N-11.4 N-9.4",
        spirits("7L[amber]~", "jetty", whirlpool="7L", moose={"seat": 0, "canoe": 0}),
        "lasso,cloud,123",
        {"0": "lost jetty", "moose": "place"},
    ),
    Flow(
        "the-moose-is-back-after-the-flow-even-if-the-river-stood",
        "N-11.4",
        spirits("jetty", "jetty", moose="returning"),
        "lasso,cloud,123",
        {"moose": "place"},
    ),
    Flow(
        "the-moose-leaves-a-canoe-that-falls",
        "N-11.4",
        spirits("7L", "jetty", moose={"seat": 0, "canoe": 0}),
        "1,cloud,123",
        {"0": "lost jetty", "moose": "place"},
    ),
    Flow(
        "when-the-beaver-falls-the-weather-is-0-and-the-flow-keeps-its-speed",
        "N-11.1",
        spirits("1", "lost", beaver="7L", weather=2),
        "1,cloud,123",
        {"0": "4 lost", "beaver": None, "weather": 0},
    ),
    Flow(
        "a-played-card-leaves-the-hand-and-an-empty-hand-comes-back",
        "N-3.5 N-7.1",
        spirits("jetty", "jetty"),
        "lasso,cloud,123",
        {"hands": [9, 9, 9]},
    ),
]

BUYS = [
    Buy(
        "with-no-canoe-lost-there-is-nothing-to-buy",
        "N-3.2",
        base("jetty", "4", bank="ruby"),
        {"4 jetty ruby"},
    ),
    Buy(
        "a-lost-canoe-costs-one-gem-of-any-colour-or-stays-lost",
        "N-3.2",
        base("4", "lost", bank="ruby,ruby,amber"),
        {"4 lost amber,ruby,ruby", "4 jetty ruby,ruby", "4 jetty amber,ruby"},
    ),
    Buy(
        "both-may-be-bought-in-one-round-and-one-must",
        "N-3.2 N-3.3",
        base("lost", "lost", bank="ruby,amber"),
        {"jetty lost amber", "jetty lost ruby", "jetty jetty "},
    ),
    Buy("with-no-gem-one-comes-back-free", "N-3.4", base("lost", "lost"), {"jetty lost "}),
    Buy(
        "in-the-expansion-the-seat-names-the-free-canoe",
        "N-3.4",
        spirits("lost", "lost"),
        {"jetty lost ", "lost jetty "},
    ),
    Buy("a-canoe-that-is-there-is-not-given-another-free", "N-3.4", base("5", "lost"), {"5 lost "}),
]
