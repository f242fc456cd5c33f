"""The wheel holds all it should and works outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from niagara_arena import __version__

CHECKOUT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*build, str(CHECKOUT)], check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def run(*command: str | Path, cwd: Path) -> str:
    """Run outside the checkout, with no hint of where it is."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "NIAGARA_"))}
    done = subprocess.run(command, cwd=cwd, env=environment, check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a venv of its own; what it depends on is borrowed from ours."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home)
    python = home / "bin" / "python"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=home)
    # A path named by a .pth file is searched, but its own .pth files are not read: the editable
    # install of the checkout stays out of sight.
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    (site / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n", "utf-8")
    return home


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    files = (path for path in (CHECKOUT / "niagara_arena").rglob("*") if path.is_file())
    wanted = {
        path.relative_to(CHECKOUT).as_posix() for path in files if "__pycache__" not in path.parts
    }
    assert {"niagara_arena/py.typed", "niagara_arena/cli/main.py"} <= wanted
    held = {name for name in ZipFile(wheel).namelist() if name.startswith("niagara_arena/")}
    assert held == wanted


def test_the_wheel_names_version_and_licence(wheel: Path) -> None:
    info = f"niagara_arena-{__version__}.dist-info"
    with ZipFile(wheel) as archive:
        metadata = archive.read(f"{info}/METADATA").decode()
        licence = archive.read(f"{info}/licenses/LICENSE").decode()
    assert f"\nVersion: {__version__}\n" in metadata
    assert "\nLicense-Expression: MIT\n" in metadata
    assert licence == (CHECKOUT / "LICENSE").read_text("utf-8")


def test_the_installed_package_is_the_wheels_own(installed: Path, tmp_path: Path) -> None:
    program = "import niagara_arena; print(niagara_arena.__file__)"
    origin = run(installed / "bin" / "python", "-c", program, cwd=tmp_path)
    assert Path(origin).is_relative_to(installed)


@pytest.mark.parametrize(
    "args", [["--version"], ["--help"], ["completion", "bash"]], ids=lambda args: args[0]
)
def test_niagara_runs_outside_the_checkout(
    installed: Path, tmp_path: Path, args: list[str]
) -> None:
    program = run(installed / "bin" / "niagara", *args, cwd=tmp_path)
    module = run(installed / "bin" / "python", "-m", "niagara_arena", *args, cwd=tmp_path)
    assert "niagara" in program
    assert program == module
