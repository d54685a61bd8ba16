"""Events of OpenLineage: what they say of queries and columns, their form, and backends that are away."""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openlineage.client", reason="openlineage-python is not installed")

from openlineage.client.event_v2 import RunEvent
from openlineage.client.serde import Serde

from lsqlc.cli.openlineage import dataset_naming, lineage_sent
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.declared.profiles import named_target
from lsqlc.project.discovery import load_project
from lsqlc.remote.run.events import Event, Failed, QuerySummary, RestartingQuery, Started
from lsqlc.remote.run.progress import BatchProgress
from lsqlc.report.openlineage import LineageEvents, flows
from lsqlc.tasks.run_target import RunTarget, open_compiled

ROOT = Path(__file__).parents[2]
YAML = """topics:
  - {name: rides, key: STRING, value: "station STRING, minutes INT, cancelled BOOLEAN"}
  - {name: planes, key: INT, value: "model STRING, maker INT"}
  - {name: makers, key: INT, value: "name STRING"}
models:
  - {name: totals, owner: "team:bikes", description: How long rides take.}
"""
TOTALS = (
    "SELECT STREAM station, SUM(minutes) AS minutes, COUNT(*) AS n FROM rides WHERE NOT cancelled GROUP BY station;"
)
LETTERS = "SET error.policy = 'dlq';\nSET dead.letter.queue = 'bad';\nSELECT STREAM minutes FROM rides;"
KAFKA = """default: local
targets:
  local: {type: embedded, kafka: {bootstrap: "b1.example.com:9093,b2.example.com:9093", prefix: shop.}}
"""


@pytest.fixture
def compilation(tmp_path: Path) -> Compilation:
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\n")
    (tmp_path / "models/topics.yml").write_text(YAML)
    (tmp_path / "models/totals.sql").write_text(TOTALS)
    (tmp_path / "models/letters.sql").write_text(LETTERS)
    loaded = load_project(tmp_path).project
    assert loaded is not None
    found = compile_project(loaded)
    assert found.ok, found.diagnostics
    return found


@pytest.fixture
def place(compilation: Compilation) -> RunTarget:
    return open_compiled(compilation, named_target(compilation.project.root, None, {}))


def made(compilation: Compilation, place: RunTarget) -> LineageEvents:
    lowered = {name: lower(plan) for name, plan in compilation.plans.items()}
    ids = (uuid.UUID(int=n) for n in range(1, 1000))
    return LineageEvents(flows(compilation, lowered, dataset_naming(place, compilation), "shop"), lambda: next(ids))


def data(event: RunEvent) -> Any:
    return json.loads(Serde.to_json(event))


def started(query: str = "totals") -> Started:
    return Started(query, "totals", "totals", resumed=False)


def test_an_event_has_datasets_schema_and_lineage(compilation: Compilation, place: RunTarget) -> None:
    """Values are DIRECT, by column; what decides about the records is INDIRECT, once for the dataset."""
    (event,) = made(compilation, place).of(started(), 1000.0)
    found = data(event)
    assert found["eventType"] == "START" and found["eventTime"] == "1970-01-01T00:16:40+00:00"
    assert (found["job"]["namespace"], found["job"]["name"]) == ("shop", "totals")
    facets = found["job"]["facets"]
    assert facets["sql"]["query"] == TOTALS and facets["jobType"]["processingType"] == "STREAMING"
    assert facets["ownership"]["owners"] == [{"name": "team:bikes"}]
    assert facets["documentation"]["description"] == "How long rides take."
    topics = place.root / ".lsqlc" / "topics"
    (read,), (written,) = found["inputs"], found["outputs"]
    assert (read["namespace"], read["name"]) == ("file", str(topics / "rides"))
    assert (written["namespace"], written["name"]) == ("file", str(topics / "totals"))
    assert [(f["name"], f["type"]) for f in read["facets"]["schema"]["fields"]] == [
        ("_key", "STRING"), ("station", "STRING"), ("minutes", "INT"), ("cancelled", "BOOLEAN"),
    ]  # fmt: skip
    lineage = written["facets"]["columnLineage"]
    (minutes,) = lineage["fields"]["minutes"]["inputFields"]
    assert (minutes["name"], minutes["field"]) == (read["name"], "minutes")
    assert minutes["transformations"] == [{"type": "DIRECT"}]
    assert "n" not in lineage["fields"]
    decide = {f["field"]: [(t["type"], t.get("subtype")) for t in f["transformations"]] for f in lineage["dataset"]}
    assert decide == {"cancelled": [("INDIRECT", "FILTER")], "station": [("INDIRECT", None)]}


