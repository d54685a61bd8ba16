"""The functions that answer the routes."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import unquote_to_bytes

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.dialects import NAMES
from lsqlc.report.metrics import CONTENT_TYPE
from lsqlc.serve.changes import NewChanges
from lsqlc.serve.http.bell import Bell
from lsqlc.serve.http.bodies import error_body, freshness_data, raw_rows, ready_data, row_body, rows_body, tables_body
from lsqlc.serve.http.routes import JSON, openapi
from lsqlc.serve.service import POINT_READERS, Included, Service, TableAnswer
from lsqlc.serve.tables import ServedTable

Result = TypeVar("Result")
_INCLUDED = re.compile(r"(.+):([0-9]{1,10}):([0-9]{1,19})", re.DOTALL)
# Seconds between two signs of life of a stream without changes.
_IDLE = 15.0
# Seconds in which a query that is interrupted has to end.
_GRACE = 1.0
# The status of an answer with an error of a code; others are 400.
_STATUS = {"LSQ836": 404, "LSQ838": 503, "LSQ839": 503, "LSQ433": 503}


class _QueryBody(msgspec.Struct, forbid_unknown_fields=True):
    sql: str
    dialect: str | None = None
    limit: int | None = None


@dataclass(slots=True)
class Handlers:
    """Answers requests of one event loop. `version`: of lsqlc; `metrics`: the text of the metrics; `has_token`: whether
    clients need one. `is_stopping`: streams end.
    """

    service: Service
    bell: Bell
    version: str
    metrics: Callable[[], str]
    has_token: bool
    is_stopping: bool = False
    # Rows by key have threads of their own, so that they never wait for a query.
    _points: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(POINT_READERS, "point"))
    _queries: ThreadPoolExecutor = field(default_factory=ThreadPoolExecutor)
    # Distinguishes the ids of events of this process.
    run: str = field(default_factory=lambda: secrets.token_hex(4))

    def __post_init__(self) -> None:
        self._queries = ThreadPoolExecutor(self.service.limits.queries, "query")

    def close(self) -> None:
        """End the threads, when they have answered."""
        self._points.shutdown(cancel_futures=True)
        self._queries.shutdown(cancel_futures=True)

    async def tables(self, request: Request) -> Response:
        """List the tables."""
        return _json(await self._in(self._points, lambda: tables_body(self.service)))

    async def rows(self, request: Request) -> Response:
        """Return rows of a table, or the row of a key."""
        _only(request, "where", "limit", "key", "after")
        table, where, key = request.path_params["table"], _one(request, "where"), _one(request, "key")
        limit = _count(_one(request, "limit"))
        self.service.table(table)
        await self._wait(request)
        if key is None:
            answer = await self._in(self._queries, lambda: self.service.rows_of(table, where, limit))
            return _json(rows_body(self.service, answer))
        if where is not None:
            raise _malformed("'key' and 'where' are both there", "write one of them")
        return self._row(await self._in(self._points, lambda: self.service.row(table, key)))

    async def row(self, request: Request) -> Response:
        """Return the row of a key."""
        _only(request, "after")
        table, key = request.path_params["table"], request.path_params["key"]
        await self._wait(request)
        return self._row(await self._in(self._points, lambda: self.service.row(table, key)))

    async def query(self, request: Request) -> Response:
        """Answer a query."""
        _only(request, "after")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise _malformed("the body is not declared as JSON", f"send Content-Type: {JSON}")
        try:
            body = msgspec.json.decode(await request.body(), type=_QueryBody)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _malformed(f"the body cannot be read: {error}", 'send {"sql": "SELECT ..."}') from None
        if body.limit is not None and body.limit < 0:
            raise _malformed("'limit' is below 0", "write a number of rows")
        if body.dialect not in (None, *NAMES):
            raise _malformed(f"unknown dialect '{body.dialect}'", f"known are {', '.join(NAMES)}")
        await self._wait(request)
        answer = await self._in(self._queries, lambda: self.service.query(body.sql, body.dialect, body.limit))
        return _json(rows_body(self.service, answer))

    async def changes(self, request: Request) -> Response:
        """Follow the changes of a table."""
        _only(request)
        table = self.service.table(request.path_params["table"])
        self.service.fresh((table.name,))
        events = self._events(table, request.headers.get("last-event-id", ""))
        return StreamingResponse(events, media_type="text/event-stream")

    async def health(self, request: Request) -> Response:
        """Tell that the process answers."""
        return _json(msgspec.json.encode({"status": "ok"}))

    async def ready(self, request: Request) -> Response:
        """Tell whether all tables have been read."""
        data = ready_data(self.service)
        return _json(msgspec.json.encode(data), 200 if data["ready"] else 503)

    async def metrics_text(self, request: Request) -> Response:
        """Return the metrics."""
        text = await self._in(self._points, self.metrics)
        return Response(text.encode("utf-8", "replace"), headers={"Content-Type": CONTENT_TYPE})

    async def openapi(self, request: Request) -> Response:
        """Return the OpenAPI document."""
        return _json(msgspec.json.encode(openapi(self.version, has_token=self.has_token)))

    def _row(self, answer: TableAnswer) -> Response:
        return _json(row_body(self.service, answer), 200 if len(answer.answer) else 404)

    async def _in(self, threads: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
        # One limit to wait for a thread, and one to use it. DuckDB does not interrupt all functions: such a thread ends
        # after the client has its answer.
        seconds = 2 * self.service.limits.seconds + _GRACE
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.get_running_loop().run_in_executor(threads, work)
        except TimeoutError:
            message = f"the answer was not ready within {seconds:g} s"
            help = "select fewer rows, or send fewer queries at the same time"
            raise LsqlcError([Diagnostic("LSQ838", message, help=help)]) from None

    async def _wait(self, request: Request) -> None:
        """Wait for the records of `after`. Raises LsqlcError LSQ839 if they do not come in time."""
        end = time.monotonic() + self.service.limits.seconds
        for text in request.query_params.getlist("after"):
            match = _INCLUDED.fullmatch(text)
            if match is None:
                raise _malformed(f"'{text[:100]}' is not a record", "write TOPIC:PARTITION:OFFSET, such as rides:0:17")
            record = Included(match[1], int(match[2]), int(match[3]))
            while not self.service.includes(record):
                left = end - time.monotonic()
                if left <= 0 or self.is_stopping:
                    message = f"the record '{text[:100]}' was not read within {self.service.limits.seconds:g} s"
                    raise LsqlcError([Diagnostic("LSQ839", message, help="try again, or look at `/ready`")])
                await self.bell.wait(min(left, 1.0))

    async def _events(self, table: ServedTable, last: str) -> AsyncIterator[bytes]:
        """Yield the events of a table's changes."""
        log = self.service.follower.changes[table.name]
        position = self._position(last, log.end)
        yield self._event("open", log.end if position is None else position, self._freshness(table))
        if position is None:
            position = log.end
            yield self._event("missed", position, b"{}")
        while not self.is_stopping:
            new = log.after(position)
            if new.has_missed:
                yield self._event("missed", new.first, b"{}")
            for event in self._changed(table, new):
                yield event
            if new.changes:
                yield self._event("freshness", new.end, self._freshness(table))
            position = new.end
            if position == log.end and not await self.bell.wait(_IDLE):
                yield b": idle\n\n"

    def _changed(self, table: ServedTable, new: NewChanges) -> list[bytes]:
        rows = raw_rows(table.answer(change.row for change in new.changes))
        numbered = enumerate(zip(new.changes, rows, strict=True), new.first + 1)
        return [self._event(change.kind, number, bytes(row)) for number, (change, row) in numbered]

    def _position(self, last: str, end: int) -> int | None:
        """Return the position after the last event that a client has seen; None if it is none of this process."""
        run, _, number = last.partition("-")
        if not last:
            return end
        return int(number) if run == self.run and number.isdecimal() and len(number) < 20 else None

    def _event(self, name: str, position: int, data: bytes) -> bytes:
        return f"id: {self.run}-{position}\nevent: {name}\ndata: ".encode() + data + b"\n\n"

    def _freshness(self, table: ServedTable) -> bytes:
        return msgspec.json.encode(freshness_data(self.service, self.service.follower.freshness(table.name)))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Answers requests with one method, also errors of the client, with a status and their diagnostics. `method`: None:
    all; `is_stream`: the answer has no end.
    """

    method: str | None
    handler: Callable[[Request], Awaitable[Response]]
    is_stream: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI does."""
        response = await self._response(Request(scope, receive))
        await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        # An answer to HEAD has no body, so that a stream would never end.
        method = "GET" if request.method == "HEAD" and not self.is_stream else request.method
        if self.method not in (None, method):
            return _missing(request, 405, {"Allow": self.method or ""})
        try:
            _check_encoding(request)
            return await self.handler(request)
        except LsqlcError as error:
            status = _STATUS.get(error.diagnostics[0].code, 400)
            headers = {"Retry-After": "1"} if status == 503 else {}
            return Response(error_body(error.diagnostics), status, headers, JSON)


