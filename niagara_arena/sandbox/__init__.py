"""Start, feed, time and stop one bot, at one of three levels of isolation.

`choose` picks a back end; its `start` gives a `Process`. Levels, weakest first: `none`, `landlock`,
`bwrap`. docs/sandbox.md says what each one stops.
"""

from niagara_arena.sandbox.choosing import choose
from niagara_arena.sandbox.interface import LEVELS, Backend, Exit, Launch, Lost, Process, Runtime
from niagara_arena.sandbox.memory import out_of_memory_words
from niagara_arena.sandbox.meter import Meter
from niagara_arena.sandbox.runtimes import fingerprint
from niagara_arena.sandbox.survey import Survey, survey

__all__ = [
    "LEVELS",
    "Backend",
    "Exit",
    "Launch",
    "Lost",
    "Meter",
    "Process",
    "Runtime",
    "Survey",
    "choose",
    "fingerprint",
    "out_of_memory_words",
    "survey",
]
