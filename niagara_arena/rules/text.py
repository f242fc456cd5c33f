"""Positions as canonical JSON text: equal positions are equal text.

Compact, keys in a fixed order, lists sorted as strings, zero counts left out. Fragments that
recur (a seat's row, a place) are remembered, bounded, so that a referee can afford to send the
whole position with every request.
"""

from __future__ import annotations

from typing import Final

from niagara_arena.rules.checks import need_state
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
from niagara_arena.rules.memo import Memo
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
    WEATHER,
    WHIRLPOOL,
    Setup,
    Vector,
)

MEMO_ROWS: Final = 8192

_SPACE_TEXT: Final = tuple(f'"{name}"' for name in SPACE_NAMES)
_WHIRLPOOL_TEXT: Final = ("null", *_SPACE_TEXT[1:], '"next"')
_BEAVER_TEXT: Final = ("null", *_SPACE_TEXT[1:])


_NUMBERS: Final = tuple([str(number) for number in range(256)])


def number_text(number: int) -> str:
    """Return a number as JSON; the usual small ones quickly."""
    return _NUMBERS[number] if 0 <= number < 256 else str(number)


def names_text(names: tuple[str, ...]) -> str:
    """Return a JSON list of names; none of the game's names needs escaping."""
    return "[" + ",".join(f'"{name}"' for name in names) + "]"


CARGO_TEXT: Final = tuple(names_text(names) for names in CARGO_NAMES)
"""By cargo code: its gems as a JSON list."""


def _gems_text(packed: int) -> str:
    counts = [(GEM_NAMES[gem], (packed >> (BITS * gem)) & FIELD) for gem in OUTPUT_ORDER]
    return "{" + ",".join(f'"{name}":{number}' for name, number in counts if number) + "}"


GEMS_TEXT: Final = Memo(_gems_text, MEMO_ROWS)
"""By packed gems: a JSON object of counts."""


def _places_text(places: tuple[int, ...]) -> str:
    return ",".join(f'"{GEM_NAMES[place]}":{GEMS_TEXT[places[place]]}' for place in OUTPUT_ORDER)


_PLACES_TEXT: Final = Memo(_places_text, MEMO_ROWS)


def canoe_text(capacity: int, at: int, cargo: int) -> str:
    """Return one canoe as JSON."""
    ashore = "true" if at >= ASHORE else "false"
    return (
        f'{{"capacity":{capacity},"at":{_SPACE_TEXT[at & 15]},'
        f'"cargo":{CARGO_TEXT[cargo]},"ashore":{ashore}}}'
    )


def _rows(capacities: tuple[int, int]) -> Memo[int, str]:
    """Return a memo of a seat's row by the numbers of its block, packed as `_row_key` does."""

    def write(key: int) -> str:
        canoes = [
            canoe_text(capacity, key >> 10 * c & 31, key >> 10 * c + 5 & 31)
            for c, capacity in enumerate(capacities)
        ]
        hand = names_text(tuple([CARD_NAMES[card] for card in cards_of(key >> 20 & _HANDS)]))
        return f'{{"canoes":[{",".join(canoes)}],"bank":{GEMS_TEXT[key >> 31]},"hand":{hand},'

    return Memo(write, MEMO_ROWS)


_HANDS: Final = (1 << 11) - 1
assert len(CARD_NAMES) <= 11


def _row_key(v: Vector, at: int) -> int:
    """Pack what a seat's row shows into one number, which is quicker to look up than a tuple."""
    return (
        v[at]
        | v[at + 1] << 5
        | v[at + 2] << 10
        | v[at + 3] << 15
        | v[at + HAND] << 20
        | v[at + BANK] << 31
    )


_ROWS: Final = {capacities: _rows(capacities) for capacities in ((1, 1), (2, 1))}
_RETIRED: Final = ('"retired":false}', '"retired":true}')


def moose_text(number: int) -> str:
    """Return where the moose is, as JSON."""
    if number >= HELD:
        seat, canoe = divmod(number - HELD, 2)
        return f'{{"seat":{seat},"canoe":{canoe}}}'
    return {0: "null", AT_PLACE: '"place"', RETURNING: '"returning"'}[number]


def write_position(setup: Setup, v: Vector) -> str:
    """Return the position that a state's numbers hold."""
    ruleset = setup.ruleset
    rows = _ROWS[ruleset.capacities]
    players = ",".join(
        [rows[_row_key(v, at)] + _RETIRED[v[at + RETIRED] > 0] for at in setup.blocks]
    )
    if v[WHIRLPOOL]:
        extras = (
            f'"whirlpool":{_WHIRLPOOL_TEXT[v[WHIRLPOOL]]},'
            f'"beaver":{_BEAVER_TEXT[v[BEAVER]]},"moose":{moose_text(v[MOOSE])}}}'
        )
    else:
        extras = '"whirlpool":null,"beaver":null,"moose":null}'
    return (
        f'{{"rules":"{ruleset.name}","seats":{number_text(setup.seats)},'
        f'"round":{number_text(v[ROUND])},"start":{number_text(v[START])},'
        f'"weather":{number_text(v[WEATHER])},"next_arm":"{ARM_NAMES[v[NEXT_ARM]]}",'
        f'"places":{{{_PLACES_TEXT[tuple(v[PLACES:SEATS])]}}},"players":[{players}],{extras}'
    )


def position_text(state: object) -> str:
    """Return the canonical JSON of what lies on the table, without who has chosen what."""
    state = need_state(state)
    text = state._position
    if text is None:
        text = state._position = write_position(state._setup, state._v)
    return text


assert len(_WHIRLPOOL_TEXT) == ENTERS_NEXT + 1
