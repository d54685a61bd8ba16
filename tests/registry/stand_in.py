"""A stand-in for a schema registry: Confluent's REST API as far as lsqlc asks for it, in memory, on the loopback.

Compatibility is judged by Avro's rules of schema resolution, that of JSON Schemas by those of `json_rules.py`, that of
Protobuf by those of `protobuf_rules.py`.
`compare.py` holds its answers about Avro against a real registry's.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from lsqlc.formats.avro.resolution import incompatible
from lsqlc.formats.avro.tree import Avro, AvroError, avro_tree, canonical
from lsqlc.formats.protobuf.compiler import protobuf_text
from lsqlc.formats.protobuf.tree import ProtobufError
from lsqlc.formats.registered import MODES
from tests.registry.json_rules import json_conflicts
from tests.registry.protobuf_rules import protobuf_conflicts

Answer = tuple[int, Any]


@dataclass
class State:
    """What the stand-in holds. `failures`: so many next answers have status 503. `authorization`: the header that it
    asks for. `answers`: bodies that are sent for a path instead, as they are.
    """

    subjects: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    ids: dict[tuple[str, str], int] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    level: str = "BACKWARD"
    failures: int = 0
    authorization: str | None = None
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def register(self, subject: str, schema: str, type: str = "AVRO", references: list[Any] | None = None) -> int:
        """Register a schema without asking for compatibility, as another writer did before."""
        body = {"schema": schema, "schemaType": type, "references": references or []}
        known = self.ids.setdefault((type, self._one_text(body)), len(self.ids) + 1)
        versions = self.subjects.setdefault(subject, [])
        number = versions[-1]["version"] + 1 if versions else 1
        versions.append({"subject": subject, "version": number, "id": known, **body})
        return known

    def tree(self, body: Mapping[str, Any]) -> Avro:
        return avro_tree(body["schema"], dict(self._referred(body)))

    def _referred(self, body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for reference in body.get("references") or []:
            found = self.subjects[reference["subject"]][reference["version"] - 1]
            yield from self._referred(found)
            yield reference["name"], found["schema"]

    def _one_text(self, body: Mapping[str, Any]) -> str:
        if body.get("schemaType") == "PROTOBUF":
            return protobuf_text(body["schema"], dict(self._referred(body)))
        return canonical(self.tree(body)) if body.get("schemaType", "AVRO") == "AVRO" else str(body["schema"])

    def same(self, subject: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
        text = self._one_text(body)
        return next((v for v in self.subjects.get(subject, ()) if self._one_text(v) == text), None)

    def conflicts(self, subject: str, body: Mapping[str, Any]) -> tuple[str, ...]:
        level = self.modes.get(subject, self.level)
        mode = next(m for m in MODES if m == level)
        if body.get("schemaType", "AVRO") == "JSON":
            return json_conflicts(body["schema"], [v["schema"] for v in self.subjects.get(subject, ())], mode)
        if body.get("schemaType") == "PROTOBUF":
            return protobuf_conflicts(
                self._one_text(body), [self._one_text(v) for v in self.subjects.get(subject, ())], mode
            )
        return incompatible(self.tree(body), [self.tree(v) for v in self.subjects.get(subject, ())], mode)


def _error(status: int, code: int, message: str) -> Answer:
    return status, {"error_code": code, "message": message}


def _shown(version: Mapping[str, Any]) -> dict[str, Any]:
    """A version as a registry writes it: what is AVRO, and what refers to nothing, is not said."""
    return {k: v for k, v in version.items() if not (k == "schemaType" and v == "AVRO") and v != []}


def _no_subject(subject: str) -> Answer:
    return _error(404, 40401, f"Subject '{subject}' not found.")


def answer(state: State, method: str, path: str, body: Any) -> Answer:
    """The status and the JSON of an answer."""
    routes: list[tuple[str, str, Callable[..., Answer]]] = [
        ("GET", "/subjects", lambda: (200, sorted(state.subjects))),
        ("GET", "/subjects/([^/]+)/versions", lambda s: _versions(state, s)),
        ("GET", "/subjects/([^/]+)/versions/([^/]+)", lambda s, v: _version(state, s, v)),
        ("GET", "/schemas/ids/([0-9]+)", lambda id: _by_id(state, int(id))),
        ("POST", "/subjects/([^/]+)/versions", lambda s: _register(state, s, body)),
        ("POST", "/subjects/([^/]+)", lambda s: _look_up(state, s, body)),
        ("POST", "/compatibility/subjects/([^/]+)/versions/latest", lambda s: _compatible(state, s, body)),
        ("GET", "/config", lambda: (200, {"compatibilityLevel": state.level})),
        ("GET", "/config/([^/]+)", lambda s: (200, {"compatibilityLevel": state.modes.get(s, state.level)})),
        ("PUT", "/config/([^/]+)", lambda s: _set_level(state, s, body)),
        ("GET", "/mode/([^/]+)", lambda s: (200, {"mode": "READWRITE"})),
    ]
    for wanted, pattern, route in routes:
        found = re.fullmatch(pattern, path)
        if wanted == method and found:
            try:
                return route(*map(unquote, found.groups()))
            except (AvroError, ProtobufError) as error:
                return _error(422, 42201, f"Invalid schema: {error}")
    return _error(404, 404, "HTTP 404 Not Found")


def _versions(state: State, subject: str) -> Answer:
    return (200, [v["version"] for v in state.subjects[subject]]) if subject in state.subjects else _no_subject(subject)


def _version(state: State, subject: str, version: str) -> Answer:
    versions = state.subjects.get(subject)
    if not versions:
        return _no_subject(subject)
    found = versions[-1:] if version == "latest" else [v for v in versions if str(v["version"]) == version]
    return (200, _shown(found[0])) if found else _error(404, 40402, f"Version {version} not found.")


def _by_id(state: State, id: int) -> Answer:
    found = next((v for versions in state.subjects.values() for v in versions if v["id"] == id), None)
    kept = {k: found[k] for k in ("schema", "schemaType", "references")} if found else {}
    return (200, _shown(kept)) if kept else _error(404, 40403, "Schema not found")


def _register(state: State, subject: str, body: Any) -> Answer:
    same = state.same(subject, body)
    if same is not None:
        return 200, {"id": same["id"]}
    conflicts = state.conflicts(subject, body)
    if conflicts:
        return _error(409, 409, f"Incompatible schema: {'; '.join(conflicts)}")
    id = state.register(subject, body["schema"], body.get("schemaType", "AVRO"), body.get("references"))
    return 200, {"id": id}


def _look_up(state: State, subject: str, body: Any) -> Answer:
    if subject not in state.subjects:
        return _no_subject(subject)
    same = state.same(subject, body)
    return (200, _shown(same)) if same else _error(404, 40403, "Schema not found")


def _compatible(state: State, subject: str, body: Any) -> Answer:
    if subject not in state.subjects:
        return _no_subject(subject)
    conflicts = state.conflicts(subject, body)
    return 200, {"is_compatible": not conflicts, **({"messages": list(conflicts)} if conflicts else {})}


def _set_level(state: State, subject: str, body: Any) -> Answer:
    if body.get("compatibility") not in MODES:
        return _error(422, 42203, "Invalid compatibility level")
    state.modes[subject] = body["compatibility"]
    return 200, {"compatibility": body["compatibility"]}


@contextmanager
def stand_in(state: State) -> Iterator[str]:
    """Serves the state; gives the URL."""

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            path = urlsplit(self.path).path
            state.asked.append(f"{self.command} {path}")
            if state.failures:
                state.failures -= 1
                self._send(503, b"{}")
            elif state.authorization not in (None, self.headers.get("Authorization")):
                self._send(401, json.dumps({"error_code": 401, "message": "Unauthorized"}).encode())
            elif path in state.answers:
                self._send(*state.answers[path])
            else:
                status, data = answer(state, self.command, path, json.loads(content) if content else None)
                self._send(status, json.dumps(data).encode())

        do_GET = do_POST = do_PUT = _serve

        def _send(self, status: int, content: bytes) -> None:
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("Location", content.decode())
                content = b""
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main() -> None:
    """Serve an empty registry: its address is the one line of stdout, and it ends with stdin."""
    with stand_in(State()) as address:
        print(address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
