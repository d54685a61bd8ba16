"""Golden cases on Spark: all cases of a model in one streaming query, batch i of it holding the i-th batch of every
case.

How it is made quick: one file per batch, the state in memory, one shuffle partition, and Spark's memory sink, which
needs no Python on the server and starts in a tenth of the time of `foreachBatch`.

What the lowering (`cases=True`) has to do:

- A `Source` view is (`_case` STRING, `_topic` STRING, `_line` STRING). `_case` leads every key, and every line written
  starts with a field "case". A stage that reads what another one wrote finds `_case` split off again.
- **The end of time.** After the last batch of a plan with a `Watermark` comes one row with `_topic` '' and `_line`
  '{"_end":true}' in every Source view, so that windows close and unmatched rows come out. The column that the
  `Watermark` step names must be far in the future for that row, and the row must be filtered out above the `Watermark`
  step *by that column*, such as `where at < timestamp'30000-01-01'`: a filter by anything else is pushed below the
  watermark by Spark's optimiser, and the row would not move it. A source topic is never called ''. Where a stage has no
  Watermark no such row comes.
- **Time that goes on without a record** (`Case.advances`) is such a row too, '{"advance":MILLISECONDS}'. It stands in
  two batches: what is late in a batch is judged by the watermark that the batch before it began with.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.connectors.bad_records import raw_line
from lsqlc.connectors.lines import line_encoder
from lsqlc.connectors.naming import modification_time_ns
from lsqlc.connectors.shared import give_permissions, make_folder
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark.evolution import STATE_FORMAT, STATE_PROVIDER
from lsqlc.lower.spark.record_lines import headers_sql
from lsqlc.lower.spark.steps import FileSource, Source, SparkPlan, Stage, Watermark
from lsqlc.remote.run.queries import Query, QueryOptions, start_in_memory
from lsqlc.remote.session import failures
from lsqlc.remote.state.reading import kept_rows
from lsqlc.sql.spark import text
from lsqlc.sql.writer import listed
from lsqlc.types.record import Case, KeptRows, Record, Topic, is_raw

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession

Lines = Mapping[str, tuple[str, ...]]

SETTINGS: tuple[tuple[str, str], ...] = (
    ("spark.sql.shuffle.partitions", "1"),
    (
        STATE_PROVIDER,
        "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    ),
    # That store knows no other, whatever the server says.
    (STATE_FORMAT, "1"),
    # A few rows are interpreted in less time than code for them is compiled: 1.5 s for three batches instead of 2.4 s.
    ("spark.sql.codegen.wholeStage", "false"),
    ("spark.sql.codegen.factoryMode", "NO_CODEGEN"),
    ("spark.sql.streaming.checkpoint.fileChecksum.enabled", "false"),
)
_NO_EXTRA_BATCHES = ("spark.sql.streaming.noDataMicroBatches.enabled", "false")
_END = '{"_end":true}'
# The topic of rows that speak of time alone.
_TIME = ""
_POLL_SECONDS = 0.02
_numbers = count()
_naming = threading.Lock()


@dataclass(frozen=True, slots=True)
class Found:
    """What a case gives: its lines by written topic, internal ones included, in order of batches; and what is kept in
    the end, if the case asks for it.
    """

    lines: Lines
    state: tuple[KeptRows, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Arrival:
    """One row of a batch file."""

    case: str
    topic: str
    line: str
    offset: int | None = None


def evaluate(
    spark: SparkSession,
    work: Path,
    plan: SparkPlan,
    cases: Sequence[Case],
    inputs: Mapping[str, Topic],
    *,
    model: str,
) -> dict[str, Found]:
    """What each case gives, by case.

    `work` is a folder that server and client share; what is put there is removed again. `inputs` has the topic of
    every record, by name. Names of cases differ. A plan with a Watermark runs once per case, since a query has one
    watermark; any other runs once for all, and for each case that asks for its state. Safe in two threads of one
    session.

    Raises LsqlcError: LSQ661 for a query that fails, LSQ663 for a lost server, LSQ665 for SQL that Spark refuses.
    """
    alone = any(isinstance(step, Watermark) for stage in plan.stages for step in stage.steps)
    apart = [case for case in cases if alone or case.state]
    together = [case for case in cases if case not in apart]
    groups: list[Sequence[Case]] = [*([case] for case in apart), *([together] if together else [])]
    found: dict[str, Found] = {}
    for group in groups:
        found.update(_evaluate(spark, work, plan, group, inputs, model))
    return found


def _evaluate(
    spark: SparkSession, work: Path, plan: SparkPlan, cases: Sequence[Case], inputs: Mapping[str, Topic], model: str
) -> dict[str, Found]:
    places, batches = _arrivals(cases, inputs)
    state: list[KeptRows] | None = [] if any(case.state for case in cases) else None
    written: dict[str, dict[str, list[str]]] = {c.name: {s.write.topic: [] for s in plan.stages} for c in cases}
    for stage in plan.stages:
        topics = {topic for source in stage.sources for topic in source.topics}
        wanted = {*topics, _TIME} if any(isinstance(step, Watermark) for step in stage.steps) else topics
        rows = [[a for a in batch if a.topic in wanted] for batch in batches]
        has_records = any(a.topic in topics for batch in rows for a in batch)
        if state is not None and not has_records:
            # Nothing came, and nothing is kept.
            state += [KeptRows(stage.name, number, 0) for number in range(len(stage.state))]
        for line in _run(spark, work, stage, rows, model, state) if has_records else ():
            case = str(json.loads(line)["case"])
            written[case][stage.write.topic].append(line)
            # A later stage gets a derived line in the batch of the record that caused it, behind what came with it.
            batches[places[case, _cause(line)]].append(_Arrival(case, stage.write.topic, line))
    kept = None if state is None else tuple(state)
    return {case: Found({topic: tuple(lines) for topic, lines in of.items()}, kept) for case, of in written.items()}


def _arrivals(
    cases: Sequence[Case], inputs: Mapping[str, Topic]
) -> tuple[dict[tuple[str, int], int], list[list[_Arrival]]]:
    """In which batch each ordinal of each case is, and the rows of each batch."""
    encoders = {name: line_encoder(topic) for name, topic in inputs.items()}
    places: dict[tuple[str, int], int] = {}
    offsets: defaultdict[tuple[str, str], Iterator[int]] = defaultdict(count)
    parts = {case.name: _parts(case) for case in cases}
    batches: list[list[_Arrival]] = [[] for _ in range(max(map(len, parts.values()), default=0))]
    for case in cases:
        ordinals = count()
        for place, batch in enumerate(parts[case.name]):
            if isinstance(batch, int):
                batches[place].append(_Arrival(case.name, _TIME, f'{{"advance":{batch}}}'))
                continue
            for record in batch:
                ordinal = next(ordinals)
                offset = next(offsets[case.name, record.topic])
                places[case.name, ordinal] = place
                if is_raw(record):
                    line = raw_line(inputs[record.topic], record, ordinal)
                else:
                    whole = (ordinal, *[0] * (inputs[record.topic].ordinal_width - 1))
                    line = encoders[record.topic](record, whole).decode().rstrip("\n")
                batches[place].append(_Arrival(case.name, record.topic, line, offset))
    return places, batches


def _parts(case: Case) -> list[tuple[Record, ...] | int]:
    """The batches of a case, cut where time goes on without a record, and between them the times that it reaches."""
    parts: list[tuple[Record, ...] | int] = []
    advances, before = deque(case.advances), 0
    for batch in case.batches:
        start = 0
        while advances and advances[0][0] < before + len(batch):
            place, time = advances.popleft()
            parts += [batch[start : place - before], time, time]
            start = place - before
        parts.append(batch[start:])
        before += len(batch)
    if case.state:
        # Behind all records these only matter to what is kept.
        parts += [time for _, time in advances for _ in range(2)]
    return parts


def _cause(line: str) -> int:
    ordinal = json.loads(line)["ordinal"]
    return int(ordinal if isinstance(ordinal, int) else ordinal[0])


def _run(
    spark: SparkSession,
    work: Path,
    stage: Stage,
    batches: Sequence[Sequence[_Arrival]],
    model: str,
    state: list[KeptRows] | None = None,
) -> Iterator[str]:
    """The lines that one stage writes for these batches, in order of batches. What it keeps behind the last of them is
    added to `state`.
    """
    with _naming:
        name = f"lsqlc_cases_{next(_numbers)}"
    folder = work.absolute() / name
    checkpoint = work.absolute() / f"{name}_checkpoint"
    timed = any(isinstance(step, Watermark) for step in stage.steps)
    try:
        make_folder(folder)
        _write_batches(folder, [*batches, [_Arrival("", _TIME, _END)]] if timed else batches)
        settings = (*SETTINGS, *(() if timed else (_NO_EXTRA_BATCHES,)), *stage.settings)
        options = QueryOptions(segments_per_batch=1)
        query = start_in_memory(
            spark,
            Query(model, stage, _CaseReader(folder), options),
            name,
            settings,
            checkpoint=str(checkpoint) if state is not None else None,
        )
        while query.isActive:
            time.sleep(_POLL_SECONDS)
        error = query.exception()
        if error is not None:
            topics = [topic for source in stage.sources for topic in source.topics]
            raise LsqlcError([failures.query_failed(model, stage.name, error, topics, stage.skip_setting)])
        rows = spark.table(name).collect()
        spark.catalog.dropTempView(name)
        if state is not None:
            # Each file makes a batch; the row that ends time comes behind.
            last = sum(1 for batch in batches if batch) - 1
            state += kept_rows(spark, str(checkpoint), stage.name, last)
    except LsqlcError:
        raise
    except Exception as error:
        if failures.is_lost(error):
            raise LsqlcError([failures.server_lost(spark.client.host, embedded=True)]) from None
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(checkpoint, ignore_errors=True)
    return iter([str(row[0]) for row in rows])


def _write_batches(folder: Path, batches: Sequence[Sequence[_Arrival]]) -> None:
    import os

    for number, batch in enumerate(batches):
        if not batch:
            continue
        path = folder / f"{number:06d}.jsonl"
        rows = ({"case": a.case, "topic": a.topic, "line": a.line, "offset": a.offset} for a in batch)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        give_permissions(path, folder)
        stamp = modification_time_ns(number)
        os.utime(path, ns=(stamp, stamp))


class _CaseReader:
    """Batch files as a stream of (`_case`, `_topic`, `_line`)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read_files(self, spark: SparkSession, source: FileSource, *, files_per_batch: int | None) -> DataFrame:
        raise AssertionError("a case has the records of a topic of files, not files")

    def read(self, spark: SparkSession, source: Source, *, segments_per_batch: int | None) -> DataFrame:
        topics = listed(map(text, ("", *source.topics)))
        lines = (
            spark.readStream.format("json")
            .schema("case string, topic string, line string, offset bigint")
            .option("maxFilesPerTrigger", segments_per_batch)
            .option("maxFileAge", "3650000d")
            .load(str(self._folder))
        )
        place = ("0 as _partition", "offset as _offset") if source.places else ()
        headers = (headers_sql("line"),) if source.headers else ()
        read = ("case as _case", "topic as _topic", "line as _line", *place, *headers)
        return lines.where(f"topic in ({topics})").selectExpr(*read)
