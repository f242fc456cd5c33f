"""Play the first legal action, and write every line that is read to the file that is named."""

import json
import os
import sys


def main(path):
    """Play until told to quit."""
    with open(path, "a", buffering=1) as diary:
        diary.write(f"pid {os.getpid()}\n")
        for line in sys.stdin:
            diary.write(line)
            message = json.loads(line)
            if message["type"] == "hello":
                print('{"type":"ready","protocol":1}', flush=True)
            elif message["type"] == "decide":
                print(json.dumps({"id": message["id"], "choice": 0}), flush=True)
            elif message["type"] == "quit":
                diary.write("bye\n")
                return


if __name__ == "__main__":
    main(sys.argv[1])
