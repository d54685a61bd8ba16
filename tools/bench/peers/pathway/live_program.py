# Pathway has no part in the venv that is checked here.
# mypy: disable-error-code="import-not-found,misc"
"""The queries whose latency is measured, in Pathway's words, until it is ended. It runs in a venv of Pathway's own,
which has nothing of lsqlc.

Arguments: bootstrap servers, query, input topic, output topic, folder of what it keeps.
"""

import sys
from typing import Any

import pathway as pw

BOOTSTRAP, QUERY, INPUT, OUTPUT, FOLDER = sys.argv[1:]
READING = {"bootstrap.servers": BOOTSTRAP, "group.id": f"pathway-{OUTPUT}", "auto.offset.reset": "earliest"}
WRITING = {"bootstrap.servers": BOOTSTRAP, "linger.ms": "0"}
HOUR = 3_600_000
# Milliseconds for which it gathers records; what it has read is kept once a second.
TOGETHER, KEPT = 5, 1_000


class Row(pw.Schema):
    k: str
    g: str
    n: int


def read(**more: Any) -> Any:
    return pw.io.kafka.read(
        READING, INPUT, schema=Row, format="json", autocommit_duration_ms=TOGETHER, name="records", **more
    )


def sums(rows: Any, *by: Any) -> Any:
    return rows.groupby(*by).reduce(pw.this.g, c=pw.reducers.count(), s=pw.reducers.sum(pw.this.n))


def stream() -> tuple[Any, Any]:
    rows = read().filter(pw.this.n > 0)
    return rows, rows.k


def windows() -> tuple[Any, Any]:
    at = pw.this._metadata["timestamp_millis"].as_int(unwrap=True)
    groups = sums(read(with_metadata=True).select(pw.this.g, pw.this.n, hour=at // HOUR), pw.this.g, pw.this.hour)
    return groups, groups.g


def groups() -> tuple[Any, Any]:
    # It reads each record of the topic as a row: the newest of a key is the one with the highest number.
    rows = read()
    newest = rows.groupby(pw.this.k).reduce(last=pw.reducers.argmax(pw.this.n))
    found = sums(newest.select(g=rows.ix(newest.last).g, n=rows.ix(newest.last).n), pw.this.g)
    return found, found.g


answer, key = globals()[QUERY]()
pw.io.kafka.write(answer, WRITING, OUTPUT, format="json", key=key)
pw.run(
    monitoring_level=pw.MonitoringLevel.NONE,
    persistence_config=pw.persistence.Config(pw.persistence.Backend.filesystem(FOLDER), snapshot_interval_ms=KEPT),
)
