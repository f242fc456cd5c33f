"""The steps before the bot runs: its bot.toml, its files, its build."""

from __future__ import annotations

from niagara_arena.conformance.model import Check, Evidence, Finding, StepFailed
from niagara_arena.errors import ArenaError
from niagara_arena.submissions import BuildFailed, find, load, prepare, read_manifest

__all__ = ["build", "described", "files", "manifest"]


def manifest(check: Check) -> Finding:
    """Read the bot.toml alone."""
    directory = find(check.reference)
    if directory is None:
        return Finding("a command has no bot.toml")
    try:
        read = read_manifest(directory)
    except ArenaError as error:
        raise StepFailed(str(error), "docs/bot-toml.md", error.hint or "") from None
    return Finding(f"{read.name} {read.version}".strip())


def files(check: Check) -> Finding:
    """Read all files, as if they were handed in."""
    try:
        check.submission = load(check.reference)
    except ArenaError as error:
        raise StepFailed(str(error), "docs/bot-toml.md", error.hint or "") from None
    tree = check.submission.tree
    return Finding(
        f"{len(tree.entries)} files, {tree.total_bytes:,} bytes, id {check.submission.id[:12]}"
    )


def described(check: Check) -> Finding:
    """Look whether the bot.toml says who and what the bot is."""
    submission = check.submission
    assert submission is not None
    if find(check.reference) is None:
        return Finding("a command has no bot.toml", skipped=True)
    missing = [key for key in ("version", "authors", "language") if not getattr(submission, key)]
    if missing:
        raise StepFailed(
            f"bot.toml does not say {', '.join(missing)}",
            "docs/bot-toml.md",
            "tables and pages show them",
        )
    return Finding(f"{submission.language}, by {', '.join(submission.authors)}")


def build(check: Check) -> Finding:
    """Stage, build in the cage, and check the command."""
    assert check.submission is not None
    try:
        check.ready = prepare(check.submission, check.backend, check.cache)
    except BuildFailed as error:
        evidence = Evidence(stderr=error.output)
        raise StepFailed(error.message, "docs/bot-toml.md", error.hint or "", evidence) from None
    except ArenaError as error:
        raise StepFailed(str(error), "docs/bot-toml.md", error.hint or "") from None
    built = "built" if check.submission.build else "nothing to build"
    return Finding(f"{built}, sandbox {check.backend.level}")
