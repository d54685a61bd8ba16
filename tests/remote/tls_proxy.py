"""A proxy that terminates TLS before a Spark Connect server, and remembers what clients say through it."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_FRAME_HEADER = 9
_DATA = 0


def certificate(folder: Path) -> tuple[Path, Path]:
    """A throwaway certificate for the loopback, and its key."""
    made, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", str(made), "-keyout", str(key),
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return made, key


@dataclass
class Proxy:
    """`port`: where it listens. `said`: the bytes of each connection from a client, decrypted."""

    port: int = 0
    said: list[bytearray] = field(default_factory=list)

    def messages(self) -> list[bytes]:
        """What clients have sent as messages, by stream of HTTP/2, headers left out."""
        return [message for connection in self.said for message in _bodies(bytes(connection))]


def _bodies(connection: bytes) -> list[bytes]:
    streams: dict[int, bytearray] = {}
    place = len(_PREFACE)
    while place + _FRAME_HEADER <= len(connection):
        size, kind, stream = (
            int.from_bytes(connection[place : place + 3]),
            connection[place + 3],
            int.from_bytes(connection[place + 5 : place + 9]),
        )
        place += _FRAME_HEADER
        if kind == _DATA:
            streams.setdefault(stream, bytearray()).extend(connection[place : place + size])
        place += size
    return [bytes(body) for body in streams.values()]


@contextmanager
def tls_proxy(port: int, made: Path, key: Path) -> Iterator[Proxy]:
    """A proxy before the plain server on that port of the loopback."""
    proxy, started = Proxy(), threading.Event()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    context.set_alpn_protocols(["h2"])
    loop, ended = asyncio.new_event_loop(), asyncio.Event()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, into: bytearray | None) -> None:
        # A side that has gone ends the other.
        with suppress(ConnectionError, ssl.SSLError):
            while part := await reader.read(1 << 16):
                if into is not None:
                    into.extend(part)
                writer.write(part)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = bytearray()
        proxy.said.append(said)
        inner, outer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pump(reader, outer, said), pump(inner, writer, None))

    async def main() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
        proxy.port = server.sockets[0].getsockname()[1]
        started.set()
        await ended.wait()
        server.close()

    def work() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(main())

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
