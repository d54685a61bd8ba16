"""Folders of files on Spark: what comes out is what DuckDB computes over the same files, as they come and change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from lsqlc.lower.duckdb import Session
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import FileSource, View
from lsqlc.plan import Plan, compile_program
from lsqlc.project.config import Defaults
from lsqlc.project.declarations import read_declarations
from lsqlc.remote.file_stream import file_stream
from lsqlc.remote.graph import Job
from lsqlc.remote.outcomes import final_rows
from lsqlc.remote.queries import held
from lsqlc.remote.runner import RunOptions, run
from lsqlc.remote.server import EmbeddedServer
from lsqlc.remote.session import parse_address
from lsqlc.remote.transport import FileTransport
from lsqlc.syntax.lenses import parse
from lsqlc.topics.log import FileLog
from lsqlc.types.record import Record
from tests.lower_duckdb.test_files import write

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPICS = """
topics:
  - {name: rows, connector: files, files: {path: rows, format: csv, defaults: {n: 7}}, value: "a INT, b STRING, n INT"}
  - {name: lines, connector: files, files: {path: lines, format: json}, value: "a INT, b STRING"}
  - {name: cells, connector: files, files: {path: cells, format: csv, header: false}}
  - {name: parts, connector: files, files: {path: parts, format: parquet}, value: "a INT, s STRUCT<p: INT, q: STRING>"}
  - {name: prices, key: item, connector: files, files: {path: prices, format: csv, order_by: day},
     value: "item STRING, day DATE, price DOUBLE"}
  - {name: orders, key: STRING, value: "item STRING"}
"""
PROGRAM = """
SET error.policy = 'dlq';
SET dead.letter.queue = 'bad';
WITH p AS (SELECT TABLE * FROM prices);
INSERT INTO of_rows SELECT STREAM *, filename, dir0 FROM rows;
INSERT INTO counted SELECT STREAM COUNT(*) AS n FROM rows GROUP BY suffix;
INSERT INTO of_lines SELECT STREAM * FROM lines;
INSERT INTO of_cells SELECT STREAM columns[1] AS c, fqn FROM cells;
INSERT INTO of_parts SELECT STREAM * FROM parts WHERE filename <> '0.parquet';
INSERT INTO dear SELECT STREAM o.item AS item, p.price AS price FROM orders AS o LEFT JOIN p ON o.item = p._key;
"""


def the_plan() -> Plan:
    found = read_declarations(TOPICS, "t.yml", Defaults())
    assert not found.diagnostics, found.diagnostics
    parsed = parse(PROGRAM, "<text>")
    assert parsed.program is not None, parsed.diagnostics
    compiled = compile_program(parsed.program, {d.topic.name: d.topic for d in found.topics}, name="m")
    assert compiled.plan is not None, compiled.diagnostics
    return compiled.plan


def differences(plan: Plan, log: FileLog, root: Path) -> dict[str, tuple[list[str], list[str]]]:
    """What one engine has and the other lacks, by topic."""
    segments = {t.name: log.segments(t.name) for t in plan.inputs if t.files is None}
    outcome = Session().evaluate_logs(plan, segments, root=root)
    found = {}
    for topic in plan.outputs:
        table = plan.semantics[topic.name] == "TABLE"
        read = final_rows(topic, log.read(topic)) if table else log.read(topic)
        there = sorted(f"{r.key} {r.value} {0 if table else r.timestamp}" for r in read)
        here = sorted(f"{r.key} {r.value} {0 if table else r.timestamp}" for r in outcome.topics[topic.name])
        if here != there:
            found[topic.name] = ([x for x in here if x not in there], [x for x in there if x not in here])
    return found


def parquet(path: Path, select: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"COPY ({select}) TO '{path}'")


@pytest.mark.slow
def test_both_engines_read_the_same_of_files(spark: SparkSession, spark_server: EmbeddedServer, tmp_path: Path) -> None:
    """Batch by batch as files arrive, with columns added, removed, reordered and changed in case, with rows and cells
    that cannot be read, with a TABLE of files beside a topic; a second run takes the new files alone.
    """
    plan, log = the_plan(), FileLog(tmp_path / "topics")
    first = {
        "rows/2012/1 +é.csv": 'a,b,n\n1,"x ""y""\nz",1\n2,"",\nno,bad,3\n4,too,many,5\n',
        "lines/1.json": '{"a":1,"b":"x"}\n{"A":2,"c":3}\nnope\n{"a":"x"}\n',
        "cells/1.txt": '1,"a ""b""",\n"",x\n"a"b,c\n',
        "prices/1.csv": "item,day,price\nnut,2013-01-02,2.0\nnut,2013-01-01,1.0\nrod,2013-01-01,9.5\n",
    }
    write(tmp_path, first)
    parquet(tmp_path / "parts/0.parquet", "SELECT 0 AS a, {'p': 1, 'q': 'x'} AS s")
    parquet(tmp_path / "parts/1.parquet", "SELECT 1::INT AS a, {'p': 1::INT, 'q': 'x'} AS s, 5 AS more")
    (orders,) = (t for t in plan.inputs if t.name == "orders")
    log.append(orders, [Record("orders", str(n), {"item": i}, n) for n, i in enumerate(("nut", "rod", "axe"))])
    address, checkpoints = parse_address(spark_server.address), tmp_path / "checkpoints"
    jobs = [Job("m", lower(plan))]
    transport = FileTransport(log.root, tmp_path)
    summaries = run(spark, address, jobs, transport, checkpoints, options=RunOptions(at_once=1))
    assert differences(plan, log, tmp_path) == {}
    assert sum(s.counts.get("bad record", 0) for s in summaries) == 5
    second = {
        "rows/2.csv": "extra,B,A\n0,b,6\n1,c,7,8\n",
        "rows/3.csv": "b\nalone\n",
        "lines/2.json": '{"b":"y","a":3}\n',
    }
    write(tmp_path, second, first=2_000_000)
    parquet(tmp_path / "parts/2.parquet", "SELECT {'q': 'y', 'p': 2::INT} AS S, 2::INT AS A")
    again = run(spark, address, jobs, transport, checkpoints, options=RunOptions(at_once=1))
    assert differences(plan, log, tmp_path) == {}
    assert sum(s.counts.get("bad record", 0) for s in again) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("topic", "asked"), [("parts", "a:int"), ("rows", "b:string")])
