"""An HTTP server beside other work: few clients at a time, each for a short time, whatever they send."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Clients that are served at a time, each by a thread; others are refused.
CLIENTS = 16


class LimitedServer(ThreadingHTTPServer):
    """`host`: the address that it listens on."""

    daemon_threads = True
    # Seconds that a client has for its request and its answer, however slowly it sends.
    seconds = 10.0

    def __init__(self, host: str, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        self.host, self._free = host, threading.BoundedSemaphore(CLIENTS)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread for the client, unless there are too many."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve the client in its thread. The connection ends with the time of the client."""
        end = threading.Timer(self.seconds, _close, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a request that cannot be answered, such as one whose client closes the connection early."""


def _close(connection: socket.socket) -> None:
    """End a connection that another thread reads from or writes to."""
    # The other thread may have closed it.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
