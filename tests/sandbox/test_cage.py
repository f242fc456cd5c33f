"""What a caged bot sees, and what it can't: files, environment, processes, network, paths."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from niagara_arena.errors import InputError, NotPossibleHere
from niagara_arena.records import Limits
from niagara_arena.sandbox import Backend, Runtime
from niagara_arena.sandbox.bwrap import Bwrap, find_bwrap
from niagara_arena.sandbox.choosing import trial
from tests.sandbox.helpers import finish, launch, python, read_line

BUILD = Limits(memory_mb=1024, processes=128, tmp_mb=128)


def say(backend: Backend, folder: Path, code: str, **fields: object) -> str:
    """Run Python code as a bot; return what it printed."""
    out, err, ended = finish(backend.start(launch(folder, *python(code), **fields)))
    assert ended.code == 0, err
    return out.strip()


def test_the_environment_is_ours_alone(
    cage: Backend, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_RUNNER", "1")
    names = set(say(cage, folder, "import os; print(*os.environ)").split())
    known = "PATH HOME TMPDIR LANG PYTHONPATH PYTHONDONTWRITEBYTECODE PYTHONHASHSEED"
    assert names <= {*known.split(), "MALLOC_ARENA_MAX", "PWD", "LC_CTYPE"}


def test_the_first_process_of_the_namespace_is_out_of_reach(bwrap: Backend, folder: Path) -> None:
    """By its memory a bot could make it play on after its own end, on nobody's clock."""
    code = """
import os
print(os.getppid(), os.listdir("/proc/1"))
for way in ("1/mem", "1/task/1/mem", "self/../1/mem", "1/cmdline", "1/environ", "1/fd/0"):
    try:
        print(way, os.open(f"/proc/{way}", os.O_RDWR if way.endswith("mem") else os.O_RDONLY))
    except OSError as error:
        print(error.strerror)
"""
    first, *rest = say(bwrap, folder, code).splitlines()
    assert first == "1 []"
    assert rest == ["No such file or directory"] * 6


def test_a_bot_is_in_no_control_group_but_the_root_of_its_own(bwrap: Backend, folder: Path) -> None:
    groups = say(bwrap, folder, "print(open('/proc/self/cgroup').read())").split()
    assert "niagara" not in " ".join(groups)
    assert all(line.endswith(":/") for line in groups), groups


def test_no_other_process_is_seen(bwrap: Backend, folder: Path) -> None:
    code = "import os; print(*[p for p in os.listdir('/proc') if p.isdigit()])"
    assert say(bwrap, folder, code) == "1 2"


def test_other_processes_cannot_be_read_or_signalled(cage: Backend, folder: Path) -> None:
    code = f"""
import os
for what in ("environ", "cmdline", "status"):
    try: print(len(open("/proc/{os.getpid()}/" + what).read()))
    except OSError: print("refused")
for pid in ({os.getpid()}, os.getppid()):
    try: os.kill(pid, 0); print("reached" if pid != 1 else "refused")
    except OSError: print("refused")
"""
    assert set(say(cage, folder, code).split()) == {"refused"}


def test_nothing_can_be_written_but_scratch(cage: Backend, folder: Path) -> None:
    folder.chmod(0o777)
    code = f"""
import os
for path in ("/", "/bot", "/arena", "/usr", "/etc", "/dev", "/proc/sys/kernel", "/runtime", ".",
             "/var/tmp", os.environ["PYTHONPATH"], {str(folder)!r}):
    try: open(os.path.join(path, "new"), "w"); print("wrote", path)
    except OSError: pass
print("tried")
"""
    assert say(cage, folder, code) == "tried"
    assert os.listdir(folder) == []


def test_scratch_is_there_and_bounded(bwrap: Backend, folder: Path) -> None:
    code = """
def fill(path, chunk=1 << 20):
    size = 0
    with open(path, "wb", buffering=0) as file:
        while True:
            try: size += file.write(b"x" * chunk)
            except OSError: return size >> 20
def files(folder):
    count = 0
    while True:
        try: open(f"{folder}/f{count}", "w").close(); count += 1
        except OSError: return count
print(fill("/tmp/big"), fill("/dev/shm/big"), files("/dev/shm"), files("/tmp"))
"""
    assert isinstance(bwrap, Bwrap)
    if not bwrap.veiled:
        pytest.skip("without a veil the number of files is not bounded")
    tmp, shm, shm_files, tmp_files = map(int, say(bwrap, folder, code).split())
    assert tmp == 32
    assert shm == 8
    assert shm_files < 256
    assert tmp_files < 2048


