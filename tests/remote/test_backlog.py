"""How a run over topics in folders finds out that it has much to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.project.declared.target import Target
from lsqlc.remote.connectors.folders import progress
from lsqlc.remote.run.batch_log import BatchLog
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.runner import RunResources, run
from lsqlc.remote.session.session import parse_address
from lsqlc.tasks import backlog
from lsqlc.tasks.backlog import fit
from lsqlc.tasks.run_target import open_target
from lsqlc.types.record import Record
from tests.shared import SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

pytestmark = pytest.mark.spark

ORDERS = lsqlc.Topic("orders", key="INT", value="item STRING")


def test_files_that_were_read_do_not_count(
    spark: SparkSession, spark_server: SharedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a query that continues; a restarted one reads them again. A topic that is not there has nothing."""
    plan = lsqlc.compile("SELECT TABLE item, COUNT(*) AS n FROM orders GROUP BY item", topics=[ORDERS], name="out")
    place = open_target(tmp_path, Target("local"), [plan])
    plans = {"out": lower(plan)}
    (topic,) = plan.inputs
    records = [Record("orders", n, {"item": "a" * 100}) for n in range(50)]
    assert not fit(plans, place, anew=False, continuous=False).optimize
    place.log.append(topic, records)
    (segment,) = place.log.segments_for(topic, tmp_path)
    monkeypatch.setattr(backlog, "LONG", segment.stat().st_size // 300)
    assert fit(plans, place, anew=False, continuous=False).optimize
    jobs = [Job("out", plans["out"])]
    run(RunResources(spark, parse_address(spark_server.address), place.streams(), place.checkpoints), jobs)
    assert not fit(plans, place, anew=False, continuous=False).optimize
    place.log.append(topic, records[:25])
    assert not fit(plans, place, anew=False, continuous=False).optimize
    assert fit(plans, place, anew=True, continuous=False).optimize
    place.log.append(topic, records[:30])
    assert fit(plans, place, anew=False, continuous=False).optimize


def test_a_checkpoint_that_is_not_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told by who opens it, and nothing counts as left."""
    plan = lsqlc.compile("SELECT STREAM item FROM orders", topics=[ORDERS], name="out")
    place = open_target(tmp_path, Target("local"), [plan])
    (topic,) = plan.inputs
    place.log.append(topic, [Record("orders", 1, {"item": "a"})])
    monkeypatch.setattr(backlog, "LONG", 0)
    monkeypatch.setattr(backlog, "_log", lambda *_: BatchLog({"offsets/0": "v9\n", "commits/0": "v1\n"}))
    assert fit({"out": lower(plan)}, place, anew=False, continuous=False).optimize
    monkeypatch.setattr(backlog, "LONG", 1)
    monkeypatch.setattr(progress, "_BYTES", 1)
    assert not fit({"out": lower(plan)}, place, anew=False, continuous=False).optimize
