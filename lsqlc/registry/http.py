"""Requests to one server: without redirects and proxies, and with a limit of time for the whole answer."""

from __future__ import annotations

import io
import ssl
import time
import urllib.request
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from socket import socket
from typing import Any


class SlowAnswerError(OSError):
    """The server has sent a part of an answer, and not all of it in time."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer that is none of a registry."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Received(io.RawIOBase):
    """The bytes of a socket up to a moment of the monotonic clock."""

    def __init__(self, of: socket, end: float) -> None:
        self._socket, self._timeout, self._end = of, of.gettimeout(), end
        self._file = of.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._end - time.monotonic()
        is_last = self._timeout is None or left < self._timeout
        try:
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left if is_last else self._timeout)
            return self._file.readinto(buffer)
        except TimeoutError:
            if is_last:
                raise SlowAnswerError("the answer takes too long") from None
            raise

    def close(self) -> None:
        self._file.close()
        super().close()


class _Response(HTTPResponse):
    def __init__(self, of: socket, *arguments: Any, whole: float, **named: Any) -> None:
        super().__init__(of, *arguments, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_Received(of, time.monotonic() + whole))


class _Http(urllib.request.HTTPHandler):
    def __init__(self, whole: float) -> None:
        super().__init__()
        self._whole = whole

    def http_open(self, request: urllib.request.Request) -> HTTPResponse:
        return self.do_open(partial(_limited, HTTPConnection, self._whole), request)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, whole: float, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self._whole, self._of_server = whole, context

    def https_open(self, request: urllib.request.Request) -> HTTPResponse:
        connect = partial(_limited, HTTPSConnection, self._whole)
        return self.do_open(connect, request, context=self._of_server)


def _limited(kind: type[HTTPConnection], whole: float, host: str, **named: Any) -> HTTPConnection:
    connection = kind(host, **named)
    connection.response_class = partial(_Response, whole=whole)  # type: ignore[assignment]
    return connection


def opener(context: ssl.SSLContext | None, *, whole: float) -> urllib.request.OpenerDirector:
    """Return the opener of requests. `context`: of a server with TLS; `whole`: seconds for an answer from its first
    byte on, after which reading it raises SlowAnswerError.
    """
    handlers: list[urllib.request.BaseHandler] = [_NoRedirect(), urllib.request.ProxyHandler({}), _Http(whole)]
    if context is not None:
        handlers.append(_Https(whole, context))
    return urllib.request.build_opener(*handlers)
