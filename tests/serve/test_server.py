"""The server on a socket: connections that stay open, and clients that send slowly."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lsqlc.serve.http import server
from lsqlc.serve.http.server import Listening, Serving, serve
from lsqlc.serve.service import Limits, Service
from tests.serve.conftest import BIKES, Asked, Shop, ask


@contextmanager
def listening(service: Service) -> Iterator[int]:
    """The port of a running server."""
    where = Listening("127.0.0.1", 0)
    listener, stop = where.socket(), threading.Event()
    port = listener.getsockname()[1]
    errors: list[Exception] = []
    how = Serving(where, listener, stop.is_set, errors.append)
    thread = threading.Thread(target=lambda: asyncio.run(serve(service, how)))
    thread.start()
    try:
        yield port
    finally:
        stop.set()
        thread.join()
        assert errors == []


async def _two_requests(port: int) -> list[bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    bodies = []
    for key in ("b1", "b2"):
        writer.write(f"GET /tables/bikes/{key} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:"))
        bodies.append(await reader.readexactly(length))
    writer.close()
    return bodies


def test_parts_of_answers_are_sent_at_once(folders: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Head and body are two parts, of which the second one must not wait for a sign of the first one."""
    options: list[int] = []

    class Seen(server._Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            connection = transport.get_extra_info("socket")
            options.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(server, "_Protocol", Seen)
    folders.append("bikes", *BIKES)
    with folders.served("bikes") as service, listening(service) as port:
        asyncio.run(_two_requests(port))
    assert [bool(option) for option in options] == [True]


def test_a_connection_has_several_requests(folders: Shop) -> None:
    folders.append("bikes", *BIKES)
    with folders.served("bikes") as service, listening(service) as port:
        first, second = asyncio.run(_two_requests(port))
    assert json.loads(first)["row"]["_key"] == "b1" and json.loads(second)["row"]["_key"] == "b2"


@pytest.mark.parametrize("sent", [b"", b"GET /hea", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea"])
def test_a_head_that_does_not_come_ends_the_connection(
    folders: Shop, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(server, "_HEAD", 0.05)

    async def wait(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        # The server closes the connection; otherwise this waits for ever.
        answer = await reader.read()
        writer.close()
        return answer

    with folders.served("bikes") as service, listening(service) as port:
        answer = asyncio.run(wait(port))
    assert answer.startswith(b"HTTP/1.1 200") == sent.startswith(b"GET /health")


def test_too_many_requests_and_streams_are_refused(folders: Shop) -> None:
    """Probes are answered nevertheless."""
    folders.append("bikes", *BIKES)
    with folders.served("bikes", limits=Limits(requests=0, streams=0)) as service:
        request, stream, probe = ask(
            service, Asked("/tables/bikes/b1"), Asked("/tables/bikes/changes"), Asked("/health")
        )
    assert [(each.status, each.code) for each in (request, stream)] == [(503, "LSQ838")] * 2
    assert probe.status == 200
