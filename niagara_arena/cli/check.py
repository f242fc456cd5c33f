"""`niagara check`: see at home what a tournament will see."""

from __future__ import annotations

import json
import shlex
import time
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from niagara_arena.cli.exits import Exit
from niagara_arena.cli.options import sandbox_option, set_option, settings_from
from niagara_arena.cli.output import Cell, Column, Format, Listing, format_options, show
from niagara_arena.cli.references import BOT
from niagara_arena.cli.terminal import Terminal
from niagara_arena.conformance import (
    STEPS,
    Check,
    Duty,
    Result,
    Verdict,
    passed,
    run_check,
    sizes_from,
    step_number,
)
from niagara_arena.referee import PROFILES
from niagara_arena.sandbox import choose
from niagara_arena.submissions import find

__all__ = ["check"]

LOG_LINES = 15
WIDTH = 60


def _steps() -> Listing:
    columns = (Column("step", "#"), Column("duty"), Column("name"), Column("clause"), Column("bot"))
    rows: list[dict[str, Cell]] = [
        {
            "step": number,
            "duty": step.duty.value,
            "name": step.name,
            "clause": step.clause,
            "bot": step.about,
        }
        for number, step in enumerate(STEPS, 1)
    ]
    return Listing("check-steps", 1, columns, rows)


@click.command()
@click.argument("reference", metavar="BOT", type=BOT, required=False)
@click.option("--step", "only", metavar="N", help="Do one step only, by number or name.")
@click.option("--list", "list_steps", is_flag=True, help="List the steps and stop.")
@click.option("--strict", is_flag=True, help="Let a failed SHOULD count as a failure.")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="NAME=N",
    help="How much a step does, such as games=50; a wrong name lists all.",
)
@click.option(
    "--profile",
    type=click.Choice(tuple(PROFILES)),
    default="standard",
    show_default=True,
    help="How much time there is.",
)
@set_option
@sandbox_option
@format_options
@click.pass_context
def check(
    ctx: click.Context,
    reference: str | None,
    only: str | None,
    list_steps: bool,
    strict: bool,
    sizes: tuple[str, ...],
    profile: str,
    changes: dict[str, Any],
    sandbox: str,
    output_format: Format,
) -> Exit:
    """Check a bot, step by step, before you hand it in.

    Does what a tournament does: reads the bot.toml, builds, starts, asks every kind of decision of
    both rulesets, plays long and many games, and watches time, memory and log. Stops at the first
    MUST that fails and shows the request, the reply, the end of stderr and the command that
    repeats just this step. The exit code is 1 if a MUST failed.

    \b
    Examples:
      niagara check --list
      niagara check @random --sandbox none --size games=3 --size match_rounds=5
      niagara check @random --sandbox none --step handshake
    """
    terminal: Terminal = ctx.obj
    if list_steps:
        show(_steps(), output_format)
        return Exit.DONE
    if reference is None:
        raise click.UsageError("missing argument 'BOT'", ctx)
    find(reference)
    settings = settings_from(profile, changes, rules="base")
    plan = Check(reference, choose(sandbox), sizes_from(sizes), settings)
    number = step_number(only) if only is not None else None
    began = time.monotonic()
    finished: list[Result] = []

    def keep(result: Result) -> None:
        finished.append(result)
        terminal.detail(_line(result))

    try:
        results = run_check(plan, number, keep)
    except KeyboardInterrupt:
        if finished and output_format is not Format.JSON:  # half a document would not be one
            show(_listing(finished, output_format), output_format)
        raise
    ok = passed(results, strict)
    if output_format is Format.JSON:
        click.echo(json.dumps(_document(reference, plan, results, ok), indent=2))
    else:
        show(_listing(results, output_format), output_format)
    again = _again(ctx, reference)
    for result in results:
        if result.verdict is Verdict.FAILED:
            terminal.note(_report(result, again))
    terminal.note(_summary(results, ok, only is not None, time.monotonic() - began))
    return Exit.DONE if ok else Exit.NO


def _again(ctx: click.Context, reference: str) -> str:
    """Return the command line that was given, without --step and how to print."""
    words = ["niagara", "check", reference]
    for name in ("sandbox", "profile"):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += [f"--{name}", ctx.params[name]]
    words += [word for size in ctx.params["sizes"] for word in ("--size", size)]
    words += [word for change in _flat(ctx.params["changes"]) for word in ("--set", change)]
    return shlex.join(words)


def _flat(changes: dict[str, Any], prefix: str = "") -> list[str]:
    found: list[str] = []
    for key, value in changes.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{key}.")
        else:
            found.append(f"{prefix}{key}={json.dumps(value)}")
    return found


def _line(result: Result) -> str:
    return f"{result.number:2} {result.duty} {result.step}: {result.verdict} {result.detail}"


def _listing(results: list[Result], output_format: Format) -> Listing:
    columns = (
        Column("number", "#"),
        Column("duty"),
        Column("step"),
        Column("verdict"),
        Column("clause"),
        Column("ms"),
        Column("detail"),
    )
    people = output_format in (Format.TABLE, Format.MARKDOWN)
    rows: list[dict[str, Cell]] = [
        {
            "number": result.number,
            "duty": result.duty.value,
            "step": result.step,
            "verdict": result.verdict.value,
            "clause": result.clause,
            "ms": result.duration_ms,
            "detail": _short(result.detail) if people else result.detail,
        }
        for result in results
    ]
    return Listing("check", 1, columns, rows)


def _document(reference: str, plan: Check, results: list[Result], ok: bool) -> dict[str, Any]:
    submission = plan.submission
    return {
        "kind": "check",
        "version": 1,
        "bot": reference,
        "submission": submission.id if submission is not None else None,
        "sandbox": plan.backend.level,
        "passed": ok,
        "rows": msgspec.to_builtins(results),
    }


def _report(result: Result, command: str) -> str:
    """Return all that the author needs about a failed step."""
    step = STEPS[result.number - 1]
    evidence = result.evidence
    log = evidence.stderr.rstrip("\n").split("\n")[-LOG_LINES:]
    lines = [
        "",
        f"step {result.number} failed, {result.step} ({step.duty}): the bot {step.about}",
        f"  what     {result.detail}",
        f"  clause   {result.clause}",
    ]
    if result.hint:
        lines.append(f"  hint     {result.hint}")
    if evidence.request or evidence.reply:
        lines.append(f"  request  {evidence.request or '(none yet)'}")
        lines.append(f"  reply    {evidence.reply or '(none)'}")
    lines.append(f"  stderr   {log[0] or '(nothing)'}")
    lines += [f"           {line}" for line in log[1:]]
    lines.append(f"  again    {command} --step {result.number}")
    return "\n".join(lines)


def _summary(results: list[Result], ok: bool, alone: bool, seconds: float) -> str:
    count = {
        (duty, verdict): sum(1 for r in results if (r.duty, r.verdict) == (duty, verdict))
        for duty in Duty
        for verdict in Verdict
    }
    must = count[Duty.MUST, Verdict.PASSED]
    should = count[Duty.SHOULD, Verdict.PASSED]
    missed = count[Duty.SHOULD, Verdict.FAILED]
    left = 0 if alone else len(STEPS) - len(results)
    words = f"{must} MUST and {should} SHOULD passed in {seconds:.1f} s"
    words += f", {missed} SHOULD failed" if missed else ""
    words += f", {left} steps not reached" if left else ""
    return f"\n{'passed' if ok else 'failed'}: {words}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
