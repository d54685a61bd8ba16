"""What Spark answers: the tables of a file, made by its statements, and the rows of its queries.

Answers are kept in a file, so that a model is compared again without Spark.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp

from tests.standard_sql.public.material import Query, Sources, tables_of

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.types import StructType

_CREATE = re.compile(r"CREATE\s+(?:OR\s+REPLACE\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.`]+)\s*\(", re.I)
_VIEW = re.compile(
    r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:GLOBAL\s+)?(?:TEMP(?:ORARY)?\s+)?VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.`]+)", re.I
)
_INSERT = re.compile(r"INSERT\s+(?:INTO|OVERWRITE)\s+(?:TABLE\s+)?([\w.`]+)\s*", re.I)
_TOO_MANY_ROWS = 2000


@dataclass(slots=True)
class Table:
    """A table. `columns`: names with their types in Spark's words."""

    columns: tuple[tuple[str, str], ...]
    rows: list[tuple[Any, ...]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Answer:
    """A query, the tables that it reads by name, and Spark's rows; `error`: why there are none."""

    query: Query
    tables: dict[str, Table]
    rows: tuple[tuple[Any, ...], ...]
    error: str | None


def judged(queries: Sequence[Query], sources: Sources, spark: SparkSession) -> Iterator[Answer]:
    """Yield Spark's answer to each query, file by file."""
    by_file: dict[tuple[str, str], list[Query]] = {}
    for query in queries:
        by_file.setdefault((query.suite, query.file), []).append(query)
    for (suite, file), of_file in by_file.items():
        statements = sources.statements(suite, file)
        if statements is None:
            continue
        tables = _tables(statements, spark) | {"one_row": Table((("_1", "int"),), [(1,)])}
        _show(tables, spark)
        for query in of_file:
            yield _answer(query, tables, spark)
        for name in tables:
            spark.catalog.dropTempView(name)


def write(answers: Sequence[Answer], path: Path) -> None:
    """Keep answers in a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(answers))


def read(path: Path) -> list[Answer]:
    """Return the answers that `write` kept."""
    answers: list[Answer] = pickle.loads(path.read_bytes())
    return answers


def _answer(query: Query, tables: dict[str, Table], spark: SparkSession) -> Answer:
    names = tables_of(query.text)
    used = {name: table for name, table in tables.items() if name in names}
    try:
        frame = spark.sql(query.text)
        rows = _as_texts(frame).limit(_TOO_MANY_ROWS + 1).collect()
        if len(rows) > _TOO_MANY_ROWS:
            return Answer(query, used, (), "too many rows")
        return Answer(query, used, tuple(tuple(map(plain, row)) for row in rows), None)
    except Exception as error:  # whatever it is, the query has no answer
        return Answer(query, used, (), f"{type(error).__name__}: {str(error)[:200]}")


def _tables(statements: Sequence[str], spark: SparkSession) -> dict[str, Table]:
    """Return the tables that the statements make, as they are after the last one; what Spark refuses is left out."""
    tables: dict[str, Table] = {}
    for text in statements:
        try:
            _run(text, tables, spark)
        except Exception:  # a statement of another system's dialect
            continue
    return tables


def _run(text: str, tables: dict[str, Table], spark: SparkSession) -> None:
    head = re.sub(r"^(\s*--[^\n]*\n)+", "", text).strip()
    if match := _CREATE.match(head):
        tables[_name(match)] = Table(_columns(head[match.end() - 1 :], spark))
    elif match := _VIEW.match(head):
        spark.sql(_VIEW.sub(lambda m: f"CREATE OR REPLACE TEMP VIEW {m[1]}", head, count=1))
        tables[_name(match)] = _contents(spark.table(match[1]))
    elif match := _INSERT.match(head):
        table = tables[_name(match)]
        listed = re.match(r"\(([\w\s,`]+)\)\s*(?=VALUES|SELECT)", head[match.end() :], re.I)
        rest = head[match.end() + (listed.end() if listed else 0) :]
        names = [each.strip(" `\n").lower() for each in listed[1].split(",")] if listed else None
        frame = spark.sql(rest if not rest.upper().startswith("VALUES") else f"SELECT * FROM ({rest})")
        given = names or [name.lower() for name, _ in table.columns]
        frame = frame.toDF(*given)
        casts = [
            f"CAST({f'`{name.lower()}`' if name.lower() in given else 'NULL'} AS {kind}) AS `{name}`"
            for name, kind in table.columns
        ]
        table.rows += [tuple(map(plain, row)) for row in frame.selectExpr(*casts).collect()]
        _show({_name(match): table}, spark)


def _name(match: re.Match[str]) -> str:
    return match[1].replace("`", "").rpartition(".")[2].lower()


def _columns(listed: str, spark: SparkSession) -> tuple[tuple[str, str], ...]:
    """Return the columns of a list in parentheses, without constraints."""
    tree = sqlglot.parse_one(f"CREATE TABLE t {listed}", read="spark")
    kinds = [(each.name, each.args["kind"].sql("spark")) for each in tree.find_all(exp.ColumnDef) if each.depth == 2]
    kinds = [(name, "STRING" if kind.startswith(("VARCHAR", "CHAR")) else kind) for name, kind in kinds]
    schema = spark.sql("SELECT " + ", ".join(f"CAST(NULL AS {kind}) AS `{name}`" for name, kind in kinds)).schema
    return _types(schema)


def _types(schema: StructType) -> tuple[tuple[str, str], ...]:
    return tuple((each.name, each.dataType.simpleString()) for each in schema.fields)


def _contents(frame: Any) -> Table:
    rows = _as_texts(frame).limit(_TOO_MANY_ROWS).collect()
    return Table(_types(frame.schema), [tuple(map(plain, row)) for row in rows])


def _as_texts(frame: Any) -> Any:
    """Return a frame with the texts of its intervals, which the client cannot read."""
    kinds = [kind for _, kind in _types(frame.schema)]
    if not any(map(_is_interval, kinds)):
        return frame
    casts = [f"CAST(c{i} AS STRING) AS c{i}" if _is_interval(kind) else f"c{i}" for i, kind in enumerate(kinds)]
    return frame.toDF(*(f"c{i}" for i in range(len(kinds)))).selectExpr(*casts)


def _is_interval(kind: str) -> bool:
    return kind.startswith("interval ")


def _show(tables: dict[str, Table], spark: SparkSession) -> None:
    """Make the tables views of the session."""
    for name, table in tables.items():
        stored = ((column, "string" if _is_interval(kind) else kind) for column, kind in table.columns)
        schema = ", ".join(f"`{column}` {kind}" for column, kind in stored)
        casts = [
            f"CAST(`{column}` AS {kind}) AS `{column}`" if _is_interval(kind) else f"`{column}`"
            for column, kind in table.columns
        ]
        try:
            spark.createDataFrame(table.rows, schema).selectExpr(*casts).createOrReplaceTempView(name)
        except Exception:  # a type that no client can send
            continue


def plain(value: Any) -> Any:
    """Return a value of a row without Spark's classes: a struct is a dict."""
    if hasattr(value, "asDict"):
        return {name: plain(each) for name, each in value.asDict().items()}
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, dict):
        return {plain(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value
