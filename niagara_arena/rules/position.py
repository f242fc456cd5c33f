"""Reading a position: one JSON object, checked in full before anything is made of it.

A position is what lies on the table, without who has chosen what: the state of a game at the
start of a round, or between two turns. Every fault is refused with its JSON path and the clause
that it breaks. Keys and lists may come in any order; ``ashore`` and ``retired`` may be left out
when false, and ``whirlpool``, ``beaver`` and ``moose`` in the base game.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from niagara_arena.errors import RulesError
from niagara_arena.rules.checks import LONGEST, shown
from niagara_arena.rules.components import (
    CARD_BY_NAME,
    CARD_NAMES,
    CARGO_CODE,
    CARGO_PACKED,
    GEM_BY_NAME,
    GEM_NAMES,
    GEMS,
    ONE,
    WEATHER_HIGH,
    WEATHER_LOW,
    count,
)
from niagara_arena.rules.geometry import ASHORE, JETTY, LOST, SPACE_BY_NAME
from niagara_arena.rules.registry import DEFAULT_MAX_ROUNDS, RULESETS, make_setup
from niagara_arena.rules.state import (
    AT_PLACE,
    BANK,
    BEAVER,
    BUY,
    BUYS_NOTHING,
    CARGO,
    ENTERS_NEXT,
    HAND,
    HELD,
    MOOSE,
    NEXT_ARM,
    PLACES,
    RETIRED,
    RETIREMENTS,
    RETURNING,
    ROUND,
    SEATS,
    START,
    STRIDE,
    WEATHER,
    WHIRLPOOL,
    Ruleset,
    Setup,
    Vector,
    block,
    sort_canoes,
)
from niagara_arena.rules.text import write_position

_KEYS: Final = (
    "rules seats round start weather next_arm places players whirlpool beaver moose".split()
)
_SPIRITS_KEYS: Final = ("whirlpool", "beaver", "moose")
_RIVER: Final = {name: space for name, space in SPACE_BY_NAME.items() if space < JETTY}
ROUND_LIMIT: Final = 1_000_000
"""A bound on what is believable as a round's number."""


def read_position(
    value: object, max_rounds: object = DEFAULT_MAX_ROUNDS, placings: object = "progress"
) -> tuple[Setup, Vector]:
    """Return the set-up and the numbers of a position; raise RulesError for a bad one.

    Nobody has chosen anything in the numbers returned; the phase is the secret one.
    """
    top = _object(value, "$", _KEYS, optional=_SPIRITS_KEYS)
    name = top["rules"]
    if not isinstance(name, str) or name not in RULESETS:
        known = " or ".join(sorted(RULESETS))
        raise RulesError(f"unknown ruleset {shown(name)}: it is {known}", path="$.rules")
    ruleset = RULESETS[name]
    for key in _SPIRITS_KEYS:
        if key not in top and ruleset.extras != (0, 0, 0):
            raise RulesError(f"`{key}` is missing", path="$", clause="N-7.2")
    counts = ruleset.seat_counts
    clause = "N-7.1" if name == "spirits" else "N-2.1"
    seats = _number(top["seats"], "$.seats", counts[0], counts[-1], clause)
    setup = make_setup(name, seats, max_rounds, placings)
    v = [0] * (SEATS + seats * STRIDE)
    v[ROUND] = _number(top["round"], "$.round", 1, ROUND_LIMIT)
    v[START] = _number(top["start"], "$.start", 0, seats - 1, "N-2.3")
    v[WEATHER] = _number(top["weather"], "$.weather", WEATHER_LOW, WEATHER_HIGH, "N-2.2")
    v[NEXT_ARM] = "LR".index(_choice(top["next_arm"], "$.next_arm", {"L": 0, "R": 1}, "N-6.3"))
    places = _object(top["places"], "$.places", list(GEM_NAMES))
    for gem in GEMS:
        v[PLACES + gem] = _gems(places[GEM_NAMES[gem]], f"$.places.{GEM_NAMES[gem]}")
    players = top["players"]
    if not isinstance(players, list) or len(players) != seats:
        raise RulesError(f"a list of {seats} players is needed", path="$.players", clause="N-2.1")
    for seat, player in enumerate(players):
        _read_player(ruleset, v, seat, player)
    _read_spirits(ruleset, v, top, players)
    _check_gems(setup, v)
    if ruleset.interchangeable:
        for seat in range(seats):
            sort_canoes(v, block(seat))
    return setup, v


