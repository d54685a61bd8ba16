"""Files that change, break and go away under a running query: both engines agree on rows, letters and counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import Session
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import SparkPlan, Stage
from lsqlc.plan import Plan
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.publish import Guard, Publish
from lsqlc.remote.connectors.unreadable_files import replaced
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.session.session import parse_address
from lsqlc.types import codec
from tests.lower_duckdb.test_files import write
from tests.remote.test_file_topics import parquet, plan_of, told
from tests.shared import SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

DRIFT = """
SET error.policy = 'dlq';
SET dead.letter.queue = 'bad';
INSERT INTO of_rows SELECT STREAM a, B, n, renamed, filename FROM rows;
INSERT INTO of_lines SELECT STREAM a, b, s.p AS p, s.q AS q, filename FROM nested;
INSERT INTO of_parts SELECT STREAM a, s.p AS p, s.q AS q, extra, filename FROM parts;
"""
BROKEN = """
SET error.policy = 'dlq';
SET dead.letter.queue = 'bad';
INSERT INTO of_parts SELECT STREAM a, s.q AS q FROM parts WHERE dir0 = 'kept';
INSERT INTO counted SELECT STREAM COUNT(*) AS n FROM parts WHERE dir0 = 'kept' GROUP BY suffix;
"""


class Runs:
    """The models of a test's folder on the session's server."""

    def __init__(self, spark: SparkSession, server: SharedServer, root: Path) -> None:
        self.spark, self.address, self.root = spark, parse_address(server.address), root

    def __call__(
        self,
        plan: Plan,
        kind: type[FileTransport] = FileTransport,
        stages: Sequence[Stage] = (),
        options: RunOptions | None = None,
    ) -> int:
        """Run until all is read; returns how many bad records were counted. `stages`: the ones to run, else all."""
        transport, checkpoints = kind(self.root / "topics", self.root), self.root / "checkpoints"
        job = Job(plan.name, SparkPlan(tuple(stages)) if stages else lower(plan))
        summaries = run(RunResources(self.spark, self.address, transport, checkpoints), [job], options=options)
        return sum(s.counts.get("bad record", 0) for s in summaries)

    def topics(self, plan: Plan) -> dict[str, list[str]]:
        """What each topic has: key, value and a STREAM's timestamp as text, sorted; of a TABLE the newest of a key."""
        found = {}
        for topic in plan.outputs:
            table = plan.semantics[topic.name] == "TABLE"
            records = list(FileLog(self.root / "topics").read(topic))
            kept = {str(r.key): r for r in records}.values() if table else records
            found[topic.name] = sorted(_told(topic, r, table=table) for r in kept)
        return found


def _told(topic, record, *, table: bool) -> str:  # type: ignore[no-untyped-def]
    key = json.loads(codec.encode_text(topic.key.type, record.key))
    value = json.loads(codec.encode_text(topic.value.type, record.value))
    return told(key, value, 0 if table else record.timestamp)


def on_duckdb(plan: Plan, root: Path) -> tuple[dict[str, list[str]], int]:
    outcome = Session().evaluate_logs(plan, {}, root=root)
    topics = {}
    for topic in plan.outputs:
        table = plan.semantics[topic.name] == "TABLE"
        topics[topic.name] = sorted(_told(topic, r, table=table) for r in outcome.topics[topic.name])
    return topics, outcome.counts.get("bad record", 0)


@pytest.fixture
def runs(spark: SparkSession, spark_server: SharedServer, tmp_path: Path) -> Runs:
    return Runs(spark, spark_server, tmp_path)


