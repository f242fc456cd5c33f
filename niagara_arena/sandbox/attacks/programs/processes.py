"""Look at, touch and multiply processes."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from . import syscalls
from .talk import Facts, attempt, first_that_works, listen, refusal, say

_CLONE_VM_VFORK = 0x100 | 0x4000
_PTRACE_ATTACH, _PTRACE_SEIZE = 16, 0x4206


def victim(told: Facts) -> Facts:
    """Hold a secret in memory and in a descriptor, and wait."""
    secret = ctypes.create_string_buffer(told["secret"].encode())
    reader, writer = os.pipe()
    os.write(writer, told["secret"].encode())
    say({"address": ctypes.addressof(secret), "length": len(secret), "fd": reader})
    listen()
    return {}


def look(told: Facts) -> Facts:
    """Name every process in sight with the moment it began."""
    seen = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
                seen[pid] = int(file.read().rpartition(")")[2].split()[19])
        except OSError:
            continue
    return {"seen": seen}


def _signal_by_descriptor(pid: int) -> None:
    signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGTERM)


def signal_them(told: Facts) -> Facts:
    """Send a deadly signal to others, by pid and by pidfd."""
    ways = {}
    for pid in told["pids"]:
        ways[f"kill {pid}"] = attempt(os.kill, pid, signal.SIGTERM)
        ways[f"pidfd {pid}"] = attempt(_signal_by_descriptor, pid)
    return {"refused": ways}


def signal_everybody(told: Facts) -> Facts:
    """Ask whether we could signal anybody at all; signal 0 hurts nobody."""
    os.kill(-1, 0)
    return {"reached": True}


def trace(told: Facts) -> Facts:
    """Take hold of others with ptrace."""
    for pid in told["pids"]:
        for request in (_PTRACE_SEIZE, _PTRACE_ATTACH):
            attempt(syscalls.call, "ptrace", request, pid, 0, 0)
    return {}


def _peek(pid: int, address: int, length: int) -> str:
    here = ctypes.create_string_buffer(length)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(here), length)
    remote = (ctypes.c_size_t * 2)(address, length)
    syscalls.call(
        "process_vm_readv", pid, ctypes.addressof(local), 1, ctypes.addressof(remote), 1, 0
    )
    return here.value.decode("latin-1")


def read_memory(told: Facts) -> Facts:
    """Read the memory of others by process_vm_readv."""
    text, refused = "", {}
    for pid, address, length in told["targets"]:
        try:
            text += _peek(pid, address, length)
        except OSError as error:
            refused[pid] = refusal(error)
    return {"text": text, "refused": refused}


def read_proc_memory(told: Facts) -> Facts:
    """Read the memory of others through /proc."""
    text, refused = "", {}
    for pid, address, length in told["targets"]:
        try:
            with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
                text += os.pread(file.fileno(), length, address).decode("latin-1")
        except OSError as error:
            refused[pid] = refusal(error)
    return {"text": text, "refused": refused}


def _rewrite(pid: int) -> None:
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        stacks = [line for line in file if "[stack]" in line]
    if not stacks:
        raise ValueError("no stack to be seen")
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        end = int(stacks[0].split("-")[0], 16)  # where nothing is kept; and we change nothing
        memory.seek(end)
        held = memory.read(8)
        memory.seek(end)
        memory.write(held)


def rewrite_parent(told: Facts) -> Facts:
    """Write into the process that started us, which nobody times or freezes."""
    return first_that_works({"parent": lambda: _rewrite(os.getppid())})


def read_clock(told: Facts) -> Facts:
    """Read how much CPU time others have used, or wait for it."""
    ways: dict[str, Callable[[], Any]] = {}
    for pid in told["pids"]:
        clock = (~pid) << 3 | 2
        ways[f"gettime {pid}"] = partial(time.clock_gettime, clock)
        ways[f"timer {pid}"] = partial(
            syscalls.call, "timer_create", clock, None, ctypes.create_string_buffer(8)
        )
    return first_that_works(ways)


def take_descriptor(told: Facts) -> Facts:
    """Copy an open descriptor out of others, by pidfd_getfd or through /proc."""
    text = ""
    for pid, fd in told["targets"]:
        try:
            text += os.read(syscalls.call("pidfd_getfd", os.pidfd_open(pid), fd, 0), 256).decode()
            continue
        except OSError:
            pass
        try:
            mine = os.open(f"/proc/{pid}/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK)
            text += os.read(mine, 256).decode("latin-1")
        except OSError:
            continue
    return {"text": text}


def speak_for(told: Facts) -> Facts:
    """Write a line into the stdout of others: a move in a rival's name."""
    for pid in told["pids"]:
        try:
            fd = os.open(f"/proc/{pid}/fd/1", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            continue
        os.write(fd, f'{{"forged":"{told["secret"]}"}}\n'.encode())
    return {}


def hamper(told: Facts) -> Facts:
    """Slow others down: renice them, move them, cut their limits."""
    ways = {}
    for pid in told["pids"]:
        ways[f"nice {pid}"] = attempt(os.setpriority, os.PRIO_PROCESS, pid, 11)
        ways[f"limits {pid}"] = attempt(resource.prlimit, pid, resource.RLIMIT_NOFILE, (77, 77))
    return {"refused": ways}


def doom(told: Facts) -> Facts:
    """Give another process so little CPU time that the kernel will kill it."""
    return {"refused": attempt(resource.prlimit, told["pid"], resource.RLIMIT_CPU, (29, 29))}


def _idle_child() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(20)  # bounded: a child that nobody kills ends by itself
    while True:
        signal.pause()


def _burning_child() -> None:
    ends = time.monotonic() + 3
    while time.monotonic() < ends:
        pass
    os._exit(0)


def _fork(body: object = None) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            (body if callable(body) else _idle_child)()
        finally:
            os._exit(0)
    return pid


def _raw_child(made: int) -> None:
    if made == 0:
        _idle_child()


def _clone3(flags: int) -> None:
    arguments = ctypes.create_string_buffer(88)
    ctypes.c_uint64.from_buffer(arguments, 0).value = flags
    ctypes.c_uint64.from_buffer(arguments, 32).value = signal.SIGCHLD
    _raw_child(syscalls.call("clone3", arguments, 88))


def fork(told: Facts) -> Facts:
    """Start another process, by any of the calls that can."""
    return first_that_works(
        {
            "fork": _fork,
            "fork by number": lambda: _raw_child(syscalls.call("fork")),
            "clone": lambda: _raw_child(syscalls.call("clone", signal.SIGCHLD, 0, 0, 0, 0)),
            "clone beside us": lambda: _raw_child(
                syscalls.call("clone", 0x8000 | signal.SIGCHLD, 0, 0, 0, 0)  # CLONE_PARENT
            ),
            "clone3": lambda: _clone3(0),
            "spawn": lambda: os.posix_spawn("/usr/bin/sleep", ["sleep", "20"], {}),
        }
    )


def new_namespace_child(told: Facts) -> Facts:
    """Start a child that is root of a user namespace of its own."""
    flags = 0x10000000 | signal.SIGCHLD
    return first_that_works(
        {
            "clone": lambda: _raw_child(syscalls.call("clone", flags, 0, 0, 0, 0)),
            "clone3": lambda: _clone3(0x10000000),
        }
    )


def fork_bomb(told: Facts) -> Facts:
    """Fork until told or refused."""
    made = 0
    while made < told["count"] and not attempt(_fork):
        made += 1
    return {"made": made}


def zombies(told: Facts) -> Facts:
    """Leave dead children unburied until told or refused."""
    made = 0
    while made < told["count"] and not attempt(lambda: _fork(lambda: os._exit(0))):
        made += 1
    return {"made": made}


def thread_bomb(told: Facts) -> Facts:
    """Start threads until told or refused."""
    gate = threading.Event()
    threading.stack_size(65536)
    made = 0
    while made < told["count"] and not attempt(
        lambda: threading.Thread(target=gate.wait, daemon=True).start()
    ):
        made += 1
    return {"made": made}


def daemon(told: Facts) -> Facts:
    """Leave the process tree by two forks and a new session, deaf to polite signals."""

    def leave() -> None:
        attempt(os.setsid)
        for deaf in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(deaf, signal.SIG_IGN)
        _fork()
        os._exit(0)

    os.waitpid(_fork(leave), 0)
    return {}


def new_session(told: Facts) -> Facts:
    """Leave the session and process group that the runner would kill."""
    return first_that_works({"setsid": os.setsid, "setpgid": lambda: os.setpgid(0, 0)})


def take_timers(told: Facts) -> Facts:
    """Make as many kernel timers as told; for each the kernel keeps a signal ready."""
    made = 0
    for _ in range(told["count"]):
        why = attempt(syscalls.call, "timer_create", 1, None, ctypes.create_string_buffer(8))
        if why:
            return {"made": made, "refused": why}
        made += 1
    return {"made": made}


def burn_by_children(told: Facts) -> Facts:
    """Let a child think for us, and go on thinking while we are stopped."""
    reader, writer = os.pipe()

    def leave_and_burn() -> None:
        attempt(os.setsid)  # out of the group that is stopped together
        os.write(writer, b"x")
        _burning_child()

    _fork(leave_and_burn)
    os.read(reader, 1)
    return {}


def burn(told: Facts) -> Facts:
    """Burn CPU past the limit, deaf to the warning."""
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    attempt(lambda: resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2))
    ends = time.process_time() + told["seconds"]
    while time.process_time() < ends:
        pass
    return {"burnt": time.process_time()}


