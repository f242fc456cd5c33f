"""Attacks on files: reading what is not the bot's, writing where it should not."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import socket
import stat
import time
from pathlib import Path

from niagara_arena.sandbox.attacks import outside
from niagara_arena.sandbox.attacks.model import NotTried, Probe, Scenario, Seen
from niagara_arena.sandbox.attacks.stage import COMMON, LIMITS, Trial

MB = 1 << 20


def _stolen(trial: Trial, program: str, **told: object) -> Seen:
    """Run a reader; it succeeded if it prints the secret, which it can't guess."""
    bot = trial.run(program, told | {"secret": ""})
    stolen = bot.says(trial.secret)
    return Seen(stolen, "it printed the secret" if stolen else bot.why)


def _submission(trial: Trial) -> Seen:
    rival = trial.staged("rival")
    Path(rival, "bot.py").write_text(f"# {trial.secret}\n")
    return _stolen(trial, "files.read", paths=[f"{rival}/bot.py"])


def _results(trial: Trial) -> Seen:
    return _stolen(trial, "files.read", paths=[trial.file("results.db", trial.secret)])


def _results_by_build(trial: Trial) -> Seen:
    path = trial.file("results.db", trial.secret)
    bot = trial.run("files.read", {"paths": [path], "secret": ""}, writable=True)
    stolen = bot.says(trial.secret)
    return Seen(stolen, "it printed the secret" if stolen else bot.why)


def _home(trial: Trial) -> Seen:
    path = Path(trial.stage.home, trial.marker)
    path.write_text(trial.secret)
    path.chmod(0o644)
    seen = _stolen(trial, "files.read", paths=[str(path)])
    path.unlink()
    return seen


def _shadow(trial: Trial) -> Seen:
    bot = trial.run("files.read", {"paths": ["/etc/shadow"]})
    text = bot.evidence.get("text", "")
    opened = text.count(":") > 8
    with contextlib.suppress(OSError):
        opened = bool(text) and Path("/etc/shadow").read_text("latin-1").startswith(text[:64])
    return Seen(opened, "it read the file" if opened else bot.why)


def _identity(trial: Trial) -> Seen:
    paths = ["/etc/passwd", "/etc/machine-id", "/etc/hostname", "/etc/hosts"]
    bot = trial.run("files.read", {"paths": paths})
    text, known = bot.evidence.get("text", ""), []
    for path in paths:
        with contextlib.suppress(OSError):
            here = Path(path).read_text("latin-1").strip()
            if here and here[:4096] in text:
                known.append(path)
    return Seen(bool(known), f"it read {', '.join(known)}" if known else bot.why)


def _host_name(trial: Trial) -> Seen:
    bot = trial.run("files.names")
    known = f" {os.uname().nodename} " in bot.evidence.get("text", "")
    return Seen(known, "it knows the host's name" if known else "it knows another name")


def _own_cgroup(trial: Trial) -> Seen:
    bot = trial.run("files.own_cgroup")
    text = bot.evidence.get("text", "")
    paths = {line.rpartition(":")[2] for line in outside.cgroups(os.getpid()).splitlines()}
    paths |= {line.rpartition(":")[2] for line in outside.cgroups(bot.pid).splitlines()}
    known = sorted(path for path in paths if len(path) > 1 and path in text)
    return Seen(bool(known), f"it knows {known[0]}"[:60] if known else "it knows none")


def _sockets(trial: Trial) -> Seen:
    with socket.socket(socket.AF_UNIX) as ear:
        ear.bind(f"{trial.room}/{trial.secret}")
        return _stolen(trial, "files.list_sockets")


def _mounts(trial: Trial) -> Seen:
    bot = trial.run("files.list_mounts")
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        places = {tuple(line.split()[2:5]) for line in file}
    root = next(place for place in places if place[2] == "/")
    known = bot.says(" ".join(root))
    return Seen(known, f"it knows {' '.join(root)}" if known else bot.why)


def _listing(trial: Trial) -> Seen:
    trial.file(f"{trial.secret}.txt", "")
    return _stolen(trial, "files.list_directory", path=trial.room)


def _inspection(trial: Trial) -> Seen:
    path = trial.file("results.db", "x" * (1000 + secrets.randbelow(100_000)))
    bot = trial.run("files.inspect", {"path": path})
    here = os.stat(path)
    told = (bot.evidence.get("size"), bot.evidence.get("mtime_ns"))
    opened = told == (here.st_size, here.st_mtime_ns)
    return Seen(opened, "it knew size and time" if opened else bot.why)


def _proc_root(trial: Trial) -> Seen:
    trial.bystander()
    return _stolen(trial, "files.read_through_proc", path=trial.file("results.db", trial.secret))


