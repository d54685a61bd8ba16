"""How far the clock of a Spark server is behind the batches of a checkpoint, which another server may have begun."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.steps import Stage
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.server_clock import clock_behind, seconds_behind
from lsqlc.remote.run.stores import store_of
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings

# A minute of milliseconds.
MINUTE = 60_000
NOW = 1_700_000_000_000


class Server:
    """A session on a server whose clock says `now`."""

    def __init__(self, now: int = NOW) -> None:
        self.now = now
        self.questions = 0

    def sql(self, text: str) -> Server:
        assert text == "SELECT unix_millis(current_timestamp())"
        self.questions += 1
        return self

    def collect(self) -> list[tuple[int]]:
        return [(self.now,)]


def stage_of(program: str) -> Stage:
    topics = [lsqlc.Topic(name, key="INT", value="n INT") for name in ("orders", "rates")]
    plan = lsqlc.compile(program, topics=topics, name="out")
    place = open_target(Path(), Target("local", connection=KafkaSettings("localhost:1")), [])
    [stage] = lower(plan, wires=place.wires).stages
    return stage


JOIN = (
    "WITH r AS (SELECT TABLE n AS rate FROM rates);"
    "INSERT INTO out SELECT STREAM o.n, r.rate FROM orders AS o INNER JOIN r ON o._key = r._key"
)
COPY = "SELECT STREAM n FROM orders"


def checkpoint_of(folder: Path, *times: int, done: int, resumed: bool = True) -> Checkpoint:
    """A checkpoint whose batches began at these times, in epoch milliseconds; the first `done` of them are done."""
    for number, time in enumerate(times):
        about = json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": time, "conf": {}})
        for kind, text in (("offsets", f"v1\n{about}\n{{}}"), ("commits", "v1\n{}")):
            if kind == "offsets" or number < done:
                (folder / kind).mkdir(parents=True, exist_ok=True)
                (folder / kind / str(number)).write_text(text)
    return Checkpoint(str(folder), "g", resumed=resumed)


@pytest.mark.parametrize(
    ("now", "done", "seconds"),
    [
        (NOW, 2, 0.0),
        (NOW + 1, 2, 0.0),
        (NOW - MINUTE, 2, 60.0),
        (NOW - MINUTE, 1, 60.0),
        (NOW - 61 * MINUTE, 2, 3_660.0),
    ],
)
def test_the_newest_batch_counts(tmp_path: Path, now: int, done: int, seconds: float) -> None:
    """Done or not: one that was begun is repeated with the time that it had."""
    checkpoint = checkpoint_of(tmp_path, NOW - MINUTE, NOW, done=done)
    assert seconds_behind(stage_of(JOIN), checkpoint, store_of(tmp_path), Server(now)) == seconds  # type: ignore[arg-type]


def test_who_need_not_ask_does_not(tmp_path: Path) -> None:
    """A query that does not order by batches, one without a checkpoint, and one without a batch."""
    server: Any = Server(NOW - MINUTE)
    of_batches, store = checkpoint_of(tmp_path / "a", NOW, done=1), store_of(tmp_path)
    assert seconds_behind(stage_of(COPY), of_batches, store, server) == 0
    assert seconds_behind(stage_of(JOIN), replace(of_batches, resumed=False), store, server) == 0
    assert seconds_behind(stage_of(JOIN), checkpoint_of(tmp_path / "b", done=0), store, server) == 0
    assert server.questions == 0


def test_what_a_run_says() -> None:
    """The seconds, and how the query continues."""
    problem = clock_behind("prices", "prices-2", 3_660.2)
    assert problem.code == "LSQ608"
    assert problem.message == "the clock of the Spark server is 3660 s behind the newest batch of model 'prices'"
    assert "'prices-2'" in problem.notes[0] and "continues where it stopped" in (problem.help or "")
