"""ksqlDB's query translation tests: a case is a program, records, and what comes out or which error.

Tables compare by their final rows, streams by all records, in order within a key. An error counts only if our code
names the rule that ksqlDB's message names (`ksql_codes`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

import lsqlc
from lsqlc import CompileError, Record
from lsqlc.diagnostics import LsqlcError
from lsqlc.plan import nodes
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Topic
from tests.corpora.ksql_codes import codes_of
from tests.corpora.ksql_records import expected_key, expected_value, record, same
from tests.corpora.verdict import Verdict

Evaluate = Callable[[lsqlc.Plan, Sequence[Record]], Mapping[str, Sequence[Record]]]


def load(path: Path) -> list[dict[str, Any]]:
    """The cases of a file."""
    cases: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cases"]
    return cases


def score(cases: Sequence[Mapping[str, Any]]) -> list[Verdict]:
    return [judge(case) for case in cases]


def on_duckdb(plan: lsqlc.Plan, records: Sequence[Record]) -> Mapping[str, Sequence[Record]]:
    """What the records give, by topic."""
    return lsqlc.evaluate(plan, records)


def judge(case: Mapping[str, Any], evaluate: Evaluate = on_duckdb) -> Verdict:
    """What comes of one case. `evaluate` runs a plan over records in order of arrival."""
    name = case["id"]
    try:
        plan = lsqlc.compile("\n".join(statements(case)), dialect="ksql", name="case")
    except CompileError as refused:
        found = [d.code for d in refused.diagnostics if d.is_error]
        if not case["negative"]:
            first = next(d for d in refused.diagnostics if d.is_error)
            return Verdict(name, "refused", f"{first.code}: {first.message}")
        wanted = codes_of(case["expected_error"] or "")
        if wanted & set(found):
            return Verdict(name, "passed")
        return Verdict(name, "failed", f"refused by {found} instead of {sorted(wanted)}")
    if case["negative"]:
        return Verdict(name, "failed", "compiled, though it must not")
    return _judge_rows(case, plan, evaluate)


def statements(case: Mapping[str, Any]) -> list[str]:
    """The statements; a query whose topic the case feeds by hand stands there as the declaration of that topic."""
    fed = {record["topic"] for record in case["inputs"]}
    schemas = {s["name"]: s["schema"] for s in case["schemas"]}
    found = []
    for statement in case["statements"]:
        made = re.match(r"(?is)\s*CREATE\s+(STREAM|TABLE)\s+(\w+).*?\bAS\s+SELECT\b", statement)
        if made is None or made[2].upper() not in fed:
            found.append(statement)
            continue
        name, role = made[2].upper(), "PRIMARY KEY" if made[1].upper() == "TABLE" else "KEY"
        columns = re.sub(r"\bKEY\b", role, schemas[name])
        found.append(f"CREATE {made[1]} {name} ({columns}) WITH (KAFKA_TOPIC = '{name}', FORMAT = 'JSON');")
    return found


def _judge_rows(case: Mapping[str, Any], plan: lsqlc.Plan, evaluate: Evaluate) -> Verdict:
    name = case["id"]
    topics = {t.name: t for t in plan.inputs}
    records = [record(r, topics[r["topic"]]) for r in case["inputs"] if r["topic"] in topics]
    try:
        out = evaluate(plan, records)
    except (LsqlcError, duckdb.Error) as failed:
        return Verdict(name, "failed", str(failed))
    for topic in plan.outputs:
        expected = [r for r in case["outputs"] if r["topic"] == topic.name]
        wrong = _schema(case, topic) or (
            _compare_table(expected, out[topic.name], topic)
            if plan.semantics[topic.name] == "TABLE"
            else _compare_stream(expected, _closed(plan, topic, out[topic.name], records), topic)
        )
        if wrong:
            return Verdict(name, "failed", wrong)
    missing = {r["topic"] for r in case["outputs"]} - {t.name for t in plan.outputs}
    return Verdict(name, "failed", f"nothing writes {sorted(missing)}") if missing else Verdict(name, "passed")


def _closed(plan: lsqlc.Plan, topic: Topic, found: Sequence[Record], records: Sequence[Record]) -> list[Record]:
    """Without the unmatched records of a join that still waits for matches at the end of the case.

    Behind a case's last record time goes on for us, and stands still for ksqlDB.
    """
    sink = next(s for s in plan.sinks if s.topic.name == topic.name)
    waits = [w for node in sink.inputs for w in _waits(node)]
    if not waits:
        return list(found)
    last = max((r.timestamp for r in records), default=0)
    return [r for r in found if r.timestamp + max(waits) < last or _is_whole(r.value)]


def _waits(node: nodes.Node) -> Iterator[int]:
    """How long unmatched records wait for a match, for each join that makes them."""
    if isinstance(node, nodes.Join) and node.style == "stream-stream" and node.kind != "INNER" and not node.eager:
        yield max(node.spread) + node.grace
    for part in nodes.inputs(node):
        yield from _waits(part)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Mapping) and None not in value.values()


def _compare_table(expected: Sequence[Mapping[str, Any]], found: Sequence[Record], topic: Topic) -> str:
    rows: list[tuple[Any, Any]] = []
    for given in expected:
        key, value = expected_key(given, topic.key.type), expected_value(given, topic.value.type)
        rows = [(k, v) for k, v in rows if not same(k, key)]
        if value is not None:
            rows.append((key, value))
    missing = [(k, v) for k, v in rows if not any(same(k, r.key) and same(v, r.value) for r in found)]
    if len(found) == len(rows) and not missing:
        return ""
    return f"{topic.name}: expected rows {rows}, found {[(r.key, r.value) for r in found]}"


def _compare_stream(expected: Sequence[Mapping[str, Any]], found: Sequence[Record], topic: Topic) -> str:
    wanted = [(expected_key(g, topic.key.type), expected_value(g, topic.value.type), g["timestamp"]) for g in expected]
    got = [(r.key, r.value, r.timestamp) for r in found]
    rest = list(got)
    for key, value, timestamp in wanted:
        # The first that is left with this key must be this one.
        place = next((i for i, r in enumerate(rest) if same(r[0], key)), None)
        if place is None or not (same(rest[place][1], value) and timestamp in (None, rest[place][2])):
            return f"{topic.name}: expected records {wanted}, found {got}"
        del rest[place]
    return f"{topic.name}: expected records {wanted}, found {got}" if rest else ""


_TYPES = {"INTEGER": "INT", "VARCHAR": "STRING"}


def _schema(case: Mapping[str, Any], topic: Topic) -> str:
    """The columns that ksqlDB computed for what the last statement makes, against those of the topic.

    A key of one column has no name in a record: a second statement, which selects the columns by name, must compile.
    """
    last = case["schemas"][-1] if case["schemas"] else None
    named = re.match(r"(?is)\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:STREAM|TABLE)\s+`?([\w-]+)`?", case["statements"][-1])
    if last is None or named is None or last["name"].upper() != named[1].upper() or topic.name != last["name"]:
        return ""
    columns = re.findall(r"`([^`]+)` (.+?)(?: (KEY))?(?:,(?= `)|$)", last["schema"])
    keys = [type for _, type, key in columns if key]
    values = [(name, type) for name, type, key in columns if not key]
    if [n for n, _ in values] != [f.name for f in _fields(topic.value.type)]:
        return f"expected columns {last['schema']}, found {topic.key}, {topic.value}"
    found = [*_key_types(topic.key.type, len(keys)), *(_text(f.type) for f in _fields(topic.value.type))]
    wanted = [_TYPES.get(t, t) for t in (*keys, *(t for _, t in values))]
    simple = [(w, f) for w, f in zip(wanted, found, strict=True) if "<" not in w and "(" not in w]
    if not all(w == f for w, f in simple):
        return f"expected types {wanted}, found {found}"
    return "" if _is_windowed(topic) else _probe(case, last["name"], last["type"], [name for name, _, _ in columns])


def _probe(case: Mapping[str, Any], name: str, kind: str, columns: Sequence[str]) -> str:
    listed = ", ".join(f"`{c}` AS C{i}" for i, c in enumerate(columns))
    probe = f"CREATE {kind.upper()} LSQLC_PROBE AS SELECT {listed} FROM `{name}`;"
    try:
        lsqlc.compile("\n".join([*statements(case), probe]), dialect="ksql")
    except CompileError as refused:
        return f"expected columns {listed}: {refused.diagnostics[0].message}"
    return ""


def _is_windowed(topic: Topic) -> bool:
    return topic.key.format[:3] in ("tw[", "sw[")


def _fields(type: DataType) -> tuple[data.Field, ...]:
    return type.fields if isinstance(type, Struct) else ()


def _key_types(type: DataType, count: int) -> list[str]:
    """The types of the key columns, out of the window."""
    if isinstance(type, Struct) and [f.name for f in type.fields] == ["key", "start", "end"]:
        type = type.fields[0].type
    if type == data.NULL:
        return []
    return [_text(f.type) for f in _fields(type)] if count > 1 else [_text(type)]


def _text(type: DataType) -> str:
    return str(type)
