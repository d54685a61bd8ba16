"""Same-origin checks of a server on the loopback interface.

A page in a browser of this machine can send requests to a loopback port. If its host name resolves to the loopback
address, it can read the response, so `Host` must name this machine. It can also include a response as a script.
Browsers prevent that if the response forbids it (`HEADERS`), and such requests are rejected as well.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Protocol

NAMES = frozenset(("127.0.0.1", "localhost", "[::1]"))
HEADERS = (("Cross-Origin-Resource-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"))
"""Headers of every response."""


class RequestHeaders(Protocol):
    """The headers of a request, by names in any case."""

    def get(self, name: str, /) -> str | None:
        """Return the value of a header; None without it."""
        ...


def is_loopback(host: str) -> bool:
    """Return whether a server that listens at a host can be reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refusal(headers: RequestHeaders, own: str = "") -> str | None:
    """Return the reason to reject a request with these headers; None to accept it. `own`: the address that the server
    listens at, without brackets.
    """
    host = headers.get("Host") or ""
    # The port follows the last colon, unless that colon is inside the brackets of an IPv6 address.
    name, _, port = host.rpartition(":")
    name = name if name and port.isdecimal() else host
    if name not in NAMES and (not own or name.strip("[]") != own):
        return "this server answers to 127.0.0.1 and localhost"
    # Only browsers send these headers. Older ones send the origin alone.
    origin = headers.get("Origin")
    foreign = headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
    foreign = foreign or (origin is not None and origin.partition("://")[2] != host)
    if foreign and headers.get("Sec-Fetch-Dest") != "document":
        return "this server does not answer pages of other origins"
    return None
