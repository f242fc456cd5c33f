"""A bot that works between its answers: `python3 ponderer.py`; standard library only.

With every reply it tells how much CPU time it got since the reply before, in ms, as `data`.
"""

import json
import sys
import threading
import time

asked = threading.Event()


def ponder():
    while True:
        if asked.is_set():
            time.sleep(0.001)


def main():
    sys.setswitchinterval(0.0001)
    asked.set()
    threading.Thread(target=ponder, daemon=True).start()
    since = None
    for line in sys.stdin:
        now = time.process_time()
        message = json.loads(line)
        if message["type"] == "hello":
            answer = {"type": "ready", "protocol": 1}
        elif message["type"] == "decide":
            asked.set()
            stolen = 0 if since is None else (now - since) * 1000
            answer = {"id": message["id"], "choice": 0, "data": {"stolen_ms": stolen}}
            since = time.process_time()
        else:
            continue
        print(json.dumps(answer), flush=True)
        if message["type"] == "decide":
            asked.clear()


if __name__ == "__main__":
    main()
