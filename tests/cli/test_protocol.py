from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from niagara_arena.wire.schema import MESSAGES, schema_text
from tests.cli.conftest import Niagara
from tests.protocol import vectors
from tests.protocol.clauses import TEXT


def test_the_specification_is_printed_as_it_is(niagara: Niagara) -> None:
    assert niagara("protocol", "spec").stdout == TEXT


def test_schemas_are_listed_printed_and_written(niagara: Niagara, tmp_path: Path) -> None:
    assert niagara("protocol", "schema").stdout.split() == list(MESSAGES)
    printed = niagara("protocol", "schema", "act").stdout
    jsonschema.Draft202012Validator.check_schema(json.loads(printed))
    run = niagara("protocol", "schema", "--out", str(tmp_path / "new"))
    assert run.stdout == ""
    assert "8 schemas in" in run.stderr
    written = {path.stem: path.read_text("utf-8") for path in (tmp_path / "new").iterdir()}
    assert written == {name: schema_text(name) for name in MESSAGES}


def test_vectors_are_listed_and_printed(niagara: Niagara) -> None:
    document = json.loads(niagara("protocol", "vectors", "--json").stdout)
    assert sorted(row["vector"] for row in document["rows"]) == vectors.names()
    late = next(row for row in document["rows"] if row["vector"] == "act/late")
    assert (late["clause"], late["result"]) == ("P-4.4", "ignored")
    printed = niagara("protocol", "vectors", "act/late").stdout
    assert json.loads(printed) == vectors.load("act/late")


def test_what_does_not_exist_is_refused(niagara: Niagara, tmp_path: Path) -> None:
    run = niagara("protocol", "schema", "move")
    assert (run.exit, run.stdout) == (2, "")
    assert "there is no message `move`" in run.stderr
    assert "the messages are hello, ready" in run.stderr
    run = niagara("protocol", "vectors", "act/never")
    assert (run.exit, run.stdout) == (2, "")
    assert "there is no vector `act/never`" in run.stderr
    run = niagara("protocol", "schema", "act", "--out", str(tmp_path))
    assert run.exit == 2
    assert list(tmp_path.iterdir()) == []