def test_spark_reads_the_columns_that_are_asked_for(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], topic: str, asked: str
) -> None:
    """`ReadSchema` of its physical plan has them, and no other column of the files."""
    found = read_declarations(TOPICS, "t.yml", Defaults())
    parsed = parse(f"SELECT STREAM {asked.partition(':')[0]} FROM {topic}", "<text>")
    assert parsed.program is not None
    plan = compile_program(parsed.program, {d.topic.name: d.topic for d in found.topics}, name="m").plan
    assert plan is not None
    write(tmp_path, {"rows/1.csv": "a,b,n\n1,x,2\n"})
    parquet(tmp_path / "parts/1.parquet", "SELECT 1::INT AS a, {'p': 1::INT, 'q': 'x'} AS s")
    (stage,) = lower(plan).stages
    (source,) = (step for step in stage.steps if isinstance(step, FileSource))
    (view,) = (step for step in stage.steps if isinstance(step, View))
    read = file_stream(spark, source, tmp_path, files_per_batch=1)
    read.createOrReplaceTempView(source.view)
    with held(spark, stage.settings):
        spark.sql(view.sql).createOrReplaceTempView(view.name)
        query = (
            spark.table(view.name).select("line").writeStream.format("memory").queryName(f"asked_{topic}")
            .trigger(availableNow=True).start()
        )  # fmt: skip
        query.awaitTermination()
    query.explain()
    schema = capsys.readouterr().out.partition("ReadSchema: struct<")[2]
    assert schema.startswith(asked) and schema.partition(">")[0] in (asked, f"{asked},_lsqlc_row:string")
