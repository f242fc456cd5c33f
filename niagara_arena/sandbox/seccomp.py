"""Assemble the system-call filter of a caged bot: a deny-list in classic BPF, for two machines.

A filter can look at a call's number and at the values of its arguments, not behind pointers. So
`clone3`, whose flags lie behind one, is refused as unknown, and every C library falls back to
`clone`, whose flags are looked at.

Refusals are errors, not kills: a runtime that probes for a feature finds it missing and goes on.
Calls newer than `NEWEST` are refused as unknown: nobody has judged them yet.
"""

from __future__ import annotations

import errno
import functools
import glob
import platform
import struct
from collections.abc import Iterable, Sequence

from niagara_arena.errors import NotPossibleHere
from niagara_arena.sandbox.syscalls import NUMBERS

__all__ = ["SELF", "assemble", "denied", "written"]

SELF = 0x5E1F5E1F
"""Stands for the bot's own pid; whoever installs the filter puts the real one in its place."""

NEWEST = 462
"""`mseal`, the last call of Linux 6.10."""

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000

_CLONE_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; NEWTIME needs clone3."""
_CLONE_THREAD = 0x00010000

# What no bot and no build needs. Refused with EPERM.
_NEVER = """
acct add_key adjtimex bpf chroot clock_adjtime clock_settime delete_module fanotify_init
fanotify_mark finit_module fsconfig fsmount fsopen fspick init_module ioperm iopl ioprio_set kcmp
kexec_file_load kexec_load keyctl lookup_dcookie memfd_secret migrate_pages modify_ldt mount
mount_setattr move_mount move_pages name_to_handle_at nfsservctl open_by_handle_at open_tree
perf_event_open personality pidfd_getfd pivot_root process_madvise process_mrelease
process_vm_readv process_vm_writev ptrace quotactl quotactl_fd reboot request_key
sched_setaffinity sched_setattr sched_setparam sched_setscheduler seccomp set_mempolicy_home_node
setdomainname sethostname setns setpriority settimeofday swapoff swapon sync syncfs sysfs syslog
umount2 unshare uselib userfaultfd ustat vhangup
""".split()

# What a program may probe for and do without. Refused with ENOSYS. Memory that belongs to no
# process (memfd, System V, message queues, rules for Landlock, huge pages of which a pipe holds a
# part) would escape every limit on processes; events of
# asynchronous I/O are counted for the whole machine, which one bot could leave without any.
_MISSING = """
cachestat clone3 futex_requeue futex_wait futex_waitv futex_wake io_setup io_uring_enter
io_uring_register io_uring_setup landlock_create_ruleset listmount memfd_create mq_getsetattr
mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl semget
semop semtimedop shmat shmctl shmdt shmget statmount vmsplice
""".split()

# Two bots that both see /usr could talk by watching or locking its files, by asking which of their
# pages are in memory, or by waking who waits on a word of them. What remains is timing.
_COVERT = ("flock", "inotify_add_watch", "inotify_init", "inotify_init1")
_FCNTL_LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1026, 1036, 1038)
"""F_GETLK, F_SETLK, F_SETLKW, the same for open file descriptions, F_SETLEASE, F_NOTIFY, and the
hints F_SET_RW_HINT and F_SET_FILE_RW_HINT, which an owner may leave on a file."""

_FCNTL_PIPES = (1031,)
"""F_SETPIPE_SZ: large pipes would use up what all pipes of a user may hold, ours among them."""
_FUTEX_WAKES = (1, 3, 4, 5, 10)
"""FUTEX_WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, WAKE_BITSET: between processes, if not private."""
_FUTEX_PRIVATE = 128
_PREADV2_NOWAIT = 8
_MAP_TYPE, _MAP_SHARED, _MAP_ANONYMOUS = 15, 1, 32

_IOCTL_TERMINAL = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: typing into a terminal."""
_PRCTL = (1, 22, 35, 36, 62, 67, 0x59616D61)
"""PR_SET_PDEATHSIG, SECCOMP, MM, CHILD_SUBREAPER, SCHED_CORE, MEMORY_MERGE, PTRACER."""
_MADVISE = (12, 21)
"""MADV_MERGEABLE: whether a page was merged with a rival's tells what the rival's holds.
MADV_PAGEOUT: an owner may have a file's pages forgotten, and ask which are."""

_INIT = (1,)
"""The first process of a namespace: past a limit of its CPU time the kernel would kill it, which
looks as if somebody outside had killed the cage."""

