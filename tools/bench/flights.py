"""The reference project on its full data: every model as a streaming query on Spark, and the same on DuckDB."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

from lsqlc.api import Project
from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.duckdb import Session
from tools.bench.process import lsqlc
from tools.bench.report import Row, print_table

REFERENCE = Path(__file__).parents[2]


def run(work: Path, quick: bool) -> None:
    root = seeded(work, quick)
    words = ("run", "--output", "json", "--full-refresh")
    side_by_side, said = lsqlc(*words, cwd=root)
    batches, read = _totals(_queries(said))
    alone, said = lsqlc(*words, "--threads", "1", cwd=root)
    print_table(
        "flights: `lsqlc run` on the embedded server",
        [
            Row("whole process, all models", side_by_side, note=f"{batches:,} batches, {read:,} rows read"),
            Row("whole process, one query at a time", alone),
            *(
                Row(q["query"], q["rows"] / q["seconds"], "rows/s", note=f"{q['rows']:,} rows in {q['seconds']:.1f} s")
                for q in _queries(said)
            ),
        ],
    )
    print_table("flights: the same topics on DuckDB, reading and results included", _on_duckdb(root))


def seeded(work: Path, quick: bool) -> Path:
    """The reference project with its topics loaded; the first 20,000 records of each with `quick`."""
    root = work / "flights"
    if not root.exists():
        root.mkdir(parents=True)
        shutil.copy(REFERENCE / "lsqlc.yml", root)
        for folder in ("models", "seeds"):
            # The documents' samples have no records to run over.
            shutil.copytree(REFERENCE / folder, root / folder, ignore=shutil.ignore_patterns("documented"))
        lsqlc("seed", *(("--limit", "20000") if quick else ()), cwd=root)
    return root


def _queries(said: str) -> list[dict[str, Any]]:
    """The queries of a run, from the last line of its JSON."""
    queries: list[dict[str, Any]] = json.loads(said.splitlines()[-1])["queries"]
    return queries


def _totals(queries: list[dict[str, Any]]) -> tuple[int, int]:
    return sum(q["batches"] for q in queries), sum(q["rows"] for q in queries)


def _on_duckdb(root: Path) -> list[Row]:
    log, rows = FileLog(root / ".lsqlc" / "topics"), []
    for name, plan in Project.load(root).plans.items():
        segments = {topic.name: log.segments(topic.name) for topic in plan.inputs if not topic.files}
        began = time.perf_counter()
        outcome = Session().evaluate_logs(plan, segments, root=root)
        seconds = time.perf_counter() - began
        count = sum(map(len, outcome.topics.values()))
        rows.append(Row(name, seconds, note=f"{count:,} rows come out"))
    return rows