async def missing(request: Request) -> Response:
    """Answer for a path that no route has."""
    return _missing(request, 404, {})


def _missing(request: Request, status: int, headers: Mapping[str, str]) -> Response:
    diagnostic = Diagnostic(
        "LSQ840", f"there is no {request.method} {request.url.path[:200]}", help="`/openapi.json` lists all routes"
    )
    return Response(error_body([diagnostic]), status, dict(headers), JSON)


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type=JSON)


def _check_encoding(request: Request) -> None:
    """Raise LsqlcError LSQ840 for an address that is not UTF-8: another character must not replace what it has."""
    try:
        for part in (request.scope["raw_path"], request.scope["query_string"]):
            unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        raise _malformed("the address is not UTF-8", "encode each byte of UTF-8 as %XX") from None


def _only(request: Request, *names: str) -> None:
    """Raise LsqlcError LSQ840 for another parameter: one that is misspelt must not be ignored."""
    unknown = sorted(set(request.query_params) - {*names})
    if unknown:
        known = ", ".join(names) or "there are none"
        raise _malformed(f"unknown parameter '{unknown[0][:100]}'", f"known are {known}" if names else known)


def _one(request: Request, name: str) -> str | None:
    values = request.query_params.getlist(name)
    if len(values) > 1:
        raise _malformed(f"'{name}' is there more than once", "write it once")
    return values[0] if values else None


def _count(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise _malformed(f"'{text[:100]}' is not a number of rows", "write limit=100")
    return int(text)


def _malformed(message: str, help: str) -> LsqlcError:
    return LsqlcError([Diagnostic("LSQ840", message, help=help)])
