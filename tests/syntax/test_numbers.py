# ruff: noqa: E501  tables of texts read better in long rows
"""What digits mean: numbers, parts of names, or an error that says what to write; in both dialects."""

from __future__ import annotations

import pytest

from lsqlc import CompileError, Topic, compile
from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects import DialectName
from lsqlc.syntax.lenses.format import format_program, is_same
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types.data import Struct

_NAMES = ("orders-2024", "t-2024-01-01", "app.v1.2024", "release-1.5", "a-1.2.3", "build-7e99999", "a-1e", "a.1b")
TOPICS = [
    *(Topic(name, key="INT", value="email STRING, e1 INT, E5 INT, e INT, `1e5x` INT") for name in _NAMES),
    Topic("t", key="INT", value="a INT, x INT, `x-2` INT, `x-1e5` INT"),
    Topic("2024-orders", key="INT", value="a INT"),
]
_KSQL = """
CREATE STREAM s (k INT KEY, a INT, `1E` INT, `1E5X` INT) WITH (kafka_topic='s', value_format='JSON', partitions=1);
CREATE STREAM o AS SELECT k, {} FROM s EMIT CHANGES;
"""


def found(text: str, dialect: DialectName = "lenses") -> list[Diagnostic]:
    """The errors of a program."""
    try:
        compile(text, topics=TOPICS if dialect == "lenses" else (), dialect=dialect)
    except CompileError as error:
        return [d for d in error.diagnostics if d.is_error]
    return []


def columns(text: str, dialect: DialectName = "lenses") -> str:
    """The type of what a program writes."""
    value = compile(text, topics=TOPICS if dialect == "lenses" else (), dialect=dialect).sinks[0].topic.value.type
    assert isinstance(value, Struct)
    return ", ".join(f"{f.name} {f.type}" for f in value.fields)


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("field", ["email", "e1", "E5", "e", "_key", "`1e5x`"])
def test_a_field_of_a_topic_with_digits(name: str, field: str) -> None:
    """Also where digits, the dot and the field look like a number with an exponent."""
    assert found(f"SELECT STREAM {name}.{field} AS it FROM {name}") == []
    parsed = parse(f"SELECT STREAM {name}.{field} AS it FROM {name}", "text")
    assert parsed.program is not None
    assert is_same(parsed.program, format_program(parsed.program))
    assert found(f"SELECT STREAM {name}.* FROM {name} WHERE {name}.{field} IS NOT NULL") == []
    assert found(f"SELECT TABLE COUNT(*) AS n FROM {name} GROUP BY {name}.{field}") == []


@pytest.mark.parametrize("name", [*_NAMES, "a-1.e5", "a-1e-5", "a1.1e5", "a.2024", "a-2024.x.e1"])
def test_a_target_with_digits(name: str) -> None:
    """The name of what is written is the text."""
    text = f"INSERT INTO {name}-out SELECT STREAM a FROM t"
    assert compile(text, topics=TOPICS).sinks[0].topic.name == f"{name}-out"
    parsed = parse(text, "text")
    assert parsed.program is not None
    assert is_same(parsed.program, format_program(parsed.program))


@pytest.mark.parametrize(
    ("text", "type"),
    [("1", "INT"), ("00012", "INT"), ("9223372036854775807", "BIGINT"), ("-9223372036854775808", "BIGINT"),
     ("1.", "DOUBLE"), ("1.5", "DOUBLE"), (".5", "DOUBLE"), ("-.5e1", "DOUBLE"), ("1e5", "DOUBLE"), ("1E+5", "DOUBLE"), ("1.e-5", "DOUBLE"), ("0e999999999", "DOUBLE"), ("1e308", "DOUBLE"),
     ("x-1", "INT"), ("x-1.5", "DOUBLE"), ("x-1.", "DOUBLE"), ("x-.5", "DOUBLE"), ("a-1e5", "DOUBLE"), ("`x-2`", "INT"), ("x*2-1.5e3", "DOUBLE")],
)  # fmt: skip
def test_a_number(text: str, type: str) -> None:
    """Alone, and behind a minus that touches it."""
    assert columns(f"SELECT STREAM {text} AS it FROM t") == f"it {type}"


