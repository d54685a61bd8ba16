"""The record of topics in Kafka, for streaming queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from lsqlc.connectors.kafka.plan import partitions_text
from lsqlc.diagnostics import Diagnostic
from lsqlc.lower.spark.wire.records import python_functions
from lsqlc.remote.connectors.avro_functions import check_avro
from lsqlc.remote.connectors.kafka.checks import check_brokers, check_connector
from lsqlc.remote.connectors.kafka.topics import create_missing, topics_plan
from lsqlc.remote.connectors.kafka.transport import KafkaTransport
from lsqlc.remote.connectors.partitions import OffsetsProgress
from lsqlc.remote.connectors.record import NeededTopics, SparkConnector, StreamOpening
from lsqlc.remote.connectors.transport import Transport
from lsqlc.types.kafka import KafkaSettings

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


def _streams(opening: StreamOpening) -> Transport:
    return KafkaTransport(
        opening.settings,
        opening.output_topics,
        opening.root,
        carried=not opening.is_embedded,
        functions=python_functions(opening.wires),
        renamed=opening.renamed,
        aside=opening.aside,
    )


def _checks(session: SparkSession, settings: KafkaSettings, avro: bool) -> Iterator[tuple[str, Callable[[], str]]]:
    def connector() -> str:
        check_connector(session)
        return "the server has the data source 'kafka'"

    def functions() -> str:
        check_avro(session)
        return "the server has the functions of spark-avro"

    def brokers() -> str:
        check_brokers(session, settings)
        return f"{settings.server_bootstrap or settings.bootstrap}: the server can read from it"

    yield "kafka connector", connector
    if avro:
        yield "avro", functions
    yield "kafka from the server", brokers


def _planned_topics(
    requirements: NeededTopics, settings: KafkaSettings
) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    planned = topics_plan(requirements, settings)
    created = tuple(change.need.spec.name for change in planned.changes if change.status == "create")
    return created, planned.diagnostics


def _create_topics(requirements: NeededTopics, settings: KafkaSettings) -> Iterator[str]:
    for one in create_missing(requirements, settings):
        if one.outcome == "created":
            spec = one.change.need.spec
            yield f"created the topic '{spec.name}' with {partitions_text(spec.partitions)}"


CONNECTOR = SparkConnector(
    "kafka",
    _streams,
    OffsetsProgress(),
    jars="spark-kafka",
    checks=_checks,
    planned_topics=_planned_topics,
    create_topics=_create_topics,
)
