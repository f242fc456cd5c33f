"""The numbered steps of `niagara check`, in order."""

from __future__ import annotations

from typing import Final

from niagara_arena.conformance import playing_steps as playing
from niagara_arena.conformance import preparing_steps as preparing
from niagara_arena.conformance import protocol_steps as protocol
from niagara_arena.conformance.model import Duty, Step
from niagara_arena.conformance.scenes import KINDS

__all__ = ["STEPS"]

_MUST, _SHOULD = Duty.MUST, Duty.SHOULD
_TOML = "docs/bot-toml.md"

_DECISIONS: Final = tuple(
    Step(
        f"{rules} {kind}",
        _MUST,
        "P-4.1",
        f"answers a question of kind `{kind}` of the ruleset `{rules}` with a legal action",
        protocol.decision(rules, kind),
    )
    for rules, kinds in KINDS.items()
    for kind in kinds
)

# fmt: off
STEPS: Final[tuple[Step, ...]] = (
    Step("manifest", _MUST, _TOML, "has a bot.toml that is in order", preparing.manifest),
    Step("files", _MUST, _TOML, "consists of files that may be handed in", preparing.files),
    Step("description", _SHOULD, _TOML, "says its version, authors and language",
         preparing.described),
    Step("build", _MUST, _TOML, "is built in the cage, and its command can be run",
         preparing.build),
    Step("start-up", _MUST, "P-2.1", "starts, and waits for the arena to speak first",
         protocol.start_up),
    Step("handshake", _MUST, "P-2.2", "answers `hello` with `ready` in time", protocol.handshake),
    Step("quick start", _SHOULD, "P-2.2", "is ready soon", protocol.quick_start),
    *_DECISIONS,
    Step("silence", _MUST, "P-1.4", "speaks only when it is asked", protocol.silence),
    Step("seat counts", _MUST, "P-3.1", "plays with every number of seats", playing.seat_counts),
    Step("ids", _MUST, "P-4.4", "echoes the id of the question", protocol.ids),
    Step("unknown fields", _MUST, "P-1.3", "ignores fields that it does not know",
         protocol.unknown_fields),
    Step("rulings", _MUST, "P-6.1", "goes on after a `ruling`, without answering it",
         protocol.rulings),
    Step("long game", _MUST, "P-3.2", "plays a game of many rounds", playing.long_game),
    Step("many games", _MUST, "P-3.2", "plays game after game in one process",
         playing.many_games),
    Step("memory", _SHOULD, "P-3.2", "forgets a game when it is over", playing.memory),
    Step("time", _SHOULD, "P-5.1", "uses less than half of its time", playing.time_used),
    Step("idle", _SHOULD, "P-5.4", "does not compute while others think", playing.idle),
    Step("log", _SHOULD, "P-1.4", "logs little, as plain text", playing.log),
    Step("line ends", _SHOULD, "P-1.1", "ends its lines with LF alone", playing.line_ends),
    Step("repeatable", _SHOULD, "P-3.1", "plays the same with the same seed",
         playing.repeatable),
    Step("quit", _MUST, "P-2.3", "exits with code 0 when told to quit", protocol.quit_cleanly),
    Step("hang-up", _SHOULD, "P-2.3", "exits when its stdin is closed", protocol.hang_up),
    Step("self-play", _MUST, "P-6.1", "plays a match against itself without a fault",
         playing.self_play),
)
# fmt: on
