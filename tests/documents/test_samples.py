"""The samples and tables of the documents, as the listings say: compiled as printed, mended, or refused.

What compiles is a model of this project, with golden cases that hold the document's own tables.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from lsqlc.bind.lenses.program import compile_program
from lsqlc.diagnostics import Diagnostic
from lsqlc.golden.cases import file_stem
from lsqlc.lower.spark import lower
from lsqlc.plan import Plan
from lsqlc.plan.fingerprint import fingerprint
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.record import Topic
from tests.documents.samples import LISTINGS, ROOT, Entry, cells, entries, lines_of, listing

LISTED = {listing(path)["document"]: path for path in LISTINGS}
SAMPLES = [e for path in LISTINGS for e in entries(path, "samples")]
TABLES = [e for path in LISTINGS for e in entries(path, "tables")]


@cache
def topics(document: str) -> dict[str, Topic]:
    """What the models read, and what only the listing's samples do."""
    held = listing(LISTED[document])
    texts = [path.read_text("utf-8") for path in sorted((ROOT / held["models"]).glob("*.yml"))]
    texts += [(ROOT / name).read_text("utf-8") for name in held.get("declared", ())]
    texts.append(yaml.safe_dump({"topics": held.get("topics", [])}))
    found = [read_declarations(text, document, Defaults()) for text in texts]
    assert not any(f.diagnostics for f in found)
    return {d.topic.name: d.topic for f in found for d in f.topics}


def compiled(document: str, text: str) -> tuple[Plan | None, list[Diagnostic]]:
    """The plan of a program over the document's topics, and the errors."""
    parsed = parse(text, document)
    found = [*parsed.diagnostics]
    plan = None
    if parsed.program is not None:
        result = compile_program(parsed.program, topics(document), name="result")
        plan = result.plan
        found += result.diagnostics
    return plan, [d for d in found if d.is_error]


def query(plan: Plan) -> list[str]:
    """What a program computes, whatever its targets are called."""
    return [fingerprint(node) for sink in plan.sinks for node in sink.inputs]


def model_text(entry: Entry) -> str:
    path: Path = ROOT / listing(LISTED[entry.document])["models"] / f"{entry.fields['model']}.sql"
    return path.read_text("utf-8")


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.kind == "compiled"], ids=str)
def test_a_sample_compiles_as_printed(sample: Entry) -> None:
    """Without an error, and its model is the same query."""
    plan, errors = compiled(sample.document, sample.program(sample.printed))
    assert plan, errors
    if "model" in sample.fields:
        model, _ = compiled(sample.document, model_text(sample))
        assert model and query(model) == query(plan)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.kind == "mended"], ids=str)
def test_a_mended_sample_compiles(sample: Entry) -> None:
    """As printed it gives the listing's errors, or means something else; mended, it is its model's query."""
    printed, errors = compiled(sample.document, sample.program(sample.printed))
    assert sorted(d.code for d in errors) == sample.fields["printed"]
    plan, errors = compiled(sample.document, sample.program(sample.mended))
    assert plan, errors
    assert printed is None or query(printed) != query(plan)
    if "model" in sample.fields:
        model, _ = compiled(sample.document, model_text(sample))
        assert model and query(model) == query(plan)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.kind == "refused"], ids=str)
def test_a_refused_sample_names_the_rule(sample: Entry) -> None:
    """One error, of the listing's code."""
    _, errors = compiled(sample.document, sample.program(sample.mended))
    assert [d.code for d in errors] == [sample.fields["code"]]
    if "at" in sample.fields:
        line, column = errors[0].line, errors[0].column
        assert [line and line + sample.first - 1, column] == sample.fields["at"]


def case(entry: Entry, model: str, name: str) -> dict[str, Any]:
    held = yaml.safe_load((ROOT / listing(LISTED[entry.document])["cases"]).read_text("utf-8"))["cases"]
    (found,) = [c for c in held if (c["model"], c["name"]) == (model, name)]
    return dict(found)


