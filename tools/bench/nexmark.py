"""The queries of Nexmark as models in standard SQL on Spark, one after another on one server: rows of their topics a
second, in the batches of all their stages. The events are those of the tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lsqlc.api import Project
from lsqlc.connectors.folders.log import FileLog
from lsqlc.types.record import Record
from tests.standard_sql.nexmark.data import COLUMNS, events, side_input
from tests.standard_sql.nexmark.views import QUERIES
from tools.bench.process import lsqlc
from tools.bench.report import Row, print_table

EVENTS, QUICK, FILES = 500_000, 2_000, 5
# Milliseconds between two events: a window of ten seconds has a thousand.
_STEP = 10


def run(work: Path, quick: bool) -> None:
    count, files = (QUICK, 2) if quick else (EVENTS, FILES)
    root = written(work / "nexmark", count, files)
    read = {name: _rows_read(plan.inputs, root) for name, plan in Project.load(root).plans.items()}
    words = ("run", "--output", "json", "--full-refresh", "--threads", "1")
    seconds, said = lsqlc(*words, cwd=root)
    print_table(
        f"nexmark: {count:,} events in {files} files of each topic, all in {seconds:,.0f} s", list(_rows(said, read))
    )


def written(root: Path, count: int, files: int) -> Path:
    """A project with all queries, and its topics with so many events."""
    (root / "models").mkdir(parents=True)
    (root / "lsqlc.yml").write_text("name: nexmark\ndialect: sql\n", "utf-8")
    for name, text in QUERIES.items():
        (root / "models" / f"{name}.sql").write_text(text, "utf-8")
    topics = (
        {"name": name, "key": "BIGINT", "value": ", ".join(f"{c} {t}" for c, t in columns.items())}
        for name, columns in COLUMNS.items()
    )
    (root / "models" / "topics.yml").write_text(json.dumps({"topics": list(topics)}), "utf-8")
    declared = {topic.name: topic for plan in Project.load(root).plans.values() for topic in plan.inputs}
    log = FileLog(root / ".lsqlc" / "topics")
    log.append(declared["side_input"], map(_plain, side_input()))
    parts: dict[str, list[Record]] = {}
    for number, event in enumerate(events(count, step=_STEP)):
        parts.setdefault(event.topic, []).append(_plain(event))
        if (number + 1) % -(-count // files) == 0 or number + 1 == count:
            for name, part in parts.items():
                log.append(declared[name], part)
            parts = {}
    return root


def _plain(record: Any) -> Record:
    return Record(record.topic, record.key, record.value, record.timestamp)


def _rows_read(topics: Any, root: Path) -> int:
    """How many records the topics of a query have."""
    log = FileLog(root / ".lsqlc" / "topics")
    return sum(len(s.read_bytes().splitlines()) for topic in topics for s in log.segments(topic.name))


def _rows(said: str, read: Mapping[str, int]) -> Iterator[Row]:
    queries: list[dict[str, Any]] = json.loads(said.splitlines()[-1])["queries"]
    for name in QUERIES:
        stages = [q for q in queries if q["model"] == name]
        seconds = sum(q["seconds"] for q in stages)
        note = f"{read[name]:,} rows in {seconds:.1f} s" + (f", {len(stages)} queries" if len(stages) > 1 else "")
        yield Row(name, read[name] / seconds, "rows/s", note=note)
