"""A history of edits: what `lsqlc diff` says of each, with all of it at once."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.plan import Plan
from lsqlc.project.build.compile import compile_project
from lsqlc.project.discovery import load_project
from lsqlc.project.selection.selectors import Selection
from lsqlc.report.schemas import schema_text
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic
from tests.cli.conftest import Cli
from tests.cli.history import FILES, HISTORY
from tests.cli.test_diff import git
from tests.cli.test_evolution import computed, force, holds, segments
from tests.shared import SharedServer

SHORT = {
    "continues, but old rows keep their old value": "keeps",
    "needs a new state and a replay": "replay",
    "cannot be read by the consumers of the topic": "unreadable",
}


def line(model: dict[str, Any]) -> str:
    """What is said of a model, in one line: see `Edit.expected`."""
    parts = [] if model["status"] == "modified" else [model["status"]]
    verdict = model["state"]["verdict"]
    parts += [model["category"], SHORT.get(verdict, verdict)]
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


# Of which model the verdict on an edit is proved on Spark. One of each kind is proved in every run of the suite.
PROVED = (
    ("alias", "labelled"),
    ("limit", "dear"),
    ("another group", "latest"),
    ("another aggregate", "sums"),
    ("macro", "dear"),
    ("indent", "dear"),
    ("a filter that changes no case", "latest"),
    ("a column that nobody reads", "labelled"),
    ("another key", "dear"),
    ("a table for a stream", "sums"),
    ("partitions", "sums"),
)

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


def plan_of(root: Path, model: str) -> Plan:
    """The model's plan as the project is."""
    project = load_project(root, vars={}, environment={}).project
    assert project is not None
    return compile_project(project, select=Selection((model,))).plans[model]


@pytest.mark.parametrize(("name", "model"), PROVED)
def test_verdicts_on_spark(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark_server: SharedServer, name: str, model: str
) -> None:
    """A query that continues goes on over more records, to what DuckDB computes of all of them; where old rows keep
    their value, the records that come are the new program's alone, and a finding says so. Any other is refused, and if
    it goes on nevertheless, it fails, has written something else, or what its readers cannot read.
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
    old, before = plan_of(tmp_path, model), segments(tmp_path, model)
    was = computed(tmp_path, old)
    HISTORY[place].apply(tmp_path)
    new = plan_of(tmp_path, model)
    then = computed(tmp_path, new)
    append(tmp_path, SECOND)
    said = HISTORY[place].expected[model]
    verify = () if "; keeps" in said else ("--verify",)
    ran = cli("run", "--select", f"+{model}", *verify)
    if "; continues" in said:
        assert ran.code == 0 and "LSQ860" not in ran.err, ran.err
    elif "; keeps" in said:
        assert ran.code == 0 and f"warning[LSQ860]: the query '{model}' has changed" in ran.err, ran.err
        holds(tmp_path, new, new.outputs[0], was, then, computed(tmp_path, new), before)
    else:
        assert ran.code == 1 and "error[LSQ660]" in ran.err, ran.err
        force(tmp_path, new)
        ran = cli("run", "--select", f"+{model}", "--verify", "--restarts", "0")
        # Spark's own conditions on states have names such as STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE.
        assert ran.code == 1 and ("error[LSQ067]" in ran.err or "STATE" in ran.err), ran.err
