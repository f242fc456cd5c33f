"""The JSON Schemas of every message, and the life cycle as a drawing, made from the types.

protocol/schema/ holds these texts as files; `niagara protocol schema --out protocol/schema` writes
them, and a test tells when they are stale.
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from niagara_arena.wire.limits import PROTOCOL
from niagara_arena.wire.messages import (
    Act,
    Decide,
    End,
    Hello,
    Quit,
    Ready,
    Ruling,
    Start,
)
from niagara_arena.wire.session import FROM_BOT, TABLE, Phase

__all__ = ["MESSAGES", "life_cycle", "schema", "schema_text"]

MESSAGES: Final[dict[str, type[msgspec.Struct]]] = {
    "hello": Hello,
    "ready": Ready,
    "start": Start,
    "decide": Decide,
    "act": Act,
    "ruling": Ruling,
    "end": End,
    "quit": Quit,
}
"""Every message by its `type`, in the order of a conversation."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCES: Final = "#/$defs/{name}"


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of one message, complete in itself."""
    kind = MESSAGES[name]
    _, parts = msgspec.json.schema_components((kind,), ref_template=_REFERENCES)
    own = parts.pop(kind.__name__)
    if name == "ready":
        own["required"].remove("type")  # what answers `hello` is known without it [P-2.2]
    if name == "act":
        own["oneOf"] = [{"required": ["choice"]}, {"required": ["action"]}]
    direction = "bot to arena" if name in FROM_BOT else "arena to bot"
    return {
        "$schema": _DIALECT,
        "$id": f"niagara-arena:protocol-{PROTOCOL}/{name}",
        "$comment": f"Protocol {PROTOCOL}, {direction}. Made from niagara_arena/wire; do not edit.",
        **own,
        **({"$defs": dict(sorted(parts.items()))} if parts else {}),
    }


def schema_text(name: str) -> str:
    """Return a message's JSON Schema as the text of its file."""
    return json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"


def life_cycle() -> str:
    """Return the session table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.LAUNCHED}"]
    for (phase, message), after in TABLE.items():
        arrow = "←" if message in FROM_BOT else "→"
        lines.append(f"    {phase} --> {after}: {arrow} {message}")
    return "\n".join([*lines, f"    {Phase.GONE} --> [*]", ""])
