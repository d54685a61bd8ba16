"""The sign of zero, which a comparison does not see and a text shows."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from lsqlc.functions.calls import call
from lsqlc.functions.catalogue import scalar
from lsqlc.functions.forms.casts import cast
from lsqlc.sql.engines import Engine
from lsqlc.types.data import DOUBLE, STRING

from .engines import Probe, columned, on_duckdb, on_spark

# A function, its literals behind the first arguments, its arguments, and the text of what it gives.
ZEROS: tuple[tuple[str, tuple[str, ...], tuple[float, ...], str], ...] = (
    ("ROUND", ("0",), (-0.04,), "0.0"),
    ("ROUND", ("2",), (-0.0,), "0.0"),
    ("SIGN", (), (-0.0,), "-0.0"),
    ("SIGN", (), (0.0,), "0.0"),
    ("ATAN2", (), (-0.0, 1.0), "0.0"),
    ("ATAN2", (), (0.0, -0.0), "0.0"),
    ("ABS", (), (-0.0,), "0.0"),
)


def probe(name: str, literals: tuple[str, ...], arguments: tuple[float, ...]) -> Probe:
    function = scalar(name)
    assert function is not None
    types = (DOUBLE,) * len(arguments)

    def text(engine: Engine) -> str:
        texts = [f"<<{i}>>" for i in range(len(arguments))]
        values = [*(None for _ in texts), *map(int, literals)]
        called = call(engine, function, [*texts, *literals], [*types, *([DOUBLE] * len(literals))], values=values)
        return columned(cast(engine, called, DOUBLE, STRING))

    return Probe(name, types, (arguments,), text("duckdb"), text("spark"))


PROBES = [probe(*case[:3]) for case in ZEROS]


@pytest.mark.parametrize("case", ZEROS, ids=str)
def test_duckdb_gives_the_sign(
    case: tuple[str, tuple[str, ...], tuple[float, ...], str], connection: duckdb.DuckDBPyConnection
) -> None:
    """A zero has the sign that Spark gives it."""
    assert on_duckdb(connection, [probe(*case[:3])]) == [[case[3]]]


def test_spark_gives_the_sign(spark: Any) -> None:
    """What is written down is what Spark does."""
    assert [value for (value,) in on_spark(spark, PROBES)] == [case[3] for case in ZEROS]
