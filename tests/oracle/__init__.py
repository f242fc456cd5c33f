"""A second, slow and plain statement of the rules, to check the real core against.

It is written from the numbered clauses alone and shares no code with the core.
"""

from .board import mirrored
from .buy_backs import buys
from .positions import GEMS, Position, canonical, full_hand, setup
from .river_flow import flow
from .whole_turns import turns

__all__ = [
    "GEMS",
    "Position",
    "buys",
    "canonical",
    "flow",
    "full_hand",
    "mirrored",
    "setup",
    "turns",
]
