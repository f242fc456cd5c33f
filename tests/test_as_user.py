"""Run the tests of what depends on who we are again as an ordinary user, when they run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
USER = 61500
FOLDERS = {"sandbox": ("attacks", "test_seccomp.py", "test_cgroups.py"), "submissions": ()}
"""What is run again, but for what is run as both by itself, and what asks no kernel anything."""


def as_user(home: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as an ordinary user, with our libraries and nothing else of ours."""
    paths = [str(ROOT), *(path for path in sys.path if path.endswith("-packages"))]
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        command,
        check=False,
        user=USER,
        group=USER,
        extra_groups=[],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
    )


def find_python(home: str) -> str:
    """Find a Python that the user can run with our libraries; skip the test without one."""
    ask = "import sys, msgspec, pytest, niagara_arena.sandbox; print('yes')"
    for program in (sys.executable, shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin")):
        try:
            if program and as_user(home, program, "-c", ask).stdout == "yes\n":
                return program
        except PermissionError:
            continue
    pytest.skip("another user can't run a Python with our libraries, or read the checkout")


@pytest.mark.skipif(os.geteuid() != 0, reason="these tests run as an ordinary user already")
@pytest.mark.timeout(400)
@pytest.mark.parametrize("folder", FOLDERS)
def test_all_of_it_holds_for_an_ordinary_user(folder: str) -> None:
    tests = ROOT / "tests" / folder
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        os.chown(home, USER, USER)
        words = [find_python(home), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        words += ["--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml")]
        words += ["--basetemp", f"{home}/tmp"]
        words += [f"--ignore={tests / name}" for name in FOLDERS[folder]]
        done = as_user(home, *words, str(tests))
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
