"""Call the kernel by number, around every wrapper that might be kind to us."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long

# name: (x86_64, the number most newer architectures share, such as aarch64; -1 where there is none)
_NUMBERS = {
    "ioctl": (16, 29), "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195),
    "clone": (56, 220), "fork": (57, -1), "vfork": (58, -1), "semget": (64, 190),
    "semctl": (66, 191), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "flock": (73, 32), "ptrace": (101, 117), "syslog": (103, 116),
    "setpgid": (109, 154), "setsid": (112, 157), "personality": (135, 92),
    "sched_setscheduler": (144, 119), "modify_ldt": (154, -1), "prctl": (157, 167),
    "futex": (202, 98), "io_setup": (206, 0), "set_tid_address": (218, 96), "exit": (60, 93),
    "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445),
    "mincore": (27, 232), "madvise": (28, 233),
    "chroot": (161, 51), "mount": (165, 40), "umount2": (166, 39), "swapon": (167, 224),
    "reboot": (169, 142), "sethostname": (170, 161), "iopl": (172, -1), "init_module": (175, 105),
    "setxattr": (188, 5), "fsetxattr": (190, 7), "timer_create": (222, 107), "mq_open": (240, 180),
    "mq_unlink": (241, 181), "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183),
    "kexec_load": (246, 104), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "ioprio_set": (251, 30), "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27), "unshare": (272, 97), "vmsplice": (278, 75),
    "perf_event_open": (298, 241), "fanotify_init": (300, 262), "prlimit64": (302, 261),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "setns": (308, 268),
    "process_vm_readv": (310, 270), "kcmp": (312, 272), "finit_module": (313, 273),
    "sched_setattr": (314, 274), "bpf": (321, 280), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "open_tree": (428, 428), "fsopen": (430, 430),
    "pidfd_open": (434, 434), "clone3": (435, 435), "pidfd_getfd": (438, 438),
    "memfd_secret": (447, 447), "getpid": (39, 172), "sysinfo": (99, 179),
}  # fmt: skip

X32 = 0x40000000
"""The bit that marks a call of the x32 ABI, which a careless filter does not look at."""


def is_x86() -> bool:
    """Tell whether this is 64-bit x86, with its older ABIs beside the main one."""
    return platform.machine() == "x86_64"


def number(name: str) -> int:
    """Look up a call's number on this machine; ENOSYS where it has none."""
    found = _NUMBERS[name][0 if is_x86() else 1]
    if found < 0:
        raise OSError(errno.ENOSYS, f"no {name} here")
    return found


def raw(nr: int, *args: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call by number; raise OSError where the kernel refuses it."""
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    result = int(_LIBC.syscall(ctypes.c_long(nr), *words))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def call(name: str, *args: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call by name."""
    return raw(number(name), *args)


def int80(nr: int) -> int:
    """Make a 32-bit system call without arguments from 64-bit code, through `int 0x80`."""
    if not is_x86():
        raise OSError(errno.ENOSYS, "no int 0x80 here")
    rights = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=rights)
    # push rbx; mov eax, nr; int 0x80; cdqe; pop rbx; ret
    page.write(b"\x53\xb8" + nr.to_bytes(4, "little") + b"\xcd\x80\x48\x98\x5b\xc3")
    code = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    result = int(code())
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    return result
