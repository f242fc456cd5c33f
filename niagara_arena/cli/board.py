"""Draw the river in a terminal: a pure function from a position to lines.

A canoe is `<2A>`: its seat, then one character for each gem it can carry, a dot where it has room;
so `<0..>` is an empty double. On the bank after a lasso it is `[0..]`, with the moose aboard
`<0..>m`. Letters for gems are in `GEM_LETTERS`, B being amber (the German *Bernstein*), as A is
the amethyst.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from niagara_arena.cli.canvas import Canvas, Piece, Text, cut, fit, render
from niagara_arena.cli.telling import tell

__all__ = ["GEM_LETTERS", "LEGEND", "WIDE_ENOUGH", "Clock", "draw", "gems", "tell"]

GEM_LETTERS: Final = {"amethyst": "A", "diamond": "D", "amber": "B", "sapphire": "S", "ruby": "R"}
LEGEND: Final = "A amethyst  D diamond  B amber  S sapphire  R ruby   <2A> canoe of seat 2"
"""One line that explains the letters."""
_GEM_STYLE: Final = {
    "amethyst": "bright_magenta",
    "diamond": "bright_white",
    "amber": "bright_yellow",
    "sapphire": "bright_blue",
    "ruby": "bright_red",
}
_SEAT_STYLE: Final = ("cyan", "green", "yellow", "magenta", "blue", "red")
_LAND: Final = "green"
_WATER: Final = "blue"
_CARDS: Final = {
    "base": ("1", "2", "3", "4", "5", "6", "cloud"),
    "spirits": ("1", "2", "3", "4", "5", "6", "7", "cloud", "lasso", "123"),
}
_TRUNK: Final = ("1", "2", "3", "4", "5")
_PLACE_BESIDE: Final = {"3": "amethyst", "4": "diamond", "5": "amber"}
_ARMS: Final = {"L": ("6L", "7L"), "R": ("6R", "7R")}

_CELL: Final = 8  # columns of one space: the widest canoe, `<0AR>m`, and room around it
_JETTY: Final = 12  # columns left of space 1: a seat's two canoes, `<0..><0.>`
_FORK: Final = _JETTY + _CELL * len(_TRUNK)
_ARM: Final = _FORK + 3
_FALLS: Final = _ARM + 2 * _CELL
WIDE_ENOUGH: Final = _FALLS + 8
"""Columns that the drawing needs; in fewer the river is listed space by space."""

Clock = int | None
"""What a seat has left, in milliseconds; None where nothing is counted."""


class _Scene(NamedTuple):
    """A position sorted by where things are."""

    position: Mapping[str, Any]
    spaces: Mapping[str, list[Text]]
    """What rests on each space, `jetty` and `lost` included, in the order of the seats."""


def draw(
    position: Mapping[str, Any],
    *,
    width: int,
    color: bool,
    played: Sequence[str | None] = (),
    names: Sequence[str] = (),
    clocks: Sequence[Clock] = (),
    notes: Sequence[str] = (),
    turn: int | None = None,
    max_rounds: int | None = None,
) -> list[str]:
    """Return the lines of a drawing: the river, then a line for each seat, then the notes.

    ``played`` are the cards revealed this round, by seat; ``turn`` is the seat that is acting.
    Notes and names may come from outside: they are made safe and cut to the width.
    """
    scene = _Scene(position, _spaces(position))
    rows = [*_headline(position, max_rounds, width), []]
    if width >= WIDE_ENOUGH:
        rows += _river(scene).rows()
    else:
        rows += _list(scene, width)
    if scene.spaces["lost"]:
        rows += _wrapped(" over the falls: ", "dim", scene.spaces["lost"], width)
    rows += [[], *_table(position, played, names, clocks, turn, width)]
    if notes:
        rows += [[], *([Piece(f" {fit(note, width - 1)}")] for note in notes)]
    return [render(cut(row, width), color) for row in rows]


def _wrapped(lead: str, style: str, tokens: Sequence[Text], width: int) -> list[list[Piece]]:
    """Return tokens after a lead, on as many rows as they need."""
    row = [Piece(lead, style)]
    rows, taken = [row], len(lead)
    for token in tokens:
        size = 1 + sum(len(piece.text) for piece in token)
        if taken + size > width and len(row) > 1:
            row, taken = [Piece(" " * len(lead))], len(lead)
            rows.append(row)
        row += [*token, Piece(" ")]
        taken += size
    return rows


def gems(counts: Mapping[str, int]) -> list[Piece]:
    """Return gems by colour, as in ``A2 R1``, in the order of their places down the river."""
    row: list[Piece] = []
    for gem, letter in GEM_LETTERS.items():
        if counts.get(gem):
            row += [Piece(" ")] if row else []
            row.append(Piece(f"{letter}{counts[gem]}", _GEM_STYLE[gem]))
    return row


def _canoe(seat: int, canoe: Mapping[str, Any], moose: bool) -> list[Piece]:
    style = _SEAT_STYLE[seat % len(_SEAT_STYLE)]
    left, right = "[]" if canoe.get("ashore") else "<>"
    row = [Piece(f"{left}{seat}", style)]
    row += [Piece(GEM_LETTERS[gem], _GEM_STYLE[gem]) for gem in canoe["cargo"]]
    row.append(Piece("." * (canoe["capacity"] - len(canoe["cargo"])) + right, style))
    if moose:
        row.append(Piece("m", "bold"))
    return row


def _spaces(position: Mapping[str, Any]) -> dict[str, list[Text]]:
    """Sort what floats by space; the whirlpool and the beaver come before the canoes."""
    spaces: dict[str, list[Text]] = {
        space: [] for space in (*_TRUNK, *_ARMS["L"], *_ARMS["R"], "jetty", "lost")
    }
    whirlpool, beaver = position.get("whirlpool"), position.get("beaver")
    if whirlpool in spaces:
        spaces[whirlpool].append([Piece("(@@@)", "bright_cyan")])
    if beaver in spaces:
        spaces[beaver].append([Piece("beaver", "bold")])
    moose = position.get("moose")
    for seat, player in enumerate(position["players"]):
        if player.get("retired"):
            continue
        for number, canoe in enumerate(player["canoes"]):
            aboard = moose == {"seat": seat, "canoe": number}
            spaces[canoe["at"]].append(_canoe(seat, canoe, aboard))
    return spaces


def _headline(position: Mapping[str, Any], max_rounds: int | None, width: int) -> list[list[Piece]]:
    """Say what no place on the board shows."""
    of = f" of {max_rounds}" if max_rounds else ""
    track = [Piece("   weather", "dim")]
    for step in (-1, 0, 1, 2):
        here = step == position["weather"]
        text = f"{step:+d}" if step else "0"
        track.append(Piece(f" [{text}]", "bold") if here else Piece(f" {text}", "dim"))
    arm = "left" if position["next_arm"] == "L" else "right"
    rows = [
        [Piece(f" Round {position['round']}{of}", "bold")],
        [Piece(f"   seat {position['start']} starts", "dim")],
        track,
        [Piece("   next arm ", "dim"), Piece(arm, "bold")],
    ]
    line: list[Piece] = []
    lines = [line]
    for part in rows:
        if sum(len(p.text) for p in (*line, *part)) > width and line:
            line = []
            lines.append(line)
        line += part
    animals = []
    if position.get("whirlpool") == "next":
        animals.append("the whirlpool is the next disc to enter")
    if position.get("moose") == "returning":
        animals.append("the moose is on its way back")
    if animals:
        lines.append([Piece(f" {'; '.join(animals)}", "dim")])
    return lines


def _river(scene: _Scene) -> Canvas:
    """Draw the river from the jetty on the left to the falls on the right.

    The trunk is as high as the tongue of land between the arms with its two shores; a crowded
    trunk makes the tongue grow. The places at 6 and 7 lie on the tongue, reached from both arms.
    """
    high = {arm: max(1, *(len(scene.spaces[s]) for s in spaces)) for arm, spaces in _ARMS.items()}
    high["L"] = max(high["L"], _place_rows(scene, _PLACE_BESIDE.values()) - 1)
    trunk = max(2, *(len(scene.spaces[space]) for space in _TRUNK))
    seats_at_jetty = len({token[0].text for token in scene.spaces["jetty"]})
    tongue = max(
        trunk - 1,
        seats_at_jetty - high["L"] - high["R"] - 2,
        _place_rows(scene, ("sapphire",)),
        _place_rows(scene, ("ruby",)) + (scene.position.get("moose") == "place"),
    )
    top = 2 + high["L"]  # the first row of the tongue's shore, and of the trunk's water
    bottom = top + tongue + 1  # the last
    canvas = Canvas(WIDE_ENOUGH, bottom + high["R"] + 3)
    _shores(canvas, top, bottom)
    for number, space in enumerate(_TRUNK):
        x = _JETTY + number * _CELL
        _space(canvas, x, top, space, scene.spaces[space])
        for y in range(top, bottom + 1):
            canvas.put(x + _CELL - 1, y, ":" if number < len(_TRUNK) - 1 else " ", _WATER)
        if space in _PLACE_BESIDE:
            stock = _stacked(scene.position["places"][_PLACE_BESIDE[space]])
            for row, pieces in enumerate(reversed(stock)):
                canvas.write(x + 1, top - 2 - row, pieces)
    for number, space in enumerate(_ARMS["L"]):
        _space(canvas, _ARM + number * _CELL, 1, space, scene.spaces[space])
    for number, space in enumerate(_ARMS["R"]):
        _space(canvas, _ARM + number * _CELL, bottom + 1, space, scene.spaces[space])
    left = scene.position["next_arm"] == "L"
    canvas.put(_FORK, top if left else bottom, "^" if left else "v", "bold")
    _tongue(canvas, scene, top + 1)
    _put_jetty(canvas, scene)
    return canvas


def _stacked(counts: Mapping[str, int]) -> list[list[Piece]]:
    """Return a place's gems in rows that fit beside a space."""
    present = [(gem, number) for gem, number in counts.items() if number]
    present.sort(key=lambda item: list(GEM_LETTERS).index(item[0]))
    rows = [gems(dict(present[i : i + 2])) for i in range(0, len(present), 2)]
    return rows or [[Piece("-", "dim")]]