# Where a bot shares the host's processes, under the same uid perhaps.
_SHARED_NEVER = ("pidfd_open", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
# Landlock lets whoever owns a file change what it is called, allowed and marked with.
_ATTRIBUTES = """
chmod chown fchmod fchmodat fchmodat2 fchown fchownat fremovexattr fsetxattr futimesat lchown
lremovexattr lsetxattr removexattr setxattr utime utimensat utimes
""".split()
_SELF_ONLY = ("kill", "tgkill", "tkill")
_BY_CLOCK = ("clock_getres", "clock_gettime", "clock_nanosleep", "timer_create")
_CLOCK_OTHERS, _CLOCK_THREAD = 1 << 31, 4
"""Marks of a clock named by a pid, which may be a rival's; and of one that is a thread's, which
the kernel shows to its own process alone."""
_FCNTL_OWNERS = (8, 10, 15)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX: having the kernel signal another process."""
_IOCTL_KIND, _IOCTL_KIND_TERMINAL = 0xFF00, 0x5400
"""Which kind of file a request is for. Files have theirs, too, by which an owner changes what they
are marked with, and sockets and all others one by which the kernel signals another process."""


def assemble(
    *,
    fork: bool,
    shared: bool,
    build: bool = False,
    held: bool = False,
    machine: str | None = None,
) -> bytes:
    """Return the filter's program.

    `fork`: the bot may start processes (a build, or a bot that a cgroup holds). `shared`: there is
    no namespace between it and the host's processes. `build`: it may lock files. `held`: a control
    group counts its memory, what no process has mapped any more included.
    """
    machine = machine or platform.machine()
    if machine not in NUMBERS:
        raise NotPossibleHere(
            f"there is no system-call filter for {machine} machines",
            f"run on {' or '.join(sorted(NUMBERS))}, or without a cage: `--sandbox none`",
        )
    program = _Program(machine)
    for name in denied(fork=fork, shared=shared, build=build):
        program.refuse(name, _error_of(name))
    fcntls: tuple[int, ...] = ()
    if not build:
        fcntls += _FCNTL_LOCKS + _FCNTL_PIPES
        program.ignore("fadvise64")
        if not held:
            program.mmap()
        program.refuse_if_bit("preadv2", 5, _PREADV2_NOWAIT, errno.EOPNOTSUPP)
    if not fork and not _is_musl():
        program.futex()
    if shared:
        fcntls += _FCNTL_OWNERS
        program.refuse_unless("prlimit64", 0, (0, SELF))
        for name in _BY_CLOCK:
            program.clock_of_others(name)
        if not fork:
            for name in _SELF_ONLY:
                program.refuse_unless(name, 0, (SELF,))
    else:
        program.refuse_if("prlimit64", 0, _INIT)
    program.refuse_if("fcntl", 1, fcntls)
    program.ioctl(only_terminals=shared)
    program.refuse_if("prctl", 0, _PRCTL)
    program.refuse_if("madvise", 2, _MADVISE)
    program.clone(fork)
    return program.finish()


@functools.cache
def written(*, fork: bool, shared: bool, build: bool, held: bool) -> str:
    """Return this machine's filter as a plan holds it, assembled once."""
    return assemble(fork=fork, shared=shared, build=build, held=held).hex()


def denied(*, fork: bool, shared: bool, build: bool = False) -> tuple[str, ...]:
    """Name the calls that the filter refuses whatever their arguments, in order."""
    names = {*_NEVER, *_MISSING, "socket"}
    if not build:
        names |= {*_COVERT}
    if not fork:
        names |= {"setsid", "setpgid", "fork", "vfork"}
    if shared:
        names |= {*_SHARED_NEVER}
    if shared and not build:
        names |= {*_ATTRIBUTES}
    return tuple(sorted(names))


def _error_of(name: str) -> int:
    if name == "socket":
        return errno.EACCES
    return errno.ENOSYS if name in _MISSING else errno.EPERM


def _is_musl() -> bool:
    """Tell whether the C library is musl, whose threads wake each other as if across processes."""
    return bool(glob.glob("/lib/ld-musl-*"))


class _Program:
    """Collect instructions; each rule begins with the call's number in the accumulator."""

    def __init__(self, machine: str) -> None:
        self._numbers = NUMBERS[machine]
        self._code: list[bytes] = [
            _instruction(_LOAD, 0, 0, 4),
            _instruction(_EQUAL, 1, 0, _AUDIT[machine]),
            _instruction(_RETURN, 0, 0, _KILL),
            _instruction(_LOAD, 0, 0, 0),
            # This covers x32 as well, whose numbers begin at 0x40000000.
            _instruction(_AT_LEAST, 0, 1, NEWEST + 1),
            _instruction(_RETURN, 0, 0, _ERROR | errno.ENOSYS),
        ]

    def refuse(self, name: str, number: int) -> None:
        """Refuse a call with an error; a call that this machine does not have needs no rule."""
        self._rule(name, [_instruction(_RETURN, 0, 0, _ERROR | number)])

    def ignore(self, name: str) -> None:
        """Say yes to a call and do nothing: for advice."""
        self._rule(name, [_instruction(_RETURN, 0, 0, _ERROR)])

    def refuse_if_bit(self, name: str, argument: int, bits: int, number: int) -> None:
        """Refuse a call when an argument has any of the bits."""
        refuse = _instruction(_RETURN, 0, 0, _ERROR | number)
        test = _instruction(_ANY_BIT, 0, 1, bits)
        self._rule(name, [_argument(argument), test, refuse, _instruction(_RETURN, 0, 0, _ALLOW)])

    def mmap(self) -> None:
        """Refuse shared memory without a file, as if there was no memory left.

        A bot may fill it and unmap all but a page: no count of what is mapped tells of the rest.
        """
        body = [
            _argument(3),
            _instruction(_AND, 0, 0, _MAP_TYPE | _MAP_ANONYMOUS),
            _instruction(_EQUAL, 0, 1, _MAP_SHARED | _MAP_ANONYMOUS),
            _instruction(_RETURN, 0, 0, _ERROR | errno.ENOMEM),
        ]
        self._rule("mmap", [*body, _instruction(_RETURN, 0, 0, _ALLOW)])

    def futex(self) -> None:
        """Refuse to wake who waits in another process; joining a thread only waits."""
        values = _FUTEX_WAKES
        tests = [
            _instruction(_EQUAL, len(values) - place, 0, value)
            for place, value in enumerate(values)
        ]
        private = _instruction(_ANY_BIT, len(values) + 1, 0, _FUTEX_PRIVATE)
        allow = _instruction(_RETURN, 0, 0, _ALLOW)
        refuse = _instruction(_RETURN, 0, 0, _ERROR | errno.EPERM)
        mask = _instruction(_AND, 0, 0, _FUTEX_PRIVATE - 1)
        self._rule("futex", [_argument(1), private, mask, *tests, allow, refuse])

    def refuse_if(self, name: str, argument: int, values: Sequence[int]) -> None:
        """Refuse a call when the low word of an argument is one of `values`."""
        self._by_argument(name, argument, values, listed=_ERROR | errno.EPERM, other=_ALLOW)

    def refuse_unless(self, name: str, argument: int, values: Sequence[int]) -> None:
        """Refuse a call unless the low word of an argument is one of `values`."""
        self._by_argument(name, argument, values, listed=_ALLOW, other=_ERROR | errno.EPERM)

    def ioctl(self, *, only_terminals: bool) -> None:
        """Refuse to type into terminals, and what is for no terminal, as if nobody knew it."""
        first, second = _IOCTL_TERMINAL
        body = [
            _argument(1),
            _instruction(_EQUAL, 1, 0, first),
            _instruction(_EQUAL, 0, 1, second),
            _instruction(_RETURN, 0, 0, _ERROR | errno.EPERM),
        ]
        if only_terminals:
            body += [
                _instruction(_AND, 0, 0, _IOCTL_KIND),
                _instruction(_EQUAL, 1, 0, _IOCTL_KIND_TERMINAL),
                _instruction(_RETURN, 0, 0, _ERROR | errno.ENOTTY),
            ]
        self._rule("ioctl", [*body, _instruction(_RETURN, 0, 0, _ALLOW)])

    def clock_of_others(self, name: str) -> None:
        """Refuse the CPU clock of a process that is named by its pid."""
        by_pid = _instruction(_ANY_BIT, 0, 1, _CLOCK_OTHERS)
        of_thread = _instruction(_ANY_BIT, 0, 1, _CLOCK_THREAD)
        allow = _instruction(_RETURN, 0, 0, _ALLOW)
        refuse = _instruction(_RETURN, 0, 0, _ERROR | errno.EPERM)
        self._rule(name, [_argument(0), by_pid, of_thread, allow, refuse])

    def clone(self, fork: bool) -> None:
        """Refuse new namespaces, and without `fork` anything but a thread."""
        refuse = _instruction(_RETURN, 0, 0, _ERROR | errno.EPERM)
        body = [_argument(0), _instruction(_ANY_BIT, 0, 1, _CLONE_NAMESPACES), refuse]
        if not fork:
            body += [_instruction(_ANY_BIT, 1, 0, _CLONE_THREAD), refuse]
        self._rule("clone", [*body, _instruction(_RETURN, 0, 0, _ALLOW)])

    def finish(self) -> bytes:
        """Return the program, which allows what no rule has judged."""
        return b"".join([*self._code, _instruction(_RETURN, 0, 0, _ALLOW)])

    def _by_argument(
        self, name: str, argument: int, values: Sequence[int], listed: int, other: int
    ) -> None:
        if not values:
            return
        tests = [
            _instruction(_EQUAL, len(values) - place, 0, value)
            for place, value in enumerate(values)
        ]
        ends = [_instruction(_RETURN, 0, 0, other), _instruction(_RETURN, 0, 0, listed)]
        self._rule(name, [_argument(argument), *tests, *ends])

    def _rule(self, name: str, body: Iterable[bytes]) -> None:
        number = self._numbers.get(name)
        if number is not None:
            body = list(body)
            self._code += [_instruction(_EQUAL, 0, len(body), number), *body]


def _argument(index: int) -> bytes:
    """Load the low word of an argument; both machines are little-endian."""
    return _instruction(_LOAD, 0, 0, 16 + 8 * index)


def _instruction(code: int, if_true: int, if_false: int, value: int) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