def test_both_engines_agree_on_files_that_drift(runs: Runs, tmp_path: Path) -> None:
    """A column added, removed, renamed, retyped, reordered, changed in case and nested, in each format; files that come
    later are the same to a query that goes on from its checkpoint.
    """
    plan = plan_of(DRIFT)
    write(
        tmp_path,
        {
            "rows/1.csv": "a,b,n\n1,x,1\n",
            "rows/2 added.csv": "a,b,n,more\n2,x,1,y\n",
            "rows/3 removed.csv": "a\n3\n",
            "nested/1.json": '{"a":1,"b":"x","s":{"p":1,"q":"x"}}\n',
            "nested/2.json": '{"a":2,"b":"x","s":{"p":1,"q":"x","r":5},"more":[1]}\n{"s":{"q":"y"},"b":null}\n',
        },
    )
    parquet(tmp_path / "parts/1.parquet", "SELECT 1::INT AS a, {'p': 1::INT, 'q': 'x'} AS s")
    parquet(
        tmp_path / "parts/2 added.parquet", "SELECT 2::INT AS a, {'p': 1::INT, 'q': 'x', 'r': 5} AS s, 'e' AS extra"
    )
    parquet(tmp_path / "parts/3 removed.parquet", "SELECT {'q': 'y'} AS s")
    parquet(tmp_path / "parts/4 longer.parquet", "SELECT 4::BIGINT AS a, {'p': 1::INT, 'q': 'x'} AS s")
    expected, count = on_duckdb(plan, tmp_path)
    assert [len(expected[t]) for t in ("of_rows", "of_lines", "of_parts", "bad")] == [3, 3, 3, 1]
    assert runs(plan) == count == 1
    assert runs.topics(plan) == expected
    write(
        tmp_path,
        {
            "rows/4 renamed.csv": "a,b,renamed\n4,x,z\n",
            "rows/5 retyped.csv": "a,b,n\nfive,x,1\n5,6,one\n",
            "rows/6 reordered.csv": "n,b,a\n1,x,6\n",
            "rows/7 case.csv": "A,B,N\n7,x,1\n",
            "nested/3.json": '{"a":"3","b":3,"s":{"p":"x"}}\n{"B":"x","A":3,"S":{"q":"z","p":2}}\n{"a":4,"s":"x"}\n',
        },
        first=2_000_000,
    )
    parquet(tmp_path / "parts/5 renamed.parquet", "SELECT 5::INT AS a2, {'p2': 1::INT, 'q': 'x'} AS s")
    parquet(tmp_path / "parts/6 retyped.parquet", "SELECT 'six' AS a, {'p': 1::INT, 'q': 'x'} AS s")
    parquet(tmp_path / "parts/7 reordered.parquet", "SELECT {'q': 'x', 'p': 1::INT} AS s, 7::INT AS a")
    parquet(tmp_path / "parts/8 case.parquet", "SELECT 8::INT AS A, {'P': 1::INT, 'Q': 'x'} AS S")
    parquet(tmp_path / "parts/9 nested.parquet", "SELECT 9::INT AS a, {'p': 'one', 'q': 'x'} AS s")
    expected, count = on_duckdb(plan, tmp_path)
    assert [len(expected[t]) for t in ("of_rows", "of_lines", "of_parts", "bad")] == [6, 4, 6, 7]
    assert runs(plan) == count - 1
    assert runs.topics(plan) == expected


