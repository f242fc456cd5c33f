"""Carry a message from one bot to another, who should not know of each other.

Every channel has a sender and a receiver of the same name, in `SEND` and `RECEIVE`. A byte channel
must carry the secret whole; a bit channel carries `told["bits"]`, enough of them that luck is
ruled out. The runner starts the sender first; the receiver answers with what it got.
"""

from __future__ import annotations

import _thread
import concurrent.futures
import contextlib
import ctypes
import fcntl
import glob
import mmap
import os
import random
import select
import socket
import struct
import threading
import time
from collections.abc import Callable

from . import syscalls
from .talk import Facts, attempt, listen, say


def send(told: Facts) -> Facts:
    """Send over the channel named, and stay alive until told."""
    held = SEND[told["channel"]](told)
    say({"sent": True, "held": bool(held)})
    listen()
    return {}


def receive(told: Facts) -> Facts:
    """Receive from the channel named."""
    return {"text": RECEIVE[told["channel"]](told)}


def _send_file(told: Facts) -> object:
    for directory in told["directories"]:
        try:
            with open(os.path.join(directory, told["name"]), "w", encoding="ascii") as file:
                file.write(told["secret"])
            os.chmod(file.name, 0o644)
        except OSError:
            continue
    return None


def _receive_file(told: Facts) -> str:
    text = ""
    for directory in told["directories"]:
        try:
            with open(os.path.join(directory, told["name"]), encoding="ascii") as file:
                text += file.read()
        except OSError:
            continue
    return text


def _send_system_v_memory(told: Facts) -> object:
    segment = syscalls.call("shmget", told["key"], 4096, 0o1666)
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    secret = told["secret"].encode() + b"\0"
    ctypes.memmove(libc.shmat(segment, None, 0), secret, len(secret))
    return segment


def _receive_system_v_memory(told: Facts) -> str:
    segment = syscalls.call("shmget", told["key"], 0, 0)
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    text = ctypes.string_at(libc.shmat(segment, None, 0)).decode()
    syscalls.call("shmctl", segment, 0, None)
    return text


def _send_system_v_queue(told: Facts) -> object:
    queue = syscalls.call("msgget", told["key"], 0o1666)
    secret = told["secret"].encode()
    message = ctypes.create_string_buffer(struct.pack("=q", 1) + secret)
    return syscalls.call("msgsnd", queue, message, len(secret), 0)


def _receive_system_v_queue(told: Facts) -> str:
    queue = syscalls.call("msgget", told["key"], 0)
    message = ctypes.create_string_buffer(256)
    got = syscalls.call("msgrcv", queue, message, 248, 0, 0o4000)
    syscalls.call("msgctl", queue, 0, None)
    return message.raw[8 : 8 + got].decode()


def _send_system_v_semaphores(told: Facts) -> object:
    bits = told["bits"]
    group = syscalls.call("semget", told["key"], len(bits), 0o1666)
    for index, bit in enumerate(bits):
        syscalls.call("semctl", group, index, 16, int(bit))  # SETVAL
    return group


def _receive_system_v_semaphores(told: Facts) -> str:
    count = len(told["bits"])
    group = syscalls.call("semget", told["key"], 0, 0)
    bits = "".join(str(syscalls.call("semctl", group, index, 12, 0)) for index in range(count))
    syscalls.call("semctl", group, 0, 0, 0)
    return bits


def _send_posix_queue(told: Facts) -> object:
    attributes = ctypes.create_string_buffer(struct.pack("=qqqq", 0, 2, 128, 0), 64)
    name, secret = told["name"].encode(), told["secret"].encode()
    os.umask(0)
    queue = syscalls.call("mq_open", name, os.O_CREAT | os.O_RDWR, 0o666, attributes)
    return syscalls.call("mq_timedsend", queue, secret, len(secret), 0, None)


