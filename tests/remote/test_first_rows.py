"""An aggregate without GROUP BY is one row on Spark too, before any record is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from msgspec import structs

import lsqlc
from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.stages import internal_topics
from lsqlc.lower.spark.steps import View
from lsqlc.lower.spark.structure import node_digest
from lsqlc.plan import Plan, nodes
from lsqlc.remote.connectors.folders.transport import FileTransport
from lsqlc.remote.connectors.transport import generation_name
from lsqlc.remote.run import runner
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.runner import RunOptions, RunResources, run
from lsqlc.remote.session.session import parse_address
from lsqlc.tasks.verify import verify
from lsqlc.types.record import BEFORE_RECORDS, Record
from tests.shared import SharedServer

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

T = lsqlc.Topic("t", key="INT", value="id INT, x INT")
U = lsqlc.Topic("u", key="INT", value="id INT, w INT")
TOTAL = "SELECT COUNT(*) AS n, SUM(x) AS s FROM t"
PAIR = "SELECT a.n, b.m FROM (SELECT COUNT(*) AS n FROM t) a CROSS JOIN (SELECT MAX(w) AS m FROM u) b"
FULL = [Record("t", 1, {"id": 1, "x": 5}, 1000), Record("t", 2, {"id": 2, "x": 7}, 2000)]
NO_ROWS = [Record("t", 1, None, 3000), Record("t", 2, None, 4000)]


class _Folders:
    """Topics in folders, and runs of one model over them."""

    def __init__(self, folder: Path, spark: SparkSession, server: SharedServer) -> None:
        self.folder, self.log = folder, FileLog(folder / "topics")
        transport = FileTransport(folder / "topics")
        self.resources = RunResources(spark, parse_address(server.address), transport, folder / "checkpoints")

    def run(
        self, text: str, options: RunOptions | None = None, stop: Callable[[], bool] = lambda: False
    ) -> list[dict[str, Any]]:
        """Run the model, compare its output with that of DuckDB, and return the values of all its records."""
        plan = _compiled(text)
        lowered = lower(plan)
        run(self.resources, [Job("o", lowered)], options=options, stop=stop)
        if not stop():
            found = list(verify({"o": plan}, {"o": lowered}, self.log, self.folder))
            assert found and all(each.ok for each in found), found
        return self.values(plan)

    def append(self, records: list[Record]) -> None:
        (topic,) = (t for t in _compiled(PAIR).inputs if t.name == records[0].topic)
        self.log.append(topic, records)

    def values(self, plan: Plan) -> list[dict[str, Any]]:
        return [record.value for record in self.log.read(plan.outputs[0])]


def _compiled(text: str) -> Plan:
    return lsqlc.compile(text, dialect="sql", topics=[T, U], name="o")


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        (TOTAL, {"o"}),
        ("SELECT COUNT(*) AS n FROM STREAM(t)", {"o"}),
        ("SELECT id, COUNT(*) AS n FROM t GROUP BY id", set()),
        ("SELECT COUNT(*) AS n FROM t GROUP BY 'all'", set()),
        ("SELECT n FROM (SELECT COUNT(*) AS n FROM t) AS q WHERE n > 1", {"o"}),
        (PAIR, {"_lsqlc.o.1", "_lsqlc.o.2"}),
    ],
)
def test_the_stage_of_a_total_has_the_row(text: str, topics: set[str]) -> None:
    """What reads the row in another stage reads it as a record."""
    assert {stage.write.topic for stage in lower(_compiled(text)).stages if stage.first} == topics


def test_a_row_of_the_first_row_of_its_input_is_newer() -> None:
    """Else readers of the topic could not tell which one is the newest."""
    (stage,) = lower(_compiled(TOTAL)).stages
    assert any("if(max(_ord) < " in step.sql for step in stage.steps if isinstance(step, View))


def test_the_row_is_no_part_of_a_checkpoint() -> None:
    """Queries of an earlier release continue."""
    (node,) = (n for n in _nodes(_compiled(TOTAL).sinks[0].inputs[0]) if isinstance(n, nodes.Aggregate))
    assert node.total and node_digest(node) == node_digest(structs.replace(node, total=False))


def _nodes(node: nodes.Node) -> Iterator[nodes.Node]:
    yield node
    for part in nodes.inputs(node):
        yield from _nodes(part)


def test_a_folder_has_it_once(tmp_path: Path) -> None:
    """It belongs to a generation without being a batch of it, and is discarded with the batches."""
    transport, generation = FileTransport(tmp_path), generation_name("o", 3)
    for text in ("a", "b"):
        transport.write_first("o", generation, [(f'{{"ordinal":-1,"text":"{text}"}}',)])
    (segment,) = (tmp_path / "o" / "data").iterdir()
    assert '"a"' in segment.read_text("utf-8") and sum_path(segment).exists()
    assert transport.first_generations("o", "o") == {3} and transport.last_generation("o", "o") == 3
    assert transport.newest_generation("o", "o") == 0 and transport.last_batch("o", generation) == -1
    transport.discard("o", "o")
    assert not segment.exists() and not sum_path(segment).exists()
    assert transport.first_generations("o", "o") == frozenset()


def test_the_row_of_a_staged_version_does_not_end_the_live_one() -> None:
    """A generation that is ended writes nothing any more."""

    class Transport:
        def first_generations(self, topic: str, query: str) -> frozenset[int]:
            return frozenset((1, 2))

    node = SimpleNamespace(query="o", stage=SimpleNamespace(write=SimpleNamespace(topic="o")))
    checkpoint = SimpleNamespace(generation=generation_name("o", 1))
    run: Any = SimpleNamespace(_transport=Transport())
    runner._Run._write_first(run, cast(Any, node), cast(Any, checkpoint))


@pytest.fixture
def folders(tmp_path: Path, spark: SparkSession, spark_server: SharedServer) -> _Folders:
    return _Folders(tmp_path, spark, spark_server)


def test_it_is_written_once(folders: _Folders) -> None:
    """Not again by a run that reads nothing either; records replace it, and their removal brings it back."""
    first: dict[str, Any] = {"n": 0, "s": None}
    assert folders.run(TOTAL) == [first]
    assert folders.run(TOTAL) == [first]
    folders.append(FULL)
    assert folders.run(TOTAL) == [first, {"n": 2, "s": 12}]
    folders.append(NO_ROWS)
    assert folders.run(TOTAL) == [first, {"n": 2, "s": 12}, first]
    assert folders.run(TOTAL, RunOptions(refresh={"o"}))[-1] == first


def test_a_start_that_was_interrupted_does_not_write_it_twice(
    folders: _Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the start of a query, and between the row and the note of it."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as changed:
        changed.setattr(runner._Run, "_go", interrupted)
        with pytest.raises(KeyboardInterrupt):
            folders.run(TOTAL)
    assert folders.values(_compiled(TOTAL)) == [{"n": 0, "s": None}]
    folders.append(FULL)
    assert folders.run(TOTAL) == [{"n": 0, "s": None}, {"n": 2, "s": 12}]


def test_another_model_does_not_keep_the_row_of_an_earlier_one(folders: _Folders) -> None:
    """Whose query has had no batch, so that it is replaced without a full refresh."""
    assert folders.run(f"{TOTAL} HAVING COUNT(*) < 5") == [{"n": 0, "s": None}]
    assert folders.run(f"{TOTAL} HAVING COUNT(*) > 1") == []
    assert folders.run("SELECT COUNT(*) AS c FROM t") == [{"c": 0}]


def test_a_total_of_a_total_is_newer_than_its_first_row(folders: _Folders) -> None:
    """Readers tell the newest row of a key by its ordinal."""
    text = "SELECT COUNT(*) AS n FROM (SELECT COUNT(*) AS m FROM t) AS q"
    assert folders.run(text) == [{"n": 0}, {"n": 1}]
    segments = sorted((folders.folder / "topics" / "o" / "data").glob("*.jsonl"))
    ordinals = {json.loads(line)["ordinal"] for each in segments for line in each.read_text("utf-8").splitlines()}
    assert ordinals == {BEFORE_RECORDS, BEFORE_RECORDS + 1}


def test_it_meets_others_in_a_continuous_run(folders: _Folders) -> None:
    """The rows of both sides of a join are there before their queries have read a record."""
    plan = _compiled(PAIR)
    assert all(stage.first for stage in lower(plan).stages if stage.write.topic in internal_topics(plan))
    seen: list[dict[str, Any]] = []

    def stop() -> bool:
        values = folders.values(plan)
        if values and not seen:
            folders.append(FULL)
        seen[:] = values
        return bool(values) and values[-1] == {"n": 2, "m": None}

    assert folders.run(PAIR, RunOptions(query=QueryOptions(until_read=False)), stop)[0] == {"n": 0, "m": None}
    folders.append([Record("u", 1, {"id": 1, "w": 3}, 5000)])
    assert folders.run(PAIR)[-1] == {"n": 2, "m": 3}
