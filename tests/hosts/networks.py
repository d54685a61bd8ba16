"""Networks of hosts that see nothing but what links them: network namespaces of Linux, joined by pairs of virtual
Ethernet devices. They need root.

A namespace is held by a file descriptor of this process and by the processes that were started in it: with the last of
them it is gone, and so are its devices. All addresses are of 127.0.0.0/8, which no network outside the namespaces
routes; each host's own loopback has 127.0.0.1 only.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NEW_NETWORK = 0x40000000
_LOCALNET = "/proc/sys/net/ipv4/conf/all/route_localnet"
_PROGRAMS = ("ip", "mount", "nsenter", "unshare")
# What needs more rights than those of root in many a container.
_TRIED = f"ip link add one type veth peer name two; echo 1 > {_LOCALNET}; mount -t tmpfs tmpfs /mnt"


def missing() -> str | None:
    """Why there can be no hosts on this machine; None: there can."""
    if sys.platform != "linux":
        return "network namespaces are Linux's"
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in _PROGRAMS:
        if shutil.which(program) is None:
            return f"there is no program '{program}'"
    tried = subprocess.run(
        ["unshare", "--net", "--mount", "--pid", "--fork", "sh", "-ec", _TRIED],
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    return f"namespaces cannot be made here: {tried.stderr.strip()}" if tried.returncode else None


class Network:
    """The network of one host. `name`: for messages."""

    def __init__(self, name: str) -> None:
        self.name = name
        with _kept():
            _checked(_libc().unshare(_NEW_NETWORK))
            self._file = os.open(_OWN, os.O_RDONLY)
            _ip("link", "set", "lo", "up")
            # The rest of the range belongs to the links.
            _ip("address", "delete", "127.0.0.1/8", "dev", "lo")
            _ip("address", "add", "127.0.0.1/32", "dev", "lo")
            Path(_LOCALNET).write_text("1")

    def close(self) -> None:
        os.close(self._file)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Sockets, threads and processes that this thread makes inside the `with` are this host's."""
        with _kept():
            _checked(_libc().setns(self._file, _NEW_NETWORK))
            yield

    def link(self, other: Network, number: int) -> tuple[str, str]:
        """Link two hosts. `number`, 1 to 254, is the link's own. Gives the addresses of this one and of the other."""
        ends = f"to-{other.name}", f"to-{self.name}"
        addresses = f"127.{number}.0.1", f"127.{number}.0.2"
        with self.entered():
            peer = ("peer", "name", ends[1], "netns", f"/proc/{os.getpid()}/fd/{other._file}")
            _ip("link", "add", ends[0], "type", "veth", *peer)
        for host, end, address in zip((self, other), ends, addresses, strict=True):
            with host.entered():
                _ip("address", "add", f"{address}/30", "dev", end)
                _ip("link", "set", end, "up")
        return addresses


_OWN = "/proc/thread-self/ns/net"


@contextmanager
def _kept() -> Iterator[None]:
    """This thread is back in its network behind the `with`."""
    before = os.open(_OWN, os.O_RDONLY)
    try:
        yield
    finally:
        try:
            _checked(_libc().setns(before, _NEW_NETWORK))
        finally:
            os.close(before)


def _libc() -> ctypes.CDLL:
    # Python has these calls from 3.12 on.
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, stdin=subprocess.DEVNULL)