def _receive_posix_queue(told: Facts) -> str:
    name = told["name"].encode()
    queue = syscalls.call("mq_open", name, os.O_RDONLY | os.O_NONBLOCK, 0, None)
    message = ctypes.create_string_buffer(128)
    got = syscalls.call("mq_timedreceive", queue, message, 128, None, None)
    syscalls.call("mq_unlink", name)
    return message.raw[:got].decode()


def _send_keyring(told: Facts) -> object:
    secret, name = told["secret"].encode(), told["name"].encode()
    key = syscalls.call("add_key", b"user", name, secret, len(secret), -4)
    syscalls.call("keyctl", 5, key, 0x3F3F3F3F)  # anybody may do anything with it
    syscalls.call("keyctl", 15, key, 60)  # bounded: it goes by itself
    return key


def _receive_keyring(told: Facts) -> str:
    name, buffer = told["name"].encode(), ctypes.create_string_buffer(256)
    key = syscalls.call("keyctl", 10, -4, b"user", name, 0)  # KEYCTL_SEARCH
    got = syscalls.call("keyctl", 11, key, buffer, 256)  # KEYCTL_READ
    syscalls.call("keyctl", 3, key)  # KEYCTL_REVOKE
    return buffer.raw[:got].decode()


def _send_abstract(told: Facts) -> object:
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.bind("\0" + told["name"])
    door.listen()

    def serve() -> None:
        guest, _ = door.accept()
        guest.sendall(told["secret"].encode())
        guest.close()

    threading.Thread(target=serve, daemon=True).start()
    return door


def _receive_abstract(told: Facts) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(2)
        line.connect("\0" + told["name"])
        return line.recv(256).decode()


def _candidates() -> list[str]:
    """List files of middling size that are the same in every cage; no deep search, for speed."""
    found = []
    for top in (os.path.dirname(os.__file__), "/usr/bin", "/usr/lib", *glob.glob("/usr/lib/*gnu*")):
        with os.scandir(top) as entries:
            for entry in entries:
                size = entry.stat(follow_symlinks=False).st_size
                if entry.is_file(follow_symlinks=False) and 8192 < size < 262144:
                    found.append(entry.path)
    return sorted(found)


def _shared_files(told: Facts) -> list[str]:
    """Agree on files that every bot can read, one for each bit of the message."""
    return random.Random(told["key"]).sample(_candidates(), len(told["bits"]))


def _send_flock(told: Facts) -> object:
    held = []
    for path, bit in zip(_shared_files(told), told["bits"], strict=True):
        if bit == "1":
            held.append(os.open(path, os.O_RDONLY))
            # Somebody else's lock on it will do as well.
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    _HELD.append(held)
    return held


def _receive_flock(told: Facts) -> str:
    bits = ""
    for path in _shared_files(told):
        fd = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            bits += "0"
        except BlockingIOError:
            bits += "1"
        os.close(fd)
    return bits


_FLOCK = "=hhxxxxqqixxxx"


def _send_record_locks(told: Facts) -> object:
    fd = os.open(_shared_files(told)[0], os.O_RDONLY)
    for index, bit in enumerate(told["bits"]):
        if bit == "1":
            record = struct.pack(_FLOCK, fcntl.F_RDLCK, 0, 2 * index, 1, 0)
            fcntl.fcntl(fd, fcntl.F_SETLK, record)
    _HELD.append([fd])
    return fd


def _receive_record_locks(told: Facts) -> str:
    fd, bits = os.open(_shared_files(told)[0], os.O_RDONLY), ""
    for index in range(len(told["bits"])):
        # Asking whether one could write-lock needs no right to write.
        record = struct.pack(_FLOCK, fcntl.F_WRLCK, 0, 2 * index, 1, 0)
        answer = fcntl.fcntl(fd, fcntl.F_GETLK, record)
        bits += "0" if struct.unpack(_FLOCK, answer)[0] == fcntl.F_UNLCK else "1"
    return bits


