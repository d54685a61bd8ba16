"""A column without an alias is called as Spark calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlglot import exp

import lsqlc
from lsqlc import Topic
from lsqlc.bind.materialized import Materialized
from lsqlc.diagnostics.source import SourceText
from lsqlc.dialects.sql import DIALECT
from lsqlc.syntax.cursor import SyntaxFault
from lsqlc.syntax.sql.column_names import spark_name
from lsqlc.syntax.sql.parser import plain_tokens, read_statement
from lsqlc.syntax.sql.places import Places
from lsqlc.syntax.sql.queries import Queries
from tests.standard_sql.calls import CALLS, COLUMNS

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPICS = (Topic("t", key="INT", value="a INT, b DOUBLE, name STRING, c BOOLEAN, s STRUCT<f: INT>, l ARRAY<INT>"),)
TO_ROW = "UNBOUNDED PRECEDING AND CURRENT ROW"
# An expression, and what Spark 4.3 calls it.
NAMES = (
    ("a + 1", "(a + 1)"), ("t.a * 2 - 1", "((a * 2) - 1)"), ("s.f", "f"), ("s.f % 2", "(s.f % 2)"),
    ("((a + 1))", "(a + 1)"),
    ("mod(a, 4)", "mod(a, 4)"), ("a DIV 2", "(a div 2)"), ("-a", "(- a)"), ("-1", "-1"), ("1L", "1"), ("1.5e0", "1.5"),
    ("'x'", "x"), ("NULL IS NULL", "(NULL IS NULL)"), ("a <> 1", "(NOT (a = 1))"), ("NOT c", "(NOT c)"),
    ("c AND a > 0 OR c", "((c AND (a > 0)) OR c)"), ("a IS NOT NULL", "(a IS NOT NULL)"), ("a <=> 1", "(a <=> 1)"),
    ("a IN (1, 2)", "(a IN (1, 2))"), ("a NOT IN (1)", "(NOT (a IN (1)))"), ("a BETWEEN 1 AND 2", "between(a, 1, 2)"),
    ("name LIKE 'a%'", "name LIKE a%"), ("name NOT LIKE 'a%'", "(NOT name LIKE a%)"),
    ("name RLIKE 'a'", "RLIKE(name, a)"),
    ("CAST(a AS STRING)", "a"), ("upper(CAST(a AS STRING))", "upper(CAST(a AS STRING))"),
    ("CASE WHEN a > 1 THEN 'x' ELSE 'y' END", "CASE WHEN (a > 1) THEN x ELSE y END"),
    ("CASE a WHEN 1 THEN 2 END", "CASE WHEN (a = 1) THEN 2 END"), ("if(c, 1, 2)", "(IF(c, 1, 2))"),
    ("name || 'b' || 'c'", "concat(concat(name, b), c)"), ("UPPER(name)", "upper(name)"), ("nvl(a, 2)", "nvl(a, 2)"),
    ("pow(b, 3)", "pow(b, 3)"), ("power(b, 3)", "POWER(b, 3)"), ("substr(name, 2)", "substr(name, 2, 2147483647)"),
    ("trim(name)", "trim(name)"), ("l[0]", "l[0]"), ("round(b)", "round(b, 0)"),
    ("CAST(NULL AS INT)", "CAST(NULL AS INT)"), ("NULL::STRING", "CAST(NULL AS STRING)"), ("1e10", "1.0E10"),
    ("DATE '2024-01-05'", "DATE '2024-01-05'"), ("TIMESTAMP '2024-01-05'", "TIMESTAMP '2024-01-05 00:00:00'"),
    ("c IS NOT TRUE", "(NOT (c <=> true))"), ("isnull(a)", "(a IS NULL)"),
    ("name NOT ILIKE 'a'", "(NOT ilike(name, a))"),
    ("a & 1 | 2", "((a & 1) | 2)"), ("a >>> 1", "(a >>> 1)"), ("X'1c7'", "X'01C7'"),
    ("name ILIKE 'a!%' ESCAPE '!'", "ilike(name, a!%)"), ("~a", "~a"), ("log(a)", "LOG(E(), a)"),
    ("trim('x' FROM name)", "TRIM(BOTH x FROM name)"), ("ltrim('x', name)", "TRIM(LEADING x FROM name)"),
    ("trim(TRAILING FROM name)", "rtrim(name)"), ("rpad(name, 2)", "rpad(name, 2,  )"),
    ("position('x' IN name)", "locate(x, name, 1)"), ("overlay(name PLACING 'x' FROM 1)", "overlay(name, x, 1, -1)"),
    ("extract(day FROM DATE '2024-01-05')", "extract(day FROM DATE '2024-01-05')"),
    ("name LIKE 'a!%' ESCAPE '!'", "name LIKE a!% ESCAPE '!'"),
    ("from_unixtime(a)", "from_unixtime(a, yyyy-MM-dd HH:mm:ss)"),
    ("transform(l, v -> v + a)", "transform(l, lambdafunction((namedlambdavariable() + a), namedlambdavariable()))"),
    ("EXISTS (SELECT 1 FROM t AS u)", "exists()"), ("a NOT IN (SELECT a FROM t AS u)", "(NOT (a IN (listquery())))"),
    ("row_number() OVER (PARTITION BY name ORDER BY a)",
     f"row_number() OVER (PARTITION BY name ORDER BY a ASC NULLS FIRST ROWS BETWEEN {TO_ROW})"),
    ("DENSE_RANK() OVER (ORDER BY a DESC)", f"DENSE_RANK() OVER (ORDER BY a DESC NULLS LAST ROWS BETWEEN {TO_ROW})"),
    ("cume_dist() OVER (ORDER BY a)", f"cume_dist() OVER (ORDER BY a ASC NULLS FIRST RANGE BETWEEN {TO_ROW})"),
    ("sum(a) OVER (PARTITION BY t.name)",
     "sum(a) OVER (PARTITION BY name ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"),
    ("b - lag(b, 2) OVER (ORDER BY a)",
     "(b - lag(b, 2, NULL) OVER (ORDER BY a ASC NULLS FIRST ROWS BETWEEN -2 FOLLOWING AND -2 FOLLOWING))"),
    ("lead(a, 1, 0) OVER (ORDER BY a)",
     "lead(a, 1, 0) OVER (ORDER BY a ASC NULLS FIRST ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING)"),
    ("last_value(a) OVER (ORDER BY a)", f"last_value(a) OVER (ORDER BY a ASC NULLS FIRST RANGE BETWEEN {TO_ROW})"),
    ("nth_value(a, 2) IGNORE NULLS OVER (ORDER BY a)",
     f"nth_value(a, 2) ignore nulls OVER (ORDER BY a ASC NULLS FIRST RANGE BETWEEN {TO_ROW})"),
    ("ntile(4) OVER (ORDER BY a)", f"ntile(4) OVER (ORDER BY a ASC NULLS FIRST ROWS BETWEEN {TO_ROW})"),
    ("count(*) OVER (ORDER BY a ROWS 2 PRECEDING)",
     "count(1) OVER (ORDER BY a ASC NULLS FIRST ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"),
)  # fmt: skip
OF_GROUPS = (
    ("count(*)", "count(1)"), ("COUNT(1)", "count(1)"), ("sum(b)", "sum(b)"),
    ("count(DISTINCT a)", "count(DISTINCT a)"),
    ("max(a) + 1", "(max(a) + 1)"), ("sum(a) FILTER (WHERE c)", "sum(a) FILTER (WHERE c)"),
    ("count_if(c)", "count_if(c)"), ("first(a) IGNORE NULLS", "first(a)"), ("array_agg(a)", "collect_list(a)"),
    ("listagg(DISTINCT name)", "listagg(DISTINCT name, NULL)"), ("percentile(b, 0.5)", "percentile(b, 0.5, 1)"),
    ("listagg(name, ';') WITHIN GROUP (ORDER BY a)", "listagg(name, ;) WITHIN GROUP (ORDER BY a ASC NULLS FIRST)"),
    ("percentile_cont(0.5) WITHIN GROUP (ORDER BY b DESC)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY b DESC)"),
    ("mode() WITHIN GROUP (ORDER BY a)", "mode() WITHIN GROUP (ORDER BY a DESC)"),
)  # fmt: skip


def _columns(text: str) -> list[str]:
    type = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o").outputs[0].value.type
    assert isinstance(type, lsqlc.types.data.Struct)
    return [field.name for field in type.fields]


@pytest.mark.parametrize(("expression", "name"), [*NAMES, *OF_GROUPS], ids=[e for e, _ in (*NAMES, *OF_GROUPS)])
def test_a_column_has_the_name_of_spark(expression: str, name: str) -> None:
    """Of one topic, whose name is no part of it."""
    assert _columns(f"SELECT {expression} FROM t") == [name]


def test_a_name_is_read_in_backticks() -> None:
    """By a query around it; two columns of one name are refused."""
    assert _columns("SELECT `count(1)` AS n FROM (SELECT COUNT(*) FROM t) AS q") == ["n"]
    with pytest.raises(lsqlc.CompileError, match=r"LSQ305.*two columns are named 'count"):
        _columns("SELECT COUNT(*), COUNT(1) FROM t")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT t.a, t.b, o.* FROM t JOIN t AS o ON t.a = o.a", ["a", "b", "o_a", "o_b", "name", "c", "s", "l"]),
        ("SELECT o.a, t.A FROM t JOIN t AS o ON t.a = o.a", ["a", "t_A"]),
        ("SELECT t.name, o.* EXCEPT (b, c, s, l) FROM t JOIN t AS o USING (a)", ["name", "a", "o_name"]),
        ("SELECT t.name, o.name, p.name FROM t JOIN t o ON t.a = o.a JOIN t p ON t.a = p.a",
         ["name", "o_name", "p_name"]),
        ("SELECT t.a, o.name AS a_1 FROM t JOIN t AS o ON t.a = o.a", ["a", "a_1"]),
    ],
)  # fmt: skip
def test_a_repeated_name_has_its_source_in_front(text: str, names: list[str]) -> None:
    assert _columns(text) == names


def test_a_repeated_name_is_a_finding() -> None:
    program = DIALECT.parse("SELECT t.a, o.* EXCEPT (b, c, s, l) FROM t JOIN t AS o ON t.a = o.a", "m.sql").program
    assert program is not None
    topics = {topic.name: topic for topic in lsqlc.compile("SELECT a FROM t", dialect="sql", topics=TOPICS).inputs}
    (found,) = DIALECT.bind(program, topics, name="o", materialized=Materialized()).diagnostics
    assert (found.code, found.severity.value) == ("LSQ396", "warning")
    assert found.message == "two columns are named 'a': that of 'o' becomes 'o_a'"
    assert found.help == "leave one out, b.* EXCEPT (a), or join by USING (a)"


def test_a_name_that_is_not_known_is_asked_for() -> None:
    """And one that a format cannot hold."""
    with pytest.raises(lsqlc.CompileError, match=r"mask\(name\) AS column_2"):
        _columns("SELECT a, mask(name) FROM t")
    avro = Topic("v", key="INT", value={"format": "avro", "schema": "a INT"})
    with pytest.raises(
        lsqlc.CompileError, match=r"LSQ308.*not a valid name in AVRO(.|\n)*give the projection an alias"
    ):
        lsqlc.compile("SELECT a + 1 FROM v", dialect="sql", topics=(avro,))


def _name(call: str) -> str | None:
    text = f"SELECT {call} FROM t"
    tokens = plain_tokens(text)
    statement = read_statement(SourceText("t", text), tokens)
    reader = Queries(SourceText("t", text), Places(statement, tokens))
    assert isinstance(statement, exp.Select)
    name = spark_name(statement.expressions[0], reader, reader._word, reader.definition)
    return None if name is None else "".join(p if isinstance(p, str) else p[-1] for p in name)


@pytest.mark.spark
def test_spark_gives_the_same_names(spark: SparkSession) -> None:
    """To every call that has one here, but where it follows from types: those of a literal beside an INT, of times
    that are added, and of padded bytes.
    """
    from pyspark.errors import PySparkException

    spark.createDataFrame([], COLUMNS).createOrReplaceTempView("t")
    other = {}
    for call, *_ in CALLS:
        try:
            name = _name(call)
            real = spark.sql(f"SELECT {call} FROM t").columns[0] if name is not None else None
        except (SyntaxFault, PySparkException):
            continue
        if name != real:
            other[call] = (name, real)
    assert set(other) == {
        "i > 2.5", "dt + 1", "dt - i", "1 + dt", "ts - (ts - '2023-11-01')", "ts + (ts - dt)", "lpad(unhex('aabb'), 5)",
    }  # fmt: skip
