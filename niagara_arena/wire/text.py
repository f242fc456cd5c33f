"""A `decide` as text: joined from what the rules core has written, byte for byte as `Decide` is."""

from __future__ import annotations


def decide_line(
    number: int, kind: str, events: str, observation: str, legal: str, clock: str
) -> bytes:
    """Return the line of a `decide`; all but the number and the kind are JSON texts."""
    return (
        f'{{"type":"decide","id":{number},"kind":"{kind}","events":[{events}],'
        f'"observation":{observation},"legal":{legal},"clock":{clock}}}\n'
    ).encode()


def clock_end(increment_ms: int, wall_ms: int) -> str:
    """Return what follows the bank in the clock of a `decide`."""
    return f',"increment_ms":{increment_ms},"wall_ms":{wall_ms}}}'


def clock_text(bank_ms: int, end: str) -> str:
    """Return the clock of a `decide` as JSON text; `end` is from `clock_end`."""
    return f'{{"bank_ms":{bank_ms}{end}'
