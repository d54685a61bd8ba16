"""Random programs through a broker, a small sample; and the order that DuckDB gets their records in."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.types.record import StoredRecord
from tests.fuzz.kafka import attempt, merged, through
from tests.fuzz.programs import Dialect
from tests.fuzz.run import try_all
from tests.kafka.test_order import as_they_meet

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

_SAMPLE = 10


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["lenses", "ksql"])
def test_kafka_gives_what_duckdb_gives(
    dialect: Dialect, broker: Broker, kafka_spark: SparkSession, kafka_spark_server: EmbeddedServer, tmp_path: Path
) -> None:
    """Over topics of three partitions, batch by batch."""
    try_one = partial(attempt, through=through(broker.bootstrap, kafka_spark_server.address, kafka_spark, tmp_path))
    found = try_all(range(_SAMPLE), try_one, jobs=2, dialect=dialect)
    assert not found.differences, "\n\n".join(map(str, found.differences))
    assert found.programs > _SAMPLE / 4


def test_the_next_of_each_partition_are_the_running_maximum() -> None:
    """To take the one with the least time each time is to order by the highest time so far."""
    random = Random(1)
    for _ in range(200):
        times = random.sample(range(100), 12)
        records = [StoredRecord("t", n, None, time, (0, n, random.randrange(3))) for n, time in enumerate(times)]
        assert merged(records) == as_they_meet(records, "t")
