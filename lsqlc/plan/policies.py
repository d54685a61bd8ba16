"""The error policy of a program: the handling of records that cannot be read.

A record is bad if its line is not JSON, or does not match what the program reads of the topic. A record that is bad for
one query is bad for all queries of the program. So it is counted once and gets one dead letter. Therefore all scans of
a topic read the same fields if bad records are skipped (`agreed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from msgspec.structs import replace

from lsqlc.plan import nodes
from lsqlc.plan.event_times import timeless_records
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct
from lsqlc.types.error_policy import Policy
from lsqlc.types.record import ABSENT, Facet, Topic

# A dead letter has the origin of the record, the error, and the whole record. For a record in Kafka it also has
# partition, offset, key and value as text; `..._encoding` is `base64` for bytes that are not text. Several models may
# write to one dead-letter topic, so a letter names the model.
_LETTER = Struct(
    (
        Field("topic", data.STRING, nullable=False),
        Field("ordinal", data.BIGINT),
        Field("reason", data.STRING, nullable=False),
        Field("record", data.STRING, nullable=False),
        Field("partition", data.INT),
        Field("offset", data.BIGINT),
        Field("key", data.STRING),
        Field("key_encoding", data.STRING),
        Field("value", data.STRING),
        Field("value_encoding", data.STRING),
        Field("model", data.STRING),
    )
)


def skip_help(what: str, skip_setting: str) -> str:
    """Return a help for a record, a file or the like (`what`) that stopped a program.

    `skip_setting`: the setting by which the program skips it, see `Plan`.
    """
    return f"fix the {what}, or skip such {what}s: {skip_setting}"


def read_policy(settings: Mapping[str, str]) -> Policy:
    """Return the error policy of the settings, by default `fail`."""
    return cast(Policy, settings.get("error.policy.read", settings.get("error.policy", "fail")).lower())


def dead_letters(settings: Mapping[str, str]) -> Topic | None:
    """Return the dead-letter topic with its schema; None if the policy has none."""
    name = settings.get("dead.letter.queue")
    if name is None or read_policy(settings) != "dlq":
        return None
    return Topic(name, ABSENT, Facet(_LETTER, "json"))


def passing_over(sinks: Iterable[nodes.Sink], policy: Policy) -> tuple[nodes.Sink, ...]:
    """Return the sinks with the error policy applied.

    A record that is bad for one query is bad for all. A record of a STREAM to which EVENTTIME BY gives no time is also
    skipped. With `dlq` this applies only to records of a log, for which a dead letter can be written.
    """
    if policy == "fail":
        return tuple(sinks)
    letters = policy == "dlq"
    return tuple(replace(s, inputs=tuple(_without_time(node, letters) for node in s.inputs)) for s in agreed(sinks))


def _without_time(node: nodes.Node, letters: bool) -> nodes.Node:
    node = nodes.with_inputs(node, tuple(_without_time(part, letters) for part in nodes.inputs(node)))
    if not isinstance(node, nodes.EventTime) or node.semantics != "STREAM":
        return node
    if not letters:
        return replace(node, passes_over=True)
    gets_letter = not node.passes_over and timeless_records(node) is not None
    return replace(node, lettered=True) if gets_letter else node


def agreed(sinks: Iterable[nodes.Sink]) -> tuple[nodes.Sink, ...]:
    """Return the sinks with all scans of a topic reading the same fields."""
    sinks = tuple(sinks)
    read: dict[str, nodes.Scan] = {}
    for sink in sinks:
        for node in sink.inputs:
            for scan in nodes.scans(node):
                first = read.setdefault(scan.topic.name, scan)
                read[scan.topic.name] = replace(
                    first, key=_both(scan.topic.key, first.key, scan.key),
                    value=_both(scan.topic.value, first.value, scan.value),
                )  # fmt: skip
    return tuple(replace(sink, inputs=tuple(_reading(node, read) for node in sink.inputs)) for sink in sinks)


def _reading(node: nodes.Node, read: Mapping[str, nodes.Scan]) -> nodes.Node:
    if isinstance(node, nodes.Scan):
        same = read[node.topic.name]
        return replace(node, key=same.key, value=same.value)
    return nodes.with_inputs(node, tuple(_reading(part, read) for part in nodes.inputs(node)))


def _both(whole: Facet, a: Facet, b: Facet) -> Facet:
    return replace(whole, type=_merged(whole.type, a.type, b.type))


def _merged(whole: DataType, a: DataType, b: DataType) -> DataType:
    """Return a type with the fields of two prunings of `whole`."""
    if not (isinstance(whole, Struct) and isinstance(a, Struct) and isinstance(b, Struct)):
        return whole
    fields = []
    for field in whole.fields:
        parts = [part for part in (a.field(field.name), b.field(field.name)) if part is not None]
        if parts:
            fields.append(replace(field, type=_merged(field.type, parts[0].type, parts[-1].type)))
    return Struct(tuple(fields))
