"""The wheel holds all it should and works outside the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from niagara_arena import __version__
from niagara_arena.submissions import bundled_bots, load, starter_kits

DATA = "niagara_arena/_data/"
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
    made = {"__pycache__", "_compiled"}
    wanted = {path.relative_to(CHECKOUT).as_posix() for path in files if not made & {*path.parts}}
    assert {"niagara_arena/py.typed", "niagara_arena/cli/main.py"} <= wanted
    held = {name for name in ZipFile(wheel).namelist() if name.startswith("niagara_arena/")}
    assert {name for name in held if not name.startswith(DATA)} == wanted


def test_the_wheel_holds_opponents_and_kits_and_not_what_a_build_left_in_them(wheel: Path) -> None:
    wanted = {
        f"{DATA}{folder}/{directory.name}/{entry.path}"
        for folder, found in (("bots", bundled_bots()), ("starter-kits", starter_kits()))
        for directory in found.values()
        for entry in load(str(directory)).tree.entries
    }
    kept = (f"{DATA}bots/", f"{DATA}starter-kits/")
    held = {name for name in ZipFile(wheel).namelist() if name.startswith(kept)}
    assert {f"{DATA}bots/random/bot.toml", f"{DATA}starter-kits/rust/bot.toml"} <= wanted
    assert held - {f"{DATA}bots/README.md", f"{DATA}starter-kits/README.md"} == wanted


def test_the_wheel_holds_the_protocol(wheel: Path) -> None:
    top = CHECKOUT / "protocol"
    files = (path.relative_to(top) for path in top.rglob("*") if path.is_file())
    wanted = {path.as_posix() for path in files if path.parts[0] != "starter-kits"}
    assert {"README.md", "schema/act.json", "vectors/act/late.json"} <= wanted
    names = ZipFile(wheel).namelist()
    held = {name for name in names if name.startswith(f"{DATA}protocol/")}
    assert held == {f"{DATA}protocol/{name}" for name in wanted}


def test_the_wheel_holds_the_documentation(wheel: Path, installed: Path, tmp_path: Path) -> None:
    wanted = {path.name for path in (CHECKOUT / "docs").iterdir()}
    names = ZipFile(wheel).namelist()
    assert {n.removeprefix(f"{DATA}docs/") for n in names if n.startswith(f"{DATA}docs/")} == wanted
    printed = run(installed / "bin" / "niagara", "docs", "docs/settings.md", cwd=tmp_path)
    assert printed == (CHECKOUT / "docs" / "settings.md").read_text("utf-8").strip()


def test_niagara_protocol_prints_it_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    vector = run(installed / "bin" / "niagara", "protocol", "vectors", "act/late", cwd=tmp_path)
    assert json.loads(vector)["clause"] == "P-4.4"
    assert "P-1.1" in run(installed / "bin" / "niagara", "protocol", "spec", cwd=tmp_path)


def test_a_bundled_opponent_has_the_same_id_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    rows = json.loads(run(installed / "bin" / "niagara", "bot", "list", "--json", cwd=tmp_path))
    assert {row["bot"]: row["id"] for row in rows["rows"]} == {
        f"@{name}": load(f"@{name}").id for name in bundled_bots()
    }


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
