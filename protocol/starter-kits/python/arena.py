"""Talks to the arena, so that `bot.py` need not: one JSON object a line, in and out.

You need not change this file. It uses nothing but Python itself, 3.9 or newer.
"""

import json
import random
import sys
import time


class Game:
    """What is known of the game from its beginning."""

    def __init__(self, message):
        self.seat = message["seat"]
        self.seats = message["seats"]
        self.rules = message["rules"]  # "base" or "spirits"
        self.settings = message.get("settings") or {}
        self.params = message.get("params") or {}  # [params] of bot.toml
        self.seed = message.get("seed") or 0
        self.random = random.Random(self.seed)  # same seed, same game: take all chance from here
        self.position = message.get("position")


class Decision:
    """One question of the arena: answer with an index into `legal`."""

    def __init__(self, message, game):
        self._began = time.process_time()
        self.game = game
        self.kind = message["kind"]  # buy, card, canoe, weather, arm or moose
        self.legal = message["legal"]  # actions; most say in `result` what they lead to
        self.events = message.get("events") or []  # what happened since the last message
        self.observation = message["observation"]  # all that this seat may see
        self.position = self.observation["position"]
        self.me = self.position["players"][game.seat]
        self.clock = message.get("clock")  # None when clocks are off
        self.note = None  # set it to a short text to find it in the game's record

    def spent_ms(self):
        """Return how much of its CPU time the bot has spent on this decision."""
        return (time.process_time() - self._began) * 1000

    def may_spend_ms(self):
        """Return a budget for this decision that lets the bank last: a fiftieth of it."""
        if self.clock is None:
            return 1000
        share = self.clock["bank_ms"] / 50 + self.clock["increment_ms"]
        return min(share, self.clock["wall_ms"] / 2)

    def out_of_time(self):
        """Say whether the budget is spent."""
        return self.spent_ms() > self.may_spend_ms()


def log(*words):
    """Write to stderr, the bot's log: stdout belongs to the arena."""
    print(*words, file=sys.stderr, flush=True)


def _send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def play(choose, started=None, ended=None):
    """Answer the arena until it says `quit`; `choose(decision)` returns an index."""
    game = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            _send({"type": "ready", "protocol": 1})
        elif kind == "start":
            game = Game(message)
            if started:
                started(game)
        elif kind == "decide":
            decision = Decision(message, game)
            reply = {"id": message["id"], "choice": choose(decision)}
            if decision.note:
                reply["note"] = str(decision.note)[:200]
            _send(reply)
        elif kind == "ruling":
            log("ruling:", message.get("sentence"))
        elif kind == "end" and ended:
            ended(message)
        elif kind == "quit":
            return
