"""Positions as canonical JSON text: equal positions are equal text.

Compact, keys in a fixed order, lists sorted as strings, zero counts left out. Fragments that
recur (a seat's row, a place) are remembered, bounded, so that a referee can afford to send the
whole position with every request.
"""

from __future__ import annotations

from typing import Final

from niagara_arena.rules.components import (
    BITS,
    CARD_NAMES,
    CARGO_NAMES,
    FIELD,
    GEM_NAMES,
    OUTPUT_ORDER,
    cards_of,
)
from niagara_arena.rules.geometry import ARM_NAMES, ASHORE, SPACE_NAMES
from niagara_arena.rules.state import (
    AT_PLACE,
    BANK,
    BEAVER,
    ENTERS_NEXT,
    HAND,
    HELD,
    MOOSE,
    NEXT_ARM,
    PLACES,
    RETIRED,
    RETURNING,
    ROUND,
    SEATS,
    START,
    STRIDE,
    WEATHER,
    WHIRLPOOL,
    Setup,
)

MEMO_ROWS: Final = 8192

_GEMS: Final[dict[int, str]] = {}
_ROWS: Final[dict[tuple[int, ...], str]] = {}

_SPACE_TEXT: Final = tuple(f'"{name}"' for name in SPACE_NAMES)
_WHIRLPOOL_TEXT: Final = ("null", *_SPACE_TEXT[1:], '"next"')
_BEAVER_TEXT: Final = ("null", *_SPACE_TEXT[1:])
_CARGO_TEXT: Final = tuple(
    "[" + ",".join(f'"{gem}"' for gem in names) + "]" for names in CARGO_NAMES
)


def names_text(names: tuple[str, ...]) -> str:
    """Return a JSON list of names; none of the game's names needs escaping."""
    return "[" + ",".join(f'"{name}"' for name in names) + "]"


def gems_text(packed: int) -> str:
    """Return packed gems as a JSON object of counts."""
    text = _GEMS.get(packed)
    if text is None:
        if len(_GEMS) >= MEMO_ROWS:
            _GEMS.clear()
        counts = ((GEM_NAMES[gem], (packed >> (BITS * gem)) & FIELD) for gem in OUTPUT_ORDER)
        text = "{" + ",".join(f'"{name}":{number}' for name, number in counts if number) + "}"
        _GEMS[packed] = text
    return text


def canoe_text(capacity: int, at: int, cargo: int) -> str:
    """Return one canoe as JSON."""
    ashore = "true" if at >= ASHORE else "false"
    return (
        f'{{"capacity":{capacity},"at":{_SPACE_TEXT[at & 15]},'
        f'"cargo":{_CARGO_TEXT[cargo]},"ashore":{ashore}}}'
    )


def hand_text(mask: int) -> str:
    """Return a hand as a JSON list of cards."""
    return names_text(tuple(CARD_NAMES[card] for card in cards_of(mask)))


def _row(capacities: tuple[int, int], v: tuple[int, ...], at: int) -> str:
    key = (capacities[0], bool(v[at + RETIRED]), *v[at : at + HAND + 1])
    text = _ROWS.get(key)
    if text is None:
        if len(_ROWS) >= MEMO_ROWS:
            _ROWS.clear()
        canoes = (canoe_text(capacities[c], v[at + 2 * c], v[at + 2 * c + 1]) for c in (0, 1))
        retired = "true" if v[at + RETIRED] else "false"
        text = (
            f'{{"canoes":[{",".join(canoes)}],"bank":{gems_text(v[at + BANK])},'
            f'"hand":{hand_text(v[at + HAND])},"retired":{retired}}}'
        )
        _ROWS[key] = text
    return text


def moose_text(number: int) -> str:
    """Return where the moose is, as JSON."""
    if number >= HELD:
        seat, canoe = divmod(number - HELD, 2)
        return f'{{"seat":{seat},"canoe":{canoe}}}'
    return {0: "null", AT_PLACE: '"place"', RETURNING: '"returning"'}[number]


def position_text(setup: Setup, v: tuple[int, ...]) -> str:
    """Return the position that a state's numbers hold."""
    ruleset = setup.ruleset
    places = ",".join(
        [f'"{GEM_NAMES[place]}":{gems_text(v[PLACES + place])}' for place in OUTPUT_ORDER]
    )
    end = SEATS + setup.seats * STRIDE
    rows = ",".join([_row(ruleset.capacities, v, at) for at in range(SEATS, end, STRIDE)])
    return (
        f'{{"rules":"{ruleset.name}","seats":{setup.seats},"round":{v[ROUND]},'
        f'"start":{v[START]},"weather":{v[WEATHER]},"next_arm":"{ARM_NAMES[v[NEXT_ARM]]}",'
        f'"places":{{{places}}},"players":[{rows}],"whirlpool":{_WHIRLPOOL_TEXT[v[WHIRLPOOL]]},'
        f'"beaver":{_BEAVER_TEXT[v[BEAVER]]},"moose":{moose_text(v[MOOSE])}}}'
    )


assert len(_WHIRLPOOL_TEXT) == ENTERS_NEXT + 1
