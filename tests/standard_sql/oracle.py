"""What a model must give: its query as a batch, transpiled by sqlglot from Spark to DuckDB, over the current rows of
its topics. No code of the compiler has a part in it.
"""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import duckdb
import sqlglot

from lsqlc import Record
from tests.standard_sql.programs import COLUMNS, Drawn

_TYPES = {"int": "INTEGER", "text": "VARCHAR", "double": "DOUBLE", "decimal": "DECIMAL(10,2)", "bool": "BOOLEAN"}


class Oracle:
    """Answers queries over tables that are filled again for each."""

    def __init__(self) -> None:
        self._connection = duckdb.connect()
        for name, columns in COLUMNS.items():
            listed = ", ".join(f"{c} {_TYPES[k]}" for c, k in columns.items())
            for table in (name, f"{name}_stream"):
                self._connection.execute(f"CREATE TABLE {table} (_key INTEGER, _ms BIGINT, {listed})")

    def close(self) -> None:
        self._connection.close()

    def rows(self, drawn: Drawn, records: Sequence[Record]) -> Counter[Any]:
        """The rows of the query after these records, each with how often."""
        sql = sqlglot.transpile(drawn.batch, read="spark", write="duckdb")[0]
        if not drawn.each:
            self._fill(records, records)
            return self._answer(sql, drawn.bare)
        found: Counter[Any] = Counter()
        for number, record in enumerate(records):
            if f"{record.topic}_stream" in drawn.batch and record.value is not None:
                # A record meets the tables as they are before it comes.
                self._fill(records[:number], [record])
                found += self._answer(sql, drawn.bare)
        return found

    def _answer(self, sql: str, bare: str | None) -> Counter[Any]:
        result = self._connection.execute(sql)
        names = [d[0] for d in result.description]
        rows = [dict(zip(names, row, strict=True)) for row in result.fetchall()]
        return Counter(canonical(row) for row in rows if bare is None or bare not in row or row[bare] is not None)

    def _fill(self, records: Sequence[Record], stream: Sequence[Record]) -> None:
        current: dict[str, dict[Any, Record]] = {name: {} for name in COLUMNS}
        for record in records:
            if record.topic == "r" or record.key is None:
                continue
            if record.value is None:
                current[record.topic].pop(record.key, None)
            else:
                current[record.topic][record.key] = record
        for name in COLUMNS:
            self._put(name, list(current[name].values()))
            self._put(f"{name}_stream", [r for r in stream if r.topic == name and r.value is not None])

    def _put(self, table: str, records: list[Record]) -> None:
        self._connection.execute(f"DELETE FROM {table}")
        if records:
            rows = [[r.key, r.timestamp, *r.value.values()] for r in records]
            marks = ", ".join("?" * len(rows[0]))
            self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def canonical(row: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """A row that equals another one with the same values: numbers by value, times in milliseconds."""
    return tuple((name, _plain(value)) for name, value in row.items())


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return canonical(value)
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, datetime.datetime):
        return round(value.replace(tzinfo=datetime.UTC).timestamp() * 1000)
    if isinstance(value, Decimal | float | int):
        number = float(value)
        return number if not math.isfinite(number) else float(f"{number:.9g}") + 0.0
    return value
