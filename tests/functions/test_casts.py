# ruff: noqa: E501, RUF001  tables of values read better in long rows; letters of many scripts are the point
"""CAST on both engines, for every pair of types that can be cast."""

from __future__ import annotations

import datetime
import itertools
import math
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from lsqlc.functions.forms.casts import cast, castable
from lsqlc.sql.engines import Engine
from lsqlc.types.data import NULL, STRING, DataType
from lsqlc.types.ddl import parse_type
from tests.each import each

from .engines import Probe, columned, on_duckdb, on_spark, same
from .rows import ANY, INF, LONG_MAX, LONG_MIN, MAX, MIN, NAN, time

_FLOATS = (
    None, 0.0, -0.0, 1.0, -1.0, 2.5, -2.7, 100.0, 12345678.0, 0.5, 1e20, -1e20, 1e300, 1e-300, NAN, INF, -INF, 2147483647.5,
    -2147483648.5, 2147483648.0, 9.3e18, 2.0**63, -(2.0**63), 9999999.0, 1e7, 0.001, 0.0001, 1.005, -1.005, 99999.995, 1e39,
    5e-324, -5e-324, 1e23, 2e23, 2.2250738585072014e-308, 1.7976931348623157e308,
)  # fmt: skip
_NUMBER_TEXTS = (
    None, "", "0", "1", "-1", "+5", "007", " 1", "1 ", "1.5", "-2.7", "1e3", "1E-3", ".5", "5.", ".", "+", "-", "1d", "1f", "1D5", "0x1p3",
    "0X1.8P1", "NaN", "nan", "Infinity", "-Infinity", "inf", "+inf", "-INF", "infinit", "abc", "12x", "1_000", "1,000", "2147483648", "9223372036854775808",
    "-9223372036854775808", "１２", "\t1\n", "\u00a01", "1e400", "-1e400", "1e-400", "1.005", "-1.005", "99999999.995", "0.004", "1e39", "1e999999999", "--1",
    "\u20031", "\x7f1", "1\n",
)  # fmt: skip

VALUES: dict[str, tuple[Any, ...]] = {
    "BOOLEAN": (None, True, False),
    "INT": (None, 0, 1, -1, 100, MAX, MIN),
    "BIGINT": (None, 0, 1, -1, 100, MAX + 1, LONG_MAX, LONG_MIN, 1357016400000, 253402300799999, 253402300800000, -62135596800000, -62135596800001, 16777217),
    "FLOAT": (None, 0.0, -0.0, 1.0, 2.5, -2.75, 100.0, 1e20, 0.1, 3.4e38, 1e-40, NAN, INF, -INF, 16777216.0, 1e7, 0.001, 123456.79, 2.0**-149, 2.0**-148, 3.4028234663852886e38, 2.0**-44, 2529939.75),
    "DOUBLE": _FLOATS,
    "DECIMAL(10,2)": tuple(None if x is None else Decimal(x) for x in (None, "0", "1.50", "-1.50", "2.99", "-2.99", "99999999.99", "-99999999.99", "0.01", "10.10")),
    "DECIMAL(38,10)": tuple(None if x is None else Decimal(x) for x in (None, "0", "1.005", "-1.005", "1.0049999999", "12345678901234567890", "0.0000000001", "9223372036854775807", "9223372036854775808")),
    "STRING": (
        *_NUMBER_TEXTS, "true", "TRUE", "t", "f", "False", "yes", "no", "y", "N", " true ", "truee", "2013-01-01", "2013-1-5", "2013", "2013-02", "2013-02-30",
        "2024-02-29", "2013-13-01", "2013-01-01T05:00:00Z", "2013-01-01 05:00:00", "2013-01-01 5:3:1", "2013-01-01 05:00", "2013-01-01T05", "2013-01-01 05:00:00.123456789",
        "2013-01-01 05:00:00.5", "2013-01-01 05:00:00+02:00", "2013-01-01 05:00:00 UTC", "2013-01-01 05:00:00-0130", "2013-01-01 25:00:00", "2013-01-01x",
        " 2013-01-01 ", "2013-01-01 ", "05:00:00", "T05:00", "9999-12-31", "0001-01-01", "0000-01-01", "13-01-01", "2013-01-01T", "2013-01-01 05:00:60", "2013-01-01T24:00:00",
        "2013-01-01 05:00:00.", "2013-01-01 05:00:00+19:00", "2013-01-01 05:00:00GMT+1", "2013-001-01", "+2013-01-01", "2013-01-01 05:00:00z", "2013-01-01 05:00Z", "2013-01-01 05:00:00 +2:00",
        "2013-01-01T05:00:00.123Z", "2013-00-01", "2013-01-00", "a😀",
    ),
    "BYTES": (None, b"", b"abc", "😀".encode(), b"\xff", b"\xed\xa0\x80", b"a\x00b"),
    "DATE": (None, *(datetime.date(*d) for d in ((2013, 1, 1), (1, 1, 1), (9999, 12, 31), (1969, 12, 31), (1582, 10, 15)))),
    "TIMESTAMP": (None, time(2013, 1, 1, 5), time(2013, 1, 1, 5, 0, 0, 500000), time(1969, 12, 31, 23, 59, 59, 999999), time(1, 1, 1), time(9999, 12, 31, 23, 59, 59, 999999), time(2013, 1, 1, 5, 0, 0, 1)),
    "ARRAY<INT>": (None, [], [1, None], [MAX]),
}  # fmt: skip
TARGETS = (*VALUES, "DECIMAL(5,2)", "DECIMAL(38,0)", "ARRAY<BIGINT>", "ARRAY<DOUBLE>")
PAIRS = [(s, t) for s, t in itertools.product(VALUES, TARGETS) if s != t and castable(parse_type(s), parse_type(t))]

