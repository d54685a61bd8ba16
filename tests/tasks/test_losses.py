"""Records that Kafka no longer has and a query has not read: what is reported, and how the query continues."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import lsqlc
from lsqlc.cli.main import main
from lsqlc.connectors.kafka.log import Generations, KafkaLog
from lsqlc.connectors.losses import Gap, gaps, lost
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import NEWEST, lower
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.project.declared.target import Target
from lsqlc.project.selection.graph import Graph
from lsqlc.remote.run.batch_log import BatchLog, continued_at, read_batches
from lsqlc.remote.run.checkpoints import CheckpointRequest, describe, open_checkpoint
from lsqlc.remote.run.stores import FolderStore
from lsqlc.remote.run.target_steps import Deployed, steps_of
from lsqlc.tasks.losses import (
    check_accepted,
    forget_accepted,
    losses,
    pass_losses,
    read_accepted,
)
from lsqlc.tasks.run_target import RunTarget, open_target
from lsqlc.types.kafka import KafkaSettings

ORDERS = lsqlc.Topic("orders", key="INT", value="item STRING, n INT")
PROGRAM = "SELECT STREAM item, COUNT(*) AS c FROM orders GROUP BY item"
BOUNDS = {0: (0, 10), 1: (0, 10)}
# By what happened to the topic, of which a query has read up to offset 8 of partition 0 and 3 of partition 1: where its
# partitions begin and end, and what is missing.
CASES: Mapping[str, tuple[Mapping[int, tuple[int, int]], list[str]]] = {
    "nothing": ({0: (0, 10), 1: (0, 10)}, []),
    "retention of what was read": ({0: (8, 10), 1: (3, 3)}, []),
    "retention": (
        {0: (0, 10), 1: (7, 10)},
        ["the offsets 3 to 6 are missing in partition 1 of 'orders', which begins at offset 7"],
    ),
    "retention of one": (
        {0: (9, 10), 1: (0, 10)},
        ["the offset 8 is missing in partition 0 of 'orders', which begins at offset 9"],
    ),
    "created again": (
        {0: (0, 2), 1: (0, 5)},
        ["partition 0 of 'orders' ends at offset 2, and the query has read it up to offset 8"],
    ),
    "fewer partitions": (
        {0: (0, 10)},
        ["partition 1 of 'orders' does not exist, and the query has read it up to offset 3"],
    ),
    "a partition that begins later": (
        {**BOUNDS, 2: (4, 5)},
        ["the offsets 0 to 3 are missing in partition 2 of 'orders', which begins at offset 4"],
    ),
    "deleted": (
        {},
        [
            "partition 0 of 'orders' does not exist, and the query has read it up to offset 8",
            "partition 1 of 'orders' does not exist, and the query has read it up to offset 3",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_gaps(case: str) -> None:
    """A partition that came later and has its first record is none, nor anything of a topic that was not read."""
    bounds, texts = CASES[case]
    assert [gap.text for gap in gaps("orders", {0: 8, 1: 3}, bounds)] == texts
    assert not gaps("orders", {}, bounds)
    assert not gaps("orders", {0: 8}, BOUNDS)


def test_many_partitions() -> None:
    """Only some are listed. The tests of a topic are not refreshed by themselves."""
    found = lost("m", ["a", "b"], [gap.text for gap in (Gap("a", p, 1) for p in range(1_000))])
    assert len(found.notes) == 9 and found.notes[-1] == "and 992 more partitions"
    assert found.help is not None and "`lsqlc run --accept-loss a --accept-loss b`" in found.help
    of_tests = lost("tests:a", ["a"], ["x"])
    assert of_tests.help is not None and "--full-refresh" not in of_tests.help


def batch(*lines: object) -> str:
    return "\n".join(("v1", '{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}', *map(json.dumps, lines)))


LOG = BatchLog(
    {
        "offsets/1": batch({"p.orders": {"0": 1, "1": 1}}, "-"),
        "commits/1": "v1\n{}",
        "offsets/2": batch({"p.orders": {"0": 8, "1": 3}}, "-"),
        "commits/2": "v1\n{}",
    }
)


def test_a_batch_is_continued_elsewhere() -> None:
    """The end of the last batch changes, and that of one that was begun; nothing else does. So it is with sources that
    have names.
    """
    moved = continued_at(LOG, 0, "p.orders", {0: 0, 1: None})
    assert moved.offsets(2, 0) == {"p.orders": {0: 0}}
    assert {name for name in LOG.texts if moved.texts[name] != LOG.texts[name]} == {"offsets/2"}
    begun = BatchLog({**LOG.texts, "offsets/3": batch({"p.orders": {"0": 9, "1": 9}}, "-")})
    moved = continued_at(begun, 0, "p.orders", {0: 2})
    assert moved.offsets(2, 0) == {"p.orders": {0: 2, 1: 3}} and moved.offsets(3, 0) == {"p.orders": {0: 2, 1: 9}}
    text = 'v2\n{}\nb:{"x": {"0": 7}}\na:{"p.orders": {"0": 8}}'
    named = continued_at(BatchLog({"offsets/0": text, "commits/0": "v1\n{}"}, ("a", "b")), 0, "p.orders", {0: 1})
    assert named.texts["offsets/0"] == 'v2\n{}\nb:{"x": {"0": 7}}\na:{"p.orders": {"0": 1}}'


class Ran:
    """A model over Kafka with a checkpoint that has read up to offsets 8 and 3."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.plan = lsqlc.compile(PROGRAM, topics=[ORDERS], name="out")
        target = Target("local", connection=KafkaSettings("localhost:1", prefix="p."))
        self.place: RunTarget = open_target(folder, target, [self.plan])
        self.plans: Mapping[str, SparkPlan] = {"out": lower(self.plan, wires=self.place.wires)}
        self.bounds: Mapping[int, tuple[int, int]] = BOUNDS
        self.said: list[str] = []
        monkeypatch.setattr(KafkaLog, "offsets", lambda log, topic: self.bounds)
        monkeypatch.setattr(KafkaLog, "generations", lambda log, topic: Generations({}, frozenset()))
        assert isinstance(self.place.checkpoints, Path)
        self.store = FolderStore(self.place.checkpoints)
        self.stage = next(stage for stage in self.plans["out"].stages if "orders" in stage.sources[0].topics)
        parts = describe(self.stage, partitions=1, server=NEWEST, model="out")
        opened = open_checkpoint(self.store, self.place.streams(), CheckpointRequest(self.stage.name, "out", parts))
        self.location = Path(opened.location)
        for name, text in LOG.texts.items():
            path = self.location / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.removesuffix('\n"-"'), "utf-8")

    def losses(self) -> list[str]:
        return [gap.text for loss in losses(self.plans, self.place, self.store) for gap in loss.gaps]

    def accept(self, *topics: str) -> None:
        pass_losses(self.plans, self.place, self.store, topics, 1_000.0, self.said.append)

    def read(self) -> Mapping[str, Mapping[int, int]]:
        log = read_batches(self.location)
        return log.offsets(log.committed, 0)


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    return Ran(tmp_path, monkeypatch)


