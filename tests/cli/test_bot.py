from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from niagara_arena.submissions import bundled_bots, load, starter_kits
from tests.cli.conftest import Niagara


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NIAGARA_CACHE", str(tmp_path / "cache"))


def snapshot(top: Path) -> dict[str, bytes]:
    return {str(p.relative_to(top)): p.read_bytes() for p in top.rglob("*") if p.is_file()}


@pytest.mark.parametrize("language", ["python", "javascript", "go", "cpp", "java", "rust"])
def test_new_makes_a_kit_that_loads(niagara: Niagara, language: str, tmp_path: Path) -> None:
    run = niagara("bot", "new", language, "otter")
    assert run.exit == 0, run.stderr
    assert "niagara check otter" in run.stderr
    submission = load("otter")
    assert submission.name == "otter"
    kit = load(str(starter_kits()[language]))
    assert [e.path for e in submission.tree.entries] == [e.path for e in kit.tree.entries]
    assert os.access(tmp_path / "otter" / "bot.toml", os.W_OK)


@pytest.mark.parametrize(
    ("alias", "language"), [("c++", "c++"), ("JS", "javascript"), ("rs", "rust")]
)
def test_new_knows_other_names_of_a_language(niagara: Niagara, alias: str, language: str) -> None:
    assert niagara("bot", "new", alias, "otter").exit == 0
    assert load("otter").language == language


def test_new_takes_a_name_and_an_empty_directory(niagara: Niagara, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    assert niagara("bot", "new", "python", "here", "--name", "Otter 2").exit == 0
    assert load("here").name == "Otter 2"


@pytest.mark.parametrize("occupant", ["file", "directory", "link"])
def test_new_never_overwrites(niagara: Niagara, tmp_path: Path, occupant: str) -> None:
    match occupant:
        case "file":
            (tmp_path / "otter").write_text("mine")
        case "directory":
            (tmp_path / "otter").mkdir()
            (tmp_path / "otter/bot.py").write_text("mine")
        case "link":
            (tmp_path / "otter").symlink_to("nowhere")
    before = snapshot(tmp_path)
    run = niagara("bot", "new", "python", "otter")
    assert run.exit == 2
    assert "`otter` exists already" in run.stderr
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "exit_code", "trouble"),
    [
        (("pyhton", "otter"), 3, "did you mean `python`?"),
        (("cobol", "otter"), 3, "there are: "),
        (("python", "random"), 2, "is a bundled opponent's"),
        (("python", "x", "--name", "Random"), 2, "is a bundled opponent's"),
        (("python", "x", "--name", "a\x1b[2Jb"), 2, "`a\\x1b[2Jb` contains a control character"),
        (("python", "x", "--name", 'a"b'), 2, "contains quotes"),
        (("python", "x", "--name", "human"), 2, "is reserved"),
        (("python", "x", "--name", "beaver"), 2, "is called `beaver` already"),
    ],
)
def test_new_refuses_and_makes_nothing(
    niagara: Niagara, tmp_path: Path, arguments: tuple[str, ...], exit_code: int, trouble: str
) -> None:
    assert niagara("bot", "new", "python", "beaver").exit == 0
    before = snapshot(tmp_path)
    run = niagara("bot", "new", *arguments)
    assert run.exit == exit_code
    assert trouble in run.stderr
    assert "hint: " in run.stderr
    assert snapshot(tmp_path) == before
    assert [p.name for p in tmp_path.iterdir()] == ["beaver"]


def test_list_names_every_bundled_opponent(niagara: Niagara) -> None:
    run = niagara("bot", "list", "--json")
    rows = json.loads(run.stdout)["rows"]
    assert [row["bot"] for row in rows] == [f"@{name}" for name in bundled_bots()]
    for row in rows:
        assert row["id"] == load(row["bot"]).id
        assert row["about"], f"{row['bot']} needs a README"


def test_show_tells_what_a_bot_is(niagara: Niagara, tmp_path: Path) -> None:
    niagara("bot", "new", "python", "otter")
    with open(tmp_path / "otter/bot.toml", "a", encoding="utf-8") as file:
        file.write('\n[params.depth]\ntype = "int"\ndefault = 3\nrange = [1, 8]\nhelp = "Plies."\n')
    shown = niagara("bot", "show", "otter").stdout
    assert load("otter").id in shown
    assert "param depth" in shown
    assert "int, default 3, 1 … 8: Plies." in shown
    document = json.loads(niagara("bot", "show", "otter", "--json").stdout)
    assert document["bot"]["params"]["depth"]["range"] == [1, 8]
    assert document["bot"]["id"] == load("otter").id
    files = niagara("bot", "show", "otter", "--files", "--format", "csv").stdout
    assert files.startswith("path,kind,bytes,sha256\n")
    assert "\narena.py,file," in files


def test_show_does_not_let_a_bot_steer_the_terminal(niagara: Niagara, tmp_path: Path) -> None:
    (tmp_path / "otter").mkdir()
    (tmp_path / "otter/bot.toml").write_text('name = "ot\\u001b[2Jter"\nrun = "sh"\n')
    run = niagara("bot", "show", "otter")
    assert run.exit == 2
    assert "\x1b" not in run.stdout + run.stderr
    assert "control character" in run.stderr


def test_build_prints_the_compilers_words_and_the_directory(
    niagara: Niagara, tmp_path: Path
) -> None:
    (tmp_path / "otter").mkdir()
    (tmp_path / "otter/make.sh").write_text(
        "printf 'warning: \\033[2Jold\\n' >&2; cp make.sh bot\n"
    )
    (tmp_path / "otter/bot.toml").write_text(
        'name = "otter"\nbuild = "sh make.sh"\nrun = "sh bot"\nexclude = ["bot"]\n'
    )
    for _ in range(2):
        run = niagara("bot", "build", "otter", "--sandbox", "none")
        assert run.exit == 0, run.stderr
        assert run.stderr == "warning: old\n"
        assert (Path(run.stdout.strip()) / "bot").is_file()


def test_a_failing_build_is_told_and_the_exit_code_says_no(
    niagara: Niagara, tmp_path: Path
) -> None:
    (tmp_path / "otter").mkdir()
    (tmp_path / "otter/bot.toml").write_text(
        'name = "otter"\nbuild = ["sh", "-c", "printf bot.c:%d: 3; exit 1"]\nrun = "./bot"\n'
    )
    run = niagara("bot", "build", "otter", "--sandbox", "none")
    assert run.exit == 1
    assert run.stdout == ""
    assert "the build of `otter` failed" in run.stderr
    assert run.stderr.count("bot.c:3:") == 1


def test_build_without_a_build_says_so(niagara: Niagara) -> None:
    niagara("bot", "new", "python", "otter")
    run = niagara("bot", "build", "otter", "--sandbox", "none")
    assert run.exit == 0
    assert "has no `build`" in run.stderr


def test_schema_prints_json(niagara: Niagara) -> None:
    assert json.loads(niagara("bot", "schema").stdout)["title"] == "bot.toml"
