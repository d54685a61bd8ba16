"""Golden cases on Spark: all cases of a model run in one streaming query, whose batch i has the i-th batch of every
case.

For speed, a batch is one file, the state is in memory with one shuffle partition, and the output goes to Spark's memory
sink. That sink needs no Python on the server, and starts in a tenth of the time of `foreachBatch`.

Requirements for the lowering (`cases=True`):

- A `Source` view has the columns `_case`, `_topic` and `_line`, all STRING. `_case` is the first part of every key, and
  every output line begins with a field "case". For a stage that reads the output of another one, `_case` is a column
  again.
- **The end of time.** After the last batch of a plan with a `Watermark`, every Source view has one more row. Its
  `_topic` is '', and its `_line` is '{"_end":true}'. It closes windows, and unmatched rows are written. The column of
  the `Watermark` step must be far in the future for that row. A filter after the `Watermark` step must remove the row
  *by that column*, such as `where at < timestamp'30000-01-01'`. Spark's optimizer would push any other filter below the
  watermark, and the row would not advance it. No source topic has the name ''. A stage without a Watermark has no such
  row.
- **Time that advances without a record** (`Case.advances`) is such a row too, '{"advance":MILLISECONDS}'. It is in two
  batches, because a batch uses the watermark with which the batch before it began.
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
from lsqlc.remote.run.first_rows import first_rows
from lsqlc.remote.run.queries import Query, QueryOptions, start_in_memory
from lsqlc.remote.session import failures
from lsqlc.remote.state.reading import kept_rows
from lsqlc.sql.spark import text
from lsqlc.sql.writer import listed
from lsqlc.types.record import LAST_BEFORE_RECORDS, Case, KeptRows, Record, Topic, is_raw

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
    # This store does not support another version.
    (STATE_FORMAT, "1"),
    # For a few rows, the interpreter is faster than the compilation of code: 1.5 s instead of 2.4 s for three batches.
    ("spark.sql.codegen.wholeStage", "false"),
    ("spark.sql.codegen.factoryMode", "NO_CODEGEN"),
    ("spark.sql.streaming.checkpoint.fileChecksum.enabled", "false"),
)
_NO_EXTRA_BATCHES = ("spark.sql.streaming.noDataMicroBatches.enabled", "false")
_END = '{"_end":true}'
# The topic of rows that only advance the time.
_TIME = ""
# The beginning of a line without a case.
_NO_CASE = '{"case":"",'
_POLL_SECONDS = 0.02
_numbers = count()
_naming = threading.Lock()


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a case.

    `lines`: the lines of each output topic, internal ones included, in order of batches; `state`: the state at the end,
    if the case has assertions about it.
    """

    lines: Lines
    state: tuple[KeptRows, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A row of a batch file."""

    case: str
    topic: str
    line: str
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A model to evaluate. `inputs`: the topic of every record, by name."""

    name: str
    plan: SparkPlan
    inputs: Mapping[str, Topic]


def evaluate(model: Model, spark: SparkSession, work: Path, cases: Sequence[Case]) -> dict[str, Found]:
    """Evaluate cases, and return their results by name. Names of cases must be unique.

    `work`: a folder that server and client share; the files in it are removed again. A plan with a Watermark runs once
    per case, because a query has one watermark. Other plans run once for all cases, and once for each case with
    assertions about the state. Two threads may use the same session.

    Raises LsqlcError: LSQ661 for a query that fails, LSQ663 for a lost server, LSQ665 for SQL that Spark rejects.
    """
    alone = any(isinstance(step, Watermark) for stage in model.plan.stages for step in stage.steps)
    apart = [case for case in cases if alone or case.state]
    together = [case for case in cases if case not in apart]
    groups: list[Sequence[Case]] = [*([case] for case in apart), *([together] if together else [])]
    results: dict[str, Found] = {}
    for group in groups:
        results.update(_evaluate(model, spark, work, group))
    return results


def _evaluate(model: Model, spark: SparkSession, work: Path, cases: Sequence[Case]) -> dict[str, Found]:
    batch_of, batches = _arrivals(cases, model.inputs)
    state: list[KeptRows] | None = [] if any(case.state for case in cases) else None
    stages = model.plan.stages
    output: dict[str, dict[str, list[str]]] = {c.name: {s.write.topic: [] for s in stages} for c in cases}
    for stage in stages:
        _add_first_rows(_StageRun(model.name, stage, spark, work).first_rows(cases), stage, output, batches)
        topics = {topic for source in stage.sources for topic in source.topics}
        read = {*topics, _TIME} if any(isinstance(step, Watermark) for step in stage.steps) else topics
        rows = [[a for a in batch if a.topic in read] for batch in batches]
        has_records = any(a.topic in topics for batch in rows for a in batch)
        if state is not None and not has_records:
            # Without records, the state is empty.
            state += [KeptRows(stage.name, number, 0) for number in range(len(stage.state))]
        stage_run = _StageRun(model.name, stage, spark, work)
        for line in stage_run.run(rows, state) if has_records else ():
            case = str(json.loads(line)["case"])
            output[case][stage.write.topic].append(line)
            # A later stage gets a derived line in the batch of the record that caused it, after the batch's records.
            # A row that exists before all records comes with the first batch.
            cause = _cause(line)
            number = 0 if cause <= LAST_BEFORE_RECORDS else batch_of[case, cause]
            batches[number].append(_Arrival(case, stage.write.topic, line))
    states = None if state is None else tuple(state)
    return {case: Found({topic: tuple(lines) for topic, lines in of.items()}, states) for case, of in output.items()}


def _add_first_rows(
    lines: Mapping[str, Sequence[str]],
    stage: Stage,
    output: Mapping[str, Mapping[str, list[str]]],
    batches: list[list[_Arrival]],
) -> None:
    """Add the rows of a stage that exist before the first record to its output, and to the input of later stages.

    `lines`: by case.
    """
    topic = stage.write.topic
    arrivals = [_Arrival(case, topic, line) for case, of_case in lines.items() for line in of_case]
    for arrival in arrivals:
        output[arrival.case][topic].append(arrival.line)
    if arrivals and not batches:
        batches.append([])
    if arrivals:
        batches[0][:0] = arrivals


def _arrivals(
    cases: Sequence[Case], inputs: Mapping[str, Topic]
) -> tuple[dict[tuple[str, int], int], list[list[_Arrival]]]:
    """Return the batch of each ordinal of each case, and the rows of each batch."""
    encoders = {name: line_encoder(topic) for name, topic in inputs.items()}
    batch_of: dict[tuple[str, int], int] = {}
    offsets: defaultdict[tuple[str, str], Iterator[int]] = defaultdict(count)
    parts = {case.name: _parts(case) for case in cases}
    batches: list[list[_Arrival]] = [[] for _ in range(max(map(len, parts.values()), default=0))]
    for case in cases:
        ordinals = count()
        for number, batch in enumerate(parts[case.name]):
            if isinstance(batch, int):
                batches[number].append(_Arrival(case.name, _TIME, f'{{"advance":{batch}}}'))
                continue
            for record in batch:
                ordinal = next(ordinals)
                offset = next(offsets[case.name, record.topic])
                batch_of[case.name, ordinal] = number
                if is_raw(record):
                    line = raw_line(inputs[record.topic], record, ordinal)
                else:
                    whole = (ordinal, *[0] * (inputs[record.topic].ordinal_width - 1))
                    line = encoders[record.topic](record, whole).decode().rstrip("\n")
                batches[number].append(_Arrival(case.name, record.topic, line, offset))
    return batch_of, batches


def _parts(case: Case) -> list[tuple[Record, ...] | int]:
    """Return the batches of a case, split where the time advances without a record, with the new times between them."""
    parts: list[tuple[Record, ...] | int] = []
    advances, before = deque(case.advances), 0
    for batch in case.batches:
        start = 0
        while advances and advances[0][0] < before + len(batch):
            position, time = advances.popleft()
            parts += [batch[start : position - before], time, time]
            start = position - before
        parts.append(batch[start:])
        before += len(batch)
    if case.state:
        # After all records, an advance changes only the state.
        parts += [time for _, time in advances for _ in range(2)]
    return parts


def _cause(line: str) -> int:
    ordinal = json.loads(line)["ordinal"]
    return int(ordinal if isinstance(ordinal, int) else ordinal[0])


@dataclass(frozen=True, slots=True)
class _StageRun:
    """A stage that runs over batches of rows. `work`: a folder that server and client share."""

    model: str
    stage: Stage
    spark: SparkSession
    work: Path

    def first_rows(self, cases: Sequence[Case]) -> Mapping[str, Sequence[str]]:
        """Return the lines that exist before the first record of each case."""
        if not self.stage.first:
            return {}
        lines = [line for (line,) in first_rows(self.spark, self.model, self.stage, ("line",))]
        # The first member of each line is the case, which is empty.
        return {case.name: [_of_case(line, case.name) for line in lines] for case in cases}

    def run(self, batches: Sequence[Sequence[_Arrival]], state: list[KeptRows] | None) -> Iterator[str]:
        """Return the output lines in order of batches. Add the state after the last batch to `state`."""
        with _naming:
            name = f"lsqlc_cases_{next(_numbers)}"
        folder = self.work.absolute() / name
        checkpoint = self.work.absolute() / f"{name}_checkpoint"
        has_watermark = any(isinstance(step, Watermark) for step in self.stage.steps)
        try:
            make_folder(folder)
            _write_batches(folder, [*batches, [_Arrival("", _TIME, _END)]] if has_watermark else batches)
            settings = (*SETTINGS, *(() if has_watermark else (_NO_EXTRA_BATCHES,)), *self.stage.settings)
            query = Query(self.model, self.stage, _CaseReader(folder), QueryOptions(segments_per_batch=1))
            rows = self._output(query, name, settings, str(checkpoint) if state is not None else None)
            if state is not None:
                # Each file is a batch, and the row at the end of time is in another one.
                last = sum(1 for batch in batches if batch) - 1
                state += kept_rows(self.spark, str(checkpoint), self.stage.name, last)
        except LsqlcError:
            raise
        except Exception as error:
            if failures.is_lost(error):
                raise LsqlcError([failures.server_lost(self.spark.client.host, embedded=True)]) from None
            raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(checkpoint, ignore_errors=True)
        return iter(rows)

    def _output(
        self, query: Query, name: str, settings: tuple[tuple[str, str], ...], checkpoint: str | None
    ) -> list[str]:
        """Run a query to its end, and return its output lines. Raises LsqlcError LSQ661 if it fails."""
        stage = self.stage
        streaming_query = start_in_memory(self.spark, query, name, settings, checkpoint)
        while streaming_query.isActive:
            time.sleep(_POLL_SECONDS)
        error = streaming_query.exception()
        if error is not None:
            topics = [topic for source in stage.sources for topic in source.topics]
            raise LsqlcError([failures.query_failed(self.model, stage.name, error, topics, stage.skip_setting)])
        rows = self.spark.table(name).collect()
        self.spark.catalog.dropTempView(name)
        return [str(row[0]) for row in rows]


def _of_case(line: str, case: str) -> str:
    return f'{{"case":{json.dumps(case)},{line.removeprefix(_NO_CASE)}'


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
    """A reader of batch files, as a stream of (`_case`, `_topic`, `_line`)."""

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