def test_no_path_of_the_host_shows(bwrap: Backend, folder: Path) -> None:
    (folder / "stage").mkdir()
    (folder / "tools").mkdir()
    runtimes = (Runtime("tools", str(folder / "tools")),)
    code = "print(open('/proc/self/mountinfo').read(), open('/proc/self/maps').read())"
    assert isinstance(bwrap, Bwrap)
    if not bwrap.veiled:
        pytest.skip("without a veil paths show")
    seen = say(bwrap, folder / "stage", code, runtimes=runtimes)
    assert "/bot" in seen
    assert "/runtime/tools" in seen
    for path in (str(folder), "niagara-", str(Path(__file__).parents[2])):
        assert path not in seen


def test_there_is_no_network(cage: Backend, folder: Path) -> None:
    code = """
import socket
netlink, vsock = 16, 40
for family, kind in ((socket.AF_INET, 1), (socket.AF_INET, 2), (socket.AF_INET6, 1),
                     (socket.AF_UNIX, 1), (netlink, 3), (vsock, 1)):
    try: socket.socket(family, kind); print("open", family, kind)
    except PermissionError: pass
a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1).decode())
"""
    assert say(cage, folder, code) == "x"


def test_a_file_of_the_host_cannot_be_read(cage: Backend, folder: Path) -> None:
    (folder / "bot").mkdir()
    (folder / "secret").write_text("secret")
    code = f"""
for path in ({str(folder / "secret")!r}, "../secret", "/etc/shadow", "/etc/passwd", {__file__!r}):
    try: open(path).read(); print("read", path)
    except OSError: pass
print("tried")
"""
    assert say(cage, folder / "bot", code) == "tried"


def test_a_link_out_of_the_directory_leads_nowhere(cage: Backend, folder: Path) -> None:
    (folder / "bot").mkdir()
    (folder / "secret").write_text("secret")
    (folder / "bot" / "link").symlink_to(folder / "secret")
    out, _, ended = finish(cage.start(launch(folder / "bot", "/bin/cat", "link")))
    assert (out, ended.code) == ("", 1)


def test_pins_and_priorities_cannot_be_changed(cage: Backend, folder: Path) -> None:
    code = """
import os
for what in (lambda: os.sched_setaffinity(0, {0, 1}), lambda: os.nice(1),
             lambda: os.setpriority(0, 0, 5),
             lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))):
    try: what(); print("changed")
    except PermissionError: pass
print("tried")
"""
    assert say(cage, folder, code) == "tried"


def test_the_limits_are_as_asked(cage: Backend, folder: Path) -> None:
    asked = Limits(memory_mb=200, open_files=80, file_mb=3, cpu_s=9)
    code = """
from resource import *
for one in (RLIMIT_DATA, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_CORE):
    print(getrlimit(one), end=" ")
"""
    assert say(cage, folder, code, limits=asked) == (
        f"({200 << 20}, {200 << 20}) (80, 80) ({3 << 20}, {3 << 20}) (9, 10) (0, 0)"
    )


def test_threads_are_bounded(bwrap: Backend, folder: Path) -> None:
    code = """
import threading
gate, count = threading.Event(), 0
threading.stack_size(64 << 10)
try:
    while count < 500: threading.Thread(target=gate.wait).start(); count += 1
except RuntimeError: pass
gate.set()
print(count)
"""
    assert 20 <= int(say(bwrap, folder, code)) <= 67


def test_a_bot_with_too_many_threads_is_ended_where_it_cannot_be_held(folder: Path) -> None:
    landlocked = trial("landlock").backend
    if landlocked is None:
        pytest.skip("no landlock here")
    code = """
import threading, time
gate, count = threading.Event(), 0
threading.stack_size(64 << 10)
try:
    while count < 200: threading.Thread(target=gate.wait, daemon=True).start(); count += 1
except RuntimeError: print(count, flush=True); raise SystemExit(5)
time.sleep(1000)
"""
    out, _, ended = finish(landlocked.start(launch(folder, *python(code))))
    # As root each bot has a uid of its own, and the kernel holds it to its number.
    assert (out, ended.code) == ("63\n", 5) if os.geteuid() == 0 else ended.signal == 9


