"""The content of the docs site as JSON-ready data: of the whole project, and of one model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from lsqlc.bind.own_function import called_by
from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.canonical import canonical_text
from lsqlc.golden.snapshot import case_path
from lsqlc.lower import spark
from lsqlc.lower.duckdb.queries import plan_sql as duckdb_sql
from lsqlc.plan.lineage import columns
from lsqlc.project.build.tested_topics import declared_tests
from lsqlc.report.operation.runbook import runbook
from lsqlc.types.codec_json import JsonError, Kind, read
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Facet, Raw, Record, Topic

if TYPE_CHECKING:
    from lsqlc.golden.cases import LoadedCase, LoadedCases
    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation, ModelBuild
    from lsqlc.project.build.followed import DeclaredTable
    from lsqlc.project.declared.data_tests import DataTest
    from lsqlc.project.model import Model
    from lsqlc.report.site.descriptions import Descriptions
    from lsqlc.tables.delta.source import DeltaSource

VERSION = 2


def model_file(name: str) -> str:
    """Return the file name of a model's page. It is unique on every file system."""
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def site_data(
    compilation: Compilation, cases: LoadedCases, descriptions: Descriptions, *, lsqlc: str
) -> dict[str, Any]:
    """Return models and topics with search texts, the graph, and the lineage of every column."""
    project = compilation.project
    count: dict[str, int] = {}
    for case in cases.cases:
        count[case.model] = count.get(case.model, 0) + 1
    models = [
        _model(compilation, model, compilation.models[model.name], count.get(model.name, 0))
        for model in project.models
        if model.name in compilation.models
    ]
    topics = _topics(compilation, models, descriptions.columns)
    summaries = (build.summary for build in compilation.models.values() if build.summary is not None)
    return {
        "version": VERSION,
        "lsqlc": lsqlc,
        "project": project.config.name,
        "models": models,
        "topics": topics,
        "coverage": asdict(descriptions.coverage) | {"percent": descriptions.coverage.percent},
        "graph": _graph(models, topics),
        "lineage": {topic: lineage for summary in summaries for topic, lineage in summary["lineage"].items()},
    }


def model_page(
    compilation: Compilation, model: Model, cases: Sequence[LoadedCase], goldens: Mapping[str, str]
) -> dict[str, Any]:
    """Return the content that only the page of a model shows."""
    build = compilation.models[model.name]
    plan = build.plan
    folder = compilation.project.config.golden_path
    return {
        "name": model.name,
        "rendered": model.text if model.text != model.raw else None,
        "plan": plan.tree() if plan else None,
        "settings": [list(setting) for setting in plan.settings] if plan else [],
        "duckdb": duckdb_sql(plan) if plan else None,
        **_spark(plan),
        "findings": [_finding(d) for d in build.diagnostics],
        "runbook": runbook(compilation, model),
        "functions": _functions(compilation, model),
        "cases": [_case(case, plan, goldens.get(case_path(folder, model.name, case.name))) for case in cases if plan],
    }


def _functions(compilation: Compilation, model: Model) -> list[dict[str, Any]]:
    """Return the project's own functions that a model calls, with the text of Python files."""
    project = compilation.project
    return [
        {
            "signature": f.signature,
            "kind": f.kind,
            "path": f.path,
            "description": f.comment,
            "code": project.texts.get(f.path) if f.kind == "python" else None,
        }
        for f in called_by(model.text or "", project.functions)
    ]


def _model(compilation: Compilation, model: Model, build: ModelBuild, cases: int) -> dict[str, Any]:
    summary = build.summary or {"inputs": [], "outputs": [], "semantics": {}, "fingerprint": None}
    return {
        "name": model.name,
        "file": model_file(model.name),
        "path": model.path,
        "dialect": model.dialect,
        **({"latency": model.latency} if model.latency else {}),
        "ok": build.summary is not None,
        "semantics": dict(summary["semantics"]),
        "fingerprint": summary["fingerprint"],
        "reads": list(summary["inputs"]),
        "writes": [topic["name"] for topic in summary["outputs"]],
        "after": list(compilation.graph.upstream.get(model.name, ())),
        "tags": list(model.tags),
        "owner": model.owner,
        "description": model.description,
        "sql": model.raw,
        "cases": cases,
    }


