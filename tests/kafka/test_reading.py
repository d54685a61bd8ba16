"""The options by which Spark reads topics in Kafka."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import Source
from lsqlc.project.declared.target import Target
from lsqlc.remote.connectors.kafka.transport import KafkaTransport
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings

SETTINGS = KafkaSettings("localhost:1")
WAIT = "kafka.fetch.max.wait.ms"


class Reader:
    """What stands for pyspark's session and its reader of streams, and notes the options."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}

    @property
    def readStream(self) -> Self:
        return self

    def options(self, **options: str) -> Self:
        self.given |= options
        return self

    def format(self, name: str) -> Self:
        return self

    def load(self) -> Self:
        return self

    def selectExpr(self, *columns: str) -> Self:
        return self


def read_with(root: Path, settings: KafkaSettings, *, real_time: bool) -> dict[str, str]:
    plan = lsqlc.compile("SELECT STREAM * FROM orders", topics=[lsqlc.Topic("orders", value="n INT")])
    place = open_target(root, Target("local", connection=settings), [plan])
    (stage,) = lower(plan, wires=place.wires, real_time=real_time).stages
    (source,) = (step for step in stage.steps if isinstance(step, Source))
    spark: Any = Reader()
    KafkaTransport(settings, {}, root).read(spark, source, segments_per_batch=None)
    return dict(spark.given)


def test_a_batch_does_not_wait_for_what_is_not_there(tmp_path: Path) -> None:
    """Behind the end of a transaction there is nothing to fetch. In real time tasks do wait for records."""
    assert int(read_with(tmp_path, SETTINGS, real_time=False)[WAIT]) <= 20
    assert WAIT not in read_with(tmp_path, SETTINGS, real_time=True)


def test_properties_of_the_target_count_more(tmp_path: Path) -> None:
    """But for what exactly once depends on."""
    settings = replace(
        SETTINGS, properties={"java.fetch.max.wait.ms": "77", "java.isolation.level": "read_uncommitted"}
    )
    given = read_with(tmp_path, settings, real_time=False)
    assert given[WAIT] == "77" and given["kafka.isolation.level"] == "read_committed"
