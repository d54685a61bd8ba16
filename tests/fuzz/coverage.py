"""What random programs were made of: every kind that there is, and those that a run has drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from lsqlc.functions import catalogue
from lsqlc.plan import Plan, nodes
from lsqlc.plan.identity import keyed_by_identity
from tests.fuzz.ksql_coverage import KSQL_KINDS, ksql_kinds
from tests.fuzz.ksql_syntax import KsqlProgram
from tests.fuzz.limits import every, meets_key
from tests.fuzz.syntax import Program, Projection, Query

_KINDS = ("INNER", "LEFT", "RIGHT", "OUTER")
_BOTH = ("STREAM", "TABLE")

KINDS: Mapping[str, tuple[str, ...]] = {
    "node": (
        *(f"{n} {s}" for n in ("Scan", "Reinterpret", "Filter", "Lateral", "Project", "Repartition") for s in _BOTH),
        "Rekey TABLE", "EventTime STREAM", "EventTime TABLE", "Sink of several inputs", "several sinks",
    ),
    "join": (
        *(f"streams {k}" for k in _KINDS), *(f"tables by key {k}" for k in _KINDS), *(f"tables {k}" for k in _KINDS),
        *(f"stream with table {where} {k}" for where in ("by key", "by field") for k in ("INNER", "LEFT")),
        "table with stream by key RIGHT", "table with stream by field RIGHT", "condition in ON", "several equalities",
        "default ON", "itself",
    ),
    "window": (
        "none over STREAM", "none over TABLE", "TUMBLE", "HOP", "SESSION", "GRACE BY", "EVENTTIME BY", "late records",
    ),
    "aggregate": (
        *(f"{a.name} over STREAM" for a in catalogue.aggregates()),
        *(f"{a.name} over TABLE" for a in catalogue.aggregates() if a.on_table),
        "HAVING", "bare group", "group with alias", "several groups", "group by the key",
    ),
    "facet": (
        "*", "source.*", "_key.*", "no alias", "alias", "nested alias", "AS _key", "AS _key.a", "AS _value",
        "AS _value.a", "_key", "_value", "field of a struct", "field of the key",
    ),
    "chain": ("no WITH", "one WITH", "several WITH", "WITH read twice", "bad records passed over"),
}  # fmt: skip


BY_DIALECT: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "lenses": KINDS, "ksql": KSQL_KINDS, "both": {**KINDS, **KSQL_KINDS},
}  # fmt: skip


def kinds(program: Program | KsqlProgram, plan: Plan, *, late: bool) -> Counter[tuple[str, str]]:
    """What a program is made of."""
    if isinstance(program, KsqlProgram):
        return ksql_kinds(program, plan, late=late)
    found: Counter[tuple[str, str]] = Counter()
    for sink in plan.sinks:
        if len(sink.inputs) > 1:
            found["node", "Sink of several inputs"] += 1
        for root in sink.inputs:
            for node in every(root):
                found.update(_of_node(node))
    if len(plan.sinks) > 1:
        found["node", "several sinks"] += 1
    if late:
        found["window", "late records"] += 1
    queries = [q for _, q in (*program.withs, *program.inserts)]
    for query in queries:
        found.update(("facet", kind) for kind in _facets(query))
        found.update(_clauses(query))
    number = len(program.withs)
    found["chain", "no WITH" if not number else "one WITH" if number == 1 else "several WITH"] += 1
    read = Counter(n for q in queries for n in (q.source.name, *((q.join.source.name,) if q.join else ())))
    if any(read[name] > 1 for name, _ in program.withs):
        found["chain", "WITH read twice"] += 1
    if program.settings:
        found["chain", "bad records passed over"] += 1
    return found


def _of_node(node: nodes.Node) -> Iterator[tuple[str, str]]:
    match node:
        case nodes.Join():
            yield "join", f"{_style(node)} {node.kind}"
            if node.left_condition or node.right_condition:
                yield "join", "condition in ON"
            if len(node.equalities) > 1:
                yield "join", "several equalities"
        case nodes.Aggregate():
            window = node.window
            yield "window", f"none over {node.input.semantics}" if window is None else window.word
            for call in node.aggregates:
                yield "aggregate", f"{call.function} over {node.input.semantics}"
        case _:
            yield "node", f"{type(node).__name__} {node.semantics}"
            if isinstance(node, nodes.EventTime):
                yield "window", "EVENTTIME BY"


def _style(join: nodes.Join) -> str:
    if join.style == "stream-stream":
        return "streams"
    if join.style == "table-table":
        return "tables by key" if keyed_by_identity(join) else "tables"
    return f"{join.style.replace('-', ' with ')} {'by key' if meets_key(join) else 'by field'}"


def _clauses(query: Query) -> Iterator[tuple[str, str]]:
    if query.join:
        if not query.join.on:
            yield "join", "default ON"
        if query.join.source.name == query.source.name:
            yield "join", "itself"
    if query.grace:
        yield "window", "GRACE BY"
    if query.having:
        yield "aggregate", "HAVING"
    if len(query.group) > 1:
        yield "aggregate", "several groups"
    elif query.group:
        (only,) = query.group
        key = str(only.term).endswith("_key")
        yield "aggregate", "group by the key" if key else "group with alias" if only.alias else "bare group"


def _facets(query: Query) -> Iterator[str]:
    for projection in query.projections:
        text, alias = str(projection.term), projection.alias
        if text.endswith("*"):
            yield "*" if text == "*" else "_key.*" if text.endswith("_key.*") else "source.*"
            continue
        yield _target(alias)
        yield from _named(projection)


def _target(alias: str | None) -> str:
    if alias is None:
        return "no alias"
    first, *inner = alias.split(".")
    if first in ("_key", "_value"):
        return f"AS {first}.a" if inner else f"AS {first}"
    return "nested alias" if inner else "alias"


def _named(projection: Projection) -> Iterator[str]:
    words = str(projection.term).replace("(", " ").replace(")", " ").replace(",", " ").split()
    for word in words:
        path = word.split(".")
        if "_key" in path:
            yield "_key" if path[-1] == "_key" else "field of the key"
        elif "_value" in path:
            yield "_value"
        elif "u" in path[:-1]:
            yield "field of a struct"


def report(drawn: Counter[tuple[str, str]], dialect: str = "lenses") -> tuple[str, list[str]]:
    """The table of all kinds of a dialect, or of both, with how often each was drawn, and those that never were."""
    lines, missing = [], []
    for group, names in BY_DIALECT[dialect].items():
        lines.append(f"{group}: " + "; ".join(f"{name} {drawn[group, name]}" for name in names))
        missing += [f"{group} {name}" for name in names if not drawn[group, name]]
    return "\n".join(lines), missing
