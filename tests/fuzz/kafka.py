"""Random programs through a broker: topics of three partitions, a batch for each part of a case.

Kafka gives records of several partitions no common order, so DuckDB gets those of each batch as they meet on
Spark (`lsqlc.remote.cases.kafka_records`). Times are unique in a case. They step back where the order among topics
and partitions is said for every operator of a program (`_rising`).
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from lsqlc import CompileError, compile
from lsqlc.diagnostics import LsqlcError
from lsqlc.formats.delimited.format import delimiter
from lsqlc.lower.duckdb import default_session
from lsqlc.lower.spark import lower
from lsqlc.plan import Plan
from lsqlc.plan.nodes import EventTime
from lsqlc.project.declared.target import Target
from lsqlc.remote.cases import kafka as cases
from lsqlc.remote.cases.kafka_closing import every
from lsqlc.remote.cases.kafka_limits import lacking_plan
from lsqlc.remote.cases.kafka_records import goes_by_time, ordered_streams, orders
from lsqlc.remote.run.runner import RunResources
from lsqlc.remote.server.broker import Broker
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.server.jars import jars
from lsqlc.remote.session.session import connect, parse_address, server_version
from lsqlc.tasks.run_target import open_target
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Case, Facet, Outcome, Record
from tests.fuzz.compare import comparable, rounded
from tests.fuzz.ksql_syntax import KsqlProgram
from tests.fuzz.limits import cut_matters, order_of_times_matters, time_columns
from tests.fuzz.programs import LATE, Drawn, lacking
from tests.fuzz.run import MEMORY, Difference, Tried
from tests.fuzz.topics import cut, one_by_one, some_records
from tests.kafka.fixture import create_topics

_PARTITIONS = 3
_PLACE = re.compile(r"\b(?:\w+\.)?ROW(PARTITION|OFFSET)\b")
_MOST, _SINGLE = 30, 4
# How many cases are drawn until a program gives something over one.
_DRAWS = 10

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
        EmbeddedServer(work / "spark", environment, ServerOptions(jars=connector, memory=MEMORY)) as server,
    ):
        spark = connect(server.address)
        try:
            yield through(broker.bootstrap, server.address, spark, work)
        finally:
            spark.stop()


def through(bootstrap: str, address: str, spark: object, work: Path) -> Through:
    """Such a function over a running broker and a session on a running server."""

    def evaluate(plan: Plan, batches: Sequence[Sequence[Record]]) -> tuple[Case, Outcome]:
        name = uuid.uuid4().hex
        settings = KafkaSettings(bootstrap, prefix=f"{name}.", partitions=_PARTITIONS)
        # Programs that run at a time share the session.
        plan = replace(plan, name=f"out{name}")
        place = open_target(work / name, Target("local", connection=settings), [plan])
        create_topics(plan, settings)
        lowered = lower(plan, server=server_version(spark.version), wires=place.wires)  # type: ignore[attr-defined]
        server = parse_address(address)
        resources = RunResources(spark, server, place.streams(), place.checkpoints)  # type: ignore[arg-type]
        passed = cases.through_kafka(cases.Topics(place.log, resources), plan, lowered, batches)
        for topic in (*plan.inputs, *plan.outputs):
            place.log.delete(topic.name)
        return Case("", (orders(plan, passed.batches)[0],)), passed.outcome

    return evaluate


def attempt(drawn: Drawn, through: Through) -> Tried:
    """One program over one case. What differs stays as it was drawn."""
    drawn = _comparable_program(drawn)
    plan, random = drawn.plan, Random(drawn.seed)
    single = cut_matters(plan)
    said = lacking(plan) or _lacking(drawn)
    if said is not None:
        return Tried(drawn, 1, single, False, left_out=said)
    for _ in range(_DRAWS):
        case = Case("", _batches(plan, random, single=single))
        try:
            empty = not any(default_session().evaluate(plan, [case])[0].topics.values())
            _check_versions(plan, case)
        except LsqlcError:
            # Records that a program refuses are another subject: the cases of its errors.
            continue
        if not empty:
            break
    else:
        return Tried(drawn, 1, single, True, left_out="gave nothing")
    try:
        case, found = through(plan, case.batches)
        outcome = default_session().evaluate(plan, [case])[0]
    except LsqlcError as error:
        codes = {d.code for d in error.diagnostics}
        if codes & _NO_CASE:
            return Tried(drawn, 1, single, False, left_out=" ".join(sorted(codes)))
        if "LSQ663" in codes:
            raise
        return Tried(drawn, 1, single, False, None, Difference(drawn.seed, drawn.program, case, "runs", str(error)))
    one, other = (_comparable(plan, each) for each in (_as_stored(plan, outcome), found))
    if repr(one) == repr(other) or one == other:
        return Tried(drawn, 1, single, empty)
    return Tried(drawn, 1, single, empty, None, Difference(drawn.seed, drawn.program, case, one, other))


def _as_stored(plan: Plan, outcome: Outcome) -> Outcome:
    """What a topic in Kafka keeps of an outcome: in DELIMITED an empty cell is null."""

    def kept(facet: Facet, value: Any) -> Any:
        if delimiter(facet.format) is None:
            return value
        if isinstance(value, dict):
            return {name: None if cell == "" else cell for name, cell in value.items()}
        return None if value == "" else value

    topics = {sink.topic.name: sink.topic for sink in plan.sinks}
    stored = {
        name: tuple(replace(r, value=kept(topics[name].value, r.value)) for r in records)
        for name, records in outcome.topics.items()
    }
    return replace(outcome, topics=stored)


def _check_versions(plan: Plan, case: Case) -> None:
    """Raises LsqlcError for a row of a TABLE that has no time at some moment: DuckDB only looks at the last versions of
    rows, Spark at all that a batch brings.
    """
    times = (n for sink in plan.sinks for node in sink.inputs for n in every(node) if isinstance(n, EventTime))
    if any(node.semantics == "TABLE" for node in times):
        records = [record for batch in case.batches for record in batch]
        prefixes = [Case("", (tuple(records[:end]),)) for end in range(1, len(records))]
        default_session().evaluate(plan, prefixes)


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
    for name in ordered_streams(plan):
        by_key = in_order.setdefault(name, {})
        for record in outcome.topics[name]:
            if record.key is None:
                # Records without a key lie in any partition.
                continue
            by_key.setdefault(repr(rounded(record.key)), []).append(rounded(record.value))
    return comparable(plan, outcome, in_order=False), in_order


def _lacking(drawn: Drawn) -> str | None:
    """Why a program cannot be held against DuckDB over Kafka, where time never ends."""
    return "late records" if drawn.limits is LATE else lacking_plan(drawn.plan)


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
    """Whether times have to rise for all that a plan does to follow one order."""
    return goes_by_time(plan) or order_of_times_matters(plan, native=True)
