"""The views, and what each must give: the same text over the rows as they are, asked of DuckDB by sqlglot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import sqlglot

import lsqlc
from lsqlc import Record
from tests.standard_sql.oracle import canonical
from tests.standard_sql.tpch.data import COLUMNS, topics

VIEWS = {path.stem: path.read_text("utf-8") for path in sorted((Path(__file__).parent / "views").glob("*.sql"))}


def plan(name: str) -> lsqlc.Plan:
    return lsqlc.compile(VIEWS[name], dialect="sql", topics=topics(), name=name)


class Batch:
    """A database with the rows of the tables as they are after some records."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._connection = duckdb.connect()
        current: dict[str, dict[Any, Any]] = {table: {} for table in COLUMNS}
        for record in records:
            current[record.topic][str(record.key)] = record.value
        for table, columns in COLUMNS.items():
            listed = ", ".join(f"{name} {type.replace('STRING', 'VARCHAR')}" for name, type in columns.items())
            self._connection.execute(f"CREATE TABLE {table} ({listed})")
            live = [list(row.values()) for row in current[table].values() if row is not None]
            if live:
                marks = ", ".join("?" * len(columns))
                self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", live)

    def rows(self, name: str) -> Counter[Any]:
        """The answer of a view's query."""
        (text,) = sqlglot.transpile(VIEWS[name], read="spark", write="duckdb")
        result = self._connection.execute(text)
        names = [column[0] for column in result.description]
        found = (dict(zip(names, row, strict=True)) for row in result.fetchall())
        return Counter(canonical(row) for row in found)

    def close(self) -> None:
        self._connection.close()
