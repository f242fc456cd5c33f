"""Ask the kernel for doors and rights that no bot needs."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import resource
import signal
import struct
import termios
from collections.abc import Callable
from functools import partial
from typing import Any

from . import syscalls
from .talk import Facts, attempt, first_that_works

_NEW = {"user": 0x10000000, "mount": 0x20000, "net": 0x40000000, "pid": 0x20000000}


def mount(told: Facts) -> Facts:
    """Mount a filesystem over a directory."""
    source, path = told["secret"].encode(), told["path"].encode()
    syscalls.call("mount", source, path, b"tmpfs", 0, b"size=65536")
    return {}


def mount_by_descriptors(told: Facts) -> Facts:
    """Begin a mount by the newer calls, which older filters do not know."""
    return first_that_works(
        {
            "fsopen": lambda: syscalls.call("fsopen", b"tmpfs", 0),
            "open_tree": lambda: syscalls.call("open_tree", -100, b"/", 1),
        }
    )


def unshare(told: Facts) -> Facts:
    """Enter namespaces of our own, where we would be root."""
    return first_that_works(
        {name: partial(syscalls.call, "unshare", flag) for name, flag in _NEW.items()}
    )


def _join(path: str) -> None:
    syscalls.call("setns", os.open(path, os.O_RDONLY), 0)


def enter_namespace(told: Facts) -> Facts:
    """Enter the namespaces of others."""
    ways: dict[str, Callable[[], Any]] = {}
    for pid in told["pids"]:
        for kind in ("user", "mnt", "net", "ipc"):
            path = f"/proc/{pid}/ns/{kind}"
            ways[path] = partial(_join, path)
    return first_that_works(ways)


def change_root(told: Facts) -> Facts:
    """Change our root directory, the first step out of many cages."""
    os.chroot("/tmp")
    return {"entered": True}


def async_io(told: Facts) -> Facts:
    """Take many of the events that asynchronous I/O has for the whole machine, and keep them."""
    syscalls.call("io_setup", told["count"], ctypes.create_string_buffer(8))
    return {"opened": True}


def io_uring(told: Facts) -> Facts:
    """Set up a ring whose requests no filter sees."""
    syscalls.call("io_uring_setup", 2, ctypes.create_string_buffer(120))
    return {"opened": True}


def bpf(told: Facts) -> Facts:
    """Load code into the kernel: a map first, then the smallest program."""
    attributes = ctypes.create_string_buffer(struct.pack("=IIIII", 2, 4, 4, 1, 0), 128)
    code = ctypes.create_string_buffer(
        bytes([0xB7, 0, 0, 0, 0, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0]), 16
    )
    licence = ctypes.create_string_buffer(b"GPL")
    program = ctypes.create_string_buffer(
        struct.pack("=IIQQ", 1, 2, ctypes.addressof(code), ctypes.addressof(licence)), 128
    )
    return first_that_works(
        {
            "map": lambda: syscalls.call("bpf", 0, attributes, 128),
            "program": lambda: syscalls.call("bpf", 5, program, 128),
        }
    )


def userfaultfd(told: Facts) -> Facts:
    """Take over our own page faults, the usual helper of kernel exploits."""
    return first_that_works(
        {
            "call": lambda: syscalls.call("userfaultfd", os.O_CLOEXEC | os.O_NONBLOCK),
            "user only": lambda: syscalls.call("userfaultfd", os.O_CLOEXEC | 1),
            "device": lambda: os.open("/dev/userfaultfd", os.O_RDWR),
        }
    )


def perf(told: Facts) -> Facts:
    """Open a performance counter on ourselves."""
    attributes = ctypes.create_string_buffer(128)
    struct.pack_into("=IIQ", attributes, 0, 1, 128, 0)
    struct.pack_into("=Q", attributes, 40, 1 << 5 | 1 << 6)  # not in kernel, not in hypervisor
    syscalls.call("perf_event_open", attributes, 0, -1, -1, 0)
    return {"opened": True}


def merge_pages(told: Facts) -> Facts:
    """Have equal pages merged: writing to one then takes longer if a rival holds the same."""
    page = mmap.mmap(-1, 65536, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return first_that_works(
        {
            "madvise": lambda: page.madvise(12),
            "prctl": lambda: syscalls.call("prctl", 67, 1, 0, 0, 0),
        }
    )


def keyring(told: Facts) -> Facts:
    """Put a key into the session's and the user's keyring."""
    data = told["secret"].encode()

    def add(ring: int) -> None:
        key = syscalls.call("add_key", b"user", data, data, len(data), ring)
        syscalls.call("keyctl", 15, key, 60)  # bounded: it goes by itself

    return first_that_works({f"keyring {ring}": partial(add, ring) for ring in (-4, -3, -2)})


def fanotify(told: Facts) -> Facts:
    """Watch a whole filesystem."""
    syscalls.call("fanotify_init", 0x200, 0)  # FAN_REPORT_FID needs no right since Linux 5.13
    return {"opened": True}


def open_by_handle(told: Facts) -> Facts:
    """Open a file by its number instead of its name, around every path rule."""
    handle = ctypes.create_string_buffer(8 + 128)
    struct.pack_into("=I", handle, 0, 128)
    mount_id = ctypes.create_string_buffer(4)
    path = told["path"].encode()
    why = attempt(lambda: syscalls.call("name_to_handle_at", -100, path, handle, mount_id, 0))
    if why:
        # Guess: inode 2 is the root of most filesystems.
        struct.pack_into("=IIII", handle, 0, 8, 1, 2, 0)
    fd = syscalls.call("open_by_handle_at", os.open("/usr", os.O_RDONLY), handle, os.O_RDONLY)
    return {"text": os.read(fd, 4096).decode("latin-1")}


def machine(told: Facts) -> Facts:
    """Ask for what ends or replaces the system, with arguments that can do nothing."""
    tried = {
        # Each asks for the right first and looks at the nonsense after: EPERM means no right.
        "reboot": attempt(lambda: syscalls.call("reboot", 0, 0, 0, None)),
        "swapon": attempt(lambda: syscalls.call("swapon", b"/nowhere", 0)),
        "init_module": attempt(lambda: syscalls.call("init_module", b"", 0, b"")),
        "kexec_load": attempt(lambda: syscalls.call("kexec_load", 0, 99, None, 0)),
        "sethostname": attempt(lambda: syscalls.call("sethostname", b"x", 1 << 20)),
    }
    reached = [name for name, why in tried.items() if why not in ("EPERM", "ENOSYS", "EACCES")]
    return {"reached": reached, "refused": tried}


def personality(told: Facts) -> Facts:
    """Switch off address randomisation, for whatever is executed next."""
    syscalls.call("personality", 0x0040000)
    return {}


def x32(told: Facts) -> Facts:
    """Call the kernel through the x32 ABI, whose numbers a filter may not know."""
    return {"pid": syscalls.raw(syscalls.X32 | syscalls.number("getpid"))}


def int80(told: Facts) -> Facts:
    """Call the kernel through the 32-bit door, where the same numbers mean other calls."""
    return {"pid": syscalls.int80(20)}


def segments(told: Facts) -> Facts:
    """Write an entry of the processor's local descriptor table."""
    entry = ctypes.create_string_buffer(struct.pack("=IIII", 0, 0, 0xFFFFF, 0b1010001), 16)
    syscalls.call("modify_ldt", 1, entry, 16)
    return {"opened": True}