@pytest.mark.parametrize(
    ("text", "code", "help"),
    [
        ("1e", "LSQ119", "an exponent must have digits: 1e5"),
        ("1.5e+", "LSQ119", "an exponent must have digits: 1.5e5"),
        ("1..2", "LSQ119", "a number can have one point, before its exponent: 1.5e3"),
        ("1..", "LSQ119", "a number can have one point, before its exponent: 1.5e3"),
        ("1.2.3", "LSQ119", "a number can have one point, before its exponent: 1.5e3"),
        ("1e5.5", "LSQ119", "a number can have one point, before its exponent: 1.5e3"),
        ("0x1F", "LSQ119", "a number is written in decimal: 31"),
        ("0b101", "LSQ119", "a number is written in decimal: 5"),
        ("1_000", "LSQ119", "write the digits without underscores: 1000"),
        ("1L", "LSQ119", "a number has no suffix: 1"),
        ("1.5L", "LSQ119", "a number has no suffix: 1.5"),
        ("1d", "LSQ119", "a number has no suffix; one with a point is a DOUBLE: 1.0"),
        ("1.5f", "LSQ119", "a number has no suffix; one with a point is a DOUBLE: 1.5"),
        ("5s", "LSQ119", "a duration is only allowed after WITHIN, WINDOW BY and GRACE BY; times are numbers of milliseconds"),
        ("2024abc", "LSQ119", "a name that begins with a digit must be in backticks: `2024abc`"),
        ("1\u0663", "LSQ119", "a name that begins with a digit must be in backticks: `1\u0663`"),
        ("1e999999999", "LSQ211", "the largest DOUBLE is about 1.8e308"),
        ("1e-999999999", "LSQ211", "the smallest DOUBLE above 0 is about 4.9e-324"),
        ("9223372036854775808", "LSQ211", "write it with a decimal point"),
        ("x-1e5", "LSQ205", "write `x-1e5` for the column, or spaces around the minus"),
        ("0.e", "LSQ202", None),
    ],
)  # fmt: skip
def test_what_is_not_a_number(text: str, code: str, help: str | None) -> None:
    """One error, with what to write, wherever the number stands."""
    for program in (f"SELECT STREAM {text} AS it FROM t", f"SELECT STREAM a FROM t WHERE a = {text}"):
        assert [(d.code, d.help) for d in found(program)] == [(code, help)]


@pytest.mark.parametrize(
    "text",
    ["SELECT STREAM a FROM 2024-orders", "INSERT INTO 2024-orders SELECT STREAM a FROM t", "SELECT STREAM a AS 2024-orders FROM t", "WITH 2024-orders AS (SELECT STREAM a FROM t)"],
)  # fmt: skip
def test_a_name_that_begins_with_digits(text: str) -> None:
    """Stands in backticks."""
    (error,) = found(text)[:1]
    assert (error.code, error.help) == (
        "LSQ102",
        "a name that begins with a digit must be in backticks: `2024-orders`",
    )


@pytest.mark.parametrize(
    ("text", "columns_or_code"),
    [("1e5", "KSQL_COL_0 DOUBLE"), (".5", "KSQL_COL_0 DECIMAL(1,1)"), ("1.", "KSQL_COL_0 DECIMAL(1,0)"), ("1.e5", "KSQL_COL_0 DOUBLE"), ("a-1.e5", "KSQL_COL_0 DOUBLE"), ("1e", "1E INT"), ("1e5x", "1E5X INT"),
     ("0.e", "LSQ119"), ("1..2", "LSQ119"), ("1.2.3", "LSQ119"), ("2024.abc", "LSQ119"), ("1_000", "LSQ201"), ("0x1F", "LSQ201"), ("1e999999999", "LSQ211"), ("1e-999999999", "LSQ211")],
)  # fmt: skip
def test_numbers_of_ksql(text: str, columns_or_code: str) -> None:
    """A name may begin with digits, and a hyphen is a minus."""
    program = _KSQL.format(text)
    errors = found(program, "ksql")
    assert columns_or_code == (errors[0].code if errors else columns(program, "ksql"))


def test_a_duration_beyond_every_time() -> None:
    """In both dialects the same error."""
    text = _KSQL.replace(
        "CREATE STREAM o AS SELECT k, {} FROM s", "CREATE TABLE o AS SELECT k, COUNT(*) FROM s {} GROUP BY k"
    )
    for size in ("9" * 30, "3652501"):
        window = f"WINDOW TUMBLING (SIZE {size} DAYS)"
        assert [d.code for d in found(text.format(window), "ksql")] == ["LSQ112"]
        lenses = f"SELECT STREAM COUNT(*) AS n FROM t WINDOW BY TUMBLE {size}d GROUP BY a"
        assert [d.code for d in found(lenses)] == ["LSQ112"]