def _place_rows(scene: _Scene, places: Iterable[str]) -> int:
    return max(len(_stacked(scene.position["places"][place])) for place in places)


def _space(canvas: Canvas, x: int, y: int, name: str, tokens: Sequence[Text]) -> None:
    canvas.put(x + 2, y, name, _WATER)
    for row, token in enumerate(tokens):
        canvas.write(x + 1, y + 1 + row, token)


def _shores(canvas: Canvas, top: int, bottom: int) -> None:
    """Draw the banks, the tongue's outline and the falls."""
    low = canvas.height - 1
    for y in (top - 1, bottom + 1):
        canvas.put(_JETTY - 1, y, "-" * (_FORK - _JETTY), _LAND)
    for y in range(1, top):
        canvas.put(_FORK - 1 + (y == 1), y, "/", _LAND)
    for y in range(bottom + 1, low):
        canvas.put(_FORK - 1 + (y == low - 1), y, "\\", _LAND)
    canvas.put(_FORK + 1, 0, "." + "-" * (2 * _CELL), _LAND)
    canvas.put(_FORK + 1, low, "'" + "-" * (2 * _CELL), _LAND)
    for y in range(1, low):
        inside = top <= y <= bottom
        canvas.put(_FALLS - 1, y, "|" if inside else ")))", _LAND if inside else _WATER)
        if inside:
            canvas.put(_ARM - 2, y, "|", _LAND)
    for y in (top, bottom):
        canvas.put(_ARM - 2, y, "+" + "-" * (2 * _CELL) + "+", _LAND)


