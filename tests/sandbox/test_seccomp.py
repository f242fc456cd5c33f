"""The filter decides as its tables say, on both machines; a small machine runs the programs."""

from __future__ import annotations

import errno
import struct

import pytest

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox import seccomp
from niagara_arena.sandbox.syscalls import NUMBERS

ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW = "allow"
KILL = "kill"
IGNORE = "ignore"


def judge(program: bytes, machine: str, number: int, *arguments: int) -> str:
    """Run a program on one call, as the kernel would."""
    data = struct.pack("<IIQ", number, ARCHITECTURE[machine], 0)
    data += struct.pack("<6Q", *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    place, held = 0, 0
    for _ in range(len(program)):
        code, yes, no, value = struct.unpack_from("<HBBI", program, 8 * place)
        place += 1
        if code == 0x20:
            (held,) = struct.unpack_from("<I", data, value)
        elif code == 0x54:
            held &= value
        elif code == 0x06:
            return _name(value)
        else:
            true = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            place += yes if true else no
    raise AssertionError("the program has no end")


def _name(value: int) -> str:
    if value == 0x7FFF0000:
        return ALLOW
    if value == 0x50000:
        return IGNORE
    return KILL if value == 0x80000000 else errno.errorcode[value & 0xFFFF]


@pytest.fixture(params=sorted(NUMBERS))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("fork", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_every_denied_call_is_refused(machine: str, fork: bool, shared: bool) -> None:
    program = seccomp.assemble(fork=fork, shared=shared, machine=machine)
    for name in seccomp.denied(fork=fork, shared=shared):
        if name in NUMBERS[machine]:
            verdict = judge(program, machine, NUMBERS[machine][name])
            assert verdict in ("EPERM", "ENOSYS", "EACCES"), name


# read, write, openat, mmap, futex, execve, exit_group, getrandom, socketpair
ORDINARY = {
    "x86_64": (0, 1, 257, 9, 202, 59, 231, 318, 53),
    "aarch64": (63, 64, 56, 222, 98, 221, 94, 278, 199),
}


def test_ordinary_calls_pass(machine: str) -> None:
    program = seccomp.assemble(fork=False, shared=True, machine=machine)
    for number in ORDINARY[machine]:
        assert judge(program, machine, number) == ALLOW


def test_a_call_of_another_machine_kills(machine: str) -> None:
    other = next(one for one in NUMBERS if one != machine)
    assert judge(seccomp.assemble(fork=False, shared=False, machine=machine), other, 0) == KILL


def test_calls_that_nobody_has_judged_are_missing(machine: str) -> None:
    program = seccomp.assemble(fork=True, shared=False, machine=machine)
    for number in (seccomp.NEWEST + 1, 1000, 0x40000000, 0x40000039, 0xFFFFFFFF):
        assert judge(program, machine, number) == "ENOSYS"


THREAD = 0x003D0F00
FORK = 0x01200011
SPAWN = 0x4111


def test_threads_pass_and_forks_only_where_they_may(machine: str) -> None:
    clone = NUMBERS[machine]["clone"]
    single = seccomp.assemble(fork=False, shared=False, machine=machine)
    forking = seccomp.assemble(fork=True, shared=False, machine=machine)
    for program in (single, forking):
        assert judge(program, machine, clone, THREAD) == ALLOW
        for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
            assert judge(program, machine, clone, THREAD | flag) == "EPERM"
            assert judge(program, machine, clone, FORK | flag) == "EPERM"
    for flags in (FORK, SPAWN):
        assert judge(single, machine, clone, flags) == "EPERM"
        assert judge(forking, machine, clone, flags) == ALLOW


def test_signals_go_to_oneself_alone_where_processes_are_shared(machine: str) -> None:
    program = seccomp.assemble(fork=False, shared=True, machine=machine)
    for name in ("kill", "tgkill", "tkill"):
        number = NUMBERS[machine][name]
        assert judge(program, machine, number, seccomp.SELF, 9) == ALLOW
        for other in (0, 1, 1234, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF):
            assert judge(program, machine, number, other, 9) == "EPERM"
    limits = NUMBERS[machine]["prlimit64"]
    assert judge(program, machine, limits, 0) == ALLOW
    assert judge(program, machine, limits, 1234) == "EPERM"
    alone = seccomp.assemble(fork=False, shared=False, machine=machine)
    assert judge(alone, machine, NUMBERS[machine]["kill"], 1234, 9) == ALLOW


def test_the_first_process_of_a_namespace_keeps_its_limits(machine: str) -> None:
    number = NUMBERS[machine]["prlimit64"]
    for fork in (False, True):
        program = seccomp.assemble(fork=fork, shared=False, build=fork, machine=machine)
        assert judge(program, machine, number, 1) == "EPERM"
        for own in (0, 2, 3):
            assert judge(program, machine, number, own) == ALLOW


def test_files_of_the_host_have_no_requests_of_their_own(machine: str) -> None:
    """An owner may mark a file that is open for reading; what is for terminals changes none."""
    number = NUMBERS[machine]["ioctl"]
    for build in (False, True):
        program = seccomp.assemble(fork=build, shared=True, build=build, machine=machine)
        for request in (0x5401, 0x5421, 0x541B, 0x5451):
            assert judge(program, machine, number, 1, request) == ALLOW
        for request in (0x40086602, 0x401C5820, 0x40087602, 0x8901, 0x8902, 0x1005401 << 8):
            assert judge(program, machine, number, 1, request) == "ENOTTY"
        for request in (0x5412, 0x541C):
            assert judge(program, machine, number, 1, request) == "EPERM"


@pytest.mark.parametrize("name", ["clock_gettime", "clock_getres", "clock_nanosleep"])
def test_the_clocks_of_others_are_theirs_where_processes_are_shared(
    machine: str, name: str
) -> None:
    number = NUMBERS[machine][name]
    rival = ~1234 << 3 | 2
    own_thread = ~1234 << 3 | 6
    for build in (False, True):
        program = seccomp.assemble(fork=build, shared=True, build=build, machine=machine)
        for ordinary in (0, 1, 2, 3, 7, own_thread & 0xFFFFFFFF):
            assert judge(program, machine, number, ordinary) == ALLOW
        for named in (rival & 0xFFFFFFFF, rival & 0xFFFFFFFFFFFFFFFF, (rival & ~2) & 0xFFFFFFFF):
            assert judge(program, machine, number, named) == "EPERM"
    alone = seccomp.assemble(fork=False, shared=False, machine=machine)
    assert judge(alone, machine, number, rival & 0xFFFFFFFF) == ALLOW


def test_the_stand_in_for_the_pid_is_nothing_else() -> None:
    for fork in (False, True):
        program = seccomp.assemble(fork=fork, shared=False, machine="x86_64")
        assert struct.pack("<I", seccomp.SELF) not in program


@pytest.mark.parametrize(
    ("name", "index", "value", "verdict"),
    [
        ("ioctl", 1, 0x5412, "EPERM"),
        ("ioctl", 1, 0x541C, "EPERM"),
        ("ioctl", 1, 0x5401, ALLOW),
        ("ioctl", 1, 0x40086602, ALLOW),
        ("prctl", 0, 1, "EPERM"),
        ("prctl", 0, 67, "EPERM"),
        ("prctl", 0, 15, ALLOW),
        ("madvise", 2, 12, "EPERM"),
        ("madvise", 2, 21, "EPERM"),
        ("madvise", 2, 4, ALLOW),
        ("prctl", 0, 38, ALLOW),
        ("fcntl", 1, 6, "EPERM"),
        ("fcntl", 1, 3, ALLOW),
        ("fcntl", 1, 1031, "EPERM"),
        ("fcntl", 1, 1032, ALLOW),
        ("fcntl", 1, 1036, "EPERM"),
        ("fcntl", 1, 1038, "EPERM"),
        ("preadv2", 5, 8, errno.errorcode[errno.EOPNOTSUPP]),
        ("preadv2", 5, 0, ALLOW),
        ("fadvise64", 3, 4, IGNORE),
        ("futex", 1, 0, ALLOW),
        ("futex", 1, 0x100, ALLOW),
        ("futex", 1, 0x80, ALLOW),
        ("futex", 1, 0x81, ALLOW),
        ("futex", 1, 0x8A, ALLOW),
        ("futex", 1, 1, "EPERM"),
        ("futex", 1, 0x101, "EPERM"),
        ("futex", 1, 4, "EPERM"),
        ("futex", 1, 10, "EPERM"),
        ("futex", 1, 9, ALLOW),
    ],
)
def test_arguments_decide(
    monkeypatch: pytest.MonkeyPatch,
    machine: str,
    name: str,
    index: int,
    value: int,
    verdict: str,
) -> None:
    monkeypatch.setattr(seccomp, "_is_musl", lambda: False)
    program = seccomp.assemble(fork=False, shared=False, machine=machine)
    arguments = [0] * index + [value]
    assert judge(program, machine, NUMBERS[machine][name], *arguments) == verdict


def test_shared_memory_without_a_file_is_for_those_whom_a_group_holds(machine: str) -> None:
    number = NUMBERS[machine]["mmap"]
    for shared in (False, True):
        program = seccomp.assemble(fork=False, shared=shared, machine=machine)
        for flags in (0x21, 0x8021, 0x4021):
            assert judge(program, machine, number, 0, 4096, 3, flags) == "ENOMEM"
        for flags in (0x22, 0x01, 0x02, 0x4022, 0x20022):
            assert judge(program, machine, number, 0, 4096, 3, flags) == ALLOW
    for more in ({"held": True}, {"build": True}):
        program = seccomp.assemble(fork=False, shared=False, machine=machine, **more)
        assert judge(program, machine, number, 0, 4096, 3, 0x21) == ALLOW


def test_a_build_may_lock_files(machine: str) -> None:
    program = seccomp.assemble(fork=True, shared=False, build=True, machine=machine)
    assert judge(program, machine, NUMBERS[machine]["flock"]) == ALLOW
    assert judge(program, machine, NUMBERS[machine]["fcntl"], 0, 6) == ALLOW
    program = seccomp.assemble(fork=True, shared=False, machine=machine)
    assert judge(program, machine, NUMBERS[machine]["flock"]) == "EPERM"
    assert judge(program, machine, NUMBERS[machine]["fcntl"], 0, 6) == "EPERM"


def test_processes_that_may_fork_may_wake_each_other(machine: str) -> None:
    program = seccomp.assemble(fork=True, shared=False, machine=machine)
    assert judge(program, machine, NUMBERS[machine]["futex"], 0, 1) == ALLOW


def test_where_the_c_library_is_musl_threads_may_wake_each_other(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    monkeypatch.setattr(seccomp, "_is_musl", lambda: True)
    program = seccomp.assemble(fork=False, shared=False, machine=machine)
    assert judge(program, machine, NUMBERS[machine]["futex"], 0, 1) == ALLOW


def test_both_tables_hold_every_name_that_both_machines_know() -> None:
    only_old = """
    chmod chown fork futimesat inotify_init ioperm iopl lchown modify_ldt sysfs uselib ustat utime
    utimes vfork
    """
    assert set(NUMBERS["x86_64"]) - set(NUMBERS["aarch64"]) == set(only_old.split())
    assert set(NUMBERS["aarch64"]) <= set(NUMBERS["x86_64"])
    for table in NUMBERS.values():
        assert len(set(table.values())) == len(table)


def test_another_machine_is_refused() -> None:
    with pytest.raises(NotPossibleHere, match="riscv64"):
        seccomp.assemble(fork=False, shared=False, machine="riscv64")
