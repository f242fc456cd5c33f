"""Control groups of both kinds, against trees that look like the kernel's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from niagara_arena.records import Limits
from niagara_arena.sandbox import cgroups

MB = 1 << 20
LIMITS = Limits(memory_mb=100, tmp_mb=10, shm_mb=5, processes=7)


def proc(folder: Path, groups: str, mounts: str) -> Path:
    (folder / "proc").mkdir()
    (folder / "proc" / "cgroup").write_text(groups)
    (folder / "proc" / "mounts").write_text(mounts)
    return folder / "proc"


@pytest.fixture
def v1(tmp_path: Path) -> cgroups.Cgroups:
    mounts = ""
    for name in ("memory", "pids", "cpuacct"):
        (tmp_path / name / "job").mkdir(parents=True)
        mounts += f"cgroup {tmp_path / name} cgroup rw,relatime,{name} 0 0\n"
    groups = "3:memory:/job\n2:pids:/job\n1:cpu,cpuacct:/job\n0::/\n"
    found = cgroups.find(proc(tmp_path, groups, mounts))
    assert found is not None
    return found


@pytest.fixture
def v2_base(tmp_path: Path) -> Path:
    base = tmp_path / "sys" / "job"
    base.mkdir(parents=True)
    (base / "cgroup.controllers").write_text("cpu memory pids\n")
    (base / "cgroup.subtree_control").write_text("")
    (base / "cgroup.procs").write_text(f"{os.getpid()}\n")
    return base


def find_v2(tmp_path: Path) -> cgroups.Cgroups | None:
    mounts = f"cgroup2 {tmp_path / 'sys'} cgroup2 rw 0 0\n"
    return cgroups.find(proc(tmp_path, "0::/job\n", mounts))


def test_version_1_sets_memory_and_processes(v1: cgroups.Cgroups) -> None:
    assert v1.kind == "v1"
    v1.create(LIMITS)
    (memory,) = v1.bases["memory"].glob("niagara-*")
    (pids,) = v1.bases["pids"].glob("niagara-*")
    assert (memory / "memory.limit_in_bytes").read_text() == f"{(100 + 10 + 5 + 16) * MB}\n"
    assert (pids / "pids.max").read_text() == "10\n"


def test_version_1_counts(v1: cgroups.Cgroups) -> None:
    group = v1.create(LIMITS)
    (memory,) = v1.bases["memory"].glob("niagara-*")
    (cpu,) = v1.bases["cpuacct"].glob("niagara-*")
    assert group.memory_kills() == 0
    (memory / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
    (cpu / "cpuacct.usage").write_text("12345\n")
    assert group.memory_kills() == 2
    assert group.cpu_ns() == 12345
    group.add(77)
    assert group.pids() == [77]


def test_version_2_moves_the_runner_into_a_leaf(tmp_path: Path, v2_base: Path) -> None:
    found = find_v2(tmp_path)
    assert found is not None
    assert found.kind == "v2"
    assert (v2_base / "niagara-runner" / "cgroup.procs").read_text() == f"{os.getpid()}\n"
    assert (v2_base / "cgroup.subtree_control").read_text() == "+memory +pids\n"
    group = found.create(LIMITS)
    (place,) = v2_base.glob(f"niagara-{os.getpid()}-*")
    assert (place / "memory.max").read_text() == f"{131 * MB}\n"
    assert (place / "memory.swap.max").read_text() == "0\n"
    (place / "memory.events").write_text("oom 1\noom_kill 1\n")
    (place / "cpu.stat").write_text("usage_usec 5\nuser_usec 2\n")
    assert (group.memory_kills(), group.cpu_ns()) == (1, 5000)


def test_the_cpu_clock_is_only_there_for_those_who_ask(v1: cgroups.Cgroups) -> None:
    group = v1.create(LIMITS, clock=False)
    assert list(v1.bases["cpuacct"].glob("niagara-*")) == []
    assert group.cpu_ns() is None


def test_bracing_moves_the_runner_to_where_it_is(v1: cgroups.Cgroups) -> None:
    group = v1.create(LIMITS)
    group.brace()
    assert (v1.bases["pids"] / "cgroup.procs").read_text() == "0\n"
    assert group.pids() == []


def test_version_2_braces_in_the_leaf(tmp_path: Path, v2_base: Path) -> None:
    found = find_v2(tmp_path)
    assert found is not None
    found.create(LIMITS).brace()
    assert (v2_base / "niagara-runner" / "cgroup.procs").read_text() == "0\n"


def test_version_2_leaves_others_where_they_are(tmp_path: Path, v2_base: Path) -> None:
    (v2_base / "cgroup.procs").write_text(f"1\n{os.getpid()}\n")
    find_v2(tmp_path)
    assert not (v2_base / "niagara-runner").exists()


def test_without_the_controllers_there_are_no_groups(tmp_path: Path, v2_base: Path) -> None:
    (v2_base / "cgroup.controllers").write_text("cpu\n")
    assert find_v2(tmp_path) is None
    assert cgroups.find(tmp_path / "nowhere") is None
