"""The pieces: gems, cards, cargoes, and their small-int codes.

Laws kept here:

- Gems are numbered in the alphabetical order of their names, so a sorted tuple of numbers names
  a sorted list of strings.
- A *packed* int counts gems by colour, five bits a colour. No colour has more than eight gems
  [N-7.1], so sums and differences of legal amounts never carry from one colour into another.
- A *cargo code* numbers the multisets of at most two gems: 0 is empty, 1–5 one gem, 6–20 two.
  Codes order as the sorted lists of names do, as long as the sizes are equal.
- A card is a small int: 1–7 are the number cards' own values.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Final

GEM_NAMES: Final = ("amber", "amethyst", "diamond", "ruby", "sapphire")
GEM_BY_NAME: Final = {name: gem for gem, name in enumerate(GEM_NAMES)}
GEMS: Final = range(5)
OUTPUT_ORDER: Final = (1, 2, 0, 4, 3)
"""Gems in the order of their places down the river, used for keys in JSON."""

BITS: Final = 5
ONE: Final = tuple(1 << (BITS * gem) for gem in GEMS)
"""The packed int that holds one gem of a colour."""
FIELD: Final = (1 << BITS) - 1

CARGOES: Final[tuple[tuple[int, ...], ...]] = tuple(
    gems for size in (0, 1, 2) for gems in combinations_with_replacement(GEMS, size)
)
"""The gems of each cargo code, sorted."""
CARGO_CODE: Final = {gems: code for code, gems in enumerate(CARGOES)}
CARGO_PACKED: Final = tuple(sum(ONE[gem] for gem in gems) for gems in CARGOES)
CARGO_NAMES: Final = tuple(tuple(GEM_NAMES[gem] for gem in gems) for gems in CARGOES)

CLOUD: Final = 8
LASSO: Final = 9
ONE_TWO_THREE: Final = 10
HIGHEST_NUMBER: Final = 7

CARD_NAMES: Final = ("", "1", "2", "3", "4", "5", "6", "7", "cloud", "lasso", "123")
CARD_BY_NAME: Final = {name: card for card, name in enumerate(CARD_NAMES) if name}
CARDS_SORTED: Final = tuple(sorted(CARD_BY_NAME.values(), key=lambda card: CARD_NAMES[card]))
"""Every card, ordered by name as a string."""

WEATHER_LOW: Final = -1
WEATHER_HIGH: Final = 2


def count(packed: int, gem: int) -> int:
    """Return how many gems of one colour a packed int holds."""
    return (packed >> (BITS * gem)) & FIELD


def total(packed: int) -> int:
    """Return how many gems a packed int holds."""
    return sum((packed >> (BITS * gem)) & FIELD for gem in GEMS)


def cards_of(mask: int) -> tuple[int, ...]:
    """Return the cards of a hand's bit mask, ordered by name as strings."""
    return tuple(card for card in CARDS_SORTED if mask >> card & 1)
