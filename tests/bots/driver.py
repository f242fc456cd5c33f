"""Talks to bot processes as later arenas may: with unknown fields, strange names, sudden silence.

No cage and no clock: what is tested here is the bots. A bot that answers with anything but a legal
choice, or not at all, fails the test with what it said. Whole matches under the real referee are in
`matches`.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from niagara_arena import rules
from niagara_arena.rules import Event, Outcome, State

REPLY_SECONDS = 30.0
RICH = {"bank_ms": 5000, "increment_ms": 20, "wall_ms": 5000}
POOR = {"bank_ms": 0, "increment_ms": 0, "wall_ms": 1}


class BotProcess:
    """One running bot."""

    def __init__(self, argv: Sequence[str], directory: Path) -> None:
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(rules.__file__).parents[2])}
        if (directory / argv[0]).exists():
            argv = [str(directory / argv[0]), *argv[1:]]
        self.process = subprocess.Popen(
            argv,
            cwd=directory,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.notes: list[str] = []
        self._ids = 0
        self._left = b""

    def __enter__(self) -> BotProcess:
        self.say({"type": "hello", "protocol": 1, "arena": "0.1.0", "limits": {"later": [None]}})
        self.ready = self.hear()
        assert self.ready["type"] == "ready"
        assert self.ready["protocol"] == 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def say(self, message: dict[str, Any]) -> None:
        """Send one message."""
        assert self.process.stdin is not None
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """Return the next message of the bot."""
        assert self.process.stdout is not None
        fd = self.process.stdout.fileno()
        while b"\n" not in self._left:
            if not select.select([fd], [], [], REPLY_SECONDS)[0]:
                raise AssertionError(f"no reply within {REPLY_SECONDS} s")
            some = os.read(fd, 65536)
            if not some:
                _, log = self.process.communicate()
                raise AssertionError(f"the bot ended: {log.decode(errors='replace')}")
            self._left += some
        line, _, self._left = self._left.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def choose(self, decision: dict[str, Any]) -> int:
        """Ask a decision; return the index of the bot's choice."""
        self._ids += 1
        self.say({"type": "decide", "id": self._ids, **decision, "later": {"x": "ü\U0001f6f6"}})
        reply = self.hear()
        assert reply.pop("id") == self._ids
        assert reply.pop("type", "act") == "act"
        self.notes.append(str(reply.pop("note", "")))
        reply.pop("data", None)
        if "choice" in reply:
            assert set(reply) == {"choice"}
            choice = reply["choice"]
            assert type(choice) is int
            assert 0 <= choice < len(decision["legal"])
            return choice
        assert set(reply) == {"action"}
        return int(decision["legal"].index(reply["action"]))

    def quit(self) -> int:
        """Ask the bot to leave; return its exit code."""
        self.say({"type": "quit"})
        self.process.communicate(timeout=REPLY_SECONDS)
        return self.process.returncode

    def hang_up(self) -> int:
        """Close the bot's stdin; return its exit code."""
        self.process.communicate(timeout=REPLY_SECONDS)
        return self.process.returncode


def play_game(
    bots: Sequence[BotProcess],
    ruleset: str,
    seed: int = 1,
    *,
    max_rounds: int = 200,
    params: Sequence[dict[str, Any]] | None = None,
    clock: dict[str, int] | None = RICH,
) -> Outcome:
    """Play one game with a running bot in each seat."""
    state = rules.start(ruleset, len(bots), max_rounds=max_rounds)
    unseen: list[list[Event]] = [list(rules.first_events(state)) for _ in bots]
    for seat, bot in enumerate(bots):
        bot.say(_start(state, seat, seed, params[seat] if params else {}))
    while not state.over:
        seat, kind = rules.pending(state)[0]
        choices = rules.legal(state, seat)
        request = {
            "kind": kind,
            "events": [rules.event_to_json(event) for event in unseen[seat]],
            "observation": rules.observe(state, seat),
            "legal": json.loads(rules.legal_text(state, seat)),
            "clock": clock,
        }
        unseen[seat].clear()
        action = choices[bots[seat].choose(request)]
        state, events = rules.apply(state, seat, action)
        for waiting in unseen:
            waiting.extend(events)
    outcome = rules.outcome(state)
    assert outcome is not None
    for seat, bot in enumerate(bots):
        bot.say(_end(outcome, [rules.event_to_json(event) for event in unseen[seat]]))
    return outcome


def _start(state: State, seat: int, seed: int, params: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "start",
        "game": f"g-{seed:016x}",
        "seat": seat,
        "seats": state.seats,
        "rules": state.rules,
        "seed": (seed * 1_000_003 + seat * 7919 + 1) % 2**48,
        "settings": {
            "max_rounds": state.max_rounds,
            "placings": state.placings,
            "clock": {"mode": "cpu", "bank_ms": 5000, "increment_ms": 20, "wall_ms": 5000},
        },
        "params": params,
        "names": None,
        "position": rules.observe(state, seat)["position"],
        "later": [1.5e3, -2, {"deep": [[[]]]}],
    }


def _end(outcome: Outcome, events: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "end",
        "game": "g-0",
        "reason": outcome.reason,
        "winners": list(outcome.winners),
        "placings": list(outcome.placings),
        "verdicts": [{"standing": "finished", "fault": None} for _ in outcome.placings],
        "events": events,
    }
