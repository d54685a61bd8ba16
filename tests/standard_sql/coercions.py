"""Pairs of types under operators that convert: the type and the value that Spark gives, in `coercions.json`.

`python -m tests.standard_sql.coercions` asks the server of LSQLC_TEST_SPARK, and writes the file again.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("coercions.json")
# The columns of the one row, each with its type and its value. A text is chosen by the type that it meets.
COLUMNS: dict[str, tuple[str, Any]] = {
    "i": ("INT", 7),
    "l": ("BIGINT", 5_000_000_000),
    "r": ("FLOAT", 0.5),
    "f": ("DOUBLE", 2.5),
    "d": ("DECIMAL(10,2)", Decimal("12.34")),
    "b": ("BOOLEAN", True),
    "dt": ("DATE", datetime.date(2023, 11, 14)),
    "ts": ("TIMESTAMP", datetime.datetime(2023, 11, 14, 22, 13, 20, 123000, tzinfo=datetime.UTC)),
    "y": ("BINARY", b"a7"),
    "sn": ("STRING", "7"),
    "sb": ("STRING", "true"),
    "sd": ("STRING", "2023-11-14 01:02:03"),
    "sx": ("STRING", "x"),
}
_TEXTS = {"BOOLEAN": ("sb", "'true'"), "DATE": ("sd", "'2023-11-14'"), "TIMESTAMP": ("sd", "'2023-11-14 01:02:03'")}
OPERATORS = (
    "{0} = {1}", "{0} < {1}", "{0} <=> {1}", "{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / {1}", "{0} % {1}",
    "{0} DIV {1}", "{0} || {1}", "{0} & {1}", "COALESCE({0}, {1})", "IF({0} IS NULL, {0}, {1})",
    "CASE {0} WHEN {1} THEN 1 END", "{0} IN ({1})", "{0} BETWEEN {1} AND {1}", "GREATEST({0}, {1})", "NULLIF({0}, {1})",
    "array({0}, {1})", "NVL2({0}, {0}, {1})", "EQUAL_NULL({0}, {1})",
)  # fmt: skip
# Functions over one argument, which may be of any type.
FUNCTIONS = (
    "LENGTH({0})", "UPPER({0})", "SUBSTRING({0}, 2)", "SUBSTRING('abcdefgh', {0})", "ABS({0})", "-{0}", "SQRT({0})",
    "ROUND({0})", "YEAR({0})", "LAST_DAY({0})", "HOUR({0})", "{0} AND TRUE", "NOT {0}", "{0} LIKE '%7%'",
    "CONCAT({0}, '-')", "DATE_ADD(dt, {0})", "LEFT('abc', {0})", "ISNAN({0})", "UNIX_SECONDS({0})",
)  # fmt: skip


def expressions() -> Iterator[str]:
    """Every operator over every pair of columns, and of a column with a text."""
    kinds = [name for name, (type, _) in COLUMNS.items() if type != "STRING"]
    for one in kinds:
        column, literal = _TEXTS.get(COLUMNS[one][0], ("sn", "'7'"))
        pairs = [(one, other) for other in kinds]
        pairs += [(one, column), (column, one), (one, literal), (literal, one), (one, "sx"), (one, "NULL")]
        yield from (form.format(*pair) for pair in pairs for form in OPERATORS)
    yield from (form.format("sn", "sx") for form in OPERATORS)
    yield from (form.format(column) for column in COLUMNS for form in FUNCTIONS)


def recorded() -> dict[str, list[Any] | None]:
    """By expression the type and the value; the type alone if the values of the row stop Spark in ANSI mode, and None
    if it refuses the expression.
    """
    found: dict[str, list[Any] | None] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def shown(value: Any) -> Any:
    """A value as JSON has it, without loss."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list):
        return [shown(v) for v in value]
    if isinstance(value, bytes | bytearray):
        return bytes(value).hex()
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(" ")
    return repr(value) if isinstance(value, float) else str(value)


def record() -> None:
    """Ask Spark, in ANSI mode."""
    from pyspark.errors import AnalysisException
    from pyspark.sql.connect.session import SparkSession

    spark = SparkSession.builder.remote(os.environ["LSQLC_TEST_SPARK"]).create()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    columns = ", ".join(f"{name} {type}" for name, (type, _) in COLUMNS.items())
    row = tuple(value for _, value in COLUMNS.values())
    spark.createDataFrame([row], columns).createOrReplaceTempView("coerced_row")
    found: dict[str, Any] = {}
    for expression in expressions():
        try:
            frame = spark.sql(f"SELECT {expression} AS r FROM coerced_row")
            type = frame.schema.fields[0].dataType.simpleString()
        except AnalysisException:
            found[expression] = None
            continue
        found[expression] = [type.upper().replace("BINARY", "BYTES")]
        # Whatever stops Spark in ANSI mode leaves no value.
        with suppress(Exception):
            found[expression].append(shown(frame.collect()[0][0]))
    spark.stop()
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items())
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    record()