def _own_environment(trial: Trial) -> Seen:
    name = f"NIAGARA_PROBE_{trial.marker[-8:]}"
    os.environ[name] = trial.secret
    try:
        bot = trial.start("files.environments", told={"secret": ""})
    finally:
        del os.environ[name]
    bot.finish()
    stolen = bot.says(trial.secret)
    return Seen(stolen, "the runner's variables were in sight" if stolen else "not in sight")


def _environments(trial: Trial) -> Seen:
    trial.bystander()
    return _stolen(trial, "files.environments")


def _command_lines(trial: Trial) -> Seen:
    trial.bystander(trial.secret)
    return _stolen(trial, "files.command_lines")


def _own_path(trial: Trial) -> Seen:
    bot = trial.run("files.own_path")
    opened = bot.says(f"{trial.marker}-bot")
    return Seen(opened, "it knows where it is staged" if opened else "it does not know")


def _inherited(trial: Trial) -> Seen:
    path = trial.file("secret", trial.secret)
    fd = os.open(path, os.O_RDWR)
    os.set_inheritable(fd, True)
    try:
        bot = trial.start("files.inherited", told={"secret": "0" * 32})
    finally:
        os.close(fd)
    bot.finish()
    extra = [fd for fd in outside.open_descriptors(bot.pid) if fd > 2]
    extra = extra or bot.evidence.get("fds", [])
    return Seen(bool(extra), f"it was left with {extra}" if extra else "only its three pipes")


def _writing(directory: str, *, building: bool = False) -> Scenario:
    """Make a scenario that tries to leave something in a directory of the machine."""

    def scenario(trial: Trial) -> Seen:
        where = {"room": trial.room, "staged": trial.staged(), "home": trial.stage.home}
        path = Path(where.get(directory, directory), trial.secret)
        bot = trial.run("files.write", {"path": str(path)}, writable=building)
        here = os.path.lexists(path)
        with contextlib.suppress(OSError):
            path.rmdir() if path.is_dir() else path.unlink()
        return Seen(here, f"{directory}: it is there" if here else bot.why)

    return scenario


def _through_cwd(trial: Trial) -> Seen:
    bot = trial.run("files.write", {"path": trial.secret})
    here = os.path.lexists(f"{trial.staged()}/{trial.secret}")
    return Seen(here, "its staged copy has changed" if here else bot.why)


def _spoil(trial: Trial) -> Seen:
    path = trial.file("results.db", "results", 0o666)
    bot = trial.run("files.spoil", {"path": path})
    changed = Path(path).read_text() != "results"
    return Seen(changed, "the content has changed" if changed else bot.why)


def _remove(trial: Trial) -> Seen:
    path = trial.file("results.db", "results", 0o666)
    bot = trial.run("files.remove", {"path": path})
    gone = not os.path.exists(path)
    return Seen(gone, "it is gone" if gone else bot.why)


def _change(program: str, what: str) -> Scenario:
    """Make a scenario that changes what is known about a file of the bot's own uid."""

    def scenario(trial: Trial) -> Seen:
        path = trial.file("results.db", "results", 0o666)
        bot = trial.start(program, told={"path": path, "secret": "note"}, name="bot")
        # The worst case: the file belongs to the very uid that the bot has outside.
        before = _metadata(path)
        bot.finish()
        changed = _metadata(path) != before
        return Seen(changed, f"{what} has changed" if changed else bot.why)

    return scenario


def _mark(trial: Trial) -> Seen:
    """Let a bot mark its own staged copy: an ordinary user's bots own theirs."""
    path = os.path.join("programs", "__main__.py")
    before = _flags(f"{trial.staged()}/{path}")
    bot = trial.run("files.mark", {"path": path})
    changed = _flags(f"{trial.staged()}/{path}") != before
    return Seen(changed, "its flags have changed" if changed else bot.why)


def _touch(trial: Trial) -> Seen:
    paths = [f"/dev/{name}" for name in ("null", "full", "zero", "random", "urandom", "tty")]
    bot = trial.run("files.touch_devices", {"paths": paths})
    worked = bot.evidence.get("worked")
    return Seen(bool(worked), f"it set those of {worked}" if worked else bot.why, True)


def _flags(path: str) -> bytes:
    with open(path, "rb") as file:
        try:
            return fcntl.ioctl(file, 0x80086601, bytes(8))
        except OSError as error:
            raise NotTried(f"files of {os.path.dirname(path)} have no flags") from error


def _metadata(path: str) -> tuple[int, int, list[str]]:
    found = os.stat(path)
    names: list[str] = []
    with contextlib.suppress(OSError):
        names = os.listxattr(path)
    return found.st_mode, found.st_mtime_ns, names