def test_broken_files_are_counted_and_told(runs: Runs, tmp_path: Path) -> None:
    """A file that is cut off, and one that breaks in its middle, are passed over, counted once and told by a letter,
    though two queries read them; those that a filter on the path leaves out may be anything.
    """
    plan = plan_of(BROKEN)
    many = "SELECT i::INT AS a, {'p': i::INT, 'q': md5(i::VARCHAR)} AS s FROM range(20000) t(i)"
    for name in ("kept/1.parquet", "kept/2 cut.parquet", "kept/3 +é middle.parquet", "out/1.parquet", "kept/4.parquet"):
        parquet(tmp_path / f"parts/{name}", many.replace("20000", "20000" if "middle" in name else "2"))
    for name in ("kept/2 cut.parquet", "out/1.parquet"):
        path = tmp_path / f"parts/{name}"
        path.write_bytes(path.read_bytes()[:-20])
    middle = bytearray((tmp_path / "parts/kept/3 +é middle.parquet").read_bytes())
    middle[1000 : len(middle) // 2] = bytes(len(middle) // 2 - 1000)
    (tmp_path / "parts/kept/3 +é middle.parquet").write_bytes(middle)
    expected, count = on_duckdb(plan, tmp_path)
    assert (len(expected["of_parts"]), len(expected["bad"]), count) == (4, 2, 2)
    assert runs(plan) == count
    assert runs.topics(plan) == expected


class Interrupted(FileTransport):
    """One whose batches fail, after Spark has noted which files are in them."""

    def write(
        self,
        topic: str,
        generation: str,
        guard: Guard | None = None,
        *,
        ordered: bool = False,
        version: str = "",
        headers: bool = False,
    ) -> Publish:
        super().write(topic, generation, guard, ordered=ordered)

        def fail(batch: object, number: int) -> None:
            raise RuntimeError("interrupted")

        return fail


def test_a_file_that_goes_before_it_is_read_is_counted_and_told(runs: Runs, tmp_path: Path) -> None:
    """Spark lists the files of a batch first; one that is gone when the batch is computed, as here when it is computed
    again, has a letter, in every format.
    """
    plan = plan_of(DRIFT)
    rows = {f"rows/{i}.csv": f"a,b,n\n{i},x,1\n" for i in range(3)}
    write(tmp_path, {**rows, **{f"nested/{i}.json": f'{{"a":{i}}}\n' for i in range(3)}})
    for i in range(3):
        parquet(tmp_path / f"parts/{i}.parquet", f"SELECT {i}::INT AS a")
    options = RunOptions(query=QueryOptions(segments_per_batch=3))
    for stage in lower(plan).stages:
        with pytest.raises(LsqlcError, match="LSQ661"):
            runs(plan, Interrupted, [stage], options)
    gone = ("rows/2.csv", "nested/2.json", "parts/2.parquet")
    for path in gone:
        (tmp_path / path).unlink()
    assert runs(plan) == 3
    found = runs.topics(plan)
    assert [json.loads(r)[1]["reason"] for r in found["bad"]] == sorted(f"{path}: the file is gone" for path in gone)
    expected, _ = on_duckdb(plan, tmp_path)
    assert found == {**expected, "bad": found["bad"]}


def test_a_broken_file_stops_a_query_that_is_to_fail(runs: Runs, tmp_path: Path) -> None:
    """By its name; once it is mended the query goes on, and one that was replaced after it was read is a warning."""
    plan = plan_of("SELECT STREAM a FROM parts")
    parquet(tmp_path / "parts/1.parquet", "SELECT 1::INT AS a")
    parquet(tmp_path / "parts/2.parquet", "SELECT 'x' AS a")
    with pytest.raises(LsqlcError) as refused:
        runs(plan)
    (found,) = refused.value.diagnostics
    assert (found.code, found.span and found.span.path) == ("LSQ441", "parts/2.parquet")
    assert "'a' is declared INT, and is STRING in the file" in found.message
    parquet(tmp_path / "parts/2.parquet", "SELECT 2::INT AS a")
    assert runs(plan) == 0
    assert runs.topics(plan) == on_duckdb(plan, tmp_path)[0]
    (stage,) = lower(plan).stages
    (tmp_path / "parts/1.parquet").unlink()
    parquet(tmp_path / "parts/1.parquet", "SELECT 3::INT AS a")
    told_of = [(d.code, d.message) for d in replaced(stage, tmp_path, tmp_path / "checkpoints")]
    assert told_of == [("LSQ446", "the query 'm' has read files of 'parts' that changed since: 'parts/1.parquet'")]
    assert runs(plan) == 0 and len(runs.topics(plan)["m"]) == 2
