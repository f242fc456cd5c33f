"""`niagara doctor`: what this machine can isolate, what it lacks, and how to mend that.

Everything is tried, nothing guessed: a level counts only when a bot has found itself caged at it,
and with `--attack` the whole suite of hostile bots is let loose in the cage.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from niagara_arena.cli.exits import Exit
from niagara_arena.cli.output import Column, Format, Listing, render
from niagara_arena.cli.terminal import Terminal
from niagara_arena.cli.text import clean, counted
from niagara_arena.sandbox import LEVELS, Survey, choose, survey
from niagara_arena.sandbox.attacks import Outcome, ProbeResult, run_attacks, select
from niagara_arena.sandbox.remedies import apparmor_refuses
from niagara_arena.submissions import offered_runtimes, parse_runtime

__all__ = ["APPARMOR_PROFILE", "doctor"]

VERSION = 1
"""Of the document that `--json` prints."""

APPARMOR_PROFILE = """\
Narrower than the sysctl, and lasting: allow namespaces to bwrap alone, by an AppArmor profile.

  sudo tee /etc/apparmor.d/bwrap >/dev/null <<'END'
  abi <abi/4.0>,
  include <tunables/global>
  profile bwrap /usr/bin/bwrap flags=(unconfined) {
    userns,
    include if exists <local/bwrap>
  }
  END
  sudo apparmor_parser -r /etc/apparmor.d/bwrap
