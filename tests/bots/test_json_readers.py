"""The JSON readers of the C++, Java and Rust kits agree with Python's, and refuse what is none."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from niagara_arena import rules
from tests.bots.matches import KITS

ECHO = Path(__file__).parent / "echo"
BUILDS = {
    "cpp": (["json.hpp"], "echo.cpp", ["g++", "-std=c++17", "-o", "echo", "echo.cpp"], ["./echo"]),
    "java": (
        ["Json.java"],
        "Echo.java",
        ["javac", "-d", ".", "Json.java", "Echo.java"],
        ["java", "-Xss512k", "-XX:+UseSerialGC", "-cp", ".", "Echo"],
    ),
    "rust": (["json.rs"], "echo.rs", ["rustc", "--edition", "2021", "echo.rs"], ["./echo"]),
}
PATH = "/usr/bin:/bin:/usr/local/bin"
Echo = Callable[[list[str]], list[str]]

SOUND = {
    "the words": "[true,false,null]",
    "an empty object and array": ' {"a" : { } , "b" : [ ] } ',
    "every short escape": r'"\" \\ \/ \b \f \n \r \t"',
    "an escaped letter": r'"\u0041\u00e4\u20AC"',
    "a surrogate pair": r'"\ud83d\uDEF6 canoe"',
    "characters beyond ASCII": '"Fälle, \u6ce2, \U0001f6f6"',
    "an escaped control character": r'"\u0000\u001f"',
    "a DEL and a line separator": '"\x7f\u2028"',
    "zeros": "[0,-0,0.0,0e5]",
    "fractions and exponents": "[1.5,-2.25e3,1E+2,25e-1,0.001]",
    "the largest exact integers": "[9007199254740991,-9007199254740991,281474976710655]",
    "equal keys, of which the last counts": '{"a":1,"b":2,"a":3}',
    "an empty key": '{"":""}',
    "all white space": "\t\n\r [\t\n\r 1\t\n\r ,\t\n\r 2 ]\n",
    "nesting up to the limit": "[" * 64 + "]" * 64,
    "a bare number": "7",
}
BROKEN = {
    "nothing": "",
    "only space": "  ",
    "two values": "1 2",
    "an open array": "[1,2",
    "a trailing comma": "[1,]",
    "a trailing comma in an object": '{"a":1,}',
    "a missing colon": '{"a" 1}',
    "a key without quotes": "{a:1}",
    "single quotes": "['a']",
    "half a word": "[tru]",
    "a wrong word": "nul",
    "NaN": "NaN",
    "Infinity": "[-Infinity]",
    "a leading zero": "01",
    "a leading plus": "+1",
    "a bare minus": "-",
    "a point without digits": "1.",
    "a point without a number": ".5",
    "an exponent without digits": "1e+",
    "hexadecimal": "0x10",
    "an open string": '"abc',
    "a string that ends in a backslash": '"abc\\',
    "an unknown escape": r'"\x41"',
    "a short unicode escape": r'"\u12"',
    "no hexadecimal digit": r'"\u12g4"',
    "a sign in a unicode escape": r'"\u+123"',
    "a first half alone": r'"\ud83d"',
    "a first half before a letter": r'"\ud83d\u0041"',
    "a second half alone": r'"\ude00"',
    "a raw newline in a string": '"a\nb"',
    "a raw NUL in a string": '"a\0b"',
    "nesting beyond the limit": "[" * 66 + "]" * 66,
    "very deep nesting": "[" * 60_000,
    "deep objects": '{"a":' * 60_000,
    "a byte order mark": "\ufeff{}",
    "a comment": "[1] // one",
    "NUL after the value": "1\0",
}


@pytest.fixture(scope="module", params=BUILDS)
def echo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Echo:
    """Build a program that reads JSON with the kit's reader and writes it again."""
    libraries, source, build, run = BUILDS[request.param]
    if shutil.which(build[0], path=PATH) is None:
        pytest.skip(f"no `{build[0]}` on this machine")
    folder = tmp_path_factory.mktemp(request.param)
    for path in [*(KITS[request.param] / name for name in libraries), ECHO / source]:
        shutil.copy(path, folder)
    environment = {"PATH": PATH, "HOME": str(folder)}
    subprocess.run(build, cwd=folder, env=environment, check=True, timeout=110)

    def ask(texts: list[str]) -> list[str]:
        lines = "".join(text.encode().hex() + "\n" for text in texts)
        done = subprocess.run(
            run,
            cwd=folder,
            env=environment,
            input=lines.encode(),
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")[:500]
        answers = done.stdout.decode().split("\n")
        assert len(answers) == len(texts) + 1
        return answers[:-1]

    return ask


def test_sound_texts_are_read(echo: Echo) -> None:
    answers = dict(zip(SOUND, echo(list(SOUND.values())), strict=True))
    wrong = {
        name: answer
        for name, answer in answers.items()
        if answer.startswith("error") or json.loads(answer) != json.loads(SOUND[name])
    }
    assert wrong == {}


def test_broken_texts_are_refused_with_their_place(echo: Echo) -> None:
    answers = dict(zip(BROKEN, echo(list(BROKEN.values())), strict=True))
    taken = {name: text for name, text in answers.items() if not text.startswith("error not JSON")}
    assert taken == {}
    assert all(" at byte " in text or " at character " in text for text in answers.values())


def some_value(source: random.Random, depth: int) -> Any:
    kind = source.randrange(7 if depth < 5 else 5)
    if kind == 0:
        return source.choice([None, True, False])
    if kind == 1:
        return source.randrange(-(10**6), 10**6)
    if kind == 2:
        return source.uniform(-1, 1) * 10 ** source.randrange(-20, 20)
    if kind in (3, 4):
        letters = 'ab "\\/\b\n\t\x01é€\u2028\U0001f6f6'
        return "".join(source.choices(letters, k=source.randrange(8)))
    if kind == 5:
        return [some_value(source, depth + 1) for _ in range(source.randrange(5))]
    keys = ("".join(source.choices("abé\U0001f6f6", k=2)) for _ in range(source.randrange(5)))
    return {key: some_value(source, depth + 1) for key in keys}


def test_random_values_come_back_as_they_were(echo: Echo) -> None:
    source = random.Random("values")
    values = [some_value(source, 0) for _ in range(300)]
    texts = [json.dumps(v, ensure_ascii=i % 2 == 0, indent=i % 3) for i, v in enumerate(values)]
    # Numbers are doubles: how a big one is spelt is the writer's choice.
    assert [json.loads(answer, parse_int=float) for answer in echo(texts)] == values


def test_texts_cut_off_anywhere_are_refused(echo: Echo) -> None:
    whole = r'{"a":[1.5e-3,"x\u00e9\n\ud83d\udef6",{"b":null}],"c":[true,false]}'
    assert json.loads(echo([whole])[0]) == json.loads(whole)
    answers = echo([whole[:end] for end in range(len(whole))])
    assert [text for text in answers if not text.startswith("error")] == []


def test_an_observation_is_read(echo: Echo) -> None:
    state = rules.start("spirits", 6)
    texts = [rules.observation_text(state, 0), rules.legal_text(state, 0)]
    assert [json.loads(answer) for answer in echo(texts)] == [json.loads(text) for text in texts]
