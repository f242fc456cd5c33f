"""Read bot.toml: what an author says of a bot.

`Manifest` is the source of the format: the JSON Schema is generated from it, and docs/bot-toml.md
explains it. `parse_manifest` refuses whatever the format does not know, names the key, and
suggests the one that was probably meant.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from niagara_arena.errors import InputError
from niagara_arena.records import Limits
from niagara_arena.submissions.names import quoted, suggestion, trouble_with_name
from niagara_arena.submissions.params import MAX_PARAMS, Param, trouble_with_param

__all__ = [
    "MANIFEST",
    "MAX_MANIFEST_BYTES",
    "AskedLimits",
    "Manifest",
    "asked_limits",
    "commands_of",
    "parse_manifest",
    "runtimes_of",
]

MANIFEST = "bot.toml"
MAX_MANIFEST_BYTES = 64 * 1024

_NAME = r"^[a-z][a-z0-9_-]{0,31}$"
_SHELL_WORDS = frozenset({"&&", "||", "|", ";", ">", ">>", "<", "&", "2>", "2>&1"})

_Text = Annotated[str, Meta(max_length=40)]
_Megabytes = Annotated[int, Meta(ge=1, le=1 << 20)]
_Count = Annotated[int, Meta(ge=1, le=1 << 20)]


class AskedLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """Say what the bot asks for; the organiser's settings have the last word."""

    memory_mb: Annotated[_Megabytes | None, Meta(description="Memory; Java needs 768.")] = None
    processes: Annotated[
        _Count | None, Meta(description="Threads and, with multi_process, processes.")
    ] = None
    open_files: Annotated[_Count | None, Meta(description="Open files.")] = None
    file_mb: Annotated[_Megabytes | None, Meta(description="The largest file in /tmp.")] = None
    tmp_mb: Annotated[_Megabytes | None, Meta(description="The size of /tmp.")] = None
    shm_mb: Annotated[_Megabytes | None, Meta(description="The size of /dev/shm.")] = None


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """Describe one bot."""

    name: Annotated[
        str,
        Meta(description="What tables and pages call the bot.", min_length=1, max_length=40),
    ]
    run: Annotated[
        str | tuple[str, ...],
        Meta(description="The command that starts it, in its own directory; no shell."),
    ]
    version: Annotated[_Text, Meta(description="Any word, such as 1.2.")] = ""
    authors: Annotated[
        tuple[_Text, ...], Meta(description="Who wrote it, as they want to be called.")
    ] = ()
    language: Annotated[_Text, Meta(description="What it is written in, for the tables.")] = ""
    build: Annotated[
        str | tuple[str | tuple[str, ...], ...] | None,
        Meta(description="A command that builds it, or a list of such; no shell, no network."),
    ] = None
    exclude: Annotated[
        tuple[str, ...],
        Meta(description="Patterns of files that are no part of it, such as what a build writes."),
    ] = ()
    runtime: Annotated[
        str | tuple[str, ...],
        Meta(description="The organiser's runtimes it needs, by name."),
    ] = ()
    multi_process: Annotated[
        bool, Meta(description="Whether it starts processes; refused where they can't be held.")
    ] = False
    limits: AskedLimits = field(default_factory=AskedLimits)
    params: Annotated[
        dict[Annotated[str, Meta(pattern=_NAME)], Param],
        Meta(description="Values that can be set without a new submission.", max_length=MAX_PARAMS),
    ] = {}


def parse_manifest(data: bytes, where: str) -> Manifest:
    """Read the bytes of a bot.toml; `where` names the file in errors. Raises `InputError`."""
    table = _toml(data, where)
    _check_keys(table, where)
    try:
        manifest = msgspec.convert(table, Manifest)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at ")
        place = f" at {path.strip('`').removeprefix('$.')}" if path else ""
        hint = "`name` and `run` are needed: see `niagara docs bot-toml`" if not path else None
        raise InputError(f"{where}{place}: {_plain(what)}", hint) from None
    _check_values(manifest, where)
    return manifest