def records(case: dict[str, Any], topic: str) -> list[dict[str, Any]]:
    """What a case gives a topic, as the document's columns name it."""
    arrived = case.get("arrivals") or [
        {"topic": name, **record} for name, given in case["inputs"].items() for record in given
    ]
    return [columns(r) for r in arrived if r["topic"] == topic]


def columns(record: dict[str, Any]) -> dict[str, Any]:
    value = record.get("value")
    fields = value if isinstance(value, dict) else {"_value": value}
    time = record.get("timestamp", 0)
    return {"_key": record.get("key"), "arrival": time, "emmited": time, **fields}


@pytest.mark.parametrize("table", [t for t in TABLES if t.kind == "records"], ids=str)
def test_the_records_of_a_table_are_those_of_its_cases(table: Entry) -> None:
    """In order, among what the case gives the topic; when something was processed is the case's order."""
    for model, name in table.fields["of"].items():
        given = records(case(table, model, name), table.fields["topic"])
        shown = [{k: v for k, v in row.items() if k != "processed"} for row in cells(table)]
        named = [{k: record[k] for k in shown[0]} for record in given]
        assert any(named[i : i + len(shown)] == shown for i in range(len(named))), f"{model}: {name}"


@pytest.mark.parametrize("table", [t for t in TABLES if t.kind == "result"], ids=str)
def test_a_table_of_results_is_the_golden_file(table: Entry) -> None:
    """Every row that is printed comes out, and no other."""
    for model, name in table.fields["of"].items():
        golden = ROOT / "golden" / model / f"{file_stem(name)}.jsonl"
        found = [columns(json.loads(line)) for line in golden.read_text("utf-8").splitlines()]
        shown = cells(table)
        named = [{k: row[k] for k in shown[0]} for row in found]
        assert all(named.count(row) == shown.count(row) for row in (*named, *shown)), f"{model}: {name}"


@pytest.mark.parametrize("path", [p for p in LISTINGS if listing(p)["document"].endswith(".md")], ids=lambda p: p.stem)
def test_everything_is_listed(path: Path) -> None:
    """Each line of a fenced block, of a table, and each item of a list that is code alone."""
    lines = lines_of(listing(path)["document"])
    known = {n for what in ("samples", "tables") for e in entries(path, what) for n in range(e.first, e.last + 1)}
    fenced, missing = False, []
    for number, line in enumerate(lines, start=1):
        if line.startswith("```"):
            fenced = not fenced
        elif (fenced and line.strip()) or re.match(r"\||\s+\* `[^`]+`$", line):
            missing += [] if number in known else [number]
    assert not missing


@pytest.mark.parametrize("path", [p for p in LISTINGS if listing(p)["document"].endswith(".txt")], ids=lambda p: p.stem)
def test_everything_that_looks_like_code_is_listed(path: Path) -> None:
    """In a text without fences: each line that begins a clause, and each row of a table."""
    lines = lines_of(listing(path)["document"])
    known = {n for what in ("samples", "tables") for e in entries(path, what) for n in range(e.first, e.last + 1)}
    code = re.compile(
        r"(INSERT INTO|SELECT|FROM|GROUP BY|HAVING|WITHIN|\s+,|\d*[a-z]+\{)|.*\b[aA][sS] (_key|_value|\w+\.\w)"
    )
    assert not [n for n, line in enumerate(lines, start=1) if code.match(line) and n not in known]


def test_every_model_of_a_document_is_a_sample_of_it() -> None:
    """A model under models/documented proves a sample, or a table of one."""
    for document, path in LISTED.items():
        folder = ROOT / listing(path)["models"]
        held = [e.fields for e in (*SAMPLES, *TABLES) if e.document == document]
        named = {f["model"] for f in held if "model" in f} | {m for f in held for m in f.get("of", ())}
        assert {p.stem for p in folder.glob("*.sql")} == named


def test_spark_runs_the_models() -> None:
    """Each has a form on Spark."""
    for document, path in LISTED.items():
        for model in sorted((ROOT / listing(path)["models"]).glob("*.sql")):
            plan, errors = compiled(document, model.read_text("utf-8"))
            assert plan, errors
            assert all(stage.steps for stage in lower(plan).stages), model
