"""A back end is chosen by trial, never weaker than asked for, and a refusal says what to do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.sandbox import Backend, Runtime, choose, choosing, fingerprint, remedies, survey
from niagara_arena.sandbox.keeper import landlock
from niagara_arena.sandbox.landlocked import Landlocked
from niagara_arena.sandbox.none import NoCage


@pytest.fixture
def fresh() -> Iterator[None]:
    """Forget trials before and after."""
    choosing.trial.cache_clear()
    yield
    choosing.trial.cache_clear()


def test_auto_is_the_best_level_that_works(bwrap: Backend) -> None:
    assert choose("auto") is bwrap
    assert choose("auto", minimum="bwrap") is bwrap


def test_none_is_had_by_name_only(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "find_bwrap", lambda: None)
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    assert choose("none").level == "none"
    with pytest.raises(NotPossibleHere, match="no sandbox works here") as caught:
        choose("auto")
    assert "bwrap is not installed" in str(caught.value)
    assert "no Landlock" in str(caught.value)
    assert "bubblewrap" in (caught.value.hint or "")


def test_auto_falls_back_to_landlock_but_bwrap_does_not(
    fresh: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not landlock.abi():
        pytest.skip("no Landlock here")
    monkeypatch.setattr(choosing, "find_bwrap", lambda: None)
    assert choose("auto").level == "landlock"
    with pytest.raises(NotPossibleHere, match="bwrap is not installed"):
        choose("bwrap")
    with pytest.raises(NotPossibleHere, match="bwrap is not installed"):
        choose("auto", minimum="bwrap")


def test_what_is_weaker_than_the_minimum_is_refused() -> None:
    with pytest.raises(NotPossibleHere, match="weaker than the `landlock`"):
        choose("none", minimum="landlock")


@pytest.mark.parametrize(("asked", "minimum"), [("docker", "none"), ("auto", "auto")])
def test_an_unknown_level_is_an_error(asked: str, minimum: str) -> None:
    with pytest.raises(InputError, match="there is no sandbox") as caught:
        choose(asked, minimum)
    assert "bwrap, landlock, none" in (caught.value.hint or "")


def test_a_bwrap_that_does_not_work_is_not_believed(
    fresh: None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = folder / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(choosing, "find_bwrap", lambda: str(fake))
    with pytest.raises(NotPossibleHere, match="No permissions to create new namespace"):
        choose("bwrap")


def test_a_cage_that_holds_nothing_is_found_out(fresh: None) -> None:
    class Sieve(NoCage):
        level = "bwrap"

    tried = choosing._try(Sieve())
    assert tried.backend is None
    assert "it read a file of the host" in tried.reason
    assert "it forked" in tried.reason


def test_a_cage_that_works_is_believed() -> None:
    if landlock.abi():
        assert choosing._try(Landlocked()).backend is not None


def test_apparmor_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies, "_SYS", tmp_path)
    assert not remedies.apparmor_refuses()
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel" / "apparmor_restrict_unprivileged_userns").write_text("1\n")
    assert remedies.apparmor_refuses()
    assert "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in remedies.namespaces()


def test_other_switches_are_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies, "_SYS", tmp_path)
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "max_user_namespaces").write_text("0\n")
    assert "user.max_user_namespaces" in remedies.namespaces()
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel" / "unprivileged_userns_clone").write_text("0\n")
    assert "unprivileged_userns_clone=1" in remedies.namespaces()


def test_the_survey_tells_what_there_is_and_mends_what_is_not(folder: Path) -> None:
    (folder / "numpy").mkdir()
    runtimes = (Runtime("numpy", str(folder / "numpy")), Runtime("gone", str(folder / "gone")))
    found = survey(runtimes)
    assert [one.level for one in found.levels] == ["bwrap", "landlock", "none"]
    assert found.levels[-1].ok
    names = [one.name for one in found.findings]
    wanted = "bwrap namespaces veil landlock seccomp cgroup cores rules"
    assert {*wanted.split(), "cpu clock"} == set(names)
    for one in found.findings:
        assert one.found
        assert one.ok or (one.cost and one.fix), one
    assert {one.language for one in found.toolchains} >= {"Python", "Java", "Go", "Rust", "C++"}
    assert [one.ok for one in found.runtimes] == [True, False]
    assert len(found.runtimes[0].fingerprint) == 64
    assert found.cores


def test_a_name_that_is_not_utf_8_counts_as_well(folder: Path) -> None:
    first = fingerprint(folder)
    (Path(os.fsdecode(bytes(folder) + b"/\xff"))).symlink_to(os.fsdecode(b"\xfe"))
    assert fingerprint(folder) != first


def test_a_fingerprint_follows_content_and_nothing_else(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "x").write_text("1")
    first = fingerprint(folder)
    (folder / "a" / "x").touch()
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_text("1")
    assert fingerprint(folder) == first
    (folder / "a" / "x").write_text("2")
    second = fingerprint(folder)
    assert second != first
    (folder / "link").symlink_to("a")
    assert fingerprint(folder) != second
    with pytest.raises(NotADirectoryError):
        fingerprint(folder / "none")
