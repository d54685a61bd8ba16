"""Three columns of a wide file against all of them: what it saves that a scan asks for what the query uses.

The same sums on DuckDB and on Spark, of files of Parquet and CSV with 500 columns and a million rows. What comes out is
one row, so that what is measured is the reading.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from lsqlc.bind.lenses.program import compile_program
from lsqlc.lower.duckdb import Session
from lsqlc.lower.spark import lower
from lsqlc.plan import Plan
from lsqlc.project.declared.config import Defaults
from lsqlc.project.declared.declarations import read_declarations
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run import queries
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.session.session import connect
from lsqlc.syntax.lenses import parser as lenses
from tools.bench import contest
from tools.bench.report import Row, print_table

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

COLUMNS, ROWS, FILES = 500, 1_000_000, 4
# Of the whole rows Spark reads a part: a million would take it a quarter of an hour.
PART = 10
FORMATS = ("parquet", "csv")


def run(work: Path, quick: bool) -> None:
    columns, rows = (40, 4_000) if quick else (COLUMNS, ROWS)
    root = work / "wide"
    few, all_ = (0, columns // 2, columns - 1), range(columns)
    sizes = {"small": FILES, "part": rows // PART, "data": rows}
    found: dict[tuple[str, str], list[tuple[int, int, float]]] = {}
    for format in FORMATS:
        for name, count in sizes.items():
            write(root / name / format, format, columns, count)
    with EmbeddedServer(work / "wide-server", dict(os.environ), ServerOptions(optimize=True, memory="4g")) as server:
        spark = connect(server.address)
        try:
            for format in FORMATS:
                for asked in (few, all_):
                    place = "part" if asked is all_ else "data"
                    plan = plan_of(f"{place}/{format}", format, columns, asked)
                    # The first query of its kind spends seconds on loading classes.
                    on_spark(spark, plan_of(f"small/{format}", format, columns, asked), root, work)
                    seconds, sums = on_spark(spark, plan, root, work)
                    here, same = on_duckdb(plan, root)
                    if sums != same:
                        raise RuntimeError(f"{format}: Spark and DuckDB differ")
                    found.setdefault(("Spark", format), []).append((len(asked), sizes[place], seconds))
                    if place != "data":
                        here, _ = on_duckdb(plan_of(f"data/{format}", format, columns, asked), root)
                    found.setdefault(("DuckDB", format), []).append((len(asked), rows, here))
        finally:
            spark.stop()
    size = {f: sum(p.stat().st_size for p in (root / "data" / f).iterdir()) / 1e6 for f in FORMATS}
    title = f"wide: {columns} columns, {rows:,} rows, " + ", ".join(f"{f} {n:,.0f} MB" for f, n in size.items())
    print_table(title, list(_rows(found)))


def write(folder: Path, format: str, columns: int, rows: int) -> None:
    """Files of whole numbers below 1,000."""
    folder.mkdir(parents=True)
    made = ", ".join(f"CAST((i * {2 * n + 1} + {n}) % 1000 AS INTEGER) AS c{n}" for n in range(columns))
    for number in range(FILES):
        first = f"range({number * rows // FILES}, {(number + 1) * rows // FILES})"
        duckdb.sql(f"COPY (SELECT {made} FROM {first} AS t(i)) TO '{folder}/{number}.{format}'")


def plan_of(path: str, format: str, columns: int, asked: Sequence[int]) -> Plan:
    value = ", ".join(f"c{n} INT" for n in range(columns))
    text = f"topics: [{{name: wide, connector: files, files: {{path: {path}, format: {format}}}, value: '{value}'}}]"
    topics = {d.topic.name: d.topic for d in read_declarations(text, "wide.yml", Defaults()).topics}
    sums = ", ".join(f"SUM(c{n}) AS s{n}" for n in asked)
    program = lenses.parse(f"SELECT STREAM {sums} FROM wide GROUP BY suffix", "wide.sql").program
    assert program is not None
    plan = compile_program(program, topics, name="out").plan
    assert plan is not None
    return plan


def on_duckdb(plan: Plan, root: Path) -> tuple[float, object]:
    began = time.perf_counter()
    outcome = Session().evaluate_logs(plan, {}, root=root)
    seconds = time.perf_counter() - began
    return seconds, [r.value for r in outcome.topics["out"]]


def on_spark(spark: SparkSession, plan: Plan, root: Path, work: Path) -> tuple[float, object]:
    (stage,) = lower(plan).stages

    def begin(results: FileTransport, checkpoint: Path) -> StreamingQuery:
        publish, options = results.write("out", "run"), QueryOptions(segments_per_batch=FILES)
        reader = FileTransport(work, root)
        return queries.start(spark, queries.Query(plan.name, stage, reader, options), publish, str(checkpoint))

    with contest.place_of_a_run(work) as place:
        seconds = contest.timed(begin, place, plan.name).seconds
        return seconds, list(contest.newest(place).values())


def _rows(found: dict[tuple[str, str], list[tuple[int, int, float]]]) -> Iterator[Row]:
    for (engine, format), ((few, many, fast), (all_, part, slow)) in found.items():
        quick, plain = many / fast, part / slow
        yield Row(f"{engine}, {format}, {few} columns", quick, "rows/s", note=f"{many:,} rows in {fast:.2f} s")
        note = f"{part:,} rows in {slow:.2f} s; {quick / plain:.1f} times as long a row"
        yield Row(f"{engine}, {format}, all {all_}", plain, "rows/s", note=note)
