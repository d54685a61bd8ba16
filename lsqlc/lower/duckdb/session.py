"""Running a plan's statements in DuckDB: cases side by side in one statement, or the logs of topics as they lie on
disk.

The database lives in memory and reads no file that it was not handed; it never writes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.functions import calls, catalogue
from lsqlc.functions.engine_types import type_text
from lsqlc.lower.duckdb.queries import lower
from lsqlc.lower.duckdb.sources import restore, table_name, time_column, wire, wire_structure
from lsqlc.plan.plan import Plan
from lsqlc.types import codec, data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct
from lsqlc.types.record import Case, Outcome, Record, Topic


class Session:
    """A DuckDB connection in which plans run, one after another."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(":memory:", config={"threads": 2})
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute("SET preserve_insertion_order = false")
        self._connection.execute("SET autoinstall_known_extensions = false")
        calls.register(self._connection, calls.python_forms(catalogue.functions()))

    def evaluate(self, plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        """The outcome of each case, all computed together. The records must be those of the plan's topics.

        Raises LsqlcError if a record does not fit its topic (LSQ430).
        """
        self._load_cases(cases)
        topics = {t.name: t for t in plan.inputs}
        _check_topics(cases, topics)
        for topic in topics.values():
            self._load_records(topic, cases)
        return self._run(plan, len(cases))

    def evaluate_logs(self, plan: Plan, segments: Mapping[str, Sequence[Path]], now: int = 0) -> Outcome:
        """The outcome over whole topics, from the segments of their logs. `now`: epoch milliseconds.

        The segments are taken to be well-formed, as a transport leaves them.
        """
        self._load_cases([Case("", (), now)])
        for topic in plan.inputs:
            self._load_segments(topic, segments[topic.name])
        return self._run(plan, 1)[0]

    def _load_cases(self, cases: Sequence[Case]) -> None:
        rows = ", ".join(f"({i}, make_timestamp_ms({int(case.now)}))" for i, case in enumerate(cases))
        self._connection.execute(
            f'CREATE OR REPLACE TEMP TABLE cases AS SELECT * FROM (VALUES {rows}) AS c(_case, "now")'
        )

    def _load_records(self, topic: Topic, cases: Sequence[Case]) -> None:
        text = _records_text(topic, cases)
        order = '"BIGINT"' if topic.ordinal_width == 1 else '["BIGINT"]'
        key, value = wire_structure(wire(topic.key.type)), wire_structure(wire(topic.value.type))
        structure = f'[{{"c":"INTEGER","o":{order},"t":"BIGINT","k":{key},"v":{value}}}]'
        select = (
            f"SELECT r.c AS _case, r.o AS _ord, r.t AS _ts, {restore('r.k', topic.key.type)} AS k, "
            f"{restore('r.v', topic.value.type)} AS v FROM (SELECT unnest(from_json($1, $2)) AS r)"
        )
        self._create(topic, select, [text, structure])

    def _load_segments(self, topic: Topic, segments: Sequence[Path]) -> None:
        order = "BIGINT" if topic.ordinal_width == 1 else "BIGINT[]"
        columns = {
            "ordinal": order,
            "timestamp": "BIGINT",
            "key": type_text("duckdb", wire(topic.key.type)),
            "value": type_text("duckdb", wire(topic.value.type)),
        }
        if segments:
            source, parameters = (
                "read_json($1, format = 'newline_delimited', columns = $2)",
                [list(map(str, segments)), columns],
            )
        else:
            empty = ", ".join(f'CAST(NULL AS {type}) AS "{name}"' for name, type in columns.items())
            source, parameters = f"(SELECT {empty} WHERE FALSE)", []
        select = (
            f'SELECT 0 AS _case, ordinal AS _ord, "timestamp" AS _ts, {restore("key", topic.key.type)} AS k, '
            f"{restore('value', topic.value.type)} AS v FROM {source}"
        )
        self._create(topic, select, parameters)

    def _create(self, topic: Topic, select: str, parameters: list[Any]) -> None:
        if topic.event_time:
            select = f"SELECT _case, _ord, {time_column(topic)} AS _ts, k, v FROM ({select})"
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {table_name(topic.name)} AS {select}", parameters)

    def _run(self, plan: Plan, count: int) -> list[Outcome]:
        topics: list[dict[str, tuple[Record, ...]]] = [{} for _ in range(count)]
        counts: list[dict[str, int]] = [{} for _ in range(count)]
        for statement, sink in zip(lower(plan), plan.sinks, strict=True):
            rows: list[list[Record]] = [[] for _ in range(count)]
            key, value = _reader(sink.topic.key.type), _reader(sink.topic.value.type)
            name = sink.topic.name
            for case, timestamp, k, v in self._rows(plan, statement.select):
                rows[case].append(Record(name, key(k), value(v), timestamp or 0))
            for case, records in enumerate(rows):
                if sink.semantics == "TABLE":
                    records.sort(key=lambda r: codec.sort_key(sink.topic.key.type, r.key))
                topics[case][name] = tuple(records)
            if statement.counts:
                for case, reason, n in self._rows(plan, statement.counts):
                    counts[case][reason] = counts[case].get(reason, 0) + n
        return [Outcome(t, c) for t, c in zip(topics, counts, strict=True)]

    def _rows(self, plan: Plan, statement: str) -> list[tuple[Any, ...]]:
        """All rows of a statement. Raises LsqlcError (LSQ431) for a record that the program itself refuses."""
        try:
            return self._connection.execute(statement).fetchall()
        except duckdb.InvalidInputException as refused:
            message = str(refused).removeprefix("Invalid Input Error: ").split("\n")[0]
            raise LsqlcError([Diagnostic("LSQ431", f"the model '{plan.name}': {message}")]) from None


def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
    """See `Session.evaluate`; one session serves a whole process."""
    return default_session().evaluate(plan, cases)


@cache
def default_session() -> Session:
    return Session()


def _check_topics(cases: Sequence[Case], topics: Mapping[str, Topic]) -> None:
    unknown = sorted({r.topic for case in cases for r in case.records} - set(topics))
    if unknown:
        raise LsqlcError(
            Diagnostic("LSQ430", f"a record is for the topic '{name}', which the program does not read")
            for name in unknown
        )


def _records_text(topic: Topic, cases: Sequence[Case]) -> str:
    """The records of one topic in all cases, as one JSON array; the ordinal is the place in the case."""
    check_key, check_value = (
        codec.checker(f.type, strict=True, path=p) for f, p in ((topic.key, "key"), (topic.value, "value"))
    )
    write_key, write_value = codec.encoder(topic.key.type), codec.encoder(topic.value.type)
    parts = []
    problems = []
    for number, case in enumerate(cases):
        for place, record in enumerate(case.records):
            if record.topic != topic.name:
                continue
            try:
                key, value = check_key(record.key), check_value(record.value)
            except codec.ValueProblems as bad:
                where = f"record {place + 1}" + (f" of the case '{case.name}'" if case.name else "")
                problems += [Diagnostic("LSQ430", f"{where} does not fit '{topic.name}': {p}") for p in bad.problems]
                continue
            ordinal = place if topic.ordinal_width == 1 else f"[{place}]"
            parts.append(
                f'{{"c":{number},"o":{ordinal},"t":{int(record.timestamp)},"k":{write_key(key).decode()},"v":{write_value(value).decode()}}}'
            )
    if problems:
        raise LsqlcError(problems)
    return f"[{','.join(parts)}]"


@cache
def _reader(type: DataType) -> Callable[[Any], Any]:
    """From what DuckDB's client gives to the Python values of the language."""
    match type:
        case data.TIMESTAMP:
            return _aware
        case data.BYTES:
            return lambda v: None if v is None else bytes(v)
        case Array(element):
            inner = _reader(element)
            return _same if inner is _same else lambda v: None if v is None else [inner(e) for e in v]
        case Map(_, value):
            inner = _reader(value)
            return _same if inner is _same else lambda v: None if v is None else {k: inner(e) for k, e in v.items()}
        case Struct(fields):
            readers = {f.name: r for f in fields if (r := _reader(f.type)) is not _same}
            return (
                _same
                if not readers
                else lambda v: None if v is None else {k: readers.get(k, _same)(e) for k, e in v.items()}
            )
        case Decimal() | _:
            return _same


def _same(value: Any) -> Any:
    return value


def _aware(value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=UTC)
