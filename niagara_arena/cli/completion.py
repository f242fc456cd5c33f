"""`niagara completion`: print click's own completion script for a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

__all__ = ["PROGRAM", "VARIABLE", "completion"]

PROGRAM = "niagara"
VARIABLE = "_NIAGARA_COMPLETE"
"""The environment variable by which the script asks `niagara` for completions."""

SHELLS = ("bash", "zsh", "fish")

WHOLE_NAMES = r"""
# Names like @greedy are one word.
COMP_WORDBREAKS=${COMP_WORDBREAKS//@/}
"""


@click.command()
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a completion script for your shell.

    SHELL is bash, zsh or fish. For bash, put the first example into ~/.bashrc, for zsh the same
    line with zsh into ~/.zshrc; fish reads ~/.config/fish/completions/niagara.fish.

    \b
    Examples:
      eval "$(niagara completion bash)"
      niagara completion fish > niagara.fish
    """
    completer = get_completion_class(shell)
    assert completer is not None, f"click knows no {shell}"
    click.echo(completer(ctx.find_root().command, {}, PROGRAM, VARIABLE).source(), nl=False)
    if shell == "bash":
        click.echo(WHOLE_NAMES, nl=False)
