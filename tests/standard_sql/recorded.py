"""What Spark itself gives for the expressions of `hostile`: `python -m tests.standard_sql.recorded` writes it to
`recorded.json`, from the server that LSQLC_TEST_SPARK names.
"""

from __future__ import annotations

import datetime
import json
import math
import os
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.standard_sql.calls import COLUMNS, ROW

FILE = Path(__file__).with_suffix(".json")
RECORD: dict[str, Any] = ROW | {
    "ts": datetime.datetime.fromtimestamp(ROW["ts"] / 1000, datetime.UTC), "dt": datetime.date.fromisoformat(ROW["dt"])
}  # fmt: skip
_AT_ONCE = 200


def encoded(value: Any) -> Any:
    """A value as JSON that tells all types apart."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return f"text {value}"
        case Decimal():
            return f"decimal {value:f}"
        case datetime.datetime():
            return f"timestamp {value.replace(tzinfo=None).isoformat(' ')}"
        case datetime.date():
            return f"date {value.isoformat()}"
        case bytes() | bytearray():
            return f"bytes {value.hex()}"
        case dict():
            return {"map": [[encoded(k), encoded(v)] for k, v in value.items()]}
    if hasattr(value, "asDict"):
        return {"map": [[encoded(k), encoded(v)] for k, v in value.asDict().items()]}
    return [encoded(part) for part in value]


def alike(one: Any, other: Any) -> bool:
    """Whether two encoded values are equal, DOUBLEs but for their last digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return alike(one["map"], other["map"])
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or one == other or math.isclose(one, other, rel_tol=1e-12)
    return type(one) is type(other) and bool(one == other)


def recorded() -> dict[str, tuple[str | None, Any]]:
    """The type and the encoded value that Spark gives for each expression; no type where it stops."""
    return {text: (type, value) for text, (type, value) in json.loads(FILE.read_text()).items()}


def by_spark(session: Any, expressions: Sequence[str]) -> dict[str, tuple[str | None, Any]]:
    """What a session of Spark gives for each expression over the record: all in one query, or one by one where one of
    them stops it.
    """
    made: dict[str, tuple[str | None, Any]] = {}
    for start in range(0, len(expressions), _AT_ONCE):
        made.update(_several(session, expressions[start : start + _AT_ONCE]))
    return made


def _several(session: Any, expressions: Sequence[str]) -> dict[str, tuple[str | None, Any]]:
    from pyspark.errors import PySparkException

    items = ", ".join(f"{text} AS r{i}" for i, text in enumerate(expressions))
    try:
        frame = session.sql(f"SELECT {items} FROM standard_row")
        types = [field.dataType.simpleString() for field in frame.schema]
        (row,) = frame.collect()
    except (PySparkException, ValueError, OverflowError) as error:
        if len(expressions) == 1:
            # Python cannot hold a time of a year beyond 9999.
            why = error.getCondition() if isinstance(error, PySparkException) else "YEAR_OF_PYTHON"
            return {expressions[0]: (None, why)}
        half = len(expressions) // 2
        return _several(session, expressions[:half]) | _several(session, expressions[half:])
    return {text: (type, encoded(value)) for text, type, value in zip(expressions, types, row, strict=True)}


def main() -> None:
    from pyspark.sql.connect.session import SparkSession

    from tests.standard_sql.hostile import EXPRESSIONS

    session = SparkSession.builder.remote(os.environ["LSQLC_TEST_SPARK"]).create()
    try:
        session.conf.set("spark.sql.session.timeZone", "UTC")
        session.conf.set("spark.sql.variable.substitute", "false")
        session.createDataFrame([tuple(RECORD.values())], COLUMNS).createOrReplaceTempView("standard_row")
        values = by_spark(session, EXPRESSIONS)
    finally:
        session.stop()
    write = json.JSONEncoder(ensure_ascii=False).encode
    FILE.write_text("{\n" + ",\n".join(f"{write(text)}: {write(value)}" for text, value in values.items()) + "\n}\n")


if __name__ == "__main__":
    main()
