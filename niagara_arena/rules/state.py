"""The state of a game: immutable outside, a flat row of ints inside.

Laws kept here:

- A `State` never changes. Stages of the rules work on a copy of its numbers (called ``v``
  everywhere), which they give away for good when a new `State` is made of it.
- Equal positions are equal numbers: a base seat's two canoes are kept sorted by (space, cargo)
  [N-2.1], so nobody need compare up to order.
- A state that is not over has at least one pending decision with at least two legal actions;
  forced ones have been played.

Layout of ``v``: a header, five places (packed gems), then a block of ``STRIDE`` ints a seat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from niagara_arena.rules.geometry import LOST

if TYPE_CHECKING:
    from niagara_arena.rules.events import Event
    from niagara_arena.rules.moves import Move
    from niagara_arena.rules.paddling import Menu

# The header.
ROUND: Final = 0
START: Final = 1
WEATHER: Final = 2
NEXT_ARM: Final = 3
PHASE: Final = 4
ACTOR: Final = 5  # the seat whose turn it is (phase II) or whose canoe returns (phase III)
MUST: Final = 6  # bit mask of canoes that must still move; see EXACTLY_ONE
MAY: Final = 7  # bit mask of canoes that may still move
STAGE: Final = 8  # which of the ruleset's closing stages is under way
ENDING: Final = 9  # why the game is over, an index into ENDINGS
RETIREMENTS: Final = 10  # how many retirement steps there have been
WHIRLPOOL: Final = 11  # 0 in the base game, a space, or ENTERS_NEXT
BEAVER: Final = 12  # 0 or a space
MOOSE: Final = 13  # 0 in the base game, AT_PLACE, RETURNING, or HELD + 2 * seat + canoe
PLACES: Final = 14
SEATS: Final = 19

# One seat's block.
AT: Final = 0  # canoe c: space at AT + 2c, cargo code at CARGO + 2c
CARGO: Final = 1
BANK: Final = 4  # packed gems
HAND: Final = 5  # bit mask of cards
CARD: Final = 6  # the card chosen this round, 0 for none yet
BUY: Final = 7  # UNDECIDED, BUYS_NOTHING, or a purchase (see `encode_purchase`)
SHOWN: Final = 8  # 1 once the card has been revealed
RETIRED: Final = 9  # 0, or the number of the retirement step
STRIDE: Final = 10

SECRET: Final = 0
TURNS: Final = 1
CLOSING: Final = 2
OVER: Final = 3
PHASE_NAMES: Final = ("secret", "turns", "closing", "over")

EXACTLY_ONE: Final = 4
"""Bit in MUST: one canoe of the mask moves, then the turn is over."""

UNDECIDED: Final = 0
BUYS_NOTHING: Final = 1
BUYS: Final = 2
ENTERS_NEXT: Final = 12
AT_PLACE: Final = 1
RETURNING: Final = 2
HELD: Final = 3

ENDINGS: Final = ("", "won", "last_seat", "max_rounds", "deserted")
WON: Final = 1
LAST_SEAT: Final = 2
MAX_ROUNDS: Final = 3
DESERTED: Final = 4


class Decision(NamedTuple):
    """A question that waits for a seat's answer; ``kind`` is one of ``actions.KINDS``."""

    seat: int
    kind: str


Vector = list[int]
Stage = Callable[["Setup", Vector, list["Event"]], bool]
"""A closing stage of the round: True when done, False when a decision is pending."""


class Question(NamedTuple):
    """How one kind of decision in phase II or later is asked and answered."""

    options: Callable[[Setup, Vector, int], tuple[Menu, ...]]
    """What the seat may answer now."""
    perform: Callable[[Setup, Vector, int, Any, Move | None, list[Event]], None]
    """Carry out one of these answers, with its move if it is a canoe's, on ``v``."""


class CardPlay(NamedTuple):
    """What a card does: how its turn opens, and which decision it asks."""

    open: Callable[[Setup, Vector, int, list[Event]], None]
    """Set MUST and MAY; the turn is over when both are 0."""
    kind: str


class Ruleset:
    """A variant of the game as data: the expansion is another one of these."""

    __slots__ = (
        "capacities",
        "cards",
        "closing",
        "deck",
        "extras",
        "full_hand",
        "gems_a_place",
        "interchangeable",
        "name",
        "on_removed",
        "performs",
        "plays",
        "questions",
        "seat_counts",
    )

    def __init__(
        self,
        *,
        name: str,
        seat_counts: range,
        deck: tuple[int, ...],
        capacities: tuple[int, int],
        interchangeable: bool,
        gems_a_place: Callable[[int], int],
        extras: tuple[int, int, int],
        cards: dict[int, CardPlay],
        questions: dict[str, Question],
        closing: tuple[Stage, ...],
        on_removed: Callable[[Vector, int], None],
    ) -> None:
        self.name = name
        self.seat_counts = seat_counts
        self.deck = deck
        self.capacities = capacities
        self.interchangeable = interchangeable
        """Whether a seat's two canoes can't be told apart [N-2.1]."""
        self.gems_a_place = gems_a_place
        self.extras = extras
        """Whirlpool, beaver and moose at set-up; zeros where the game has none."""
        self.cards = cards
        self.questions = questions
        self.closing = closing
        """What follows the last turn of a round, in order."""
        self.on_removed = on_removed
        """Told that a seat's canoes are taken off the board [N-5.4]."""
        self.full_hand = sum(1 << card for card in deck)
        """The bit mask of a whole hand."""
        self.performs = {kind: question.perform for kind, question in questions.items()}
        """By kind of decision: how its answer is carried out."""
        self.plays = {
            card: (play.open, play.kind, *questions[play.kind]) for card, play in cards.items()
        }
        """By card: how its turn opens, its kind of decision, and how that is asked and answered."""