def test_topics_in_kafka_are_named_by_broker(compilation: Compilation) -> None:
    """By the first one, and with the prefix that they have there."""
    (compilation.project.root / "profiles.yml").write_text(KAFKA)
    naming = dataset_naming(open_compiled(compilation, named_target(compilation.project.root, None, {})), compilation)
    assert naming("rides") == ("kafka://b1.example.com:9093", "shop.rides")


def test_letters_have_no_lineage(compilation: Compilation, place: RunTarget) -> None:
    """They hold records as they came; their query reads what the model reads."""
    found = flows(compilation, {"letters": lower(compilation.plans["letters"])}, lambda t: ("n", t), "shop")
    letters = found["letters.bad"]
    assert [i.name for i in letters.inputs] == ["rides"]
    (out,) = letters.outputs
    assert out.name == "bad" and out.facets is not None and set(out.facets) == {"schema"}


def test_topics_between_queries_are_no_datasets() -> None:
    """Of a model of several queries the last one has what all of them read, and the lineage of the model."""
    loaded = load_project(ROOT).project
    assert loaded is not None
    compilation = compile_project(loaded)
    lowered = {name: lower(compilation.plans[name]) for name in ("join_three",)}
    assert len(lowered["join_three"].stages) > 1
    found = flows(compilation, lowered, lambda topic: ("n", topic), "flights")
    names = {d.name for flow in found.values() for d in (*flow.inputs, *flow.outputs)}
    read = {topic.name for topic in compilation.plans["join_three"].inputs}
    assert names == read | {"deliveries"}
    last = found["join_three"]
    assert {i.name for i in last.inputs} == read and last.outputs[0].facets is not None
    assert "columnLineage" in last.outputs[0].facets and found["join_three.stage1"].outputs == ()


