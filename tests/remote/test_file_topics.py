"""Folders of files on Spark: what comes out is what DuckDB computes over the same files, as they come and change."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from lsqlc.bind.lenses.program import compile_program
from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.folders.segments import stamp
from lsqlc.diagnostics import Span
from lsqlc.lower.duckdb import Session
from lsqlc.lower.duckdb.infer import infer
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import View
from lsqlc.plan import Plan
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.project.declared.lock import Lock
from lsqlc.remote.cases.cases import SETTINGS
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.queries import Query, QueryOptions, start_in_memory
from lsqlc.syntax.lenses.parser import parse
from lsqlc.types import codec
from lsqlc.types.data import Struct
from lsqlc.types.files import Files
from lsqlc.types.record import ABSENT, Record, Topic
from tests.lower_duckdb.test_files import write

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPICS = """
topics:
  - {name: rows, connector: files, files: {path: rows, format: csv, defaults: {n: 7}}, value: "a INT, b STRING, n INT"}
  - {name: lines, connector: files, files: {path: lines, format: json}, value: "a INT, b STRING"}
  - {name: cells, connector: files, files: {path: cells, format: csv, header: false}}
  - {name: parts, connector: files, files: {path: parts, format: parquet}, value: "a INT, s STRUCT<p: INT, q: STRING>"}
  - {name: nested, connector: files, files: {path: nested, format: json},
     value: "a INT, b STRING, s STRUCT<p: INT, q: STRING>"}
  - {name: prices, key: item, connector: files, files: {path: prices, format: csv, order_by: day},
     value: "item STRING, day DATE, price DOUBLE"}
  - {name: orders, key: STRING, value: "item STRING"}
"""
# Columns of the path: under declared names, in the wildcard, beside cells without a header, and deeper than nine.
PATHS = """
topics:
  - {name: bare, connector: files, value: "a INT, filename STRING, b INT",
     files: {path: bare, format: csv, header: false, partitions_in_wildcard: 2}}
  - {name: rows, connector: files, value: "year STRING, a INT, file STRING NOT NULL",
     files: {path: rows, format: csv, partitions_in_wildcard: 11, path_columns: {year: dir0, file: FileName}}}
  - {name: lines, connector: files, value: "year STRING, a INT, s STRUCT<p: INT, q: STRING>",
     files: {path: lines, format: json, partitions_in_wildcard: 1, path_columns: {year: dir10}}}
  - {name: parts, connector: files, value: "a INT, at STRING NOT NULL",
     files: {path: parts, format: parquet, partitions_in_wildcard: 1, path_columns: {at: fqn}}}
