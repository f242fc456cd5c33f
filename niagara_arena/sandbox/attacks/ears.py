"""Listen on this machine, on every kind of socket, for words that bots should not get out."""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import socket
import threading
import time
from typing import Any

__all__ = ["Ears"]

MOST_BYTES = 1 << 16


class Ears:
    """Hold the listeners, all served by one thread."""

    def __init__(self, directory: str) -> None:
        self._heard = b""
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._sockets: list[socket.socket] = []
        self.tcp = self._listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self.udp = self._listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self.tcp6: int | None = None
        """None where the machine has no IPv6."""
        with contextlib.suppress(OSError):
            self.tcp6 = self._listen(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
        self.path = f"{directory}/stream.socket"
        self.datagram_path = f"{directory}/datagram.socket"
        self.abstract = f"\0niagara-{secrets.token_hex(8)}"
        self._listen(socket.AF_UNIX, socket.SOCK_STREAM, self.path)
        self._listen(socket.AF_UNIX, socket.SOCK_DGRAM, self.datagram_path)
        self._listen(socket.AF_UNIX, socket.SOCK_STREAM, self.abstract)
        for path in (self.path, self.datagram_path):
            os.chmod(path, 0o777)
        self._bell, quiet = socket.socketpair()
        self._attend(quiet, "bell")
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def heard(self, secret: str, seconds: float = 0.3) -> bool:
        """Tell whether a secret came in; wait a little for what is on its way."""
        ends = time.monotonic() + seconds
        while True:
            with self._lock:
                if secret.encode() in self._heard:
                    return True
            if time.monotonic() > ends:
                return False
            time.sleep(0.01)

    def close(self) -> None:
        """Stop listening."""
        self._bell.close()
        self._thread.join()
        for one in self._sockets:
            one.close()
        self._selector.close()

    def _listen(self, family: int, kind: int, address: Any) -> int:
        ear = socket.socket(family, kind)
        try:
            ear.bind(address)
        except OSError:
            ear.close()
            raise
        if kind == socket.SOCK_STREAM:
            ear.listen(64)
        self._attend(ear, "door" if kind == socket.SOCK_STREAM else "line")
        name = ear.getsockname()
        return int(name[1]) if isinstance(name, tuple) else 0

    def _attend(self, one: socket.socket, role: str) -> None:
        one.setblocking(False)
        self._sockets.append(one)
        self._selector.register(one, selectors.EVENT_READ, role)

    def _serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                one = key.fileobj
                assert isinstance(one, socket.socket)
                if key.data == "bell":
                    return
                with contextlib.suppress(OSError):
                    if key.data == "door":
                        self._attend(one.accept()[0], "line")
                    else:
                        self._take(one)

    def _take(self, line: socket.socket) -> None:
        """Note what comes, and what is in a pipe whose end is handed over."""
        if line.family == socket.AF_UNIX:
            data, descriptors, _, _ = socket.recv_fds(line, 4096, 4)
        else:
            data, descriptors = line.recv(4096), []
        for fd in descriptors:
            os.set_blocking(fd, False)
            with contextlib.suppress(OSError):
                data += os.read(fd, 4096)
            os.close(fd)
        if data:
            with self._lock:
                self._heard = (self._heard + b"\0" + data)[-MOST_BYTES:]
        elif line.type == socket.SOCK_STREAM:
            self._selector.unregister(line)
            self._sockets.remove(line)
            line.close()
