"""Sources of FROM: topics, queries of WITH, and queries in parentheses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.limits import Limits
from lsqlc.bind.sql.constants import bind_constants
from lsqlc.bind.sql.group_keys import KeyStyle
from lsqlc.bind.sql.interval_casts import of_text
from lsqlc.bind.sql.rows import Rows
from lsqlc.bind.sql.scope import TIME, topic_columns, value_columns
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.plan.expression import Cast, Expression, Field, RecordTime, StructOf
from lsqlc.plan.identity import has_value
from lsqlc.plan.nodes import PLACES, Filter, Node, Project, Reinterpret, Scan
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.types.data import TIMESTAMP, Struct
from lsqlc.types.intervals import interval_named
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources in scope of FROM.

    `withs`: by name in lower case; None after an error in one. `query`: binds a query. `key_style`: that of the output
    query. `anchor`: the topic whose first record triggers rows of constants. `numbered`: elements of arrays have keys
    of their own, and so have records of a topic without a key, which are then a table.
    """

    topics: Mapping[str, Topic]
    withs: Mapping[str, Rows | None]
    limits: Limits
    strict: bool
    query: Callable[[sql.Query, Sources], Rows | None]
    key_style: KeyStyle = "nullable"
    anchor: Rows | None = None
    numbered: bool = False


def bind_source(source: sql.Source, sources: Sources, findings: Findings) -> Rows | None:
    """Return the rows of a source, whose columns have its label; None after an error."""
    rows = _rows(source, sources, findings)
    result = rows and renamed(rows, source.columns, findings)
    return result and replace(result, columns=tuple(replace(c, source=source.label) for c in result.columns))


def renamed(rows: Rows, names: Sequence[tree.Name], findings: Findings) -> Rows | None:
    """Return the rows with new names of their columns, if there are any; None after an error."""
    if not names:
        return rows
    visible = [c for c in rows.columns if c.listed]
    if len(names) != len(visible):
        findings.error("LSQ475", f"the list names {len(names)} columns, and there are {len(visible)}", names[0].at,
                       help=f"name each of them: {', '.join(c.name for c in visible)}")  # fmt: skip
        return None
    news = iter(names)
    columns = tuple(replace(c, name=next(news).text) if c.listed else c for c in rows.columns)
    # A part of the key that is not a column has no name.
    of = {old.name: new.name for old, new in zip(rows.columns, columns, strict=True)}
    group = None if rows.group is None else tuple(of.get(name, f" {name}") for name in rows.group)
    return replace(rows, columns=columns, group=group)


def _rows(source: sql.Source, sources: Sources, findings: Findings) -> Rows | None:
    if isinstance(source, sql.QuerySource):
        return sources.query(source.query, sources)
    if isinstance(source, sql.ConstantSource):
        assert sources.anchor is not None, "a model with constants has a topic for them"
        return bind_constants(source, sources.anchor, findings, strict=sources.strict)
    name = source.name.text
    if not source.stream and name.casefold() in sources.withs:
        return sources.withs[name.casefold()]
    topic = _topic(source.name, sources, findings)
    if topic is None:
        return None
    if source.stream and name.casefold() in sources.withs:
        findings.error("LSQ450", "STREAM of a query is not supported in models of the dialect sql", source.at,
                       help="read a topic as a stream inside of that query: FROM STREAM(topic)")  # fmt: skip
        return None
    if topic.value.is_absent:
        message = "a topic without a value is not supported in models of the dialect sql"
        findings.error("LSQ450", message, source.name.at, help="declare its value")
        return None
    if topic.files:
        findings.error("LSQ450", "a topic of files is not supported in models of the dialect sql", source.name.at,
                       help="read it in a model of the dialect lenses, and that model here")  # fmt: skip
        return None
    if topic.key.is_absent and not source.stream and sources.numbered and isinstance(topic.value.type, Struct):
        return _by_place(topic, source.label)
    if source.stream or topic.key.is_absent:
        scan = Scan(topic, source.label, "STREAM", topic.key, topic.value)
        # A record without a value deletes a row of a table, and is not a row.
        node: Node = Filter(scan, has_value(scan))
        columns = _read(topic, topic_columns(scan.relations[0], source.label, timed=True))
        return Rows(node, "STREAM" if source.stream else "RECORDS", columns, topic.value)
    scan = Scan(topic, source.label, "TABLE", topic.key, topic.value)
    columns = _read(topic, topic_columns(scan.relations[0], source.label, timed=False))
    return Rows(scan, "TABLE", columns, topic.value)


def _read(topic: Topic, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns of a topic, those that hold texts of intervals as intervals."""
    types = {name: interval_named(type) for name, type in topic.intervals}
    if not types:
        return columns
    return tuple(replace(c, expression=of_text(c.expression, types[c.name])) if c.name in types else c for c in columns)


def _by_place(topic: Topic, label: str) -> Rows:
    """Return the records of a topic without a key as a table, with their positions as keys."""
    scan = Scan(topic, label, "STREAM", topic.key, topic.value, places=True)
    assert isinstance(topic.value.type, Struct)
    columns = topic.value.type.fields
    fields = tuple(Field(0, "value", (f.name,), f.type, f.nullable) for f in (*columns, *PLACES))
    key, names = StructOf(("partition", "offset"), fields[-2:]), tuple(f.name for f in columns)
    values: tuple[Expression, ...] = fields[:-2]
    if TIME not in names:
        names, values = (*names, TIME), (*values, Cast(RecordTime(), TIMESTAMP, False))
    keyed = Project(
        Filter(scan, has_value(scan)), key, StructOf(names, values), "json", topic.value.format, True, label
    )
    node = Reinterpret(keyed, "TABLE")
    columns_of_rows = tuple(
        replace(c, listed=c.listed and i < len(columns)) for i, c in enumerate(value_columns(node.relations[0], label))
    )
    return Rows(node, "TABLE", _read(topic, columns_of_rows), topic.value)


def _topic(name: tree.Name, sources: Sources, findings: Findings) -> Topic | None:
    """Return the topic with exactly this name; None after an error."""
    exact = sources.topics.get(name.text)
    if exact is not None:
        return exact
    known_names = [*sources.topics, *sources.withs]
    help = did_you_mean(name.text, known_names) or (
        f"known are {listing(known_names)}" if known_names else "declare topics in a YAML file under models/"
    )
    findings.error("LSQ200", f"unknown topic or WITH name '{name.text}'", name.at, help=help)
    return None
