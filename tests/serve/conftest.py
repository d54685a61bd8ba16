"""A project with topics, whose tables are served, and requests to the service without a network."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lsqlc import connectors
from lsqlc.project.workspace import Workspace, open_workspace
from lsqlc.serve.http.server import Listening, application
from lsqlc.serve.service import Limits, Service, ServiceRequest, open_service
from lsqlc.serve.tables import Wanted
from lsqlc.tasks.run_target import open_compiled
from lsqlc.types.record import Record
from tests.connectors.memory.log import STORES

TOPICS = """topics:
  - {name: bikes, key: STRING, value: 'station STRING, rides INT', partitions: 2}
  - {name: stops, key: 'STRUCT<line: STRING, stop: INT>', value: 'name STRING, seen TIMESTAMP, parts ARRAY<INT>'}
  - {name: log, value: 'text STRING'}
"""
MODEL = "SELECT station, COUNT(*) AS bikes FROM bikes WHERE station IS NOT NULL GROUP BY station"
PROFILES = {
    "folders": "default: here\ntargets: {here: {type: embedded}}\n",
    "memory": "default: here\ntargets: {here: {type: embedded, memory: {store: serve, partitions: 2}}}\n",
}


@dataclass(frozen=True)
class Shop:
    """A project, whose topics are written by `append`: the key, and the fields of the value or none."""

    root: Path

    def workspace(self) -> Workspace:
        return open_workspace(self.root)

    def append(self, topic: str, *rows: tuple[Any, dict[str, Any] | None]) -> None:
        workspace = self.workspace()
        compilation = workspace.compilation
        log = open_compiled(compilation, workspace.target()).log
        records = [Record(topic, key, value, 60_000 + number) for number, (key, value) in enumerate(rows)]
        log.append(compilation.topics[topic], records)

    @contextmanager
    def served(self, *topics: str, limits: Limits | None = None, loaded: bool = True) -> Iterator[Service]:
        """Open a service of some topics. `loaded`: it has read them."""
        request = ServiceRequest(Wanted(frozenset(), topics or ("bikes", "stops")), None, limits or Limits())
        with open_service(self.workspace(), request, time.time) as service:
            if loaded:
                read(service)
            yield service


def read(service: Service) -> None:
    """Read all records."""
    while service.follower.look():
        pass


@pytest.fixture(params=PROFILES)
def shop(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """The project, over folders and over a log with partitions."""
    yield from _shop(tmp_path, monkeypatch, request.param)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """The project over folders."""
    yield from _shop(tmp_path, monkeypatch, "folders")


def _shop(root: Path, monkeypatch: pytest.MonkeyPatch, profile: str) -> Iterator[Shop]:
    monkeypatch.setattr(connectors, "MODULES", (*connectors.MODULES, "tests.connectors.memory.connector"))
    STORES.clear()
    (root / "models").mkdir()
    (root / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (root / "profiles.yml").write_text(PROFILES[profile])
    (root / "models" / "topics.yml").write_text(TOPICS)
    (root / "models" / "bikes_at.sql").write_text(MODEL)
    yield Shop(root)
    STORES.clear()


BIKES: tuple[tuple[Any, dict[str, Any] | None], ...] = (
    ("b1", {"station": "park", "rides": 3}),
    ("b2", {"station": "harbour", "rides": 5}),
    ("b3", {"station": None, "rides": None}),
    ("b1", {"station": "harbour", "rides": 4}),
)


@dataclass(frozen=True)
class Answered:
    """An answer."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.content)

    @property
    def code(self) -> str:
        return str(self.data["error"]["code"])


@dataclass(frozen=True)
class Asked:
    """A request."""

    path: str
    query: str = ""
    method: str = "GET"
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def scope(self) -> dict[str, Any]:
        headers = {"host": "127.0.0.1:8590", **self.headers}
        return {
            "type": "http",
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": self.path,
            "raw_path": self.path.encode(),
            "query_string": self.query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8590),
        }


def query(sql: str, **more: Any) -> Asked:
    """A request of a query."""
    body = json.dumps({"sql": sql, **more}).encode()
    return Asked("/query", method="POST", body=body, headers={"content-type": "application/json"})


Ask = Callable[..., list[Answered]]


def ask(service: Service, *requests: Asked, token: str | None = None, host: str = "127.0.0.1") -> list[Answered]:
    """Return the answers of a service to requests, one after another."""

    async def answers() -> list[Answered]:
        async with application(service, Listening(host, 0, token)) as (guard, _):
            return [await asked(guard, each) for each in requests]

    return asyncio.run(answers())


async def asked(app: Any, request: Asked, most: int | None = None) -> Answered:
    """Return the answer to a request. `most`: the number of parts of a stream after which the client leaves."""
    parts: list[bytes] = []
    start: dict[str, Any] = {}
    sent = False
    gone = asyncio.Event()

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": request.body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
        elif message.get("body"):
            parts.append(message["body"])
            if len(parts) == most:
                gone.set()

    await app(request.scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answered(start["status"], headers, b"".join(parts))
