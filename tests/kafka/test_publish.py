"""In which order the records of a batch are written, and what of the batch is fetched for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.kafka.settings import kafka_python_properties, librdkafka_properties
from lsqlc.remote.connectors.kafka.clients import ClientSettings
from lsqlc.remote.connectors.kafka.publish import Sink, _in_order, kafka_publisher
from lsqlc.types import data
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Facet, Topic
from tests.kafka import client
from tests.shared import SharedBroker

if TYPE_CHECKING:
    pass

OUT = Topic("out", value=Facet(data.BYTES, "bytes"))
_NUMBERS = st.integers(min_value=-3, max_value=3) | st.integers(min_value=-(2**63), max_value=2**63 - 1)


class Batch:
    """A batch of Spark as far as it is asked: which columns, and those as Arrow."""

    def __init__(self, table: pyarrow.Table) -> None:
        self.table = table
        self.asked: tuple[str, ...] = ()

    def select(self, *names: str) -> Batch:
        self.asked = names
        return self

    def toArrow(self) -> pyarrow.Table:
        return self.table.select(self.asked)


@given(st.integers(0, 3).flatmap(lambda width: st.lists(st.lists(_NUMBERS, min_size=width, max_size=width))))
def test_lists_of_one_length_are_in_order(ordinals: list[list[int]]) -> None:
    """By their first number, then by the next ones; of equal ones the first comes first."""
    column = pyarrow.chunked_array([ordinals[:2], ordinals[2:]], pyarrow.list_(pyarrow.int64()))
    assert list(_in_order(column)) == sorted(range(len(ordinals)), key=ordinals.__getitem__)


@given(st.lists(st.lists(_NUMBERS, max_size=3)))
@example([[-(2**63)], []])
def test_lists_of_several_lengths_are_in_order(ordinals: list[list[int]]) -> None:
    column = pyarrow.chunked_array([ordinals], pyarrow.list_(pyarrow.int64()))
    assert list(_in_order(column)) == sorted(range(len(ordinals)), key=ordinals.__getitem__)


@pytest.mark.parametrize("ordered", [True, False])
def test_order_of_a_batch(broker: SharedBroker, topic_prefix: str, ordered: bool) -> None:
    """Sorted by ordinals, with the times that the records have; or as they come, and no ordinal is fetched then."""
    log = KafkaLog(KafkaSettings(broker.bootstrap, prefix=topic_prefix))
    log.prepare(OUT)
    log.prepare_markers()
    to = Sink(
        f"{topic_prefix}out", commits.transactional_id(topic_prefix, "out", "g"),
        ClientSettings(
            f"{topic_prefix}{commits.TOPIC}", commits.marker_key("out", "g"), librdkafka_properties(log.settings),
            kafka_python_properties(log.settings),
        ),
        ordered,
    )  # fmt: skip
    rows: list[dict[str, Any]] = [
        {"key": None, "value": b"b", "timestamp": 7, "ordinal": [1, 2, 0]},
        {"key": b"k", "value": None, "timestamp": 0, "ordinal": [1, 1, 9]},
        {"key": None, "value": b"a", "timestamp": 5, "ordinal": [0, 9, 9]},
    ]
    batch = Batch(pyarrow.Table.from_pylist(rows))
    kafka_publisher(to)(batch, 0)
    found = [(m.key(), m.value(), m.timestamp()[1]) for m in client.read(broker.bootstrap, to.topic)]
    wanted = [(r["key"], r["value"], r["timestamp"] or -1) for r in (reversed(rows) if ordered else rows)]
    assert found == wanted
    assert ("ordinal" in batch.asked) == ordered
