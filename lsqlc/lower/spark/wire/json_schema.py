"""JSON in the wire format of schema registries: the schema's id, and a body that is JSON text.

The text is what a reader's view gives on, and what reads it there says whether it is of the topic's type.
"""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.lower.spark.wire.header import HEAD, head, head_faults, outcome
from lsqlc.sql.spark import text


def decoded_json(column: str, ids: Iterable[int]) -> str:
    """SQL for `STRUCT<value: STRING, fault: STRING>` of a BINARY column: the JSON text, null where `fault` is not; NULL
    of a NULL. `ids`: of the schemas that the topic's records were written with.
    """
    body = f"substring({column}, {HEAD + 1})"
    faults = [*head_faults(column, ids), (f"NOT is_valid_utf8(CAST({body} AS STRING))", text("the body is not UTF-8"))]
    return outcome(column, f"CAST({body} AS STRING)", faults)


def encoded_json(json: str, id: int) -> str:
    """SQL for the bytes of a JSON text with the schema's id; NULL of a NULL."""
    return f"concat({head(id)}, CAST({json} AS BINARY))"
