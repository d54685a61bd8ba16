"""The docs site over HTTP, only on this machine.

Files are served from memory, so that no address leads out of the site. A request must name this machine: a page from
elsewhere whose name was made to point here is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

HOST = "127.0.0.1"
_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def site_server(files: Mapping[str, bytes], port: int) -> ThreadingHTTPServer:
    """A server of these files, by path, which listens on 127.0.0.1; port 0: any that is free. Raises OSError if the
    port is taken.
    """

    class Handler(BaseHTTPRequestHandler):
        """Answers GET and HEAD."""

        def do_GET(self) -> None:
            self._answer(body=True)

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def _answer(self, *, body: bool) -> None:
            host = (self.headers.get("Host") or "").rpartition(":")[0] or self.headers.get("Host")
            if host not in (HOST, "localhost"):
                self.send_error(HTTPStatus.FORBIDDEN, "this server answers to 127.0.0.1 and localhost")
                return
            path = unquote(urlsplit(self.path).path).removeprefix("/") or "index.html"
            content = files.get(path)
            if content is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", f"{_KINDS[path.rpartition('.')[2]]}; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            if body:
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are not logged."""

    return ThreadingHTTPServer((HOST, port), Handler)