def _tongue(canvas: Canvas, scene: _Scene, y: int) -> None:
    for number, place in enumerate(("sapphire", "ruby")):
        x = _ARM + 1 + number * _CELL
        stock = _stacked(scene.position["places"][place])
        for row, pieces in enumerate(stock):
            canvas.write(x, y + row, pieces)
        if place == "ruby" and scene.position.get("moose") == "place":
            canvas.put(x, y + len(stock), "moose", "bold")


def _put_jetty(canvas: Canvas, scene: _Scene) -> None:
    """List the canoes at the jetty, a row for each seat."""
    canvas.put(1, 0, "jetty", "dim")
    by_seat: dict[str, list[Text]] = {}
    for token in scene.spaces["jetty"]:
        by_seat.setdefault(token[0].text, []).append(token)
    for row, tokens in enumerate(by_seat.values()):
        x = 1
        for token in tokens:
            x = canvas.write(x, 1 + row, token)


def _list(scene: _Scene, width: int) -> list[list[Piece]]:
    """List the spaces one below the other, for a narrow terminal."""
    rows = []
    for space in ("jetty", *_TRUNK, *_ARMS["L"], *_ARMS["R"]):
        rows += _wrapped(f" {space:>5} ", _WATER, scene.spaces[space], width)
    stock: list[Text] = []
    for place, counts in scene.position["places"].items():
        lying = gems(counts) or [Piece("-", "dim")]
        stock.append([Piece(f" {GEM_LETTERS[place]}:", "dim"), *lying])
    if scene.position.get("moose") == "place":
        stock.append([Piece("moose", "bold")])
    return rows + _wrapped(" places", "dim", stock, width)