"""

NONE_IS = (
    "at the level none nothing is isolated: when a match ends, only the bot and its process "
    "session are sure to be killed"
)


@click.command()
@click.option("--attack", is_flag=True, help="Run the attack suite as bots on this machine.")
@click.option(
    "--sandbox",
    type=click.Choice(("auto", *reversed(LEVELS))),
    default="auto",
    show_default=True,
    help="The level to attack; auto is the best that works here.",
)
@click.option("--probe", "probes", multiple=True, help="Attack only by this probe, or group.")
@click.option(
    "--runtime",
    "runtimes",
    multiple=True,
    metavar="NAME=DIR",
    help="One more runtime to look at, besides those of NIAGARA_RUNTIMES.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def doctor(
    terminal: Terminal,
    attack: bool,
    sandbox: str,
    probes: tuple[str, ...],
    runtimes: tuple[str, ...],
    as_json: bool,
) -> Exit:
    """Show what this machine can isolate, and what it lacks.

    Tries each level of the sandbox for real, lists what the machine offers to it, what each
    missing piece costs and the command that would mend it, and which languages bots can use. With
    --attack, hostile bots try to get out of the cage; `niagara docs attacks` describes them. The
    exit code is 1 if ranked play would not be safe here.

    \b
    Examples:
      niagara doctor
      niagara doctor --json
      niagara doctor --attack --probe network
    """
    if (probes or sandbox != "auto") and not attack:
        raise click.UsageError("--probe and --sandbox go with --attack")
    offered = offered_runtimes() | {one.name: one for one in map(parse_runtime, runtimes)}
    found = survey(tuple(offered.values()))
    results: list[ProbeResult] | None = None
    if attack:
        chosen = select(probes)
        backend = choose(sandbox)
        bots = counted(len(chosen), "hostile bot")
        terminal.note(f"letting {bots} loose at the level {backend.level} …")
        results = run_attacks(backend, chosen)
    reasons = unsafe(found, results)
    if as_json:
        click.echo(json.dumps(_document(found, results, reasons), indent=2))
    else:
        click.echo(_report(found, results), nl=False)
        _conclude(terminal, found, reasons)
    return Exit.NO if reasons else Exit.DONE


def unsafe(found: Survey, results: Sequence[ProbeResult] | None) -> list[str]:
    """Say why ranked play would not be safe here; nothing if it would be."""
    reasons = []
    if found.level is None:
        reasons.append("no cage works on this machine")
    for result in results or ():
        if result.level == "none" and result.outcome is Outcome.OPEN:
            reasons.append(f"{result.probe} is open at the level none, which is no cage")
        elif result.unexpectedly_open:
            reasons.append(f"{result.probe} is open: {result.detail}")
    return reasons


def _document(
    found: Survey, results: Sequence[ProbeResult] | None, reasons: list[str]
) -> dict[str, Any]:
    document = {"kind": "doctor", "version": VERSION, "safe": not reasons, "unsafe": reasons}
    document |= msgspec.to_builtins(found)
    document["attacks"] = None if results is None else msgspec.to_builtins(results)
    return document


def _report(found: Survey, results: Sequence[ProbeResult] | None) -> str:
    tables = [_levels(found), _findings(found), _toolchains(found)]
    if found.runtimes:
        tables.append(_runtimes(found))
    if results is not None:
        tables.append(_attacks(results))
    texts = [render(table, Format.TABLE) for table in tables]
    texts.insert(2, _lacks(found))
    return "\n".join(text for text in texts if text)


def _levels(found: Survey) -> Listing:
    rows: list[dict[str, str | bool]] = []
    for one in found.levels:
        words = one.reason
        if one.level == found.level:
            words = "the default here"
        elif one.level == "none":
            words = "no isolation; only when asked for by name"
        rows.append({"level": one.level, "works": one.ok, "remark": words})
    columns = [Column("level"), Column("works"), Column("remark")]
    return Listing("levels", VERSION, columns, rows)


def _findings(found: Survey) -> Listing:
    rows: list[dict[str, str | bool]] = [
        {"machine": one.name, "ok": one.ok, "found": one.found} for one in found.findings
    ]
    return Listing("machine", VERSION, [Column("machine"), Column("ok"), Column("found")], rows)


def _lacks(found: Survey) -> str:
    """Tell what each missing piece costs, and the command that would mend it."""
    lines = []
    for one in found.findings:
        if one.cost:
            lines.append(f"{clean(one.name)}: {clean(one.found)}")
            lines.append(f"  costs: {clean(one.cost)}")
            if one.fix:
                lines.append(f"  mend it: {clean(one.fix)}")
    for tool in found.toolchains:
        if tool.problem:
            lines.append(f"{clean(tool.language)}: {clean(tool.problem)}")
            lines.append(f"  mend it: {clean(tool.fix)}")
    text = "".join(f"{line}\n" for line in lines)
    return f"{text}{APPARMOR_PROFILE}" if apparmor_refuses() else text


def _toolchains(found: Survey) -> Listing:
    rows: list[dict[str, str | bool]] = [
        {"language": t.language, "caged": t.caged, "version": t.version, "path": t.path}
        for t in found.toolchains
    ]
    columns = [Column("language"), Column("caged"), Column("version"), Column("path")]
    return Listing("toolchains", VERSION, columns, rows)


def _runtimes(found: Survey) -> Listing:
    rows: list[dict[str, str | bool]] = [
        {"runtime": r.name, "ok": r.ok, "hash": r.fingerprint[:16] or r.problem, "path": r.path}
        for r in found.runtimes
    ]
    columns = [Column("runtime"), Column("ok"), Column("hash"), Column("path")]
    return Listing("runtimes", VERSION, columns, rows)


def _attacks(results: Sequence[ProbeResult]) -> Listing:
    rows: list[dict[str, str]] = [
        {
            "probe": one.probe,
            "outcome": f"{one.outcome}{'  !' if one.surprising else ''}",
            "what it tries": one.title,
            "what was seen": one.detail,
        }
        for one in results
    ]
    columns = [Column(name) for name in ("probe", "outcome", "what it tries", "what was seen")]
    return Listing("attacks", VERSION, columns, rows)


def _conclude(terminal: Terminal, found: Survey, reasons: list[str]) -> None:
    terminal.note(NONE_IS)
    if not reasons:
        terminal.note(f"ranked play is safe here, at the level {found.level}")
        return
    terminal.warn("ranked play would not be safe here")
    for reason in reasons[:10]:
        terminal.warn(reason)
    if len(reasons) > 10:
        terminal.warn(f"and {len(reasons) - 10} more")
