"""Records as lines of JSON, written by Spark's own functions: no code of ours runs on the cluster.

TIMESTAMP is the only type that needs an expression of its own: the language writes a fraction only if it is not zero.
"""

from __future__ import annotations

from lsqlc.functions.forms.json_values import json_of, worded
from lsqlc.lower.spark.wire.records import Wires, internal_kafka_columns, kafka_columns
from lsqlc.sql.spark import struct
from lsqlc.types.record import Topic

# The prefix of the topics between the stages of a model.
INTERNAL = "_lsqlc."


# The column of a row's headers, and its value without any.
HEADERS = "_headers"
NO_HEADERS = f"CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>) AS {HEADERS}"


def written_columns(topic: Topic, wires: Wires | None, *, table: bool, cases: bool, headers: bool = False) -> str:
    """Return the output columns of a row with the columns `_ord`, `_ts`, `k0` and `v0`.

    They are `_ord` and its `line`, or the columns that Kafka stores (see `steps.Write`). `headers`: the line has those
    in `_headers` too.
    """
    if wires is None:
        line = written_line(topic, table=table, cases=cases)
        return f"_ord, {_with_headers(line) if headers else line} AS line"
    wire = wires.get(topic.name)
    if wire is None:
        key = "NULL" if topic.key.is_absent else json_of("k0", topic.key.type)
        return internal_kafka_columns(written_line(topic, table=table, cases=cases), key, topic)
    return kafka_columns(wire, topic, table=table)


def _with_headers(line: str) -> str:
    """Return a line with the headers of its row as the last member, if there are any."""
    member = "',\"headers\":', to_json(_headers, map('ignoreNullFields', 'false')), '}'"
    return f"get(transform(array({line}), l -> if(_headers IS NULL, l, concat(left(l, length(l) - 1), {member}))), 0)"


def headers_sql(line: str) -> str:
    """Return an SQL expression for the column `_headers` (see `steps.Source`) of a line; null without headers."""
    return f"from_json({line}, 'headers ARRAY<STRUCT<key: STRING, value: BINARY>>').headers AS _headers"


def written_line(topic: Topic, *, table: bool, cases: bool) -> str:
    """Return the line of a row with the columns `_ord`, `_ts`, `k0` and `v0`; every field is written, nulls
    included.
    """
    value = worded("v0", topic.value.type)
    value = f"if(_live, {value}, NULL)" if table else value
    order = "_ord" if topic.ordinal_width == 1 else "CAST(_ord AS ARRAY<BIGINT>)"
    parts = (("ordinal", order), ("timestamp", "_ts"), ("key", worded("k0", topic.key.type)), ("value", value))
    if cases:
        parts = (("case", "_case"), *parts)  # type: ignore[assignment]
    return f"to_json({struct(parts)}, map('ignoreNullFields', 'false'))"