"""
OF_PATHS = """
INSERT INTO bare_all SELECT STREAM * FROM bare;
INSERT INTO bare_path SELECT STREAM b, filename, a, dir1, dir0 FROM bare WHERE dir0 IS NOT NULL;
INSERT INTO rows_all SELECT STREAM *, dir10 FROM rows;
INSERT INTO rows_value SELECT STREAM _value AS v, dir9, DIR10 FROM rows WHERE year = 'y 0';
INSERT INTO rows_count SELECT STREAM COUNT(*) AS n FROM rows GROUP BY year;
INSERT INTO lines_all SELECT STREAM *, dir0, suffix FROM lines;
INSERT INTO lines_count SELECT STREAM COUNT(*) AS n FROM lines GROUP BY dir0;
INSERT INTO lines_members SELECT STREAM s.q AS q, s AS s, year FROM lines WHERE year IS NULL OR year = 'ten';
INSERT INTO parts_all SELECT STREAM filename, *, dir0 FROM parts;
INSERT INTO parts_value SELECT STREAM _value FROM parts;
INSERT INTO parts_path SELECT STREAM at, dir7 FROM parts;
"""
_NUMBERS = count()
PROGRAM = """
SET error.policy = 'dlq';
SET dead.letter.queue = 'bad';
INSERT INTO of_rows SELECT STREAM *, filename, dir0 FROM rows;
INSERT INTO counted SELECT STREAM COUNT(*) AS n FROM rows GROUP BY suffix;
INSERT INTO of_lines SELECT STREAM * FROM lines;
INSERT INTO of_cells SELECT STREAM columns[1] AS c, fqn FROM cells;
INSERT INTO of_parts SELECT STREAM * FROM parts WHERE filename <> '0.parquet';
INSERT INTO last_prices SELECT TABLE price FROM prices;
"""
JOIN = """
WITH p AS (SELECT TABLE * FROM prices);
INSERT INTO dear SELECT STREAM o.item AS item, p.price AS price FROM orders AS o LEFT JOIN p ON o.item = p._key;
"""


def plan_of(program: str, topics: str = TOPICS, columns: Mapping[str, Struct] | None = None) -> Plan:
    """`columns`: those of files whose schema nobody declares, by topic."""
    found = read_declarations(topics, "t.yml", Defaults(), lock=Lock(columns or {}))
    assert not found.diagnostics, found.diagnostics
    parsed = parse(program, "<text>")
    assert parsed.program is not None, parsed.diagnostics
    compiled = compile_program(parsed.program, {d.topic.name: d.topic for d in found.topics}, name="m")
    assert compiled.plan is not None, compiled.diagnostics
    return compiled.plan


def on_spark(spark: SparkSession, plan: Plan, root: Path) -> dict[str, list[str]]:
    """What each topic gets of all files, file by file: key, value and a STREAM's timestamp as text, sorted."""
    found: dict[str, list[str]] = {}
    for number, stage in enumerate(lower(plan).stages):
        name = f"files_{root.name}_{number}_{next(_NUMBERS)}"
        settings = (*SETTINGS, *stage.settings)
        transport = FileTransport(root / "topics", root)
        options = QueryOptions(segments_per_batch=1)
        query = start_in_memory(spark, Query("m", stage, transport, options), name, settings)
        query.awaitTermination()
        lines = sorted((json.loads(row[0]) for row in spark.table(name).collect()), key=lambda line: line["ordinal"])
        table = plan.semantics[stage.write.topic] == "TABLE"
        rows = {str(line["key"]): line for line in lines}.values() if table else lines
        found[stage.write.topic] = sorted(told(r["key"], r["value"], 0 if table else r["timestamp"]) for r in rows)
    return found


def on_duckdb(plan: Plan, root: Path) -> dict[str, list[str]]:
    """The same, from DuckDB."""
    outcome = Session().evaluate_logs(plan, {}, root=root)
    found = {}
    for topic in plan.outputs:
        table = plan.semantics[topic.name] == "TABLE"
        rows = outcome.topics[topic.name]
        found[topic.name] = sorted(
            told(
                json.loads(codec.encode_text(topic.key.type, r.key)),
                json.loads(codec.encode_text(topic.value.type, r.value)),
                0 if table else r.timestamp,
            )
            for r in rows
        )
    return found


def told(key: object, value: object, time: int) -> str:
    return json.dumps([key, value, time], sort_keys=True)


def parquet(path: Path, select: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"COPY ({select}) TO '{path}'")


def test_both_engines_read_the_same_of_files(spark: SparkSession, tmp_path: Path) -> None:
    """Batch by batch as files arrive, and with columns added, removed, reordered and changed in case, and rows and
    cells that cannot be read.
    """
    plan = plan_of(PROGRAM)
    first = {
        "rows/2012/1 +é.csv": 'a,b,n\n1,"x ""y""\nz",1\n2,"",\nno,bad,3\n4,too,many,5\n',
        "lines/1.json": '{"a":1,"b":"x"}\n{"A":2,"c":3}\nnope\n{"a":"x"}\n'
        '{"B":2.5,"x":1e400}\n{"b":1.50}\n{"b":-0}\n{"A":3,"c":1,"c":2}\n',
        "cells/1.txt": '1,"a ""b""",\n"",x\n"a"b,c\n',
        "prices/1.csv": "item,day,price\nnut,2013-01-02,2.0\nnut,2013-01-01,1.0\nrod,2013-01-01,9.5\n",
    }
    write(tmp_path, first)
    parquet(tmp_path / "parts/0.parquet", "SELECT 0 AS a, {'p': 1, 'q': 'x'} AS s")
    parquet(tmp_path / "parts/1.parquet", "SELECT 1::INT AS a, {'p': 1::INT, 'q': 'x'} AS s, 5 AS more")
    found = on_duckdb(plan, tmp_path)
    assert len(found["of_rows"]) == 2 and len(found["bad"]) == 6
    assert on_spark(spark, plan, tmp_path) == found
    second = {"rows/2.csv": "extra,B,A\n0,b,6\n1,c,7,8\n", "rows/3.csv": "b\nalone\n", "lines/2.json": '{"b":"y"}\n'}
    write(tmp_path, second, first=2_000_000)
    parquet(tmp_path / "parts/2.parquet", "SELECT {'q': 'y', 'p': 2::INT} AS S, 2::INT AS A")
    found = on_duckdb(plan, tmp_path)
    assert len(found["of_rows"]) == 4 and len(found["bad"]) == 7
    assert on_spark(spark, plan, tmp_path) == found