def canonical_position(value: object) -> dict[str, Any]:
    """Check a position and return it in canonical form; raise RulesError for a bad one."""
    setup, v = read_position(value, ROUND_LIMIT)
    canonical: dict[str, Any] = json.loads(write_position(setup, v))
    return canonical


def _read_player(ruleset: Ruleset, v: Vector, seat: int, value: object) -> None:
    path = f"$.players[{seat}]"
    player = _object(value, path, ["canoes", "bank", "hand", "retired"], optional=("retired",))
    at = block(seat)
    v[at + BANK] = _gems(player["bank"], f"{path}.bank")
    v[at + HAND] = _read_hand(ruleset, player["hand"], f"{path}.hand")
    retired = _flag(player, "retired", path)
    v[at + RETIRED] = int(retired)
    v[RETIREMENTS] |= int(retired)
    canoes = player["canoes"]
    if not isinstance(canoes, list) or len(canoes) != len(ruleset.capacities):
        raise RulesError("a seat has two canoes", path=f"{path}.canoes", clause="N-2.1")
    free = list(range(len(ruleset.capacities)))
    for i, canoe in enumerate(canoes):
        _read_canoe(ruleset, v, at, free, canoe, f"{path}.canoes[{i}]")
    if retired:
        if v[at + BANK] or v[at] != LOST or v[at + 2] != LOST:
            raise RulesError(
                "a retired seat has no bank, and its canoes are off the board (`lost`)",
                path=path,
                clause="N-5.4",
            )
        v[at + BUY] = BUYS_NOTHING
    elif not v[at + HAND]:
        raise RulesError("the hand is empty: it comes back whole", "N-3.5", f"{path}.hand")


def _read_canoe(
    ruleset: Ruleset, v: Vector, at: int, free: list[int], value: object, path: str
) -> None:
    canoe = _object(value, path, ["capacity", "at", "cargo", "ashore"], optional=("ashore",))
    capacity = _number(canoe["capacity"], f"{path}.capacity", 1, 2, "N-4.11")
    number = next((c for c in free if ruleset.capacities[c] == capacity), None)
    if number is None:
        raise RulesError(
            f"a seat's canoes have the capacities {ruleset.capacities}",
            path=f"{path}.capacity",
            clause="N-2.1" if ruleset.interchangeable else "N-7.1",
        )
    free.remove(number)
    space = SPACE_BY_NAME[_choice(canoe["at"], f"{path}.at", SPACE_BY_NAME, "N-1.1")]
    cargo = canoe["cargo"]
    if not isinstance(cargo, list):
        raise RulesError("a list of gems is needed", path=f"{path}.cargo")
    gems = sorted(
        GEM_BY_NAME[_choice(gem, f"{path}.cargo[{i}]", GEM_BY_NAME, "N-1.2")]
        for i, gem in enumerate(cargo)
    )
    if len(gems) > capacity:
        raise RulesError(
            f"it carries {len(gems)} gems and holds {capacity}",
            path=f"{path}.cargo",
            clause="N-4.11" if capacity == 1 else "N-8.1",
        )
    if gems and space >= JETTY:
        where, clause = ("at the jetty", "N-4.10") if space == JETTY else ("lost", "N-6.5")
        raise RulesError(f"a canoe {where} carries nothing", clause, f"{path}.cargo")
    if _flag(canoe, "ashore", path):
        if ruleset.interchangeable or space >= JETTY:
            raise RulesError(
                "only the lasso pulls a canoe ashore, and only from the river",
                path=f"{path}.ashore",
                clause="N-10.3",
            )
        space += ASHORE
    v[at + 2 * number] = space
    v[at + 2 * number + CARGO] = CARGO_CODE[tuple(gems)]


def _read_hand(ruleset: Ruleset, value: object, path: str) -> int:
    if not isinstance(value, list):
        raise RulesError("a list of cards is needed", path=path)
    names = {CARD_NAMES[card]: card for card in ruleset.deck}
    hand = 0
    for i, card in enumerate(value):
        clause = "N-2.1" if ruleset.interchangeable else "N-7.1"
        bit = 1 << CARD_BY_NAME[_choice(card, f"{path}[{i}]", names, clause)]
        if hand & bit:
            raise RulesError(f"card {card} is there twice", clause, f"{path}[{i}]")
        hand |= bit
    return hand


