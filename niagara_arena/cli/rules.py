"""`niagara rules`: ask the rules about positions, one JSON object each, from any language.

Positions come on stdin and go to stdout as canonical JSON, one a line. docs/positions.md
describes the format.
"""

from __future__ import annotations

import json
import random as randomness
import sys
from typing import Any

import click

from niagara_arena.cli.exits import Exit
from niagara_arena.cli.output import Column, Format, Listing, format_options, show
from niagara_arena.errors import InputError, RulesError
from niagara_arena.rules import RULESETS, enumeration

MAX_INPUT_BYTES = 1 << 20
"""A position takes about 2 KB; more than this is not one."""

_RULES = click.Choice(tuple(RULESETS))


@click.group()
def rules() -> None:
    """Ask the rules of Niagara about positions.

    A position is one JSON object, read from stdin; answers are positions in canonical form, one
    a line, so that another implementation of the rules can be compared with this one. A bad
    position is refused with its JSON path and the clause it breaks.

    \b
    Examples:
      niagara rules random --rules base --seats 3 --seed 7 --rounds 2
      niagara rules perft --rules base --seats 3 --depth 2
    """


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for key, value in pairs:
        if key in keys:
            raise RulesError(f"the key {key[:40]!r} is there twice")
        keys[key] = value
    return keys


def _read() -> dict[str, Any]:
    """Read one position from stdin."""
    if sys.stdin.isatty():
        raise InputError(
            "a position is read from stdin",
            "pipe one in: `niagara rules random --rounds 1 | niagara rules …`",
        )
    data = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    if len(data) > MAX_INPUT_BYTES:
        raise RulesError(f"a position is no longer than {MAX_INPUT_BYTES} bytes")
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError) as error:
        raise RulesError(
            f"stdin holds no JSON object: {str(error)[:120]}",
            hint="give exactly one position, one JSON object",
        ) from None
    if not isinstance(value, dict):
        raise RulesError("a position is a JSON object", path="$")
    return value


def _print(lines: list[str], count: bool) -> None:
    click.echo(str(len(lines)) if count else "\n".join(lines))


_seat = click.option("--seat", type=int, required=True, help="The seat, counted from 0.")
_count = click.option("--count", is_flag=True, help="Print only how many there are.")


@rules.command()
@_seat
@click.option("--card", required=True, help="A card of the seat's hand: 1 … 7, cloud, lasso, 123.")
@_count
def turns(seat: int, card: str, count: bool) -> None:
    """Print every distinct position that a seat's whole turn can lead to.

    One a line, sorted; hands, round and start marker stay as they were.

    \b
    Examples:
      niagara rules random --rounds 1 | niagara rules turns --seat 0 --card 6
      niagara rules random --rounds 1 | niagara rules turns --seat 0 --card 5 --count
    """
    _print(enumeration.turns(_read(), seat, card), count)


@rules.command()
@click.option("--cards", required=True, help="The cards played, by seat: 4,cloud,2; - if retired.")
@click.option(
    "--arm",
    type=click.Choice(("L", "R")),
    default="L",
    show_default=True,
    help="The answer to every arm question.",
)
def flow(cards: str, arm: str) -> Exit:
    """Print the position after phases III and IV.

    Cards are taken from the hands, the river flows, lassoed canoes come back, empty hands are
    refilled, the start marker and the round move on. A won position has no flow: nothing is
    printed and the exit code is 1.

    \b
    Examples:
      niagara rules random --rounds 1 --seats 3 | niagara rules flow --cards 4,cloud,2
    """
    text = enumeration.flow(_read(), [card.strip() for card in cards.split(",")], arm)
    if text is None:
        click.echo("the position is won: the game is over without a flow [N-5.1]", err=True)
        return Exit.NO
    click.echo(text)
    return Exit.DONE


@rules.command()
@_seat
@_count
def buys(seat: int, count: bool) -> None:
    """Print every distinct position after a seat's buy-back.

    \b
    Examples:
      niagara rules random --rounds 1 | niagara rules buys --seat 0
    """
    _print(enumeration.buys(_read(), seat), count)


@rules.command()
@click.option("--rules", "ruleset", type=_RULES, default="base", show_default=True)
@click.option("--seats", type=int, default=4, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same game.")
@click.option(
    "--rounds", type=click.IntRange(1, 100_000), default=10, show_default=True, help="How many."
)
def random(ruleset: str, seats: int, seed: int, rounds: int) -> None:
    """Print the positions of a random game, taken at the start of each round.

    One a line; fewer than asked for when the game ends before.

    \b
    Examples:
      niagara rules random --rules spirits --seats 6 --seed 7 --rounds 3
    """
    source = randomness.Random(seed)
    for text in enumeration.random_rounds(ruleset, seats, rounds, source.choice):
        click.echo(text)


@rules.command()
@click.option("--rules", "ruleset", type=_RULES, default="base", show_default=True)
@click.option("--seats", type=int, default=3, show_default=True)
@click.option(
    "--depth", type=click.IntRange(0, 12), default=4, show_default=True, help="Asked decisions."
)
@format_options
def perft(ruleset: str, seats: int, depth: int, output_format: Format) -> None:
    """Count what can happen in the first decisions, to compare ports of the rules.

    Counts paths and distinct states after each number of asked decisions from the set-up, the
    lowest pending seat first. Decisions with one legal action are not asked.

    \b
    Examples:
      niagara rules perft --rules spirits --seats 3 --depth 2 --json
    """
    rows = [count._asdict() for count in enumeration.perft(ruleset, seats, depth)]
    columns = (Column("depth"), Column("paths"), Column("states"))
    show(Listing("perft", 1, columns, rows), output_format)
