from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere
from niagara_arena.submissions import Submission, load, resolve_params
from tests.submissions.conftest import MINIMAL, MakeBot


def refusal(reference: str | Path) -> ArenaError:
    with pytest.raises(ArenaError) as caught:
        load(str(reference))
    return caught.value


def paths(submission: Submission) -> list[str]:
    return [entry.path for entry in submission.tree.entries]


def test_a_directory_is_read(make_bot: MakeBot) -> None:
    directory = make_bot(files={"data/book.txt": "e4\n"})
    submission = load(str(directory))
    assert submission.name == "otter"
    assert submission.run == ("sh", "bot.sh")
    assert submission.directory == directory
    assert paths(submission) == ["bot.sh", "bot.toml", "data/book.txt"]
    assert submission.id == submission.tree.digest
    assert load(str(directory / "bot.toml")) == submission


def test_the_id_is_the_same_for_a_copy_elsewhere_and_with_windows_line_endings(
    make_bot: MakeBot,
) -> None:
    here = load(str(make_bot("one"))).id
    there = make_bot("two/far", {"bot.sh": "echo hello\r\n"}, MINIMAL.replace("\n", "\r\n"))
    assert load(str(there)).id == here


def test_each_key_of_the_manifest_changes_the_id(make_bot: MakeBot) -> None:
    first = load(str(make_bot("one"))).id
    assert load(str(make_bot("two", manifest=MINIMAL + 'version = "2"\n'))).id != first


def test_what_a_build_writes_is_no_part_of_a_submission_that_has_one(make_bot: MakeBot) -> None:
    manifest = 'name = "otter"\nbuild = "make"\nrun = "./bot"\nexclude = ["bot"]\n'
    clean = load(str(make_bot("clean", {"src/bot.c": "x"}, manifest)))
    outputs = {"bot": b"\x7fELF", "target/x": "x", "src/bot.o": "x", "build/y": "y"}
    built = load(str(make_bot("built", {"src/bot.c": "x", **outputs}, manifest)))
    assert built.id == clean.id
    assert paths(built) == ["bot.sh", "bot.toml", "src/bot.c"]


def test_without_a_build_a_folder_called_dist_is_part_of_it(make_bot: MakeBot) -> None:
    manifest = 'name = "otter"\nrun = "node dist/bot.js"\n'
    assert "dist/bot.js" in paths(
        load(str(make_bot(files={"dist/bot.js": "x"}, manifest=manifest)))
    )


def test_a_run_that_needs_an_excluded_file_is_refused(make_bot: MakeBot) -> None:
    manifest = 'name = "otter"\nrun = "venv/bin/python bot.py"\n'
    error = refusal(make_bot(files={"venv/bin/python": "x"}, manifest=manifest))
    assert "run needs `venv/bin/python`, but `venv` is no part of a submission" in error.message
    manifest = 'name = "otter"\nrun = "./bot"\nexclude = ["bot"]\n'
    error = refusal(make_bot("two", {"bot": b"\x7fELF"}, manifest))
    assert "run needs `./bot`, but `bot` is no part" in error.message


def test_a_directory_without_a_manifest_is_refused(tmp_path: Path) -> None:
    error = refusal(tmp_path)
    assert isinstance(error, NotPossibleHere)
    assert error.message == f"`{tmp_path}` has no `bot.toml`"
    assert error.hint is not None
    assert "niagara bot new" in error.hint


def test_a_manifest_that_is_a_link_is_not_followed(make_bot: MakeBot, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(MINIMAL)
    directory = make_bot()
    (directory / "bot.toml").unlink()
    (directory / "bot.toml").symlink_to("../secret")
    assert "can't be read" in refusal(directory).message


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["directory", "fifo"])
def test_a_manifest_that_is_no_file_is_refused(
    make_bot: MakeBot, make: Callable[[Path], None]
) -> None:
    directory = make_bot()
    (directory / "bot.toml").unlink()
    make(directory / "bot.toml")
    assert refusal(directory).message.endswith("is no file")


