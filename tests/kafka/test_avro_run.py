"""Models over topics in Avro, whose schemas are in a registry: both engines agree, and other clients read what is
written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lsqlc
from lsqlc.cli.watch import Watch
from lsqlc.formats.avro.wire import avro_encoder
from lsqlc.formats.avro.write import avro_text
from lsqlc.project.build.compile import compile_project
from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.project.declared.target import Target
from lsqlc.project.discovery import load_project
from lsqlc.registry.written import written_schemas
from lsqlc.remote.run.events import Event
from lsqlc.remote.session.session import parse_address, server_version
from lsqlc.tasks.run import run_models
from lsqlc.tasks.run_context import Console, RunRequest, run_context
from lsqlc.tasks.run_target import open_target
from lsqlc.types.ddl import parse_columns
from lsqlc.types.kafka import KafkaSettings
from tests.kafka import client
from tests.kafka.rows import Kept, records
from tests.kafka.storage import AVRO, Start, registry, start, state
from tests.registry.stand_in import State
from tests.shared import SharedBroker, SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

__all__ = ["registry", "start", "state"]

KEYED = lsqlc.Topic("orders", key={"format": "avro", "schema": "INT"}, value=AVRO.orders.value)


def test_keys_in_avro(start: Start, broker: SharedBroker, topic_prefix: str, state: State, registry: str) -> None:
    """Keys and values that another client reads, by the ids that stand before them."""
    state.register("orders-value", AVRO.schema)
    state.register("orders-key", '"int"')
    kafka = start(lsqlc.compile("SELECT STREAM item, n FROM orders", topics=[KEYED], name="out"))
    given = [replace(record, key=number % 6) for number, record in enumerate(AVRO.some(1_000))]
    kafka.append(kafka.plan.inputs[0], given)
    kafka.run()
    assert not kafka.differences()
    found = sorted(records(broker.bootstrap, f"{topic_prefix}out", registry), key=lambda r: r.timestamp)
    wanted = [Kept(r.key, r.value and {n: r.value[n] for n in ("item", "n")}, r.timestamp) for r in given]
    assert found == wanted


def test_a_schema_that_came_since(
    broker: SharedBroker, topic_prefix: str, kafka_spark: SparkSession, kafka_spark_server: SharedServer,
    tmp_path: Path, state: State, registry: str,
) -> None:  # fmt: skip
    """The registry is asked for an id that nobody knew when the run began, and the query goes on."""
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: orders\n")
    declared = {"name": "orders", "key": "STRING", "value": {"format": "avro", "schema": AVRO.columns}}
    (tmp_path / "models" / "topics.yml").write_text(json.dumps({"topics": [declared]}))
    (tmp_path / "models" / "out.sql").write_text("SELECT STREAM item, n FROM orders")
    project = load_project(tmp_path).project
    assert project is not None
    compilation = compile_project(project)
    plans = compilation.plans.values()
    state.register("orders-value", AVRO.schema)
    for schema in written_schemas(plans):
        state.register(schema.subject, schema.text)
    settings = KafkaSettings(broker.bootstrap, prefix=topic_prefix)
    target = Target("local", connection=settings, registry=RegistryTarget(registry))
    place = open_target(tmp_path, target, plans, project=compilation.project)
    place.log.append(next(iter(plans)).inputs[0], AVRO.some(1_000, 4))
    newer = parse_columns(f"{AVRO.columns}, more BIGINT")
    text = avro_text(newer, "order")
    id = state.register("orders-value", text)
    value = {"item": "z", "n": 9, "placed": None, "at": None, "more": 5}
    client.write(broker.bootstrap, f"{topic_prefix}orders", [(b"k", avro_encoder(newer, text, id)(value), 9_000)])
    said: list[str] = []

    class Opened:
        session, address = kafka_spark, parse_address(kafka_spark_server.address)
        version = server_version(kafka_spark.version)

    @contextmanager
    def opened(files: tuple[Any, ...], fit: object) -> Iterator[tuple[Any, Callable[[Event], None]]]:
        yield Opened, lambda event: None

    console = Console(
        said.append, lambda found: None, opened, lambda event: None, lambda: False, lambda seconds: False,
        lambda: Watch(place.state),
    )  # fmt: skip
    place.state.mkdir(exist_ok=True)
    run_models(run_context(place, compilation, RunRequest(1)), console)
    assert [text for text in said if f"the schema with the id {id}" in text]
    found = list(records(broker.bootstrap, f"{topic_prefix}out", registry))
    assert len(found) == 5 and found[-1].value == {"item": "z", "n": 9}