def _receive_inotify(told: Facts) -> str:
    """Watch shared files; the runner lets the other bot open some of them meanwhile."""
    paths = _shared_files(told)
    watcher = syscalls.call("inotify_init1", os.O_NONBLOCK)
    watches = [syscalls.call("inotify_add_watch", watcher, p.encode(), 0x20) for p in paths]
    say({"sent": True})
    listen()
    seen = set()
    while select.select([watcher], [], [], 0.3)[0]:
        data = os.read(watcher, 65536)
        while data:
            seen.add(struct.unpack_from("=i", data)[0])
            data = data[16 + struct.unpack_from("=I", data, 12)[0] :]
    return "".join("1" if watch in seen else "0" for watch in watches)


def _send_inotify(told: Facts) -> object:
    for path, bit in zip(_shared_files(told), told["bits"], strict=True):
        if bit == "1":
            os.close(os.open(path, os.O_RDONLY))
    return None


def _mapped(path: str, place: int = 0) -> int:
    """Map a page of a file that we may only read, shared; return where."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    fd = os.open(path, os.O_RDONLY)
    start = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, fd, ctypes.c_long(place))
    os.close(fd)
    if start in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "mmap")
    return int(start)


def _send_futex(told: Facts) -> object:
    """Wait on words of shared files, one thread a bit; who wakes us learns that we waited."""
    threading.stack_size(1 << 16)
    for path, bit in zip(_shared_files(told), told["bits"], strict=True):
        if bit == "1":
            word = _mapped(path)
            value = ctypes.c_int32.from_address(word).value
            arguments = ("futex", word, 0, value, None, None, 0)
            threading.Thread(target=attempt, args=(syscalls.call, *arguments), daemon=True).start()
    time.sleep(0.3)  # until all of them wait
    return None


def _receive_futex(told: Facts) -> str:
    woken = [
        syscalls.call("futex", _mapped(path), 1, 9, None, None, 0) for path in _shared_files(told)
    ]
    return "".join("1" if count else "0" for count in woken)


def _offered() -> list[str]:
    """List the files of the rules, which an ordinary user's bots own: all bots see the same."""
    folder = os.environ["PYTHONPATH"].split(os.pathsep)[0]
    return sorted(glob.glob(f"{folder}/niagara_arena/rules/*.py"))


def _send_own_hint(told: Facts) -> object:
    """Leave two bits on each file; the kernel keeps them until somebody leaves others."""
    bits = told["bits"]
    for place, path in zip(range(0, len(bits), 2), _offered(), strict=False):
        hint = struct.pack("=Q", 2 + int(bits[place : place + 2], 2))
        fcntl.fcntl(os.open(path, os.O_RDONLY), 1036, hint)  # F_SET_RW_HINT
    return None


def _receive_own_hint(told: Facts) -> str:
    bits = ""
    for _, path in zip(range(0, len(told["bits"]), 2), _offered(), strict=False):
        hint = fcntl.fcntl(os.open(path, os.O_RDONLY), 1035, struct.pack("=Q", 0))
        bits += f"{max(struct.unpack('=Q', hint)[0] - 2, 0):02b}"
    return bits


def _pages(told: Facts) -> list[tuple[str, int]]:
    """Agree on pages of what is offered, one for each bit of the message."""
    pages = [
        (path, place) for path in _offered() for place in range(0, os.path.getsize(path), 4096)
    ]
    return random.Random(told["key"]).sample(pages, len(told["bits"]))


def _send_page_out(told: Facts) -> object:
    """Have pages forgotten; they must be on disk before."""
    for (path, place), bit in zip(_pages(told), told["bits"], strict=True):
        if bit == "0":
            start = _mapped(path, place)
            with open(path, "rb") as file:
                os.fsync(file.fileno())
            ctypes.string_at(start, 1)
            syscalls.call("madvise", start, 4096, 21)  # MADV_PAGEOUT
    return None


def _receive_page_out(told: Facts) -> str:
    bits, answer = "", ctypes.create_string_buffer(1)
    for path, place in _pages(told):
        syscalls.call("mincore", _mapped(path, place), 4096, answer)
        bits += str(answer.raw[0] & 1)
    return bits