def test_both_engines_read_the_same_of_paths(spark: SparkSession, tmp_path: Path) -> None:
    """Folders by their level, declared names for them, and whole values without them; files come, and lie less deep."""
    plan = plan_of(OF_PATHS, PATHS)
    deep = "/".join(f"f{level}" for level in range(1, 10))
    write(tmp_path, {
        f"rows/y 0/{deep}/ten/1.csv": "year,a\nno,1\n",
        "rows/2.csv": "a\n2\n",
        "bare/x/1.csv": "1,x,3\n4,y,6\n",
        f"lines/y0/{deep}/ten/1.json": '{"a":1,"year":[1],"s":{"p":1,"q":"x"}}\n',
    })  # fmt: skip
    parquet(tmp_path / "parts/p/q/1.parquet", "SELECT 1::INT AS a, 7 AS at")
    found = on_duckdb(plan, tmp_path)
    (first,) = (json.loads(row)[1] for row in found["rows_all"] if "ten" in row)
    levels = {f"dir{level}": f"f{level}" for level in range(1, 10)}
    assert first == {"year": "y 0", "a": 1, "file": "1.csv", "dir10": "ten", **levels}
    assert [json.loads(row)[1] for row in found["parts_path"]] == [{"at": "p/q/1.parquet", "dir7": None}]
    assert on_spark(spark, plan, tmp_path) == found
    write(
        tmp_path,
        {"bare/2.csv": "7,z,8\n", "lines/2.json": '{"A":3}\n', "rows/y 0/3.csv": "b,A\n9,3\n"},
        first=2_000_000,
    )
    parquet(tmp_path / "parts/2.parquet", "SELECT 2::INT AS a")
    found = on_duckdb(plan, tmp_path)
    assert [len(found[name]) for name in ("bare_all", "bare_path", "rows_value", "lines_members")] == [3, 2, 2, 2]
    assert on_spark(spark, plan, tmp_path) == found


def test_both_engines_keep_what_a_file_taught(spark: SparkSession, tmp_path: Path) -> None:
    """Without a declared schema: what the first files have holds for those that have less or more."""
    parquet(tmp_path / "learned/1.parquet", "SELECT 1::INT AS a, {'p': 1::INT} AS s")
    parquet(tmp_path / "learned/2.parquet", "SELECT 'x' AS b, {'q': 'y'} AS S")
    topics = "topics:\n  - {name: learned, connector: files, files: {path: learned, format: parquet}}\n"
    files = Files("learned", "parquet", declared=False)
    learned = infer(Topic("learned", ABSENT, ABSENT, files=files), tmp_path, Span("t.yml", 1, 1, 1, 1))
    assert learned is not None and not learned.conflicts
    program = "SET error.policy = 'continue'; SELECT STREAM *, filename FROM learned"
    plan = plan_of(program, topics, {"learned": learned.columns})
    found = on_duckdb(plan, tmp_path)
    assert [json.loads(row)[1] for row in found["m"]] == [
        {"a": 1, "b": None, "s": {"p": 1, "q": None}, "filename": "1.parquet"},
        {"a": None, "b": "x", "s": {"p": None, "q": "y"}, "filename": "2.parquet"},
    ]
    assert on_spark(spark, plan, tmp_path) == found
    parquet(tmp_path / "learned/3.parquet", "SELECT 3::INT AS A, 5 AS more, 'y' AS b")
    found = on_duckdb(plan, tmp_path)
    assert [json.loads(row)[1]["a"] for row in found["m"]] == [1, 3, None]
    assert on_spark(spark, plan, tmp_path) == found


