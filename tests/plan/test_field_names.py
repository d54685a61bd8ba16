# ruff: noqa: E501  tables of programs read better in long rows
"""Names that no struct can hold are refused in the language's own words: empty ones, and those that differ only in case."""

from __future__ import annotations

import pytest

from lsqlc import CompileError, Topic, compile
from lsqlc.diagnostics import Diagnostic
from lsqlc.dialects import DialectName
from lsqlc.types.ddl import DdlError, parse_columns

TOPICS = [Topic("t", key="INT", value="a INT, s STRING, x ARRAY<INT>, y ARRAY<STRING>")]
_WITH = "WITH (kafka_topic='s', value_format='JSON', partitions=1)"
_STREAM = f"CREATE STREAM s (k INT KEY, a INT) {_WITH}; CREATE STREAM o AS SELECT k, {{}} FROM s EMIT CHANGES;"


def errors(text: str, dialect: DialectName = "lenses") -> list[Diagnostic]:
    try:
        compile(text, topics=TOPICS if dialect == "lenses" else (), dialect=dialect)
    except CompileError as error:
        return list(error.diagnostics)
    return []


@pytest.mark.parametrize("function", ["ZIP", "ZIP_ALL"])
@pytest.mark.parametrize(
    ("names", "code", "column"),
    [(("a", "A"), "LSQ305", 2), (("ß", "SS"), "LSQ305", 2), (("", "a"), "LSQ217", 1), (("a", ""), "LSQ217", 2)],
)  # fmt: skip
def test_names_of_zip(function: str, names: tuple[str, str], code: str, column: int) -> None:
    """At the name that cannot stand; its twin compiles."""
    head = f"SELECT STREAM {function}(x, '{names[0]}', y, "
    (error,) = errors(f"{head}'{names[1]}') AS z FROM t")
    assert (error.code, error.column) == (code, len(head) + 1 if column == 2 else head.index("'") + 1)
    assert errors(f"SELECT STREAM {function}(x, 'one', y, 'other') AS z FROM t") == []


@pytest.mark.parametrize(
    "text",
    ["SELECT STREAM a AS `` FROM t", "SELECT STREAM a AS b.`` FROM t", "SELECT STREAM s, a AS _key.`` FROM t", "SELECT STREAM * FROM t LATERAL x AS ``", "SELECT STREAM a FROM t AS ``",
     "SELECT STREAM COUNT(*) AS n FROM t GROUP BY s AS ``", "INSERT INTO `` SELECT STREAM a FROM t", "WITH `` AS (SELECT STREAM a FROM t); SELECT STREAM a FROM t"],
)  # fmt: skip
def test_an_empty_name(text: str) -> None:
    """Wherever a name stands."""
    assert [d.code for d in errors(text)] == ["LSQ118"]
    assert errors(text.replace("``", "`it`")) == []


@pytest.mark.parametrize(
    ("item", "code"),
    [("STRUCT(`a` := 1, `A` := 2) AS s", "LSQ305"), ("STRUCT(a := 1, a := 2) AS s", "LSQ305"), ("a AS `b`, a AS B", "LSQ305"), ("a AS ``", "LSQ118"), ("STRUCT(`` := 1) AS s", "LSQ118"), ('a = "" AS s', "LSQ118"),
     ("CAST(NULL AS STRUCT<`b` INT, B INT>) AS s", "LSQ104"), ("MAP('a' := 1, 'A' := 2) AS m", None), ("STRUCT(`a` := 1, `b` := 2) AS s", None)],
)  # fmt: skip
def test_names_in_ksql(item: str, code: str | None) -> None:
    """Columns and fields; the keys of a MAP are no names."""
    assert [d.code for d in errors(_STREAM.format(item), "ksql")] == ([code] if code else [])


@pytest.mark.parametrize(
    ("columns", "code"),
    [("k INT KEY, a INT, `a` INT", "LSQ305"), ("k INT KEY, a STRUCT<`b` INT, B INT>", "LSQ104"), ("k INT KEY, `` INT", "LSQ118")],
)  # fmt: skip
def test_columns_that_ksql_declares(columns: str, code: str) -> None:
    """A schema is refused where it is declared."""
    assert code in [
        d.code for d in errors(f"CREATE STREAM s ({columns}) {_WITH}; CREATE STREAM o AS SELECT * FROM s;", "ksql")
    ]


@pytest.mark.parametrize("text", ["`` INT", "a STRUCT<``: INT>"])
def test_an_empty_name_in_a_declaration(text: str) -> None:
    """As in a program."""
    with pytest.raises(DdlError, match="at least one character"):
        parse_columns(text)