def _send_shared_pages(told: Facts) -> object:
    """Hold pages of shared files; who holds them as well learns that others do."""
    for path, bit in zip(_shared_files(told), told["bits"], strict=True):
        if bit == "1":
            ctypes.string_at(_mapped(path), 1)
    return None


def _receive_shared_pages(told: Facts) -> str:
    """Ask of each page whether it is ours alone: in `pagemap`, else in `smaps`."""
    starts = [_mapped(path) for path in _shared_files(told)]
    for start in starts:
        ctypes.string_at(start, 1)
    try:
        with open("/proc/self/pagemap", "rb", buffering=0) as file:
            entries = [os.pread(file.fileno(), 8, start // 4096 * 8) for start in starts]
        return "".join("0" if struct.unpack("=Q", one)[0] >> 56 & 1 else "1" for one in entries)
    except PermissionError:
        shared = _shared_by_address()
        return "".join("1" if shared[start] else "0" for start in starts)


def _shared_by_address() -> dict[int, int]:
    found: dict[int, int] = {}
    start = 0
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as file:
        for line in file:
            word = line.split()[0]
            if not word.endswith(":"):
                start = int(word.partition("-")[0], 16)
            elif word == "Shared_Clean:":
                found[start] = int(line.split()[1])
    return found


THREAD_END_S = 0.15
"""How long to wait for the end of a thread whose word is a shared one."""


def _end_thread(word: int) -> None:
    """End this thread; the kernel then wakes one who waits on the word, in whatever process."""
    syscalls.call("set_tid_address", word)
    syscalls.call("exit", 0)


def _send_thread_ends(told: Facts) -> object:
    """End threads, over and over, each in the name of a word of a shared file."""
    threading.stack_size(1 << 16)
    ones = [
        _mapped(path)
        for path, bit in zip(_shared_files(told), told["bits"], strict=True)
        if bit == "1"
    ]

    def signal_on() -> None:
        ends = time.monotonic() + 10
        while time.monotonic() < ends:
            for word in ones:
                _thread.start_new_thread(_end_thread, (word,))
                time.sleep(0.001)

    thread = threading.Thread(target=signal_on, daemon=True)
    thread.start()
    return thread


def _receive_thread_ends(told: Facts) -> str:
    """Wait on a word of each file, several at a time."""
    threading.stack_size(1 << 16)
    words = [_mapped(path) for path in _shared_files(told)]
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        return "".join(pool.map(_is_woken, words))


def _is_woken(word: int) -> str:
    value = ctypes.c_int32.from_address(word).value
    patience = struct.pack("=qq", 0, int(THREAD_END_S * 1e9))
    return "0" if attempt(syscalls.call, "futex", word, 0, value, patience, None, 0) else "1"


def _send_write_hint(told: Facts) -> object:
    for path, bit in zip(_shared_files(told), told["bits"], strict=True):
        hint = struct.pack("=Q", 2 + int(bit))
        fcntl.fcntl(os.open(path, os.O_RDONLY), 1036, hint)  # F_SET_RW_HINT
    return None


def _receive_write_hint(told: Facts) -> str:
    bits = ""
    for path in _shared_files(told):
        hint = fcntl.fcntl(os.open(path, os.O_RDONLY), 1035, struct.pack("=Q", 0))
        bits += "1" if struct.unpack("=Q", hint)[0] == 3 else "0"
    return bits


def _send_access_time(told: Facts) -> object:
    for path, bit in zip(_shared_files(told), told["bits"], strict=True):
        if bit == "1":
            with open(path, "rb") as file:
                file.read(1)
    return None


def _receive_access_time(told: Facts) -> str:
    return "".join(
        "1" if time.time() - os.stat(p).st_atime < 60 else "0" for p in _shared_files(told)
    )


def _send_page_cache(told: Facts) -> object:
    for path, bit in zip(_shared_files(told), told["bits"], strict=True):
        fd = os.open(path, os.O_RDONLY)
        if bit == "1":
            while os.read(fd, 65536):
                pass
        else:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
    return None


def _receive_page_cache(told: Facts) -> str:
    bits = ""
    for path in _shared_files(told):
        fd = os.open(path, os.O_RDONLY)
        try:
            bits += "1" if os.preadv(fd, [bytearray(1)], 4096, os.RWF_NOWAIT) else "0"
        except BlockingIOError:
            bits += "0"
        os.close(fd)
    return bits


def _send_name(told: Facts) -> object:
    return syscalls.call("prctl", 15, told["secret"][:15].encode(), 0, 0, 0)


def _receive_name(told: Facts) -> str:
    names = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm", encoding="latin-1") as file:
                names.append(file.read().strip())
        except OSError:
            continue
    return " ".join(names)


TOTALS_SLOT_S = 0.02


def _totals_place(bits: str) -> int:
    return int(time.time() / TOTALS_SLOT_S) % len(bits)


def _send_totals(told: Facts) -> object:
    """Take and give back shared memory, slot by slot of the wall clock."""
    bits = told["bits"]

    def signal_on() -> None:
        while True:
            held = mmap.mmap(-1, 3 << 20) if bits[_totals_place(bits)] == "1" else None
            if held is not None:
                for place in range(0, len(held), 4096):
                    held[place] = 1
            now = time.time()
            time.sleep(TOTALS_SLOT_S - now % TOTALS_SLOT_S)
            if held is not None:
                held.close()

    thread = threading.Thread(target=signal_on, daemon=True)
    thread.start()
    return thread


def _receive_totals(told: Facts) -> str:
    """Watch how much shared memory the machine holds, as `sysinfo` tells everybody."""
    count = len(told["bits"])
    found: list[list[int]] = [[] for _ in range(count)]
    answer = ctypes.create_string_buffer(128)
    for _ in range(3 * count):
        now = time.time()
        time.sleep(TOTALS_SLOT_S * 0.7 + TOTALS_SLOT_S - now % TOTALS_SLOT_S)
        place = _totals_place(told["bits"])
        syscalls.call("sysinfo", answer)
        found[place].append(struct.unpack_from("=Q", answer, 48)[0])
    middles = [sorted(values)[len(values) // 2] if values else 0 for values in found]
    middle = (min(filter(None, middles)) + max(middles)) / 2
    return "".join("1" if value > middle else "0" for value in middles)


_HELD: list[list[int]] = []

Sender = Callable[[Facts], object]
Receiver = Callable[[Facts], str]

SEND: dict[str, Sender] = {
    "file": _send_file,
    "system_v_memory": _send_system_v_memory,
    "system_v_queue": _send_system_v_queue,
    "system_v_semaphores": _send_system_v_semaphores,
    "posix_queue": _send_posix_queue,
    "keyring": _send_keyring,
    "abstract": _send_abstract,
    "flock": _send_flock,
    "record_locks": _send_record_locks,
    "inotify": _send_inotify,
    "page_cache": _send_page_cache,
    "futex": _send_futex,
    "thread_ends": _send_thread_ends,
    "shared_pages": _send_shared_pages,
    "own_hint": _send_own_hint,
    "page_out": _send_page_out,
    "write_hint": _send_write_hint,
    "access_time": _send_access_time,
    "name": _send_name,
    "totals": _send_totals,
}
RECEIVE: dict[str, Receiver] = {
    "file": _receive_file,
    "system_v_memory": _receive_system_v_memory,
    "system_v_queue": _receive_system_v_queue,
    "system_v_semaphores": _receive_system_v_semaphores,
    "posix_queue": _receive_posix_queue,
    "keyring": _receive_keyring,
    "abstract": _receive_abstract,
    "flock": _receive_flock,
    "record_locks": _receive_record_locks,
    "inotify": _receive_inotify,
    "page_cache": _receive_page_cache,
    "futex": _receive_futex,
    "thread_ends": _receive_thread_ends,
    "shared_pages": _receive_shared_pages,
    "own_hint": _receive_own_hint,
    "page_out": _receive_page_out,
    "write_hint": _receive_write_hint,
    "access_time": _receive_access_time,
    "name": _receive_name,
    "totals": _receive_totals,
}
