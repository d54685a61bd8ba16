"""What stands before all routes: the host, the token, and the limits of requests."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lsqlc.diagnostics import Diagnostic
from lsqlc.report.same_origin import HEADERS, is_loopback, refusal
from lsqlc.serve.http.bodies import error_body
from lsqlc.serve.http.routes import JSON
from lsqlc.serve.service import Limits

# Seconds in which a client sends its body.
_SENDING = 10.0
_FAILED = (
    b'{"error":{"code":null,"message":"the service has failed, and has reported why","help":null},"diagnostics":[]}'
)
_TOO_LARGE = "the body is larger than {limit:,} bytes"


@dataclass(slots=True)
class Requests:
    """Counts of requests since the start: by status, and their seconds."""

    by_status: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0


@dataclass(slots=True)
class Guard:
    """Passes requests on to `app`. `host`: the address that the server listens at; `token`: of clients, None: they need
    none; `is_open`: whether a path needs no token; `is_stream`: whether its answer has no end; `failed`: is told an
    error of the service itself.
    """

    app: ASGIApp
    host: str
    token: str | None
    limits: Limits
    is_open: Callable[[str], bool]
    is_stream: Callable[[str], bool]
    requests: Requests = field(default_factory=Requests)
    failed: Callable[[Exception], object] = lambda error: None
    _running: int = 0
    _streams: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI does."""
        if scope["type"] != "http":
            return
        headers, path = Headers(scope=scope), scope["path"]
        began = time.monotonic()
        answer = _Answer(send, self.requests)
        refused = self._refused(headers, path)
        if refused is not None:
            await _refuse(answer, *refused)
            return
        is_stream = self.is_stream(path)
        self._count(is_stream, 1)
        try:
            await self.app(scope, _Body(receive, self.limits.body), answer)
        except _BodyError as error:
            await _refuse(answer, error.status, error.diagnostic)
        except Exception as error:
            self.failed(error)
            await _send(answer, 500, _FAILED)
        finally:
            self._count(is_stream, -1)
            if not is_stream:
                self.requests.seconds += time.monotonic() - began

    def _count(self, is_stream: bool, change: int) -> None:
        if is_stream:
            self._streams += change
        else:
            self._running += change

    def _refused(self, headers: Headers, path: str) -> tuple[int, Diagnostic] | None:
        """Return the status and the reason with which a request is refused."""
        reason = refusal(headers, self.host) if is_loopback(self.host) else None
        if reason is not None:
            return 403, Diagnostic("LSQ841", reason)
        if self.token is not None and not self.is_open(path) and not _is_token(headers, self.token):
            return 401, Diagnostic("LSQ841", "the token is missing or wrong", help="send Authorization: Bearer TOKEN")
        if (
            headers.get("content-length", "0").isdecimal()
            and int(headers.get("content-length", "0")) > self.limits.body
        ):
            return 413, Diagnostic("LSQ838", _TOO_LARGE.format(limit=self.limits.body))
        is_full = (
            self._streams >= self.limits.streams if self.is_stream(path) else self._running >= self.limits.requests
        )
        # A probe must not fail because clients ask much.
        if is_full and not self.is_open(path):
            return 503, Diagnostic("LSQ838", "the service answers as many requests as it may", help="try again later")
        return None


def _is_token(headers: Headers, token: str) -> bool:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode("utf-8", "replace"))
    return scheme.lower() == "bearer" and same


class _BodyError(Exception):
    """A body that is not read to its end."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.diagnostic = status, Diagnostic("LSQ838", message)


@dataclass(slots=True)
class _Body:
    """Receives a body of limited size, in limited time."""

    receive: Receive
    most: int
    _end: float | None = None
    _is_read: bool = False

    async def __call__(self) -> Message:
        if self._is_read:
            # What follows is the end of the connection, which a stream waits for.
            return await self.receive()
        self._end = time.monotonic() + _SENDING if self._end is None else self._end
        try:
            async with asyncio.timeout(self._end - time.monotonic()):
                message = await self.receive()
        except TimeoutError:
            raise _BodyError(408, f"the body was not sent within {_SENDING:g} s") from None
        self.most -= len(message.get("body", b""))
        if self.most < 0:
            raise _BodyError(413, "the body is larger than the service takes")
        self._is_read = not message.get("more_body", False)
        return message


@dataclass(slots=True)
class _Answer:
    """Sends an answer with the headers of every answer."""

    send: Send
    requests: Requests
    has_begun: bool = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            self.requests.by_status[message["status"]] += 1
            headers = MutableHeaders(scope=message)
            for name, value in (*HEADERS, ("Cache-Control", "no-store")):
                headers[name] = value
        await self.send(message)


async def _refuse(answer: _Answer, status: int, diagnostic: Diagnostic) -> None:
    await _send(answer, status, error_body([diagnostic]))


async def _send(answer: _Answer, status: int, content: bytes) -> None:
    if answer.has_begun:
        return
    headers = [(b"content-type", JSON.encode()), (b"content-length", str(len(content)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 503:
        headers.append((b"retry-after", b"1"))
    # A body that was not read must not be taken for the next request.
    headers.append((b"connection", b"close"))
    await answer({"type": "http.response.start", "status": status, "headers": headers})
    await answer({"type": "http.response.body", "body": content})
