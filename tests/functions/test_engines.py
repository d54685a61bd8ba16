"""Every function, on both engines, over the rows of `rows.py`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import duckdb
import pytest

from lsqlc.functions.calls import call
from lsqlc.functions.catalogue import functions, scalar
from lsqlc.remote.session.session import server_version
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types.ddl import parse_type

from . import date_rows, rows
from .engines import Probe, columned, on_duckdb, on_spark, same

ALL = (*rows.ALL, *date_rows.ALL)


def counts() -> Counter[str]:
    """How many different argument rows each function has."""
    rows_of = {(c.name, c.types, repr(c.literals), repr(row[:-1])) for c in ALL for row in c.rows}
    return Counter(name for name, *_ in rows_of)


def literal_value(sql: str) -> int | str:
    """The value of a literal of `rows`."""
    return sql[1:-1].replace("''", "'") if sql.startswith("'") else int(sql)


def literal(engine: Engine, value: int | str) -> str:
    """A literal as the engine writes it."""
    return engines.text(engine, value) if isinstance(value, str) else str(value)


def probe(case: rows.Rows) -> Probe:
    """A probe that calls the function on columns, and on literals where the case says so. The first column of a clock
    function is the time of evaluation, that of a function of the record its ordinal.
    """
    function = scalar(case.name)
    assert function is not None, case.name
    types = tuple(parse_type(t) for t in case.types)

    def text(engine: Engine) -> str:
        if function.clock:
            return columned(call(engine, function, [], [], "<<0>>"))
        if function.of_record:
            number = literal_value(case.literals[1])
            return columned(call(engine, function, [str(number)], types[1:], record="<<0>>", values=[number]))
        given = {i: literal_value(sql) for i, sql in case.literals.items()}
        arguments = [literal(engine, given[i]) if i in given else f"<<{i}>>" for i in range(len(types))]
        return columned(call(engine, function, arguments, types, values=[given.get(i) for i in range(len(types))]))

    return Probe(f"{case.name}{case.types}", types, tuple(row[:-1] for row in case.rows), text("duckdb"), text("spark"))


PROBES = [probe(case) for case in ALL]


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


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.name}-{'-'.join(case.types)}")
def test_duckdb_gives_what_is_written_down(case: rows.Rows, connection: duckdb.DuckDBPyConnection) -> None:
    """DuckDB gives the value that a person wrote beside the arguments."""
    assert differences(case, on_duckdb(connection, [probe(case)])[0]) == []


def test_spark_gives_what_is_written_down(on_engines: tuple[list[list[Any]], list[list[Any]]]) -> None:
    """Spark gives the value that a person wrote beside the arguments, in native SQL alone."""
    found = [d for case, values in zip(ALL, on_engines[1], strict=True) for d in differences(case, values)]
    assert not found, "\n".join(found)


# JSON with half of a surrogate pair, which Spark before 4.2 reads as a question mark.
HALVES = ("\\ud83d", "\\ude00")


def test_both_engines_agree_on_every_row(on_engines: tuple[list[list[Any]], list[list[Any]]], spark: Any) -> None:
    """Where no value is written down, DuckDB still gives what Spark gives, value by value."""
    found = []
    newer = server_version(spark.version) >= (4, 2)
    for case, ours, theirs in zip(ALL, *on_engines, strict=True):
        for row, a, b in zip(case.rows, ours, theirs, strict=True):
            if not same(a, b) and (newer or not any(half in str(row[0]) for half in HALVES)):
                found.append(f"{case.name}{row[:-1]!r}: DuckDB {a!r}, Spark {b!r}")
    assert not found, "\n".join(found)


def test_no_function_escapes_the_comparison() -> None:
    """Every function of the language has at least eight different argument rows that both engines are compared on."""
    few = {f.name: counts()[f.name] for f in functions() if counts()[f.name] < 8}
    assert not few


def test_every_function_meets_null_and_what_is_odd() -> None:
    """Every function with arguments meets null; one over text the empty text and one beyond the BMP; one over numbers a
    negative one.
    """
    for function in functions():
        cases = [case for case in ALL if case.name == function.name]
        if not function.parameters:
            continue
        cells = [
            (type, row[i])
            for case in cases
            for row in case.rows
            for i, type in enumerate(case.types)
            if i not in case.literals
        ]
        assert any(value is None for _, value in cells), function.name
        texts = [value for type, value in cells if type == "STRING" and value is not None]
        beyond = any(ord(c) > 0xFFFF for text in texts for c in text)
        assert not texts or ("" in texts and beyond), function.name
        numbers = [value for type, value in cells if type in ("INT", "BIGINT", "DOUBLE") and value is not None]
        assert not numbers or any(number < 0 for number in numbers), function.name
