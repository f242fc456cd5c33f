"""The river: spaces, their neighbours, the places beside them, and one push of the discs.

Laws kept here:

- A space is a small int whose order is the order of its name as a string, so sorting ints and
  sorting names agree: ``1 2 3 4 5 6L 6R 7L 7R jetty lost``.
- The five places are numbered as the gems that lie there at set-up [N-1.2], see ``components``.
- A canoe on the bank beside its space keeps the space's number plus ``ASHORE``; every table
  below leaves such a number alone, so nothing that sweeps over the river can touch it.
"""

from __future__ import annotations

from typing import Final

JETTY: Final = 10
LOST: Final = 11
ASHORE: Final = 16
"""Flag added to a space's number while the lasso holds a canoe on the bank [N-10.3]."""

SPACE_NAMES: Final = ("", "1", "2", "3", "4", "5", "6L", "6R", "7L", "7R", "jetty", "lost")
SPACE_BY_NAME: Final = {name: space for space, name in enumerate(SPACE_NAMES) if name}

ARM_NAMES: Final = ("L", "R")

DOWN: Final[tuple[tuple[int, ...], ...]] = (
    (),  # no space 0
    (2,),
    (3,),
    (4,),
    (5,),
    (6, 7),  # the fork [N-1.1]
    (8,),
    (9,),
    (LOST,),  # past 7 is the waterfall
    (LOST,),
    (1,),  # from the jetty only onto 1 [N-4.8]
    (),
)
"""Where one space down leads, by space; two ways at the fork."""

UP: Final = (0, JETTY, 1, 2, 3, 4, 5, 5, 6, 7, 0, 0)
"""Where one space up leads, by space; 0 where there is no up."""

AMBER_PLACE: Final = 0
AMETHYST_PLACE: Final = 1
DIAMOND_PLACE: Final = 2
RUBY_PLACE: Final = 3
SAPPHIRE_PLACE: Final = 4

PLACE_BESIDE: Final = (
    -1,
    -1,
    -1,
    AMETHYST_PLACE,
    DIAMOND_PLACE,
    AMBER_PLACE,
    SAPPHIRE_PLACE,
    SAPPHIRE_PLACE,
    RUBY_PLACE,
    RUBY_PLACE,
    -1,
    -1,
)
"""The discovery place beside a space, -1 where there is none [N-1.2]."""


def _push_table(arm: int) -> tuple[int, ...]:
    """Return where each position number goes when one disc is pushed in and ``arm`` moves."""
    table = list(range(2 * ASHORE))
    for space in (1, 2, 3, 4):
        table[space] = space + 1
    table[5] = 6 + arm
    table[6 + arm] = 8 + arm
    table[8 + arm] = LOST
    return tuple(table)


PUSH: Final = (_push_table(0), _push_table(1))
"""``PUSH[arm][space]``: one push of the river [N-6.2]; what is not on the river stays."""
