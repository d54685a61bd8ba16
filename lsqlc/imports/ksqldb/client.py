"""Client of ksqlDB's REST API, with the standard library only.

It sends only LIST statements, which change nothing. It follows neither redirects nor proxies, so that only the given
server receives the password. No message contains a password.
"""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.imports.ksqldb.entities import documents, errors

STATEMENTS = "LIST STREAMS EXTENDED; LIST TABLES EXTENDED; LIST QUERIES EXTENDED;"
_TIMEOUT = 30.0
_MOST = 64 << 20
_TYPE = "application/vnd.ksql.v1+json"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def is_address(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def ask(url: str, login: str | None, *, timeout: float = _TIMEOUT) -> list[Any]:
    """Return the answers of a server to `STATEMENTS`.

    `login`: `user:password`, or None without authentication. `timeout`: seconds.

    Raises LsqlcError LSQ531 if the server cannot be reached, and LSQ532 if the answer is not ksqlDB's.
    """
    address = _checked(url)
    headers = {"Accept": _TYPE, "Content-Type": _TYPE}
    if login is not None:
        headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
    body = json.dumps({"ksql": STATEMENTS, "streamsProperties": {}}).encode()
    opener = urllib.request.build_opener(_NoRedirect(), urllib.request.ProxyHandler({}))
    request = urllib.request.Request(f"{address}/ksql", body, headers)
    try:
        with opener.open(request, timeout=timeout) as answer:
            content: bytes = answer.read(_MOST + 1)
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(address, error.code, error.read(1 << 16)) from None
    except (OSError, HTTPException) as error:
        raise _unreachable(address, error) from None
    if len(content) > _MOST:
        raise _foreign(address, f"the answer has more than {_MOST >> 20} MiB")
    try:
        values = documents(content.decode("utf-8"))
    except ValueError:
        raise _foreign(address, "the answer is not JSON") from None
    messages = errors(values)
    if messages:
        raise _foreign(address, *(f"the server says: {' '.join(message.split())[:500]}" for message in messages))
    return values


def _checked(url: str) -> str:
    """Return the base address. Rejects a password in it, which the list of processes would show."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
        parts = urlsplit("")
    if not host:
        raise LsqlcError([Diagnostic("LSQ531", f"'{url}' is not the address of a server",
                                     help="write it as http://localhost:8088")])  # fmt: skip
    if parts.username is not None or parts.password is not None:
        help = "set the environment variable LSQLC_SECRET_KSQLDB to 'user:password', and remove them from the address"
        raise LsqlcError([Diagnostic("LSQ531", "the address of a server must not contain a password", help=help)])
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('/ksql')}"


def _refused(url: str, status: int, content: bytes) -> LsqlcError:
    if status in (401, 403):
        help = "set the environment variable LSQLC_SECRET_KSQLDB to 'user:password'"
        return LsqlcError([Diagnostic("LSQ532", f"the server at {url} denies access ({status})", help=help)])
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    message = body.get("message") if isinstance(body, dict) else None
    notes = (f"the server says: {' '.join(message.split())[:500]}",) if isinstance(message, str) else ()
    return _foreign(url, f"it answers with status {status}", *notes)


def _unreachable(url: str, error: Exception) -> LsqlcError:
    reason = getattr(error, "reason", error)
    cause = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    help = "check the address, and that the server is running; its port is 8088 unless its `listeners` say otherwise"
    if isinstance(reason, ssl.SSLError):
        help = "set the environment variable SSL_CERT_FILE to the certificate of the server's authority"
    return LsqlcError([Diagnostic("LSQ531", f"the server at {url} cannot be reached", notes=(cause,), help=help)])


def _foreign(url: str, *why: str) -> LsqlcError:
    help = "write the address of ksqlDB's REST API, such as http://localhost:8088"
    return LsqlcError([Diagnostic("LSQ532", f"the server at {url} does not list its streams", notes=why, help=help)])
