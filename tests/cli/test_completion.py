"""Tab completion, asked for in the way the shells' scripts do."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Niagara


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
