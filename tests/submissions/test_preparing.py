"""Staging, building and checking, with real processes at the level `none`."""

from __future__ import annotations

import itertools
import os
import pickle
import select
import threading
from functools import partial
from pathlib import Path

import pytest

from niagara_arena.errors import ArenaError, InputError, NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.sandbox import Backend, Launch, Process, Runtime
from niagara_arena.submissions import BuildFailed, Ready, grant_limits, load, prepare
from niagara_arena.submissions import building as building_module
from niagara_arena.submissions.building import build, build_key
from niagara_arena.submissions.staging import open_cache, stage
from niagara_arena.submissions.tree import Caps
from tests.submissions.conftest import MINIMAL, MakeBot

BUILDS = 'name = "otter"\nbuild = ["sh", "make.sh"]\nrun = "./bot"\nexclude = ["bot"]\n'
MAKE = "echo building; echo to stderr >&2; (echo '#!/bin/sh'; echo echo built) > bot; chmod +x bot"


class Counting:
    """Start processes at a real level, and count them."""

    def __init__(self, backend: Backend, level: str | None = None) -> None:
        self.backend = backend
        self.level = level or backend.level
        self.launches: list[Launch] = []

    def start(self, launch: Launch) -> Process:
        self.launches.append(launch)
        return self.backend.start(launch)


def first_line(backend: Backend, ready: Ready) -> bytes:
    process = backend.start(ready.launch())
    try:
        select.select([process.stdout], (), (), 20)
        return os.read(process.stdout, 1000)
    finally:
        process.close()


def refusal(directory: Path, backend: Backend, cache: Path) -> ArenaError:
    counting = Counting(backend)
    submission = load(str(directory))
    with pytest.raises(ArenaError) as caught:
        prepare(submission, counting, cache)
    if not submission.build:
        assert counting.launches == [], "nothing may run"
    return caught.value