def _directories(trial: Trial) -> list[str]:
    return [*COMMON, trial.room]


def _fill(trial: Trial) -> Seen:
    places = _directories(trial)
    bot = trial.run("files.fill", {"directories": places, "megabytes": 6 * LIMITS.tmp_mb})
    weighed = outside.weight_of_files(bot.pid, places, trial.secret)
    size = weighed[0] if weighed is not None else int(bot.evidence.get("bytes", 0))
    allowed = (LIMITS.tmp_mb + LIMITS.shm_mb) * MB
    words = f"{size // MB} MB in files, {allowed // MB} allowed"
    return Seen(size > allowed and bot.exit is None, words, weighed is None)


def _large(trial: Trial) -> Seen:
    places = _directories(trial)
    bot = trial.run("files.one_large", {"directories": places, "bytes": 2 * LIMITS.file_mb * MB})
    size = int(bot.evidence.get("bytes", 0)) // MB
    return Seen(size > LIMITS.file_mb, f"a file of {size} MB, {LIMITS.file_mb} allowed", True)


def _crowd(trial: Trial) -> Seen:
    places = _directories(trial)
    bot = trial.run("files.crowd", {"directories": places, "files": 20_000})
    bot.linger(0.3)
    made = int(bot.evidence.get("files", 0))
    ended = bot.exit is not None or bot.over_memory
    return Seen(made > 10_000 and not ended, f"{made} files" + " before its end" * ended, True)


def _burrow(trial: Trial) -> Seen:
    bot = trial.run("files.burrow", {"directories": _directories(trial), "depth": 1500})
    bot.close()
    left = [d for d in _directories(trial) if os.path.isdir(f"{d}/{trial.secret}")]
    return Seen(bool(left), f"left in {left[0]}" if left else bot.why)


def _core(trial: Trial) -> Seen:
    before = set(os.listdir(trial.staged())) | set(os.listdir(trial.room))
    bot = trial.start("files.dump_core", told={"directories": [trial.room, trial.staged()]})
    bot.finish(5)
    after = set(os.listdir(trial.staged())) | set(os.listdir(trial.room))
    left = {name for name in after - before if name.startswith("core")}
    return Seen(bool(left), "a core file was left" if left else "no core file")


def _device(trial: Trial) -> Seen:
    path = f"{trial.room}/disk"
    bot = trial.run("files.make_device", {"path": path})
    made = os.path.lexists(path) and stat.S_ISBLK(os.lstat(path).st_mode)
    return Seen(made, "the device node is there" if made else bot.why)


def _opened(program: str, paths: list[str]) -> Scenario:
    """Make a scenario in which a bot opens special files of the kernel."""

    def scenario(trial: Trial) -> Seen:
        present = [path for path in paths if os.path.exists(path)]
        if not present:
            raise NotTried("there are no such files")
        bot = trial.run(program, {"paths": present})
        opened = bot.evidence.get("opened", [])
        return Seen(bool(opened), ", ".join(opened) or "all refused", True)

    return scenario


def _disks() -> list[str]:
    with contextlib.suppress(OSError):
        return [f"/dev/{name}" for name in sorted(os.listdir("/sys/block"))][:8]
    return []


def _kernel_log(trial: Trial) -> Seen:
    bot = trial.run("files.kernel_log")
    opened = len(bot.evidence.get("text", "")) > 0
    return Seen(opened, "it read the log" if opened else bot.why, True)


def _write_kernel_log(trial: Trial) -> Seen:
    if not os.path.exists("/dev/kmsg"):
        raise NotTried("there is no /dev/kmsg")
    bot = trial.run("files.write_kernel_log")
    heard = False
    with contextlib.suppress(OSError):
        fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while not heard:
                heard = trial.secret.encode() in os.read(fd, 8192)
        os.close(fd)
    return Seen(heard, "the line is in the log" if heard else bot.why)


def _setuid(trial: Trial) -> Seen:
    if os.geteuid() == 0 and trial.stage.level == "none":
        raise NotTried("the bot is root already")
    paths = [f"/usr/bin/{name}" for name in ("su", "passwd", "chsh", "newgrp")]
    paths = [p for p in paths if os.path.exists(p) and os.stat(p).st_mode & stat.S_ISUID]
    if not paths:
        raise NotTried("there is no setuid program")
    bot = trial.start("files.run_setuid", told={"paths": paths, "argv": []})
    risen, ends = False, time.monotonic() + 3
    while bot.exit is None and not risen and time.monotonic() < ends and "done" not in bot.evidence:
        uids = outside.status(bot.pid).get("Uid", "").split()
        risen = len(uids) > 1 and uids[0] != "0" and uids[1] == "0"
        program = outside.link(bot.pid, "exe")
        if program and not program.startswith("/usr/bin/python") and not risen:
            break
        bot.linger(0.05)
    return Seen(risen, "it runs as root" if risen else "it stays who it was")