def _topics(
    compilation: Compilation, models: Iterable[Mapping[str, Any]], texts: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    declared = {d.topic.name: d for d in compilation.project.topics}
    tests: dict[str, list[dict[str, Any]]] = {}
    for name, test in declared_tests(compilation):
        tests.setdefault(name, []).append(_test(test))
    writers: dict[str, str] = {}
    readers: dict[str, list[str]] = {}
    semantics: dict[str, str] = {}
    for model in models:
        semantics |= model["semantics"]
        for topic in model["writes"]:
            writers.setdefault(topic, model["name"])
        for topic in model["reads"]:
            readers.setdefault(topic, []).append(model["name"])
    tables: dict[str, list[dict[str, Any]]] = {}
    for table in compilation.tables:
        tables.setdefault(table.schema.topic.name, []).append(_table(table))
    data = []
    for name, topic in sorted(compilation.topics.items()):
        declaration = declared.get(name)
        data.append(
            {
                "name": name,
                "key": _facet(topic.key),
                "value": _facet(topic.value),
                "columns": _columns(topic, texts.get(name, {})),
                "event_time": topic.event_time,
                "partitions": topic.partitions,
                "connector": topic.connector,
                "files": f"{topic.files.path} ({topic.files.format})" if topic.files else None,
                "delta": _delta(declaration.delta) if declaration and declaration.delta else None,
                "tables": tables.get(name, []),
                "description": topic.description,
                "tags": list(topic.tags),
                "source": declaration.source if declaration else None,
                "path": declaration.span.path if declaration else None,
                "semantics": semantics.get(name),
                "writer": writers.get(name),
                "readers": readers.get(name, []),
                "tests": tests.get(name, []),
            }
        )
    return data


def _delta(source: DeltaSource) -> str:
    """Return the Delta table of a topic, and which of its rows the topic has."""
    return f"{source.path}{f' in {source.store}' if source.store else ''} ({source.rows} rows)"


def _table(table: DeclaredTable) -> dict[str, Any]:
    """Return a table that follows a topic, as declared: a target says where its store is."""
    span = table.declaration.span
    return {
        "table": table.shown,
        "keep": table.schema.keep,
        "key": [column.name for column in table.schema.key],
        "columns": [[column.name, str(column.type)] for column in table.schema.columns],
        "place": f"{span.path}:{span.line}",
    }


def _test(test: DataTest) -> dict[str, Any]:
    """Return a data test as declared."""
    text = test.text.removeprefix(f"{test.kind} ")
    place = f"{test.span.path}:{test.span.line}"
    return {"kind": test.kind, "text": text, "severity": test.severity, "place": place}


def _graph(models: Sequence[Mapping[str, Any]], topics: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the graph: nodes as kind and name, edges as pairs of node numbers.

    A model and its topic are one node if it writes only the topic of its own name.
    """
    one = {model["name"] for model in models if model["writes"] == [model["name"]]}
    topic_nodes = {topic["name"]: f"topic {topic['name']}" for topic in topics}
    topic_nodes |= {name: f"model {name}" for name in one}
    edges = []
    for model in models:
        node = f"model {model['name']}"
        edges += [(topic_nodes[t], node) for t in model["reads"] if t in topic_nodes]
        edges += [(node, topic_nodes[t]) for t in model["writes"] if topic_nodes[t] != node]
    nodes = sorted({*topic_nodes.values(), *(f"model {model['name']}" for model in models)})
    number = {node: i for i, node in enumerate(nodes)}
    return {
        "nodes": [node.split(" ", 1) for node in nodes],
        "edges": sorted({(number[a], number[b]) for a, b in edges if a != b}),
    }


def _facet(facet: Facet) -> dict[str, str] | None:
    return None if facet.is_absent else {"type": str(facet.type), "format": facet.format}


def _columns(topic: Topic, texts: Mapping[str, str]) -> list[list[Any]]:
    """Return name, type, nullability, and the description or None, of each column."""
    facets = [facet for facet in (topic.key, topic.value) if not facet.is_absent]
    types = [type for facet in facets for type in _types(facet.type, True)]
    return [[name, *type, texts.get(name)] for name, type in zip(columns(topic), types, strict=True)]


def _types(type: DataType, nullable: bool) -> list[tuple[str, bool]]:
    """Return the types in the order of `lineage.columns`, each with whether it is nullable."""
    if not isinstance(type, Struct) or not type.fields:
        return [(str(type), nullable)]
    return [inner for field in type.fields for inner in _types(field.type, field.nullable)]


def _spark(plan: Plan | None) -> dict[str, Any]:
    """Return the Spark side: SQL, strategies, and the state of each query; or the reasons why Spark cannot run it."""
    if plan is None:
        return {"spark": None, "strategy": [], "stages": [], "unsupported": []}
    reasons = spark.unsupported(plan)
    if reasons:
        messages = [[d.message, *d.notes] for d in reasons]
        return {"spark": None, "strategy": [], "stages": [], "unsupported": messages}
    spark_plan = spark.lower(plan)
    stages = [
        {
            "name": stage.name,
            "reads": [topic for source in stage.sources for topic in source.topics],
            "writes": stage.write.topic,
            "mode": stage.write.mode,
            "state": list(stage.state),
            "settings": [list(setting) for setting in stage.settings],
            "interval": stage.interval,
        }
        for stage in spark_plan.stages
    ]
    return {
        "spark": spark.plan_sql(spark_plan),
        "strategy": list(spark_plan.strategy),
        "stages": stages,
        "unsupported": [],
    }


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
        "place": f"{span.path}:{span.line}:{span.column}" if span else None,
    }


def _case(case: LoadedCase, plan: Plan, golden: str | None) -> dict[str, Any]:
    """Return a case: its records by batch as JSON texts, its expectations, and the rows of its golden file.

    `advances`: watermark advances, each with the number of records before it.
    """
    topics = {topic.name: topic for topic in (*plan.inputs, *plan.outputs)}
    expected = [
        [name, _text(topics[name].key, row.key), _text(topics[name].value, row.value), row.timestamp]
        for name, rows in case.expect.items()
        for row in rows
    ]
    return {
        "name": case.name,
        "path": case.span.path,
        "line": case.span.line,
        "now": case.case.now,
        "batches": [[_record(r, topics[r.topic]) for r in batch] for batch in case.case.batches],
        "advances": [list(advance) for advance in case.case.advances],
        "expect": expected,
        "asserts": [
            *([a.topic.name, a.kind.replace("_", " "), a.text] for a in case.assertions),
            *([s.query or plan.name, "state", s.text] for s in case.states),
        ],
        "golden": None if golden is None else _golden(golden),
    }


def _golden(text: str) -> dict[str, Any]:
    """Return topic, key, value and timestamp of each line of a golden file, as texts, so that numbers keep their
    digits.

    If a line is not a row, the whole text is returned instead.
    """
    rows = [_row(line) for line in text.split("\n") if line.strip()]
    return {"rows": None, "text": text} if None in rows else {"rows": rows, "text": None}


def _row(line: str) -> list[str | None] | None:
    try:
        node = read(line)
    except JsonError:
        return None
    if node.kind is not Kind.OBJECT:
        return None
    parts = {name.value: value for name, value in node.value}
    if not {"topic", "key", "value"} <= parts.keys() or parts["topic"].kind is not Kind.STRING:
        return None
    key, value = (line[parts[name].start : parts[name].end] for name in ("key", "value"))
    timestamp = line[parts["timestamp"].start : parts["timestamp"].end] if "timestamp" in parts else None
    return [parts["topic"].value, key, value, timestamp]


def _record(record: Record, topic: Topic) -> list[Any]:
    """Return topic, key, value and timestamp. Unparsed text is returned unchanged."""
    return [record.topic, _text(topic.key, record.key), _text(topic.value, record.value), record.timestamp]


def _text(facet: Facet, value: Any) -> str:
    return value.text if isinstance(value, Raw) else canonical_text(facet.type, value)
