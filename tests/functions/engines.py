"""Evaluating SQL expressions over rows of values on DuckDB and on a local Spark, many expressions in one query."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from lsqlc.functions.calls import python_forms, register
from lsqlc.functions.catalogue import functions
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.types.data import DataType


@dataclass(frozen=True, slots=True)
class Probe:
    """One expression for both engines over its own columns: `{0}`, `{1}`, ... in the texts."""

    label: str
    types: tuple[DataType, ...]
    rows: tuple[tuple[Any, ...], ...]
    duckdb: str
    spark: str


def columned(sql: str) -> str:
    """A text in which `<<0>>` stands for a column as the template of a Probe."""
    return re.sub("<<([0-9]+)>>", r"{\1}", sql.replace("{", "{{").replace("}", "}}"))


def columns(probe_index: int, probe: Probe) -> list[str]:
    return [f"c{probe_index}_{i}" for i in range(len(probe.types))]


def duckdb_connection() -> duckdb.DuckDBPyConnection:
    """As the lowering has it: no external access, UTC, all Python forms."""
    connection = duckdb.connect(":memory:", config={"enable_external_access": False})
    connection.execute("set timezone = 'UTC'")
    register(connection, python_forms(functions()))
    return connection


def on_duckdb(connection: duckdb.DuckDBPyConnection, probes: Sequence[Probe]) -> list[list[Any]]:
    """The values of each expression, row by row."""
    results = []
    for index, probe in enumerate(probes):
        names = columns(index, probe)
        table = ", ".join(f"{n} {type_text('duckdb', t)}" for n, t in zip(names, probe.types, strict=True))
        connection.execute(f"create or replace temp table t (i integer, {table})")
        for i, row in enumerate(probe.rows):
            texts = [_parameter(v, t) for v, t in zip(row, probe.types, strict=True)]
            connection.execute(f"insert into t select {i}, {', '.join(texts)}", [b for v in row for b in _bare(v)])
        sql = f"select {probe.duckdb.format(*names)} from t order by i"
        results.append([_plain(row[0]) for row in connection.execute(sql).fetchall()])
    return results


def on_spark(spark: Any, probes: Sequence[Probe]) -> list[list[Any]]:
    """The values of each expression, row by row, in one query."""
    names = [n for i, p in enumerate(probes) for n in columns(i, p)]
    types = [t for p in probes for t in p.types]
    schema = ", ".join(["i INT", *(f"{n} {type_text('spark', t)}" for n, t in zip(names, types, strict=True))])
    count = max(len(p.rows) for p in probes)
    rows = []
    for i in range(count):
        cells = [p.rows[i] if i < len(p.rows) else (None,) * len(p.types) for p in probes]
        rows.append((i, *(v for cell in cells for v in cell)))
    spark.createDataFrame(rows, schema).createOrReplaceTempView("t")
    texts = [f"{p.spark.format(*columns(i, p))} as r{i}" for i, p in enumerate(probes)]
    frame = spark.sql(f"select i, {', '.join(texts)} from t")
    # pyspark cannot collect a timestamp of the year 1.
    times = {name for name, type in frame.dtypes if type == "timestamp"}
    found = frame.selectExpr(*(f"unix_micros({n}) as {n}" if n in times else n for n in frame.columns)).collect()
    found.sort(key=lambda row: row[0])
    values = [[found[r][i + 1] for r in range(len(p.rows))] for i, p in enumerate(probes)]
    readers = [_instant if f"r{i}" in times else _plain for i in range(len(probes))]
    return [[read(v) for v in column] for read, column in zip(readers, values, strict=True)]


def _instant(micros: int | None) -> datetime.datetime | None:
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return None if micros is None else epoch + datetime.timedelta(microseconds=micros)


def _parameter(value: Any, type: DataType) -> str:
    """A dict would arrive as a struct, so a map is put together from its keys and values."""
    return f"cast({'map(?, ?)' if isinstance(value, dict) else '?'} as {type_text('duckdb', type)})"


def _bare(value: Any) -> list[Any]:
    """The parameters for a value. DuckDB's TIMESTAMP is in UTC without saying so."""
    if isinstance(value, dict):
        return [list(value), list(value.values())]
    return [value.astimezone(datetime.UTC).replace(tzinfo=None) if isinstance(value, datetime.datetime) else value]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC) if value.tzinfo else value.replace(tzinfo=datetime.UTC)
    if isinstance(value, bytearray):
        return bytes(value)
    if hasattr(value, "asDict"):  # a struct of Spark
        value = value.asDict()
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def same(a: Any, b: Any) -> bool:
    """Equal by value and by type; doubles to a relative 1e-9, NaN equal to itself, zeros with their signs."""
    if isinstance(a, float) and isinstance(b, float):
        if a == b == 0:
            return math.copysign(1, a) == math.copysign(1, b)
        return (math.isnan(a) and math.isnan(b)) or a == b or math.isclose(a, b, rel_tol=1e-9)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[name], b[name]) for name in a)
    return type(a) is type(b) and bool(a == b)