def test_a_bot_is_started_from_its_staged_copy(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    ready = prepare(load(str(make_bot())), bare, cache)
    assert Path(ready.directory).parent == cache / "staged"
    assert first_line(bare, ready) == b"hello\n"
    assert ready.launch(core=1, env={"A": "b"}).core == 1


def test_a_command_without_files_runs_in_an_empty_directory(bare: Backend, cache: Path) -> None:
    ready = prepare(load("ls -a"), bare, cache)
    assert first_line(bare, ready).split() == [b".", b".."]


def test_a_build_makes_the_program_once(make_bot: MakeBot, bare: Backend, cache: Path) -> None:
    counting = Counting(bare)
    submission = load(str(make_bot(files={"make.sh": MAKE}, manifest=BUILDS)))
    heard: list[bytes] = []
    begun: list[str] = []
    on_build = partial(begun.append, "a build")
    ready = prepare(submission, counting, cache, listener=heard.append, on_build=on_build)
    assert sorted(b"".join(heard).split()) == sorted(b"building to stderr".split())
    assert sorted(ready.output.split()) == sorted("building to stderr".split())
    assert first_line(bare, ready) == b"built\n"
    assert [launch.writable for launch in counting.launches] == [True]
    assert counting.launches[0].limits.memory_mb > Limits().memory_mb
    for path in Path(ready.directory).rglob("*"):
        assert path.stat().st_mode & 0o222 == 0
    assert prepare(submission, counting, cache, on_build=on_build) == ready
    assert begun == ["a build"]
    assert len(counting.launches) == 1
    assert list((cache / "work").iterdir()) == []


def test_the_commands_of_a_build_run_in_order_and_stop_at_the_first_that_fails(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    manifest = BUILDS.replace(
        '["sh", "make.sh"]', '[["sh", "-c", "echo 1"], ["sh", "-c", "exit 3"], ["touch", "x"]]'
    )
    counting = Counting(bare)
    with pytest.raises(BuildFailed) as caught:
        prepare(load(str(make_bot(manifest=manifest))), counting, cache)
    assert caught.value.output == "1\n"
    assert caught.value.message == "the build of `otter` failed: `sh -c 'exit 3'`: exit 3"
    assert len(counting.launches) == 2


def test_a_failing_build_says_what_the_compiler_said_and_is_not_kept(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    directory = make_bot(
        files={"make.sh": "echo 'bot.c:1: error: no' >&2; exit 2"}, manifest=BUILDS
    )
    error = refusal(directory, bare, cache)
    assert isinstance(error, BuildFailed)
    assert "bot.c:1: error: no" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.output) == (str(error), error.output)
    assert [p.suffix for p in (cache / "built").iterdir()] == [".lock"]
    assert list((cache / "work").iterdir()) == []


def test_a_build_that_hangs_is_ended(make_bot: MakeBot, bare: Backend, cache: Path) -> None:
    submission = load(str(make_bot(files={"make.sh": "echo on; cat"}, manifest=BUILDS)))
    place = open_cache(cache)
    with pytest.raises(BuildFailed, match="out of time"):
        build(submission, stage(submission, place), bare, place, seconds=0.3)


def test_only_the_beginning_of_a_long_output_is_kept(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    loud = "echo first; head -c 2000000 /dev/zero | tr '\\0' x; " + MAKE
    ready = prepare(load(str(make_bot(files={"make.sh": loud}, manifest=BUILDS))), bare, cache)
    assert ready.output.startswith("first\nxxx")
    assert len(ready.output) == building_module.OUTPUT_BYTES


def test_a_build_that_leaves_a_pipe_behind_fails(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    error = refusal(make_bot(files={"make.sh": "mkfifo trap"}, manifest=BUILDS), bare, cache)
    assert isinstance(error, BuildFailed)
    assert "left something behind that can't be kept: `trap` is a named pipe" in error.message


def test_links_that_a_build_leaves_are_kept_and_never_followed(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    make = MAKE + "; ln -s /etc/passwd out"
    ready = prepare(load(str(make_bot(files={"make.sh": make}, manifest=BUILDS))), bare, cache)
    assert os.readlink(Path(ready.directory) / "out") == "/etc/passwd"


def test_a_build_that_fills_the_disk_is_ended(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    make = "n=0; while :; do n=$((n + 1)); echo x > f$n; done"
    submission = load(str(make_bot(files={"make.sh": make}, manifest=BUILDS)))
    place = open_cache(cache)
    with pytest.raises(BuildFailed, match="it writes more than 50 files or 1 MB"):
        build(submission, stage(submission, place), bare, place, caps=Caps(50, 1 << 20, 1 << 20))
    assert list((cache / "work").iterdir()) == []


def test_a_build_that_fills_the_disk_where_no_listing_shows_it_is_ended(
    make_bot: MakeBot, bare: Backend, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = itertools.chain([(10 << 30, 1000)] * 2, itertools.repeat(((2 << 30) - 1, 1000)))
    monkeypatch.setattr(building_module, "_free", lambda place: next(free))
    submission = load(str(make_bot(files={"make.sh": "sleep 600"}, manifest=BUILDS)))
    place = open_cache(cache)
    with pytest.raises(BuildFailed, match="it writes more than 50 files or 1024 MB"):
        build(submission, stage(submission, place), bare, place, caps=Caps(50, 1 << 30, 1 << 30))


def test_a_missing_compiler_is_not_the_bots_fault(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    manifest = BUILDS.replace('["sh", "make.sh"]', '[["touch", "x"], ["no-such-cc", "bot.c"]]')
    counting = Counting(bare)
    with pytest.raises(NotPossibleHere, match="`otter` needs `no-such-cc` to be built"):
        prepare(load(str(make_bot(manifest=manifest))), counting, cache)
    assert counting.launches == []


def test_a_script_that_can_not_be_run_fails_the_build(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    manifest = BUILDS.replace('["sh", "make.sh"]', '"./make.sh"')
    error = refusal(make_bot(files={"make.sh": MAKE}, manifest=manifest), bare, cache)
    assert isinstance(error, BuildFailed)
    assert "`./make.sh` is not executable" in error.message


def test_a_build_that_makes_no_program_is_told(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    error = refusal(make_bot(files={"make.sh": "exit 0"}, manifest=BUILDS), bare, cache)
    assert error.message == "`otter`: `run` needs `./bot`, which is not there after its build"


def test_a_spoilt_build_is_done_again(make_bot: MakeBot, bare: Backend, cache: Path) -> None:
    submission = load(str(make_bot(files={"make.sh": MAKE}, manifest=BUILDS)))
    counting = Counting(bare)
    folder = Path(prepare(submission, counting, cache).directory)
    folder.chmod(0o755)
    (folder / "bot").unlink()
    (folder / "bot").write_text("#!/bin/sh\necho evil\n")
    (folder / "bot").chmod(0o755)
    assert first_line(bare, prepare(submission, counting, cache)) == b"built\n"
    assert len(counting.launches) == 2


def test_workers_that_need_the_same_build_wait_for_one(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    submission = load(str(make_bot(files={"make.sh": MAKE}, manifest=BUILDS)))
    counting = Counting(bare)
    done: list[Ready] = []
    threads = [
        threading.Thread(target=lambda: done.append(prepare(submission, counting, cache)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4
    assert len({ready.directory for ready in done}) == 1
    assert len(counting.launches) == 1


def test_the_key_of_a_build_covers_all_that_decides_its_result(
    make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = load(str(make_bot("one", {"make.sh": MAKE}, BUILDS)))
    two = load(str(make_bot("two", {"make.sh": MAKE + " "}, BUILDS)))
    keys = {
        build_key(one, "none", {}),
        build_key(two, "none", {}),
        build_key(one, "bwrap", {}),
        build_key(one, "none", {"numpy": "0" * 64}),
    }
    monkeypatch.setattr(building_module, "_toolchain", lambda: iter([("cc", "/usr/bin/cc", 1, 2)]))
    assert build_key(one, "none", {}) not in keys
    assert len(keys) == 4


# --- What is refused before anything runs --------------------------------------------------------


def test_a_whole_command_in_one_word_of_a_list_is_explained(
    make_bot: MakeBot, bare: Backend, cache: Path
) -> None:
    directory = make_bot(manifest='name = "otter"\nrun = ["python3 bot.py"]\n')
    error = refusal(directory, bare, cache)
    assert error.message == "`otter` needs `python3 bot.py`, which this machine has not"
    assert error.hint == 'in a list every word stands alone: `run = ["python3", "bot.py"]`'


@pytest.mark.parametrize(
    ("run", "kind", "trouble"),
    [
        ("no-such-interpreter bot.py", NotPossibleHere, "needs `no-such-interpreter`, which this"),
        ("/no/such/python bot.py", NotPossibleHere, "needs `/no/such/python`, which this machine"),
        ("/etc bot.py", NotPossibleHere, "needs `/etc`, which this machine has not"),
        ("./bot.sh", InputError, "`bot.sh` is not executable"),
        ("bot.sh", InputError, "`bot.sh` is not executable"),
        ("./nothing", InputError, "`run` needs `./nothing`, which is not there"),
        ("python3 bto.py", InputError, "`run` needs `bto.py`, which is not there"),
        ("./lost.sh", NotPossibleHere, "wants to be run by `/no/such/sh`, which this machine"),
        ("./env.sh", NotPossibleHere, "wants to be run by `no-such-sh`, which this machine"),
        ("./bare.sh", NotPossibleHere, "wants to be run by `nothing`"),
    ],
)
def test_a_command_that_can_not_run_is_refused(
    make_bot: MakeBot,
    bare: Backend,
    cache: Path,
    run: str,
    kind: type[ArenaError],
    trouble: str,
) -> None:
    scripts: dict[str, bytes | str] = {
        "lost.sh": "#!/no/such/sh\n",
        "env.sh": "#!/usr/bin/env -S no-such-sh -x\n",
        "bare.sh": "#!\n",
        "bot.py": "x",
    }
    directory = make_bot(files=scripts, manifest=f'name = "otter"\nrun = "{run}"\n')
    for name in ("lost.sh", "env.sh", "bare.sh"):
        (directory / name).chmod(0o755)
    error = refusal(directory, bare, cache)
    assert isinstance(error, kind)
    assert trouble in error.message
    assert error.hint


def test_a_windows_script_runs(make_bot: MakeBot, bare: Backend, cache: Path) -> None:
    script = "#!/bin/sh\r\necho hello\r\n"
    directory = make_bot(files={"run.sh": script}, manifest='name = "otter"\nrun = "./run.sh"\n')
    (directory / "run.sh").chmod(0o755)
    assert first_line(bare, prepare(load(str(directory)), bare, cache)) == b"hello\n"


def test_more_than_the_organiser_allows_is_refused(make_bot: MakeBot) -> None:
    submission = load(str(make_bot(manifest=MINIMAL + "[limits]\nmemory_mb = 900\n")))
    assert grant_limits(submission).memory_mb == 900
    with pytest.raises(InputError, match="asks for memory_mb = 900, and 800 is allowed"):
        grant_limits(submission, Limits(memory_mb=800))


def test_as_root_a_cache_that_bots_can_not_enter_is_refused(
    make_bot: MakeBot, bare: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    submission = load(str(make_bot()))
    monkeypatch.setattr("niagara_arena.submissions.preparing.os.geteuid", lambda: 0)
    monkeypatch.setattr("niagara_arena.submissions.staging._check_owner", lambda folder: None)
    with pytest.raises(NotPossibleHere, match="bots run as another user, who can't enter"):
        prepare(submission, Counting(bare, "bwrap"), closed / "cache")


def test_a_runtime_that_is_offered_is_handed_to_the_sandbox(
    make_bot: MakeBot, bare: Backend, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("niagara_arena.submissions.runtimes.unreachable", lambda path: None)
    (tmp_path / "tools/bin").mkdir(parents=True)
    (tmp_path / "tools/bin/otter-sh").write_text("#!/bin/sh\n")
    (tmp_path / "tools/bin/otter-sh").chmod(0o755)
    tools = Runtime("tools", str(tmp_path / "tools"))
    manifest = 'name = "otter"\nrun = "otter-sh bot.sh"\nruntime = "tools"\n'
    submission = load(str(make_bot(manifest=manifest)))
    ready = prepare(submission, bare, cache, offered={"tools": tools})
    assert ready.launch().runtimes == (tools,)
    assert ready.command == (str(tmp_path / "tools/bin/otter-sh"), "bot.sh")
    with pytest.raises(NotPossibleHere, match="asks for the runtime `tools`"):
        prepare(submission, bare, cache, offered={})


def test_a_changed_runtime_means_a_new_build(
    make_bot: MakeBot, bare: Backend, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("niagara_arena.submissions.runtimes.unreachable", lambda path: None)
    (tmp_path / "tools").mkdir()
    tools = Runtime("tools", str(tmp_path / "tools"))
    manifest = BUILDS + 'runtime = "tools"\n'
    submission = load(str(make_bot(files={"make.sh": MAKE}, manifest=manifest)))
    counting = Counting(bare)
    for content in ("1", "1", "2"):
        if not (file := tmp_path / "tools/version").exists() or file.read_text() != content:
            file.write_text(content)
        prepare(submission, counting, cache, offered={"tools": tools})
    assert len(counting.launches) == 2
