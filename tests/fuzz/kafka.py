"""Random programs through a broker: topics of three partitions, a batch for each part of a case.

Kafka gives records of several partitions no common order, so DuckDB gets those of each batch as LANGUAGE.md says that
they meet: of the records that are next in each partition the one with the least time comes first. Times are unique in
a case. They step back where the order among topics and partitions is said for every operator of a program (`_rising`).
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

from lsqlc import CompileError, compile
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import lower
from lsqlc.plan import Plan
from lsqlc.plan.identity import whole_key
from lsqlc.plan.nodes import (
    Aggregate,
    EventTime,
    Filter,
    Join,
    Lateral,
    Node,
    Project,
    Reinterpret,
    Rekey,
    Repartition,
    Scan,
    inputs,
)
from lsqlc.plan.windows import Session
from lsqlc.project.declared.profiles import Target
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.remote.run.graph import Job
from lsqlc.remote.run.runner import run
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.remote.server.jars import jars
from lsqlc.remote.session.session import connect, parse_address, server_version
from lsqlc.tasks.places import place_of
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Case, Outcome, Record, StoredRecord, Topic
from tests.fuzz.compare import comparable, rounded
from tests.fuzz.ksql_syntax import KsqlProgram
from tests.fuzz.limits import cut_matters, every, order_of_times_matters, time_columns
from tests.fuzz.programs import LATE, Drawn, lacking
from tests.fuzz.run import MEMORY, Difference, Tried
from tests.fuzz.topics import cut, one_by_one, some_records
from tests.kafka.fixture import create_topics

_PARTITIONS = 3
_PLACE = re.compile(r"\b(?:\w+\.)?ROW(PARTITION|OFFSET)\b")
_MOST, _SINGLE = 30, 4
# How many cases are drawn until a program gives something over one.
_DRAWS = 10
_PATIENCE = 120.0

# Batches through Kafka: the records as they meet, and what was written.
Through = Callable[[Plan, Sequence[Sequence[Record]]], tuple[Case, Outcome]]


@contextmanager
def through_kafka(work: Path, environment: Mapping[str, str]) -> Iterator[Through]:
    """A broker and a Spark server with its connector."""
    (work / "broker").mkdir()
    (work / "spark").mkdir()
    connector = jars("spark-kafka", environment)
    with (
        Broker(work / "broker", environment) as broker,
        EmbeddedServer(work / "spark", environment, jars=connector, memory=MEMORY) as server,
    ):
        spark = connect(server.address, timeout=_PATIENCE)
        try:
            yield through(broker.bootstrap, server.address, spark, work)
        finally:
            spark.stop()


def through(bootstrap: str, address: str, spark: object, work: Path) -> Through:
    """Such a function over a running broker and a session on a running server."""

    def evaluate(plan: Plan, batches: Sequence[Sequence[Record]]) -> tuple[Case, Outcome]:
        name = uuid.uuid4().hex
        settings = KafkaSettings(bootstrap, prefix=f"{name}.", partitions=_PARTITIONS)
        plan = replace(plan, name=f"out{name}")
        place = place_of(work / name, Target("local", kafka=settings), [plan])
        log = place.log
        topics = {topic.name: replace(topic, partitions=_PARTITIONS) for topic in plan.inputs}
        create_topics(plan, settings)
        lowered = lower(plan, server=server_version(spark.version), wires=place.wires)  # type: ignore[attr-defined]
        met: list[tuple[Record, ...]] = []
        read: set[tuple[int, ...]] = set()
        for batch in batches:
            for topic in topics.values():
                log.append(topic, [r for r in batch if r.topic == topic.name])
            lying = [r for topic in topics.values() for r in log.read(topic, by_time=False) if r.ordinal not in read]
            assert len(lying) == len(batch)
            read.update(r.ordinal for r in lying)
            met.append(tuple(Record(r.topic, r.key, r.value, r.timestamp) for r in merged(lying)))
            run(spark, parse_address(address), [Job(plan.name, lowered)], place.streams(), place.checkpoints)  # type: ignore[arg-type]
        written = {topic.name: _written(plan, topic, list(log.read(topic, by_time=False))) for topic in plan.outputs}
        for name in (*topics, *(topic.name for topic in plan.outputs)):
            log.delete(name)
        return Case("", tuple(met)), Outcome(written)

    return evaluate


def merged(records: Sequence[StoredRecord]) -> list[StoredRecord]:
    """Records of a batch, which have (0, offset, lane) as ordinals, as their partitions meet: of the first that is left
    of each, the one with the least time comes next.
    """
    lanes: dict[int, list[StoredRecord]] = {}
    for record in sorted(records, key=lambda r: r.ordinal):
        lanes.setdefault(record.ordinal[2], []).append(record)
    found = []
    while lanes:
        lane = min(lanes, key=lambda lane: lanes[lane][0].timestamp)
        found.append(lanes[lane].pop(0))
        if not lanes[lane]:
            del lanes[lane]
    return found


def attempt(drawn: Drawn, through: Through) -> Tried:
    """One program over one case. What differs stays as it was drawn."""
    drawn = _comparable_program(drawn)
    plan, random = drawn.plan, Random(drawn.seed)
    single = cut_matters(plan)
    said = lacking(plan) or _lacking(drawn)
    if said is not None:
        return Tried(drawn, 1, single, False, left_out=said)
    try:
        for _ in range(_DRAWS):
            case = Case("", _batches(plan, random, single=single))
            empty = not any(comparable(plan, default_session().evaluate(plan, [case])[0]).values())
            if not empty:
                break
        else:
            return Tried(drawn, 1, single, empty, left_out="gave nothing")
        case, found = through(plan, case.batches)
        outcome = default_session().evaluate(plan, [case])[0]
    except LsqlcError as error:
        codes = {d.code for d in error.diagnostics}
        if codes & _NO_CASE:
            return Tried(drawn, 1, single, False, left_out=" ".join(sorted(codes)))
        if "LSQ663" in codes:
            raise
        return Tried(drawn, 1, single, False, None, Difference(drawn.seed, drawn.program, case, "runs", str(error)))
    one, other = (_comparable(plan, each) for each in (outcome, found))
    if repr(one) == repr(other) or one == other:
        return Tried(drawn, 1, single, empty)
    return Tried(drawn, 1, single, empty, None, Difference(drawn.seed, drawn.program, case, one, other))


# Records that both engines refuse, formats that need a registry.
_NO_CASE = frozenset(("LSQ430", "LSQ667", "LSQ738", "LSQ756", "LSQ758"))


def _comparable_program(drawn: Drawn) -> Drawn:
    """Of a program of ksqlDB that with JSON in place of Avro, which needs a registry, and with numbers in place of the
    partition and the offset of a record, which are others in a golden test.
    """
    text = str(drawn.program)
    changed = _PLACE.sub(lambda found: "0" if found[1] == "PARTITION" else "CAST(0 AS BIGINT)", text)
    changed = changed.replace("'AVRO'", "'JSON'")
    if not isinstance(drawn.program, KsqlProgram) or changed == text:
        return drawn
    try:
        return replace(drawn, plan=compile(changed, dialect="ksql"))
    except CompileError:
        return drawn


def _comparable(plan: Plan, outcome: Outcome) -> tuple[object, object]:
    """What the engines promise, and of STREAMs that keep their keys the records of each key in order."""
    in_order: dict[str, dict[str, list[object]]] = {}
    for sink in plan.sinks:
        if all(map(_keeps_order, sink.inputs)) and len(sink.inputs) == 1:
            by_key = in_order.setdefault(sink.topic.name, {})
            for record in outcome.topics[sink.topic.name]:
                by_key.setdefault(repr(rounded(record.key)), []).append(rounded(record.value))
    return comparable(plan, outcome), in_order


def _keeps_order(node: Node) -> bool:
    """Whether a STREAM has the records of each key in the order in which one partition has them."""
    if node.semantics != "STREAM":
        return False
    if isinstance(node, Join):
        stream = {"stream-table": node.left, "table-stream": node.right}.get(node.style)
        return stream is not None and (node.kind == "INNER" or node.retention is None) and _keeps_order(stream)
    if isinstance(node, Project) and not whole_key(node.key):
        return False
    return not inputs(node) or (isinstance(node, Filter | Project | Repartition) and _keeps_order(inputs(node)[0]))


def _written(plan: Plan, topic: Topic, records: list[StoredRecord]) -> tuple[Record, ...]:
    """The rows of a TABLE, the records of a STREAM."""
    if plan.semantics[topic.name] == "TABLE":
        return final_rows(topic, records)
    return tuple(Record(r.topic, r.key, r.value, r.timestamp) for r in records)


def _lacking(drawn: Drawn) -> str | None:
    """Why a program cannot be held against DuckDB over Kafka, where time never ends."""
    plan = drawn.plan
    if drawn.limits is LATE:
        return "late records"
    nodes = [node for sink in plan.sinks for each in sink.inputs for node in every(each)]
    for node in nodes:
        if isinstance(node, Scan) and node.places:
            return "places of records"
        if isinstance(node, Aggregate) and node.window and (node.window.final or isinstance(node.window, Session)):
            return "windows that are written once they are closed"
        if isinstance(node, Join) and node.style == "stream-stream" and node.kind != "INNER" and not node.eager:
            return "joins of STREAMs that wait"
    return None


def _batches(plan: Plan, random: Random, *, single: bool) -> tuple[tuple[Record, ...], ...]:
    """Random records in batches, with times of their own: in order, or where that is said as they are drawn."""
    fields = {t.name: t.event_time for t in plan.inputs if t.event_time is not None} | dict(time_columns(plan))
    most = _SINGLE if single else _MOST
    records = some_records(plan.inputs, random, most, times=fields, orderly=_rising(plan))
    # Of equal times the later record is the later one.
    places = sorted(range(len(records)), key=lambda n: records[n].timestamp)
    times = {place: 10 * rank for rank, place in enumerate(places)}
    found = []
    for place, record in enumerate(records):
        value = record.value
        if value is not None and record.topic in fields:
            value = {**value, fields[record.topic]: times[place]}
        found.append(replace(record, value=value, timestamp=times[place]))
    return one_by_one(found) if single else cut(found, random)


def _rising(plan: Plan) -> bool:
    """Whether times have to rise for all that a plan does to follow one order: what a stage passes on has other
    partitions; new keys, windows and lists go by time and not as topics meet.
    """
    nodes = [node for sink in plan.sinks for each in sink.inputs for node in every(each)]
    return any(map(_goes_by_time, nodes)) or order_of_times_matters(plan, native=True)


def _goes_by_time(node: Node) -> bool:
    match node:
        case Rekey() | Reinterpret() | EventTime():
            return True
        case Aggregate():
            return node.window is not None or node.input.semantics == "STREAM"
        case Join():
            meets = node.style in ("stream-table", "table-stream")
            stages = any(isinstance(n, Join | Aggregate | Lateral) for side in inputs(node) for n in every(side))
            return node.style == "stream-stream" or (meets and stages)
    return False
