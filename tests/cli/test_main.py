"""The root command: help, version, the table of commands, exit codes, messages."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from typing import NoReturn

import click
import pytest

from niagara_arena import __version__
from niagara_arena.cli.exits import Exit
from niagara_arena.cli.lazy import Entry
from niagara_arena.cli.main import COMMANDS, cli
from niagara_arena.errors import ArenaError, InputError, NotPossibleHere, RulesError
from tests.cli.conftest import Niagara


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_goes_to_stdout(niagara: Niagara, flag: str) -> None:
    run = niagara(flag)
    assert (run.exit, run.stderr) == (0, "")
    assert run.stdout.startswith("Usage: niagara [OPTIONS] COMMAND")
    for entry in COMMANDS:
        assert f"  {entry.name} " in run.stdout
        assert entry.help in run.stdout


def test_short_help_works_on_a_command(niagara: Niagara) -> None:
    run = niagara("completion", "-h")
    assert run.exit == 0
    assert "Usage: niagara completion [OPTIONS] SHELL" in run.stdout


def test_without_a_command_the_help_goes_to_stderr(niagara: Niagara) -> None:
    run = niagara()
    assert (run.exit, run.stdout) == (2, "")
    assert run.stderr.startswith("Usage: niagara")


def test_version(niagara: Niagara) -> None:
    run = niagara("--version")
    assert (run.exit, run.stdout, run.stderr) == (0, f"niagara {__version__}\n", "")


def test_python_dash_m_is_the_same_program() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "niagara_arena", "--version"], capture_output=True, check=False
    )
    assert (run.returncode, run.stdout.decode()) == (0, f"niagara {__version__}\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_bug_of_ours(closed: str) -> None:
    command = f"exec {sys.executable} -m niagara_arena bot list {closed}"
    run = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert (run.returncode, b"Traceback" in run.stderr) == (0, False)


def test_a_closed_stdin_is_an_empty_one() -> None:
    command = f"exec {sys.executable} -m niagara_arena rules buys --seat 0 <&-"
    run = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert (run.returncode, run.stdout) == (1, b"")
    assert run.stderr.startswith(b"error: stdin holds no JSON object")


def test_help_imports_no_command() -> None:
    program = """
import sys
from niagara_arena.cli.main import main
assert main(["--help"]) == 0
print(*sorted(sys.modules), sep="\\n")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    modules = set(run.stdout.decode().split("\n"))
    assert "niagara_arena.cli.lazy" in modules
    assert not modules & {"niagara_arena.rules", "niagara_arena.cli.rules", "tabulate", "msgspec"}


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_the_table_tells_the_truth_about(entry: Entry) -> None:
    command = entry.load()
    assert command.name == entry.name
    assert command.get_short_help_str(limit=200).rstrip(".") == entry.help.rstrip(".")


GROUPS = [entry for entry in COMMANDS if isinstance(entry.load(), click.Group)]


@pytest.mark.parametrize("entry", GROUPS, ids=lambda entry: entry.name)
def test_a_group_lists_its_commands_in_whole_sentences(niagara: Niagara, entry: Entry) -> None:
    group = entry.load()
    assert isinstance(group, click.Group)
    told = niagara(entry.name, "--help").stdout
    for name, command in group.commands.items():
        words = command.get_short_help_str(limit=200)
        line = next(line for line in told.splitlines() if line.startswith(f"  {name} "))
        assert line.split(maxsplit=1)[1] == words


def test_an_entry_that_is_no_command_is_refused() -> None:
    with pytest.raises(TypeError, match=r"cli\.exits\.Exit is no click command"):
        Entry("exit", "niagara_arena.cli.exits", "Exit", "Leave.").load()


@pytest.mark.parametrize(
    ("variable", "words", "told"),
    [
        ("NIAGARA_PLAY_RULES", "play @random @random @random", "--rules"),
        ("NIAGARA_CHECK_FORMAT", "check --list", "--format"),
        ("NIAGARA_TOURNAMENT_PLAN_GAMES_PER_BOT", "tournament plan", "--games-per-bot"),
    ],
)
def test_an_option_is_given_by_the_variable_of_its_name(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch, variable: str, words: str, told: str
) -> None:
    monkeypatch.setenv(variable, "xyzzy")
    run = niagara(*words.split())
    assert run.exit == 2
    assert f"error: invalid value for '{told}'" in run.stderr


