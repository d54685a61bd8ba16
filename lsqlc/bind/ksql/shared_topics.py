"""Several streams and tables over one topic, each with columns of its own, as ksqlDB allows.

In a format with names of columns a record is read column by column, so a statement may declare some of them. The topic
has all declared columns; a column in two declarations has one type. The topic declares whether a column may be null,
because ksqlDB cannot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.create_source import Named, Source, declare, facet_of
from lsqlc.formats.catalogue import find_format, passed_on
from lsqlc.formats.delimited.format import delimiter
from lsqlc.formats.subjects import Subject
from lsqlc.formats.windows import inside
from lsqlc.plan.expression import Field as Read
from lsqlc.plan.expression import Literal, StructOf
from lsqlc.plan.nodes import Node, Project, Scan
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.types import data
from lsqlc.types.data import Struct, equal_but_for_nulls
from lsqlc.types.record import ABSENT, Facet, Topic


def shared_topics(
    program: ksql.Program, topics: Mapping[str, Topic], subjects: Mapping[str, Subject]
) -> Mapping[str, Topic]:
    """Return the topics that several statements declare, with the columns of all, if these do not contradict each
    other.
    """
    declared: dict[str, list[ksql.CreateSource]] = {}
    for statement in program.statements:
        if isinstance(statement, ksql.CreateSource):
            declared.setdefault(ksql.topic_of(statement), []).append(statement)
    shared = {}
    for name, statements in declared.items():
        if len(statements) < 2 or name in topics:
            continue
        # Errors in a statement are reported when it is bound.
        each = [declare(s, topics, subjects, Findings(program.source)) for s in statements]
        whole = union([d[1] for d in each if d is not None])
        if whole is not None:
            shared[name] = whole
    return shared


def union(topics: Sequence[Topic]) -> Topic | None:
    """Return a topic with all columns of some declarations; None if they contradict each other, or there is none."""
    whole = topics[0] if topics else None
    for topic in topics[1:]:
        whole = _both(whole, topic) if whole is not None else None
    return whole


def _both(one: Topic, two: Topic) -> Topic | None:
    """Return a topic with the columns of both; None if they contradict each other."""
    keys = [t.key for t in (one, two) if t.key.type != data.NULL]
    if len(keys) == 2 and keys[0] != keys[1]:
        return None
    if one.value.format != two.value.format or one.window_size != two.window_size:
        return None
    one_type, more = one.value.type, two.value.type
    if one_type != more and (_is_by_position(one.value.format) or not isinstance(one_type, Struct)):
        return None
    assert isinstance(one_type, Struct) and isinstance(more, Struct)
    fields = list(one_type.fields)
    for field in more.fields:
        other = one_type.field(field.name)
        if other is None:
            fields.append(field)
        elif other.type != field.type:
            return None
    value = structs.replace(one.value, type=Struct(tuple(fields)))
    key = keys[0] if keys else ABSENT
    return replace(one, key=key, value=value, partitions=one.partitions or two.partitions)


def read_of(source: Source, own: Topic, whole_topic: Topic) -> Source | None:
    """Return a stream or table over a topic: its scan reads the declared columns with the topic's types.

    `own`: the topic in its statement. `whole_topic`: the topic with all columns. None if that lacks a column, or has it
    in another type.
    """
    key, value = _key(own.key, whole_topic.key), _value(own.value, whole_topic.value)
    if key is None or value is None:
        return None
    assert isinstance(value.type, Struct)
    values = tuple(Named(v.name, f.type) for v, f in zip(source.values, value.type.fields, strict=True))
    # A format that ksqlDB does not have is declared as the format of its results.
    is_read = passed_on(whole_topic.value.format) == own.value.format
    whole = whole_topic.value if is_read else structs.replace(whole_topic.value, format=own.value.format)
    topic = replace(
        whole_topic,
        key=whole_topic.key if key == ABSENT else structs.replace(whole_topic.key, format=own.key.format),
        value=whole,
        partitions=whole_topic.partitions or own.partitions,
        ksql_json=True,
        window_size=own.window_size,
    )
    scanned = value
    if whole_topic.event_time is not None and isinstance(whole_topic.value.type, Struct):
        # The field with the time of a record is always read.
        time = whole_topic.value.type.field(whole_topic.event_time.split(".")[0])
        if time is not None and value.type.field(time.name) is None:
            scanned = structs.replace(value, type=Struct((*value.type.fields, time)))
    node = Scan(topic, source.name, source.kind, key, scanned, headers=source.headers)
    return replace(source, node=node, values=values, partitions=topic.partitions)


def differ_in_delimiter(one: Facet, two: Facet) -> bool:
    """Return whether both facets are stored as DELIMITED, with different delimiters."""
    delimiters = [delimiter(inside(facet.format)) for facet in (one, two)]
    return None not in delimiters and delimiters[0] != delimiters[1]


def _is_by_position(format: str) -> bool:
    """Return whether the columns of a format are identified by their positions."""
    format_record = find_format(format)
    return format_record is not None and format_record.by_position


def _key(own: Facet, stored: Facet) -> Facet | None:
    if own.type == data.NULL:
        # Without a key column the key is not read.
        return ABSENT
    if differ_in_delimiter(own, stored):
        return None
    return structs.replace(own, type=stored.type) if equal_but_for_nulls(own.type, stored.type) else None


def _value(own: Facet, stored: Facet) -> Facet | None:
    """Return the columns of `own` with the types of `stored`; None if they do not match."""
    if differ_in_delimiter(own, stored):
        return None
    if equal_but_for_nulls(own.type, stored.type):
        return structs.replace(own, type=stored.type)
    if not isinstance(own.type, Struct) or not isinstance(stored.type, Struct) or _is_by_position(own.format):
        return None
    fields = [stored.type.field(f.name) for f in own.type.fields]
    for declared, field in zip(own.type.fields, fields, strict=True):
        if field is None or not equal_but_for_nulls(declared.type, field.type):
            return None
    return structs.replace(own, type=Struct(tuple(f for f in fields if f is not None)))


def selected(writer: Source, source: Source) -> Node | None:
    """Return the result of a query with the columns of another statement over its topic; None if it lacks one.

    Without a key column the key is not read.
    """
    keyless = bool(writer.keys) and not source.keys
    if source.values == writer.values and not keyless:
        return writer.node
    by_name = {v.name: v.type for v in writer.values}
    if _is_by_position(source.value_format.lower()) or any(by_name.get(v.name) != v.type for v in source.values):
        return None
    relation = writer.node.relations[0]
    value = StructOf(
        tuple(v.name for v in source.values),
        tuple(Read(0, "value", (v.name,), v.type, True) for v in source.values),
    )
    if keyless:
        none = Literal(None, data.NULL)
        return Project(writer.node, none, value, ABSENT.format, relation.value.format, True, source.name)
    key = Read(0, "key", (), relation.key.type, True)
    return Project(writer.node, key, value, relation.key.format, relation.value.format, False, source.name)


def inserted_node(node: Node, target: Source, source: Source) -> Node:
    """Return the records that a query inserts through the stream `target`, for another stream over the same topic.

    A column, or a key, that `target` does not have is null.
    """
    if (target.keys, target.values) == (source.keys, source.values):
        return node
    columns = {v.name for v in target.values}
    value = StructOf(
        tuple(v.name for v in source.values),
        tuple(Read(0, "value", (v.name,), v.type, True) if v.name in columns else Literal(None, v.type)
              for v in source.values),
    )  # fmt: skip
    relation, key = node.relations[0], facet_of(source)[0]
    rekeys = bool(target.keys) != bool(source.keys)
    key_expression = Literal(None, key.type) if rekeys else Read(0, "key", (), relation.key.type, True)
    key_format = key.format if rekeys else relation.key.format
    return Project(node, key_expression, value, key_format, relation.value.format, rekeys, source.name)


def matches_key(writer: Source, source: Source) -> bool:
    """Return whether a statement over the topic of a query declares its key, with the bounds of its windows, or
    no key.
    """
    if not source.keys:
        return source.window is None
    names = len(source.keys) == 1 or source.keys == writer.keys
    same_types = [k.type for k in source.keys] == [k.type for k in writer.keys]
    return names and same_types and source.window == writer.window
