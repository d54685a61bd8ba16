"""Which queries read all partitions up to the same time, and what happens where that cannot be found out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lsqlc
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.graph import Job, Node, nodes
from lsqlc.remote.run.runner import Next
from lsqlc.remote.session.failures import PassingError
from lsqlc.tasks.aligned import Aligned, graces
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.types.kafka import KafkaSettings

ORDERS = lsqlc.Topic("orders", key="INT", value="item STRING, n INT")
COPY = "SELECT STREAM * FROM orders"
WINDOWS = "SELECT STREAM COUNT(*) AS c FROM {} WINDOW BY TUMBLE 1m GRACE BY {} GROUP BY item"
_NOWHERE = KafkaSettings("localhost:1")


def ordered(**programs: str) -> tuple[Node, ...]:
    """The queries of models that each read `orders` or a model before them."""
    topics, jobs, place = [ORDERS], [], open_target(Path(), Target("local", connection=_NOWHERE), [])
    for name, program in programs.items():
        plan = lsqlc.compile(program, topics=topics, name=name)
        topics.append(lsqlc.Topic(name, key="INT", value="item STRING, n INT"))
        jobs.append(Job(name, lower(plan, wires=place.wires)))
    return nodes(jobs)


def test_graces() -> None:
    """The least one of those that read from a query, directly or not, and its own."""
    found = graces(
        ordered(
            first=COPY,
            second="SELECT STREAM * FROM first",
            other=COPY,
            short=WINDOWS.format("second", "2s"),
            long=WINDOWS.format("first", "9s"),
        )
    )
    assert found == {"first": 2_000, "second": 2_000, "short": 2_000, "long": 9_000}


@pytest.mark.parametrize(("code", "raised"), [("LSQ732", PassingError), ("LSQ735", LsqlcError)])
def test_brokers_that_do_not_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str, raised: type[LsqlcError]
) -> None:
    """The query is started again later, as one that had begun would be. What does not pass ends the run."""

    def search(*_: Any) -> None:
        raise LsqlcError([Diagnostic(code, "no")])

    monkeypatch.setattr(KafkaLog, "search", search)
    (node,) = ordered(out=WINDOWS.format("orders", "2s"))
    place = open_target(tmp_path, Target("local", connection=_NOWHERE), [])
    limit = Aligned(place, graces([node]), until_read=True, say=print)
    with pytest.raises(LsqlcError) as error:
        limit.prepare(node, Checkpoint("", "", resumed=False), None)
    assert type(error.value) is raised


@pytest.mark.parametrize("program", [COPY, WINDOWS.format("orders", "2s")])
def test_what_is_never_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str) -> None:
    """A query without a watermark behind it, and one that Spark writes to Kafka without Python."""
    monkeypatch.setattr(KafkaLog, "search", None)
    (node,) = ordered(out=program)
    settings = KafkaSettings("localhost:1", writers=1 if program == COPY else "native")
    place: RunTarget = open_target(tmp_path, Target("local", connection=settings), [])
    limit = Aligned(place, graces([node]), until_read=True, say=print)
    assert limit.prepare(node, Checkpoint("", "", resumed=False), None) is Next.UNLIMITED
