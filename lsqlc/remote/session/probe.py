"""Check within a second, and without pyspark, what kind of server listens at a port.

The probe sends the preface of HTTP/2, which every gRPC server answers. Calls of pyspark retry for minutes if the server
has ended, so callers probe the server first.
"""

from __future__ import annotations

import socket
from typing import Literal

Answer = Literal["serving", "refused", "silent", "unknown host", "tls", "other"]

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_EMPTY_SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
_SETTINGS_FRAME = 4
_TLS_ALERT = b"\x15\x03"


def probe(host: str, port: int, *, timeout: float = 1.0) -> Answer:
    """Return what kind of server listens at host:port. `timeout`: seconds for the connection, and again for the answer.

    `serving`: gRPC without TLS. `tls`: a TLS alert, or the server closed the connection, as a TLS proxy does. `silent`:
    no answer in time. `other`: an answer that is not HTTP/2.
    """
    try:
        with socket.create_connection((host, port), timeout=timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(_PREFACE + _EMPTY_SETTINGS)
            answer = connection.recv(16)
    except ConnectionRefusedError:
        return "refused"
    except socket.gaierror:
        return "unknown host"
    except ConnectionError:
        return "tls"
    except OSError:
        return "silent"
    if len(answer) > 3 and answer[3] == _SETTINGS_FRAME:
        return "serving"
    return "tls" if not answer or answer.startswith(_TLS_ALERT) else "other"
