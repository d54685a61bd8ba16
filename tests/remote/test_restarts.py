"""A query that loses its worker is started again by itself, and what lies in the data ends the run at once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.merge_order import CLOCK_SET_BACK
from lsqlc.lower.spark.steps import FileSource, Stage, Write
from lsqlc.remote.run import queries, runner
from lsqlc.remote.run.bad_rows import bad_row
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.events import Failed, QuerySummary, RestartingQuery
from lsqlc.remote.run.graph import Node
from lsqlc.remote.run.poll_schedule import PollSchedule
from lsqlc.remote.run.queries import QueryOptions
from lsqlc.remote.run.query_status import QueryStatuses, after
from lsqlc.remote.run.restarts import (
    LONGEST_PAUSE,
    LONGEST_SLOW_PAUSE,
    LONGEST_WAIT,
    SLOW_SECONDS,
    Clock,
    Restarts,
    pause_after,
)
from lsqlc.remote.run.supervisor import RestartPolicy, supervise
from lsqlc.remote.session.failures import LastingError, PassingError, is_passing, query_failed
from lsqlc.report.progress import failures_text, restarting_query_line
from lsqlc.types import data
from lsqlc.types.data import Field
from lsqlc.types.files import Files

SLOW = "[STREAM_FAILED] Query terminated with exception: Python worker failed to connect back."
AWAY = "no broker answers at h:9092"
LOST = "[STREAM_FAILED] Query terminated with exception: Python worker exited unexpectedly (crashed)"


def test_pauses_grow_up_to_a_limit() -> None:
    """Twice as long each time, and up to a half longer by chance."""
    assert [pause_after(n, 0.0) for n in (1, 2, 3, 4, 5, 6, 99)] == [2, 4, 8, 16, 32, LONGEST_PAUSE, LONGEST_PAUSE]
    assert pause_after(99, 1.0) == LONGEST_PAUSE * 1.5


def test_lost_workers_are_counted_and_slow_ones_waited_for() -> None:
    """Five losses in a row are borne; slow starts until they and the short pauses after them add up to the limit. A
    batch forgives all.
    """
    lost = Restarts(5)
    assert [lost.pause(batches=0, slow=False, chance=0) is None for _ in range(6)] == [False] * 5 + [True]
    assert lost.pause(batches=1, slow=False, chance=0) == 2.0
    slow, waited = Restarts(5), []
    while (pause := slow.pause(batches=0, slow=True, chance=0, late=True)) is not None:
        waited.append(pause)
    assert waited[:3] == [2.0, 4.0, 4.0] and max(waited) == LONGEST_SLOW_PAUSE
    all_in_all = sum(waited) + SLOW_SECONDS * len(waited)
    assert LONGEST_WAIT <= all_in_all < LONGEST_WAIT + SLOW_SECONDS + LONGEST_SLOW_PAUSE
    assert Restarts(0).pause(batches=3, slow=True, chance=0) is None


def test_brokers_that_are_away_are_waited_for() -> None:
    """Without a limit, and the losses of a worker before and after count as if there had been no outage."""
    restarts = Restarts(2)
    assert restarts.pause(batches=0, slow=False, chance=0) == 2.0
    pauses = [restarts.pause(batches=0, slow=False, chance=0, away=True) for _ in range(50)]
    assert pauses[:3] == [4.0, 8.0, 16.0] and pauses[-1] == LONGEST_PAUSE
    assert restarts.pause(batches=0, slow=False, chance=0) == LONGEST_PAUSE
    assert restarts.pause(batches=0, slow=False, chance=0) is None
    assert Restarts(0).pause(batches=0, slow=False, chance=0, away=True) is None


@pytest.mark.parametrize(
    ("text", "code", "passes"),
    [
        (SLOW, "LSQ661", True),
        (LOST, "LSQ661", True),
        ('Cannot run program "chmod": error=0, Failed to exec spawn helper: pid: 7, signal: 9', "LSQ661", True),
        ("Job aborted due to stage failure: ExecutorLostFailure (executor 3 exited)", "LSQ661", True),
        (
            'Cannot invoke "scala.collection.IterableOps.map(scala.Function1)" because the return value of'
            ' "scala.Option.get()" is null\n\nJVM stacktrace:\n\tat'
            " org.apache.spark.sql.kafka010.KafkaMicroBatchStream$.metrics(KafkaMicroBatchStream.scala:520)",
            "LSQ661", True,
        ),
        ("[DIVIDE_BY_ZERO] Division by zero.", "LSQ661", False),
        ("[PYTHON_EXCEPTION] Traceback ... ModuleNotFoundError: No module named 'pyarrow'", "LSQ661", False),
        ("[FAILED_READ_FILE.NO_HINT] Encountered error: java.io.EOFException", "LSQ661", False),
        ("[MALFORMED_RECORD_IN_PARSING] Malformed records are detected in record parsing: [7,1]", "LSQ667", False),
        ("[PYTHON_EXCEPTION] OSError: [Errno 28] No space left on device", "LSQ669", False),
        ("java.io.IOException: No space left on device", "LSQ669", False),
        ("[PYTHON_EXCEPTION] PermissionError: [Errno 13] Permission denied: '/topics/x'", "LSQ669", False),
        ("java.nio.file.AccessDeniedException: /checkpoints/x", "LSQ669", False),
        (f"[USER_RAISED_EXCEPTION] {CLOCK_SET_BACK} SQLSTATE: P0001", "LSQ670", False),
    ],
)  # fmt: skip
def test_what_passes(text: str, code: str, passes: bool) -> None:
    """Only the loss of a worker passes, and a fault of the connector behind a batch that is done. No message blames
    Python for what lies elsewhere.
    """
    assert is_passing(text) == passes
    found = query_failed("m", "m", text)
    assert found.code == code
    assert ("version of Python" in str(found.help)) == ("ModuleNotFoundError" in text)


def test_what_lasts_is_not_tried_again() -> None:
    """Whatever its code."""
    calls = []

    def attempt() -> None:
        calls.append(1)
        raise LastingError([Diagnostic("LSQ661", "went wrong")])

    with pytest.raises(LsqlcError):
        supervise(
            attempt, RestartPolicy(limit=5, progress=lambda: 0, wait=lambda seconds: False, report=lambda event: None)
        )
    assert len(calls) == 1


def _stage(*steps: FileSource) -> Stage:
    return Stage("m", steps, Write("m", "out", "append"))


def _raised(text: str) -> str:
    return f"[STREAM_FAILED] ... [USER_RAISED_EXCEPTION] {text} SQLSTATE: P0001\n\nJVM stacktrace:\n\tat x"


@pytest.mark.parametrize(
    ("format", "content", "said", "line", "why"),
    [
        ("csv", "a,b\n1,x\nbad,y\n", 'a: expected INT: ["bad","y"]', 3, "a: expected INT"),
        ("csv", 'b,a\n"x\nx",1\n"y: z",bad\n', 'a: expected INT: ["bad","y: z"]', 4, "a: expected INT"),
        ("csv", "a,b\n1,x\n1,2,3\n", "too wide: 1,2,3", 3, "too wide"),
        ("json", '{"a":1}\n\n{"a":"x: y"}\n', 'a: expected INT: {"a":"x: y"}', 3, "a: expected INT"),
        ("json", 'y"}\n{"a":"x: y"}\r\n', 'a: expected INT: {"a":"x: y"}', 2, "a: expected INT"),
        ("csv", "a,b\n", 'a: expected INT: ["bad","y"]', 1, "a: expected INT"),
    ],
)  # fmt: skip
def test_the_line_of_a_bad_row(tmp_path: Path, format: Any, content: str, said: str, line: int, why: str) -> None:
    """Out of Spark's message and the file; of a row that is not there any more the file alone."""
    for path in ("data/a.x", "data/b: c.x"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(content, newline="")
        source = FileSource("v", "w", Files("data", format), (Field("a", data.INT), Field("b", data.STRING)))
        (found,) = bad_row("m", _raised(f"'w' cannot be read: {path}: {said}"), _stage(source), tmp_path)
        assert found.code == "LSQ440" and found.span is not None
        assert (found.span.path, found.span.line) == (path, line)
        assert found.message == f"the model 'm' cannot read a row of '{path}': {why}"
    assert bad_row("m", _raised("'v' cannot be read: data/a.x: x: y"), _stage(source), tmp_path) == []
    assert bad_row("m", "Division by zero", _stage(source), tmp_path) == []


@dataclass
class FakeQuery:
    """What `runner` asks of a query: how long it lives, and how it ends."""

    runId: int
    error: str | None = None
    polls: int = 0
    stopped: bool = False
    lastProgress: None = None

    def is_active(self) -> bool:
        self.polls += 1
        return self.polls < 3 and not self.stopped

    def exception(self) -> Exception | None:
        return RuntimeError(self.error) if self.error else None

    def stop(self) -> None:
        self.stopped = True


@dataclass
class Fakes:
    """Time that passes only where somebody sleeps; queries that fail as a script says."""

    now: float = 1_000.0
    events: list[Any] = field(default_factory=list)
    starts: dict[str, list[float]] = field(default_factory=dict)
    queries: list[FakeQuery] = field(default_factory=list)

    @property
    def active(self) -> list[FakeQuery]:
        return [query for query in self.queries if query.is_active()]

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def _run(
    monkeypatch: pytest.MonkeyPatch,
    scripts: dict[str, list[str | None]],
    restarts: int = 5,
    fakes: Fakes | None = None,
    waits: bool = False,
) -> tuple[Fakes, tuple[QuerySummary, ...]]:
    """Run queries whose n-th start fails with the n-th text of its script: one with `!` as it starts, `AWAY` since no
    broker answers, None: never.
    """
    fakes = fakes or Fakes()

    def start(spark: Any, to_start: queries.Query, *arguments: Any) -> FakeQuery:
        stage, model = to_start.stage, to_start.model
        text = scripts[stage.name].pop(0)
        fakes.starts.setdefault(stage.name, []).append(fakes.now)
        if text == AWAY:
            raise PassingError([Diagnostic("LSQ732", AWAY)])
        if text is not None and text.startswith("!"):
            raise PassingError([query_failed(model, stage.name, text)])
        fakes.queries.append(FakeQuery(len(fakes.queries), text))
        return fakes.queries[-1]

    class Transport:
        project = None
        columns = ("line",)

        def beginning(self, places: object) -> Transport:
            return self

        def write(self, *arguments: Any, ordered: bool, version: str, headers: bool) -> None:
            return None

        def explain(self, *arguments: Any) -> None:
            return None

        def until_visible(self, topic: str) -> None:
            return None

    class Spark:
        streams = fakes

        class client:
            @staticmethod
            def close() -> None:
                return None

    monkeypatch.setattr(runner, "start", start)
    made = runner._Run(
        runner.RunResources(Spark(), None, Transport(), Path("/nowhere")),  # type: ignore[arg-type]
        runner.RunOptions(
            restarts=restarts, clock=Clock(lambda: fakes.now, lambda: 5_000.0, fakes.sleep, lambda: 0.0), waits=waits
        ),
        fakes.events.append,
    )  # fmt: skip
    monkeypatch.setattr(runner._Run, "_answers", lambda self: True)
    nodes = [Node(name, name, Stage(name, (), Write("v", f"to-{name}", "append")), ()) for name in scripts]

    def until_ended(ordered: Any, stop: Any) -> None:
        for node in ordered:
            made._start(node, Checkpoint("/nowhere", "g", resumed=False))
        while made._running or made._paused:
            made._start_again()
            made._watch()
            fakes.sleep(0.2)

    monkeypatch.setattr(made, "_until_ended", until_ended)
    return fakes, made.all(tuple(nodes), lambda: False)


def test_a_lost_worker_costs_its_query_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other query is started once and goes on; the pauses double; the events and the standing say why."""
    fakes, summaries = _run(monkeypatch, {"a": [None], "b": ["!" + SLOW, SLOW, LOST, None]})
    assert [s.finished for s in summaries] == [True, True]
    assert len(fakes.starts["a"]) == 1
    times = fakes.starts["b"]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert [round(gap) for gap in gaps] == [2, 4, 8]
    again = [e for e in fakes.events if isinstance(e, RestartingQuery)]
    assert [(e.query, e.failures, e.pause) for e in again] == [("b", 1, 2.0), ("b", 2, 4.0), ("b", 3, 8.0)]
    assert "b: failed at 1970-01-01T01:23:20Z and restarts in 8 s, failure 3 in a row" in restarting_query_line(
        again[-1]
    )
    standings: QueryStatuses = {}
    for event in fakes.events:
        standings = after(standings, event)
    assert standings["a"].failure == "" and standings["a"].starts == 1
    assert (standings["b"].starts, standings["b"].failed, standings["b"].state) == (3, 5_000.0, "finished")
    told = failures_text(list(standings.values()), 5_012.0)
    assert told.startswith("b: 3 starts, the last failure 12") and "exited unexpectedly" in told


def test_a_query_waits_for_brokers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a limit where the run waits for them, else as for a worker that is slow."""
    fakes, (summary,) = _run(monkeypatch, {"a": [AWAY] * 40 + [None]}, restarts=1, waits=True)
    assert summary.finished and len(fakes.starts["a"]) == 41
    with pytest.raises(LastingError, match="LSQ732"):
        _run(monkeypatch, {"a": [AWAY] * 40 + [None]}, restarts=1)


def test_a_query_waits_for_the_clock_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to ten minutes, while the others run; no batch begins before an earlier one. By more the query fails before
    it has begun anything.
    """
    fakes = Fakes()

    def behind(stage: Stage, *of: object) -> float:
        return max(0.0, 1_060.0 - fakes.now) if stage.name == "a" else 0.0

    monkeypatch.setattr(runner, "seconds_behind", behind)
    _, summaries = _run(monkeypatch, {"a": [None], "b": [None]}, fakes=fakes, restarts=0)
    assert [s.finished for s in summaries] == [True, True]
    assert fakes.starts["b"] == [1_000.0] and 1_060.0 <= fakes.starts["a"][0] < 1_061.0
    [waiting] = [e for e in fakes.events if isinstance(e, RestartingQuery)]
    assert restarting_query_line(waiting) == (
        "a: starts in 60 s: the clock of the Spark server is 60 s behind the newest batch of model 'a'"
    )
    monkeypatch.setattr(runner, "seconds_behind", lambda *of: 601.0)
    later = Fakes()
    with pytest.raises(LastingError, match="LSQ608"):
        _run(monkeypatch, {"a": [None]}, fakes=later)
    assert not later.starts


def test_a_query_is_given_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what was wrong the last time; the supervisor does not start from the beginning."""
    with pytest.raises(LastingError) as raised:
        _run(monkeypatch, {"a": [LOST] * 9}, restarts=2)
    assert raised.value.diagnostics[0].code == "LSQ661"


@pytest.mark.parametrize("text", [LOST, "!" + LOST, "[DIVIDE_BY_ZERO] Division by zero."])
def test_a_failure_for_good_is_an_event(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Once, of the query that failed, with its time; the others are stopped, and the standing stays that it failed."""
    fakes = Fakes()
    with pytest.raises(LastingError):
        _run(monkeypatch, {"b": [None], "a": [text] * 9}, restarts=0, fakes=fakes)
    (failed,) = [e for e in fakes.events if isinstance(e, Failed)]
    assert (failed.query, failed.topic, failed.at, failed.found[0].code) == ("a", "to-a", 5_000.0, "LSQ661")
    standings: QueryStatuses = {}
    for event in fakes.events:
        standings = after(standings, event)
    assert standings["a"].state == "failed" and standings["b"].state != "failed"


def test_other_failures_end_the_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One start and no more."""
    script: list[str | None] = ["[DIVIDE_BY_ZERO] Division by zero.", None]
    with pytest.raises(LastingError, match="LSQ661"):
        _run(monkeypatch, {"a": script})
    assert script == [None]


@dataclass
class Watching:
    """A run of one query, which does the batches of `batches`, by the time; its calls to the server, by the time."""

    now: float = 0.0
    asked: list[float] = field(default_factory=list)
    looked: list[float] = field(default_factory=list)

    @property
    def streams(self) -> Watching:
        return self

    @property
    def active(self) -> list[FakeQuery]:
        self.asked.append(self.now)
        return [FakeQuery(1)]

    def watch(
        self, monkeypatch: pytest.MonkeyPatch, checkpoints: Path, *, until_read: bool, noted: frozenset[float]
    ) -> None:
        """Twenty seconds of it; it notes a batch at those times, which Spark tells of a moment later."""
        monkeypatch.setattr(runner._Run, "_answers", lambda run: True)
        clock = Clock(lambda: self.now, sleep=lambda seconds: None)
        options = runner.RunOptions(query=QueryOptions(until_read=until_read), clock=clock)
        resources = runner.RunResources(self, None, None, checkpoints)  # type: ignore[arg-type]
        made = runner._Run(resources, options, lambda event: None)
        waiting: list[float] = []

        def take(running: object) -> bool:
            self.looked.append(self.now)
            return bool(waiting and waiting[0] < self.now and waiting.pop())

        monkeypatch.setattr(made, "_take_progress", take)
        commits = checkpoints / "q" / "commits"
        commits.mkdir(parents=True)
        node = Node("q", "q", Stage("q", (), Write("v", "t", "append")), ())
        checkpoint = Checkpoint(str(commits.parent), "g", resumed=False)
        summary = QuerySummary("q", "q", "t", resumed=False)
        query: Any = FakeQuery(1)
        looks = PollSchedule(commits.parent)
        made._running.append(runner._Running(node, 0.0, summary, checkpoint, None, Restarts(5), query, None, looks))
        for tick in range(80):
            self.now = tick / 4
            if self.now in noted:
                os.utime(commits, ns=(tick, tick))
                waiting.append(self.now)
            made._watch()


def test_a_query_that_tells_nothing_is_looked_at_less_often(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And at once when it has noted a batch, until Spark tells of it."""
    run = Watching()
    run.watch(monkeypatch, tmp_path, until_read=False, noted=frozenset((15.0,)))
    assert run.looked == [0.0, 0.5, 1.5, 3.25, 6.5, 13.0, 15.0, 15.5, 15.75, 16.25, 17.25, 19.0]
    assert run.asked == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0]


def test_the_end_of_a_run_is_asked_for_all_the_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where it reads until all is read, since others wait for it."""
    run = Watching()
    run.watch(monkeypatch, tmp_path, until_read=True, noted=frozenset())
    assert len(run.asked) == 80 and len(run.looked) == 6


@pytest.mark.parametrize("until_read", [True, False])
def test_a_query_that_goes_on_does_not_look_all_the_time(monkeypatch: pytest.MonkeyPatch, until_read: bool) -> None:
    """For more to read; one that ends when all is read looks once, and Spark's own setting stays."""
    started: list[Any] = []
    monkeypatch.setattr(queries, "_start", lambda *arguments: started.append(arguments))
    stage = Stage("q", (), Write("v", "t", "append"), settings=(("a", "b"),))
    options = QueryOptions(until_read=until_read)
    queries.start(None, queries.Query("m", stage, None, options), None, "c")  # type: ignore[arg-type]
    polling = () if until_read else (("spark.sql.streaming.pollingDelay", "200ms"),)
    assert started[0][3] == (("a", "b"), *polling)
