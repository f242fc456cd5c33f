"""Cases of whole turns: what becomes of seat 0's canoes, every way there is.

Each is worked out by hand from the clauses that it cites. A turn's results are told as
`tests.rules.tables.described` does, seat 0's two canoes, then a rival's if the case names one.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.rules.tables import Position, base


class Turn(NamedTuple):
    """A position, a card of seat 0, and all that the turn can lead to."""

    name: str
    clauses: str
    position: Position
    card: str
    results: set[str]
    also: int | None = None
    """Another seat whose canoes the results tell too."""


ALL_AMETHYSTS = ",".join(["amethyst"] * 7)
ALL_DIAMONDS = ",".join(["diamond"] * 7)

BASE_TURNS = [
    Turn(
        "the-trunk-forks-after-five-spaces",
        "N-1.1 N-4.7",
        base("4", "lost"),
        "3",
        {
            "7L lost",
            "7R lost",
            "1 lost",
            "5[amber] lost",
            "5[diamond] lost",
            "3[amethyst] lost",
            "3[diamond] lost",
        },
    ),
    Turn(
        "past-seven-is-the-waterfall",
        "N-1.1 N-4.9",
        base("7R", "lost"),
        "1",
        {"6R lost", "lost lost"},
    ),
    Turn(
        "the-sapphires-are-reached-from-either-six",
        "N-1.2 N-4.4",
        base("6R", "lost"),
        "2",
        {"6R[sapphire] lost", "4 lost", "lost lost"},
    ),
    Turn(
        "no-place-lies-beside-space-two", "N-1.2", base("2", "lost"), "2", {"jetty lost", "4 lost"}
    ),
    Turn(
        "nobody-steals-across-the-tongue-of-land",
        "N-1.3 N-4.17",
        base("7L", "lost", s1=("6R[ruby]", "lost")),
        "1",
        {"6L lost", "lost lost"},
    ),
    Turn(
        "four-canoes-on-a-space-block-nobody",
        "N-1.4",
        base("1", "lost", s1=("2", "2"), s2=("2", "2")),
        "1",
        {"2 lost", "jetty lost"},
    ),
    Turn(
        "with-both-at-the-jetty-exactly-one-puts-out",
        "N-4.1 N-2.1",
        base("jetty", "jetty"),
        "2",
        {"2 jetty"},
    ),
    Turn(
        "the-canoe-on-the-river-must-move-and-the-other-may",
        "N-4.1 N-4.2",
        base("1", "jetty"),
        "1",
        {"2 jetty", "1 2", "jetty jetty", "1 jetty"},
    ),
    Turn(
        "two-on-the-river-must-both-move",
        "N-4.1",
        base("1", "1"),
        "1",
        {"2 2", "2 jetty", "jetty jetty"},
    ),
    Turn(
        "the-last-canoe-must-leave-the-jetty",
        "N-4.1",
        base("jetty", "lost"),
        "3",
        {"3 lost"},
    ),
    Turn("a-seat-without-canoes-does-nothing", "N-4.1", base("lost", "lost"), "4", {"lost lost"}),
    Turn(
        "one-canoe-ends-before-the-other-begins-and-may-use-what-it-left",
        "N-4.2 N-4.16 N-4.13",
        base("3[ruby]", "3", lie={"amber": ALL_AMETHYSTS}),
        "2",
        {
            "3 3[ruby]",
            "1 3",
            "3 5",
            "1 1[ruby]",
            "1 5[ruby]",
            "1[ruby] 5",
            "5 5[ruby]",
        },
    ),
    Turn(
        "a-canoe-that-lands-stays-at-the-jetty",
        "N-4.3 N-4.10",
        base("1", "lost"),
        "4",
        {"jetty lost", "5 lost", "3[amethyst] lost"},
    ),
    Turn(
        "all-points-are-spent-unless-it-lands-or-falls",
        "N-4.5",
        base("2", "lost"),
        "3",
        {"jetty lost", "5 lost", "3[amethyst] lost"},
    ),
    Turn(
        "two-points-in-place-are-one-unload",
        "N-4.6 N-4.13",
        base("4[ruby]", "lost"),
        "2",
        {"4 lost", "2[ruby] lost", "6L[ruby] lost", "6R[ruby] lost"},
    ),
    Turn(
        "four-points-in-place-are-an-unload-and-a-reload-of-another-colour",
        "N-4.6 N-4.15",
        base("4[ruby]", "lost"),
        "4",
        {"4[diamond] lost", "2 lost", "6L lost", "6R lost", "jetty lost", "lost lost"},
    ),
    Turn(
        "up-out-of-an-arm-it-never-turns-down-the-other",
        "N-4.7",
        base("6L", "lost"),
        "3",
        {
            "3 lost",
            "lost lost",
            "7L[sapphire] lost",
            "7L[ruby] lost",
            "5[sapphire] lost",
            "5[amber] lost",
        },
    ),
    Turn(
        "it-enters-the-river-by-space-one-alone",
        "N-4.8 N-4.4",
        base("jetty", "lost"),
        "1",
        {"1 lost"},
    ),
    Turn(
        "paddling-over-the-falls-returns-the-cargo-to-its-own-place",
        "N-4.9 N-6.5",
        base("7L[amber]", "lost"),
        "1",
        {"lost lost", "6L[amber] lost"},
    ),
    Turn(
        "landing-banks-the-cargo-and-lets-a-point-lapse",
        "N-4.10 N-4.5",
        base("2[ruby]", "lost"),
        "3",
        {"jetty lost", "5[ruby] lost", "3 lost"},
    ),
    Turn(
        "a-single-canoe-loads-no-second-gem",
        "N-4.11",
        base("3[ruby]", "lost"),
        "2",
        {"3 lost", "1[ruby] lost", "5[ruby] lost"},
    ),
    Turn(
        "loading-comes-before-the-first-space-or-after-the-last",
        "N-4.12",
        base("3", "lost"),
        "4",
        {
            "jetty lost",
            "7L lost",
            "7R lost",
            "1[amethyst] lost",
            "5[amethyst] lost",
            "5[amber] lost",
        },
    ),
    Turn(
        "the-loader-chooses-among-the-colours-that-lie-there",
        "N-4.12 N-4.13",
        base("3", "lost", lie={"amethyst": "ruby,amber"}),
        "2",
        {"3[amethyst] lost", "3[ruby] lost", "3[amber] lost", "1 lost", "5 lost"},
    ),
    Turn(
        "a-gem-just-loaded-is-not-unloaded-at-the-other-end",
        "N-4.14",
        base("3", "lost"),
        "5",
        {
            "jetty lost",
            "lost lost",
            "6L[amethyst] lost",
            "6R[amethyst] lost",
            "6L[sapphire] lost",
            "6R[sapphire] lost",
        },
    ),
    Turn(
        "after-unloading-at-one-place-it-loads-at-no-other",
        "N-4.15",
        base("4[ruby]", "lost"),
        "5",
        {
            "jetty lost",
            "lost lost",
            "5[diamond] lost",
            "3[diamond] lost",
            "1 lost",
            "7L lost",
            "7R lost",
            "5[amber] lost",
            "3[amethyst] lost",
        },
    ),
    Turn(
        "an-empty-canoe-moving-up-may-steal-or-decline",
        "N-4.17 N-4.20",
        base("4", "lost", s1=("3[ruby]", "lost")),
        "1",
        {"3[ruby] lost | 3 lost", "3 lost | 3[ruby] lost", "5 lost | 3[ruby] lost"},
        also=1,
    ),
    Turn(
        "it-chooses-whom-to-rob",
        "N-4.17",
        base("4", "lost", s1=("3[ruby]", "3[amber]")),
        "1",
        {
            "3[ruby] lost | 3 3[amber]",
            "3[amber] lost | 3 3[ruby]",
            "3 lost | 3[amber] 3[ruby]",
            "5 lost | 3[amber] 3[ruby]",
        },
        also=1,
    ),
    Turn(
        "emptied-at-the-start-of-the-move-it-may-steal-at-the-end",
        "N-4.18",
        base("5[amber]", "lost", s1=("3[ruby]", "lost")),
        "4",
        {
            "3[ruby] lost | 3 lost",
            "3 lost | 3[ruby] lost",
            "1[amber] lost | 3[ruby] lost",
            "7L lost | 3[ruby] lost",
            "7R lost | 3[ruby] lost",
            "lost lost | 3[ruby] lost",
        },
        also=1,
    ),
    Turn(
        "after-loading-at-the-end-it-does-not-steal",
        "N-4.18",
        base("4", "lost", s1=("3[ruby]", "lost"), lie={"amber": ALL_DIAMONDS}),
        "3",
        {
            "3[amethyst] lost | 3[ruby] lost",
            "5[amber] lost | 3[ruby] lost",
            "5[diamond] lost | 3[ruby] lost",
            "1 lost | 3[ruby] lost",
            "7L lost | 3[ruby] lost",
            "7R lost | 3[ruby] lost",
        },
        also=1,
    ),
    Turn(
        "no-stealing-moving-down",
        "N-4.19",
        base("2", "lost", s1=("3[ruby]", "lost")),
        "1",
        {"3 lost | 3[ruby] lost", "1 lost | 3[ruby] lost"},
        also=1,
    ),
    Turn(
        "no-stealing-in-passing",
        "N-4.19",
        base("4", "lost", s1=("3[ruby]", "lost")),
        "2",
        {
            "2 lost | 3[ruby] lost",
            "4[diamond] lost | 3[ruby] lost",
            "6L lost | 3[ruby] lost",
            "6R lost | 3[ruby] lost",
        },
        also=1,
    ),
    Turn(
        "no-stealing-from-the-own-canoe",
        "N-4.19",
        base("2[ruby]", "3"),
        "1",
        {"3[ruby] 4", "2 3[ruby]", "1[ruby] 2", "1[ruby] 4"},
    ),
    Turn(
        "a-full-canoe-neither-steals-nor-swaps",
        "N-4.17 N-4.19",
        base("4[amber]", "lost", s1=("3[ruby]", "lost")),
        "1",
        {"3[amber] lost | 3[ruby] lost", "5[amber] lost | 3[ruby] lost"},
        also=1,
    ),
]
