"""Plans as text: a tree from the sinks to the scans, with schema, key and semantics of each node."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import assert_never

from lsqlc.plan import expression as ex
from lsqlc.plan import nodes
from lsqlc.plan.path_filters import path_filter
from lsqlc.plan.windows import Hop, Session, Tumble, Window
from lsqlc.scan.file_topics import free_column, is_special, needed
from lsqlc.types.data import DataType, Struct, quote
from lsqlc.types.headers import HeaderColumn
from lsqlc.types.record import Topic


def plan_text(name: str, sinks: tuple[nodes.Sink, ...], settings: tuple[tuple[str, str], ...]) -> str:
    """Return the whole plan as text, the same on every run and machine."""
    lines = [f"model {name}"]
    lines += [f"set {setting} = {value}" for setting, value in settings]
    for sink in sinks:
        lines.append(sink_text(sink))
        for node in sink.inputs:
            lines += _lines(node, 1)
    return "\n".join(lines) + "\n"


def sink_text(sink: nodes.Sink) -> str:
    """Return a sink on one line: the topic with its semantics and schema."""
    topic = sink.topic
    return f"Sink {quote(topic.name)} [{sink.semantics}] key {topic.key}, value {topic.value}"


def _lines(node: nodes.Node, depth: int) -> list[str]:
    lines = ["  " * depth + node_text(node)]
    for part in nodes.inputs(node):
        lines += _lines(part, depth + 1)
    return lines


def node_text(node: nodes.Node) -> str:
    """Return a node on one line: its class, its semantics, and its details."""
    return f"{type(node).__name__} [{node.semantics}] {_detail(node)}".rstrip()


def _header_text(header: HeaderColumn) -> str:
    what = "all headers" if header.key is None else f"the header {quote(header.key)}"
    return f"{what} as {quote(header.name)}"


def _detail(node: nodes.Node) -> str:
    match node:
        case nodes.Scan():
            return _scan(node)
        case nodes.Aggregate():
            return _aggregate(node)
        case nodes.Join():
            return _join(node)
        case nodes.Rekey():
            return f"one row per new key {node.relations[0].key.type}, the newest"
        case nodes.Reinterpret(input=source):
            return (
                "the newest record of each key" if node.semantics == "TABLE" else f"changes of the {source.semantics}"
            )
        case nodes.Union():
            return f"the records of {len(node.inputs)} queries"
        case nodes.Repartition(before=before, after=after, reason=reason):
            return f"from {before} to {after} partitions: {reason}"
        case _:
            return _expressions(node)


def _scan(node: nodes.Scan) -> str:
    topic, value = node.topic, node.value
    label = f" as {quote(node.alias)}" if node.alias != topic.name else ""
    time = f", event time {topic.event_time}" if topic.event_time else ""
    reads = f"reads {value}" if topic.files is None else files_text(topic, value.type)
    place = ", and where each record lies" if node.places else ""
    headers = "".join(f", {_header_text(header)}" for header in node.headers)
    return f"{quote(topic.name)}{label} key {node.key}, {reads}{place}{headers}{time}"


def _expressions(node: nodes.EventTime | nodes.Filter | nodes.Lateral | nodes.Project) -> str:
    """Return the expressions that a node computes over its input."""
    below = node.input.relations
    match node:
        case nodes.EventTime():
            text = expression_text(node.time, below)
            return f"{text}, records without it are passed over" if node.skips else text
        case nodes.Filter():
            of_path = path_filter(node)
            files = f", reads files with {expression_text(of_path, below)} alone" if of_path else ""
            return expression_text(node.condition, below) + files
        case nodes.Lateral():
            return f"{expression_text(node.array, below)} AS {quote(node.alias)}"
        case nodes.Project():
            key, value = expression_text(node.key, below), expression_text(node.value, below)
            arrow = "<- " if node.rekeys else ""
            return f"key {arrow}{key} ({node.key_format}), value {value} ({node.value_format})"


def files_text(topic: Topic, value: DataType) -> str:
    """Return the columns and path columns that a scan reads of a topic of files."""
    assert topic.files is not None and isinstance(value, Struct)
    columns = needed(topic, value)
    columns_text = f"reads {', '.join(f'{quote(f.name)} {f.type}' for f in columns)}" if columns else "reads no column"
    path = [f.name for f in value.fields if is_special(f, topic.files)]
    if path == [free_column(topic)] and len(value.fields) == 1:
        # The query reads no column; this one only counts rows.
        path = []
    path_text = f", with {', '.join(path)}" if path else ""
    return f"{columns_text} of {topic.files.format} '{topic.files.path}'{path_text}"


def _aggregate(node: nodes.Aggregate) -> str:
    below = node.input.relations
    names = node.key_names or ("",) * len(node.keys)
    keys = [expression_text(k, below) + (f" AS {quote(n)}" if n else "") for k, n in zip(node.keys, names, strict=True)]
    calls = [f"a{i} = {aggregation_text(a, below)}" for i, a in enumerate(node.aggregates)]
    window = f" in {window_text(node.window)}" if node.window else ""
    empty = ", empty groups stay" if node.keeps_empty else ""
    empty += ", one row before the first record" if node.total else ""
    return f"by {', '.join(keys)}{window}: {', '.join(calls)}{empty}"


def window_text(window: Window) -> str:
    """Return a window in the syntax of the language."""
    match window:
        case Tumble(size) | Session(size):
            lengths = duration_text(size)
        case Hop(size, advance):
            lengths = f"{duration_text(size)}, {duration_text(advance)}"
        case _:
            assert_never(window)
    text = f"{window.word} {lengths} GRACE BY {duration_text(window.grace)}"
    return f"{text}, once closed" if window.final else text


def aggregation_text(aggregation: ex.Aggregation, relations: tuple[nodes.Relation, ...]) -> str:
    arguments = ", ".join(expression_text(a, relations) for a in aggregation.arguments) or "*"
    return f"{aggregation.function}({arguments})"


def _join(node: nodes.Join) -> str:
    left, right = node.left.relations, node.right.relations
    parts = [f"{expression_text(a, left)} = {expression_text(b, right)}" for a, b in node.equalities]
    if node.left_condition is not None:
        parts.append(expression_text(node.left_condition, left))
    if node.right_condition is not None:
        parts.append(expression_text(node.right_condition, right))
    text = f"{node.kind} {node.style} ON {' AND '.join(parts)}"
    if node.within is not None:
        before, after = node.spread
        within = duration_text(before) if before == after else f"{duration_text(before)} to {duration_text(after)}"
        text += f" WITHIN {within} grace {duration_text(node.grace)}" + (", eager" if node.eager else "")
        text += ", each side forgets by its own time" if node.expires else ""
    elif node.style != "table-table" and node.kind != "INNER" and node.retention is not None:
        text += f", unmatched records wait {duration_text(node.retention)} for their first row"
    return text


def duration_text(milliseconds: int) -> str:
    """Return a duration in its largest exact unit: `90000` is `90s`."""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)):
        if milliseconds % size == 0 and milliseconds:
            return f"{milliseconds // size}{unit}"
    return f"{milliseconds}ms"


_Text = Callable[[ex.Expression], str]


def expression_text(expression: ex.Expression, relations: tuple[nodes.Relation, ...]) -> str:
    """Return an expression over these relations as text. Nested operators are in parentheses."""

    def text(part: ex.Expression) -> str:
        return expression_text(part, relations)

    match expression:
        case ex.Literal(value=value):
            return "NULL" if value is None else json.dumps(value, ensure_ascii=False)
        case ex.Field():
            return _field(expression, relations)
        case ex.RecordTime():
            return "_time"
        case ex.Operation():
            return _operation(expression, text)
        case ex.Cast(operand=operand, type=type):
            return f"CAST({text(operand)} AS {type})"
        case ex.Case(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {text(a)} THEN {text(b)}" for a, b in branches)
            return f"CASE {whens} ELSE {text(otherwise)} END"
        case ex.ArrayOf() | ex.ElementAt() | ex.Member() | ex.StructOf():
            return _nested(expression, text)
        case _:
            return _call(expression, text)


def _field(field: ex.Field, relations: tuple[nodes.Relation, ...]) -> str:
    relation = relations[field.relation]
    head = [quote(relation.name)] if len(relations) > 1 and relation.name else []
    if field.facet == "key" or not field.path:
        head.append(f"_{field.facet}")
    return ".".join([*head, *map(quote, field.path)])


def _operation(operation: ex.Operation, text: _Text) -> str:
    match operation:
        case ex.Operation(operator="NOT", operands=(operand,)):
            return f"NOT ({text(operand)})"
        case ex.Operation(operator="NEGATE", operands=(operand,)):
            return f"-({text(operand)})"
        case ex.Operation(operator="IS NULL" | "IS NOT NULL" as operator, operands=(operand,)):
            return f"{_inner(operand, text)} {operator}"
        case ex.Operation(operator="IN", operands=(operand, *items)):
            return f"{_inner(operand, text)} IN ({', '.join(map(text, items))})"
        case ex.Operation(operator="LIKE", operands=(operand, pattern, escape)):
            return f"{_inner(operand, text)} LIKE {_inner(pattern, text)} ESCAPE {text(escape)}"
        case _:
            return f" {operation.operator} ".join(_inner(o, text) for o in operation.operands)


def _nested(expression: ex.ArrayOf | ex.ElementAt | ex.Member | ex.StructOf, text: _Text) -> str:
    """Return an expression that builds an array or a struct, or reads a part of one."""
    match expression:
        case ex.ArrayOf(items=items):
            return f"[{', '.join(map(text, items))}]"
        case ex.ElementAt(array=array, index=index):
            return f"{text(array)}[{text(index)}]"
        case ex.Member(operand=operand, name=name):
            return f"{text(operand)}.{quote(name)}"
        case ex.StructOf(names=names, values=values):
            return "{" + ", ".join(f"{quote(n)}: {text(v)}" for n, v in zip(names, values, strict=True)) + "}"


def _call(expression: ex.Call | ex.PythonCall | ex.ServerCall | ex.Lambda | ex.Variable, text: _Text) -> str:
    match expression:
        case ex.Call(function=name, arguments=arguments):
            return f"{name}({', '.join(map(text, arguments))})"
        case ex.PythonCall(function=name, arguments=arguments):
            return f"PYTHON {name}({', '.join(map(text, arguments))})"
        case ex.ServerCall(registered=name, arguments=arguments):
            return f"SERVER {name}({', '.join(map(text, arguments))})"
        case ex.Lambda(parameters=parameters, body=body):
            return f"({', '.join(p.name for p in parameters)}) => {text(body)}"
        case ex.Variable(name=name):
            return name


def _inner(expression: ex.Expression, text: _Text) -> str:
    nested = isinstance(expression, ex.Operation) and expression.operator not in ("NOT", "NEGATE")
    return f"({text(expression)})" if nested else text(expression)
