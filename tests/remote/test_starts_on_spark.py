"""Queries over topics in folders begin at a place: records before it are not read, bad ones neither."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import lsqlc
from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.lower.spark import lower
from lsqlc.project.declared.starts import Start
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.run.start_offsets import OffsetFinder, StartOffsets
from lsqlc.remote.session.session import parse_address
from lsqlc.tasks.starts import common_places
from lsqlc.tasks.verify import verify
from lsqlc.types.record import Record
from tests.shared import SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

ORDERS = lsqlc.Topic("orders", key="INT", value="n INT")
LABELS = lsqlc.Topic("labels", key="INT", value="label STRING")
PROGRAM = """
    SET error.policy = 'continue';
    WITH l AS (SELECT TABLE label FROM labels);
    SELECT STREAM o.n, l.label FROM orders AS o INNER JOIN l ON o._key = l._key
"""


def test_a_query_over_folders_begins_at_its_start(
    spark: SparkSession, spark_server: SharedServer, tmp_path: Path
) -> None:
    """The STREAM from the middle of a segment on, the TABLE whole; a line that cannot be read is counted where it lies
    in a segment with records behind the start. Later runs go on. DuckDB gives the same.
    """
    log = FileLog(tmp_path / "topics")
    plan = lsqlc.compile(PROGRAM, topics=[ORDERS, LABELS], name="out")
    labels, orders = sorted(plan.inputs, key=lambda topic: topic.name)
    log.append(labels, [Record("labels", n, {"label": f"l{n}"}, 5) for n in range(3)])
    log.append(orders, [Record("orders", n % 3, {"n": n}, 100 * n) for n in range(12)], segments_of=4)
    for number in (0, 1):
        segment = log.segments("orders")[number]
        before = segment.stat()
        segment.write_bytes(segment.read_bytes() + b"{broken\n")
        os.utime(segment, ns=(before.st_atime_ns, before.st_mtime_ns))
        sum_path(segment).unlink()
    # A late record: behind the start in order of arrival.
    log.append(orders, [Record("orders", 0, {"n": 77}, 1)])
    transport = FileTransport(tmp_path / "topics")
    lowered = lower(plan)

    def ran(start: Start) -> tuple[list[int], int]:
        beginning = StartOffsets({"orders": start}, OffsetFinder(log.place, 10_000))
        summaries = run(
            RunResources(spark, parse_address(spark_server.address), transport, tmp_path / "checkpoints"),
            [Job("out", lowered)],
            options=RunOptions(starts={"out": beginning}),
        )
        found = list(verify({"out": plan}, {"out": lowered}, log, tmp_path, begun=common_places(summaries)))
        assert found and all(each.ok and each.expected for each in found), found
        (summary,) = summaries
        (topic,) = plan.outputs
        return sorted(record.value["n"] for record in log.read(topic)), sum(summary.counts.values())

    assert ran(Start("at 600", at=600)) == ([6, 7, 8, 9, 10, 11, 77], 1)
    log.append(orders, [Record("orders", 1, {"n": 78}, 2)])
    assert ran(Start("latest")) == ([6, 7, 8, 9, 10, 11, 77, 78], 0)