def _table(
    position: Mapping[str, Any],
    played: Sequence[str | None],
    names: Sequence[str],
    clocks: Sequence[Clock],
    turn: int | None,
    width: int,
) -> list[list[Piece]]:
    """Return a line for each seat: who, bank, hand, card of this round, clock."""
    cards = _CARDS[position["rules"]]
    hand_width = sum(len(card) + 1 for card in cards)
    name_width = max(6, min(16, width - hand_width - 40))
    head = f"   seat {'':{name_width}} {'bank':15}{'hand':{hand_width}} played"
    rows = [[Piece(head + ("    clock" if clocks else ""), "dim")]]
    for seat, player in enumerate(position["players"]):
        name = names[seat] if seat < len(names) else ""
        card = played[seat] if seat < len(played) else None
        style = _SEAT_STYLE[seat % len(_SEAT_STYLE)]
        row = [Piece(" > " if seat == turn else "   ", "bold"), Piece(f"{seat:>4} ", style)]
        row.append(Piece(fit(name, name_width) + " ", style))
        if player.get("retired"):
            rows.append([*row, Piece("retired", "dim")])
            continue
        row += _padded(gems(player["bank"]) or [Piece("-", "dim")], 15)
        held = [c for c in cards if c in player["hand"] and c != card]
        hand = " ".join(c if c in held else " " * len(c) for c in cards)
        row.append(Piece(f"{hand:{hand_width}} "))
        row.append(Piece(f"{card or '':7}", "bold"))
        clock = clocks[seat] if seat < len(clocks) else None
        if clock is not None:
            row.append(Piece(f"{clock / 1000:7.2f}s", "red" if clock < 0 else ""))
        rows.append(row)
    return rows


def _padded(pieces: list[Piece], width: int) -> list[Piece]:
    taken = sum(len(piece.text) for piece in pieces)
    return [*pieces, Piece(" " * max(1, width - taken))]