USAGE = {
    "a-mistyped-command": (
        ["completoin"],
        "error: no such command `completoin`\n\nhint: did you mean `completion`?\n",
    ),
    "a-command-like-no-other": (
        ["xyzzy"],
        "error: no such command `xyzzy`\n\nhint: see `niagara --help`\n",
    ),
    "a-mistyped-option": (
        ["--colour", "never"],
        "error: no such option `--colour`\n\nhint: did you mean `--color`?\n",
    ),
    "a-root-option-after-the-command": (
        ["completion", "-q", "bash"],
        "error: no such option `-q`\n\n"
        "hint: `-q` goes before the command: `niagara -q completion …`\n",
    ),
    "an-option-like-no-other": (
        ["completion", "--xyzzy"],
        "error: no such option `--xyzzy`\n\nhint: see `niagara completion --help`\n",
    ),
    "a-missing-argument": (
        ["completion"],
        "error: missing argument 'SHELL'. Choose from: bash, zsh, fish\n\n"
        "hint: see `niagara completion --help`\n",
    ),
    "a-value-that-is-no-choice": (
        ["--color", "mauve", "completion", "bash"],
        "error: invalid value for '--color': 'mauve' is not one of 'auto', 'always', 'never'\n\n"
        "hint: see `niagara --help`\n",
    ),
    "a-value-that-is-nearly-a-choice": (
        ["play", "@random", "@random", "@random", "--rules", "spirit"],
        "error: invalid value for '--rules': 'spirit' is not one of 'base', 'spirits'\n\n"
        "hint: did you mean `spirits`?\n",
    ),
    "an-argument-too-many": (
        ["completion", "bash", "zsh"],
        "error: got unexpected extra argument (zsh)\n\nhint: see `niagara completion --help`\n",
    ),
}