def ports(told: Facts) -> Facts:
    """Ask for the machine's I/O ports."""
    syscalls.call("iopl", 3)
    return {"opened": True}


def push_keys(told: Facts) -> Facts:
    """Type into a terminal in somebody else's name, the runner's if we share it."""
    ways = []
    if not attempt(lambda: ways.append(os.open("/dev/tty", os.O_RDWR))):
        return {"terminal": "the runner's"}
    master, slave = os.openpty()
    attempt(os.setsid)
    attempt(lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0))
    settings = termios.tcgetattr(slave)
    settings[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(slave, termios.TCSANOW, settings)
    fcntl.ioctl(slave, termios.TIOCSTI, b"x")
    os.set_blocking(slave, False)
    return {"text": os.read(slave, 1).decode(), "terminal": "our own", "master": master}


def unpin(told: Facts) -> Facts:
    """Leave the core that we were put on."""
    os.sched_setaffinity(0, range(told["cores"]))
    return {}


def reschedule(told: Facts) -> Facts:
    """Change our scheduling class, by each call that can."""
    attributes = ctypes.create_string_buffer(struct.pack("=IIQiIQQQ", 48, 3, 0, 0, 0, 0, 0, 0), 48)
    return first_that_works(
        {
            "fifo": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
            "batch": lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
            "setattr": lambda: syscalls.call("sched_setattr", 0, attributes, 0),
        }
    )


def renice(told: Facts) -> Facts:
    """Change our own weight, upwards if we may."""
    return first_that_works(
        {
            "up": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
            "down": lambda: os.setpriority(os.PRIO_PROCESS, 0, 17),
        }
    )


def reweigh_io(told: Facts) -> Facts:
    """Change our disk priority: real-time if we may, else the highest of the usual."""
    return first_that_works(
        {
            "realtime": lambda: syscalls.call("ioprio_set", 1, 0, 1 << 13),
            "best effort": lambda: syscalls.call("ioprio_set", 1, 0, 2 << 13),
        }
    )


def raise_limits(told: Facts) -> Facts:
    """Raise every limit that was set for us."""
    kinds = ("NOFILE", "NPROC", "DATA", "FSIZE", "CPU", "CORE", "MEMLOCK", "MSGQUEUE")
    worked = []
    for kind in kinds:
        which = getattr(resource, f"RLIMIT_{kind}", 12)  # 12: MSGQUEUE, which Python lacks
        hard = resource.getrlimit(which)[1]
        if hard != resource.RLIM_INFINITY and not attempt(
            resource.setrlimit, which, (hard, hard * 2 + 1)
        ):
            worked.append(kind)
    return {"raised": worked}


def leave_cgroup(told: Facts) -> Facts:
    """Move ourselves into the machine's first control group, out of any limit."""
    ways = {}
    for top in ["/sys/fs/cgroup", *(f"/sys/fs/cgroup/{n}" for n in ("memory", "pids", "unified"))]:
        path = f"{top}/cgroup.procs"

        def move(path: str = path) -> None:
            with open(path, "w", encoding="ascii") as file:
                file.write("0")

        ways[path] = move
    worked = [path for path, way in ways.items() if not attempt(way)]
    return {"worked": worked}


def shield_from_oom(told: Facts) -> Facts:
    """Let the kernel kill others when memory runs out."""
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("-500")
    return {}


def crash_handlers(told: Facts) -> Facts:
    """Become the one whom every signal storms: a timer each 20 microseconds, for a while."""
    storm = [0]

    def count(number: int, frame: object) -> None:
        storm[0] += 1

    signal.signal(signal.SIGALRM, count)
    signal.setitimer(signal.ITIMER_REAL, 0.00002, 0.00002)
    while storm[0] < 2000:
        signal.pause()
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {"signals": storm[0]}


def nothing(told: Facts) -> Facts:
    """Do nothing; the runner looks at us from outside."""
    return {}
