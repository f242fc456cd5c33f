"""Tournament files: what they say, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from niagara_arena.cli.tournament_board import span
from niagara_arena.errors import InputError
from niagara_arena.tournament.config import Config, parse_duration, read_config
from tests.tournament.commands.words import CHECKOUT


def test_the_example_file_names_every_key() -> None:
    text = (CHECKOUT / "docs" / "example-tournament.toml").read_text("utf-8")
    config = read_config(CHECKOUT / "docs" / "example-tournament.toml")
    assert config.bots
    for key in Config.__struct_fields__:
        assert f"\n{key} = " in text or f"\n# {key} = " in text or f"[{key}" in text, key


def test_paths_of_a_file_are_seen_from_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    folder.mkdir()
    (folder / "cup.toml").write_text(
        'bots = ["mine", "@greedy", "python3 x.py"]\nroster = "r.toml"\nopenings = "p.jsonl"\n'
    )
    config = read_config(folder / "cup.toml")
    assert config.bots == (str(folder / "mine"), "@greedy", "python3 x.py")
    assert (config.roster, config.openings) == (str(folder / "r.toml"), str(folder / "p.jsonl"))


BAD_FILES = {
    "no-toml": ("bots = [", "Expected|Invalid|Unclosed"),
    "a-mistyped-key": ('bot = ["x"]', "there is no key `bot`"),
    "a-value-of-another-kind": ("heats = 'many'", "Expected `int`"),
}


@pytest.mark.parametrize(("text", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_no_file_with(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_config(path)


def test_spans_of_time() -> None:
    assert [parse_duration(text) for text in ("90s", "1.5m", "8h")] == [90, 90, 28_800]
    with pytest.raises(InputError, match="no span of time"):
        parse_duration("soon")
    assert [span(seconds) for seconds in (None, 5.9, 65, 3725)] == [
        "–", "5 s", "1 m 05 s", "1 h 02 m"]  # fmt: skip
