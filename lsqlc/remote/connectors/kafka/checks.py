"""Check before a run that a Spark server can read topics in Kafka."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.access import Access
from lsqlc.connectors.kafka.client import pem_texts
from lsqlc.connectors.kafka.failures import Failure, Task, diagnostic
from lsqlc.connectors.kafka.settings import spark_options
from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.connectors.kafka.failures import java_failure
from lsqlc.remote.session.failures import cause, is_lost, no_connector
from lsqlc.types.kafka import KafkaSettings

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# The default timeout of Java's client is a minute, and Spark calls it three times.
_QUICK = {
    "kafka.request.timeout.ms": "5000",
    "kafka.default.api.timeout.ms": "10000",
    "fetchOffset.numRetries": "1",
}


def check_connector(spark: SparkSession) -> None:
    """Raise LsqlcError LSQ754 if the server has no data source `kafka`.

    Raises the errors of pyspark if a call fails.
    """
    options = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "none"}
    try:
        # The schema needs no request to a broker.
        spark.read.format("kafka").options(**options).load().schema  # noqa: B018
    except Exception as error:
        if cause(str(error))[0] != "DATA_SOURCE_NOT_FOUND":
            raise
        raise LsqlcError([no_connector()]) from None


def check_brokers(spark: SparkSession, settings: KafkaSettings) -> None:
    """Raise LsqlcError, with the codes of `failures.diagnostic`, if the server cannot read from the brokers.

    It reads the topic of markers, if that exists. Raises the errors of pyspark if the server has ended.
    """
    name = settings.prefix + commits.TOPIC
    options = {**spark_options(settings, pem_texts(settings)), **_QUICK, "subscribePattern": re.escape(name)}
    try:
        spark.read.format("kafka").options(**options).load().select("offset").limit(1).collect()
    except Exception as error:
        if is_lost(error):
            raise
        failure = java_failure(str(error)) or Failure("_FAIL", cause(str(error))[1])
        there = replace(settings, bootstrap=settings.server_bootstrap or settings.bootstrap)
        task = Task("the Spark server cannot read from Kafka", (Access("topic", name, ("Read", "Describe")),))
        raise LsqlcError([diagnostic(failure, there, task)]) from None