@pytest.mark.parametrize("case", CASES)
def test_a_loss_is_reported_and_accepted(ran: Ran, case: str) -> None:
    """Before any query starts, with the ways on. Accepted, the query continues where each partition begins, and all of
    it is there.
    """
    ran.bounds, texts = CASES[case]
    assert ran.losses() == texts
    before = ran.read()
    if texts:
        with pytest.raises(LsqlcError) as raised:
            ran.accept("other")
        (found,) = raised.value.diagnostics
        assert found.code == "LSQ753" and found.notes == tuple(texts) and "'orders'" in found.message
        assert ran.read() == before and not read_accepted(ran.place.state)
    ran.accept("orders")
    assert not ran.losses()
    known = read_accepted(ran.place.state)
    assert [(each.model, each.topic, each.missing) for each in known] == [("out", "orders", text) for text in texts]
    assert ran.said == [f"accepted for the model 'out': {text}" for text in texts] or [
        "no query lacks records of 'orders'"
    ]
    lacking = {gap.partition for gap in gaps("orders", before["p.orders"], ran.bounds)}
    kept = {p: offset for p, offset in before["p.orders"].items() if p not in lacking}
    assert ran.read()["p.orders"] == {**kept, **{p: ran.bounds[p][0] for p in lacking if p in ran.bounds}}


