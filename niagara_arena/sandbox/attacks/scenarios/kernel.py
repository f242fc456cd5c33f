"""Attacks on the kernel: rights and doors that no bot needs."""

from __future__ import annotations

import os
import subprocess

from niagara_arena.sandbox.attacks import outside
from niagara_arena.sandbox.attacks.model import NotTried, Probe, Scenario, Seen
from niagara_arena.sandbox.attacks.programs.syscalls import is_x86
from niagara_arena.sandbox.attacks.stage import Trial


def _root(trial: Trial) -> Seen:
    bot = trial.run("kernel.nothing")
    uids = set(outside.status(bot.pid).get("Uid", "").split())
    return Seen("0" in uids, "it runs as root" if "0" in uids else f"it runs as {min(uids)}")


def _capabilities(trial: Trial) -> Seen:
    bot = trial.run("kernel.nothing")
    found = outside.status(bot.pid)
    held = [k for k in ("CapEff", "CapPrm", "CapInh", "CapAmb") if int(found.get(k, "0"), 16)]
    return Seen(bool(held), f"it has {', '.join(held)}" if held else "it has none")


def _new_privileges(trial: Trial) -> Seen:
    bot = trial.run("kernel.nothing")
    bound = outside.status(bot.pid).get("NoNewPrivs") == "1"
    return Seen(not bound, "no_new_privs is set" if bound else "no_new_privs is not set")


def _mount(trial: Trial) -> Seen:
    path = f"{trial.room}/mount"
    os.mkdir(path)
    found = False
    for target in (path, "/tmp"):
        if target == "/tmp" and trial.stage.level == "none":
            continue  # that would be the machine's own
        bot = trial.run("kernel.mount", {"path": target})
        with open(f"/proc/{bot.pid}/mountinfo", encoding="utf-8") as file:
            found = found or trial.secret in file.read()
    if found and trial.stage.level == "none":
        subprocess.run(["umount", path], check=False)
    return Seen(found, "the mount is there" if found else bot.why)


def _unshare(trial: Trial) -> Seen:
    bot = trial.start("kernel.unshare")
    kinds = ("ns/user", "ns/mnt", "ns/net", "ns/pid_for_children")
    before = [outside.link(bot.pid, kind) for kind in kinds]
    bot.finish()
    after = [outside.link(bot.pid, kind) for kind in kinds]
    moved = before != after and any(before)
    return Seen(moved, "it has namespaces of its own" if moved else bot.why)


def _namespace_child(trial: Trial) -> Seen:
    bot = trial.run("processes.new_namespace_child")
    below = outside.descendants(bot.pid)
    return Seen(bool(below), "its child is root there" if below else bot.why)


def _enter(trial: Trial) -> Seen:
    other = trial.bystander()
    bot = trial.run("kernel.enter_namespace", {"pids": [other.pid, 1, os.getpid()]})
    worked = bool(bot.evidence.get("worked"))
    return Seen(worked, "it entered one" if worked else bot.why, True)


def _async_io(trial: Trial) -> Seen:
    before = _events()
    bot = trial.run("kernel.async_io", {"count": 3000})
    taken = _events() - before
    return Seen(taken >= 2000, f"{taken} events are taken" if taken >= 2000 else bot.why)


def _events() -> int:
    try:
        with open("/proc/sys/fs/aio-nr", encoding="ascii") as file:
            return int(file.read())
    except OSError as error:
        raise NotTried("this kernel has no asynchronous I/O") from error


def _claimed(program: str, *keys: str, x86: bool = False, **told: object) -> Scenario:
    """Make a scenario that only the bot itself can tell about: a call that went through."""

    def scenario(trial: Trial) -> Seen:
        if x86 and not is_x86():
            raise NotTried("only x86-64 has it")
        bot = trial.run(program, {"path": trial.file("results.db", trial.secret), **told})
        worked = [key for key in keys if bot.evidence.get(key)]
        words = ", ".join(str(bot.evidence[key]) for key in worked)
        return Seen(bool(worked), f"it got through: {words}"[:80] if worked else bot.why, True)

    return scenario


def _handle(trial: Trial) -> Seen:
    path = trial.file("results.db", trial.secret)
    bot = trial.run("kernel.open_by_handle", {"path": path, "secret": ""})
    stolen = bot.says(trial.secret)
    return Seen(stolen, "it printed the secret" if stolen else bot.why)