# What people wrote down: (source, target, value, expected).
KNOWN: tuple[tuple[str, str, Any, Any], ...] = (
    ("BOOLEAN", "STRING", True, "true"), ("STRING", "BOOLEAN", " true ", True), ("STRING", "BOOLEAN", "truee", None), ("BOOLEAN", "INT", True, 1),
    ("STRING", "INT", "+5", 5), ("STRING", "INT", "007", 7), ("STRING", "INT", " 1", None), ("STRING", "INT", "1.5", None), ("STRING", "INT", "2147483648", None),
    ("STRING", "INT", "１２", None), ("STRING", "INT", "1\n", None), ("STRING", "INT", "", None), ("STRING", "BIGINT", "2147483648", 2147483648), ("STRING", "BIGINT", "9223372036854775808", None),
    ("DOUBLE", "INT", 2.5, 2), ("DOUBLE", "INT", -2.7, -2), ("DOUBLE", "INT", 2147483647.5, MAX), ("DOUBLE", "INT", 2147483648.0, None), ("DOUBLE", "INT", NAN, None),
    ("DOUBLE", "BIGINT", 9.3e18, None), ("DOUBLE", "BIGINT", -(2.0**63), LONG_MIN), ("DOUBLE", "STRING", 1e20, "1.0E20"), ("DOUBLE", "STRING", 100.0, "100.0"),
    ("DOUBLE", "STRING", 1e7, "1.0E7"), ("DOUBLE", "STRING", 9999999.0, "9999999.0"), ("DOUBLE", "STRING", 0.001, "0.001"), ("DOUBLE", "STRING", 0.0001, "1.0E-4"),
    ("DOUBLE", "STRING", -INF, "-Infinity"), ("DOUBLE", "STRING", NAN, "NaN"), ("DOUBLE", "STRING", -0.0, "-0.0"), ("DOUBLE", "STRING", 12345678.0, "1.2345678E7"),
    ("DOUBLE", "STRING", 5e-324, "4.9E-324"), ("DOUBLE", "STRING", -5e-324, "-4.9E-324"), ("DOUBLE", "STRING", 1e23, "1.0E23"),
    ("FLOAT", "STRING", 2.0**-149, "1.4E-45"), ("FLOAT", "STRING", 2529939.75, "2529939.8"), ("FLOAT", "STRING", 3.4028234663852886e38, "3.4028235E38"),
    ("FLOAT", "STRING", 0.1, "0.1"), ("FLOAT", "STRING", 16777216.0, "1.6777216E7"), ("DOUBLE", "DECIMAL(5,2)", 1.005, Decimal("1.01")), ("DOUBLE", "DECIMAL(5,2)", NAN, None),
    ("DOUBLE", "DECIMAL(5,2)", 1e20, None), ("DOUBLE", "FLOAT", 1e39, INF), ("BIGINT", "INT", LONG_MAX, None), ("BIGINT", "STRING", LONG_MIN, "-9223372036854775808"),
    ("DECIMAL(10,2)", "INT", Decimal("-2.99"), -2), ("DECIMAL(10,2)", "STRING", Decimal("1.50"), "1.50"), ("DECIMAL(38,10)", "DECIMAL(5,2)", Decimal("-1.005"), Decimal("-1.01")),
    ("STRING", "DOUBLE", "1e3", 1000.0), ("STRING", "DOUBLE", "abc", None), ("STRING", "DOUBLE", "NaN", NAN), ("STRING", "DECIMAL(5,2)", "1.005", Decimal("1.01")),
    ("STRING", "DATE", "2013-01-01", datetime.date(2013, 1, 1)), ("STRING", "DATE", "2013-02-30", None), ("STRING", "TIMESTAMP", "2013-01-01T05:00:00Z", time(2013, 1, 1, 5)),
    ("STRING", "TIMESTAMP", "2013-01-01 05:00:00+02:00", time(2013, 1, 1, 3)), ("STRING", "TIMESTAMP", "05:00:00", None), ("STRING", "TIMESTAMP", "T05:00", None),
    ("BIGINT", "TIMESTAMP", 1357016400000, time(2013, 1, 1, 5)), ("TIMESTAMP", "BIGINT", time(2013, 1, 1, 5), 1357016400000), ("BIGINT", "TIMESTAMP", LONG_MAX, None),
    ("TIMESTAMP", "STRING", time(2013, 1, 1, 5, 0, 0, 500000), "2013-01-01 05:00:00.5"), ("DATE", "STRING", datetime.date(1, 1, 1), "0001-01-01"),
    ("TIMESTAMP", "DATE", time(1969, 12, 31, 23, 59, 59, 999999), datetime.date(1969, 12, 31)), ("BYTES", "STRING", b"\xff", None), ("STRING", "BYTES", "a😀", "a😀".encode()),
    ("ARRAY<INT>", "ARRAY<BIGINT>", [1, None], [1, None]), ("INT", "BOOLEAN", 0, False), ("DOUBLE", "BOOLEAN", NAN, True),
)  # fmt: skip


