"""What random programs of ksqlDB were made of: every kind that there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from lsqlc.bind.ksql.statistics import STATISTICS
from lsqlc.functions import catalogue
from lsqlc.plan import Plan, nodes
from lsqlc.plan.identity import keyed_by_identity
from tests.fuzz.ksql_syntax import Create, CreateAs, KsqlProgram, KsqlQuery
from tests.fuzz.limits import every
from tests.fuzz.syntax import Term

_KINDS = ("INNER", "LEFT", "RIGHT", "OUTER")
_UNMATCHED = ("at once", "in the end")

KSQL_KINDS: Mapping[str, tuple[str, ...]] = {
    "ksql source": (
        "STREAM without key", "STREAM", "STREAM with several keys", "TABLE", "TABLE with several keys",
        "windowed STREAM", "TIMESTAMP", "KEY_FORMAT", "FORMAT", "JSON", "AVRO", "DELIMITED",
        "VALUE_DELIMITER", "over the topic of a query",
    ),
    "ksql statement": (
        "CREATE STREAM AS", "CREATE TABLE AS", "INSERT INTO", "several", "chain", "EMIT CHANGES", "EMIT FINAL",
    ),
    "ksql query": (
        "*", "source.*", "AS_VALUE", "generated name", "renamed key", "field of a struct", "element",
        "entry of a map", "lambda", "EXPLODE", "CUBE_EXPLODE", "several EXPLODE",
        "ROWTIME", "ROWPARTITION", "ROWOFFSET", "WINDOWSTART", "WINDOWEND",
        "WHERE over STREAM", "WHERE over TABLE", "CASE", "CAST", "PARTITION BY column", "PARTITION BY expression",
        "PARTITION BY several", "PARTITION BY NULL", "PARTITION BY over a join",
    ),
    "ksql group": ("column", "expression", "several", "HAVING", "over STREAM", "over TABLE", "over a join"),
    "ksql join": (
        "streams INNER", *(f"streams {k}, unmatched {when}" for k in _KINDS[1:] for when in _UNMATCHED), "asymmetric",
        "stream with table INNER", "stream with table LEFT", *(f"tables by key {k}" for k in _KINDS),
        "tables by foreign key INNER", "tables by foreign key LEFT", "several", "expression in ON", "ROWKEY",
    ),
    "ksql window": (
        "TUMBLE", "HOP", "SESSION", "FINAL", "GRACE PERIOD", "RETENTION", "late records", "none over STREAM",
        "none over TABLE",
    ),
    "ksql aggregate": (
        *(f"{a.name} over STREAM" for a in catalogue.aggregates("ksql")),
        *(f"{a.name} over TABLE" for a in catalogue.aggregates("ksql") if a.on_table),
    ),
}  # fmt: skip


def ksql_kinds(program: KsqlProgram, plan: Plan, *, late: bool) -> Counter[tuple[str, str]]:
    """What a program is made of."""
    found: Counter[tuple[str, str]] = Counter()
    written = {s.name for s in program.statements if isinstance(s, CreateAs)}
    for statement in program.statements:
        match statement:
            case Create():
                found.update(("ksql source", kind) for kind in _of_source(statement, written))
            case CreateAs(word=word):
                found["ksql statement", "INSERT INTO" if word == "INSERT" else f"CREATE {word} AS"] += 1
    if len(written) > 1:
        found["ksql statement", "several"] += 1
    tables = {s.name for s in program.statements if s.word == "TABLE"}
    for query in program.queries:
        found.update(_of_query(query, written))
        # These become sums and counts in a plan.
        over = "TABLE" if query.source.name in tables else "STREAM"
        terms = " ".join(str(item.term) for item in query.items)
        found.update(("ksql aggregate", f"{name} over {over}") for name in STATISTICS if f"{name}(" in terms)
    for node in (node for sink in plan.sinks for root in sink.inputs for node in every(root)):
        found.update(_of_node(node))
    if late:
        found["ksql window", "late records"] += 1
    return found


def _of_source(create: Create, written: set[str]) -> Iterator[str]:
    properties = dict(create.properties)
    if create.topic in written:
        yield "over the topic of a query"
    keys = len(create.keys)
    yield f"{create.word} without key" if not keys else create.word if keys == 1 else f"{create.word} with several keys"
    if "WINDOW_TYPE" in properties:
        yield "windowed STREAM"
    yield from ({"TIMESTAMP", "KEY_FORMAT", "FORMAT", "VALUE_DELIMITER"} & set(properties))
    yield from {"JSON", "AVRO", "DELIMITED"} & {properties.get("VALUE_FORMAT"), properties.get("FORMAT")}


def _of_query(query: KsqlQuery, written: set[str]) -> Iterator[tuple[str, str]]:
    if {s.name for s in query.sources} & written:
        yield "ksql statement", "chain"
    if query.emit:
        yield "ksql statement", f"EMIT {query.emit}"
    exploded = [str(item.term) for item in query.items if "EXPLODE(" in str(item.term)]
    if any(text.startswith("EXPLODE") for text in exploded):
        yield "ksql query", "EXPLODE"
    if len(exploded) > 1:
        yield "ksql query", "several EXPLODE"
    for item in query.items:
        for kind in _of_item(item.term, item.alias):
            yield "ksql query", kind
    if query.partition:
        yield "ksql query", f"PARTITION BY {_clause(query.partition)}"
        if query.joins:
            yield "ksql query", "PARTITION BY over a join"
    if query.group:
        yield "ksql group", _clause(query.group)
        if query.having:
            yield "ksql group", "HAVING"
        if query.joins:
            yield "ksql group", "over a join"
    if len(query.joins) > 1:
        yield "ksql join", "several"
    for join in query.joins:
        if any(side.parts for side in join.on):
            yield "ksql join", "expression in ON"
        if join.within and join.within.startswith("("):
            yield "ksql join", "asymmetric"
    for word in ("GRACE PERIOD", "RETENTION"):
        if word in (query.window or ""):
            yield "ksql window", word


def _clause(keys: tuple[Term, ...]) -> str:
    if len(keys) > 1:
        return "several"
    return "NULL" if str(keys[0]) == "NULL" else "expression" if keys[0].parts else "column"


def _of_item(term: Term, alias: str | None) -> Iterator[str]:
    text = str(term)
    if text.endswith("*"):
        yield "*" if text == "*" else "source.*"
        return
    if term.parts and alias is None and "->" not in term.text:
        yield "generated name"
    if not term.parts and alias is not None and alias.startswith("K"):
        yield "renamed key"
    marks = {
        "AS_VALUE": "AS_VALUE(", "field of a struct": "->", "entry of a map": "['p']", "CUBE_EXPLODE": "CUBE_EXPLODE(",
        "lambda": "=>",
        "CASE": "CASE", "CAST": "CAST(",
        **{name: name for name in ("ROWTIME", "ROWPARTITION", "ROWOFFSET", "WINDOWSTART", "WINDOWEND")},
    }  # fmt: skip
    yield from (kind for kind, mark in marks.items() if mark in text)
    if "[1]" in text or "[-1]" in text:
        yield "element"


def _of_node(node: nodes.Node) -> Iterator[tuple[str, str]]:
    match node:
        case nodes.Filter():
            yield "ksql query", f"WHERE over {node.semantics}"
        case nodes.Join():
            yield "ksql join", _style(node)
        case nodes.Project(key=key) if isinstance(node.input, nodes.Join):
            if "COALESCE" in repr(key):
                yield "ksql join", "ROWKEY"
        case nodes.Aggregate():
            window = node.window
            yield "ksql window", f"none over {node.input.semantics}" if window is None else window.word
            if window is not None and window.final:
                yield "ksql window", "FINAL"
            yield "ksql group", f"over {node.input.semantics}"
            for call in node.aggregates:
                yield "ksql aggregate", f"{call.function} over {node.input.semantics}"


def _style(join: nodes.Join) -> str:
    match join.style:
        case "stream-stream":
            when = "" if join.kind == "INNER" else f", unmatched {_UNMATCHED[not join.eager]}"
            return f"streams {join.kind}{when}"
        case "table-table":
            return f"tables by {'key' if keyed_by_identity(join) else 'foreign key'} {join.kind}"
    return f"{join.style.replace('-', ' with ')} {join.kind}"