def test_a_batch_that_was_begun_ends_nowhere(ran: Ran) -> None:
    """The topic was created again, and its new records have come to what the query had read."""
    (ran.location / "offsets/3").write_text((batch({"p.orders": {"0": 30, "1": 3}})), "utf-8")
    assert ran.losses() == ["partition 0 of 'orders' ends at offset 10, and the query has read it up to offset 30"]
    ran.accept("orders")
    assert not ran.losses() and ran.read() == {"p.orders": {0: 0, 1: 3}}
    assert read_batches(ran.location).offsets(3, 0) == {"p.orders": {0: 0, 1: 3}}


def test_what_is_recomputed_lacks_nothing(ran: Ran) -> None:
    """The note goes with the results."""
    ran.bounds = {0: (9, 10), 1: (4, 10)}
    ran.accept("orders")
    forget_accepted(ran.place.state, ["other"])
    assert len(read_accepted(ran.place.state)) == 2
    forget_accepted(ran.place.state, ["out"])
    assert not read_accepted(ran.place.state)


def test_a_checkpoint_at_an_address(ran: Ran) -> None:
    """Nothing there is written again: it is refused, with the other way."""
    ran.bounds = {}
    ran.place = replace(ran.place, checkpoints="s3a://shop/checkpoints")
    with pytest.raises(LsqlcError) as raised:
        ran.accept("orders")
    assert [d.code for d in raised.value.diagnostics] == ["LSQ767"]


def test_a_topic_that_nobody_reads(ran: Ran) -> None:
    """With the name that was meant."""
    check_accepted(ran.plans, ["orders"])
    with pytest.raises(LsqlcError) as raised:
        check_accepted(ran.plans, ["order"])
    (found,) = raised.value.diagnostics
    assert found.code == "LSQ768" and "orders" in str(found.help)


def test_the_plan_does_not_continue(ran: Ran) -> None:
    """A model that lacks records is rebuilt unless the loss is accepted; both are said."""
    ran.bounds = CASES["retention"][0]
    parts = {ran.stage.name: describe(ran.stage, partitions=1, server=NEWEST, model="out")}
    missing = {loss.query: loss.texts for loss in losses(ran.plans, ran.place, ran.store)}
    there = Deployed(parts, {ran.stage.name: ()}, {}, (), missing)
    (step,) = steps_of({"out": parts}, there, Graph({}, {}, ("out",), {"out": "out"}))
    assert step.action == "rebuild"
    assert CASES["retention"][1][0] in step.reasons[0] and "--accept-loss orders" in step.reasons[1]


@pytest.mark.parametrize("output", ["text", "json"])
def test_the_status_shows_what_was_accepted(
    ran: Ran, tmp_path: Path, capsys: pytest.CaptureFixture[str], output: str
) -> None:
    """As text and as data."""
    (tmp_path / "lsqlc.yml").write_text("name: shop\n", "utf-8")
    ran.bounds = CASES["retention"][0]
    ran.accept("orders")
    with pytest.raises(SystemExit):
        main(["status", "--project-dir", str(tmp_path), "--output", output])
    told = capsys.readouterr().out
    if output == "json":
        assert [each["topic"] for each in json.loads(told)["accepted_losses"]] == ["orders"]
    else:
        assert "a loss was accepted" in told and CASES["retention"][1][0] in " ".join(told.split())
