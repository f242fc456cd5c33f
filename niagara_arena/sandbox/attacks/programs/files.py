"""Read, write, fill and spoil files that are none of the bot's business."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import stat
import struct
import subprocess
from functools import partial

from . import syscalls
from .talk import Facts, attempt, first_that_works, refusal, say

_MOST = 65536


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(_MOST).decode("latin-1")


def _pids() -> list[str]:
    return sorted({"1", str(os.getppid()), *filter(str.isdigit, os.listdir("/proc"))}, key=int)


def _search(paths: list[str]) -> Facts:
    """Read all of the paths; hand over what could be read and why the rest could not."""
    found, refused = [], {}
    for path in paths:
        try:
            found.append(_read(path))
        except OSError as error:
            refused[refusal(error)] = path
    return {"text": "\0".join(found)[: 4 * _MOST], "refused": refused}


def read(told: Facts) -> Facts:
    """Read files by their names."""
    return _search(told["paths"])


def list_directory(told: Facts) -> Facts:
    """List a directory."""
    return {"text": " ".join(os.listdir(told["path"]))}


def inspect(told: Facts) -> Facts:
    """Learn that a file is there, its size and its time, without opening it."""
    found = os.stat(told["path"])
    return {"size": found.st_size, "mtime_ns": found.st_mtime_ns}


def read_through_proc(told: Facts) -> Facts:
    """Read a file through the root and working directories of other processes."""
    name = os.path.basename(told["path"])
    return _search(
        [f"/proc/{pid}/root{told['path']}" for pid in _pids()]
        + [f"/proc/{pid}/cwd/{name}" for pid in _pids()]
    )


def environments(told: Facts) -> Facts:
    """Read the environment of every process in sight, our own included."""
    return _search([f"/proc/{pid}/environ" for pid in [*_pids(), "self"]])


def command_lines(told: Facts) -> Facts:
    """Read the command line of every process in sight but our own."""
    return _search([f"/proc/{pid}/cmdline" for pid in _pids() if pid != str(os.getpid())])


def names(told: Facts) -> Facts:
    """Learn what the machine calls itself."""
    return {"text": " ".join(os.uname())}


def own_cgroup(told: Facts) -> Facts:
    """Learn the names of the control groups that we are in."""
    return _search(["/proc/self/cgroup", "/proc/self/mountinfo"])


def _print_all(paths: list[str]) -> Facts:
    refused = {}
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                say({"text": file.read(200_000)})
        except OSError as error:
            refused[path] = refusal(error)
    return {"refused": refused}


def list_sockets(told: Facts) -> Facts:
    """Print the names of the unix sockets in sight."""
    task = f"/proc/self/task/{os.getpid()}"
    return _print_all([f"{one}/net/unix" for one in ("/proc", "/proc/self", task)])


def list_mounts(told: Facts) -> Facts:
    """Print what is mounted where."""
    names = ("mountinfo", "task/1/mountinfo", f"task/{os.getpid()}/mountinfo")
    return _print_all([f"/proc/self/{name}" for name in names])


def own_path(told: Facts) -> Facts:
    """Find out where on the machine our own directory lies."""
    return _search(["/proc/self/mountinfo", "/proc/self/environ", "/proc/1/cmdline"]) | {
        "cwd": os.getcwd()
    }


def inherited(told: Facts) -> Facts:
    """Read from, and write to, every descriptor that was left open for us."""
    found, text = [], ""
    for fd in range(3, 512):
        if attempt(os.fstat, fd):
            continue
        found.append(fd)
        try:
            text += os.pread(fd, 4096, 0).decode("latin-1")
        except OSError:
            attempt(os.write, fd, told["secret"].encode())
    return {"text": text, "fds": found}


def write(told: Facts) -> Facts:
    """Make a new file, or a link, a pipe or a directory if that is all we may."""
    path, data = told["path"], told["secret"].encode()

    def new() -> None:
        with open(path, "xb") as file:
            file.write(data)

    return first_that_works(
        {
            "file": new,
            "directory": lambda: os.mkdir(path),
            "symlink": lambda: os.symlink(told["secret"], path),
            "fifo": lambda: os.mkfifo(path),
            "link": lambda: os.link(told.get("source", "/proc/self/exe"), path),
        }
    )


def spoil(told: Facts) -> Facts:
    """Change a file's content: append, overwrite in place, cut."""
    path, data = told["path"], told["secret"].encode()

    def put(flags: int) -> None:
        fd = os.open(path, os.O_WRONLY | flags)
        os.write(fd, data)
        os.close(fd)

    return first_that_works(
        {
            "append": lambda: put(os.O_APPEND),
            "overwrite": lambda: put(0),
            "empty": lambda: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)),
            "truncate": lambda: os.truncate(path, 1),
        }
    )


def remove(told: Facts) -> Facts:
    """Take a file away: rename it over, or delete it."""
    path = told["path"]
    return first_that_works(
        {"rename": lambda: os.rename(path, path + ".gone"), "unlink": lambda: os.unlink(path)}
    )


def change_mode(told: Facts) -> Facts:
    """Change who may read a file."""
    return {"refused": attempt(lambda: os.chmod(told["path"], 0o604))}


