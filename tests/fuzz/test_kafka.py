"""Random programs through a broker, a small sample."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.kafka import attempt, through
from tests.fuzz.programs import Dialect
from tests.fuzz.run import try_all
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

_SAMPLE = 10


@pytest.mark.parametrize("dialect", ["lenses", "ksql"])
def test_kafka_gives_what_duckdb_gives(
    dialect: Dialect, broker: SharedBroker, kafka_spark: SparkSession, kafka_spark_server: SharedServer, tmp_path: Path
) -> None:
    """Over topics of three partitions, batch by batch."""
    try_one = partial(attempt, through=through(broker.bootstrap, kafka_spark_server.address, kafka_spark, tmp_path))
    found = try_all(range(_SAMPLE), try_one, jobs=2, dialect=dialect)
    assert not found.differences, "\n\n".join(map(str, found.differences))
    assert found.programs > _SAMPLE / 4