def test_a_bad_file_is_refused_with_the_directory_named(make_bot: MakeBot) -> None:
    directory = make_bot()
    (directory / "out").symlink_to("/etc/passwd")
    error = refusal(directory)
    assert isinstance(error, InputError)
    assert error.message.startswith(f"`{directory}`: the symbolic link `out`")


# --- Commands ----------------------------------------------------------------------------------


def test_a_command_runs_in_the_directory_of_the_file_it_names(
    make_bot: MakeBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = make_bot("mine", {"helper.sh": "x"})
    monkeypatch.chdir(tmp_path)
    submission = load("sh mine/bot.sh --depth 3")
    assert submission.directory == directory
    assert submission.run == ("sh", "./bot.sh", "--depth", "3")
    assert submission.name == "bot"
    assert "helper.sh" in paths(submission)


def test_a_command_may_name_files_in_several_directories(
    make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = make_bot("mine", {"bin/run.sh": "x", "data/book": "y"})
    monkeypatch.chdir(directory)
    submission = load("bin/run.sh data/book")
    assert submission.directory == directory
    assert submission.run == ("./bin/run.sh", "./data/book")


def test_an_interpreter_by_its_path_stays_as_it_is(make_bot: MakeBot) -> None:
    script = make_bot("mine", {"bot.py": "x"}) / "bot.py"
    submission = load(f"{sys.executable} {script}")
    assert submission.run == (sys.executable, "./bot.py")
    assert submission.directory == script.parent


def test_a_program_alone_is_a_command_too(make_bot: MakeBot) -> None:
    directory = make_bot("mine")
    submission = load(str(directory / "bot.sh"))
    assert (submission.run, submission.directory) == (("./bot.sh",), directory)


def test_a_command_that_names_no_file_has_no_directory() -> None:
    submission = load("sh -c 'echo hello'")
    assert submission.directory is None
    assert submission.run == ("sh", "-c", "echo hello")
    assert submission.tree.entries == ()


def test_the_id_of_a_command_covers_its_words_and_files(make_bot: MakeBot) -> None:
    script = make_bot("mine") / "bot.sh"
    first = load(f"sh {script}").id
    assert load(f"sh {script}").id == first
    assert load(f"sh {script} x").id != first
    script.write_text("echo other\n")
    assert load(f"sh {script}").id != first


@pytest.mark.parametrize(
    ("reference", "trouble"),
    [
        ("", "a bot's name is empty"),
        ("   ", "a bot's name is empty"),
        ("''", "`''` is no command"),
        ("sh 'x", "is no command: no closing quotation"),
        ("./no-such", "there is no bot `./no-such`"),
        ("no-such-python bot.py", "there is no program `no-such-python` to run"),
        ("human", "a person can't play here"),
        ("@no-such", "there is no bundled opponent `@no-such`"),
        ("@", "there is no bundled opponent `@`"),
        ("a\x1b[2Jb", "there is no bot `a\\x1b[2Jb`"),
    ],
)
def test_what_is_no_bot_is_refused_with_a_hint(reference: str, trouble: str) -> None:
    error = refusal(reference)
    assert trouble in error.message
    if "command" not in trouble:
        assert error.hint


def test_a_bundled_name_without_the_sign_is_recognised() -> None:
    assert refusal("random").hint == "the bundled opponent is called `@random`"
    assert refusal("@randm").hint == "did you mean `@random`?"


def test_a_bundled_opponent_is_found_by_name(tmp_path: Path) -> None:
    submission = load("@random")
    assert submission.name == "random"
    assert submission.directory is not None
    copy = shutil.copytree(submission.directory, tmp_path / "copy")
    assert load(str(copy)).id == submission.id


def test_parameters_are_resolved(make_bot: MakeBot) -> None:
    manifest = MINIMAL + '[params.depth]\ntype = "int"\ndefault = 3\nrange = [1, 8]\n'
    submission = load(str(make_bot(manifest=manifest)))
    assert resolve_params(submission, {}) == {"depth": 3}
    assert resolve_params(submission, {"depth": "8"}) == {"depth": 8}
    with pytest.raises(InputError, match="parameter `depth` of `otter`: 9 is outside"):
        resolve_params(submission, {"depth": 9})
