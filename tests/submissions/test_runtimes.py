from __future__ import annotations

import os
from pathlib import Path

import pytest

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere
from niagara_arena.sandbox import Runtime, fingerprint
from niagara_arena.submissions import (
    load,
    offered_runtimes,
    read_runtimes,
    resolve_runtimes,
    runtime_digest,
)
from niagara_arena.submissions import runtimes as module
from tests.submissions.conftest import MINIMAL, MakeBot


@pytest.fixture
def numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runtime:
    """A runtime; pytest's folders are closed to others, which root would be told."""
    monkeypatch.setattr(module, "unreachable", lambda path: None)
    (tmp_path / "numpy/lib").mkdir(parents=True)
    (tmp_path / "numpy/lib/core.py").write_text("x = 1\n")
    (tmp_path / "numpy/python").symlink_to("/usr/bin/python3")
    return Runtime("numpy", str(tmp_path / "numpy"))


def test_a_file_offers_runtimes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "runtimes.toml"
    file.write_text('[runtimes]\nnumpy = "numpy"\njdk21 = "/srv/jdk"\n')
    expected = {
        "numpy": Runtime("numpy", str(tmp_path / "numpy")),
        "jdk21": Runtime("jdk21", "/srv/jdk"),
    }
    assert read_runtimes(file) == expected
    assert offered_runtimes() == {}
    monkeypatch.setenv("NIAGARA_RUNTIMES", str(file))
    assert offered_runtimes() == expected


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("[runtime]\n", "unknown key `runtime`"),
        ("runtimes = 3\n", "`runtimes` is no table"),
        ("[runtimes]\n'../x' = '/srv'\n", "`../x` is no runtime"),
        ("[runtimes]\nnumpy = 3\n", "`numpy` is no runtime"),
        ("[runtimes]\nnumpy = ''\n", "`numpy` is no runtime"),
        ("[runtimes\n", "is no TOML"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, trouble: str) -> None:
    file = tmp_path / "runtimes.toml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_runtimes(file)
    assert trouble in caught.value.message


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotPossibleHere, match="the list of runtimes"):
        read_runtimes(tmp_path / "none.toml")


def test_a_bot_gets_the_runtimes_it_asks_for(make_bot: MakeBot, numpy: Runtime) -> None:
    submission = load(str(make_bot(manifest=MINIMAL + 'runtime = "numpy"\n')))
    other = Runtime("jdk", "/srv/jdk")
    assert resolve_runtimes(submission, {"numpy": numpy, "jdk": other}) == (numpy,)
    with pytest.raises(NotPossibleHere, match="asks for the runtime `numpy`") as caught:
        resolve_runtimes(submission, {"numpyy": numpy})
    assert caught.value.hint == "did you mean `numpyy`?"


def test_a_runtime_that_can_not_be_read_is_refused(tmp_path: Path, make_bot: MakeBot) -> None:
    submission = load(str(make_bot(manifest=MINIMAL + 'runtime = "gone"\n')))
    with pytest.raises(NotPossibleHere, match="the runtime `gone` is no directory"):
        resolve_runtimes(submission, {"gone": Runtime("gone", str(tmp_path / "gone"))})


def test_as_root_a_runtime_must_be_open_to_everybody(
    tmp_path: Path, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    submission = load(str(make_bot(manifest=MINIMAL + 'runtime = "closed"\n')))
    with pytest.raises(ArenaError, match="bots run as another user, who can't read") as caught:
        resolve_runtimes(submission, {"closed": Runtime("closed", str(tmp_path / "closed"))})
    assert "chmod o+rx" in (caught.value.hint or "")


def test_the_hash_of_a_runtime_stands_for_its_files(
    numpy: Runtime, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = runtime_digest(numpy, cache)
    assert first == fingerprint(Path(numpy.path)), "as `niagara doctor` shows it"
    core = Path(numpy.path) / "lib/core.py"
    core.write_text("x = 2\n")
    second = runtime_digest(numpy, cache)
    assert second != first
    (Path(numpy.path) / "lib/__pycache__").mkdir()
    (Path(numpy.path) / "lib/__pycache__/core.pyc").touch()
    assert runtime_digest(numpy, cache) == second
    core.write_text("x = 1\n")
    assert runtime_digest(numpy, cache) == first

    def unwanted(*args: object, **kwargs: object) -> None:
        raise AssertionError("nothing has changed: the files need not be read")

    monkeypatch.setattr(module, "fingerprint", unwanted)
    assert runtime_digest(numpy, cache) == first
    os.utime(core, (1, 1))
    with pytest.raises(AssertionError):
        runtime_digest(numpy, cache)