def test_a_build_writes_and_forks_but_has_no_network(cage: Backend, folder: Path) -> None:
    (folder / "make.py").write_text(
        "import subprocess, tempfile\n"
        "with tempfile.NamedTemporaryFile() as file: file.write(b'x')\n"
        "subprocess.run(['/bin/cp', 'make.py', 'made.py'], check=True)\n"
        "import socket\n"
        "try: socket.socket()\n"
        "except PermissionError: print('built')\n"
    )
    started = cage.start(launch(folder, "python3", "make.py", writable=True, limits=BUILD))
    out, err, _ = finish(started)
    assert out == "built\n", err
    assert (folder / "made.py").read_bytes() == (folder / "make.py").read_bytes()


def test_a_forking_bot_runs_where_a_control_group_holds_it(bwrap: Backend, folder: Path) -> None:
    assert isinstance(bwrap, Bwrap)
    code = """
import os, time
if os.fork() == 0:
    while True: pass
print("forked", flush=True)
time.sleep(1000)
"""
    bot = launch(folder, *python(code), multi_process=True)
    if bwrap.cgroup is None:
        with pytest.raises(NotPossibleHere, match="control group") as caught:
            bwrap.start(bot)
        assert "systemd-run" in (caught.value.hint or "")
        return
    process = bwrap.start(bot)
    assert read_line(process) == "forked"
    before = process.meter.cpu_ns()
    while process.meter.cpu_ns() < before + 20_000_000:  # the child works; there is a timeout
        pass
    process.freeze()
    process.thaw()
    process.close()


def test_a_forking_bot_is_refused_without_one(folder: Path, cage: Backend) -> None:
    program = find_bwrap()
    bot = launch(folder, "/bin/cat", multi_process=True)
    if cage.level == "bwrap":
        assert program is not None
        cage = Bwrap(program, use_cgroups=False)
    with pytest.raises(NotPossibleHere, match="wants to fork"):
        cage.start(bot)


def test_the_cage_works_without_a_veil_and_without_groups(folder: Path, bwrap: Backend) -> None:
    program = find_bwrap()
    assert program is not None
    plain = Bwrap(program, veil=False, use_cgroups=False)
    assert say(plain, folder, "import niagara_arena.rules, os; print(os.getcwd())") == "/bot"
    code = "from resource import *; print(getrlimit(RLIMIT_NPROC))"
    assert say(plain, folder, code) == "(67, 67)"
    assert bwrap.level == plain.level
    del plain


def test_an_interpreter_outside_usr_is_shown_with_its_installation(
    cage: Backend, folder: Path
) -> None:
    prefix = folder / "opt"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib").mkdir()
    (prefix / "lib" / "data").write_text("found\n")
    shutil.copy("/bin/sh", prefix / "bin" / "shell")
    (folder / "bot").mkdir()
    command = (str(prefix / "bin" / "shell"), "-c", f"read x < {prefix}/lib/data; echo $x")
    out, err, _ = finish(cage.start(launch(folder / "bot", *command)))
    assert out == "found\n", err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has files that bots of another uid miss")
def test_an_interpreter_that_bots_may_not_read_is_refused_with_a_remedy(
    cage: Backend, folder: Path
) -> None:
    private = folder / "private"
    (private / "bin").mkdir(parents=True)
    shutil.copy("/bin/sh", private / "bin" / "shell")
    private.chmod(0o700)
    (folder / "bot").mkdir()
    with pytest.raises(NotPossibleHere, match=r"may not read `.*/private`") as caught:
        cage.start(launch(folder / "bot", str(private / "bin" / "shell")))
    assert "chmod o+rx" in (caught.value.hint or "")
    with pytest.raises(NotPossibleHere, match="the bot is in"):
        cage.start(launch(private, "/bin/cat"))


def test_a_script_whose_interpreter_is_not_in_the_cage_is_refused(
    cage: Backend, folder: Path
) -> None:
    (folder / "bot").write_text("#!/home/me/bin/python\n")
    (folder / "bot").chmod(0o755)
    with pytest.raises(InputError, match="/home/me/bin/python") as caught:
        cage.start(launch(folder, "./bot"))
    assert "env python3" in (caught.value.hint or "")


def test_groups_are_gone_with_their_bots(bwrap: Backend, folder: Path) -> None:
    assert isinstance(bwrap, Bwrap)
    if bwrap.cgroup is None:
        pytest.skip("no control groups here")
    groups = bwrap._groups
    assert groups is not None

    def made() -> list[Path]:
        return [p for base in groups.bases.values() for p in base.glob(f"niagara-{os.getpid()}-*")]

    process = bwrap.start(launch(folder, "/bin/cat"))
    assert made()
    process.close()
    assert not made()
