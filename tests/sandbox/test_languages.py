"""Every language of the starter kits is built and runs in the cage."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from niagara_arena.records import Limits
from niagara_arena.sandbox import Backend
from niagara_arena.sandbox.limits import PATH
from tests.sandbox.helpers import finish, launch, read_line


class Language(NamedTuple):
    """Say how a bot that echoes its input in capitals is written, built and run."""

    needs: tuple[str, ...]
    file: str
    source: str
    build: tuple[str, ...]
    run: tuple[str, ...]
    memory_mb: int = 512


C = r"""
#include <ctype.h>
#include <stdio.h>
int main(void) {
    for (int c; (c = getchar()) != EOF;) { putchar(toupper(c)); if (c == '\n') fflush(stdout); }
}
"""
CPP = r"""
#include <iostream>
#include <string>
#include <thread>
int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::thread([&] { for (char &c : line) c = toupper(c); }).join();
        std::cout << line << std::endl;
    }
}
"""
JAVA = """
public class Bot {
    public static void main(String[] words) throws Exception {
        var in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) System.out.println(line.toUpperCase());
    }
}
"""
GO = """
package main
import ("bufio"; "fmt"; "os"; "strings")
func main() {
    in := bufio.NewScanner(os.Stdin)
    for in.Scan() { fmt.Println(strings.ToUpper(in.Text())) }
}
"""
RUST = """
use std::io::BufRead;
fn main() {
    for line in std::io::stdin().lock().lines() { println!("{}", line.unwrap().to_uppercase()); }
}
"""
NODE = """
require("readline").createInterface({input: process.stdin})
    .on("line", line => console.log(line.toUpperCase()));
"""
PYTHON = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)\n"

LANGUAGES = {
    "python": Language(("python3",), "bot.py", PYTHON, (), ("python3", "bot.py")),
    "node": Language(("node",), "bot.js", NODE, (), ("node", "bot.js")),
    "java": Language(
        ("javac", "java"), "Bot.java", JAVA, ("javac", "Bot.java"), ("java", "Bot"), 768
    ),
    "go": Language(("go",), "bot.go", GO, ("go", "build", "-o", "bot", "bot.go"), ("./bot",)),
    "c": Language(("cc",), "bot.c", C, ("cc", "-O1", "-o", "bot", "bot.c"), ("./bot",)),
    "c++": Language(
        ("c++",), "bot.cc", CPP, ("c++", "-pthread", "-o", "bot", "bot.cc"), ("./bot",)
    ),
    "rust": Language(("rustc",), "bot.rs", RUST, ("rustc", "-o", "bot", "bot.rs"), ("./bot",)),
}
BUILD = Limits(memory_mb=2048, processes=256, open_files=1024, file_mb=256, tmp_mb=512)


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_bot_is_built_and_answers(cage: Backend, folder: Path, name: str) -> None:
    language = LANGUAGES[name]
    for program in language.needs:
        if shutil.which(program, path=PATH) is None:
            pytest.skip(f"no {program} in {PATH}")
    (folder / language.file).write_text(language.source)
    if language.build:
        made = cage.start(launch(folder, *language.build, writable=True, limits=BUILD))
        out, err, ended = finish(made)
        assert ended.code == 0, (out, err, ended)
    limits = Limits(memory_mb=language.memory_mb)
    process = cage.start(launch(folder, *language.run, limits=limits))
    for word in ("hello", "again"):
        os.write(process.stdin, f"{word}\n".encode())
        assert read_line(process) == word.upper()
    process.close()
