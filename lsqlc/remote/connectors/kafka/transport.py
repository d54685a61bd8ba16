"""The transport of streaming queries for topics in Kafka: Spark's source, and transactions."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from lsqlc.remote.connectors.transport import Explained, query_mark, stream_reader
from lsqlc.types.error_policy import SKIP_IN_CONFIG
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.connect.session import SparkSession

# The first offset of a partition in Spark's options.
_FIRST = -2
# The milliseconds that brokers may wait for records before they answer a fetch. A batch that ends with the marker of a
# transaction waits for an empty answer, by default for 500 ms. All records of a batch exist, so the shorter time causes
# no repeated fetches. In real-time mode, a broker answers when a record arrives.
_HELD_BACK = {"kafka.fetch.max.wait.ms": "10"}


@dataclass(frozen=True, slots=True)
class KafkaTransport:
    """A transport for topics in Kafka.

    - `topics`: all topics that the queries write, by name, including those between stages.
    - `root`: the project's folder, for topics of files.
    - `carried`: whether to send a client of Kafka with each query, for a server that may not have one.
    - `renamed`: topics with another physical name. `aside`: topics with another physical name for writing only.
    - `functions`: the Python functions that the SQL of reading and writing calls.
    - `places`: the start offsets of queries without a checkpoint, by topic. By default they start at the first record.
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
        """Implement `Transport.register_functions`: the functions of formats such as PROTOBUF."""
        functions.register(spark, self.functions)

    def beginning(self, places: Mapping[str, Offsets]) -> KafkaTransport:
        """Implement `Transport.beginning`."""
        return replace(self, places=places)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `Transport.columns`."""
        return COLUMNS

    @property
    def project(self) -> Path | None:
        """The folder of `Transport.project`."""
        return self.root.resolve()

    def read(self, spark: SparkSession, source: Source, *, segments_per_batch: int | None) -> DataFrame:
        """Implement `Reader.read`: committed records only, from the first one or the offsets of `places` on.

        `segments_per_batch` is for files. Spark distributes a limit over partitions by their number of unread records.
        So with a limit, a batch could have records of one topic that are newer than later ones of another topic.

        The functions of the query are registered here, because each query reads before its SQL is executed.
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
            # The history has all records of that time, including late ones.
            loaded = loaded.where(f"NOT (topic = {_text(names[past.topic])} AND {TIME} < {past.until}L)")
        for past in source.past:
            if past.view:
                older = spark.table(past.view).selectExpr("*", f"{_text(names[past.topic])} AS topic")
                with_headers = bool(lines) or source.headers
                loaded = loaded.unionByName(older if with_headers else older.drop("headers"))
        return loaded.selectExpr(*columns)

    def read_files(self, spark: SparkSession, source: FileSource, *, files_per_batch: int | None) -> DataFrame:
        """Implement `Reader.read_files`. Server and client must see the project's folder under the same path."""
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
        """Implement `Transport.write`: one or several transactions per batch, see `publish`, or Spark's sink.

        The topic and that of the markers must exist. A topic that is deleted while a query runs is not created again,
        because its settings would differ. Raises LsqlcError: LSQ762 if the sink would not complete a batch that was
        written in part, LSQ799 for a topic that is read from another target.
        """
        other = elsewhere(self.settings, topic)
        if other is not None:
            raise not_here(topic, other.target)
        if self.settings.writers == "native":
            assert guard is None, "topics of files are rejected before"
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

    def write_first(self, topic: str, generation: str, rows: Sequence[Sequence[Any]]) -> None:
        """Implement `Transport.write_first`: one transaction of this process."""
        # The client replaces the time 0 by the present one.
        records = [(key, value, max(time, 1), None) for key, value, time, *_ in rows]
        if records:
            self._log.write_first(topic, generation, records)

    def first_generations(self, topic: str, query: str) -> frozenset[int]:
        """Implement `Transport.first_generations`."""
        if topic in self.aside:
            # The markers are of queries that write the topic under its own name.
            return frozenset()
        return frozenset(_numbers(query, self._log.generations(topic).firsts))

    def write_each(self, topic: str, generation: str, *, headers: bool, origins: Origins) -> SparkSink:
        """Implement `Transport.write_each`. The records of a key are written by one task, in order.

        Raises LsqlcError as `write` does.
        """
        other = elsewhere(self.settings, topic)
        if other is not None:
            raise not_here(topic, other.target)
        names = {name: self._name(name) for name in origins.topics}
        headers_sql = HEADERS if headers else ""
        headers_sql = with_source(headers_sql, names, dated=origins.dated) if names else headers_sql
        sink = self._sink(topic, generation, False, headers_sql, real_time=bool(names))
        # With all columns in the same order as for transactions, the state is the same.
        return replace(sink, idle=tuple(COLUMNS[2:]))

    def real_time_began(self, topic: str, generation: str) -> Offsets | None:
        """Implement `Transport.real_time_began`: None for a topic that several queries write."""
        began = self._log.real_time_began(topic, generation)
        return None if began is None or _other_writers(generation, self._log.markers(topic)) else began

    def end_real_time(self, topic: str, generation: str) -> None:
        """Implement `Transport.end_real_time`."""
        self._log.end_real_time(topic, generation)

    def without_written(
        self, batch: DataFrame, topic: str, origins: Origins, began: Offsets, since: int, read: Mapping[str, int]
    ) -> DataFrame:
        """Implement `Transport.without_written`. A broadcast join preserves the order of the batch."""
        near, name = self._log.place(topic, since), self._written_name(topic)
        ends = {p: end for p, (_, end) in self._log.settled_offsets(topic).items()}
        first = {p: max(first, began.get(p, 0), min(near.get(p, 0), ends[p]))
                 for p, (first, _) in self._log.offsets(topic).items() if p in ends}  # fmt: skip
        if all(first[p] >= ends[p] for p in first):
            return batch
        from pyspark.sql.connect.functions import broadcast

        stored = (
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
            # The query does not read records again that the checkpoint covers.
            .where(f"_written IS NOT NULL AND {is_behind('_written', read)}")
        )
        source = source_sql({name: self._name(name) for name in origins.topics}, dated=origins.dated)
        sources = batch.selectExpr("*", f"{source} AS _source")
        new = sources.join(broadcast(stored), sources["_source"] == stored["_written"], "left_anti")
        return new.drop("_source")

    def _sink(self, topic: str, generation: str, ordered: bool, headers: str, *, real_time: bool = False) -> SparkSink:
        self._log.open_generation(topic, generation, real_time=real_time)
        options = spark_options(self.settings, pem_texts(self.settings))
        options["topic"] = self._written_name(topic)
        return SparkSink("kafka", options, ordered, headers)

    def explain(
        self, error: str, model: str, topic: str, read: Sequence[str], skip_setting: str = SKIP_IN_CONFIG
    ) -> Explained | None:
        """Implement `Transport.explain`."""
        return explained(error, self.settings, model, topic, read, skip_setting)

    def noted(self, topic: str, generation: str, batch: int) -> int:
        """Implement `Transport.noted`: there are no skipped files."""
        return 0

    def newest_generation(self, topic: str, query: str) -> int:
        """Implement `Transport.newest_generation`."""
        if topic in self.aside:
            # The markers are of queries that write the topic under its own name.
            return 0
        generations = _of_query(query, self._log.markers(topic))
        return max((number for number, marker in generations.items() if not marker.ended), default=0)

    def last_generation(self, topic: str, query: str) -> int:
        """Implement `Transport.last_generation`."""
        generations = self._log.generations(topic)
        return max((0, *_numbers(query, (*generations.markers, *generations.firsts))))

    def last_batch(self, topic: str, generation: str) -> int:
        """Implement `Transport.last_batch`."""
        marker = self._log.markers(topic).get(generation)
        return -1 if marker is None or marker.ended else marker.batch

    def until_visible(self, topic: str) -> None:
        """Implement `Transport.until_visible`: brokers write the marker of a transaction shortly after its commit."""
        self._log.until_visible(topic)

    @property
    def knows_unread(self) -> bool:
        """The value of `Transport.knows_unread`: False, because only a started query reads the offsets of brokers."""
        return False

    def unread(self, topic: str, read: Collection[str]) -> bool:
        """Implement `Transport.unread`."""
        return True

    def discard(self, topic: str, query: str) -> None:
        """Implement `Transport.discard`: all records of the topic are removed.

        Raises LsqlcError LSQ751 if another query writes the topic.
        """
        generations = self._log.generations(topic)
        firsts = () if topic in self.aside else generations.firsts
        live = [name for name, marker in generations.markers.items() if not marker.ended]
        numbers = _numbers(query, (*live, *firsts))
        if not numbers:
            # An earlier removal may have failed after the markers and before the records.
            if not live and _numbers(query, generations.markers) and not self._log.is_empty(topic):
                self._log.empty(self.topics[topic])
            return
        others = sorted({generation.rpartition("_")[0] for generation in live} - {query_mark(query)})
        if others:
            raise LsqlcError([_shared(topic, query, others)])
        # The markers are written first: after a crash in between, a query that still runs cannot write any more.
        self._log.end_generations(topic, numbers.values())
        self._log.empty(self.topics[topic])

    def fence(self, topic: str, generation: str) -> None:
        """Implement `Transport.fence`: opening a transactional id fences the producer that had it."""
        self._log.fence(topic, generation)

    def _limited(self, source: Source) -> dict[str, str]:
        """Return the limit of a batch. With the limit 0, Spark's source writes its start offsets and reads nothing."""
        if source.together:
            return {}
        return {"maxOffsetsPerTrigger": "0" if source.pinned else str(self.settings.offsets_per_batch)}

    def _starting(self, names: Mapping[str, str]) -> str:
        """Return the start offsets in the notation of Spark's source.

        The source needs the offsets of all partitions or of none, and fails for an offset that retention has removed.
        """
        if not any(map(self.places.get, names)):
            return "earliest"
        starts: dict[str, dict[str, int]] = {}
        for topic, name in names.items():
            own = self.places.get(topic, {})
            bounds = self._log.offsets(topic)
            starts[name] = {str(p): max(own[p], first) if p in own else _FIRST for p, (first, _) in bounds.items()}
        return json.dumps(starts)

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
    """Return the prefixes of the generations of other queries that write the topic."""
    marks = {name.rpartition("_")[0] for name, marker in markers.items() if not marker.ended}
    return frozenset(marks - {generation.rpartition("_")[0]})


def _of_query(query: str, markers: Mapping[str, commits.Marker]) -> dict[int, commits.Marker]:
    """Return the markers of a query's generations, by their numbers."""
    return {number: markers[name] for number, name in _numbers(query, markers).items()}


def _numbers(query: str, generations: Iterable[str]) -> dict[int, str]:
    """Return the generations of a query, by their numbers."""
    name = re.compile(re.escape(query_mark(query)) + r"_(\d+)")
    return {int(m[1]): generation for generation in generations if (m := name.fullmatch(generation))}


def _by_topic(names: Mapping[str, str], sql: Mapping[str, str]) -> str:
    """Return SQL that depends on the topic of a record, null for other topics. `names`: the topics' names in Kafka."""
    if len(names) == 1:
        return next(iter(sql.values()))
    whens = " ".join(f"when {_text(name)} then {sql[topic]}" for topic, name in names.items() if topic in sql)
    return f"case topic {whens} end"


def _text(name: str) -> str:
    # Names of topics in Kafka have no character that must be escaped in SQL.
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
