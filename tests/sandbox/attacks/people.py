"""Run the suite as whoever we are, or, if we are root, as an ordinary user as well."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import niagara_arena
from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox import LEVELS, choose
from niagara_arena.sandbox.attacks import ProbeResult, run_attacks, select

USER = 64_321
"""A uid that nobody has, one more for each level: the kernel counts some things by uid."""

PROGRAM = """
import sys
import msgspec
from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox import choose
from niagara_arena.sandbox.attacks import run_attacks, select
try:
    backend = choose(sys.argv[1])
except NotPossibleHere as error:
    sys.exit(f"not here: {error}")
sys.stdout.buffer.write(msgspec.json.encode(run_attacks(backend, select(tuple(sys.argv[2:])))))
"""


def run_suite(who: str, level: str, *names: str) -> list[ProbeResult]:
    """Run probes at a level as `root`, or as an ordinary `user`; skip where that can't be."""
    if who == "root" and os.geteuid() != 0:
        pytest.skip("we are not root")
    if who == "user" and os.geteuid() == 0:
        return _as_user(level, names)
    try:
        backend = choose(level)
    except NotPossibleHere as error:
        pytest.skip(f"level {level} is not possible here: {error}")
    with _alone():
        return run_attacks(backend, select(names))


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Let an ordinary user's runs wait for each other: the kernel counts some things by uid."""
    if os.geteuid() == 0:
        yield
        return
    with open(f"{tempfile.gettempdir()}/niagara-attacks-{os.geteuid()}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run_with_old_landlock(abi: int, *names: str) -> list[ProbeResult]:
    """Run probes at the level landlock as if the kernel had an older one."""
    return _as_user("landlock", names, abi)


def _as_user(level: str, names: tuple[str, ...], abi: int = 99) -> list[ProbeResult]:
    with _belongings() as folder:
        asking = folder / "lib/niagara_arena/sandbox/keeper/landlock.py"
        text, answer = asking.read_text("utf-8"), "return linux.syscall(CREATE_RULESET, None, 0, 1)"
        assert text.count(answer) == 1
        older = answer.replace("return ", f"return min({abi}, ") + ")"
        asking.write_text(text.replace(answer, older), "utf-8")
        uid = USER + LEVELS.index(level) + (len(LEVELS) if abi < 99 else 0)
        if os.geteuid() == 0:
            os.chown(folder / "home", uid, uid)
        done = _run(_python(), ["-c", PROGRAM, level, *names], folder, uid)
        if done.returncode != 0 and done.stderr.startswith(b"not here: "):
            pytest.skip(f"level {level} is not possible for a user here: {done.stderr.decode()}")
        assert done.returncode == 0, done.stderr.decode()
        return msgspec.json.decode(done.stdout, type=list[ProbeResult])


@contextlib.contextmanager
def _belongings() -> Iterator[Path]:
    """Lay out a home and a copy of the package where an ordinary user can read them."""
    folder = Path(tempfile.mkdtemp(prefix="niagara-user-"))
    try:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(Path(niagara_arena.__file__).parent, folder / "lib/niagara_arena")
        shutil.copytree(Path(msgspec.__file__).parent, folder / "lib/msgspec", ignore=ignore)
        (folder / "home").mkdir()
        for path in (folder, *(folder / "lib").rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield folder
    finally:
        shutil.rmtree(folder)


def _run(
    python: str, arguments: list[str], folder: Path, uid: int
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [python, "-B", *arguments],
        user=uid if os.geteuid() == 0 else None,
        group=uid if os.geteuid() == 0 else None,
        extra_groups=[] if os.geteuid() == 0 else None,
        cwd=folder / "home",
        env={
            "HOME": str(folder / "home"),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "PYTHONPATH": str(folder / "lib"),
        },
        capture_output=True,
        check=False,
        timeout=110,
    )


@functools.cache
def _python() -> str:
    """Find an interpreter that the user may run and that takes our compiled libraries."""
    name = f"python3.{sys.version_info.minor}"
    candidates = [sys.executable, f"/usr/bin/{name}", f"/usr/local/bin/{name}"]
    with _belongings() as folder:
        for python in candidates:
            with contextlib.suppress(PermissionError, FileNotFoundError):
                if (
                    _run(python, ["-c", "import msgspec, niagara_arena"], folder, USER).returncode
                    == 0
                ):
                    return python
    pytest.skip(f"an ordinary user can run no {name} here")
