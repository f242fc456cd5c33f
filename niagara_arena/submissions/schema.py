"""The JSON Schema of bot.toml, generated from `Manifest`.

`bot.schema.json` beside this module is the same as a file, for editors. It is made by
`niagara bot schema`, and a test tells when it is stale.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from niagara_arena.submissions.manifest import Manifest

__all__ = ["SCHEMA_FILE", "manifest_schema", "schema_text"]

SCHEMA_FILE = Path(__file__).with_name("bot.schema.json")


def manifest_schema() -> dict[str, Any]:
    """Return the schema as a JSON object; a bot.toml read as TOML must fit it."""
    schema = msgspec.json.schema(Manifest)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "bot.schema.json",
        "title": "bot.toml",
        **schema,
    }


def schema_text() -> str:
    """Return the schema as the file holds it."""
    return f"{json.dumps(manifest_schema(), indent=2, ensure_ascii=False)}\n"
