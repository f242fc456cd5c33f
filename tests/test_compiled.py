"""The hot modules do the same compiled and interpreted, down to the byte and the error."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from niagara_arena import compiled, rules
from niagara_arena.errors import RulesError

CHECKOUT = Path(__file__).parent.parent
_GAMES = [("base", 3), ("base", 4), ("base", 5), *(("spirits", seats) for seats in range(3, 7))]


def play_and_digest() -> dict[str, str]:
    """Return a hash of all that the rules say in some games and of all that they refuse."""
    found = {}
    for name, seats in _GAMES:
        source, seen = random.Random(f"{name} {seats}"), hashlib.sha256()
        for _ in range(4):
            state = rules.start(name, seats, max_rounds=40)
            while not state.over:
                seat = source.choice(rules.pending(state)).seat
                actions = rules.legal(state, seat)
                action = source.choice(actions)
                kind: Any = type(action)
                for miss in (kind(None, *action[1:]), actions[::-1], seat):
                    seen.update(_refusal(state, source.randrange(-1, seats + 1), miss))
                for other in range(seats):
                    seen.update(rules.observation_text(state, other).encode())
                seen.update(rules.legal_text(state, seat).encode())
                seen.update(rules.action_text(action).encode())
                state, events = rules.apply(state, seat, action)
                seen.update("".join(map(rules.event_text, events)).encode())
            seen.update(repr(rules.outcome(state)).encode())
        found[f"{name} {seats}"] = seen.hexdigest()
    return found


def _refusal(state: rules.State, seat: object, action: object) -> bytes:
    try:
        rules.apply(state, seat, action)
    except RulesError as error:
        return repr((error.message, error.clause, error.path)).encode()
    return b"taken"


def in_fresh_process(code: str, folder: Path = CHECKOUT, **environment: str) -> str:
    """Run Python code in a checkout and return what it prints."""
    cleared = {k: v for k, v in os.environ.items() if k != "NIAGARA_INTERPRETED"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=cleared | {"PYTHONPATH": str(folder)} | environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


_DIGEST = """
import json
from tests.test_compiled import compiled, play_and_digest
print(json.dumps([compiled.state()[0], play_and_digest()]))
"""
_STATE = "from niagara_arena import compiled, rules; print(*compiled.state())"


@pytest.fixture
def machine_code() -> None:
    """Skip where nothing is compiled, or not from this source."""
    if reason := compiled.reason():
        pytest.skip(f"{reason}: `make compile`")


@pytest.mark.usefixtures("machine_code")
def test_compiled_and_interpreted_rules_say_the_same_of_whole_games() -> None:
    there, fast = json.loads(in_fresh_process(_DIGEST))
    not_there, plain = json.loads(in_fresh_process(_DIGEST, NIAGARA_INTERPRETED="1"))
    assert (there, not_there) == (True, False)
    assert fast == plain


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a checkout of one's own, with what is compiled in it."""
    shutil.copytree(CHECKOUT / "niagara_arena", tmp_path / "niagara_arena")
    return tmp_path


@pytest.mark.usefixtures("machine_code")
def test_what_was_compiled_is_used_only_while_every_source_is_the_same(copy: Path) -> None:
    assert in_fresh_process(_STATE, copy).split() == ["True", "compiled"]
    source = copy / "niagara_arena" / "rules" / "river.py"
    before = source.read_text("utf-8")
    source.write_text(before + "\n", "utf-8")
    assert "False compiled before rules/river.py was changed" in in_fresh_process(_STATE, copy)
    source.write_text(before, "utf-8")
    assert "True" in in_fresh_process(_STATE, copy)


@pytest.mark.usefixtures("machine_code")
def test_a_damaged_or_missing_build_is_left_alone(copy: Path) -> None:
    folder = copy / "niagara_arena" / "_compiled"
    for path in folder.glob("*.so"):
        path.unlink()
    assert "False compiled for another Python" in in_fresh_process(_STATE, copy)
    (folder / "manifest.json").write_text("{")
    assert "False not compiled" in in_fresh_process(_STATE, copy)


def test_a_variable_switches_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIAGARA_INTERPRETED", "1")
    assert compiled.reason() == "NIAGARA_INTERPRETED is set"
    assert "False" in in_fresh_process(_STATE, NIAGARA_INTERPRETED="1")
