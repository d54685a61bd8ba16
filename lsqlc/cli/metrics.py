"""The metrics of a run over HTTP, as Prometheus scrapes them, and as OTLP, while the run lasts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

import typer

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.report.limited_server import LimitedServer
from lsqlc.report.metrics import CONTENT_TYPE, Metric, metrics_of, metrics_text
from lsqlc.report.same_origin import HEADERS, is_loopback, refusal

if TYPE_CHECKING:
    from lsqlc.cli.shell import Shell
    from lsqlc.remote.run.query_status import RunStatus

LOOPBACK = "127.0.0.1"
PATH = "/metrics"


class Board:
    """Where the newest status of a run is found by those who serve it. `status` is set by the run; before that it has
    no query.
    """

    def __init__(self, status: RunStatus) -> None:
        self.status: Callable[[], RunStatus] = lambda: status

    def text(self) -> str:
        """Return the current status in the format of Prometheus."""
        return metrics_text(self.status(), running=True, now=time.time())

    def metrics(self) -> tuple[Metric, ...]:
        """Return the current status as metrics."""
        return metrics_of(self.status(), running=True, now=time.time())


def address_of(text: str) -> tuple[str, int]:
    """Parse `--metrics`, a host and a port: `9464`, `:9464` (on this machine only), `0.0.0.0:9464` or `[::1]:9464`.

    Raises BadParameter for anything else.

    >>> address_of("9464"), address_of("0.0.0.0:80"), address_of("[::1]:0")
    (('127.0.0.1', 9464), ('0.0.0.0', 80), ('::1', 0))
    """
    host, _, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]")
    if not (port.isascii() and port.isdigit() and int(port) <= 65535) or (":" in bare) != (host == f"[{bare}]"):
        message = f"'{text}' must be a port, or HOST:PORT with an IPv6 address in brackets"
        raise typer.BadParameter(message, param_hint="--metrics")
    return bare or LOOPBACK, int(port)


@contextmanager
def published(sh: Shell, board: Board, *, metrics: str | None, otlp: str | None) -> Iterator[None]:
    """Serve the board's status at `metrics`, and send it to the OTLP endpoint `otlp`, inside the `with`. Raises
    BadParameter as `address_of`, LsqlcError LSQ777 for an address that cannot be listened on, and as `otlp.pushed`.
    """
    with ExitStack() as stack:
        if metrics is not None:
            stack.enter_context(_served(sh, board, *address_of(metrics)))
        if otlp is not None:
            from lsqlc.cli.otlp import pushed

            stack.enter_context(pushed(sh, board.metrics, otlp))
        yield


@contextmanager
def _served(sh: Shell, board: Board, host: str, port: int) -> Iterator[None]:
    try:
        server = metrics_server(host, port, board.text)
    except (OSError, UnicodeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        help = "choose another address with --metrics; port 0 takes a free one"
        message = f"cannot serve metrics at '{host}:{port}': {reason}"
        raise LsqlcError([Diagnostic("LSQ777", message, help=help)]) from None
    address = f"[{host}]" if ":" in host else host
    sh.say(f"metrics: http://{address}:{server.server_address[1]}{PATH}")
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def metrics_server(host: str, port: int, text: Callable[[], str]) -> LimitedServer:
    """Return a server that answers `/metrics` with `text()`, on the loopback to this machine only. Raises OSError for
    an address that cannot be listened on.
    """
    return _Server(host, port, text)


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD."""

    server: _Server

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        reason = refusal(self.headers, self.server.host) if is_loopback(self.server.host) else None
        if reason is not None:
            self.send_error(HTTPStatus.FORBIDDEN, reason)
            return
        if self.path.partition("?")[0] != PATH:
            self.send_error(HTTPStatus.NOT_FOUND, f"metrics are at {PATH}")
            return
        content = self.server.text().encode("utf-8", "replace")
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", CONTENT_TYPE)
        self.send_header("Content-Length", str(len(content)))
        for name, value in HEADERS:
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged."""


class _Server(LimitedServer):
    def __init__(self, host: str, port: int, text: Callable[[], str]) -> None:
        self.text = text
        super().__init__(host, port, _Handler)
