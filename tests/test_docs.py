"""Every `niagara` command that the docs or a help text shows runs.

In Markdown, a command is a line after `$ ` of a `console` block, or a line of an `sh` block, that
calls `niagara`; in a help text, any line of its `Examples:` block. `# exit N` at the end of a line
says that N is the exit code to expect. A document's commands share one folder, empty at first.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from niagara_arena.cli.main import COMMANDS, cli
from niagara_arena.cli.terminal import Terminal

CHECKOUT = Path(__file__).parent.parent
DOCUMENTS = [
    *sorted(CHECKOUT.glob("*.md")),
    *sorted((CHECKOUT / "docs").rglob("*.md")),
    *(CHECKOUT / folder / "README.md" for folder in ("benchmarks", "bots", "protocol", "tests")),
]
BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?:^|[|(;&]\s*|\s)niagara\s")


@dataclass(frozen=True)
class Shown:
    """A command line as shown, and the exit code it should end with."""

    line: str
    exit: int = 0

    @classmethod
    def parse(cls, line: str) -> Shown:
        marked = re.fullmatch(r"(.*\S)\s+# exit (\d+)", line)
        return cls(marked[1], int(marked[2])) if marked else cls(line)


def commands_of(markdown: str) -> Iterator[Shown]:
    for kind, block in BLOCK.findall(markdown):
        for line in block.replace("\\\n", " ").split("\n"):
            command = line.removeprefix("$ ") if kind == "console" else line
            if (kind == "sh" or line.startswith("$ ")) and CALL.search(f"{command} "):
                yield Shown.parse(command.strip())


def examples_of(help_text: str) -> Iterator[Shown]:
    _, _, block = help_text.partition("Examples:\n")
    for line in block.split("\n\n")[0].replace("\\\n", " ").split("\n"):
        if line.strip():
            yield Shown.parse(line.strip())


def failures(commands: list[Shown], folder: Path) -> list[str]:
    """Run the commands one after another; return a line for each that ends otherwise."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NIAGARA_")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    environment["HOME"] = str(folder)
    # One cache for all: each bundled bot is built once, not once a document.
    environment["NIAGARA_CACHE"] = f"{tempfile.gettempdir()}/niagara-docs-{os.getuid()}"
    found = []
    for command in commands:
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command.line],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=60,
        )
        if run.returncode != command.exit:
            message = run.stderr.decode(errors="replace").strip()
            found.append(f"`{command.line}` exits {run.returncode}: {message}")
    return found


def visible_commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its full name, groups included."""

    def below(
        name: str, command: click.Command, ctx: click.Context
    ) -> Iterator[tuple[str, click.Command]]:
        yield name, command
        if isinstance(command, click.Group):
            for child in command.list_commands(ctx):
                found = command.get_command(ctx, child)
                assert found is not None, f"{name} lists {child} but has it not"
                if not found.hidden:
                    yield from below(f"{name} {child}", found, click.Context(found, ctx, child))

    yield from below("niagara", cli, click.Context(cli, info_name="niagara", obj=Terminal()))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(CHECKOUT).as_posix())
def test_the_commands_of(path: Path, tmp_path: Path) -> None:
    found = failures(list(commands_of(path.read_text("utf-8"))), tmp_path)
    assert not found, "\n" + "\n".join(found)


def test_the_readme_shows_every_top_level_command() -> None:
    text = (CHECKOUT / "README.md").read_text("utf-8")
    assert [e.name for e in COMMANDS if f"niagara {e.name}" not in text] == []
    assert len(list(commands_of(text))) >= len(COMMANDS)


@pytest.mark.parametrize("name", [name for name, _ in visible_commands()])
def test_help_has_examples_that_run(name: str, tmp_path: Path) -> None:
    examples = list(examples_of(dict(visible_commands())[name].help or ""))
    assert examples, f"`{name} --help` has no `Examples:`"
    found = failures(examples, tmp_path)
    assert not found, "\n" + "\n".join(found)


def test_a_command_is_found_where_docs_show_it() -> None:
    markdown = """
```console
$ niagara a
niagara is the output here
$ echo x | niagara b \\
    --c
$ make demo
$ niagara d  # exit 1
```
```sh
make test
eval "$(niagara e)"
pip install niagara_arena
```
```python
niagara f
```
"""
    assert list(commands_of(markdown)) == [
        Shown("niagara a"),
        Shown("echo x | niagara b      --c"),
        Shown("niagara d", 1),
        Shown('eval "$(niagara e)"'),
    ]


def test_a_command_that_ends_otherwise_is_named(tmp_path: Path) -> None:
    commands = [
        Shown("niagara --version"),
        Shown("niagara --xyzzy"),
        Shown("niagara --xyzzy", 2),
        Shown("niagara --version | false"),
        Shown("niagara --version > here"),
        Shown("test -s here"),
    ]
    assert [line.split(":")[0] for line in failures(commands, tmp_path)] == [
        "`niagara --xyzzy` exits 2",
        "`niagara --version | false` exits 1",
    ]
