"""Read the source of a `niagara_arena/` tree and name every line that breaks the architecture.

Nothing is imported; every `import` statement counts, wherever it stands: in a function, under
TYPE_CHECKING, or as an `import_module` of a literal name.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT = "niagara_arena"

# The diagram of CONTRIBUTING.md, from the top down; an import may only point to a lower row.
LAYERS = (
    ("cli",),
    ("tournament", "site"),
    ("conformance",),
    ("match",),
    ("submissions", "replay"),
    ("sandbox", "store"),
    ("referee", "schedule", "ratings"),
    ("rules", "wire"),
    ("records",),
    ("errors",),
)
PURE = frozenset({"errors", "records", "rules", "wire", "referee", "schedule", "ratings"})
DEPTH = {package: depth for depth, row in enumerate(LAYERS) for package in row}

# What the root offers (`__version__`), and the choice between compiled and interpreted modules that
# it makes, lie below everything; `__main__` lies above.
ROOT = "__init__"
DEPTH |= {"__main__": -1, ROOT: len(LAYERS), "compiled": len(LAYERS) + 1}

# Outside modules that have one home.
OWNERS = {
    "click": "cli",
    "jinja2": "site",
    "numpy": "ratings",
    "rich": "cli",
    "sqlite3": "store",
    "tabulate": "cli",
    "trueskill": "ratings",
}

# What the pure half may import of others: modules without files, clocks, processes, threads,
# randomness or any other door to the world.
# fmt: off
PURE_STDLIB = frozenset({
    "__future__", "abc", "array", "base64", "binascii", "bisect", "collections", "contextlib",
    "copy", "dataclasses", "decimal", "difflib", "enum", "fractions", "functools", "hashlib",
    "heapq", "hmac", "itertools", "json", "math", "numbers", "operator", "re", "statistics",
    "string", "struct", "textwrap", "types", "typing", "unicodedata", "zlib",
})
# fmt: on
PURE_OTHERS = {
    "records": frozenset({"msgspec"}),
    "wire": frozenset({"msgspec"}),
    "referee": frozenset({"msgspec"}),
    "schedule": frozenset({"msgspec"}),
    "ratings": frozenset({"msgspec", "numpy", "trueskill"}),
}
IMPURE_CALLS = frozenset({"__import__", "breakpoint", "eval", "exec", "input", "open", "print"})

# The base game's modules that may know the expansion: the doors, which offer both.
KNOW_SPIRITS = frozenset(
    f"rules/{name}.py" for name in ("__init__", "enumeration", "game", "position", "registry")
)


@dataclass(frozen=True)
class Module:
    """One source file of the tree."""

    file: str
    """Its path from the tree's top, such as `rules/game.py`."""
    tree: ast.Module
    names: frozenset[str]
    """The dotted names of every module of the project, to tell a module from an attribute."""

    @property
    def package(self) -> str:
        return self.file.split("/")[0].removesuffix(".py")

    @property
    def parents(self) -> list[str]:
        """The dotted name of the package that a relative import starts from."""
        return [PROJECT, *self.file.split("/")[:-1]]


def violations(top: Path) -> list[str]:
    """List what breaks the architecture in the tree, as `file:line: what`."""
    files = sorted(p for p in top.rglob("*.py") if "__pycache__" not in p.parts)
    names = frozenset(_dotted(path.relative_to(top)) for path in files)
    found: list[str] = []
    for path in files:
        file = path.relative_to(top).as_posix()
        module = Module(file, ast.parse(path.read_text("utf-8"), file), names)
        if module.package not in DEPTH:
            found.append(f"{file}:1: `{module.package}` is not in the diagram")
            continue
        for line, what in sorted(set(_check(module))):
            found.append(f"{file}:{line}: {what}")
    return found


def _dotted(relative: Path) -> str:
    parts = [PROJECT, *relative.with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _check(module: Module) -> Iterator[tuple[int, str]]:
    for line, target in _imports(module):
        parts = target.split(".")
        if parts[0] == PROJECT:
            yield from ((line, what) for what in _check_inner(module, parts[1:]))
        else:
            yield from ((line, what) for what in _check_outer(module, parts[0]))
    if module.package in PURE:
        for node in ast.walk(module.tree):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
                    yield node.lineno, f"the pure half may not call {name}()"


def _check_inner(module: Module, inner: list[str]) -> Iterator[str]:
    source, target = module.package, inner[0] if inner else ROOT
    if target not in DEPTH:
        yield f"`{target}` is not in the diagram"
    elif source == target:
        yield from _check_spirits(module, inner)
    elif DEPTH[source] == DEPTH[target]:
        yield f"`{source}` may not import its sibling `{target}`"
    elif DEPTH[source] > DEPTH[target]:
        yield f"`{source}` may not import `{target}`, which lies above it"
    elif source == "rules" and target != "errors":
        yield f"`rules` may import the standard library and `errors` only, not `{target}`"


def _check_spirits(module: Module, inner: list[str]) -> Iterator[str]:
    if module.package != "rules" or len(inner) < 2 or not inner[1].startswith("spirits"):
        return
    inside = module.file.removeprefix("rules/").startswith("spirits")
    if not inside and module.file not in KNOW_SPIRITS:
        yield f"the base game may not import `rules.{inner[1]}`"


def _check_outer(module: Module, target: str) -> Iterator[str]:
    owner = OWNERS.get(target)
    if owner is not None and module.package != owner:
        yield f"only `{owner}` may import {target}"
    if module.package not in PURE:
        return
    if target in sys.stdlib_module_names:
        if target not in PURE_STDLIB:
            yield f"the pure half may not import {target} (not in PURE_STDLIB)"
    elif target not in PURE_OTHERS.get(module.package, frozenset()):
        yield f"`{module.package}` may not import {target} (not in PURE_OTHERS)"


def _imports(module: Module) -> Iterator[tuple[int, str]]:
    """Yield line and dotted target of every import."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=aliases):
                yield from ((node.lineno, alias.name) for alias in aliases)
            case ast.ImportFrom(module=name, names=aliases, level=level):
                base = _base(module, name, level)
                for alias in aliases:
                    inner = f"{base}.{alias.name}"
                    is_module = inner in module.names or (base == PROJECT and alias.name in DEPTH)
                    yield node.lineno, inner if is_module else base
            case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if _called(
                function
            ) in {"import_module", "__import__"}:
                yield node.lineno, name


def _base(module: Module, name: str | None, level: int) -> str:
    if level == 0:
        return name or ""
    start = module.parents[: len(module.parents) - level + 1]
    return ".".join([*start, name] if name else start)


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
