"""Plans as text, for reviewers: a tree from the sink down to the scans, with schema, key and semantics of each node."""

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
    """Return the whole plan; the same text on every run and machine."""
    lines = [f"model {name}"]
    lines += [f"set {setting} = {value}" for setting, value in settings]
    for sink in sinks:
        lines.append(sink_text(sink))
        for node in sink.inputs:
            lines += _lines(node, 1)
    return "\n".join(lines) + "\n"


def sink_text(sink: nodes.Sink) -> str:
    """Return a sink in a line: the topic with its semantics and schema."""
    topic = sink.topic
    return f"Sink {quote(topic.name)} [{sink.semantics}] key {topic.key}, value {topic.value}"


def _lines(node: nodes.Node, depth: int) -> list[str]:
    lines = ["  " * depth + node_text(node)]
    for part in nodes.inputs(node):
        lines += _lines(part, depth + 1)
    return lines


def node_text(node: nodes.Node) -> str:
    """One line: the kind, the semantics, and what the node does."""
    return f"{type(node).__name__} [{node.semantics}] {_detail(node)}".rstrip()


def _header_text(header: HeaderColumn) -> str:
    what = "all headers" if header.key is None else f"the header {quote(header.key)}"
    return f"{what} as {quote(header.name)}"


def _detail(node: nodes.Node) -> str:
    match node:
        case nodes.Scan(topic=topic, alias=alias, key=key, value=value):
            called = f" as {quote(alias)}" if alias != topic.name else ""
            time = f", event time {topic.event_time}" if topic.event_time else ""
            reads = f"reads {value}" if topic.files is None else files_text(topic, value.type)
            place = ", and where each record lies" if node.places else ""
            headers = "".join(f", {_header_text(header)}" for header in node.headers)
            return f"{quote(topic.name)}{called} key {key}, {reads}{place}{headers}{time}"
        case nodes.EventTime(input=source, time=time):
            text = expression_text(time, source.relations)
            return f"{text}, records without it are passed over" if node.skips else text
        case nodes.Filter(input=source, condition=condition):
            of_path = path_filter(node)
            files = f", reads files with {expression_text(of_path, source.relations)} alone" if of_path else ""
            return expression_text(condition, source.relations) + files
        case nodes.Lateral(input=source, array=array, alias=alias):
            return f"{expression_text(array, source.relations)} AS {quote(alias)}"
        case nodes.Project(input=source):
            texts = [expression_text(part, source.relations) for part in (node.key, node.value)]
            arrow = "<- " if node.rekeys else ""
            return f"key {arrow}{texts[0]} ({node.key_format}), value {texts[1]} ({node.value_format})"
        case nodes.Rekey():
            return f"one row per new key {node.relations[0].key.type}, the newest"
        case nodes.Reinterpret(input=source):
            return (
                "the newest record of each key" if node.semantics == "TABLE" else f"changes of the {source.semantics}"
            )
        case nodes.Aggregate():
            return _aggregate(node)
        case nodes.Join():
            return _join(node)
        case nodes.Union():
            return f"the records of {len(node.inputs)} queries"
        case nodes.Repartition(before=before, after=after, reason=reason):
            return f"from {before} to {after} partitions: {reason}"


def files_text(topic: Topic, value: DataType) -> str:
    """What a scan asks of a topic of files: of each file, and of its path."""
    assert topic.files is not None and isinstance(value, Struct)
    columns = needed(topic, value)
    asked = f"reads {', '.join(f'{quote(f.name)} {f.type}' for f in columns)}" if columns else "reads no column"
    path = [f.name for f in value.fields if is_special(f, topic.files)]
    if path == [free_column(topic)] and len(value.fields) == 1:
        # It stands for nothing at all.
        path = []
    named = f", with {', '.join(path)}" if path else ""
    return f"{asked} of {topic.files.format} '{topic.files.path}'{named}"


def _aggregate(node: nodes.Aggregate) -> str:
    below = node.input.relations
    names = node.key_names or ("",) * len(node.keys)
    keys = [expression_text(k, below) + (f" AS {quote(n)}" if n else "") for k, n in zip(node.keys, names, strict=True)]
    calls = [f"a{i} = {aggregation_text(a, below)}" for i, a in enumerate(node.aggregates)]
    window = f" in {window_text(node.window)}" if node.window else ""
    empty = ", empty groups stay" if node.keeps_empty else ""
    return f"by {', '.join(keys)}{window}: {', '.join(calls)}{empty}"


def window_text(window: Window) -> str:
    """Return a window as the language writes it."""
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
    """Return the largest unit that fits: `90000` is `90s`."""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)):
        if milliseconds % size == 0 and milliseconds:
            return f"{milliseconds // size}{unit}"
    return f"{milliseconds}ms"


def expression_text(expression: ex.Expression, relations: tuple[nodes.Relation, ...]) -> str:
    """Return an expression over these relations, fully parenthesised where operators nest."""

    def text(part: ex.Expression) -> str:
        return expression_text(part, relations)

    match expression:
        case ex.Literal(value=value):
            return "NULL" if value is None else json.dumps(value, ensure_ascii=False)
        case ex.Field(relation=number, facet=facet, path=path):
            relation = relations[number]
            several = len(relations) > 1 and relation.name
            head = [quote(relation.name)] if several else []
            if facet == "key" or not path:
                head.append(f"_{facet}")
            return ".".join([*head, *map(quote, path)])
        case ex.RecordTime():
            return "_time"
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
        case ex.Operation(operator=operator, operands=operands):
            return f" {operator} ".join(_inner(o, text) for o in operands)
        case ex.Call(function=function, arguments=arguments):
            return f"{function}({', '.join(map(text, arguments))})"
        case ex.Cast(operand=operand, type=type):
            return f"CAST({text(operand)} AS {type})"
        case ex.Case(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {text(a)} THEN {text(b)}" for a, b in branches)
            return f"CASE {whens} ELSE {text(otherwise)} END"
        case ex.ArrayOf(items=items):
            return f"[{', '.join(map(text, items))}]"
        case ex.ElementAt(array=array, index=index):
            return f"{text(array)}[{text(index)}]"
        case ex.Member(operand=operand, name=name):
            return f"{text(operand)}.{quote(name)}"
        case ex.StructOf(names=names, values=values):
            return "{" + ", ".join(f"{quote(n)}: {text(v)}" for n, v in zip(names, values, strict=True)) + "}"
        case ex.Variable(name=name):
            return name
        case ex.PythonCall(function=name, arguments=arguments):
            return f"PYTHON {name}({', '.join(map(text, arguments))})"
        case ex.ServerCall(registered=name, arguments=arguments):
            return f"SERVER {name}({', '.join(map(text, arguments))})"
        case ex.Lambda(parameters=parameters, body=body):
            return f"({', '.join(p.name for p in parameters)}) => {text(body)}"
    raise AssertionError(f"no text for {type(expression).__name__}")


def _inner(expression: ex.Expression, text: Callable[[ex.Expression], str]) -> str:
    nested = isinstance(expression, ex.Operation) and expression.operator not in ("NOT", "NEGATE")
    return f"({text(expression)})" if nested else text(expression)
