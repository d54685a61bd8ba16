"""The client of a schema registry: what it asks, what it makes of the answers, and what it says of wrong ones."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.render import render_all
from lsqlc.project.declared.profiles import read_target
from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.registry.client import RestRegistry
from lsqlc.registry.pull import subject
from lsqlc.registry.registry import Reference, RegisteredSchema
from tests.registry.stand_in import State, stand_in

V1 = '{"type":"record","name":"O","fields":[{"name":"id","type":"int"}]}'
V2 = '{"type":"record","name":"O","fields":[{"name":"id","type":"long"}]}'
V3 = '{"type":"record","name":"O","fields":[{"name":"id","type":"string"}]}'


def failure(call: object, *arguments: object) -> Diagnostic:
    with pytest.raises(LsqlcError) as error:
        call(*arguments)  # type: ignore[operator]
    (found,) = error.value.diagnostics
    return found


def test_schemas_are_registered_and_found(registry: RestRegistry, state: State) -> None:
    """A schema that is registered has the id it had."""
    assert registry.subjects() == ()
    assert registry.found("o-value", "AVRO", V1) is None
    assert registry.conflicts("o-value", "AVRO", V1) == ()
    first = registry.register("o-value", "AVRO", V1)
    assert registry.register("o-value", "AVRO", V1) == first
    second = registry.register("o-value", "AVRO", V2)
    assert registry.subjects() == ("o-value",)
    assert registry.versions("o-value") == (
        RegisteredSchema(first, 1, "AVRO", V1),
        RegisteredSchema(second, 2, "AVRO", V2),
    )
    assert registry.found("o-value", "AVRO", V1) == RegisteredSchema(first, 1, "AVRO", V1)
    assert registry.found("o-value", "AVRO", V3) is None
    assert registry.compatibility("o-value") == "BACKWARD" and registry.mode("o-value") == "READWRITE"
    assert len(state.subjects["o-value"]) == 2


def test_what_is_not_compatible_is_refused_with_its_reasons(registry: RestRegistry, state: State) -> None:
    registry.register("o-value", "AVRO", V2)
    assert "'id' was written as long, and is read as string" in registry.conflicts("o-value", "AVRO", V3)[0]
    refused = failure(registry.register, "o-value", "AVRO", V3)
    assert refused.code == "LSQ722" and "Incompatible schema" in refused.notes[0]
    state.modes["o-value"] = "NONE"
    assert registry.conflicts("o-value", "AVRO", V3) == ()


def test_names_with_any_character(registry: RestRegistry) -> None:
    """A subject is one part of the path, whatever is in its name."""
    registry.register("a/b c?d#é", "AVRO", V1)
    assert registry.subjects() == ("a/b c?d#é",)
    assert len(registry.versions("a/b c?d#é")) == 1


def test_other_types_and_references(registry: RestRegistry, state: State) -> None:
    state.register("address", '{"type":"record","name":"A","fields":[{"name":"zip","type":"string"}]}')
    uses = '{"type":"record","name":"P","fields":[{"name":"home","type":"A"}]}'
    state.register("p-value", uses, "AVRO", [{"name": "A", "subject": "address", "version": 1}])
    state.register("j-value", '{"type":"object"}', "JSON")
    assert registry.version("p-value", 1).references == (Reference("A", "address", 1),)
    assert registry.version("j-value", 1).type == "JSON"


def test_an_unknown_subject(registry: RestRegistry) -> None:
    found = failure(registry.versions, "gone-value")
    assert found.code == "LSQ714" and "'gone-value'" in found.message and found.help


def test_failures_are_tried_again(registry: RestRegistry, state: State) -> None:
    """Twice, and then it is an error."""
    state.failures = 2
    assert registry.subjects() == ()
    assert len(state.asked) == 3
    state.failures = 3
    found = failure(registry.subjects)
    assert found.code == "LSQ711" and "503" in found.message and len(state.asked) == 6


def test_nothing_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    waits: list[float] = []
    closed = RestRegistry(RegistryTarget(f"http://127.0.0.1:{port}"), pause=waits.append)
    found = failure(closed.subjects)
    assert found.code == "LSQ711" and "refused" in found.notes[0].lower() and len(waits) == 2


@pytest.mark.parametrize(("status", "content"), [
    (200, b"<html>"), (200, b'{"a": 1}'), (200, b"[1]"), (404, b"not found"), (302, b"http://127.0.0.1:1/other"),
])  # fmt: skip
def test_what_is_no_registry(registry: RestRegistry, state: State, status: int, content: bytes) -> None:
    """A page, other JSON, a redirect: nothing is followed, as a password would go with it."""
    state.answers["/subjects"] = (status, content)
    assert failure(registry.subjects).code == "LSQ713"


# What a registry may answer about version 1 of the subject `s`, and a part of the error.
BROKEN: list[tuple[dict[str, object], str]] = [
    ({"id": -1}, "no number 'id'"),
    ({"id": 1 << 31}, "no number 'id'"),
    ({"id": 1.5}, "no number 'id'"),
    ({"id": True}, "no number 'id'"),
    ({"version": 0}, "no number 'version'"),
    ({"version": 7}, "version 7 in place of 1"),
    ({"schema": None}, "no 'schema'"),
    ({"schemaType": 5}, "'schemaType'"),
    ({"schemaType": "X\u001b[31m"}, "'schemaType'"),
    ({"references": 5}, "'references'"),
    ({"references": [5]}, "no name or no subject"),
    ({"references": [{"name": "n", "subject": "o"}]}, "no number 'version'"),
]


@pytest.mark.parametrize(("members", "part"), BROKEN, ids=[str(members) for members, _ in BROKEN])
def test_a_broken_answer_names_the_subject(
    registry: RestRegistry, state: State, members: dict[str, object], part: str
) -> None:
    answer = {"subject": "s", "id": 1, "version": 1, "schema": V1, **members}
    state.answers["/subjects/s/versions/1"] = (200, json.dumps(answer).encode())
    found = failure(registry.version, "s", 1)
    assert found.code == "LSQ713" and part in found.notes[0] and "'s'" in found.notes[-1]


def test_a_limit_of_requests_is_no_other_server(registry: RestRegistry, state: State) -> None:
    """And what the registry says cannot write to the terminal."""
    state.answers["/subjects/s/versions"] = (429, b'{"error_code":429,"message":"\\u001b[2J slow\\u0007"}')
    found = failure(registry.versions, "s")
    assert found.code == "LSQ711" and "429" in found.message and "later" in (found.help or "")
    assert len(state.asked) == 3 and "\x1b" not in render_all([found], {})


def test_an_answer_without_end_is_given_up() -> None:
    """Byte by byte, each within the time that the client waits for one."""
    closed = threading.Event()

    class Drips(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            with suppress(OSError):
                while not closed.wait(0.01):
                    self.wfile.write(b" ")
            closed.set()

    with ThreadingHTTPServer(("127.0.0.1", 0), Drips) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        slow = RestRegistry(RegistryTarget(f"http://127.0.0.1:{server.server_port}"), whole=0.2)
        found = failure(slow.versions, "s")
        # The client has closed the connection.
        assert closed.wait(60)
        server.shutdown()
    assert found.code == "LSQ711" and "too long" in found.notes[0] and "'s'" in found.notes[1]


def test_references_that_lead_to_others_without_end(registry: RestRegistry, state: State) -> None:
    for number in range(1, 1_500):
        reference = {"name": f"n{number}", "subject": f"s{number + 1}", "version": 1}
        answer = {"subject": f"s{number}", "id": number, "version": 1, "schema": V1, "references": [reference]}
        state.answers[f"/subjects/s{number}/versions/1"] = (200, json.dumps(answer).encode())
    state.answers["/subjects/s1/versions"] = (200, b"[1]")
    found = failure(subject, registry, "s1")
    assert found.code == "LSQ719" and "too many schemas" in found.message


@pytest.fixture
def guarded(state: State) -> Iterator[str]:
    state.authorization = "Basic dTpzZWNyZXQ="
    with stand_in(state) as url:
        yield url


def test_names_passwords_and_tokens(guarded: str, state: State) -> None:
    """They are sent, and stand in no message and no text form."""
    assert RestRegistry(RegistryTarget(guarded, "u", "secret")).subjects() == ()
    target = RegistryTarget(guarded, token="hidden")
    found = failure(RestRegistry(target).subjects)
    assert found.code == "LSQ712" and "hidden" not in repr((found, target, RestRegistry(target)))
    state.authorization = "Bearer hidden"
    assert RestRegistry(target).subjects() == ()


def profile(registry: str) -> str:
    return f"targets:\n  prod:\n    type: embedded\n    registry: {registry}\n"


def test_the_registry_of_a_target() -> None:
    """With secrets of the environment; `ca` that is not there is an error of its own."""
    text = profile("{url: 'http://r:8081/', username: u, password: \"{{ env_var('P') }}\"}")
    target, problems = read_target(text, "profiles.yml", "prod", {"P": "secret"})
    assert not problems and target and target.registry == RegistryTarget("http://r:8081", "u", "secret")
    assert "secret" not in repr(target)
    assert failure(RestRegistry, RegistryTarget("https://r", ca="/none/ca.pem")).code == "LSQ723"


@pytest.mark.parametrize(("given", "code"), [
    ("{url: r:8081}", "LSQ723"),
    ("{url: 'http://u:pw@r'}", "LSQ723"),
    ("{url: 'http://r:x'}", "LSQ723"),
    ("{url: 'http://r', username: u}", "LSQ723"),
    ("{url: 'http://r', token: t, username: u, password: pw}", "LSQ723"),
    ("{url: 'http://r', token: \"a\\nb\"}", "LSQ723"),
    ("{url: 'http://r', token: \"a\\u20ac\"}", "LSQ723"),
    ("{}", "LSQ017"),
    ("{url: 'http://r', tokn: t}", "LSQ006"),
    ("http://r", "LSQ007"),
])  # fmt: skip
def test_a_registry_that_is_not_well_described(given: str, code: str) -> None:
    target, problems = read_target(profile(given), "profiles.yml", "prod", {})
    assert target is None and [p.code for p in problems] == [code]
    assert "pw" not in json.dumps([p.message + (p.help or "") for p in problems]).replace("password", "")
