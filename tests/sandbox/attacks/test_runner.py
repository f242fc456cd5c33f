"""The suite itself: its list, its words, its eyes, its tidiness."""

from __future__ import annotations

import ast
import os
import tempfile
from pathlib import Path

import pytest

from niagara_arena.errors import InputError
from niagara_arena.sandbox import choose
from niagara_arena.sandbox.attacks import (
    GROUPS,
    PROBES,
    Machine,
    Outcome,
    Probe,
    ProbeResult,
    expected,
    outside,
    run_attacks,
    select,
)
from niagara_arena.sandbox.attacks import programs as attackers
from niagara_arena.sandbox.attacks.document import table
from niagara_arena.sandbox.attacks.model import NotTried, Seen
from niagara_arena.sandbox.attacks.stage import Trial
from niagara_arena.sandbox.interface import Launch, Process
from tests.sandbox.attacks.table import Run, summary

CHECKOUT = Path(__file__).parents[3]


class Pretender:
    """A back end that calls itself a cage and is none."""

    level = "bwrap"

    def start(self, launch: Launch) -> Process:
        return choose("none").start(launch)


def test_there_are_many_probes_and_no_name_twice() -> None:
    names = [probe.name for probe in PROBES]
    assert len(names) == len(set(names)) >= 48
    assert not set(names) & set(GROUPS)
    assert all(probe.group in GROUPS for probe in PROBES)


def test_the_documentation_lists_every_probe() -> None:
    text = (CHECKOUT / "docs/attacks.md").read_text("utf-8")
    assert table() in text, "docs/attacks.md: paste what niagara_arena.sandbox.attacks.document has"


def test_the_programs_need_nothing_but_the_standard_library() -> None:
    """They run in a cage that holds no package of ours."""
    for path in sorted(Path(attackers.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert "niagara_arena" not in (node.module or ""), path
            elif isinstance(node, ast.Import):
                assert all("niagara_arena" not in alias.name for alias in node.names), path


ROOT = Machine(root=True, landlock_abi=7, cgroup=True)
USER = Machine(root=False, landlock_abi=3, cgroup=False)

WORDS = {
    "stopped": (Outcome.STOPPED, Outcome.STOPPED),
    "open": (Outcome.OPEN, Outcome.OPEN),
    "root": (Outcome.OPEN, Outcome.STOPPED),
    "user": (Outcome.STOPPED, Outcome.OPEN),
    "abi<6": (Outcome.STOPPED, Outcome.OPEN),
    "no cgroup": (Outcome.STOPPED, Outcome.OPEN),
    "cgroup": (Outcome.OPEN, Outcome.STOPPED),
    "user, abi<6": (Outcome.STOPPED, Outcome.OPEN),
    "user, abi<3": (Outcome.STOPPED, Outcome.STOPPED),
    "varies": (None, None),
}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_expectation_depends_on_the_machine(word: str) -> None:
    assert (expected(word, ROOT), expected(word, USER)) == WORDS[word]


def test_every_expectation_is_such_a_word() -> None:
    for probe in PROBES:
        for level in ("none", "landlock", "bwrap"):
            expected(probe.word(level), ROOT)


def test_probes_are_chosen_by_name_and_by_group() -> None:
    assert [probe.name for probe in select(("fork", "tcp"))] == ["tcp", "fork"]
    assert {probe.group for probe in select(("network",))} == {"network"}
    assert select(()) == PROBES


def test_an_unknown_probe_is_refused() -> None:
    with pytest.raises(InputError, match="there is no probe `tpc`"):
        select(("tcp", "tpc"))


def test_a_cage_that_is_none_is_found_out() -> None:
    names = ("read-results", "write-results", "udp", "see-processes", "covert-shm", "memfd")
    results = run_attacks(Pretender(), select(names))
    assert [one.probe for one in results if one.unexpectedly_open] == [p.probe for p in results]


def test_a_bot_that_only_claims_success_is_not_believed() -> None:
    """What a scenario sees outside decides, whatever the bot prints."""

    def scenario(trial: Trial) -> Seen:
        bot = trial.run("processes.look")
        bot.output += b'{"text": "stolen"}\n'
        return Seen(bot.says(trial.secret), "")

    (result,) = run_attacks(Pretender(), [Probe("boast", "Boast", scenario)])
    assert result.outcome is Outcome.STOPPED


def test_what_can_not_be_tried_is_not_run_and_says_why() -> None:
    def scenario(trial: Trial) -> Seen:
        raise NotTried("the moon is in the wrong house")

    (result,) = run_attacks(Pretender(), [Probe("moon", "Howl", scenario)])
    assert (result.outcome, result.surprising) == (Outcome.NOT_RUN, False)
    assert "the moon" in result.detail


def test_nothing_is_left_of_an_open_cage() -> None:
    """Neither files nor processes, though the bots did all they could."""
    places = ["/tmp", "/dev/shm", "/var/tmp", tempfile.gettempdir(), os.path.expanduser("~")]
    before = {place: _ours(place) for place in places}
    results = run_attacks(Pretender(), select(("fill-disk", "burrow", "write-home", "daemon")))
    assert [one.outcome for one in results][:3] == [Outcome.OPEN] * 3
    assert {place: _ours(place) for place in places} == before
    assert outside.marked("programs processes daemon") == []


def _ours(place: str) -> set[str]:
    """Name what the suite leaves in a place while it runs; other runs of it have other names."""
    here = f"-{os.getpid()}-"
    return {name for name in os.listdir(place) if "niagara-attacks-" in name and here in name}


def test_the_table_shows_a_column_a_run() -> None:
    result = ProbeResult(
        probe="tcp",
        group="network",
        title="",
        level="bwrap",
        outcome=Outcome.OPEN,
        expected=Outcome.STOPPED,
        detail="",
    )
    import msgspec

    runs = [Run("root", "bwrap", [result]), Run("user", "bwrap", skipped="no such user")]
    lines = summary([msgspec.json.encode(run).decode() for run in runs])
    assert lines[0].split() == ["probe", "root/bwrap"]
    assert lines[1].split() == ["tcp", "open", "!"]
    assert lines[2] == "root/bwrap: 0 stopped, 1 open, 0 not run"
    assert lines[3] == "not run here: user/bwrap: no such user"
    assert summary([]) == []
