"""A history of edits: what `lsqlc diff` says of each, with all of it at once."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lsqlc.lower.spark import lower
from lsqlc.lower.spark.parts import stage_parts
from lsqlc.project.compile import compile_project
from lsqlc.project.discovery import load_project
from lsqlc.project.selectors import Selection
from lsqlc.remote.checkpoints import checkpoint_name
from lsqlc.remote.server import EmbeddedServer
from lsqlc.report.schemas import schema_text
from lsqlc.topics.log import FileLog
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic
from tests.cli.conftest import Cli
from tests.cli.history import FILES, HISTORY
from tests.cli.test_diff import git


def line(model: dict[str, Any]) -> str:
    """What is said of a model, in one line: see `Edit.expected`."""
    parts = [] if model["status"] == "modified" else [model["status"]]
    verdict = model["state"]["verdict"]
    parts += [model["category"], "replay" if verdict == "needs a new state and a replay" else verdict]
    if model["columns"]:
        columns = [f"{c['topic']}.{_short(c['column'])}" for c in model["columns"]["changed"]]
        parts.append(f"columns {' '.join(columns) or '-'}")
        parts += [f"records {' '.join(model['columns']['records'])}"] if model["columns"]["records"] else []
        below = [
            f"{topic}.{','.join(_short(c['column']) for c in found)}"
            for topic, found in groupby(model["columns"]["downstream"], lambda c: c["topic"])
        ]
        parts += [f"below {' '.join(below)}"] if below else []
    if model["rows"]:
        cases = model["rows"]["differing"]
        rows = [
            f"{found['model']} {_counts([row['kind'] for topic in found['topics'] for row in topic['rows']])}"
            for case in cases
            for found in case["models"]
        ]
        rows += [case["problem"] for case in cases if case["problem"]]
        parts.append(f"rows {', '.join(rows)}" if cases else f"{model['rows']['cases']} cases alike")
    return "; ".join(parts)


def _short(column: str) -> str:
    return column.removeprefix("_value.")


def _counts(kinds: list[str]) -> str:
    marks = {"removed": "-", "added": "+", "changed": "~"}
    return "".join(f"{mark}{kinds.count(kind)}" for kind, mark in marks.items() if kind in kinds)


def write(root: Path) -> None:
    """The project before any edit."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def start(root: Path) -> None:
    """The same, committed."""
    write(root)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")


def test_history(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each edit category, state, columns, readers and rows are told as they are; nothing else is named. What is
    told has the published schema.
    """
    monkeypatch.chdir(tmp_path)
    start(tmp_path)
    for edit in HISTORY:
        edit.apply(tmp_path)
        ran = cli("diff", "--against", "HEAD", "--output", "json", "-q")
        assert ran.code == 0, (edit.name, ran.err)
        jsonschema.validate(ran.data, json.loads(schema_text("diff")))
        assert {model["name"]: line(model) for model in ran.data["models"]} == edit.expected, edit.name
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", edit.name)


# Of which model the verdict on an edit is proved on Spark. The first two are proved in every run of the
# suite.
PROVED = (
    ("alias", "labelled"),
    ("limit", "dear"),
    ("another aggregate", "sums"),
    ("macro", "dear"),
    ("indent", "dear"),
    ("a filter that changes no case", "latest"),
    ("a column that nobody reads", "labelled"),
    ("another group", "latest"),
    ("another key", "dear"),
    ("a table for a stream", "sums"),
    ("partitions", "sums"),
)
CORE = 2
ORDERS = Topic(
    "orders", Facet(data.STRING, "string"), Facet(parse_columns("item STRING, price INT, note STRING"), "json")
)
ITEMS = Topic("items", Facet(data.STRING, "string"), Facet(parse_columns("label STRING, weight INT"), "json"))


def orders(*rows: tuple[str, str, int, str | None]) -> list[Record]:
    return [Record("orders", key, {"item": i, "price": p, "note": n}, t) for t, (key, i, p, n) in enumerate(rows)]


FIRST = orders(("a", "pen", 15, "x"), ("b", "pen", 5000, None), ("c", "ink", 30, "x"), ("a", "ink", 50, "y"))
SECOND = orders(("d", "pen", 80, "y"), ("e", "ink", 25, "x"), ("a", "cap", 70, None))


def append(root: Path, records: list[Record]) -> None:
    FileLog(root / ".lsqlc" / "topics").append(ORDERS, records, segments_of=2)


def forge(root: Path, model: str) -> None:
    """Let the checkpoints of a model pass for those of the version at hand."""
    project = load_project(root, vars={}, environment={}).project
    assert project is not None
    compilation = compile_project(project, select=Selection((model,)))
    for stage in lower(compilation.plans[model]).stages:
        file = root / ".lsqlc" / "checkpoints" / checkpoint_name(stage.name) / "stage.json"
        known = json.loads(file.read_text("utf-8"))
        kept = {name: text for name, text in known["parts"].items() if name in RUNTIME}
        file.write_text(json.dumps({**known, "parts": stage_parts(stage) | kept}), "utf-8")


RUNTIME = ("the number of shuffle partitions", "Spark's version")


@pytest.mark.parametrize(
    ("name", "model"),
    [pytest.param(*case, marks=[pytest.mark.slow] if i >= CORE else []) for i, case in enumerate(PROVED)],
)
def test_verdicts_on_spark(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark_server: EmbeddedServer, name: str, model: str
) -> None:
    """A query whose state continues goes on over more records, to what DuckDB computes of all of them; one that needs a
    new state is refused, and if it goes on nevertheless, it fails or has written something else.
    """
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    (tmp_path / "profiles.yml").write_text(
        f"targets: {{shared: {{type: connect, address: '{spark_server.address}'}}}}\n", "utf-8"
    )
    place = [edit.name for edit in HISTORY].index(name)
    for earlier in HISTORY[:place]:
        earlier.apply(tmp_path)
    FileLog(tmp_path / ".lsqlc" / "topics").append(ITEMS, [Record("items", "a", {"label": "A", "weight": 1})])
    append(tmp_path, FIRST)
    ran = cli("run", "--select", f"+{model}")
    assert ran.code == 0, ran.err
    HISTORY[place].apply(tmp_path)
    append(tmp_path, SECOND)
    ran = cli("run", "--select", f"+{model}", "--verify")
    if "; continues" in HISTORY[place].expected[model]:
        assert ran.code == 0, ran.err
        return
    assert ran.code == 1 and "error[LSQ660]" in ran.err, ran.err
    forge(tmp_path, model)
    ran = cli("run", "--select", f"+{model}", "--verify", "--restarts", "0")
    # Spark's own conditions on states have names such as STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE.
    assert ran.code == 1 and ("error[LSQ067]" in ran.err or "STATE" in ran.err), ran.err
