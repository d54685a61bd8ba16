"""The docs site over HTTP on the loopback interface, with the status of the project's run.

Files are served from memory, so that no path leads out of the site. Pages of other origins are rejected.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote

from lsqlc.report.limited_server import LimitedServer
from lsqlc.report.same_origin import HEADERS, refusal
from lsqlc.report.site.readme import PICTURES

HOST = "127.0.0.1"
# The path of the run's status. Only a page from this server requests it, and its content policy allows it.
STATUS = "status.json"
_TEXTS = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "txt": "text/plain",
    "json": "application/json",
}
_KINDS = {**{ending: f"{kind}; charset=utf-8" for ending, kind in _TEXTS.items()}, **PICTURES}
_POLICY, _SERVED_POLICY = b"default-src 'none';", b"default-src 'none'; connect-src 'self';"
_SERVED = f'<meta name="lsqlc-status" content="{STATUS}">\n</head>'.encode()


def served_page(page: bytes) -> bytes:
    """Return the page for the server: it requests the status, and its content policy allows that."""
    return page.replace(_POLICY, _SERVED_POLICY, 1).replace(b"</head>", _SERVED, 1)


def site_server(files: Mapping[str, bytes], port: int, status: Callable[[], Mapping[str, Any]]) -> LimitedServer:
    """Return an HTTP server of these files on 127.0.0.1. Port 0 means any free port.

    Raises OSError if the port is in use. `status` returns `running`, whether the project is running, and `run`, the
    status of the last run or None, as JSON-ready data.
    """
    served = {**files, "index.html": served_page(files["index.html"])}

    class Handler(BaseHTTPRequestHandler):
        """Handles GET and HEAD."""

        def do_GET(self) -> None:
            self._answer(body=True)

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def _answer(self, *, body: bool) -> None:
            reason = refusal(self.headers)
            if reason is not None:
                self.send_error(HTTPStatus.FORBIDDEN, reason)
                return
            path = unquote(self.path.partition("?")[0].partition("#")[0]).removeprefix("/") or "index.html"
            content = json.dumps(status()).encode() if path == STATUS else served.get(path)
            if content is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", _KINDS[path.rpartition(".")[2]])
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            for name, value in HEADERS:
                self.send_header(name, value)
            if path.endswith(".svg"):
                # An SVG that is opened by itself must not run scripts.
                self.send_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
            self.end_headers()
            if body:
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Log no requests."""

    return LimitedServer(HOST, port, Handler)
