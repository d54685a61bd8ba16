"""Backfill from files: the older records of a topic, which a topic of files contains."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.plan.expression import Field as FieldOf
from lsqlc.plan.expression import StructOf
from lsqlc.plan.nodes import Project, Scan, Sink
from lsqlc.plan.plan import Plan
from lsqlc.scan.file_topics import opened
from lsqlc.types.data import Struct
from lsqlc.types.record import Facet, Topic

# The offset of a file's record is its time, followed by this many bits for the index of its row.
PLACE_BITS = 20
# Each file is a partition, with a negative number derived from its path.
FILE_LANES = 1 << 20


def history_node(files: Topic, topic: Topic) -> Project:
    """Return a node that reads the records of files with the columns of a topic.

    The schemas must fit, see `unfit_history`.
    """
    assert isinstance(topic.value.type, Struct) and isinstance(files.value.type, Struct), "columns are read from files"
    names = tuple(field.name for field in topic.value.type.fields)
    time = (files.event_time or "").partition(".")[0]
    read = tuple(field for field in files.value.type.fields if field.name in (*names, time))
    scan = Scan(opened(files, names), files.name, "STREAM", files.key, Facet(Struct(read), "json"))
    of = {field.name: FieldOf(0, "value", (field.name,), field.type, field.nullable) for field in read}
    key = FieldOf(0, "key", (), files.key.type, True)
    value = StructOf(names, tuple(of[name] for name in names))
    return Project(scan, key, value, topic.key.format, topic.value.format, False, topic.name)


def history_plan(files: Topic, topic: Topic) -> Plan:
    """Return a plan that copies the records of a topic of files to another topic."""
    return Plan(topic.name, (Sink((history_node(files, topic),), topic),))


def unfit_history(files: Topic, topic: Topic) -> Iterator[str]:
    """Yield the reasons why files cannot contain the older records of a topic, one sentence each."""
    if not isinstance(topic.value.type, Struct) or not isinstance(files.value.type, Struct):
        yield f"the value of '{topic.name}' is {topic.value.type}, and only columns can be read from files"
        return
    if files.event_time is None:
        yield f"'{files.name}' has no `event_time`: nothing says which of its records are before that time"
    if files.key.type != topic.key.type:
        keys = ["no key" if each.key.is_absent else f"the key {each.key.type}" for each in (files, topic)]
        yield f"'{files.name}' has {keys[0]}, and '{topic.name}' has {keys[1]}"
    columns = {field.name: field for field in files.value.type.fields}
    for field in topic.value.type.fields:
        column = columns.get(field.name)
        if column is None:
            yield f"'{files.name}' does not declare the column '{field.name}' {field.type}"
        elif column.type != field.type:
            yield f"'{field.name}' is {column.type} in '{files.name}', and {field.type} in '{topic.name}'"
        elif column.nullable and not field.nullable:
            yield f"'{field.name}' may be null in '{files.name}', and must not be in '{topic.name}'"
