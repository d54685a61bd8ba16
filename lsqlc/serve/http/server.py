"""The HTTP server: the routes behind their guard, on a socket, until it is to stop."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import h11
import uvicorn
from starlette.routing import Route as Routed
from starlette.routing import Router
from uvicorn.protocols.http.h11_impl import H11Protocol

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.serve.http.bell import Bell
from lsqlc.serve.http.guard import Guard, Requests
from lsqlc.serve.http.handlers import Endpoint, Handlers, missing
from lsqlc.serve.http.routes import ROUTES
from lsqlc.serve.metrics import service_metrics
from lsqlc.serve.service import Service

# Seconds in which a client sends the head of a request.
_HEAD = 10.0
# Seconds that a connection without a request stays open.
_KEEP_ALIVE = 30
# Seconds that requests have to end when the server stops.
_ENDING = 3
# Seconds between two looks whether to stop.
_LOOK = 0.1


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the service listens. `host`: without brackets; `port`: 0 for any free one; `token`: see `Guard`; `version`:
    of lsqlc.
    """

    host: str
    port: int
    token: str | None = None
    version: str = ""

    def socket(self) -> socket.socket:
        """Return a listening socket. Raises LsqlcError LSQ832 if there is none."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            return socket.create_server((self.host, self.port), family=family)
        except (OSError, UnicodeError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            message = f"cannot listen at '{self.host}', port {self.port}: {reason}"
            help = "choose another address with --host and --port; port 0 takes a free one"
            raise LsqlcError([Diagnostic("LSQ832", message, help=help)]) from None


@dataclass(frozen=True, slots=True)
class Serving:
    """How a service is served. `listener`: a socket that listens; `stopped`: whether to end; `failed`: see `Guard`."""

    listening: Listening
    listener: socket.socket
    stopped: Callable[[], bool]
    failed: Callable[[Exception], object]


@asynccontextmanager
async def application(service: Service, listening: Listening) -> AsyncIterator[tuple[Guard, Handlers]]:
    """Return the routes behind their guard, inside of a running event loop."""
    requests = Requests()
    bell = Bell()
    handlers = Handlers(
        service,
        bell,
        listening.version,
        lambda: service_metrics(service, requests.by_status, requests.seconds),
        listening.token is not None,
    )
    # The part of a path that is a key may have slashes.
    routed = [
        _route(r.path.replace("{key}", "{key:path}"), Endpoint(r.method, _handler(handlers, r.handler), r.is_stream))
        for r in ROUTES
    ]
    router = Router(routed, redirect_slashes=False, default=Endpoint(None, missing))
    guard = Guard(
        router,
        listening.host,
        listening.token,
        service.limits,
        _paths(routed, "is_open"),
        _paths(routed, "is_stream"),
        requests,
    )
    service.follower.told = bell.ring
    try:
        yield guard, handlers
    finally:
        handlers.close()


async def serve(service: Service, how: Serving) -> None:
    """Answer requests until `how.stopped` returns True."""
    async with application(service, how.listening) as (guard, handlers):
        guard.failed = how.failed
        limits = service.limits
        config = uvicorn.Config(
            guard,
            http=_Protocol,
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            # It logs requests of clients that are not HTTP.
            log_level="critical",
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=_ENDING,
            # Connections that wait for their next request are among them.
            limit_concurrency=4 * (limits.requests + limits.streams),
        )
        server = _Server(config)
        serving = asyncio.create_task(server.serve([how.listener]))
        while not serving.done() and not how.stopped():
            await asyncio.wait([serving], timeout=_LOOK)
        server.should_exit = handlers.is_stopping = True
        handlers.bell.ring()
        await serving


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the command."""
        yield


class _Protocol(H11Protocol):
    """Sends at once, and closes connections whose clients do not send the head of a request in time."""

    _waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # asyncio does so only for sockets that were created with the number of the protocol. Without it, an answer in
        # two parts waits 40 ms for the client.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)
        self._waits = self.loop.call_later(_HEAD, transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # The next head may have begun with this request.
        self._watch_head()

    def _watch_head(self) -> None:
        is_in_head = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if not is_in_head and self._waits is not None:
            self._waits.cancel()
            self._waits = None
        elif is_in_head and self._waits is None:
            self._waits = self.loop.call_later(_HEAD, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waits is not None:
            self._waits.cancel()
        super().connection_lost(exc)


def _route(path: str, endpoint: Endpoint) -> Routed:
    """Return a route. Its patterns also match newlines, which a key may have."""
    route = Routed(path, endpoint)
    route.path_regex = re.compile(route.path_regex.pattern.removesuffix("$") + r"\Z", re.DOTALL)
    return route


def _handler(handlers: Handlers, name: str) -> Any:
    return getattr(handlers, "metrics_text" if name == "metrics" else name)


def _paths(routed: list[Routed], what: str) -> Callable[[str], bool]:
    """Return whether a path is that of a route with a property."""
    patterns = [(each.path_regex, getattr(route, what)) for each, route in zip(routed, ROUTES, strict=True)]

    def holds(path: str) -> bool:
        return next((has for pattern, has in patterns if pattern.match(path)), False)

    return holds
