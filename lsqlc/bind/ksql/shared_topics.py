"""Several streams and tables over one topic, each with the columns that it wants, as ksqlDB allows.

In a format that names its columns a record is read column by column, so that a program may declare some of them. The
topic has all that are declared; a column that two declare has one type. Whether a column may be null is the topic's
affair: ksqlDB has no word for it.
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
    """The topics that several statements declare, with the columns of all, where these go together."""
    declared: dict[str, list[ksql.CreateSource]] = {}
    for statement in program.statements:
        if isinstance(statement, ksql.CreateSource):
            declared.setdefault(ksql.topic_of(statement), []).append(statement)
    found = {}
    for name, statements in declared.items():
        if len(statements) < 2 or name in topics:
            continue
        # What is wrong with a statement is reported when it is bound.
        each = [declare(s, topics, subjects, Findings(program.source)) for s in statements]
        whole = union([d[1] for d in each if d is not None])
        if whole is not None:
            found[name] = whole
    return found


def union(topics: Sequence[Topic]) -> Topic | None:
    """A topic with all columns of some declarations of it; None if they contradict each other, or if there is none."""
    whole = topics[0] if topics else None
    for topic in topics[1:]:
        whole = _both(whole, topic) if whole is not None else None
    return whole


def _both(one: Topic, two: Topic) -> Topic | None:
    """A topic that has what both have; None where they contradict each other."""
    keys = [t.key for t in (one, two) if t.key.type != data.NULL]
    if len(keys) == 2 and keys[0] != keys[1]:
        return None
    if one.value.format != two.value.format or one.window_size != two.window_size:
        return None
    known, more = one.value.type, two.value.type
    if known != more and (_is_by_position(one.value.format) or not isinstance(known, Struct)):
        return None
    assert isinstance(known, Struct) and isinstance(more, Struct)
    fields = list(known.fields)
    for field in more.fields:
        other = known.field(field.name)
        if other is None:
            fields.append(field)
        elif other.type != field.type:
            return None
    value = structs.replace(one.value, type=Struct(tuple(fields)))
    key = keys[0] if keys else ABSENT
    return replace(one, key=key, value=value, partitions=one.partitions or two.partitions)


def read_of(source: Source, own: Topic, known: Topic) -> Source | None:
    """A stream or table over a topic that is `known`: its scan reads the columns that it declares, as the topic has
    them. `own`: the topic as its statement has it. None if the topic lacks a column, or has it in another type.
    """
    key, value = _key(own.key, known.key), _value(own.value, known.value)
    if key is None or value is None:
        return None
    assert isinstance(value.type, Struct)
    values = tuple(Named(v.name, f.type) for v, f in zip(source.values, value.type.fields, strict=True))
    # A format that ksqlDB does not have is declared as the one that results of it have.
    is_read = passed_on(known.value.format) == own.value.format
    whole = known.value if is_read else structs.replace(known.value, format=own.value.format)
    topic = replace(
        known,
        key=known.key if key == ABSENT else structs.replace(known.key, format=own.key.format),
        value=whole,
        partitions=known.partitions or own.partitions,
        ksql_json=True,
        window_size=own.window_size,
    )
    scanned = value
    if known.event_time is not None and isinstance(known.value.type, Struct):
        # The field that has the time of a record is read whether a column is made of it or not.
        time = known.value.type.field(known.event_time.split(".")[0])
        if time is not None and value.type.field(time.name) is None:
            scanned = structs.replace(value, type=Struct((*value.type.fields, time)))
    node = Scan(topic, source.name, source.kind, key, scanned, headers=source.headers)
    return replace(source, node=node, values=values, partitions=topic.partitions)


def differ_in_delimiter(one: Facet, two: Facet) -> bool:
    """Whether both facets are stored as DELIMITED, with different delimiters."""
    delimiters = [delimiter(inside(facet.format)) for facet in (one, two)]
    return None not in delimiters and delimiters[0] != delimiters[1]


def _is_by_position(format: str) -> bool:
    """Whether the columns of a format are identified by their positions."""
    found = find_format(format)
    return found is not None and found.by_position


def _key(own: Facet, known: Facet) -> Facet | None:
    if own.type == data.NULL:
        # Without a key column the key is not read.
        return ABSENT
    if differ_in_delimiter(own, known):
        return None
    return structs.replace(own, type=known.type) if equal_but_for_nulls(own.type, known.type) else None


def _value(own: Facet, known: Facet) -> Facet | None:
    """The columns of `own` as `known` has them."""
    if differ_in_delimiter(own, known):
        return None
    if equal_but_for_nulls(own.type, known.type):
        return structs.replace(own, type=known.type)
    if not isinstance(own.type, Struct) or not isinstance(known.type, Struct) or _is_by_position(own.format):
        return None
    fields = [known.type.field(f.name) for f in own.type.fields]
    for wanted, field in zip(own.type.fields, fields, strict=True):
        if field is None or not equal_but_for_nulls(wanted.type, field.type):
            return None
    return structs.replace(own, type=Struct(tuple(f for f in fields if f is not None)))


def selected(written: Source, source: Source) -> Node | None:
    """What a query of the program writes, with the columns that another statement declares over its topic; None if it
    does not write them. Without a key column the key is not read.
    """
    keyless = bool(written.keys) and not source.keys
    if source.values == written.values and not keyless:
        return written.node
    by_name = {v.name: v.type for v in written.values}
    if _is_by_position(source.value_format.lower()) or any(by_name.get(v.name) != v.type for v in source.values):
        return None
    relation = written.node.relations[0]
    value = StructOf(
        tuple(v.name for v in source.values),
        tuple(Read(0, "value", (v.name,), v.type, True) for v in source.values),
    )
    if keyless:
        none = Literal(None, data.NULL)
        return Project(written.node, none, value, ABSENT.format, relation.value.format, True, source.name)
    key = Read(0, "key", (), relation.key.type, True)
    return Project(written.node, key, value, relation.key.format, relation.value.format, False, source.name)


def inserted_node(node: Node, target: Source, source: Source) -> Node:
    """The records that a query inserts through the stream `target`, as another stream over the same topic reads them: a
    column, or a key, that `target` does not have is null.
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
    kept = Literal(None, key.type) if rekeys else Read(0, "key", (), relation.key.type, True)
    key_format = key.format if rekeys else relation.key.format
    return Project(node, kept, value, key_format, relation.value.format, rekeys, source.name)


def matches_key(written: Source, source: Source) -> bool:
    """Whether a statement over the topic of a query declares its key, with the bounds of its windows, or none."""
    if not source.keys:
        return source.window is None
    names = len(source.keys) == 1 or source.keys == written.keys
    same_types = [k.type for k in source.keys] == [k.type for k in written.keys]
    return names and same_types and source.window == written.window