def outlive(told: Facts) -> Facts:
    """Clear every string that ties us to the runner, then wait for its death."""
    attempt(syscalls.call, "prctl", 1, 0, 0, 0, 0)  # PR_SET_PDEATHSIG: none
    attempt(os.setsid)
    for deaf in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
        signal.signal(deaf, signal.SIG_IGN)
    if told.get("fork"):
        attempt(_fork)
    say({"ready": True})
    time.sleep(20)
    return {}


def threads_outlive_main(told: Facts) -> Facts:
    """Let the first thread end while others go on, so that the process looks like a zombie."""
    threading.Thread(target=time.sleep, args=(20,)).start()
    say({"ready": True})
    libc = ctypes.CDLL(None)
    libc.pthread_exit(None)
    return {}


def run_program(told: Facts) -> Facts:
    """Start another program."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"])
    return {}


def kill_watchers(told: Facts) -> Facts:
    """Kill our parent and its parent, where we can see them, and live on."""
    attempt(syscalls.call, "prctl", 1, 0, 0, 0, 0)
    attempt(os.setsid)
    watchers = []
    pid = os.getppid()
    for _ in range(2):
        if pid < 2:
            break
        watchers.append(pid)
        try:
            with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            break
    for watcher in reversed(watchers):
        attempt(os.kill, watcher, signal.SIGKILL)
    say({"ready": True})
    time.sleep(20)
    return {}


def hoard_by_children(told: Facts) -> Facts:
    """Let each of several children hold a part of what we may not hold together."""

    def hoard() -> None:
        held = bytearray(b"\xa5") * told["bytes"]
        os.write(writer, b"x")
        _idle_child()
        del held

    reader, writer = os.pipe()
    for _ in range(told["count"]):
        _fork(hoard)
        os.read(reader, 1)
    return {}


def hot_potato(told: Facts) -> Facts:
    """Pass life from child to child without end, waking everybody: whoever freezes us is late."""

    def catch() -> None:
        ends = time.monotonic() + 4
        attempt(os.setsid)
        while time.monotonic() < ends:
            attempt(os.kill, told_pid, signal.SIGCONT)
            attempt(os.write, 2, b".")
            try:
                if os.fork():
                    os._exit(0)
            except OSError:
                pass
        os._exit(0)

    told_pid = os.getpid()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(3):
        _fork(catch)
    return {}
