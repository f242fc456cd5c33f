"""Who bots belong to: owners and lines, from the organiser's roster; erasable, as no hash has them.

Facts know an owner by a pseudonym only, a hash of the roster's salt and the owner's key. Names,
contacts, keys and what bots say of their authors lie apart and can be emptied.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from niagara_arena.errors import InputError
from niagara_arena.store.facts import Writer

__all__ = [
    "People",
    "Person",
    "Roster",
    "RosterEntry",
    "parse_roster",
    "pseudonym",
    "read_roster",
]


class RosterEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """Name one owner and the bots that belong to it."""

    key: str
    """What the organiser calls the owner: a student number, a login."""
    name: str = ""
    contact: str = ""
    bots: dict[str, list[str]] = {}
    """Line → folders, bundled names (`@greedy`) or content hashes of its versions."""


class Roster(Struct, frozen=True, forbid_unknown_fields=True):
    """Hold a roster file."""

    owner: tuple[RosterEntry, ...]
    salt: str = ""
    """Kept secret, it keeps pseudonyms from being guessed from keys."""


class Person(Struct, frozen=True):
    """Hold what is known of an owner."""

    owner: str
    key: str
    name: str
    contact: str
    erased: bool


def parse_roster(data: bytes, where: str) -> Roster:
    """Read a roster; raise InputError naming the place of what is wrong."""
    try:
        roster = msgspec.toml.decode(data, type=Roster)
    except (msgspec.MsgspecError, ValueError) as error:
        raise InputError(
            f"`{where}`: {error}", "see `niagara docs tournaments` for a roster"
        ) from None
    keys = [entry.key for entry in roster.owner]
    for key in keys:
        if not key or keys.count(key) > 1:
            raise InputError(
                f"`{where}`: each owner needs a key of its own, not `{key}` twice",
                "`niagara docs tournaments` shows what a roster looks like",
            )
    bots = [bot for entry in roster.owner for line in entry.bots.values() for bot in line]
    for bot in bots:
        if bots.count(bot) > 1:
            raise InputError(
                f"`{where}`: `{bot}` belongs to one owner and one line",
                "`niagara docs tournaments` shows what a roster looks like",
            )
    return roster


def pseudonym(salt: str, key: str) -> str:
    """Return all that facts know of an owner."""
    secret = hashlib.blake2b(salt.encode(), digest_size=32).digest()
    return f"o-{hashlib.blake2b(key.encode(), key=secret, digest_size=8).hexdigest()}"


class People:
    """Write owners and lines, and forget what is personal."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def add_owner(self, owner: str, entry: RosterEntry) -> None:
        """Remember an owner, or what the roster now says of one; an erased one stays erased."""
        with self._writer.transaction() as db:
            db.execute(
                "INSERT INTO owners VALUES (?, ?, ?, ?, 0) ON CONFLICT (owner) DO UPDATE SET"
                " key = excluded.key, name = excluded.name, contact = excluded.contact"
                " WHERE erased = 0",
                (owner, entry.key, entry.name, entry.contact),
            )

    def set_line(self, owner: str, line: str, submission: str) -> None:
        """Say to which line of an owner a known submission belongs."""
        with self._writer.transaction() as db:
            db.execute("INSERT OR IGNORE INTO lines (owner, name) VALUES (?, ?)", (owner, line))
            db.execute(
                "UPDATE submissions SET line ="
                " (SELECT line FROM lines WHERE owner = ? AND name = ?) WHERE submission = ?",
                (owner, line, submission),
            )

    def erase(self, owner: str) -> None:
        """Forget name, contact, key and authors' names of an owner; facts stay as they are."""
        with self._writer.transaction() as db:
            done = db.execute(
                "UPDATE owners SET key = NULL, name = NULL, contact = NULL, erased = 1"
                " WHERE owner = ?",
                (owner,),
            ).rowcount
            if not done:
                raise InputError(
                    f"no owner `{owner}` in the database",
                    "the owners' keys are those of the roster",
                )
            db.execute(
                "UPDATE authors SET author = NULL WHERE submission IN"
                " (SELECT submission FROM entrants WHERE owner = ? UNION SELECT submission"
                " FROM submissions JOIN lines USING (line) WHERE lines.owner = ?)",
                (owner, owner),
            )
        self._writer.scrub()


def read_roster(path: Path) -> Roster:
    """Read a roster file."""
    try:
        return parse_roster(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(
            f"can't read `{path}`: {error.strerror}", "see that the file exists and may be read"
        ) from None
