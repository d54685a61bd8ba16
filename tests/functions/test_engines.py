"""Every function, on both engines, over the rows of `rows.py`."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from lsqlc.functions.calls import call
from lsqlc.functions.catalogue import functions, scalar
from lsqlc.functions.signature import Engine
from lsqlc.types.ddl import parse_type

from . import rows
from .engines import Probe, columned, on_duckdb, on_spark, same


def probe(case: rows.Rows) -> Probe:
    """A probe that calls the function on columns, and on literals where the case says so."""
    function = scalar(case.name)
    assert function is not None, case.name
    types = tuple(parse_type(t) for t in case.types)
    arguments = [case.literals.get(i, f"<<{i}>>") for i in range(len(types))]

    def text(engine: Engine) -> str:
        return columned(call(engine, function, arguments, types))

    return Probe(f"{case.name}{case.types}", types, tuple(row[:-1] for row in case.rows), text("duckdb"), text("spark"))


PROBES = [probe(case) for case in rows.ALL]


@pytest.fixture(scope="module")
def on_engines(connection: duckdb.DuckDBPyConnection, spark: Any) -> tuple[list[list[Any]], list[list[Any]]]:
    half = len(PROBES) // 2
    return on_duckdb(connection, PROBES), [*on_spark(spark, PROBES[:half]), *on_spark(spark, PROBES[half:])]


def differences(case: rows.Rows, values: list[Any]) -> list[str]:
    found = []
    for row, value in zip(case.rows, values, strict=True):
        if row[-1] is not rows.ANY and not same(row[-1], value):
            found.append(f"{case.name}{row[:-1]!r} gave {value!r}, expected {row[-1]!r}")
    return found


@pytest.mark.parametrize("case", rows.ALL, ids=lambda case: f"{case.name}-{'-'.join(case.types)}")
def test_duckdb_gives_what_is_written_down(case: rows.Rows, connection: duckdb.DuckDBPyConnection) -> None:
    """DuckDB gives the value that a person wrote beside the arguments."""
    assert differences(case, on_duckdb(connection, [probe(case)])[0]) == []


def test_spark_gives_what_is_written_down(on_engines: tuple[list[list[Any]], list[list[Any]]]) -> None:
    """Spark gives the value that a person wrote beside the arguments, in native SQL alone."""
    found = [d for case, values in zip(rows.ALL, on_engines[1], strict=True) for d in differences(case, values)]
    assert not found, "\n".join(found)


def test_both_engines_agree_on_every_row(on_engines: tuple[list[list[Any]], list[list[Any]]]) -> None:
    """Where no value is written down, DuckDB still gives what Spark gives, value by value."""
    found = []
    for case, ours, theirs in zip(rows.ALL, *on_engines, strict=True):
        for row, a, b in zip(case.rows, ours, theirs, strict=True):
            if not same(a, b):
                found.append(f"{case.name}{row[:-1]!r}: DuckDB {a!r}, Spark {b!r}")
    assert not found, "\n".join(found)


def test_every_function_has_rows_with_a_null() -> None:
    """No function of the catalogue escapes the comparison: at least eight rows each, nulls among them."""
    for function in functions():
        if function.clock:
            continue
        cases = [case for case in rows.ALL if case.name == function.name]
        assert cases, function.name
        assert all(len(case.rows) >= 8 for case in cases), function.name
        assert any(None in row[:-1] for case in cases for row in case.rows), function.name
