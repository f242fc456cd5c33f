"""What a command line refers to by name, with tab completion: bots and tournaments.

What only completion needs is imported there, so that no other command waits for it.
"""

from __future__ import annotations

import shlex

import click
from click.shell_completion import CompletionItem

from niagara_arena.errors import ArenaError

__all__ = ["BOT", "TOURNAMENT"]


class _Bot(click.ParamType[str]):
    """Take a bot: a directory, `@name` or a command in quotes."""

    name = "bot"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the bundled opponents, and directories."""
        from niagara_arena.submissions import bundled_bots  # noqa: PLC0415  # see the module

        names = [f"@{name}" for name in bundled_bots()]
        found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return found if incomplete.startswith("@") else [*found, CompletionItem("", type="dir")]


class _Tournament(click.ParamType[str]):
    """Take the name of a tournament."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the tournaments of the database, but for names that a shell would take apart."""
        from niagara_arena.store import DEFAULT_DATABASE, open_store  # noqa: PLC0415  # likewise

        try:
            with open_store(ctx.params.get("db") or DEFAULT_DATABASE, check=False) as store:
                names = [tournament.name for tournament in store.tournaments()]
        except ArenaError:
            return []
        return [
            CompletionItem(name)
            for name in names
            if name.startswith(incomplete) and shlex.quote(name) == name
        ]


BOT = _Bot()
TOURNAMENT = _Tournament()
