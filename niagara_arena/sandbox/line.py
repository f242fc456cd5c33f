"""The line to a warden: JSON lines from it, one-byte orders to it."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from typing import Any

import msgspec

__all__ = ["Line"]


class Line:
    """Hold our end; reading never blocks unless asked to wait."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.setblocking(False)
        self._buffer = b""
        self._ended = False

    def read(self) -> dict[str, Any] | None:
        """Return the next message if there is one; None also when the line has ended."""
        head, newline, rest = self._buffer.partition(b"\n")
        if newline:
            self._buffer = rest
            facts: dict[str, Any] = msgspec.json.decode(head)
            return facts
        if self._ended:
            return None
        try:
            part = self._connection.recv(65536)
        except BlockingIOError:
            return None
        except OSError:
            part = b""
        if not part:
            self._ended = True
            return None
        self._buffer += part
        return self.read()

    @property
    def ended(self) -> bool:
        """Whether the warden has hung up: nothing of the bot is left."""
        return self._ended

    def wait(self, seconds: float) -> dict[str, Any] | None:
        """Return the next message; None when the line ends or the time is over."""
        end = time.monotonic() + seconds
        poller = select.poll()
        poller.register(self._connection, select.POLLIN)
        while (facts := self.read()) is None and not self._ended:
            left = end - time.monotonic()
            if left <= 0:
                return None
            poller.poll(left * 1000)
        return facts

    def order(self, what: bytes) -> None:
        """Give the warden an order; one that is gone needs none."""
        with contextlib.suppress(OSError):
            self._connection.send(what)

    def close(self, patience_s: float = 0.0) -> bool:
        """Hang up; with patience, wait until the warden has left nothing, and tell whether so."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)
        end = time.monotonic() + patience_s
        while not self._ended and (left := end - time.monotonic()) > 0:
            self.wait(left)
        self._connection.close()
        return self._ended