def _read_spirits(ruleset: Ruleset, v: Vector, top: Mapping[str, Any], players: list[Any]) -> None:
    if ruleset.extras == (0, 0, 0):
        for key in _SPIRITS_KEYS:
            if top.get(key) is not None:
                raise RulesError("only in the expansion", "N-7.2", f"$.{key}")
        return
    whirlpool = _choice(top["whirlpool"], "$.whirlpool", [*_RIVER, "next"], "N-9.1")
    v[WHIRLPOOL] = _RIVER.get(whirlpool, ENTERS_NEXT)
    if top["beaver"] is not None:
        v[BEAVER] = _RIVER[_choice(top["beaver"], "$.beaver", _RIVER, "N-11.1")]
        if v[BEAVER] == v[WHIRLPOOL]:
            raise RulesError("the beaver is never on the whirlpool's disc", "N-11.1", "$.beaver")
    _read_moose(v, top["moose"], players)
    for seat in range(len(players)):
        for canoe in (0, 1):
            if v[block(seat) + 2 * canoe] == v[WHIRLPOOL]:
                raise RulesError(
                    f"a canoe rests on the whirlpool at {whirlpool}",
                    path=f"$.players[{seat}].canoes",
                    clause="N-9.1",
                )


def _read_moose(v: Vector, value: object, players: list[Any]) -> None:
    path = "$.moose"
    if isinstance(value, Mapping):
        moose = _object(value, path, ["seat", "canoe"])
        seat = _number(moose["seat"], f"{path}.seat", 0, len(players) - 1, "N-11.2")
        canoe = _number(moose["canoe"], f"{path}.canoe", 0, 1, "N-11.2")
        if v[block(seat) + 2 * canoe] in (JETTY, LOST):
            raise RulesError("the moose leaves a canoe that lands or falls", "N-11.4", path)
        v[MOOSE] = HELD + 2 * seat + canoe
        return
    if not isinstance(value, str) or value not in ("place", "returning"):
        raise RulesError(
            'it is "place", "returning" or {"seat":…,"canoe":…}', path=path, clause="N-11.2"
        )
    v[MOOSE] = AT_PLACE if value == "place" else RETURNING


def _check_gems(setup: Setup, v: Vector) -> None:
    expected = setup.ruleset.gems_a_place(setup.seats)
    heaps = v[PLACES : PLACES + len(GEMS)]
    for seat in range(setup.seats):
        at = block(seat)
        heaps += (v[at + BANK], CARGO_PACKED[v[at + CARGO]], CARGO_PACKED[v[at + 2 + CARGO]])
    for gem in GEMS:
        found = sum(count(heap, gem) for heap in heaps)
        if found != expected:
            raise RulesError(
                f"there are {found} {GEM_NAMES[gem]} gems on the table, and {expected} in the game",
                path="$",
                clause="N-2.2" if setup.ruleset.interchangeable else "N-7.1",
            )


def _gems(value: object, path: str) -> int:
    gems = _object(value, path, list(GEM_NAMES), optional=GEM_NAMES)
    return sum(
        ONE[GEM_BY_NAME[name]] * _number(number, f"{path}.{name}", 0, 8, "N-2.2")
        for name, number in gems.items()
    )


def _object(
    value: object, path: str, keys: list[str], optional: tuple[str, ...] = ()
) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RulesError("a JSON object is needed", path=path)
    for key in value:
        if key not in keys:
            near = get_close_matches(key[:LONGEST], keys, 1) if isinstance(key, str) else []
            hint = f"did you mean `{near[0]}`?" if near else None
            raise RulesError(f"unknown key {shown(key)}", path=path, hint=hint)
    for key in keys:
        if key not in value and key not in optional:
            raise RulesError(f"`{key}` is missing", path=path)
    return value


def _number(value: object, path: str, low: int, high: int, clause: str | None = None) -> int:
    if type(value) is not int or not low <= value <= high:
        raise RulesError(
            f"a whole number from {low} to {high} is needed, not {shown(value)}", clause, path
        )
    return value


def _choice(
    value: object, path: str, names: Mapping[str, int] | list[str], clause: str | None = None
) -> str:
    if not isinstance(value, str) or value not in names:
        raise RulesError(f"{shown(value)} is none of {', '.join(names)}", clause, path)
    return value


def _flag(value: Mapping[str, Any], key: str, path: str) -> bool:
    flag = value.get(key, False)
    if not isinstance(flag, bool):
        raise RulesError("true or false is needed", path=f"{path}.{key}")
    return flag