def change_time(told: Facts) -> Facts:
    """Change a file's times."""
    return {"refused": attempt(lambda: os.utime(told["path"], (86400, 86400)))}


def change_attributes(told: Facts) -> Facts:
    """Hang a note on a file where no listing shows it."""
    path, data = told["path"], told["secret"].encode()
    return {"refused": attempt(lambda: os.setxattr(path, "user.niagara", data))}


def mark(told: Facts) -> Facts:
    """Mark a file that it may only read as one that backups leave out."""
    fd = os.open(told["path"], os.O_RDONLY)
    return {"refused": attempt(fcntl.ioctl, fd, 0x40086602, struct.pack("=Q", 0x40))}


def touch_devices(told: Facts) -> Facts:
    """Set the times of devices, which every bot sees; whoever may write to them may do so."""
    return first_that_works({path: partial(os.utime, path) for path in told["paths"]})


def fill(told: Facts) -> Facts:
    """Write files into one directory after the other until told or refused."""
    written, refused = 0, {}
    block = b"\xa5" * (1 << 20)
    for directory in told["directories"]:
        try:
            for index in range(told["megabytes"] - (written >> 20)):
                name = os.path.join(directory, f"{told['secret']}-{index}")
                with open(name, "wb", buffering=0) as file:
                    written += file.write(block)
        except OSError as error:
            refused[directory] = refusal(error)
    return {"bytes": written, "refused": refused}


def one_large(told: Facts) -> Facts:
    """Write one file until told or refused; deaf to the signal that warns of its size."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for directory in told["directories"]:
        path = os.path.join(directory, told["secret"])
        if not attempt(_touch, path, os.O_CREAT | os.O_WRONLY):
            with open(path, "wb", buffering=0) as file:
                while file.tell() < told["bytes"]:
                    if attempt(file.write, b"\xa5" * (1 << 20)):
                        break
                return {"bytes": file.tell()}
    return {"refused": "no directory to write in"}


def crowd(told: Facts) -> Facts:
    """Make as many empty files as told, or as we may."""
    made, refused = 0, {}
    for directory in told["directories"]:
        try:
            for index in range(told["files"] - made):
                name = os.path.join(directory, f"{told['secret']}-{index}")
                os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o600))
                made += 1
        except OSError as error:
            refused[directory] = refusal(error)
    return {"files": made, "refused": refused}


def burrow(told: Facts) -> Facts:
    """Dig a folder too deep to be removed by recursion, and lock its door."""
    for directory in told["directories"]:
        if attempt(os.chdir, directory):
            continue
        if attempt(lambda: os.mkdir(told["secret"], 0o700)):
            continue
        os.chdir(told["secret"])
        depth = 0
        while depth < told["depth"] and not attempt(lambda: os.mkdir("d", 0o700)):
            os.chdir("d")
            depth += 1
        os.mkdir("locked", 0o000)
        return {"depth": depth, "directory": directory}
    return {"refused": "no directory to write in"}


def dump_core(told: Facts) -> Facts:
    """Leave an image of our memory behind: allow core files, then crash."""
    attempt(
        lambda: resource.setrlimit(
            resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2
        )
    )
    for directory in told["directories"]:
        if not attempt(os.chdir, directory):
            break
    os.kill(os.getpid(), signal.SIGABRT)
    return {}


def make_device(told: Facts) -> Facts:
    """Make a device node for the disk's numbers."""
    os.mknod(told["path"], stat.S_IFBLK | 0o600, os.makedev(7, 250))
    return {}


def _touch(path: str, flags: int) -> None:
    os.close(os.open(path, flags))


def read_devices(told: Facts) -> Facts:
    """Read the disks and the memory of the machine."""
    tried = {}
    for path in told["paths"]:
        tried[path] = attempt(_touch, path, os.O_RDONLY)
    return {"opened": [path for path, why in tried.items() if not why]}


def write_settings(told: Facts) -> Facts:
    """Open switches of the kernel for writing; turn none of them."""
    tried = {}
    for path in told["paths"]:
        tried[path] = attempt(_touch, path, os.O_WRONLY)
    return {"opened": [path for path, why in tried.items() if not why]}


def kernel_log(told: Facts) -> Facts:
    """Read the kernel's log, by call and by device."""
    import ctypes  # noqa: PLC0415 - only this attack of the group needs it

    buffer = ctypes.create_string_buffer(1 << 16)
    why = attempt(lambda: syscalls.call("syslog", 3, buffer, len(buffer)))
    if not why:
        return {"text": buffer.value.decode("latin-1")[:_MOST]}
    fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    return {"text": os.read(fd, 8192).decode("latin-1")}


def write_kernel_log(told: Facts) -> Facts:
    """Write a line into the kernel's log."""
    fd = os.open("/dev/kmsg", os.O_WRONLY)
    os.write(fd, f"<7>{told['secret']}\n".encode())
    return {}


def run_setuid(told: Facts) -> Facts:
    """Become a program that runs as root; the runner looks who we are then."""
    for path in told["paths"]:
        attempt(os.execv, path, [path, *told["argv"]])
    return {"refused": "none of them runs"}


def run_shell(told: Facts) -> Facts:
    """Start a shell and let it make a file."""
    subprocess.run(["/bin/sh", "-c", f"echo x > {told['path']}"], check=True, timeout=5)
    return {}
