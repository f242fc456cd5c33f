"""`niagara doctor`: what it says of machines good and bad, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from niagara_arena.cli import doctor
from niagara_arena.sandbox import Backend, Runtime, Survey
from niagara_arena.sandbox.attacks import Outcome, Probe, ProbeResult
from niagara_arena.sandbox.survey import Finding, LevelFinding, RuntimeFinding
from niagara_arena.sandbox.toolchains import Toolchain
from tests.cli.conftest import Niagara

GOOD = Survey(
    level="bwrap",
    levels=(
        LevelFinding("bwrap", True),
        LevelFinding("landlock", True),
        LevelFinding("none", True),
    ),
    findings=(Finding("bwrap", True, "0.8.0 at /usr/bin/bwrap"), Finding("cores", True, "2 of 2")),
    toolchains=(Toolchain("Python", "python3", "/usr/bin/python3", "3.11.2", True),),
    runtimes=(),
    machine="x86_64",
    kernel="6.8",
    root=False,
    cores=(0, 1),
    landlock_abi=6,
    cgroup="v2",
    veiled=True,
)
BARE = msgspec.structs.replace(
    GOOD,
    level=None,
    levels=(
        LevelFinding("bwrap", False, "AppArmor forbids it", "a sysctl"),
        LevelFinding("landlock", False, "the kernel has no Landlock", "a newer kernel"),
        LevelFinding("none", True),
    ),
    findings=(Finding("namespaces", False, "kept by AppArmor", "no level bwrap", "`sudo sysctl`"),),
    toolchains=(
        Toolchain("Go", "go", "", "", False, "not installed", "`sudo apt install golang-go`"),
    ),
)


def result(
    outcome: Outcome, *, level: str = "bwrap", expected: Outcome = Outcome.STOPPED
) -> ProbeResult:
    return ProbeResult(
        probe="tcp",
        group="network",
        title="Connect by TCP",
        level=level,
        outcome=outcome,
        expected=expected,
        detail="the word came \x1b[31mthrough",
    )


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Stand in for the survey; tests of the real one are the sandbox's own."""
    see(monkeypatch, GOOD)
    monkeypatch.setattr(doctor, "apparmor_refuses", lambda: False)
    return monkeypatch


def see(monkeypatch: pytest.MonkeyPatch, found: Survey) -> None:
    def survey(runtimes: tuple[Runtime, ...] = ()) -> Survey:
        return msgspec.structs.replace(
            found,
            runtimes=tuple(RuntimeFinding(r.name, r.path, True, "ab" * 32) for r in runtimes),
        )

    monkeypatch.setattr(doctor, "survey", survey)


def attacked(monkeypatch: pytest.MonkeyPatch, *results: ProbeResult) -> None:
    """Stand in for the suite; it is run for real by tests/sandbox/attacks/."""

    def run(backend: Backend, probes: Sequence[Probe]) -> list[ProbeResult]:
        return list(results)

    monkeypatch.setattr(doctor, "run_attacks", run)


def test_a_good_machine_is_safe(niagara: Niagara, machine: pytest.MonkeyPatch) -> None:
    run = niagara("doctor")
    assert run.exit == 0
    assert "the default here" in run.stdout
    assert "mend it" not in run.stdout
    assert "ranked play is safe here, at the level bwrap" in run.stderr


def test_it_says_how_little_is_killed_without_a_cage(
    niagara: Niagara, machine: pytest.MonkeyPatch
) -> None:
    assert "only the bot and its process session" in niagara("doctor").stderr


def test_a_machine_without_any_cage_is_not_safe(
    niagara: Niagara, machine: pytest.MonkeyPatch
) -> None:
    see(machine, BARE)
    run = niagara("doctor")
    assert run.exit == 1
    assert "the kernel has no Landlock" in run.stdout
    assert "  costs: no level bwrap\n  mend it: `sudo sysctl`\n" in run.stdout
    assert "Go: not installed\n  mend it: `sudo apt install golang-go`\n" in run.stdout
    assert "no cage works on this machine" in run.stderr


def test_ubuntus_apparmor_gets_a_narrower_remedy(
    niagara: Niagara, machine: pytest.MonkeyPatch
) -> None:
    see(machine, BARE)
    machine.setattr(doctor, "apparmor_refuses", lambda: True)
    run = niagara("doctor")
    assert "profile bwrap /usr/bin/bwrap flags=(unconfined)" in run.stdout
    assert "sudo apparmor_parser -r /etc/apparmor.d/bwrap" in run.stdout