_SWITCHES = [
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
    "/proc/sys/vm/drop_caches",
    "/proc/sysrq-trigger",
]
_SYSTEM = ["/sys/power/state", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/module"]

PROBES = (
    Probe("read-submission", "Read the source of another submission", _submission),
    Probe("read-results", "Read the organiser's results", _results),
    Probe("read-home", "Read a file in the organiser's home", _home),
    Probe("read-shadow", "Read the machine's passwords", _shadow, none="root"),
    Probe("read-identity", "Learn users and identity of the machine from /etc", _identity),
    Probe("host-name", "Learn the host's name", _host_name, landlock="open"),
    Probe(
        "own-cgroup",
        "Learn the machine's control groups",
        _own_cgroup,
        none="varies",
    ),
    Probe("list-sockets", "Learn the names of the machine's unix sockets", _sockets),
    Probe("list-mounts", "Learn what the machine has mounted", _mounts),
    Probe("list-directory", "List a directory of the organiser's", _listing),
    Probe(
        "inspect-file",
        "Learn size and time of a file without opening it",
        _inspection,
        landlock="open",
        note="Landlock does not judge stat(); no filter of system calls can, by path",
    ),
    Probe("proc-root", "Read a file through /proc/PID/root or cwd", _proc_root),
    Probe("own-environment", "Find the runner's variables in its own", _own_environment),
    Probe("environments", "Read the environment of other processes", _environments),
    Probe("command-lines", "Read the command lines of other processes", _command_lines),
    Probe("own-path", "Learn where on the machine it is staged", _own_path, landlock="open"),
    Probe("inherited", "Use a descriptor that the runner left open", _inherited, none="stopped"),
    Probe("write-results", "Make a file in a directory that all may write", _writing("room")),
    Probe(
        "write-building",
        "Make a file in a directory that all may write, as a build",
        _writing("room", building=True),
    ),
    Probe("read-building", "Read the organiser's results, as a build", _results_by_build),
    Probe("write-tmp", "Leave a file in the machine's /tmp", _writing("/tmp")),
    Probe("write-shm", "Leave a file in the machine's /dev/shm", _writing("/dev/shm")),
    Probe("write-home", "Make a file in the organiser's home", _writing("home")),
    Probe("write-staged", "Change its own staged copy, by its real path", _writing("staged")),
    Probe("write-cwd", "Change its own staged copy, from within", _through_cwd),
    Probe(
        "spoil-results",
        "Append to, overwrite or cut a file that all may write",
        _spoil,
        landlock="abi<3",
        note="before ABI 3 Landlock does not judge who cuts a file",
    ),
    Probe("remove-results", "Rename or delete a file that all may write", _remove),
    Probe("change-mode", "Change the mode of a file", _change("files.change_mode", "the mode")),
    Probe("change-time", "Change the times of a file", _change("files.change_time", "the time")),
    Probe(
        "change-attributes",
        "Hang an attribute on a file",
        _change("files.change_attributes", "an attribute"),
        none="varies",
        note="not every file system has them",
    ),
    Probe("mark-file", "Set a flag of a file that it may only read", _mark),
    Probe("touch-devices", "Set the times of the machine's devices", _touch),
    Probe("fill-disk", "Fill tmp, /dev/shm, / and /dev with bytes", _fill),
    Probe("large-file", "Write a larger file than allowed", _large),
    Probe("crowd-disk", "Fill tmp, /dev/shm, / and /dev with 20,000 files", _crowd),
    Probe("burrow", "Leave a folder too deep and locked to be removed", _burrow),
    Probe("dump-core", "Leave a core file behind", _core, none="varies"),
    Probe("make-device", "Make a device node", _device, none="root"),
    Probe(
        "read-devices",
        "Open disks and memory of the machine",
        _opened("files.read_devices", [*_disks(), "/dev/mem", "/proc/kcore"]),
        none="root",
    ),
    Probe(
        "kernel-switches",
        "Open switches in /proc/sys for writing",
        _opened("files.write_settings", _SWITCHES),
        none="root",
    ),
    Probe(
        "system-files",
        "Open switches in /sys for writing",
        _opened("files.write_settings", _SYSTEM),
        none="root",
    ),
    Probe("read-kernel-log", "Read the kernel's log", _kernel_log, none="varies"),
    Probe("write-kernel-log", "Write a line into the kernel's log", _write_kernel_log, none="root"),
    Probe("setuid", "Become root by a setuid program", _setuid),
)
