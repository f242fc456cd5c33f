"""Say what to do about what a machine lacks."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["APPARMOR", "BWRAP", "CGROUP", "apparmor_refuses", "landlock", "namespaces"]

BWRAP = "`sudo apt install bubblewrap` (or dnf, pacman, apk: the package has the same name)"
APPARMOR = "`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
CGROUP = "run in a group of your own: `systemd-run --user --scope -p Delegate=yes niagara …`"

_SYS = Path("/proc/sys")


def setting(name: str) -> str | None:
    """Read a kernel setting; None where there is no such."""
    try:
        return (_SYS / name.replace(".", "/")).read_text("ascii").strip()
    except OSError:
        return None


def apparmor_refuses() -> bool:
    """Tell whether AppArmor keeps namespaces from ordinary programs, as Ubuntu 24.04 has it."""
    return setting("kernel.apparmor_restrict_unprivileged_userns") == "1"


def namespaces() -> str:
    """Say how to get user namespaces; empty where nothing is known to forbid them."""
    if apparmor_refuses():
        return f"AppArmor keeps namespaces from bwrap here: {APPARMOR}"
    if setting("kernel.unprivileged_userns_clone") == "0":
        return "`sudo sysctl -w kernel.unprivileged_userns_clone=1`"
    if setting("user.max_user_namespaces") == "0":
        return "`sudo sysctl -w user.max_user_namespaces=15000`"
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return (
            "this container may not make namespaces: start it with "
            "`--security-opt seccomp=unconfined --security-opt apparmor=unconfined`"
        )
    return ""


def landlock() -> str:
    """Say how to get Landlock."""
    return (
        "Linux 5.13 or newer, started with `landlock` among the names after `lsm=`; "
        "`cat /sys/kernel/security/lsm` shows them"
    )
