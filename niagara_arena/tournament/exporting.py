"""Write a tournament out: facts as JSON lines, records as files, a grade sheet.

Law: exported facts hold nothing measured. Two runs of the same tournament by deterministic bots
export the same bytes, whatever was interrupted, resumed or played by how many workers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from niagara_arena.errors import InputError
from niagara_arena.replay.codec import decode, deterministic_part, record_hash
from niagara_arena.schedule.standings import standings
from niagara_arena.store import GameRow, Store
from niagara_arena.store.database import damaged
from niagara_arena.store.salvage import counts_games, salvage

__all__ = ["export_facts", "export_records", "grade_rows", "salvage_records"]


def export_facts(store: Store, tournament: int) -> Iterator[bytes]:
    """Yield the facts of a tournament as JSON lines, in the order of its schedule."""
    facts = store.facts(tournament)
    yield _line({"type": "tournament", **msgspec.to_builtins(facts)})
    for name, (heat, sentence) in store.withdrawals(tournament).items():
        yield _line({"type": "withdrawal", "submission": name, "heat": heat, "why": sentence})
    for match in store.matches(tournament):
        row = msgspec.to_builtins(match)
        yield _line({"type": "match", **row})
    for game in _sound_games(store, tournament):
        proved = deterministic_part(game.record).decode()
        yield _line(
            {
                "type": "game",
                "place": game.place,
                "match": game.match_order,
                "game": game.game,
                "hash": game.hash,
                "fingerprint": game.fingerprint,
                "record": proved,
            }
        )


def _sound_games(store: Store, tournament: int) -> Iterator[GameRow]:
    """Yield a tournament's games; refuse one that is not what was stored."""
    for game in store.games(tournament):
        try:
            sound = (record_hash(game.record), decode(game.record).header.game)
        except InputError as error:
            raise damaged(store.path, f"game {game.game}: {error}") from None
        if sound != (game.hash, game.game):
            raise damaged(store.path, f"game {game.game}: not the one that was stored")
        yield game


def _line(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value, order="deterministic") + b"\n"


def export_records(store: Store, tournament: int, folder: Path) -> int:
    """Write each game's record into a folder of its own file; return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for game in _sound_games(store, tournament):
        write_whole(folder / f"{game.game}.jsonl", game.record)
        count += 1
    return count


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def grade_rows(store: Store, tournament: int) -> list[dict[str, str | int | float | None]]:
    """Return a class's grade sheet: one row an entrant, best first, with its owner."""
    facts = store.facts(tournament)
    people = {person.owner: person for person in store.owners()}
    lines = store.lines()
    authors = store.authors()
    by_id = {entrant.submission: entrant for entrant in facts.entrants}
    gone = store.withdrawals(tournament)
    rows: list[dict[str, str | int | float | None]] = []
    for place in standings(store.counted_outcomes(tournament), list(by_id)):
        entrant = by_id[place.submission]
        person = people.get(entrant.owner)
        rows.append(
            {
                "rank": place.rank,
                "bot": entrant.name,
                "version": entrant.version,
                "owner": person.key if person else "",
                "name": person.name if person else "",
                "line": lines.get(place.submission, ("", ""))[1],
                "authors": authors.get(place.submission, ""),
                "games": place.games,
                "wins": place.wins,
                "points": round(place.points, 4),
                "opponents": round(place.opponents, 4),
                "forfeits": place.forfeits,
                "withdrawn": "yes" if place.submission in gone else "no",
                "submission": place.submission,
            }
        )
    return rows


def salvage_records(path: Path, folder: Path) -> tuple[int, int | None]:
    """Write the readable games of a damaged database into a folder; return kept and lost.

    None where the file no longer says how many there were.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = lost = 0
    for found in salvage(path):
        try:
            if not found.record:
                raise InputError("lost")
            game = decode(found.record).header.game
            if found.hash and record_hash(found.record) != found.hash:
                raise InputError("its hash does not fit")
        except InputError:
            lost += 1
            continue
        inner = folder / _file_name(found.tournament)
        inner.mkdir(exist_ok=True)
        write_whole(inner / f"{game}.jsonl", found.record)
        kept += 1
    return kept, lost if lost or counts_games(path) else None


def _file_name(name: str) -> str:
    """Return a tournament's name as one harmless part of a path."""
    safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)[:80]
    return safe or json.dumps(name).encode().hex()[:40]
