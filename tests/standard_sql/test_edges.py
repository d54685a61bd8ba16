"""Functions of standard SQL at the edges of their arguments, on both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from lsqlc.functions.calls import call, python_forms, register
from lsqlc.functions.catalogue import functions, scalar
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types.ddl import parse_type
from tests.functions.engines import Probe, columned, on_duckdb, on_spark, same
from tests.standard_sql.edges import EDGES, Edges

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def _literal(engine: Engine, value: int | str | bool) -> str:
    return engines.text(engine, value) if isinstance(value, str) else str(value).lower()


def _probe(edges: Edges) -> Probe:
    """A call on columns, and on literals where a model must write them."""
    function = scalar(edges.name, "sql")
    assert function is not None, edges.name
    types = tuple(parse_type(t) for t in edges.types)
    values = [edges.literals.get(i) for i in range(len(types))]

    def text(engine: Engine) -> str:
        arguments = [f"<<{i}>>" if v is None else _literal(engine, v) for i, v in enumerate(values)]
        return columned(call(engine, function, arguments, types, values=values))

    rows = tuple(tuple(None if i in edges.literals else v for i, v in enumerate(row)) for row in edges.rows)
    return Probe(f"{edges.name}{edges.types}", types, rows, text("duckdb"), text("spark"))


PROBES = [_probe(edges) for edges in EDGES]


@pytest.fixture(scope="module")
def duckdb_values() -> list[list[Any]]:
    connection = duckdb.connect(":memory:", config={"enable_external_access": False})
    connection.execute("set timezone = 'UTC'")
    register(connection, python_forms(functions("sql")))
    values = on_duckdb(connection, PROBES)
    connection.close()
    return values


def test_duckdb_gives_a_value_or_null_for_every_row(duckdb_values: list[list[Any]]) -> None:
    """No row stops a query, and no function gives null for all of them."""
    for probe, values in zip(PROBES, duckdb_values, strict=True):
        assert len(values) == len(probe.rows)
        assert any(value is not None for value in values), probe.label


def test_both_engines_agree_on_every_row(duckdb_values: list[list[Any]], spark: SparkSession) -> None:
    size = 20
    theirs = [v for i in range(0, len(PROBES), size) for v in on_spark(spark, PROBES[i : i + size])]
    found = [
        f"{probe.label} {row!r}: DuckDB {a!r}, Spark {b!r}"
        for probe, ours, others in zip(PROBES, duckdb_values, theirs, strict=True)
        for row, a, b in zip(probe.rows, ours, others, strict=True)
        if not same(a, b)
    ]
    assert not found, "\n".join(found)