def test_json_is_one_object(niagara: Niagara, machine: pytest.MonkeyPatch) -> None:
    run = niagara("doctor", "--json")
    document = json.loads(run.stdout)
    assert (run.exit, document["kind"], document["version"]) == (0, "doctor", 1)
    assert (document["safe"], document["level"], document["attacks"]) == (True, "bwrap", None)
    assert document["findings"][0]["name"] == "bwrap"


def test_a_stopped_attack_changes_nothing(niagara: Niagara, machine: pytest.MonkeyPatch) -> None:
    attacked(machine, result(Outcome.STOPPED))
    run = niagara("doctor", "--attack", "--probe", "tcp", "--sandbox", "none")
    assert run.exit == 0
    assert "tcp" in run.stdout
    assert "stopped" in run.stdout
    assert "\x1b" not in run.stdout


def test_an_attack_that_gets_through_is_not_safe(
    niagara: Niagara, machine: pytest.MonkeyPatch
) -> None:
    attacked(machine, result(Outcome.OPEN))
    run = niagara("doctor", "--attack", "--sandbox", "none", "--json")
    document = json.loads(run.stdout)
    assert (run.exit, document["safe"]) == (1, False)
    assert document["attacks"][0]["outcome"] == "open"
    assert document["unsafe"][0].startswith("tcp is open")


def test_an_attack_that_is_known_to_get_through_is_no_news(
    niagara: Niagara, machine: pytest.MonkeyPatch
) -> None:
    attacked(machine, result(Outcome.OPEN, level="landlock", expected=Outcome.OPEN))
    assert niagara("doctor", "--attack", "--sandbox", "none").exit == 0


def test_nothing_is_safe_without_a_cage(niagara: Niagara, machine: pytest.MonkeyPatch) -> None:
    attacked(machine, result(Outcome.OPEN, level="none", expected=Outcome.OPEN))
    run = niagara("doctor", "--attack", "--sandbox", "none")
    assert run.exit == 1
    assert "which is no cage" in run.stderr


def test_a_real_probe_runs(niagara: Niagara, machine: pytest.MonkeyPatch) -> None:
    run = niagara("doctor", "--attack", "--sandbox", "none", "--probe", "udp", "--json")
    (attack,) = json.loads(run.stdout)["attacks"]
    assert (attack["probe"], attack["outcome"], run.exit) == ("udp", "open", 1)


def test_runtimes_are_listed_with_their_hash(niagara: Niagara, machine: pytest.MonkeyPatch) -> None:
    run = niagara("doctor", "--runtime", "numpy=/opt/numpy")
    assert f"numpy      yes   {'ab' * 8}  /opt/numpy" in run.stdout


def test_what_is_offered_to_bots_is_listed_without_being_named(
    niagara: Niagara, machine: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "offered.toml").write_text('[runtimes]\nnumpy = "numpy"\nnode = "/opt/node"\n')
    machine.setenv("NIAGARA_RUNTIMES", str(tmp_path / "offered.toml"))
    run = niagara("doctor", "--runtime", "node=/srv/node", "--json")
    listed = {one["name"]: one["path"] for one in json.loads(run.stdout)["runtimes"]}
    assert listed == {"numpy": str(tmp_path / "numpy"), "node": "/srv/node"}


WRONG = {
    "a-probe-that-is-none": (["--attack", "--probe", "tpc"], "there is no probe `tpc`"),
    "a-probe-without-an-attack": (["--probe", "tcp"], "--probe and --sandbox go with --attack"),
    "a-runtime-without-a-path": (["--runtime", "numpy"], "`numpy` is no runtime"),
    "a-runtime-with-a-path-for-a-name": (["--runtime", "../x=/srv"], "`../x=/srv` is no runtime"),
}


@pytest.mark.parametrize(("args", "words"), WRONG.values(), ids=WRONG)
def test_refused(
    niagara: Niagara, machine: pytest.MonkeyPatch, args: list[str], words: str
) -> None:
    run = niagara("doctor", *args)
    assert (run.exit, run.stdout) == (2, "")
    assert words in run.stderr
