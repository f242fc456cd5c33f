"""From a game's record to what is stored of it. Runs in the worker, so that the runner has little
to do.

Law: everything here but `cpu_us`, `day`, `measured` and `log` depends on the record's
deterministic part alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from statistics import median_low

import msgspec

from niagara_arena.records import GameRecord, Played
from niagara_arena.replay.codec import deterministic_part, encode, fingerprint
from niagara_arena.store.facts import STANDINGS, GameFacts
from niagara_arena.store.packing import pack, pack_measured

__all__ = ["KEEP_LOGS", "cluster_of", "game_facts"]

KEEP_LOGS = ("all", "faults", "none")
"""Of which games the bots' logs are stored: all, those with a fault, none."""


def game_facts(
    record: GameRecord, place: int, numbers: dict[str, int], keep_logs: str = "faults"
) -> GameFacts:
    """Return what is stored of a game; `numbers` maps submissions to entrants' numbers."""
    end = record.end
    logged = keep_logs == "all" or (
        keep_logs == "faults" and any(verdict.faults for verdict in end.verdicts)
    )
    timed = record.measured
    times = (timed.cpu_us, timed.wall_us, timed.wait_us)
    bare = msgspec.structs.replace(timed, stderr=(), cpu_us=(), wall_us=(), wait_us=())
    data = encode(msgspec.structs.replace(record, measured=bare))
    facts = deterministic_part(data)
    log = b""
    if logged and any(record.measured.stderr):
        log = pack(msgspec.json.encode(record.measured.stderr))
    return GameFacts(
        game=record.header.game,
        place=place,
        seats=tuple(numbers[seat.submission] for seat in record.header.seats),
        winners=end.winners,
        placings=end.placings,
        standings=tuple(STANDINGS.index(verdict.standing) for verdict in end.verdicts),
        faults=tuple(verdict.faults for verdict in end.verdicts),
        rounds=end.rounds,
        reason=end.reason,
        cluster=cluster_of([seat.submission for seat in record.header.seats], record),
        fingerprint=bytes.fromhex(fingerprint(record))[:16],
        hash=hashlib.sha256(facts).digest(),
        cpu_us=_cpu(record),
        day=record.measured.started[:10],
        record=pack(facts),
        measured=pack_measured(data[len(facts) :], times),
        log=log,
    )


def cluster_of(table: Sequence[str], record: GameRecord) -> bytes:
    """Return what games of one table and opening share."""
    header = record.header
    text = "\0".join([header.settings.rules, header.opening, *sorted(table)])
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def _cpu(record: GameRecord) -> tuple[int, ...]:
    """Return each seat's median and worst CPU time of a decision."""
    used: list[list[int]] = [[] for _ in record.header.seats]
    acts = (act for line in record.rounds for act in line.acts)
    decisions = (act for act in acts if isinstance(act, Played))
    for act, time_us in zip(decisions, record.measured.cpu_us, strict=False):
        used[act.seat].append(time_us)
    found: list[int] = []
    for times in used:
        found += [median_low(times), max(times)] if times else [0, 0]
    return tuple(max(0, min(time_us, 0xFFFFFFFF)) for time_us in found)