class Setup:
    """What stays fixed through one game, and indices into ``v`` that follow from it."""

    __slots__ = (
        "blocks",
        "canoes",
        "max_rounds",
        "placings",
        "rivals",
        "ruleset",
        "seats",
    )

    def __init__(self, ruleset: Ruleset, seats: int, max_rounds: int, placings: str) -> None:
        self.ruleset = ruleset
        self.seats = seats
        self.max_rounds = max_rounds
        self.placings = placings
        self.blocks = tuple(range(SEATS, SEATS + seats * STRIDE, STRIDE))
        """Where each seat's block begins."""
        self.canoes = tuple(
            (at + 2 * canoe, seat, canoe) for seat, at in enumerate(self.blocks) for canoe in (0, 1)
        )
        """Each canoe: the index of its space, its seat, its number."""
        self.rivals = tuple(
            tuple(i + CARGO for i, other, _ in self.canoes if other != seat)
            for seat in range(seats)
        )
        """By seat: the indices of the opponents' cargoes."""

    def describe(self) -> tuple[str, int, int, str]:
        """Return the part that distinguishes one set-up from another."""
        return (self.ruleset.name, self.seats, self.max_rounds, self.placings)


class State:
    """One moment of a game. Make it with `start`, ask it through the functions of the door."""

    __slots__ = ("_menus", "_pending", "_position", "_setup", "_v")

    def __init__(
        self,
        setup: Setup,
        v: Vector,
        pending: tuple[Decision, ...],
        menus: tuple[Menu, ...],
        position: str | None = None,
    ) -> None:
        self._setup = setup
        self._v = v
        self._pending = pending
        self._menus = menus
        self._position = position  # memo: the text of its position, see `text`

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._v == other._v and self._setup.describe() == other._setup.describe()

    def __hash__(self) -> int:
        return hash(tuple(self._v))

    def __repr__(self) -> str:
        name, seats, _, _ = self._setup.describe()
        asks = ", ".join(f"{kind} of seat {seat}" for seat, kind in self._pending) or "over"
        return f"<State {name} {seats} seats, round {self._v[ROUND]}: {asks}>"

    @property
    def rules(self) -> str:
        """The name of the ruleset: ``base`` or ``spirits``."""
        return self._setup.ruleset.name

    @property
    def seats(self) -> int:
        """How many seats the table has, retired ones included."""
        return self._setup.seats

    @property
    def round(self) -> int:
        """The number of the current round, from 1."""
        return self._v[ROUND]

    @property
    def phase(self) -> str:
        """One of ``secret``, ``turns``, ``closing``, ``over``."""
        return PHASE_NAMES[self._v[PHASE]]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._v[PHASE] == OVER

    @property
    def max_rounds(self) -> int:
        """After how many rounds the game ends without a winner [N-5.2]."""
        return self._setup.max_rounds

    @property
    def placings(self) -> str:
        """The rule of placings: ``progress`` or ``winners`` [N-5.3]."""
        return self._setup.placings


def block(seat: int) -> int:
    """Return where a seat's block begins."""
    return SEATS + seat * STRIDE


def end_game(v: Vector, ending: int) -> None:
    """Close the game for this reason; nobody's turn is left over."""
    v[PHASE] = OVER
    v[ENDING] = ending
    v[ACTOR] = v[MUST] = v[MAY] = v[STAGE] = 0


def encode_purchase(canoes: int, gems: int) -> int:
    """Return the BUY number of a purchase: a mask of canoes and the cargo code of the gems."""
    return BUYS + (canoes << 5) + gems


def decode_purchase(number: int) -> tuple[int, int]:
    """Return the mask of canoes and the cargo code of the gems of a BUY number."""
    return (number - BUYS) >> 5, (number - BUYS) & 31


def sort_canoes(v: Vector, at: int) -> None:
    """Put a base seat's two canoes, whose block begins at ``at``, into (space, cargo) order."""
    if v[at] > v[at + 2] or (v[at] == v[at + 2] and v[at + 1] > v[at + 3]):
        v[at], v[at + 1], v[at + 2], v[at + 3] = v[at + 2], v[at + 3], v[at], v[at + 1]


def alive(setup: Setup, v: Vector) -> list[int]:
    """Return the seats that are not retired."""
    return [seat for seat in range(setup.seats) if not v[block(seat) + RETIRED]]


def in_play(v: Vector, seat: int) -> int:
    """Return how many canoes of a seat are not lost."""
    at = block(seat)
    return (v[at] != LOST) + (v[at + 2] != LOST)
