"""The topics of a plan as records need to fit them: a field that the plan does not read may be missing."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from lsqlc.connectors.bad_records import read_of
from lsqlc.plan import Plan
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Topic


def topics_as_read(plan: Plan) -> dict[str, Topic]:
    """Return the topics that a plan reads, by name, with NOT NULL only for the fields that it reads."""
    read = read_of(plan)
    return {topic.name: _loosened(topic, read[topic.name]) for topic in plan.inputs}


def _loosened(topic: Topic, read: Topic) -> Topic:
    key = structs.replace(topic.key, type=_nullable(topic.key.type, read.key.type))
    value = structs.replace(topic.value, type=_nullable(topic.value.type, read.value.type))
    return replace(topic, key=key, value=value)


def _nullable(whole: DataType, read: DataType) -> DataType:
    """Return the type with nullable fields where `read`, the same type with fewer fields, does not have them."""
    if not isinstance(whole, Struct) or not isinstance(read, Struct):
        return whole
    fields = []
    for field in whole.fields:
        read_field = read.field(field.name)
        if read_field is None:
            fields.append(structs.replace(field, nullable=True))
        else:
            fields.append(structs.replace(field, type=_nullable(field.type, read_field.type)))
    return Struct(tuple(fields))
