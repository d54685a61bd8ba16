"""Which requests a server on the loopback answers: those that name this machine and come from no page of another
origin.

A page in a browser of this machine can send requests to a port on the loopback. It can read the answer if its own name
resolves to the loopback, so the name in `Host` must be one of this machine. It can include an answer as a script, which
browsers prevent if the answer forbids it (`HEADERS`); the request is refused as well.
"""

from __future__ import annotations

from email.message import Message

NAMES = frozenset(("127.0.0.1", "localhost", "[::1]"))
HEADERS = (("Cross-Origin-Resource-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"))
"""Headers of every answer."""


def refusal(headers: Message) -> str | None:
    """Return why a request with these headers is refused; None if it is answered."""
    host = headers.get("Host") or ""
    # The port is behind the last colon, unless that colon is inside of the brackets of an IPv6 address.
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if name not in NAMES:
        return "this server answers to 127.0.0.1 and localhost"
    # Only browsers send these two.
    foreign = headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
    if foreign and headers.get("Sec-Fetch-Dest") != "document":
        return "this server does not answer pages of other origins"
    return None
