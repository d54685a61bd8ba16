"""What all engines are given: the topics, filled before any of them starts, and the queries with what each must give.

The events are those of Nexmark, and for the TABLE aggregation a topic of updates. A query is named as its model in
`tests/standard_sql/nexmark/views`; what it must give is what lsqlc gives on DuckDB over the same records.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import lsqlc
from lsqlc import Plan, Record, Topic
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.types.kafka import KafkaSettings
from tests.standard_sql.compare import given_rows
from tests.standard_sql.nexmark.data import COLUMNS, START, TOPICS, events
from tests.standard_sql.nexmark.views import QUERIES as NEXMARK

PARALLELISM = 2
# How late a record may be for lsqlc, which writes a session when no record can join it any more; and by how many
# milliseconds a session must have ended before the last event to be compared.
_GRACE = "10s"
_CLOSED = 30_000
SESSIONS = "q11"
TABLE = "table_by_group"
QUERIES: Mapping[str, str] = {
    **{f"q{n:02}": NEXMARK[f"q{n:02}"] for n in (0, 1, 2, 3, 4, 5, 7, 8, 11, 12, 17, 20)},
    TABLE: "-- The rows of a table in groups: each update moves a row.\n"
    "SELECT grp, COUNT(*) AS n FROM updates GROUP BY grp\n",
}
UPDATES = Topic("updates", key="BIGINT", value="id BIGINT NOT NULL, grp STRING NOT NULL, amount BIGINT")
_TOPICS = {topic.name: topic for topic in (*TOPICS, UPDATES) if topic.name != "side_input"}
_GROUPS = 105


@dataclass(frozen=True, slots=True)
class Size:
    """How many events, how many updates, and of how many rows."""

    events: int
    updates: int
    keys: int


class Workload:
    """The records of a size."""

    def __init__(self, size: Size) -> None:
        self.size = size

    @cached_property
    def records(self) -> Mapping[str, list[Record]]:
        """By topic, in their order."""
        found: dict[str, list[Record]] = {name: [] for name in _TOPICS}
        for event in events(self.size.events):
            found[event.topic].append(event)
        found[UPDATES.name] = list(_updates(self.size))
        return found

    def plan(self, query: str) -> Plan:
        return lsqlc.compile(QUERIES[query], dialect="sql", topics=tuple(_TOPICS.values()), name=query)

    def rows(self, query: str) -> int:
        """How many records its topics have."""
        return sum(len(self.records[topic.name]) for topic in self.plan(query).inputs)

    def expected(self, query: str) -> Counter[Any]:
        """Its result by lsqlc on DuckDB: the rows, each with how often."""
        plan = self.plan(query)
        given = [record for topic in plan.inputs for record in self.records[topic.name]]
        given.sort(key=lambda record: record.timestamp)
        return self.compared(query, given_rows(lsqlc.evaluate(plan, given)[query]))

    def compared(self, query: str, rows: Counter[Any]) -> Counter[Any]:
        """Those rows of a result that all engines must have: of sessions the ones that nothing can join any more."""
        if query != SESSIONS:
            return rows
        closed = self.records["bid"][-1].timestamp - _CLOSED
        return Counter({row: n for row, n in rows.items() if dict(row)["endtime"] < closed})

    def fill(self, bootstrap: str) -> None:
        """Make the topics, and write all records."""
        log = KafkaLog(KafkaSettings(bootstrap, partitions=PARALLELISM))
        for name, topic in {t.name: t for query in QUERIES for t in self.plan(query).inputs}.items():
            records = self.records[name]
            log.append(topic, (Record(name, r.key, r.value, r.timestamp) for r in records))


def project(folder: Path) -> Path:
    """The queries as a project of lsqlc; it reads the topics of the broker at the address in LSQLC_KAFKA."""
    models = folder / "models"
    models.mkdir(parents=True)
    (folder / "lsqlc.yml").write_text(f"name: peers\ndialect: sql\ndefaults:\n  grace: {_GRACE}\n", "utf-8")
    kafka = {"bootstrap": "{{ env_var('LSQLC_KAFKA') }}", "partitions": PARALLELISM}
    target = {"type": "embedded", "checkpoints": ".lsqlc/checkpoints", "kafka": kafka}
    (folder / "profiles.yml").write_text(json.dumps({"default": "kafka", "targets": {"kafka": target}}), "utf-8")
    for name, text in QUERIES.items():
        (models / f"{name}.sql").write_text(text, "utf-8")
    columns = {**COLUMNS, UPDATES.name: {"id": "BIGINT NOT NULL", "grp": "STRING NOT NULL", "amount": "BIGINT"}}
    topics = [
        {"name": name, "key": "BIGINT", "value": ", ".join(f"{c} {t}" for c, t in columns[name].items())}
        for name in _TOPICS
    ]
    (models / "topics.yml").write_text(json.dumps({"topics": topics}), "utf-8")
    return folder


def _updates(size: Size) -> Iterator[Record]:
    random = Random(1)
    for number in range(size.updates):
        id = random.randrange(size.keys)
        value = {"id": id, "grp": f"group-{random.randrange(_GROUPS)}", "amount": number}
        yield Record(UPDATES.name, id, value, START + number)
