"""The service over topics in Kafka: offsets by partition, tombstones, recreated topics, and bad records."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.types.record import Raw, Record
from tests.serve.conftest import BIKES, TOPICS, Asked, Shop, ask, query, read
from tests.shared import SharedBroker


@pytest.fixture
def in_kafka(tmp_path: Path, broker: SharedBroker, topic_prefix: str) -> Shop:
    """The project over a broker."""
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (tmp_path / "models" / "topics.yml").write_text(TOPICS)
    kafka = f'{{bootstrap: "{broker.bootstrap}", prefix: {topic_prefix}}}'
    (tmp_path / "profiles.yml").write_text(f"targets:\n  dev: {{type: embedded, kafka: {kafka}}}\n")
    return Shop(tmp_path)


def test_rows_follow_a_topic(in_kafka: Shop) -> None:
    """A topic that does not exist yet is an empty table; a later record is in the answers that wait for it."""
    with in_kafka.served("bikes") as service:
        [empty] = ask(service, Asked("/tables/bikes"))
        assert empty.data["rows"] == []
        in_kafka.append("bikes", *BIKES)
        read(service)
        one, counted = ask(
            service, Asked("/tables/bikes/b1"), query("SELECT station, count(*) AS n FROM bikes GROUP BY station")
        )
        assert one.data["row"] == {"_key": "b1", "station": "harbour", "rides": 4}
        assert sorted(row["n"] for row in counted.data["rows"]) == [1, 2]
        offsets = one.data["freshness"]["bikes"]["offsets"]
        # The end of a transaction takes an offset of its own.
        assert {*offsets} == {"0", "1"} and sum(offsets.values()) >= 4
        in_kafka.append("bikes", ("b1", None), ("b9", {"station": "sea", "rides": 1}))
        read(service)
        after = "&".join(f"after=bikes:{partition}:{offset - 1}" for partition, offset in offsets.items())
        gone, new = ask(service, Asked("/tables/bikes/b1", after), Asked("/tables/bikes/b9", after))
        assert (gone.status, new.data["row"]["station"]) == (404, "sea")
        service.follower.log.delete("bikes")
        in_kafka.append("bikes", ("n", {"station": "new", "rides": 1}))
        read(service)
        [anew] = ask(service, Asked("/tables/bikes"))
        assert [row["_key"] for row in anew.data["rows"]] == ["n"]


def test_a_record_that_cannot_be_read(in_kafka: Shop) -> None:
    in_kafka.append("bikes", *BIKES)
    with in_kafka.served("bikes") as service:
        topic = service.tables["bikes"].topic
        service.follower.log.append_together(
            "bad", topic, lambda: [(topic, [Record("bikes", "b1", Raw('{"rides": "many"}'), 1)])]
        )
        read(service)
        answer, ready = ask(service, Asked("/tables/bikes/b1"), Asked("/ready"))
        assert answer.data["row"]["rides"] == 4
        assert answer.data["freshness"]["bikes"]["problem"]["code"] == "LSQ739"
        assert ready.status == 503
