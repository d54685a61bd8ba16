"""Queries that a run need not start, since they have nothing to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.plan import Plan
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.checkpoints import describe
from lsqlc.remote.run.graph import Job, Node, nodes
from lsqlc.remote.run.idle import idle
from lsqlc.tasks.run_target import open_target
from lsqlc.types.record import Record

from .left import leave

ORDERS = lsqlc.Topic("orders", key="INT", value="item STRING, n INT")
OTHERS = lsqlc.Topic("others", key="INT", value="item STRING")
SERVER = (4, 2)


BIG_TOPIC = lsqlc.Topic("big", key="INT", value="item STRING, n INT")


def compiled(name: str, sql: str, *topics: lsqlc.Topic) -> Plan:
    return lsqlc.compile(sql, topics=list(topics), name=name)


BIG = compiled("big", "SELECT STREAM item, n FROM orders WHERE n > 1", ORDERS)
TOTAL = compiled("total", "SELECT TABLE item, COUNT(*) AS n FROM big GROUP BY item", BIG_TOPIC)
SEEN = compiled("seen", "SELECT STREAM item FROM others", OTHERS)


def parts(node: Node) -> Parts:
    return describe(node.stage, partitions=2, server=SERVER, model=node.model)


def ordered(*plans: Plan) -> tuple[Node, ...]:
    return nodes(Job(plan.name, lower(plan, server=SERVER)) for plan in plans)


class _Project:
    """Topics in folders, and checkpoints as queries leave them that have read all of them."""

    def __init__(self, root: Path, *plans: Plan) -> None:
        self.place = open_target(root, Target("embedded"), plans)
        self.nodes = ordered(*plans)
        for node in self.nodes:
            for source in node.stage.sources:
                for topic in source.topics:
                    self.add(topic)
        leave(self.place, self.nodes, parts)

    def add(self, topic: str) -> None:
        """A segment more."""
        found = {t.name: t for plan in (BIG, TOTAL, SEEN) for t in plan.inputs}[topic]
        value = {"item": "pen"} if topic == "others" else {"item": "pen", "n": 2}
        self.place.log.append(found, [Record(topic, 1, value)])

    def idle(self, *plans: Plan) -> frozenset[str]:
        return idle(self.place.store(), ordered(*plans) if plans else self.nodes, parts, self.place.streams())

    def file(self, query: str, path: str) -> Path:
        assert isinstance(self.place.own_checkpoints, Path)
        return self.place.own_checkpoints / query / "spark-000001" / path


@pytest.fixture
def project(tmp_path: Path) -> _Project:
    return _Project(tmp_path, BIG, TOTAL, SEEN)


def test_all_is_read(project: _Project) -> None:
    assert project.idle() == {"big", "total", "seen"}


def test_what_is_new_reaches_all_below(project: _Project) -> None:
    """A query is not idle either that reads what another one may write in this run."""
    project.add("orders")
    assert project.idle() == {"seen"}


def test_only_the_query_that_is_behind(project: _Project) -> None:
    """As after a run that was interrupted between two queries."""
    project.add("big")
    assert project.idle() == {"big", "seen"}


def test_a_batch_that_is_not_done(project: _Project) -> None:
    """It was begun and is computed again, although no file is new."""
    project.file("total", "commits/0").unlink()
    assert project.idle() == {"big", "seen"}


def test_a_query_that_changed(project: _Project) -> None:
    """It is opened as ever, so that it is told what becomes of its state."""
    other = compiled("big", "SELECT STREAM item, n FROM orders WHERE n > 2", ORDERS)
    assert project.idle(other, TOTAL, SEEN) == {"seen"}
    more = compiled("more", "SELECT STREAM item FROM orders", ORDERS)
    assert project.idle(BIG, TOTAL, SEEN, more) == {"big", "total", "seen"}


def test_another_version_of_spark(project: _Project) -> None:
    def newer(node: Node) -> Parts:
        return describe(node.stage, partitions=2, server=(4, 3), model=node.model)

    assert idle(project.place.store(), project.nodes, newer, project.place.streams()) == frozenset()


@pytest.mark.parametrize("text", ["v9\n", "v1\n{}\n{}\n", 'v1\n{}\n{"logOffset":"x"}\n', ""])
def test_a_checkpoint_that_is_not_understood(project: _Project, text: str) -> None:
    """Spark says what is wrong with it."""
    project.file("seen", "offsets/0").write_text(text)
    assert project.idle() == {"big", "total"}
    project.file("total", "sources/0/0").write_text("v1\nno json\n")
    assert project.idle() == {"big"}


def test_a_description_that_is_damaged(project: _Project) -> None:
    """Who opens it says so, and of all that are damaged at once."""
    store = project.place.store()
    for query in ("big", "seen"):
        store.write(query, "{")
    assert project.idle() == frozenset()


def test_a_query_that_the_model_no_longer_has(project: _Project) -> None:
    """What it wrote is to be told, and nothing is passed over."""
    store = project.place.store()
    known = json.loads(store.read("big") or "")
    store.write("big.stage1", json.dumps({**known, "query": "big.stage1"}))
    assert project.idle() == frozenset()