def test_the_life_of_a_query(compilation: Compilation, place: RunTarget) -> None:
    """A run of the job for each start; RUNNING at most once a minute, with the records written so far."""
    events = made(compilation, place)

    def states(event: Event, now: float) -> list[tuple[str, int]]:
        return [(e.eventType.value, uuid.UUID(e.run.runId).int) for e in events.of(event, now) if e.eventType]

    batch = BatchProgress("totals", 0, 10, 1.0, written=4)
    assert states(started(), 0.0) == [("START", 1)]
    assert states(batch, 30.0) == [] and states(batch, 61.0) == [("RUNNING", 1)] and states(batch, 90.0) == []
    lost = RestartingQuery("totals", "totals", "totals", 1, 2.0, 95.0, (Diagnostic("LSQ661", "it broke"),))
    (failed,) = events.of(lost, 95.0)
    assert data(failed)["run"]["facets"]["errorMessage"]["message"] == "it broke"
    assert data(failed)["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 12
    assert states(started(), 100.0) == [("START", 2)]
    # The server was lost, and with it the query.
    assert states(started(), 200.0) == [("ABORT", 2), ("START", 3)]
    assert states(QuerySummary("totals", "totals", "totals", finished=True), 210.0) == [("COMPLETE", 3)]
    assert states(QuerySummary("totals", "totals", "totals"), 211.0) == []
    assert states(Started("other", "other", "other", resumed=False), 212.0) == []
    assert states(started(), 300.0) == [("START", 4)]
    assert [e.eventType.value for e in events.close(301.0) if e.eventType] == ["ABORT"]


def test_what_is_stopped_in_order_is_complete(compilation: Compilation, place: RunTarget) -> None:
    """Unless another query has failed for good."""
    for fails, state in ((False, "COMPLETE"), (True, "ABORT")):
        events = made(compilation, place)
        events.of(started(), 0.0)
        if fails:
            events.of(Failed("letters", "letters", "letters", 1.0, (Diagnostic("LSQ661", "it broke"),)), 1.0)
        (ended,) = events.of(QuerySummary("totals", "totals", "totals"), 2.0)
        assert ended.eventType is not None and ended.eventType.value == state


def specification() -> Callable[[Any], list[str]]:
    """What is wrong with an event by OpenLineage's own JSON Schemas, those of its facets included."""
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    named = os.environ.get("LSQLC_OPENLINEAGE_SPEC")
    if not named:
        pytest.skip("LSQLC_OPENLINEAGE_SPEC does not name the folder spec of OpenLineage's repository")
    spec = Path(named)
    files = [spec / "OpenLineage.json", *sorted((spec / "facets").glob("*.json"))]
    schemas = [json.loads(file.read_text("utf-8")) for file in files]
    resources = [(s["$id"], referencing.Resource.from_contents(s)) for s in schemas]
    registry = referencing.Registry().with_resources(resources)
    known = {uri for uri, _ in resources}

    def wrong(event: Any) -> list[str]:
        def against(value: Any, uri: str) -> list[str]:
            # Another version of the specification than the installed client's would be skipped in silence.
            assert uri.partition("#")[0] in known, f"the specification lacks {uri}"
            checks = jsonschema.Draft202012Validator({"$ref": uri}, registry=registry)
            return [f"{uri}: {e.json_path}: {e.message}" for e in checks.iter_errors(value)]

        owners = [event["run"], event["job"], *event["inputs"], *event["outputs"]]
        facets = [f for o in owners for kind in ("facets", "outputFacets") for f in o.get(kind, {}).values()]
        assert len(facets) > 3
        found = against(event, event["schemaURL"])
        return found + [problem for facet in facets for problem in against(facet, facet["_schemaURL"])]

    return wrong


def test_events_fit_the_schemas_of_openlineage(compilation: Compilation, place: RunTarget) -> None:
    """Each event, and each of its facets by the schema that it names."""
    wrong = specification()
    events = made(compilation, place)
    broken = Failed("totals", "totals", "totals", 3.0, (Diagnostic("LSQ661", "it broke"),))
    sent = [
        *events.of(started(), 1.0),
        *events.of(BatchProgress("totals", 0, 10, 1.0, written=4), 70.0),
        *events.of(broken, 71.0),
        *events.of(Started("letters.bad", "letters", "bad", resumed=False), 72.0),
        *events.close(73.0),
    ]
    assert [e.eventType.value for e in sent if e.eventType] == ["START", "RUNNING", "FAIL", "START", "ABORT"]
    assert [problem for event in sent for problem in wrong(data(event))] == []
    assert wrong({**data(sent[0]), "eventTime": 5}), "the schemas are looked at"


def _run(to: str | None, compilation: Compilation, place: RunTarget) -> None:
    lowered = {name: lower(plan) for name, plan in compilation.plans.items()}
    with lineage_sent(Shell("run"), to, place, compilation, lowered) as sent:
        sent(started())
        sent(QuerySummary("totals", "totals", "totals", finished=True))


def test_events_are_appended_to_a_file(compilation: Compilation, place: RunTarget, tmp_path: Path) -> None:
    """A line each, in order."""
    _run(str(tmp_path / "events.jsonl"), compilation, place)
    _run(str(tmp_path / "events.jsonl"), compilation, place)
    lines = (tmp_path / "events.jsonl").read_text().splitlines()
    assert [json.loads(line)["eventType"] for line in lines] == ["START", "COMPLETE"] * 2


@pytest.fixture
def _no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("OPENLINEAGE"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    # What the client adds of itself goes with the test.
    monkeypatch.setattr(os, "environ", os.environ.copy())


@pytest.mark.usefixtures("_no_configuration")
def test_events_are_sent_to_a_backend(
    compilation: Compilation, place: RunTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the client's own variables, with the namespace that it has there."""
    taken: list[Any] = []

    class Backend(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    backend = HTTPServer(("127.0.0.1", 0), Backend)
    thread = threading.Thread(target=backend.serve_forever)
    thread.start()
    monkeypatch.setenv("OPENLINEAGE_URL", f"http://127.0.0.1:{backend.server_address[1]}")
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "prod")
    try:
        _run("env", compilation, place)
    finally:
        backend.shutdown()
        backend.server_close()
        thread.join()
    assert [(e["eventType"], e["job"]["namespace"]) for e in taken] == [("START", "prod"), ("COMPLETE", "prod")]


@pytest.mark.usefixtures("_no_configuration")
def test_a_backend_that_is_away_is_reported_once(
    compilation: Compilation, place: RunTarget, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """LSQ868, a warning."""
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT", '{"type": "http", "url": "http://127.0.0.1:1", "retry": {"total": 0}}')
    _run("env", compilation, place)
    assert capsys.readouterr().err.count("warning[LSQ868]") == 1


@pytest.mark.usefixtures("_no_configuration")
@pytest.mark.parametrize(
    ("name", "value", "to", "code"),
    [
        ("X", "", "env", "LSQ866"),
        ("OPENLINEAGE__TRANSPORT__TYPE", "pigeon", "env", "LSQ867"),
        ("OPENLINEAGE__TRANSPORT", '{"type": "http", "url": "no url"}', "env", "LSQ867"),
        ("X", "", "no/such/folder/events.jsonl", "LSQ867"),
    ],
)
def test_a_configuration_that_cannot_be_used_ends_the_run_before_it_starts(
    compilation: Compilation,
    place: RunTarget,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    to: str,
    code: str,
) -> None:
    """Nothing has been sent or started."""
    monkeypatch.setenv(name, value)
    with pytest.raises(LsqlcError) as error:
        _run(to, compilation, place)
    assert [d.code for d in error.value.diagnostics] == [code]
