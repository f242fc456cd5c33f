"""Tab completion, asked for in the way the shells' scripts do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from niagara_arena.cli.references import BOT
from niagara_arena.store import open_store
from tests.cli.conftest import Niagara
from tests.test_docs import visible_commands
from tests.tournament.fakes import entrants, quick
from tests.tournament.helpers import begin


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_niagara(niagara: Niagara, shell: str) -> None:
    run = niagara("completion", shell)
    assert (run.exit, run.stderr) == (0, "")
    assert f"_NIAGARA_COMPLETE={shell}_complete" in run.stdout


def complete(niagara: Niagara, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    monkeypatch.setenv("_NIAGARA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(["niagara", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    run = niagara()
    assert (run.exit, run.stderr) == (0, "")
    return run.stdout.split()


def test_a_commands_name(niagara: Niagara, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(niagara, monkeypatch, "comple") == ["plain,completion"]


def test_a_root_option(niagara: Niagara, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(niagara, monkeypatch, "--ver") == ["plain,--verbose", "plain,--version"]


def test_the_argument_of_a_command(niagara: Niagara, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(niagara, monkeypatch, "completion", "z") == ["plain,zsh"]


@pytest.mark.parametrize(
    "words",
    ["play", "practice", "check", "bot show", "compare @random", "tournament run --bots"],
)
def test_a_bundled_opponent(niagara: Niagara, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    assert complete(niagara, monkeypatch, *words.split(), "@gr") == ["plain,@greedy"]


def test_wherever_a_bot_is_asked_for_it_is_completed() -> None:
    asked = [
        (name, param.name, param.type)
        for name, command in visible_commands()
        for param in command.params
        if "BOT" in str(param.metavar).replace("…", "").split() and "crosstable" not in name
    ]
    assert len(asked) > 10
    assert [(name, param) for name, param, kind in asked if kind is not BOT] == []


def test_the_name_of_a_tournament(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with open_store(tmp_path / "arena.db", write=True) as store:
        for name in ("spring", "sprint", "autumn", "sp; rm"):
            begin(store, quick(), entrants(4), name)
    for command in (["leaderboard"], ["tournament", "status"]):
        words = [*command, "--db", str(tmp_path / "arena.db"), "--tournament", "sp"]
        assert complete(niagara, monkeypatch, *words) == ["plain,spring", "plain,sprint"]


def test_no_tournament_where_there_is_no_database(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert complete(niagara, monkeypatch, "leaderboard", "--tournament", "sp") == []
    assert list(tmp_path.iterdir()) == []


def test_bash_takes_a_bundled_opponent_for_one_word(niagara: Niagara) -> None:
    script = niagara("completion", "bash").stdout
    asked = subprocess.run(
        ["bash", "-euc", f'{script}\necho "$COMP_WORDBREAKS"; complete -p niagara'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "=" in asked.stdout
    assert "@" not in asked.stdout
    assert "_niagara_completion niagara" in asked.stdout