def _personality(trial: Trial) -> Seen:
    bot = trial.run("kernel.personality")
    try:
        with open(f"/proc/{bot.pid}/personality", encoding="ascii") as file:
            changed = int(file.read(), 16) & 0x0040000 != 0
    except OSError:
        return Seen("refused" not in bot.evidence, bot.why, True)
    return Seen(changed, "randomisation is off" if changed else bot.why)


def _leave_cgroup(trial: Trial) -> Seen:
    bot = trial.start("kernel.leave_cgroup")
    before = outside.cgroups(bot.pid)
    bot.finish()
    moved = outside.cgroups(bot.pid) != before
    worked = moved or bool(bot.evidence.get("worked"))
    return Seen(worked, "it chose its own cgroup" if worked else "it stays where it was")


def _oom(trial: Trial) -> Seen:
    bot = trial.run("kernel.shield_from_oom")
    with open(f"/proc/{bot.pid}/oom_score_adj", encoding="ascii") as file:
        score = int(file.read())
    return Seen(score < 0, f"its score is {score}")


def _keys(trial: Trial) -> Seen:
    bot = trial.run("kernel.push_keys")
    worked = "terminal" in bot.evidence
    words = f"into {bot.evidence.get('terminal')}" if worked else bot.why
    return Seen(worked, words, True)


PROBES = (
    Probe("run-as-root", "Run with the machine's root uid", _root, none="root"),
    Probe("capabilities", "Hold any capability", _capabilities, none="root"),
    Probe("new-privileges", "Be able to gain rights by executing", _new_privileges),
    Probe("mount", "Mount a file system", _mount, none="root"),
    Probe(
        "mount-by-descriptor",
        "Mount by the newer calls",
        _claimed("kernel.mount_by_descriptors", "worked"),
        none="root",
    ),
    Probe("unshare", "Enter namespaces of its own", _unshare, none="varies"),
    Probe("namespace-child", "Clone a child into new namespaces", _namespace_child, "varies"),
    Probe("setns", "Enter the namespaces of others", _enter, none="root"),
    Probe("chroot", "Change its root", _claimed("kernel.change_root", "entered"), none="root"),
    Probe("async-io", "Use up the machine's asynchronous I/O", _async_io),
    Probe("io-uring", "Set up io_uring", _claimed("kernel.io_uring", "opened"), none="varies"),
    Probe("bpf", "Load code into the kernel", _claimed("kernel.bpf", "worked"), none="varies"),
    Probe("userfaultfd", "Handle its own page faults", _claimed("kernel.userfaultfd", "worked")),
    Probe("perf", "Open a performance counter", _claimed("kernel.perf", "opened"), none="varies"),
    Probe(
        "merge-pages",
        "Have its pages merged with a rival's that are equal",
        _claimed("kernel.merge_pages", "worked"),
        none="varies",
    ),
    Probe("keyring", "Add a key to a keyring", _claimed("kernel.keyring", "worked")),
    Probe("fanotify", "Watch a file system", _claimed("kernel.fanotify", "opened"), none="varies"),
    Probe("open-by-handle", "Open a file around its path", _handle, none="root"),
    Probe(
        "machine-calls",
        "Reboot, load modules, swap, rename the machine",
        _claimed("kernel.machine", "reached"),
        none="root",
    ),
    Probe("personality", "Switch off address randomisation", _personality),
    Probe(
        "x32",
        "Call the kernel through the x32 ABI",
        _claimed("kernel.x32", "pid", x86=True),
        none="varies",
    ),
    Probe(
        "int80",
        "Call the kernel through the 32-bit door",
        _claimed("kernel.int80", "pid", x86=True),
        none="varies",
    ),
    Probe(
        "modify-ldt",
        "Write a segment descriptor",
        _claimed("kernel.segments", "opened", x86=True),
        none="varies",
    ),
    Probe("iopl", "Get the I/O ports", _claimed("kernel.ports", "opened", x86=True), none="varies"),
    Probe("push-keys", "Type into a terminal (TIOCSTI)", _keys, none="varies"),
    Probe("leave-cgroup", "Move itself to another cgroup", _leave_cgroup, none="root"),
    Probe("oom-shield", "Let others be killed when memory is short", _oom, none="varies"),
)