def _text(engine: Engine, source: DataType, target: DataType) -> str:
    return columned(cast(engine, "<<0>>", source, target))


def probe(source: str, target: str) -> Probe:
    a, b = parse_type(source), parse_type(target)
    rows = tuple((v,) for v in VALUES[source])
    return Probe(f"{source} to {target}", (a,), rows, _text("duckdb", a, b), _text("spark", a, b))


# What a server on a Java before 19 writes for DOUBLEs, where it differs from newer ones.
OLDER = {1e23: "9.999999999999999E22", 2e23: "1.9999999999999998E23"}


def by_older_java(value: Any, type: DataType) -> Any:
    """What such a server makes of a value of `OLDER`, in a cast to a text or a wide DECIMAL."""
    return OLDER[value] if type == STRING else Decimal(OLDER[value])


def test_both_engines_agree_on_every_cast(connection: duckdb.DuckDBPyConnection, spark: Any) -> None:
    """Whatever the value, DuckDB gives what Spark's try_cast gives, save where the language is stricter."""
    probes = [probe(s, t) for s, t in PAIRS]
    found = []
    version = "java_method('java.lang.System', 'getProperty', 'java.specification.version')"
    older = int(spark.sql(f"SELECT {version}").collect()[0][0]) < 19
    texts = (STRING, parse_type("DECIMAL(38,0)"), parse_type("DECIMAL(38,10)"))
    for (source, name), p, ours, theirs in zip(
        PAIRS, probes, on_duckdb(connection, probes), on_spark(spark, probes), strict=True
    ):
        type = parse_type(name)
        for (value,), a, b in zip(p.rows, ours, theirs, strict=True):
            if older and source == "DOUBLE" and value in OLDER and type in texts:
                assert a != b == by_older_java(value, type), f"{p.label}: {value!r}: Spark {b!r}"
            elif not same(a, b):
                found.append(f"{p.label}: {value!r}: DuckDB {a!r}, Spark {b!r}")
    assert not found, "\n".join(found)


@each(("source", "target", "value", "expected"), KNOWN)
def test_cast_gives_what_is_written_down(
    source: str, target: str, value: Any, expected: Any, connection: duckdb.DuckDBPyConnection
) -> None:
    """The casts that the language decides have the value that a person wrote down."""
    assert value in VALUES[source] or (isinstance(value, float) and math.isnan(value)), "Spark does not see this value"
    a, b = parse_type(source), parse_type(target)
    one = Probe("", (a,), ((value,),), _text("duckdb", a, b), "")
    result = on_duckdb(connection, [one])[0][0]
    assert expected is ANY or same(result, expected), result


def test_a_null_casts_to_anything() -> None:
    """The literal NULL takes the type that is asked for."""
    for target in TARGETS:
        assert castable(NULL, parse_type(target))
    assert cast("duckdb", "NULL", NULL, parse_type("INT")) == "cast(NULL as INTEGER)"
    assert cast("spark", "NULL", NULL, parse_type("BYTES")) == "cast(NULL as BINARY)"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("DATE", "INT"),
        ("INT", "DATE"),
        ("INT", "TIMESTAMP"),
        ("DOUBLE", "TIMESTAMP"),
        ("BYTES", "INT"),
        ("ARRAY<INT>", "STRING"),
        ("ARRAY<BIGINT>", "ARRAY<INT>"),
        ("STRING", "ARRAY<STRING>"),
        ("TIMESTAMP", "BOOLEAN"),
    ],
)
def test_what_has_no_meaning_is_not_castable(source: str, target: str) -> None:
    """A pair without a meaning in the language is refused before an engine sees it."""
    assert not castable(parse_type(source), parse_type(target))
