"""Bytes from a bot → lines, whatever way the bytes were cut, and never more than the limit."""

from __future__ import annotations

from niagara_arena.wire.limits import LINE_BYTES, SPARE_LINES


class LineBuffer:
    """Collect bytes and give out whole lines, without their newline.

    Memory stays bounded: once a line is over the limit, or too many lines wait, `overflow` says so
    for good, further bytes are dropped, and `partial` keeps the beginning of what was too much.
    """

    __slots__ = ("_lines", "_partial", "limit", "overflow")

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self.limit = limit
        self.overflow = ""
        """What there was too much of: ``line`` (its length), ``lines`` (their number), or empty."""
        self._lines: list[bytes] = []
        self._partial = b""

    def push(self, chunk: bytes) -> None:
        """Take bytes as they were read."""
        if self.overflow:
            return
        if not self._partial and 0 <= chunk.find(b"\n") == len(chunk) - 1 <= self.limit:
            self._lines.append(chunk[:-1])  # the usual case: just one whole line
            if len(self._lines) > SPARE_LINES:
                self._give_up("lines", self._lines[0])
            return
        lines = chunk.split(b"\n")
        if self._partial:
            lines[0] = self._partial + lines[0]
        self._partial = lines.pop()
        for line in lines:
            if len(line) > self.limit:
                self._give_up("line", line)
                return
        self._lines += lines
        if len(self._partial) > self.limit:
            self._give_up("line", self._partial)
        elif len(self._lines) > SPARE_LINES:
            self._give_up("lines", self._lines[0])

    def pop(self) -> bytes | None:
        """Return the oldest whole line, or None."""
        return self._lines.pop(0) if self._lines else None

    @property
    def waiting(self) -> bool:
        """Whether a whole line is there."""
        return bool(self._lines)

    @property
    def partial(self) -> bytes:
        """The bytes after the last newline."""
        return self._partial

    def _give_up(self, what: str, evidence: bytes) -> None:
        self.overflow = what
        self._partial = evidence[: self.limit + 1]
        self._lines = []
