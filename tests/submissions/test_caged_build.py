"""A build runs in the cage: it can compile and write its own files, and nothing else."""

from __future__ import annotations

import os
import select
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox import Backend, Runtime, choose
from niagara_arena.submissions import BuildFailed, load, prepare
from niagara_arena.submissions.staging import remove_tree
from tests.submissions.conftest import MakeBot

MANIFEST = 'name = "otter"\nbuild = ["bash", "make.sh"]\nrun = "./bot"\n'
MAKE = """
(echo '#!/bin/sh'; echo 'echo built') > bot && chmod +x bot && echo "own file: open"
mkdir -p made/deep && echo x > made/deep/file && echo "own folder: open"
(sh -c 'exit 7'); [ $? = 7 ] && echo "fork: open"
echo x > "$TMPDIR/t" && echo "tmp: open"
cat {secret} 2>/dev/null && echo "secret: open"
echo x > {staged} 2>/dev/null && echo "another bot: open"
echo x > /usr/otter 2>/dev/null && echo "system: open"
(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo "network: open"
[ -n "$NIAGARA_SECRET" ] && echo "environment: open"
mkdir closed && echo x > closed/file && chmod 000 closed/file closed .
exit 0
"""


@pytest.fixture
def cache() -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="niagara-build-", dir="/var/tmp"))
    folder.chmod(0o711)
    yield folder
    remove_tree(folder)


@pytest.fixture(params=["bwrap", "landlock"])
def cage(request: pytest.FixtureRequest) -> Backend:
    try:
        return choose(request.param)
    except NotPossibleHere as reason:
        pytest.skip(str(reason))


@pytest.fixture
def port() -> Iterator[int]:
    """A server that would welcome the build."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_welcome, args=(server,), daemon=True).start()
        yield server.getsockname()[1]


def _welcome(server: socket.socket) -> None:
    try:
        while True:
            server.accept()[0].close()
    except OSError:  # the test is over
        return


def test_a_build_reaches_its_own_files_and_nothing_else(
    make_bot: MakeBot,
    cage: Backend,
    cache: Path,
    port: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NIAGARA_SECRET", "of the runner")
    other = prepare(load(str(make_bot("other"))), cage, cache)
    (tmp_path / "secret").write_text("secret\n")
    make = MAKE.format(secret=tmp_path / "secret", staged=f"{other.directory}/bot.sh", port=port)
    submission = load(str(make_bot(files={"make.sh": make}, manifest=MANIFEST)))
    ready = prepare(submission, cage, cache)
    opened = [line for line in ready.output.splitlines() if line.endswith("open")]
    assert opened == ["own file: open", "own folder: open", "fork: open", "tmp: open"]
    for name in ("made/deep/file", "closed/file"):
        assert (Path(ready.directory) / name).read_text() == "x\n"
    for path in Path(ready.directory).rglob("*"):
        assert path.stat().st_mode & 0o222 == 0
    assert list((cache / "work").iterdir()) == []


def test_a_failing_build_in_the_cage_says_why(
    make_bot: MakeBot, cage: Backend, cache: Path
) -> None:
    make = "echo 'bot.c:1: error' >&2; exit 3"
    submission = load(str(make_bot(files={"make.sh": make}, manifest=MANIFEST)))
    with pytest.raises(BuildFailed) as caught:
        prepare(submission, cage, cache)
    assert "bot.c:1: error" in caught.value.output
    assert "exit 3" in caught.value.message
    assert list((cache / "work").iterdir()) == []


def test_a_build_that_digs_too_deep_fails_and_leaves_nothing(
    make_bot: MakeBot, cage: Backend, cache: Path
) -> None:
    dig = """
import os
for place in (os.environ["TMPDIR"], os.getcwd()):
    os.chdir(place)
    for _ in range(1500):
        os.mkdir("deep")
        os.chdir("deep")
"""
    submission = load(
        str(make_bot(files={"make.sh": "python3 dig.py", "dig.py": dig}, manifest=MANIFEST))
    )
    with pytest.raises(BuildFailed) as caught:
        prepare(submission, cage, cache)
    assert "nested more than 64 deep" in caught.value.message
    assert list((cache / "work").iterdir()) == []


@pytest.mark.parametrize("program", ["/runtime/tools/bin/otter-sh", "otter-sh"])
def test_a_runtime_serves_build_and_bot_in_the_cage(
    make_bot: MakeBot, cage: Backend, cache: Path, program: str
) -> None:
    tools = cache / "tools"
    (tools / "bin").mkdir(parents=True)
    (tools / "lib").mkdir()
    (tools / "bin/otter-sh").symlink_to("/bin/sh")
    (tools / "lib/words").write_text("of the runtime\n")
    for folder in (tools, tools / "bin", tools / "lib"):
        folder.chmod(0o755)
    manifest = (
        f'name = "otter"\nruntime = "tools"\nbuild = ["{program}", "make.sh"]\n'
        f'run = ["{program}", "bot.sh", "/runtime/tools/lib/words"]\n'
    )
    scripts: dict[str, bytes | str] = {
        "make.sh": "cat $RUNTIME_TOOLS/lib/words",
        "bot.sh": 'for f in "$1" $RUNTIME_TOOLS/lib/words; do read -r x < $f; echo "$x"; done',
    }
    submission = load(str(make_bot(files=scripts, manifest=manifest)))
    ready = prepare(submission, cage, cache, offered={"tools": Runtime("tools", str(tools))})
    assert ready.output == "of the runtime\n"
    process = cage.start(ready.launch())
    try:
        said = b""
        while select.select([process.stdout], (), (), 20)[0]:
            piece = os.read(process.stdout, 1000)
            if not piece:
                break
            said += piece
    finally:
        process.close()
    assert said == b"of the runtime\n" * 2
