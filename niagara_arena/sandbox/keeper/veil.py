"""Mount a bot's whole root in a namespace of the warden's own, for bwrap to bind in one piece.

bwrap alone can bound a tmpfs in bytes but not in files, what it binds shows in the bot's
/proc/self/mountinfo with its place on the host, and each thing it binds costs it a reading of that
table. Here, where the warden may mount, scratch space is bounded in both, directories are shown
through an overlay that names none of the host's paths, and the whole takes a millisecond or two.
"""

from __future__ import annotations

import os
import struct
from typing import Any

from niagara_arena.sandbox.keeper import linux

__all__ = ["EMPTY", "draw"]

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC = 1, 2, 4, 32, 4096, 16384
MS_PRIVATE = 1 << 18
QUIET = MS_NOSUID | MS_NODEV
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
ATTR_READ_ONLY, ATTR_NO_SUID, ATTR_QUIET = 1, 2, 2 | 4

EMPTY = "empty"
"""A directory with nothing in it, beside `root`."""


def draw(plan: dict[str, Any]) -> None:
    """Enter a user and a mount namespace; mount what the plan names as `root` below its `at`.

    `read`, `write`: target → source. `overlays`: the same, without a trace of the source; `inner`
    lies inside those. `devices`: one may write to them, but not to what the machine says of them.
    `scratch`: target → (bytes, files). `links`: path → what it points to. `folders`: mere places.
    """
    _enter()
    os.chdir(plan["at"])
    linux.mount("tmpfs", ".", "tmpfs", QUIET, "size=64k,nr_inodes=64,mode=755")
    os.chdir(plan["at"])  # into what is mounted there now
    os.mkdir(EMPTY)
    os.mkdir("root")
    linux.mount("tmpfs", "root", "tmpfs", QUIET, "size=256k,nr_inodes=512,mode=755")
    for path in plan["folders"]:
        os.makedirs("root" + path)
    for path, target in plan["links"].items():
        os.makedirs(os.path.dirname("root" + path), exist_ok=True)
        os.symlink(target, "root" + path)
    for target, (size, files) in plan["scratch"].items():
        os.makedirs("root" + target)
        options = f"size={size},nr_inodes={files},mode=1777"
        linux.mount("tmpfs", "root" + target, "tmpfs", QUIET, options)
    for target, source in plan["read"].items():
        _bind(source, "root" + target, ATTR_READ_ONLY | ATTR_QUIET)
    for number, (target, source) in enumerate(plan["overlays"].items()):
        layer = f"layer{number}"
        _bind(source, layer, ATTR_READ_ONLY | ATTR_QUIET)
        os.makedirs("root" + target)
        options = f"lowerdir={layer}:{EMPTY}"
        linux.mount("overlay", "root" + target, "overlay", QUIET | MS_RDONLY, options)
    for target, source in plan["inner"].items():
        _bind(source, "root" + target, ATTR_READ_ONLY | ATTR_QUIET)
    for target, source in plan["write"].items():
        _bind(source, "root" + target, ATTR_NO_SUID)
    for target, source in plan["devices"].items():
        _bind(source, "root" + target, ATTR_READ_ONLY | ATTR_NO_SUID)
    linux.mount("none", "root", None, MS_REMOUNT | MS_BIND | MS_RDONLY | QUIET, None)
    os.chdir("/")


def _enter() -> None:
    uid, gid = os.getuid(), os.getgid()
    linux.unshare(CLONE_NEWUSER | CLONE_NEWNS)
    maps = {"setgroups": "deny", "uid_map": f"{uid} {uid} 1", "gid_map": f"{gid} {gid} 1"}
    for file, text in maps.items():
        descriptor = os.open(f"/proc/self/{file}", os.O_WRONLY)
        os.write(descriptor, text.encode())
        os.close(descriptor)
    linux.mount("none", "/", None, MS_REC | MS_PRIVATE, None)


def _bind(source: str, target: str, attributes: int) -> None:
    """Bind a directory or file with all that is mounted below it, and restrict all of that."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    linux.mount(source, target, None, MS_BIND | MS_REC, None)
    change = struct.pack("<QQQQ", attributes, 0, 0, 0)
    linux.syscall(MOUNT_SETATTR, AT_FDCWD, target.encode(), AT_RECURSIVE, change, len(change))
