"""Prepare mounts for bwrap in a namespace of the warden's own.

bwrap alone can bound a tmpfs in bytes but not in files, and what it binds shows in the bot's
/proc/self/mountinfo with its place on the host. Here, where the warden may mount, scratch space is
a tmpfs with a bound on both, and directories are shown through an overlay that names none of the
host's paths.
"""

from __future__ import annotations

import os
from typing import Any

from niagara_arena.sandbox.keeper import linux

__all__ = ["draw"]

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 4096, 16384, 1 << 18
QUIET = MS_NOSUID | MS_NODEV

EMPTY = "empty"


def draw(plan: dict[str, Any]) -> None:
    """Enter a user and a mount namespace and mount what the plan names below its `at`.

    `scratch`: name → (bytes, files). `shown`: name → the directories to lay over each other.
    """
    uid, gid = os.getuid(), os.getgid()
    linux.unshare(CLONE_NEWUSER | CLONE_NEWNS)
    maps = {"setgroups": "deny", "uid_map": f"{uid} {uid} 1", "gid_map": f"{gid} {gid} 1"}
    for file, text in maps.items():
        descriptor = os.open(f"/proc/self/{file}", os.O_WRONLY)
        os.write(descriptor, text.encode())
        os.close(descriptor)
    linux.mount("none", "/", None, MS_REC | MS_PRIVATE, None)
    at = plan["at"]
    linux.mount("tmpfs", at, "tmpfs", QUIET, "size=64k,nr_inodes=64,mode=755")
    os.chdir(at)
    os.mkdir(EMPTY)
    for name, (size, files) in plan["scratch"].items():
        os.mkdir(name)
        linux.mount("tmpfs", name, "tmpfs", QUIET, f"size={size},nr_inodes={files},mode=1777")
    for name, sources in plan["shown"].items():
        os.mkdir(name)
        layers = []
        for number, source in enumerate(sources):
            layer = f"{name}.{number}"
            os.mkdir(layer)
            linux.mount(source, layer, None, MS_BIND, None)
            layers.append(layer)
        lower = ":".join([*layers, EMPTY] if len(layers) < 2 else layers)
        linux.mount("overlay", name, "overlay", QUIET | MS_RDONLY, f"lowerdir={lower}")
    os.chdir("/")
