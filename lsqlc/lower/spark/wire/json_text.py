"""Values as the JSON text that the language writes: what a reader's view gives on after a format was decoded."""

from __future__ import annotations

from lsqlc.lower.spark.expressions import struct
from lsqlc.lower.spark.lines import worded
from lsqlc.types.data import DataType


def json_of(sql: str, type: DataType) -> str:
    """SQL for the JSON text of a value, with all its nulls; NULL of a NULL.

    BYTES are base64, numbers that are not finite texts, a DECIMAL has all its digits, a TIMESTAMP the language's words.
    In a struct that becomes JSON as a whole, `worded` alone does.
    """
    whole = f"to_json({struct((('v', worded(sql, type)),))}, map('ignoreNullFields', 'false'))"
    # to_json takes no primitives: the value stands between {"v": and }.
    return f"if({sql} IS NULL, NULL, substring({whole}, 6, length({whole}) - 6))"
