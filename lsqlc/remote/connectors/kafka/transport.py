"""Topics in Kafka, as streaming queries read and write them: Spark's own source, and transactions."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.connectors.findings import not_here
from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.client import pem_texts
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.kafka.names import elsewhere, kafka_name, name_of
from lsqlc.connectors.kafka.settings import kafka_python_properties, librdkafka_properties, spark_options
from lsqlc.connectors.transport import Offsets
from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.formats.encoding import PythonFunction
from lsqlc.lower.spark.real_time import Origins
from lsqlc.lower.spark.steps import FileSource, Source
from lsqlc.lower.spark.wire.records import TIME
from lsqlc.remote.connectors import batch_files
from lsqlc.remote.connectors.file_stream import file_stream
from lsqlc.remote.connectors.kafka import carried, clients, functions, partitions, publish, task_writers, tls
from lsqlc.remote.connectors.kafka.clients import ClientSettings
from lsqlc.remote.connectors.kafka.failures import explained
from lsqlc.remote.connectors.kafka.headers import is_behind, source_of, source_sql, with_source
from lsqlc.remote.connectors.kafka.publish import COLUMNS, HEADERS, Sink, kafka_publisher
from lsqlc.remote.connectors.publish import Guard, Publish, by_value
from lsqlc.remote.connectors.skipped import without_skipped
from lsqlc.remote.connectors.spark_sink import SparkSink
from lsqlc.remote.connectors.transport import Explained, generation_name, query_mark, stream_reader
from lsqlc.types.error_policy import SKIP_IN_CONFIG
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession

# What stands for the first offset of a partition in Spark's options.
_FIRST = -2
# How long brokers may hold back an answer without records, in milliseconds. A batch that ends with the mark of a
# transaction, behind which there is nothing yet, waits for such an answer, by default for 500. All that a batch reads
# is there, so that no task asks again and again; in real time tasks wait for records, and are answered when one comes.
_HELD_BACK = {"kafka.fetch.max.wait.ms": "10"}


@dataclass(frozen=True, slots=True)
class KafkaTransport:
    """`topics`: all that the queries write, by name, those between stages as well. `root`: the project's folder, where
    topics of files lie. `carried`: the server may lack a client of Kafka, so that one is sent with each query.
    `renamed`: topics that lie under another name; `aside`: those that are written under another name only, and read as
    they are.
    `functions`: of Python, that reading and writing the topics calls. `places`: where queries without a checkpoint of
    Spark begin to read topics, else at the first record.
    """

    settings: KafkaSettings
    topics: Mapping[str, Topic]
    root: Path
    carried: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)
    aside: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[PythonFunction, ...] = ()
    places: Mapping[str, Offsets] = field(default_factory=dict)

    def register_functions(self, spark: SparkSession) -> None:
        """As `Transport.register_functions`: those of formats such as PROTOBUF."""
        functions.register(spark, self.functions)

    def beginning(self, places: Mapping[str, Offsets]) -> KafkaTransport:
        """As `Transport.beginning`."""
        return replace(self, places=places)

    @property
    def columns(self) -> tuple[str, ...]:
        """As `Transport.columns`."""
        return COLUMNS

    @property
    def project(self) -> Path | None:
        """As `Transport.project`."""
        return self.root.resolve()

    def read(self, spark: SparkSession, source: Source, *, segments_per_batch: int | None) -> DataFrame:
        """As `Reader.read`: committed records only, from the first one or that of `places` on. `segments_per_batch` is
        of files.

        Spark divides a limit among partitions by what is left in each, so that a batch with one would have records of
        one topic that are newer than those of another which come later.

        Functions that the query calls are registered here, since each query reads before its SQL is run.
        """
        self.register_functions(spark)
        names = {topic: self._name(topic) for topic in source.topics}
        lines = dict(source.lines)
        records = (
            stream_reader(spark, source)
            .format("kafka")
            .options(
                **({} if source.real_time else _HELD_BACK)
                | spark_options(self.settings, pem_texts(self.settings))
                | {"kafka.isolation.level": "read_committed"},
                subscribe=",".join(names.values()),
                startingOffsets=self._starting(names),
                **self._limited(source),
                groupIdPrefix=f"{commits.group_prefix(self.settings.prefix)}spark",
                includeHeaders=str(bool(lines) or source.headers).lower(),
            )
        )
        columns = [f"{_by_topic(names, {name: _text(name) for name in names})} as _topic"]
        columns += [f"{_by_topic(names, lines)} as _line"] if lines else []
        columns += ["partition as _partition", "offset as _offset"] if source.places else []
        columns += ["key as _key", "value as _value", f"{TIME} as _timestamp"] if source.columns else []
        columns += ["headers as _headers"] if source.headers else []
        loaded: DataFrame = without_skipped(
            records.load(),
            source,
            lambda skip: (
                f"topic = {_text(names[skip.topic])} AND partition = {skip.partition} AND offset = {skip.place}"
            ),
        )
        for past in source.past:
            # Records of that time are in the history, also those that came late.
            loaded = loaded.where(f"NOT (topic = {_text(names[past.topic])} AND {TIME} < {past.until}L)")
        for past in source.past:
            if past.view:
                older = spark.table(past.view).selectExpr("*", f"{_text(names[past.topic])} AS topic")
                with_headers = bool(lines) or source.headers
                loaded = loaded.unionByName(older if with_headers else older.drop("headers"))
        return loaded.selectExpr(*columns)

    def read_files(self, spark: SparkSession, source: FileSource, *, files_per_batch: int | None) -> DataFrame:
        """As `Reader.read_files`, from the project's folder, which server and client see under the same path."""
        return file_stream(spark, source, self.root.resolve(), files_per_batch=files_per_batch)

    def write(
        self,
        topic: str,
        generation: str,
        guard: Guard | None = None,
        *,
        ordered: bool = True,
        version: str = "",
        headers: bool = False,
    ) -> Publish | SparkSink:
        """As `Transport.write`: in one transaction per batch or in several, see `publish`; or by Spark's own sink. The
        topic and that of the markers must exist: one that is deleted under a query is not created again, with other
        settings than it had. Raises LsqlcError: LSQ762 where the sink would leave a batch as it is, written in part,
        and LSQ799 for a topic that is read from another target.
        """
        other = elsewhere(self.settings, topic)
        if other is not None:
            raise not_here(topic, other.target)
        if self.settings.writers == "native":
            assert guard is None, "files are refused before"
            return self._sink(topic, generation, ordered, HEADERS if headers else "")
        by_value(
            *(module.__name__ for module in (batch_files, publish, carried, clients, tls, task_writers, partitions))
        )
        prefix, pem = self.settings.prefix, pem_texts(self.settings)
        sink = Sink(
            self._written_name(topic),
            commits.transactional_id(prefix, topic, generation),
            ClientSettings(
                kafka_name(prefix, commits.TOPIC),
                commits.marker_key(topic, generation),
                librdkafka_properties(self.settings, on_server=True, pem=pem),
                kafka_python_properties(self.settings, pem=pem),
                carried.packed() if self.carried else None,
            ),
            ordered,
            0 if self.settings.writers == "auto" else self.settings.writers,
            version,
            headers=headers,
        )
        return kafka_publisher(sink, guard)

    def write_each(self, topic: str, generation: str, *, headers: bool, origins: Origins) -> SparkSink:
        """As `Transport.write_each`. The records of a key come from one task, in their order. Raises LsqlcError as
        `write`.
        """
        other = elsewhere(self.settings, topic)
        if other is not None:
            raise not_here(topic, other.target)
        names = {name: self._name(name) for name in origins.topics}
        kept = HEADERS if headers else ""
        kept = with_source(kept, names, dated=origins.dated) if names else kept
        sink = self._sink(topic, generation, False, kept, real_time=bool(names))
        # The columns in their order, as for transactions: the state is the same then.
        return replace(sink, idle=tuple(COLUMNS[2:]))

    def real_time_began(self, topic: str, generation: str) -> Offsets | None:
        """As `Transport.real_time_began`. Of a topic that other queries write too nothing says whose a source is."""
        began = self._log.real_time_began(topic, generation)
        return None if began is None or _other_writers(generation, self._log.markers(topic)) else began

    def end_real_time(self, topic: str, generation: str) -> None:
        """As `Transport.end_real_time`."""
        self._log.end_real_time(topic, generation)

    def without_written(
        self, batch: DataFrame, topic: str, origins: Origins, began: Offsets, since: int, read: Mapping[str, int]
    ) -> DataFrame:
        """As `Transport.without_written`. The order of the batch stays: what was written goes to every task."""
        near, name = self._log.place(topic, since), self._written_name(topic)
        ends = {p: end for p, (_, end) in self._log.settled_offsets(topic).items()}
        first = {p: max(first, began.get(p, 0), min(near.get(p, 0), ends[p]))
                 for p, (first, _) in self._log.offsets(topic).items() if p in ends}  # fmt: skip
        if all(first[p] >= ends[p] for p in first):
            return batch
        from pyspark.sql.connect.functions import broadcast

        written = (
            batch.sparkSession.read.format("kafka")
            .options(
                **_HELD_BACK
                | spark_options(self.settings, pem_texts(self.settings))
                | {"kafka.isolation.level": "read_committed"},
                assign=json.dumps({name: sorted(first)}),
                startingOffsets=json.dumps({name: {str(p): offset for p, offset in first.items()}}),
                endingOffsets=json.dumps({name: {str(p): max(first[p], ends[p]) for p in first}}),
                groupIdPrefix=f"{commits.group_prefix(self.settings.prefix)}spark",
                includeHeaders="true",
            )
            .load()
            .selectExpr(f"{source_of('headers')} AS _written")
            # What the checkpoint knows is not read again, and need not be compared.
            .where(f"_written IS NOT NULL AND {is_behind('_written', read)}")
        )
        source = source_sql({name: self._name(name) for name in origins.topics}, dated=origins.dated)
        told = batch.selectExpr("*", f"{source} AS _source")
        left = told.join(broadcast(written), told["_source"] == written["_written"], "left_anti")
        return left.drop("_source")

    def _sink(self, topic: str, generation: str, ordered: bool, headers: str, *, real_time: bool = False) -> SparkSink:
        self._log.open_generation(topic, generation, real_time=real_time)
        options = spark_options(self.settings, pem_texts(self.settings))
        options["topic"] = self._written_name(topic)
        return SparkSink("kafka", options, ordered, headers)

    def explain(
        self, error: str, model: str, topic: str, read: Sequence[str], skip_setting: str = SKIP_IN_CONFIG
    ) -> Explained | None:
        """As `Transport.explain`."""
        return explained(error, self.settings, model, topic, read, skip_setting)

    def noted(self, topic: str, generation: str, batch: int) -> int:
        """As `Transport.noted`: nothing is noted."""
        return 0

    def newest_generation(self, topic: str, query: str) -> int:
        """As `Transport.newest_generation`."""
        if topic in self.aside:
            # The markers are of those that write the topic under its own name.
            return 0
        written = _of_query(query, self._log.markers(topic))
        return max((number for number, marker in written.items() if not marker.ended), default=0)

    def last_generation(self, topic: str, query: str) -> int:
        """As `Transport.last_generation`."""
        return max(_of_query(query, self._log.markers(topic)), default=0)

    def last_batch(self, topic: str, generation: str) -> int:
        """As `Transport.last_batch`."""
        marker = self._log.markers(topic).get(generation)
        return -1 if marker is None or marker.ended else marker.batch

    def until_visible(self, topic: str) -> None:
        """As `Transport.until_visible`: the brokers mark the end of a transaction a moment after it."""
        self._log.until_visible(topic)

    @property
    def knows_unread(self) -> bool:
        """As `Transport.knows_unread`: only the brokers know, and a query asks them when it starts."""
        return False

    def unread(self, topic: str, read: Collection[str]) -> bool:
        """As `Transport.unread`."""
        return True

    def discard(self, topic: str, query: str) -> None:
        """As `Transport.discard`. The topic is emptied, which is refused (LSQ751) while another query writes it."""
        markers = self._log.markers(topic)
        live = {generation: marker for generation, marker in markers.items() if not marker.ended}
        written = _of_query(query, live)
        if not written:
            # Of a removal that ended after the markers, by a crash or since it was refused, the records are there.
            if not live and _of_query(query, markers) and not self._log.is_empty(topic):
                self._log.empty(self.topics[topic])
            return
        others = sorted({generation.rpartition("_")[0] for generation in live} - {query_mark(query)})
        if others:
            raise LsqlcError([_shared(topic, query, others)])
        # Markers first: after a crash in between, the query that still lives on a server writes nothing more.
        self._log.end_generations(topic, [generation_name(query, number) for number in written])
        self._log.empty(self.topics[topic])

    def fence(self, topic: str, generation: str) -> None:
        """As `Transport.fence`: who opens a transactional id ends the producer that had it."""
        self._log.fence(topic, generation)

    def _limited(self, source: Source) -> dict[str, str]:
        """How many records a batch has. Of none Spark's source stays where it begins, and notes that place."""
        if source.together:
            return {}
        return {"maxOffsetsPerTrigger": "0" if source.pinned else str(self.settings.offsets_per_batch)}

    def _starting(self, names: Mapping[str, str]) -> str:
        """What Spark's source takes for where it begins. It takes every partition or none, and fails for an offset that
        retention has removed.
        """
        if not any(map(self.places.get, names)):
            return "earliest"
        found: dict[str, dict[str, int]] = {}
        for topic, name in names.items():
            places = self.places.get(topic, {})
            bounds = self._log.offsets(topic)
            found[name] = {str(p): max(places[p], first) if p in places else _FIRST for p, (first, _) in bounds.items()}
        return json.dumps(found)

    @property
    def _log(self) -> KafkaLog:
        return KafkaLog(self.settings, renamed={**self.renamed, **self.aside})

    def _name(self, topic: str) -> str:
        if topic in self.renamed:
            return kafka_name(self.settings.prefix, self.renamed[topic])
        return name_of(self.settings, topic)

    def _written_name(self, topic: str) -> str:
        return kafka_name(self.settings.prefix, self.aside[topic]) if topic in self.aside else self._name(topic)


