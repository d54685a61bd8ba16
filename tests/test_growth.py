"""What compiling and formatting take grows with the length of the program, and no faster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import pytest

from lsqlc.diagnostics import Diagnostic, Severity, Span, did_you_mean
from lsqlc.dialects import DialectName, dialect
from lsqlc.lint import ignore
from lsqlc.project.build.formatting import format_model
from lsqlc.project.templates.positions import joined
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct
from lsqlc.types.record import Facet, Topic
from tests.lanes import sampled

FORMATTED: dict[DialectName, str] = {
    "lenses": "SELECT STREAM {items} FROM t",
    "ksql": "CREATE STREAM o AS SELECT {items} FROM t EMIT CHANGES;",
}
ITEMS = (
    "a AS c",
    "a + 1 AS c",
    "ABS(ABS(a)) AS c",
    "CAST(a AS BIGINT) AS c",
    "CASE WHEN a = 1 THEN (b) END AS c",
    "-- x\na",
)


def steps(action: Callable[[], object]) -> int:
    """How many instructions of Python an action takes. From Python 3.12 on those that run traced for the first time are
    not all counted, so that a small action has to come before.
    """
    counted = 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal counted
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        counted += event == "opcode"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        action()
    finally:
        sys.settrace(before)
    return counted


@pytest.mark.parametrize("item", sampled(ITEMS, 3))
@pytest.mark.parametrize("language", FORMATTED)
def test_twice_as_many_projections_take_twice_as_long_to_format(language: DialectName, item: str) -> None:
    """Whatever they are made of."""

    def formatted(number: int) -> None:
        text = FORMATTED[language].format(items=", ".join([item] * number))
        assert format_model(text, "program", dialect(language)).text is not None

    steps(lambda: formatted(10))
    assert steps(lambda: formatted(80)) < 2.2 * steps(lambda: formatted(40))


def of_struct(number: int) -> str:
    """A column that is a struct of so many fields."""
    fields = ", ".join(f"F{i} INT" for i in range(number))
    return f"CREATE STREAM s (k INT KEY, v STRUCT<{fields}>) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');"


def of_columns(number: int, kind: str = "STREAM s (k INT KEY") -> str:
    """So many columns."""
    fields = ", ".join(f"F{i} INT" for i in range(number))
    return f"CREATE {kind}, {fields}) WITH (KAFKA_TOPIC = '{kind[:3]}', VALUE_FORMAT = 'JSON', PARTITIONS = 1);"


def many(pattern: str, number: int, by: str = ", ") -> str:
    """A part of a program so many times, with its number for `#`."""
    return by.join(pattern.replace("#", str(i)) for i in range(number))


KSQL: Mapping[str, Callable[[int], str]] = {
    "fields of a struct": lambda n: of_struct(n) + f"CREATE STREAM o AS SELECT k, {many('v->F# AS C#', n)} FROM s;",
    "all fields of a struct": lambda n: of_struct(n) + "CREATE STREAM o AS SELECT k, v->* FROM s;",
    "a struct": lambda n: of_struct(n) + f"CREATE STREAM o AS SELECT k, STRUCT({many('G# := v->F#', n)}) AS x FROM s;",
    "columns": lambda n: of_columns(n) + f"CREATE STREAM o AS SELECT k, {many('F# AS C#', n)} FROM s;",
    "all columns": lambda n: of_columns(n) + "CREATE STREAM o AS SELECT * FROM s;",
    "names that are made": lambda n: of_columns(n) + f"CREATE STREAM o AS SELECT k, {many('F# + 1', n)} FROM s;",
    "aggregates": lambda n: of_columns(n) + f"CREATE TABLE o AS SELECT k, {many('SUM(F#)', n)} FROM s GROUP BY k;",
    "conditions": lambda n: (
        of_columns(n) + f"CREATE STREAM o AS SELECT k, F1 FROM s WHERE {many('F# > 1', n, ' AND ')};"
    ),
    "a new key": lambda n: of_columns(n) + "CREATE STREAM o AS SELECT * FROM s PARTITION BY F1;",
    "a join": lambda n: (
        of_columns(n)
        + of_columns(n, "TABLE t (k INT PRIMARY KEY")
        + "CREATE STREAM o AS SELECT * FROM s JOIN t ON s.k = t.k;"
    ),
    "rows": lambda n: (
        of_columns(2) + many("INSERT INTO s VALUES (#, 1, 2);", n, " ") + "CREATE STREAM o AS SELECT * FROM s;"
    ),
    "settings": lambda n: (
        of_columns(2) + many("SET 'auto.offset.reset' = 'x'; CREATE STREAM o# AS SELECT * FROM s;", n, "\n")
    ),
    "streams": lambda n: of_columns(2) + many("CREATE STREAM o# AS SELECT * FROM s;", n, "\n"),
}
LENSES: Mapping[str, Callable[[int], str]] = {
    "fields": lambda n: f"SELECT STREAM {many('f# AS c#', n)} FROM t",
    "fields of a struct": lambda n: f"SELECT STREAM {many('v.f# AS c#', n)} FROM t",
    "fields that are named like nested ones": lambda n: f"SELECT STREAM {many('v.f# AS x.y.c#', n)} FROM t",
    "aggregates": lambda n: f"SELECT STREAM {many('SUM(f#) AS c#', n)} FROM t GROUP BY f0",
    "conditions": lambda n: f"SELECT STREAM f0 FROM t WHERE {many('f# > 1', n, ' AND ')}",
    "a key": lambda n: f"SELECT STREAM COUNT(*) AS n FROM t GROUP BY {many('f#', n)}",
    "tables": lambda n: many("WITH w# AS (SELECT STREAM f0 FROM t);", n, "\n") + "SELECT STREAM f0 FROM w0",
    "targets": lambda n: many("INSERT INTO o# SELECT STREAM f0 FROM t;", n, "\n"),
    "a join": lambda n: f"SELECT STREAM {many('a.f# AS c#', n)} FROM t AS a INNER JOIN u AS b WITHIN 1h",
}

SQL: Mapping[str, Callable[[int], str]] = {
    "columns": lambda n: f"SELECT {many('f# AS c#', n)} FROM t",
    "a list": lambda n: f"SELECT f0 IN ({many('#', n)}) AS x FROM t",
    "branches": lambda n: f"SELECT CASE {many('WHEN f0 = # THEN #', n, ' ')} END AS x FROM t",
    "arguments": lambda n: f"SELECT COALESCE({many('f#', n)}) AS x FROM t",
    "conditions": lambda n: f"SELECT f0 FROM t WHERE {many('f# > 1', n, ' AND ')}",
    "aggregates": lambda n: f"SELECT f0, {many('SUM(f#) AS c#', n)} FROM t GROUP BY f0",
    "a key": lambda n: f"SELECT {many('f#', n)}, COUNT(*) AS n FROM t GROUP BY {many('f#', n)}",
    "a star": lambda n: "SELECT * FROM t",
    "unions": lambda n: many("SELECT g + # AS x FROM STREAM(u)", n, " UNION ALL "),
    "tables": lambda n: f"WITH {many('w# AS (SELECT g FROM u)', n)} SELECT g FROM w0",
    "a join": lambda n: f"SELECT {many('a.f# AS c#', n)} FROM t AS a JOIN u AS b ON a.f0 = b.g",
    "window calls": lambda n: f"SELECT f0, {many('SUM(f#) OVER (PARTITION BY f0) AS c#', n)} FROM t",
}


def positioned(number: int) -> None:
    """So many findings in a rendered text, each moved to its place in the template."""
    positions = joined(((f"SELECT {i}\n", 10 * i, None) for i in range(number)), "{{ x }}...\n" * number)
    for line in range(1, number + 1):
        positions.diagnostic(Diagnostic("LSQ820", "m", Span("m.sql", line, 8, line, 9)))


def ignored(number: int, comment: str, between: str = "") -> None:
    """So many findings and comments about them."""
    text = f"-- lint: ignore {comment}\n{between}" * number + "SELECT 1;\n"
    lines = text.count("\n")
    found = [Diagnostic("LSQ820", "m", Span("m", n, 1, n, 2), severity=Severity.WARNING) for n in range(1, lines + 1)]
    ignore(found, {"m": text})


PARTS: Mapping[str, Callable[[int], None]] = {
    "positions": positioned,
    "comments in a row": lambda n: ignored(n, "LSQ820"),
    "comments before statements": lambda n: ignored(n, "LSQ820", "SELECT 1;\n"),
    "comments that ignore nothing": lambda n: ignored(n, "LSQ821"),
}


@pytest.mark.parametrize("name", PARTS)
def test_twice_as_many_findings_take_twice_as_long(name: str) -> None:
    """To move them into the template, and to find the comments about them."""
    _, once, twice = (steps(lambda n=n: PARTS[name](n)) for n in (10, 120, 240))  # type: ignore[misc]
    assert twice < 2.2 * once


def test_a_suggestion_compares_a_limited_number_of_names() -> None:
    """Beyond that, more names take no more steps than their list does; a long name takes none."""
    names = [f"stream_{i}" for i in range(8_000)]
    _, once, twice = (steps(lambda n=n: did_you_mean("stream_x", names[:n])) for n in (10, 4_000, 8_000))  # type: ignore[misc]
    assert twice < 2 * once
    assert steps(lambda: did_you_mean("x" * 1_000_000, ["y" * 1_000_000] * 10)) < 100


def compiled(language: DialectName, text: str, topics: Mapping[str, Topic]) -> None:
    parsed = dialect(language).parse(text, "program")
    assert parsed.program is not None, parsed.diagnostics[:1]
    result = dialect(language).bind(parsed.program, topics, name="out")
    assert result.plan is not None, result.diagnostics[:1]


@pytest.mark.parametrize("name", sampled(KSQL, 3))
def test_twice_as_much_of_ksqldb_takes_twice_as_long_to_compile(name: str) -> None:
    """Whatever there is more of."""
    _, once, twice = (steps(lambda n=n: compiled("ksql", KSQL[name](n), {})) for n in (10, 120, 240))  # type: ignore[misc]
    assert twice < 2.2 * once


@pytest.mark.parametrize("name", sampled(LENSES, 3))
def test_twice_as_much_of_lenses_takes_twice_as_long_to_compile(name: str) -> None:
    """Whatever there is more of."""
    _grows_evenly("lenses", LENSES[name])


@pytest.mark.parametrize("name", sampled(SQL, 3))
def test_twice_as_much_of_standard_sql_takes_twice_as_long_to_compile(name: str) -> None:
    """Whatever there is more of."""
    _grows_evenly("sql", SQL[name])


def _grows_evenly(language: DialectName, program: Callable[[int], str]) -> None:
    """Compile a program of two sizes, over topics with as many fields."""
    steps_of = []
    for number in (10, 120, 240):
        fields = tuple(Field(f"f{i}", data.INT) for i in range(number))
        topics = {name: Topic(name, Facet(data.INT, "int"), Facet(value, "json")) for name, value in _values(fields)}
        text = program(number)
        steps_of.append(steps(lambda text=text, topics=topics: compiled(language, text, topics)))  # type: ignore[misc]
    assert steps_of[2] < 2.2 * steps_of[1]


def _values(fields: tuple[Field, ...]) -> tuple[tuple[str, DataType], ...]:
    return ("t", Struct((*fields, Field("v", Struct(fields))))), ("u", Struct((Field("g", data.INT),)))


NESTED: Mapping[DialectName, tuple[str, ...]] = {
    "sql": (
        "COALESCE({} || 'a', 'b')", "REVERSE(CONCAT({}, 'a'))", "TO_CHAR(CAST({} AS DATE), 'yyyy')",
        "SUBSTRING({}, 1, 2)",
        "STRING(TIMESTAMP_SECONDS(LENGTH({})))", "NULLIF({}, 'a') || 'b'", "CASE WHEN {} = 'a' THEN 'b' END",
        "ARRAY_JOIN(TRANSFORM(ARRAY({}), x -> x || 'a'), ',')", "IF({} IN ('a', 'b'), 'c', 'd')",
    ),
    "ksql": ("COALESCE(CONCAT({}, 'a'), 'b')", "ARRAY_JOIN(TRANSFORM(ARRAY[{}], x => UCASE(x)))",
             "CASE WHEN {} = 'a' THEN 'b' END"),
    "lenses": ("COALESCE(CONCAT({}, 'a'), 'b')", "CASE WHEN {} = 'a' THEN 'b' END"),
}  # fmt: skip
FROM: Mapping[DialectName, str] = {
    "sql": "SELECT {} AS r FROM STREAM(t)",
    "ksql": "CREATE STREAM s (F0 STRING) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');"
    "CREATE STREAM o AS SELECT {} AS r FROM s;",
    "lenses": "SELECT STREAM {} AS r FROM t",
}


@pytest.mark.parametrize(("language", "call"), [(name, call) for name, calls in NESTED.items() for call in calls])
def test_deeper_calls_do_not_take_twice_the_time_for_each_level(language: DialectName, call: str) -> None:
    """An argument is bound a fixed number of times."""
    topics = {"t": Topic("t", Facet(data.INT, "int"), Facet(Struct((Field("f0", data.STRING),)), "json"))}

    def nested(levels: int) -> None:
        text = "f0"
        for _ in range(levels):
            text = call.replace("{}", text)
        compiled(language, FROM[language].replace("{}", text), topics)

    _, once, twice = (steps(lambda n=n: nested(n)) for n in (2, 4, 8))  # type: ignore[misc]
    assert twice < 4 * once


@pytest.mark.parametrize(
    "value", ["SELECT * FROM (SELECT g FROM u WHERE g > ({})) AS q", "SELECT g FROM u WHERE g > ({})"]
)
def test_deeper_queries_as_values_do_not_take_twice_the_time_for_each_level(value: str) -> None:
    """The columns of a query are counted without binding it."""
    topics = {"u": Topic("u", Facet(data.INT, "int"), Facet(Struct((Field("g", data.INT),)), "json"))}

    def nested(levels: int) -> None:
        text = "SELECT g FROM u"
        for _ in range(levels):
            text = value.replace("{}", text)
        compiled("sql", f"SELECT g FROM u WHERE g > ({text})", topics)

    _, once, twice = (steps(lambda n=n: nested(n)) for n in (1, 3, 6))  # type: ignore[misc]
    assert twice < 4 * once