@pytest.mark.parametrize(("args", "stderr"), USAGE.values(), ids=USAGE)
def test_usage_error(niagara: Niagara, args: list[str], stderr: str) -> None:
    run = niagara(*args)
    assert (run.exit, run.stdout, run.stderr) == (2, "", stderr)


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Give the root a command `boom` that raises."""

    def callback() -> NoReturn:
        raise error

    command = click.Command("boom", callback=callback)
    serve(monkeypatch, command)


def serve(monkeypatch: pytest.MonkeyPatch, command: click.Command) -> None:
    monkeypatch.setattr(cli, "get_command", lambda ctx, name: command)


ERRORS = {
    "an-input-error-exits-2": (
        InputError("`bots/otter` has no `bot.toml`", "create one"),
        (2, "error: `bots/otter` has no `bot.toml`\n\nhint: create one\n"),
    ),
    "not-possible-here-exits-3": (
        NotPossibleHere("no sandbox works here"),
        (3, "error: no sandbox works here\n"),
    ),
    "a-rules-error-shows-path-and-clause-and-exits-1": (
        RulesError("card 3 is there twice", "N-2.1", "$.players[0].hand"),
        (1, "error: $.players[0].hand: card 3 is there twice [N-2.1]\n"),
    ),
    "any-other-arena-error-exits-1": (ArenaError("no"), (1, "error: no\n")),
    "a-file-that-does-not-open-exits-2": (
        click.FileError("x.json", "Permission denied"),
        (2, "error: could not open file 'x.json': Permission denied\n"),
    ),
    "a-full-disk-exits-3": (
        OSError(errno.ENOSPC, "No space left on device", "games.db"),
        (3, "error: no space left for `games.db`\n\nhint: free some space and try again\n"),
    ),
    "a-path-that-can-not-be-used-exits-3": (
        PermissionError(errno.EACCES, "Permission denied", "/srv/games"),
        (
            3,
            "error: can't use `/srv/games`: Permission denied\n\nhint: check that it is the path"
            " you mean, and that you may read and write there\n",
        ),
    ),
    "ctrl-c-exits-130": (KeyboardInterrupt(), (130, "\ninterrupted\n")),
    "an-aborted-prompt-exits-130": (click.Abort(), (130, "\ninterrupted\n")),
    "text-from-outside-cannot-steer-the-terminal": (
        InputError("bot `\x1b[2Jotter\x07`\nis odd"),
        (2, "error: bot `otter`\nis odd\n"),
    ),
}


@pytest.mark.parametrize(("error", "expected"), ERRORS.values(), ids=ERRORS)
def test_error(
    niagara: Niagara,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    expected: tuple[int, str],
) -> None:
    raising(monkeypatch, error)
    run = niagara("boom")
    assert (run.exit, run.stderr) == expected
    assert run.stdout == ""


@pytest.mark.parametrize(
    "error",
    [ZeroDivisionError("x"), BrokenPipeError(errno.EPIPE, "a bot's"), FileNotFoundError("f")],
    ids=lambda error: type(error).__name__,
)
def test_a_bug_shows_its_traceback_and_exits_70(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    raising(monkeypatch, error)
    run = niagara("boom")
    assert (run.exit, run.stdout) == (70, "")
    assert run.stderr.startswith("Traceback (most recent call last):\n")
    assert type(error).__name__ in run.stderr
    assert run.stderr.endswith(
        f"error: this is a bug in niagara {__version__}\n\n"
        "hint: please report it with the lines above\n"
    )


@pytest.mark.parametrize("code", [Exit.DONE, Exit.NO, Exit.NOT_HERE])
def test_a_command_may_return_its_exit_code(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch, code: Exit
) -> None:
    serve(monkeypatch, click.Command("answer", callback=lambda: code))
    assert niagara("answer").exit == code


def test_a_command_may_exit_through_click(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(
        monkeypatch,
        click.Command("answer", callback=lambda: click.get_current_context().exit(1)),
    )
    assert niagara("answer").exit == Exit.NO


def test_what_a_command_returns_else_is_no_exit_code(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, click.Command("count", callback=lambda: 17))
    assert niagara("count").exit == Exit.DONE


@pytest.mark.parametrize("args", [["--help"], ["completion", "zsh"]], ids=["help", "a-command"])
def test_a_reader_that_has_seen_enough_is_no_error(args: list[str]) -> None:
    niagara = subprocess.Popen(
        [sys.executable, "-m", "niagara_arena", *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert niagara.stdout is not None
    niagara.stdout.close()  # well before Python is up and writes
    niagara.stdout = None
    _, stderr = niagara.communicate()
    assert (niagara.returncode, stderr) == (0, b"")


def test_a_full_device_on_stdout_is_told() -> None:
    with open("/dev/full", "wb") as full:
        run = subprocess.run(
            [sys.executable, "-m", "niagara_arena", "completion", "zsh"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert run.returncode == Exit.NOT_HERE
    assert run.stderr.startswith(b"error: no space left\n")


def test_sigterm_stops_like_ctrl_c_and_its_meaning_is_put_back(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def kill() -> None:
        signal.raise_signal(signal.SIGTERM)

    serve(monkeypatch, kill)
    before = signal.getsignal(signal.SIGTERM)
    run = niagara("kill")
    assert (run.exit, run.stderr) == (130, "\ninterrupted\n")
    assert signal.getsignal(signal.SIGTERM) == before


IMPORTING = """
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "niagara_arena.cli.main":
            signal.raise_signal(number)
sys.meta_path.insert(0, Finder())
"""
TIDYING_UP = """
import atexit
atexit.register(signal.raise_signal, number)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize(
    ("moment", "code"),
    [(IMPORTING, Exit.INTERRUPTED), (TIDYING_UP, Exit.DONE)],
    ids=["being-imported", "tidying-up"],
)
def test_a_signal_makes_no_noise_while_the_program_is(
    moment: str, code: Exit, number: signal.Signals
) -> None:
    program = f"""
import runpy, signal, sys
number = {int(number)}
sys.argv = ["niagara", "--version"]
signal.signal(signal.SIGINT, signal.default_int_handler)
{moment}
runpy.run_module("niagara_arena", run_name="__main__", alter_sys=True)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (code, b"")


def test_who_starts_us_deaf_to_sigterm_is_heeded(
    niagara: Niagara, monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def kill() -> None:
        signal.raise_signal(signal.SIGTERM)

    serve(monkeypatch, kill)
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        run = niagara("kill")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (run.exit, run.stderr) == (0, "")
