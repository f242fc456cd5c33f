from __future__ import annotations

import json
import tomllib

import jsonschema
import msgspec
import pytest

from niagara_arena.errors import InputError
from niagara_arena.records import Limits
from niagara_arena.submissions.manifest import (
    AskedLimits,
    Manifest,
    asked_limits,
    commands_of,
    parse_manifest,
    runtimes_of,
)
from niagara_arena.submissions.schema import SCHEMA_FILE, manifest_schema, schema_text

FULL = """
name = "Otter the Bold"
version = "1.2"
authors = ["Ada", "Żółw"]
language = "c++"
build = [["make", "clean"], ["make", "all"]]
run = ["./bot", "--fast"]
exclude = ["bot", "*.log"]
runtime = ["numpy", "jdk21"]
multi_process = true

[limits]
memory_mb = 768
processes = 8

[params.depth]
type = "int"
default = 3
range = [1, 8]
help = "Plies to look ahead."

[params.style]
type = "str"
default = "bold"
choices = ["bold", "shy"]
"""


def parse(text: str | bytes) -> Manifest:
    return parse_manifest(text.encode() if isinstance(text, str) else text, "bot.toml")


def refusal(text: str | bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        parse(text)
    return caught.value


def test_a_full_manifest_is_read() -> None:
    manifest = parse(FULL)
    assert (manifest.name, manifest.version, manifest.authors) == (
        "Otter the Bold",
        "1.2",
        ("Ada", "Żółw"),
    )
    run, build = commands_of(manifest)
    assert run == ("./bot", "--fast")
    assert build == (("make", "clean"), ("make", "all"))
    assert runtimes_of(manifest) == ("numpy", "jdk21")
    assert manifest.multi_process
    assert manifest.params["depth"].range == (1, 8)


def test_name_and_run_are_all_that_is_needed() -> None:
    manifest = parse('name = "otter"\nrun = "python3 bot.py"\n')
    assert commands_of(manifest) == (("python3", "bot.py"), ())
    assert asked_limits(manifest) == Limits()
    assert runtimes_of(manifest) == ()


def test_limits_left_out_keep_their_defaults() -> None:
    assert asked_limits(parse(FULL)) == Limits(memory_mb=768, processes=8)
    known = {field.name for field in msgspec.structs.fields(AskedLimits)}
    assert known < {field.name for field in msgspec.structs.fields(Limits)}


@pytest.mark.parametrize(
    ("build", "commands"),
    [
        ('"make all"', (("make", "all"),)),
        ('["make", "all"]', (("make", "all"),)),
        ('[["make"], ["strip", "a b"]]', (("make",), ("strip", "a b"))),
        ("\"cc -o 'my bot' bot.c\"", (("cc", "-o", "my bot", "bot.c"),)),
    ],
    ids=["a string is split into words", "a list is one command", "lists are commands", "quotes"],
)
def test_ways_to_write_a_build(build: str, commands: tuple[tuple[str, ...], ...]) -> None:
    assert commands_of(parse(f'name = "o"\nrun = "./bot"\nbuild = {build}\n'))[1] == commands


@pytest.mark.parametrize(
    ("typo", "message", "hint"),
    [
        ('nmae = "x"', "unknown key `nmae`", "did you mean `name`?"),
        ('autors = ["x"]', "unknown key `autors`", "did you mean `authors`?"),
        ("[limits]\nmemory = 5", "unknown key `limits.memory`", "did you mean `memory_mb`?"),
        (
            '[params.depth]\ntype = "int"\ndefault = 1\nchoises = [1]',
            "unknown key `params.depth.choises`",
            "did you mean `choices`?",
        ),
        ("xyzzy = 1", "unknown key `xyzzy`", "known here: `name`, `run`, "),
        ('"a\\u001bb" = 1', "unknown key `a\\x1bb`", "known here: "),
    ],
)
def test_an_unknown_key_is_refused_with_a_suggestion(typo: str, message: str, hint: str) -> None:
    error = refusal(f'name = "otter"\nrun = "./bot"\n{typo}\n')
    assert error.message == f"bot.toml: {message}"
    assert error.hint is not None
    assert error.hint.startswith(hint)


@pytest.mark.parametrize(
    ("name", "trouble"),
    [
        ("", "expected `str` of length >= 1"),
        ("x" * 41, "expected `str` of length <= 40"),
        ("ot\\u0007ter", "name `ot\\x07ter` contains a control character, \\x07"),
        ("ot\\u001b[31mter", "contains a control character, \\x1b"),
        ("ot\\nter", "contains a control character, \\x0a"),
        ("ot\\u202eter", "contains an invisible character, \\u202e"),
        ("ot\\u200bter", "contains an invisible character, \\u200b"),
        ("ot\\u00a0ter", "contains an unusual space, \\xa0"),
        ("ot\\u2028ter", "contains a line separator"),
        ("e\\u0301", "not in Unicode's form NFC"),
        (" otter", "begins or ends with a space"),
        ("@otter", "begins with `@`"),
        ("-otter", "begins with `-`"),
        ("a/b", "contains a slash"),
        ("human", "is reserved"),
    ],
)
def test_a_name_that_could_deceive_is_refused(name: str, trouble: str) -> None:
    assert trouble in refusal(f'name = "{name}"\nrun = "./bot"\n').message


def test_versions_and_authors_are_names_too() -> None:
    assert "version `1\\x07`" in refusal('name="o"\nrun="r"\nversion="1\\u0007"').message
    assert "authors `\\u202ex`" in refusal('name="o"\nrun="r"\nauthors=["\\u202ex"]').message


@pytest.mark.parametrize(
    ("line", "trouble"),
    [
        ("run = ''", "run is an empty command"),
        ("run = []", "run is an empty command"),
        ("run = ['']", "run is an empty command"),
        ("run = 5", "at run: expected"),
        ("run = 'python3 bot.py > log'", "run has `>`, but no shell reads it"),
        ("run = 'python3 \"bot.py'", "is no command: no closing quotation"),
        ('run = "a\\u0000b"', "run has a NUL character"),
        ("run = 'x'\nbuild = 'make && strip bot'", "build has `&&`, but no shell reads it"),
        ("run = 'x'\nbuild = []", "build is an empty list"),
        ("run = 'x'\nbuild = ['make', ['make']]", "build mixes words and commands"),
        ("run = 'x'\nexclude = ['../x']", "exclude `../x` can't be left out"),
        ("run = 'x'\nexclude = ['bot.toml']", "exclude `bot.toml` can't be left out"),
        ("run = 'x'\nexclude = ['*']", "exclude `*` can't be left out"),
        ("run = 'x'\nruntime = 'no such'", "`no such` is no name for a runtime"),
        ("run = 'x'\nmulti_process = 'yes'", "at multi_process: expected `bool`"),
        ("run = 'x'\n[limits]\nmemory_mb = -1", "at limits.memory_mb: expected"),
        ("run = 'x'\n[limits]\nmemory_mb = 1.5", "at limits.memory_mb: expected"),
        ("run = 'x'\nlimits = 3", "at limits: expected"),
        ("run = 'x'\n[params.Depth]\ntype='int'\ndefault=1", "`Depth` is no name"),
        ("run = 'x'\n[params.depth]\ndefault=1", "at params[...]: there is no `type`"),
        ("run = 'x'\n[params.depth]\ntype='int'\ndefault=nan", "`default`: `nan` is no `int`"),
        ("run = 'x'\n[params.x]\ntype='float'\ndefault=inf", "inf is not between"),
        ("run = 'x'\n[params.x]\ntype='int'\ndefault=9\nrange=[1,8]", "9 is outside 1 … 8"),
        ("run = 'x'\n[params.x]\ntype='int'\ndefault=9\nrange=[8,1]", "`range` is [smallest, "),
        ("run = 'x'\n[params.x]\ntype='str'\ndefault='a'\nrange=[1,8]", "does not fit the type"),
        ("run = 'x'\n[params.x]\ntype='str'\ndefault='a'\nchoices=['b']", "none of its choices"),
        ("run = 'x'\n[params.x]\ntype='bool'\ndefault=1", "`1` is no `bool`"),
        ("run = 'x'\n[params.x]\ntype='int'\ndefault=true", "`True` is no `int`"),
    ],
)
def test_a_bad_value_is_named(line: str, trouble: str) -> None:
    error = refusal(f'name = "otter"\n{line}\n')
    assert trouble in error.message
    assert "\n" not in error.message


def test_a_missing_key_is_named_with_a_hint() -> None:
    error = refusal('name = "otter"\n')
    assert error.message == "bot.toml: there is no `run`"
    assert error.hint is not None


@pytest.mark.parametrize(
    ("data", "trouble"),
    [
        (b"\xef\xbb\xbfname = 'otter'", "begins with a byte order mark"),
        (b"name = '\xff'", "is not UTF-8 at byte 8"),
        (b"name = otter", "is no TOML: invalid value (at line 1, column 8)"),
        (b"name = 'a'\nname = 'b'", "is no TOML: "),
        (b"x = " + b"[" * 9000 + b"]" * 9000, "is no TOML: "),
        (b"# " + b"x" * 70_000, "is longer than 65536 bytes"),
    ],
    ids=["BOM", "not UTF-8", "no TOML", "a key twice", "nested deeply", "too long"],
)
def test_what_is_no_toml_is_refused(data: bytes, trouble: str) -> None:
    assert trouble in refusal(data).message


def test_windows_line_endings_are_fine() -> None:
    assert parse(FULL.replace("\n", "\r\n")) == parse(FULL)


def test_the_schema_file_is_current() -> None:
    again = "niagara bot schema > niagara_arena/submissions/bot.schema.json"
    assert SCHEMA_FILE.read_text("utf-8") == schema_text(), f"make it anew: {again}"


def test_the_schema_accepts_what_is_read_and_refuses_typos() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    jsonschema.Draft202012Validator.check_schema(manifest_schema())
    validator.validate(tomllib.loads(FULL))
    assert not validator.is_valid(tomllib.loads('name = "o"\nrun = "x"\nnmae = "o"'))
    assert not validator.is_valid({"name": "o"})
