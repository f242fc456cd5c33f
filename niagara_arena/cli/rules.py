"""`niagara rules`: ask the rules about positions, one JSON object each, from any language.

Positions come on stdin and go to stdout as canonical JSON, one a line. docs/positions.md
describes the format.
"""

from __future__ import annotations

import random as randomness
import sys
from typing import Any

import click

from niagara_arena.cli.exits import Exit
from niagara_arena.cli.output import Column, Format, Listing, format_options, show
from niagara_arena.cli.positions import MAX_POSITION_BYTES, read_position
from niagara_arena.errors import InputError
from niagara_arena.rules import RULESETS, enumeration


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


def _read() -> dict[str, Any]:
    """Read one position from stdin."""
    if sys.stdin.isatty():
        raise InputError(
            "a position is read from stdin",
            "pipe one in: `niagara rules random --rounds 1 | niagara rules …`",
        )
    return read_position(sys.stdin.buffer.read(MAX_POSITION_BYTES + 1), "stdin")


def _print(lines: list[str], count: bool) -> None:
    click.echo(str(len(lines)) if count else "\n".join(lines))


_ruleset = click.option(
    "--rules",
    "ruleset",
    type=click.Choice(tuple(RULESETS)),
    default="base",
    show_default=True,
    help="Which game.",
)
_seat = click.option("--seat", type=int, required=True, help="The seat, counted from 0.")
_count = click.option("--count", is_flag=True, help="Print only how many there are.")


@rules.command()
@_seat
@click.option("--card", required=True, help="A card of the seat's hand: 1 … 7, cloud, lasso, 123.")
@_count
def turns(seat: int, card: str, count: bool) -> None:
    """Print every distinct position after a seat's whole turn.

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
    refilled, the start marker and the round move on. A won position, or one with fewer than two
    seats left, has no flow: nothing is printed and the exit code is 1.

    \b
    Examples:
      niagara rules random --rounds 1 --seats 3 | niagara rules flow --cards 4,cloud,2
    """
    position = _read()
    text = enumeration.flow(position, [card.strip() for card in cards.split(",")], arm)
    if text is None:
        left = sum(not player.get("retired", False) for player in position["players"])
        why = "the position is won" if left > 1 else "fewer than two seats are left"
        clause = "N-5.1" if left > 1 else "N-5.4"
        click.echo(f"{why}: the game is over without a flow [{clause}]", err=True)
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
@_ruleset
@click.option("--seats", type=int, default=4, show_default=True, help="How many play.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Same seed, same game.",
)
@click.option(
    "--rounds", type=click.IntRange(1, 100_000), default=10, show_default=True, help="How many."
)
def random(ruleset: str, seats: int, seed: int, rounds: int) -> None:
    """Print the positions of a random game, at the start of each round.

    One a line; fewer than asked for when the game ends before.

    \b
    Examples:
      niagara rules random --rules spirits --seats 6 --seed 7 --rounds 3
    """
    source = randomness.Random(seed)
    for text in enumeration.random_rounds(ruleset, seats, rounds, source.choice):
        click.echo(text)


@rules.command()
@_ruleset
@click.option("--seats", type=int, default=3, show_default=True, help="How many play.")
@click.option(
    "--depth", type=click.IntRange(0, 12), default=4, show_default=True, help="Asked decisions."
)
@format_options
def perft(ruleset: str, seats: int, depth: int, output_format: Format) -> None:
    """Count what can happen at first, to compare ports of the rules.

    Counts paths and distinct states after each number of asked decisions from the set-up, the
    lowest pending seat first. Decisions with one legal action are not asked.

    \b
    Examples:
      niagara rules perft --rules spirits --seats 3 --depth 2 --json
    """
    rows = [count._asdict() for count in enumeration.perft(ruleset, seats, depth)]
    columns = (Column("depth"), Column("paths"), Column("states"))
    show(Listing("perft", 1, columns, rows), output_format)
