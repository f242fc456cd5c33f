"""A bot with one oddity each, for `niagara check`: `python3 odd_bot.py KIND`.

It plays the first legal action. What is wrong with it shows only when someone looks: in what it
says unasked, does while others think, keeps between games, or does at the end.
"""

import json
import os
import random
import sys
import threading
import time
from typing import Any

KIND = sys.argv[1]
HOARD: list[Any] = []


def say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


def burn() -> None:
    while True:
        sum(range(1000))


def choose(message: dict[str, Any]) -> int:
    if KIND == "unseeded":
        return int.from_bytes(os.urandom(4), "little") % len(message["legal"])
    if KIND == "last":
        return len(message["legal"]) - 1
    return 0


def answer(message: dict[str, Any]) -> None:
    reply = {"id": message["id"], "choice": choose(message)}
    if KIND == "counts itself":
        HOARD.append(0)
        reply["id"] = len(HOARD)
    if KIND == "strict reader" and "x_future" in message:
        raise KeyError("x_future")
    if KIND == "strict about events" and message["events"][0]["event"] == "x_future":
        raise KeyError("x_future")
    if KIND == "wants its arms" and message["kind"] == "arm":
        raise KeyError("arm")
    if KIND == "no canoes" and message["kind"] == "canoe":
        raise KeyError("canoe")
    if KIND == "one card only" and message["kind"] == "card":
        HOARD.append(0)
        if len(HOARD) > 1:
            raise KeyError("card")
    if KIND == "slow":
        end = time.process_time() + 0.06
        while time.process_time() < end:
            pass
    if KIND == "duplicate":
        print(f'{{"id":{message["id"]},"choice":0,"choice":0}}', flush=True)
    elif KIND == "duplicate inside" and message["kind"] == "card":
        card = message["legal"][0]["card"]
        print(f'{{"id":{message["id"]},"action":{{"card":"1","card":"{card}"}}}}', flush=True)
    else:
        say(reply)
    if KIND == "ponders" and not HOARD:
        HOARD.append(threading.Thread(target=burn, daemon=True))
        HOARD[0].start()
    if KIND == "chatty":
        threading.Timer(0.02, lambda: say({"id": message["id"], "choice": 0})).start()
    if KIND == "colours":
        print("\033[31mthinking\033[0m", file=sys.stderr, flush=True)
    if KIND == "traceback":
        print("Traceback (most recent call last)", file=sys.stderr, flush=True)


def start(message: dict[str, Any]) -> None:
    if KIND == "hoards":
        HOARD.append(bytearray(os.urandom(1) * (24 << 20)))
    if KIND == "one game only":
        HOARD.append(0)
        if len(HOARD) > 1:
            raise RuntimeError("I have played already")
    if KIND == "four seats" and message["seats"] > 4:
        raise IndexError("a fifth seat?")
    if KIND == "base only" and message["rules"] != "base":
        raise KeyError(message["rules"])


def main() -> None:
    if KIND == "banner first":
        print("Otter 1.0", flush=True)
    if KIND == "byte order mark":
        sys.stdout.buffer.write(b"\xef\xbb\xbf")
    if KIND == "slow start":
        time.sleep(0.3)
    for line in sys.stdin:
        message = json.loads(line[:100_000] if KIND == "short buffer" else line)
        if message["type"] == "hello":
            say({"type": "ready", "protocol": 1, "name": "odd"})
            if KIND == "over-eager":
                say({"id": 1, "choice": 0})
        elif message["type"] == "start":
            random.seed(message["seed"])
            start(message)
        elif message["type"] == "decide":
            answer(message)
        elif message["type"] == "ruling" and KIND == "argues":
            say({"id": message["id"], "choice": 0})
        elif message["type"] == "quit":
            if KIND == "exits with 5":
                os._exit(5)
            if KIND == "stays":
                time.sleep(60)
            return
    if KIND == "outlives its stdin":
        time.sleep(60)


main()
