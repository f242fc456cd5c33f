"""Attacks on the network: every family of socket that leads out of the cage."""

from __future__ import annotations

import contextlib
import socket
from typing import Any

from niagara_arena.sandbox.attacks.model import NotTried, Probe, Scenario, Seen
from niagara_arena.sandbox.attacks.stage import Trial


def _interfaces(trial: Trial) -> Seen:
    here = {name for index, name in socket.if_nameindex() if index < 64} - {"lo"}
    if not here:
        raise NotTried("this machine has no network interface")
    bot = trial.run("network.interfaces")
    known = here & set(bot.evidence.get("names", []))
    return Seen(bool(known), f"it knows {', '.join(sorted(known))}"[:80] if known else bot.why)


def _sent(program: str, to: str, *, building: bool = False) -> Scenario:
    """Make a scenario whose bot, or build, must get the secret to one of our ears."""

    def scenario(trial: Trial) -> Seen:
        ears = trial.stage.ears
        places: dict[str, dict[str, Any]] = {
            "tcp": {"host": "127.0.0.1", "port": ears.tcp},
            "tcp6": {"host": "::1", "port": ears.tcp6},
            "udp": {"host": "127.0.0.1", "port": ears.udp},
            "path": {"address": ears.path},
            "datagram": {"address": ears.datagram_path},
            "abstract": {"address": ears.abstract},
        }
        place = places[to]
        if place.get("port", 0) is None:
            raise NotTried("this machine has no IPv6")
        bot = trial.run(program, place, writable=building)
        heard = ears.heard(trial.secret, 0.0 if bot.evidence.get("refused") else 2.0)
        return Seen(heard, "the word came through" if heard else bot.why)

    return scenario


def _passed(trial: Trial) -> Seen:
    bot = trial.start("network.pass_descriptor", told={"address": trial.stage.ears.path})
    passed = bot.hear("passed")
    heard = trial.stage.ears.heard(trial.secret, 2.0 if passed else 0.0)
    return Seen(heard, "the descriptor came through" if heard else bot.why)


def _served(trial: Trial) -> Seen:
    bot = trial.start("network.serve")
    port, got = bot.hear("port"), b""
    if isinstance(port, int):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as line:
            got = line.recv(256)
    opened = trial.secret.encode() in got
    return Seen(opened, "it answered our knock" if opened else bot.why)


def _opened(program: str, key: str = "opened") -> Scenario:
    """Make a scenario in which only the bot can tell whether it got a socket."""

    def scenario(trial: Trial) -> Seen:
        bot = trial.run(program)
        opened = bool(bot.evidence.get(key))
        return Seen(opened, "it got one" if opened else bot.why, True)

    return scenario


PROBES = (
    Probe("tcp", "Connect by TCP to a service of this machine", _sent("network.tcp", to="tcp")),
    Probe("tcp6", "Connect by TCP over IPv6", _sent("network.tcp", to="tcp6")),
    Probe(
        "mptcp",
        "Connect by multipath TCP, which a filter may not take for TCP",
        _sent("network.multipath", to="tcp"),
        none="varies",
    ),
    Probe(
        "tcp-fast-open",
        "Send with the first packet, so that nothing connects",
        _sent("network.fast_open", to="tcp"),
        none="varies",
    ),
    Probe("tcp-listen", "Listen on a TCP port", _served),
    Probe("udp", "Send a datagram to this machine", _sent("network.udp", to="udp")),
    Probe(
        "udp-building",
        "Send a datagram, as a build",
        _sent("network.udp", to="udp", building=True),
    ),
    Probe("unix", "Connect to a unix socket by path", _sent("network.unix_stream", to="path")),
    Probe(
        "unix-datagram",
        "Send to a unix socket by path",
        _sent("network.unix_datagram", to="datagram"),
    ),
    Probe(
        "unix-abstract",
        "Connect to an abstract unix socket",
        _sent("network.unix_stream", to="abstract"),
    ),
    Probe("pass-descriptor", "Hand an open descriptor out of the cage", _passed),
    Probe("netlink", "Ask the kernel for its interfaces", _opened("network.netlink", "answered")),
    Probe("interfaces", "Ask a pair of sockets for the machine's interfaces", _interfaces),
    Probe("vsock", "Open a line to the virtual machine's host", _opened("network.vsock"), "varies"),
    Probe("packet", "Listen to every packet", _opened("network.packet"), none="root"),
    Probe("raw-socket", "Forge packets", _opened("network.raw"), none="varies"),
    Probe("crypto-socket", "Reach the kernel's ciphers", _opened("network.crypto"), none="varies"),
)
