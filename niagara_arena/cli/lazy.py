"""A click group that imports a command only when it is called.

`niagara --help` and shell completion answer from the table of entries alone, so that start-up
stays quick however many commands there are.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = ["PREFIX", "Entry", "LazyGroup"]

PREFIX = "NIAGARA"
"""How the names of our environment variables begin."""


@dataclass(frozen=True)
class Entry:
    """Say where a command lives and what its line in the help says."""

    name: str
    module: str
    attribute: str
    help: str

    def load(self) -> click.Command:
        """Import the command."""
        command = getattr(importlib.import_module(self.module), self.attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self.module}.{self.attribute} is no click command")
        _name_variables(command, f"{PREFIX}_{self.name}")
        return command


def _name_variables(command: click.Command, prefix: str) -> None:
    """Call environment variables as the options are called, not as our functions call them."""
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            _name_variables(child, f"{prefix}_{name}")
    for option in command.params:
        if isinstance(option, click.Option):
            long = next(name for name in option.opts if name.startswith("--"))
            option.envvar = f"{prefix}_{long[2:]}".replace("-", "_").upper()


class LazyGroup(click.Group):
    """Offer the commands of a table of entries."""

    def __init__(self, *args: Any, entries: tuple[Entry, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entries = {entry.name: entry for entry in entries}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names, in the order of the table."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name."""
        entry = self.entries.get(cmd_name)
        return entry.load() if entry else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help's list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.help) for entry in self.entries.values()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name without importing any."""
        names = [
            CompletionItem(entry.name, help=entry.help)
            for entry in self.entries.values()
            if entry.name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)
