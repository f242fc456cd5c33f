"""Reach out: every family of socket that might lead somewhere."""

from __future__ import annotations

import fcntl
import os
import socket
import struct

from .talk import Facts, attempt, listen, refusal, say

_IPPROTO_MPTCP = 262
_MSG_FASTOPEN = 0x20000000
_AF_ALG, _AF_VSOCK = 38, 40


def tcp(told: Facts) -> Facts:
    """Connect to a listener on this machine and hand over a word."""
    with socket.create_connection((told["host"], told["port"]), timeout=2) as line:
        line.sendall(told["secret"].encode())
    return {}


def multipath(told: Facts) -> Facts:
    """Connect by multipath TCP, which filters of plain TCP may forget."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, _IPPROTO_MPTCP) as line:
        line.settimeout(2)
        line.connect((told["host"], told["port"]))
        line.sendall(told["secret"].encode())
    return {}


def fast_open(told: Facts) -> Facts:
    """Send data with the first packet, so that `connect` is never called."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as line:
        line.sendto(told["secret"].encode(), _MSG_FASTOPEN, (told["host"], told["port"]))
    return {}


def udp(told: Facts) -> Facts:
    """Send a datagram to a listener on this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.sendto(told["secret"].encode(), (told["host"], told["port"]))
    return {}


def serve(told: Facts) -> Facts:
    """Listen, so that others may come to us; the runner knocks."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        door.settimeout(3)
        say({"port": door.getsockname()[1]})
        guest, _ = door.accept()
        guest.sendall(told["secret"].encode())
        guest.close()
    return {}


def unix_stream(told: Facts) -> Facts:
    """Connect to a unix socket, by path or (with a leading NUL) by abstract name."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(2)
        line.connect(told["address"])
        line.sendall(told["secret"].encode())
    return {}


def unix_datagram(told: Facts) -> Facts:
    """Send a datagram to a unix socket, never connecting."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.sendto(told["secret"].encode(), told["address"])
    return {}


def netlink(told: Facts) -> Facts:
    """Ask the kernel for its network interfaces."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as line:
        line.settimeout(2)
        line.bind((0, 0))
        line.send(struct.pack("=IHHIIBxxxxxxxxxxxxxxx", 32, 18, 0x301, 1, 0, 0))
        return {"answered": len(line.recv(65536))}


def interfaces(told: Facts) -> Facts:
    """Ask a socket that leads nowhere for the names of network interfaces, one by one."""
    names, refused = [], ""
    left, right = socket.socketpair()
    for index in range(1, 64):
        try:
            answer = fcntl.ioctl(left, 0x8910, struct.pack("=16xi20x", index))  # SIOCGIFNAME
        except OSError as error:
            refused = refusal(error)
            continue
        names.append(answer[:16].rstrip(b"\0").decode())
    right.close()
    left.close()
    return {"names": names, "refused": refused}


def _open(family: int, kind: int, protocol: int = 0) -> None:
    socket.socket(family, kind, protocol).close()


def vsock(told: Facts) -> Facts:
    """Open a line to the host of a virtual machine."""
    _open(_AF_VSOCK, socket.SOCK_STREAM)
    return {"opened": True}


def packet(told: Facts) -> Facts:
    """Listen to every packet of the wire."""
    _open(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    return {"opened": True}


def raw(told: Facts) -> Facts:
    """Forge packets, as root or by the ping socket."""
    why = attempt(lambda: _open(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
    if why:
        _open(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    return {"opened": True}


def crypto(told: Facts) -> Facts:
    """Reach the kernel's cipher code, an old source of holes."""
    _open(_AF_ALG, socket.SOCK_SEQPACKET)
    return {"opened": True}


def pass_descriptor(told: Facts) -> Facts:
    """Hand an open descriptor to whoever listens outside."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(2)
        line.connect(told["address"])
        reader, writer = os.pipe()
        os.write(writer, told["secret"].encode())
        socket.send_fds(line, [b"fd"], [reader])
        say({"passed": True})
        listen()
    return {}