def commands_of(manifest: Manifest) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the argv of `run` and those of `build`; `parse_manifest` has checked them."""
    return _argv(manifest.run), _builds(manifest.build)


def runtimes_of(manifest: Manifest) -> tuple[str, ...]:
    """Return the names of the runtimes asked for."""
    return (manifest.runtime,) if isinstance(manifest.runtime, str) else manifest.runtime


def asked_limits(manifest: Manifest) -> Limits:
    """Return the limits asked for, the defaults filled in."""
    asked = {k: v for k, v in msgspec.structs.asdict(manifest.limits).items() if v is not None}
    return msgspec.structs.replace(Limits(), **asked)


def _toml(data: bytes, where: str) -> dict[str, Any]:
    if len(data) > MAX_MANIFEST_BYTES:
        raise InputError(
            f"{where} is longer than {MAX_MANIFEST_BYTES} bytes",
            "`niagara docs bot-toml` describes the file",
        )
    if data.startswith(b"\xef\xbb\xbf"):
        raise InputError(f"{where} begins with a byte order mark", "save it as UTF-8 without BOM")
    try:
        return tomllib.loads(data.decode("utf-8").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where} is not UTF-8 at byte {error.start}", "save the file as UTF-8"
        ) from None
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
        text = str(error) or "nested too deeply"
        raise InputError(
            f"{where} is no TOML: {text[:1].lower()}{text[1:]}",
            "`niagara docs bot-toml` describes the file",
        ) from None


def _check_keys(table: Mapping[str, Any], where: str) -> None:
    """Refuse unknown keys before msgspec does, to say which one was probably meant."""
    _check_level(table, Manifest, where, "")
    limits = table.get("limits")
    if isinstance(limits, dict):
        _check_level(limits, AskedLimits, where, "limits.")
    params = table.get("params")
    for name, param in params.items() if isinstance(params, dict) else ():
        if not re.fullmatch(_NAME, name):
            raise InputError(
                f"{where}: {quoted(name)} is no name for a parameter",
                "use a to z, 0 to 9, - and _, at most 32, a letter first",
            )
        if isinstance(param, dict):
            _check_level(param, Param, where, f"params.{name}.")


def _check_level(table: Mapping[str, Any], struct: type[Struct], where: str, prefix: str) -> None:
    known = [f.encode_name for f in msgspec.structs.fields(struct)]
    for key in table:
        if key not in known:
            keys = ", ".join(f"`{k}`" for k in known)
            raise InputError(
                f"{where}: unknown key {quoted(prefix + key)}",
                suggestion(key, known, f"known here: {keys}"),
            )


def _check_values(manifest: Manifest, where: str) -> None:
    labels = [("name", manifest.name)]
    labels += [("version", manifest.version)] if manifest.version else []
    labels += [("language", manifest.language)] if manifest.language else []
    labels += [("authors", author) for author in manifest.authors]
    for key, text in labels:
        trouble = trouble_with_name(text)
        if trouble:
            raise InputError(f"{where}: {key} {quoted(text)} {trouble}", "choose another one")
    _check_command(_argv(manifest.run), where, "run", manifest.run)
    for argv in _builds(manifest.build):
        _check_command(argv, where, "build", manifest.build)
    if isinstance(manifest.build, tuple) and not manifest.build:
        raise InputError(f"{where}: build is an empty list", "leave `build` out")
    for pattern in manifest.exclude:
        parts = pattern.split("/")
        if not pattern or ".." in parts or "" in parts[:-1] or pattern in (MANIFEST, "*", "/"):
            raise InputError(
                f"{where}: exclude {quoted(pattern)} can't be left out",
                "give paths or patterns inside the directory, such as `bot` or `*.log`",
            )
    for runtime in runtimes_of(manifest):
        if not re.fullmatch(_NAME, runtime):
            raise InputError(
                f"{where}: {quoted(runtime)} is no name for a runtime",
                "`niagara docs bot-toml` describes the file",
            )
    for name, param in manifest.params.items():
        trouble = trouble_with_param(param)
        if trouble:
            raise InputError(
                f"{where}: params.{name}: {trouble}", "`niagara docs bot-toml` describes the file"
            )


def _check_command(argv: Sequence[str], where: str, key: str, given: object) -> None:
    if not argv or not argv[0]:
        raise InputError(
            f"{where}: {key} is an empty command", "`niagara docs bot-toml` describes the file"
        )
    if any("\0" in word for word in argv):
        raise InputError(
            f"{where}: {key} has a NUL character", "`niagara docs bot-toml` describes the file"
        )
    if isinstance(given, str) and (found := _SHELL_WORDS.intersection(argv)):
        word = sorted(found)[0]
        better = 'build = [["cc", "-c", "a.c"], ["cc", "a.o"]]' if key == "build" else ""
        raise InputError(
            f"{where}: {key} has {quoted(word)}, but no shell reads it",
            f"list the commands: `{better}`" if better else 'ask for a shell: ["sh", "-c", "…"]',
        )


def _argv(command: str | Sequence[str]) -> tuple[str, ...]:
    if not isinstance(command, str):
        return tuple(command)
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise InputError(
            f"{quoted(command)} is no command: {str(error).lower()}",
            "close every quote, as in a shell",
        ) from None


def _builds(
    build: str | Sequence[str | Sequence[str]] | None,
) -> tuple[tuple[str, ...], ...]:
    if build is None:
        return ()
    if isinstance(build, str):
        return (_argv(build),)
    words = [part for part in build if isinstance(part, str)]
    lists = [part for part in build if not isinstance(part, str)]
    if words and lists:
        raise InputError(
            "bot.toml: build mixes words and commands",
            'one command is ["make", "all"], several are [["make", "a"], ["make", "b"]]',
        )
    return (tuple(words),) if words else tuple(tuple(part) for part in lists)


def _plain(message: str) -> str:
    """Put a message of msgspec into our words."""
    message = message.replace("Object missing required field", "there is no")
    message = message.replace("`object`", "a table").replace("`array`", "a list")
    return message[:1].lower() + message[1:]
