"""Ask a socket who is there, without pyspark and within a second: an HTTP/2 greeting, which every gRPC server answers.

pyspark's own calls retry for minutes against a server that is gone, so everything that talks to a server probes first.
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
    """What listens at host:port. `timeout` in seconds, for connecting and for the answer each.

    `serving`: plain gRPC. `tls`: it answered with a TLS alert, or hung up on a plain greeting as a TLS proxy does.
    `silent`: no answer in time. `other`: it speaks, but no HTTP/2.
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
