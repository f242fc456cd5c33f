"""A zoo of misbehaving bots: `python3 animal.py KIND [WHEN]`; standard library only.

Each animal plays at random, legally, until its WHENth question (the second, unless it says
otherwise), and then does what it is kept for. `ANIMALS` maps each name to that one deed.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time

OUT = 1


def send(data):
    """Write bytes to stdout, all of them, at once."""
    view = memoryview(data)
    while view:
        view = view[os.write(OUT, view) :]


def reply(question, **fields):
    """Answer a question with the first legal action, or as the fields say."""
    body = {"id": question["id"], "choice": 0} if "action" not in fields else {"id": question["id"]}
    body.update(fields)
    send(json.dumps(body).encode() + b"\n")


# --- Deeds: what an animal does with the question that it is kept for -----------------------------


def crash(question):
    raise RuntimeError("the crasher crashes")


def segfault(question):
    os.kill(os.getpid(), signal.SIGSEGV)


def exit_zero(question):
    sys.exit(0)


def stall(question):
    time.sleep(3600)


def sleep_a_little(question):
    time.sleep(0.05)
    reply(question)


def slow(question):
    time.sleep(0.05)
    random_play(question)


def burn(question):
    while True:
        pass


def burn_in_threads(question):
    import threading

    for _ in range(20):
        threading.Thread(target=burn, args=(question,), daemon=True).start()
    time.sleep(3600)


def long_line(question):
    chunk = b"x" * 65536
    for _ in range(64):
        send(chunk)
    time.sleep(3600)


def many_lines(question):
    for _ in range(5000):
        send(b'{"id":1,"choice":0}\n')
    reply(question)


def babble(question):
    send(b"Thinking hard about the river...\n")
    reply(question)


def partial_lines(question):
    for byte in json.dumps({"id": question["id"], "choice": 0}).encode() + b"\n":
        send(bytes([byte]))


def split_utf8(question):
    data = json.dumps({"id": question["id"], "choice": 0, "note": "∞ ÷ €"}, ensure_ascii=False)
    for byte in data.encode() + b"\n":
        send(bytes([byte]))
        time.sleep(0.001)


def windows_line_ends(question):
    send(json.dumps({"id": question["id"], "choice": 0}).encode() + b"\r\n")


def twice(question):
    reply(question)
    reply(question)


def twice_in_one_write(question):
    line = json.dumps({"id": question["id"], "choice": 0}).encode() + b"\n"
    send(line + line)


def early(question):
    reply(question)
    send(json.dumps({"id": question["id"] + 1, "choice": 0}).encode() + b"\n")


def wrong_id(question):
    send(json.dumps({"id": question["id"] + 1000, "choice": 0}).encode() + b"\n")


def no_id(question):
    send(b'{"choice":0}\n')


def late(question):
    time.sleep(2.5)
    reply(question)


def close_stdout(question):
    os.close(OUT)
    time.sleep(3600)


def close_stdin(question):
    reply(question)
    os.close(0)
    time.sleep(3600)


def flood_stderr(question):
    chunk = b"log " * 16384
    for _ in range(100):
        os.write(2, chunk)
    os.write(2, b"the end of the log\n")
    reply(question)


def ignore_sigterm(question):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    stall(question)


def leave_children(question):
    for _ in range(3):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    reply(question)


def leave_daemon(question):
    subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(3600)"],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    raise RuntimeError("the parent of a daemon dies")


def deep_json(question):
    send(b'{"id":' + b"[" * 9000 + b"]" * 9000 + b"}\n")


def deep_action(question):
    inner = b'{"a":' * 9000 + b"1" + b"}" * 9000
    send(b'{"id":%d,"action":' % question["id"] + inner + b"}\n")


def bad_utf8(question):
    send(b'{"id":%d,"choice":0,"note":"\xff\xfe"}\n' % question["id"])


def not_json(question):
    send(b"{'id': 3, 'choice': 0}\n")


def nan(question):
    send(b'{"id":%d,"choice":NaN}\n' % question["id"])


def huge_number(question):
    send(b'{"id":%d,"choice":%s}\n' % (question["id"], b"9" * 400))


def unknown_field(question):
    reply(question, chioce=0)


def both(question):
    reply(question, action={"card": "1"}, choice=0)


def neither(question):
    send(json.dumps({"id": question["id"]}).encode() + b"\n")


def empty_line(question):
    send(b"\n")


def byte_order_mark(question):
    send(b'\xef\xbb\xbf{"id":%d,"choice":0}\n' % question["id"])


def choice_out_of_range(question):
    reply(question, choice=len(question["legal"]))


def negative_choice(question):
    reply(question, choice=-1)


def card_not_in_hand(question):
    reply(question, action={"card": "lasso"})


def nonsense_card(question):
    reply(question, action={"card": "13"})


def another_kind(question):
    reply(question, action={"weather": 1})


def long_note(question):
    reply(question, note="n" * 10_000)


def good_note(question):
    reply(question, note="I \x1b[31mlike\x1b[0m this card", data={"depth": 3, "win": 0.25})


def echo_legal(question):
    reply(question, action=question["legal"][0])


def spell_out(question):
    action = dict(question["legal"][-1])
    action.pop("result", None)
    reply(question, type="act", action=action)


def hog_memory(question):
    hoard = []
    while True:
        hoard.append(bytearray(os.urandom(1) * (8 << 20)))


def die_of_memory_error(question):
    raise MemoryError


def fork_bomb(question):
    for _ in range(50):
        if os.fork() == 0:
            time.sleep(3600)
    reply(question)


def random_play(question):
    reply(question, choice=random.randrange(len(question["legal"])))


# --- What is odd before the first question --------------------------------------------------------


def banner(line):
    send(b"Otter 1.0 by nobody\n")


def wrong_protocol(line):
    send(b'{"type":"ready","protocol":2}\n')


def exit_at_once(line):
    print("cannot find my opening book", file=sys.stderr)
    sys.exit(3)


def never_ready(line):
    time.sleep(3600)


def unknown_ready_field(line):
    send(b'{"type":"ready","protocol":1,"nmae":"otter"}\n')


def never_read(line):
    send(b'{"type":"ready","protocol":1}\n')
    time.sleep(3600)


GREETINGS = {
    f.__name__: f
    for f in (banner, wrong_protocol, exit_at_once, never_ready, unknown_ready_field, never_read)
}


def main(kind, when):
    random.seed(kind)  # every run is the same
    greeting = GREETINGS.get(kind)
    deed = globals()[kind] if greeting is None else random_play
    asked = 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            if greeting is not None:
                greeting(line)
            send(b'{"type":"ready","protocol":1,"name":"' + kind.encode() + b'"}\n')
        elif message["type"] == "decide":
            asked += 1
            if asked == when or deed in (random_play, slow):
                deed(message)
            else:
                random_play(message)
        elif message["type"] == "ruling":
            print("ruled:", message["fault"], message["sentence"], file=sys.stderr)
        elif message["type"] == "quit":
            break


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2)
