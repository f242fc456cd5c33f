"""Imports only point down, and the pure half stays pure. The checks are in `architecture.py`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture import LAYERS, PURE, violations

CHECKOUT = Path(__file__).parent.parent


def test_every_module_keeps_to_the_architecture() -> None:
    top = CHECKOUT / "niagara_arena"
    assert (top / "errors.py").exists()
    found = violations(top)
    assert not found, "\n" + "\n".join(f"niagara_arena/{line}" for line in found)


def test_the_diagram_in_contributing_is_the_enforced_one() -> None:
    text = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
    match = re.search(r"```\n(.*?)```", text, re.DOTALL)
    assert match, "CONTRIBUTING.md has lost its diagram"
    above, below = match[1].split("I/O above, pure below")

    def rows(half: str) -> list[tuple[str, ...]]:
        lines = [tuple(re.findall(r"\w+", line)) for line in half.split("\n")]
        return [line for line in lines if line]

    assert (*rows(above), *rows(below)) == LAYERS
    assert {name for row in rows(below) for name in row} == PURE


def tree(top: Path, sources: dict[str, str]) -> Path:
    """Write a tree of modules."""
    for name, source in sources.items():
        path = top / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
    return top


BROKEN = {
    "importing-upwards": (
        {"rules/game": "import json\nfrom niagara_arena.cli import main\n"},
        "rules/game.py:2: `rules` may not import `cli`, which lies above it",
    ),
    "importing-upwards-by-a-relative-import": (
        {"store/facts": "from ..tournament import plan\n"},
        "store/facts.py:1: `store` may not import `tournament`, which lies above it",
    ),
    "importing-a-package-from-the-root": (
        {"store/facts": "from niagara_arena import tournament\n"},
        "store/facts.py:1: `store` may not import `tournament`, which lies above it",
    ),
    "importing-a-sibling": (
        {"wire/frames": "import niagara_arena.rules.game\n"},
        "wire/frames.py:1: `wire` may not import its sibling `rules`",
    ),
    "importing-upwards-inside-a-function": (
        {"match/drive": "def f():\n    from niagara_arena import cli\n"},
        "match/drive.py:2: `match` may not import `cli`, which lies above it",
    ),
    "importing-upwards-for-types-only": (
        {"match/drive": "import typing\nif typing.TYPE_CHECKING:\n    from .. import cli\n"},
        "match/drive.py:3: `match` may not import `cli`, which lies above it",
    ),
    "importing-upwards-by-import-module": (
        {"match/drive": "import importlib\nimportlib.import_module('niagara_arena.site.pages')\n"},
        "match/drive.py:2: `match` may not import `site`, which lies above it",
    ),
    "a-package-outside-the-diagram": (
        {"utils/strings": ""},
        "utils/strings.py:1: `utils` is not in the diagram",
    ),
    "importing-a-package-outside-the-diagram": (
        {"cli/main": "import niagara_arena.helpers\n"},
        "cli/main.py:1: `helpers` is not in the diagram",
    ),
    "rules-importing-records": (
        {"rules/game": "from niagara_arena.records import Game\n"},
        "rules/game.py:1: `rules` may import the standard library and `errors` only, not `records`",
    ),
    "rules-importing-msgspec": (
        {"rules/game": "import msgspec\n"},
        "rules/game.py:1: `rules` may not import msgspec (not in PURE_OTHERS)",
    ),
    "the-root-importing-a-package": (
        {"__init__": "from niagara_arena.rules import legal\n"},
        "__init__.py:1: `__init__` may not import `rules`, which lies above it",
    ),
    "the-base-importing-the-expansion": (
        {"rules/flow": "from . import spirits_moose\n", "rules/spirits_moose": ""},
        "rules/flow.py:1: the base game may not import `rules.spirits_moose`",
    ),
    "the-base-importing-the-expansions-package": (
        {"rules/flow": "from niagara_arena.rules.spirits.moose import drop\n"},
        "rules/flow.py:1: the base game may not import `rules.spirits`",
    ),
    "sqlite3-outside-the-store": (
        {"tournament/run": "import sqlite3\n"},
        "tournament/run.py:1: only `store` may import sqlite3",
    ),
    "trueskill-outside-the-ratings": (
        {"tournament/run": "from trueskill import Rating\n"},
        "tournament/run.py:1: only `ratings` may import trueskill",
    ),
    "click-outside-the-command-line": (
        {"match/drive": "import click\n"},
        "match/drive.py:1: only `cli` may import click",
    ),
    "rich-outside-the-command-line": (
        {"match/drive": "import rich.progress\n"},
        "match/drive.py:1: only `cli` may import rich",
    ),
    "numpy-outside-the-ratings": (
        {"site/pages": "import numpy as np\n"},
        "site/pages.py:1: only `ratings` may import numpy",
    ),
}


@pytest.mark.parametrize(("sources", "expected"), BROKEN.values(), ids=BROKEN)
def test_the_guard_sees(sources: dict[str, str], expected: str, tmp_path: Path) -> None:
    assert violations(tree(tmp_path, sources)) == [expected]


# fmt: off
IMPURE = [
    "asyncio", "datetime", "importlib", "io", "logging", "multiprocessing", "os", "pathlib",
    "random", "secrets", "select", "shutil", "signal", "socket", "subprocess", "sys", "tempfile",
    "threading", "time", "uuid",
]
# fmt: on


@pytest.mark.parametrize("module", IMPURE)
def test_the_guard_keeps_the_pure_half_from(module: str, tmp_path: Path) -> None:
    top = tree(tmp_path, dict.fromkeys(PURE, f"import {module}\n"))
    what = f"the pure half may not import {module} (not in PURE_STDLIB)"
    assert violations(top) == [f"{package}.py:1: {what}" for package in sorted(PURE)]


@pytest.mark.parametrize("call", ["open", "print", "input", "exec", "eval"])
def test_the_guard_keeps_the_pure_half_from_calling(call: str, tmp_path: Path) -> None:
    top = tree(tmp_path, {"wire/frames": f"def f(x):\n    return {call}(x)\n"})
    assert violations(top) == [f"wire/frames.py:2: the pure half may not call {call}()"]


def test_the_guard_lists_every_violation(tmp_path: Path) -> None:
    top = tree(tmp_path, {"errors": "import os\nimport time\n", "wire/frames": "import click\n"})
    assert [line.split(": ")[0] for line in violations(top)] == [
        "errors.py:1",
        "errors.py:2",
        "wire/frames.py:1",
        "wire/frames.py:1",  # click is neither the wire's to import nor pure
    ]


def test_the_guard_allows_what_the_diagram_allows(tmp_path: Path) -> None:
    top = tree(
        tmp_path,
        {
            "__init__": "__version__ = '1'\n",
            "__main__": "from niagara_arena.cli.main import main\n",
            "cli/main": "import click\nfrom niagara_arena import __version__, errors\n",
            "cli/rules": "import os\nfrom ..rules import legal\nprint(open(os.devnull))\n",
            "ratings/skill": "import trueskill\nimport numpy\nfrom ..records import Result\n",
            "records": "import msgspec\n",
            "referee/translate": "from niagara_arena import rules, wire\n",
            "rules/game": "import json\nfrom .. import errors\nfrom .spirits import moose\n",
            "rules/spirits/moose": "from ..river import flow\nfrom . import beaver\n",
            "rules/spirits/beaver": "",
            "rules/river": "import math\n",
            "store/facts": "import sqlite3\nimport time\n",
            "wire/frames": "import msgspec\n",
        },
    )
    assert violations(top) == []