def _other_writers(generation: str, markers: Mapping[str, commits.Marker]) -> frozenset[str]:
    """The marks of the other queries that write the topic."""
    marks = {name.rpartition("_")[0] for name, marker in markers.items() if not marker.ended}
    return frozenset(marks - {generation.rpartition("_")[0]})


def _of_query(query: str, markers: Mapping[str, commits.Marker]) -> dict[int, commits.Marker]:
    """The markers of a query's generations, by their numbers."""
    name = re.compile(re.escape(query_mark(query)) + r"_(\d+)")
    return {int(m[1]): marker for generation, marker in markers.items() if (m := name.fullmatch(generation))}


def _by_topic(names: Mapping[str, str], sql: Mapping[str, str]) -> str:
    """SQL by the topic of a record, null of one that has none. `names`: those in Kafka."""
    if len(names) == 1:
        return next(iter(sql.values()))
    whens = " ".join(f"when {_text(name)} then {sql[topic]}" for topic, name in names.items() if topic in sql)
    return f"case topic {whens} end"


def _text(name: str) -> str:
    # The names of topics in Kafka have no character that SQL would take for another.
    return f"'{name}'"


def _shared(topic: str, query: str, others: list[str]) -> Diagnostic:
    count = len(others)
    return Diagnostic(
        "LSQ751",
        f"the records of the query '{query}' cannot be removed from '{topic}'",
        notes=(
            f"{count} other {'query writes' if count == 1 else 'queries write'} that topic ({listing(others)}), and "
            "Kafka removes no single records",
        ),
        help="refresh all models that write the topic in one run, or give the model a topic of its own",
    )