def test_a_table_of_files_joins_a_topic(spark: SparkSession, tmp_path: Path) -> None:
    """Its records are there before those of the topic: a stage of its own hands them to the join, first of all."""
    plan, log = plan_of(JOIN), FileLog(tmp_path / "topics")
    write(tmp_path, {"prices/1.csv": "item,day,price\nnut,2013-01-02,2.0\nnut,2013-01-01,1.0\nrod,2013-01-01,9.5\n"})
    (orders,) = (t for t in plan.inputs if t.name == "orders")
    log.append(orders, [Record("orders", str(n), {"item": i}, n) for n, i in enumerate(("nut", "rod", "axe"))])
    lines: list[str] = []
    for stage in lower(plan).stages:
        name = f"joined_{next(_NUMBERS)}"
        settings, options = (*SETTINGS, *stage.settings), QueryOptions()
        transport = FileTransport(log.root, tmp_path)
        query = start_in_memory(spark, Query("m", stage, transport, options), name, settings)
        query.awaitTermination()
        lines = [row[0] for row in spark.table(name).collect()]
        segment = log.data_dir(stage.write.topic) / "g-000000000000.jsonl"
        segment.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        stamp(segment, max(json.loads(line)["ordinal"][0] for line in lines))
    outcome = Session().evaluate_logs(plan, {"orders": log.segments("orders")}, root=tmp_path)
    expected = {r.value["item"]: r.value["price"] for r in outcome.topics["dear"]}
    assert expected == {"nut": 2.0, "rod": 9.5, "axe": None}
    found = [json.loads(line)["value"] for line in lines]
    assert (len(found), {v["item"]: v["price"] for v in found}) == (3, expected)


@pytest.mark.parametrize(
    ("program", "read"),
    [
        ("SELECT STREAM a FROM parts", "a:int"),
        ("SELECT STREAM s.q AS q FROM parts WHERE a > 0", "a:int,s:struct<q:string>"),
        ("SELECT STREAM COUNT(*) AS n FROM parts GROUP BY suffix", ""),
        ("SELECT STREAM b FROM rows", "b:string,_lsqlc_row:string"),
        ("SELECT STREAM COUNT(*) AS n FROM rows GROUP BY suffix", "a:string,_lsqlc_row:string"),
        ("SELECT STREAM a FROM lines", "value:string"),
        ("SELECT STREAM item FROM orders", "value:string"),
    ],
)
def test_spark_reads_what_is_asked_for(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], program: str, read: str
) -> None:
    """`ReadSchema` of its physical plan has these columns and members and no other of the files; of CSV the row too, to
    tell its width, and a column, without which Spark gives no row. Lines of JSON and of topics are read whole, and
    parsed for the members that are asked for.
    """
    plan = plan_of(program)
    write(tmp_path, {"rows/1.csv": "a,b,n\n1,x,2\n", "lines/1.json": '{"a":1}\n'})
    parquet(tmp_path / "parts/1.parquet", "SELECT 1::INT AS a, {'p': 1::INT, 'q': 'x'} AS s")
    log = FileLog(tmp_path / "topics")
    for orders in (topic for topic in plan.inputs if topic.files is None):
        log.append(orders, [Record("orders", "k", {"item": "x"}, 0)])
    (stage,) = lower(plan).stages
    name, settings = f"asked_{next(_NUMBERS)}", (*SETTINGS, *stage.settings)
    transport, options = FileTransport(log.root, tmp_path), QueryOptions()
    query = start_in_memory(spark, Query("m", stage, transport, options), name, settings)
    query.awaitTermination()
    query.explain()
    found = re.search(r"ReadSchema: struct<(.*)>\n", capsys.readouterr().out)
    assert found and found[1] == read
    parsed = [step.sql for step in stage.steps if isinstance(step, View) and "from_json" in step.sql]
    assert all("`b`" not in sql for sql in parsed)
