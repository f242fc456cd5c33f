from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from niagara_arena.conformance import STEPS, Check, Result, run_check
from tests.cli.conftest import Niagara

ZOO = Path(__file__).parent.parent / "zoo" / "animal.py"
SMALL = (
    *("--sandbox", "none", "--size", "games=2", "--size", "long_rounds=2"),
    *("--size", "match_rounds=1", "--size", "seat_rounds=1", "--size", "game_rounds=1"),
    *("--size", "silence_ms=20", "--size", "idle_ms=40"),
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIAGARA_CACHE", str(tmp_path / "cache"))


def animal(kind: str) -> str:
    return f"{sys.executable} {ZOO} {kind} 1"


def test_a_good_bot_passes_every_step(niagara: Niagara) -> None:
    run = niagara("check", "@random", *SMALL, "--json")
    assert run.exit == 0, run.stderr
    document = json.loads(run.stdout)
    assert (document["kind"], document["version"], document["passed"]) == ("check", 1, True)
    assert document["sandbox"] == "none"
    assert len(document["submission"]) == 64
    assert [row["step"] for row in document["rows"]] == [step.name for step in STEPS]
    assert [row["number"] for row in document["rows"]] == list(range(1, len(STEPS) + 1))
    assert "passed: " in run.stderr


def test_ctrl_c_shows_the_steps_that_were_finished(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_step(plan: Check, _: int | None, on_result: Callable[[Result], None]) -> None:
        run_check(plan, 1, on_result)
        raise KeyboardInterrupt

    monkeypatch.setattr("niagara_arena.cli.check.run_check", first_step)
    run = niagara("check", "@random", *SMALL)
    assert run.exit == 130
    assert run.stdout.rstrip().split("\n")[-1].split()[:4] == ["1", "MUST", "manifest", "passed"]
    assert "interrupted" in run.stderr
    assert niagara("check", "@random", *SMALL, "--json").stdout == ""


def test_a_failed_must_shows_all_that_its_author_needs(niagara: Niagara) -> None:
    run = niagara("check", animal("crash"), *SMALL)
    assert run.exit == 1
    for words in (
        "step 8 failed, base card (MUST): the bot answers a question of kind `card`",
        "what     exited with code 1",
        "clause   P-",
        'request  {"type":"decide","id":1,"kind":"card"',
        "reply    (none)",
        "RuntimeError: the crasher crashes",
        f"{len(STEPS) - 8} steps not reached",
    ):
        assert words in run.stderr, words
    assert run.stdout.rstrip().split("\n")[-1].startswith("  8  MUST    base card    failed")


def test_the_command_that_is_told_repeats_the_step(niagara: Niagara) -> None:
    run = niagara("check", animal("nan"), *SMALL, "--set", "clock.bank_ms=4000")
    (told,) = (line for line in run.stderr.split("\n") if line.startswith("  again    niagara "))
    words = shlex.split(told.removeprefix("  again    niagara "))
    again = niagara(*words)
    assert again.exit == 1
    assert len(again.stdout.rstrip().split("\n")) == 3, "a heading, a line and the step"
    assert "NaN and Infinity do not exist" in again.stderr
    assert '"bank_ms":4020' in again.stderr


def test_a_failed_should_counts_only_if_asked_for(niagara: Niagara) -> None:
    words = ("check", animal("windows_line_ends"), *SMALL, "--step", "plain lines")
    assert niagara(*words).exit == 0
    run = niagara(*words, "--strict")
    assert run.exit == 1
    assert "lines end with CRLF" in run.stderr
    assert "hint     end lines with \\n alone" in run.stderr


def test_what_a_bot_says_does_not_steer_the_terminal(niagara: Niagara, tmp_path: Path) -> None:
    (tmp_path / "rude.sh").write_text(
        "printf '\\033[2J\\033]0;mine\\007\\n'; printf '\\033[2J' >&2\n"
    )
    run = niagara("check", f"sh {tmp_path / 'rude.sh'}", *SMALL)
    assert run.exit == 1
    assert "\x1b" not in run.stdout + run.stderr


def test_a_manifest_that_is_not_in_order_fails_the_first_step(
    niagara: Niagara, tmp_path: Path
) -> None:
    (tmp_path / "bot.toml").write_text('nmae = "otter"\nrun = "sh"\n')
    run = niagara("check", str(tmp_path), *SMALL)
    assert run.exit == 1
    assert "step 1 failed, manifest" in run.stderr
    assert "hint     did you mean `name`?" in run.stderr


def test_a_link_out_of_the_bot_fails_the_second_step(niagara: Niagara, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "otter"\nrun = "sh"\n')
    (tmp_path / "secret").symlink_to("/etc/passwd")
    run = niagara("check", str(tmp_path), *SMALL)
    assert run.exit == 1
    assert "step 2 failed, files" in run.stderr


def test_a_build_that_fails_shows_the_compilers_words(niagara: Niagara, tmp_path: Path) -> None:
    (tmp_path / "otter").mkdir()
    (tmp_path / "otter/bot.toml").write_text(
        'name = "otter"\nbuild = ["sh", "-c", "echo bot.c:3: error >&2; exit 1"]\nrun = "./bot"\n'
    )
    run = niagara("check", str(tmp_path / "otter"), *SMALL)
    assert run.exit == 1
    assert "step 4 failed, build" in run.stderr
    assert "stderr   bot.c:3: error" in run.stderr


@pytest.mark.parametrize(
    ("words", "exit_code", "trouble"),
    [
        (("no-such-bot",), 3, "there is no bot `no-such-bot`"),
        (("@random", "--step", "99"), 2, "there is no step `99`"),
        (("@random", "--step", "0"), 2, "there is no step `0`"),
        (("@random", "--step", "handshak"), 2, "there is no step `handshak`"),
        (("@random", "--size", "gmaes=3"), 2, "`gmaes=3` is no size"),
        (("@random", "--size", "games=-3"), 2, "`games=-3` is no size"),
        (("@random", "--set", "clock.bnk_ms=3"), 2, "clock.bnk_ms"),
    ],
)
def test_bad_options_are_refused(
    niagara: Niagara, words: tuple[str, ...], exit_code: int, trouble: str
) -> None:
    run = niagara("check", *words, "--sandbox", "none")
    assert run.exit == exit_code
    assert trouble in run.stderr
    assert run.stdout == ""


def test_the_list_of_steps_comes_in_every_format(niagara: Niagara) -> None:
    document = json.loads(niagara("check", "--list", "--json").stdout)
    assert (document["kind"], document["version"]) == ("check-steps", 1)
    assert [row["name"] for row in document["rows"]] == [step.name for step in STEPS]
    lines = niagara("check", "--format", "csv", "--list").stdout.splitlines()
    assert lines[0] == "step,duty,name,clause,bot"
    assert len(lines) == 1 + len(STEPS)


def test_without_a_bot_there_is_nothing_to_check(niagara: Niagara) -> None:
    run = niagara("check", "--sandbox", "none")
    assert (run.exit, run.stdout) == (2, "")
    assert "missing argument 'BOT'" in run.stderr


def test_the_steps_are_listed(niagara: Niagara) -> None:
    run = niagara("check", "--list")
    assert run.exit == 0
    for number, step in enumerate(STEPS, 1):
        assert f"{number:3}  {step.duty.value}" in run.stdout
        assert step.about in run.stdout
