"""Execution of a plan's statements in DuckDB: several cases in one statement, or the logs of topics on disk.

The databases are in memory, and read only the logs of topics (see `database`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import RLock, local
from typing import Any

import duckdb

from lsqlc.connectors.bad_records import BadRecord, is_judged, raw_line, without_time
from lsqlc.connectors.fields_read import topics_as_read
from lsqlc.connectors.lines import headers_member, line_encoder
from lsqlc.connectors.timeless import NO_EVENT_TIME, timeless
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.extras import require
from lsqlc.functions import calls, catalogue
from lsqlc.functions.own_faults import fault
from lsqlc.functions.signature import PythonForm
from lsqlc.lower.duckdb.bad_files import refusals
from lsqlc.lower.duckdb.bad_records import SeparatedRecords, separate_cases, separate_logs
from lsqlc.lower.duckdb.database import connect
from lsqlc.lower.duckdb.files import load
from lsqlc.lower.duckdb.observations import observation
from lsqlc.lower.duckdb.python_functions import register as register_python
from lsqlc.lower.duckdb.queries import FirstRows, Statement, lower
from lsqlc.lower.duckdb.sources import of_cases, of_files, of_segments, table_name, with_offsets
from lsqlc.lower.duckdb.timeless import timeless_records
from lsqlc.plan.event_times import untimed
from lsqlc.plan.plan import Plan
from lsqlc.plan.points import Point
from lsqlc.plan.python_calls import python_calls
from lsqlc.sql.writer import Cte, with_ctes
from lsqlc.types import codec, data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct
from lsqlc.types.headers import Headers
from lsqlc.types.record import Case, Outcome, Record, Topic, is_raw

# Up to this many characters of records, a database for few records is faster.
_SMALL = 1_000_000
_OWN = local()
# Part of DuckDB's message about a statement that nests too deeply.
_DEPTH = "Max expression depth"


@dataclass(frozen=True, slots=True)
class Database:
    """A connection, and the names of the Python forms that are registered in its database. All connections to it share
    the names and their `lock`.
    """

    connection: duckdb.DuckDBPyConnection
    registered: set[str] = field(default_factory=set)
    lock: RLock = field(default_factory=RLock)

    def register(self, statement: str) -> None:
        """Register the Python forms that a statement uses. All of them would take longer than a small statement."""
        with self.lock:
            forms = [f for f in _forms() if f.name not in self.registered and f.name in statement]
            calls.register(self.connection, forms)
            self.registered.update(form.name for form in forms)

    def know(self, plan: Plan) -> None:
        """Register the Python functions that a plan calls."""
        for name, call in python_calls(node for sink in plan.sinks for node in sink.inputs).items():
            with self.lock:
                if name not in self.registered:
                    require("pyarrow")
                    register_python(self.connection, name, call)
                    self.registered.add(name)


@dataclass(frozen=True, slots=True)
class _Execution:
    """A plan over cases in a database.

    `parameters`: the values from which topics are read, by topic. `source` returns the SQL that reads a topic, from the
    number of its parameter (0 for none) and whether headers are read. `offset`: SQL of a record's offset in its topic.
    `first`: the rows that are read of each result; None: all. `is_current`: see `Query`.
    """

    database: Database
    plan: Plan
    cases: Sequence[Case]
    parameters: Mapping[str, Any]
    source: Callable[[Topic, int, bool], str]
    offset: str = "_ord"
    first: FirstRows | None = None
    is_current: bool = False


class Session:
    """DuckDB databases in which plans run, one after another. Each thread needs its own session."""

    def __init__(self) -> None:
        # Keyed by whether it is for few records; opened on first use.
        self._databases: dict[bool, Database] = {}

    def evaluate(self, plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        """Return the outcome of each case, computed together. The records must belong to the plan's topics.

        Raises LsqlcError if a record does not fit its topic (LSQ430), or cannot be read and the policy is `fail`
        (LSQ432).
        """
        execution, separated = self._of_cases(plan, cases)
        outcomes = self._run(execution)
        untimed: list[list[BadRecord]] = [[] for _ in cases]
        for case, topic, ordinal in self._timeless(execution):
            untimed[case].append(without_time(topic, _line(topic, cases[case].records[ordinal[0]], ordinal)))
        return separated.added(plan, outcomes, untimed)

    def observe(self, plan: Plan, cases: Sequence[Case], points: Sequence[Point]) -> tuple[frozenset[str], ...]:
        """Return the outcomes that cases reach of each point of a plan. Raises LsqlcError as `evaluate`."""
        if not cases or not points:
            return tuple(frozenset() for _ in points)
        execution, _ = self._of_cases(plan, cases)
        advances = [_advances_table(cases)] if any(case.advances for case in cases) else []
        statement = observation([n for sink in plan.sinks for n in sink.inputs], points, advances=bool(advances))
        names, sources = _sources(execution, statement)
        ctes = (Cte(*each) for each in (_cases_table(cases), *advances, *sources))
        text = with_ctes((*ctes, *statement.parts), statement.rows)
        by_point: list[set[str]] = [set() for _ in points]
        rows = self._rows(execution, text, [execution.parameters[n] for n in names])
        for numbers, outcomes in rows:
            for number, of_point in zip(numbers, outcomes, strict=True):
                by_point[number].update(of_point or ())
        return tuple(map(frozenset, by_point))

    def _of_cases(self, plan: Plan, cases: Sequence[Case]) -> tuple[_Execution, SeparatedRecords]:
        """Return the execution of a plan over cases, and their separated records."""
        _check_topics(cases, {t.name: t for t in plan.inputs})
        separated = separate_cases(plan, cases)
        offset = "row_number() OVER (PARTITION BY _case ORDER BY _ord) - 1"
        as_read = topics_as_read(plan).items()
        records = {name: _records_text(topic, cases, separated.rows.get(name, ())) for name, topic in as_read}
        database = self._database(small=sum(map(len, records.values())) < _SMALL)
        return _Execution(database, plan, cases, records, of_cases, offset), separated

    def evaluate_logs(
        self, plan: Plan, segments: Mapping[str, Sequence[Path]], now: int = 0, root: Path | None = None
    ) -> Outcome:
        """Return the outcome over whole topics, from the segments of their logs.

        `now`: epoch milliseconds. `root`: the project's folder, for topics of files.

        With the policy `fail`, segments must be well-formed, as a transport writes them. Then LsqlcError (LSQ440,
        LSQ441) is raised for rows of files that cannot be read.
        """
        if any(topic.files for topic in plan.inputs):
            assert root is not None, "files lie in a project"
            return self._evaluate_files(plan, segments, now, root.resolve())
        if plan.policy != "fail":
            separated = separate_logs(plan, segments)
            records = {name: f"[{','.join(rows)}]" for name, rows in separated.rows.items()}
            execution = _Execution(self._database(small=False), plan, [Case("", (), now)], records, of_cases)
            outcomes = self._run(execution)
            return separated.added(plan, outcomes, [self._untimed(execution, separated)])[0]
        read = [path for topic in plan.inputs for path in segments[topic.name]]
        files = {topic.name: list(map(str, segments[topic.name])) for topic in plan.inputs}
        with connect(folders={path.parent for path in read}) as connection:
            return self._run(_Execution(Database(connection), plan, [Case("", (), now)], files, of_segments))[0]

    def evaluate_tables(
        self, database: Database, plan: Plan, tables: Mapping[str, str], now: int = 0, first: FirstRows | None = None
    ) -> Outcome:
        """Return the outcome over tables of a database, which have the current rows of TABLEs.

        `tables`: SQL that reads each input topic, by its name, with the columns of `sources`; `now`: epoch
        milliseconds; `first`: the rows that are read of each result; None: all.

        Raises LsqlcError as `evaluate_logs` for an error of the program, and duckdb.InterruptException.
        """

        def source(topic: Topic, parameter: int, headers: bool) -> str:
            return tables[topic.name]

        cases = [Case("", (), now)]
        execution = _Execution(database, plan, cases, {}, source, first=first, is_current=True)
        return self._run(execution)[0]

    def _evaluate_files(self, plan: Plan, segments: Mapping[str, Sequence[Path]], now: int, root: Path) -> Outcome:
        logs = {topic.name: segments[topic.name] for topic in plan.inputs if topic.files is None}
        separated = separate_logs(plan, logs) if plan.policy != "fail" else None
        folders = {path.parent for paths in logs.values() for path in paths}
        folders |= {root / topic.files.root for topic in plan.inputs if topic.files}
        with connect(folders=folders, ordered=True) as connection:
            loaded = load(connection, plan, root)
            if loaded.bad and plan.policy == "fail":
                raise LsqlcError(refusals(plan.name, loaded.bad, skip_setting=plan.skip_setting))
            parameters: dict[str, Any] = dict(loaded.texts)
            if separated:
                parameters |= {name: f"[{','.join(rows)}]" for name, rows in separated.rows.items()}
            else:
                parameters |= {name: list(map(str, paths)) for name, paths in logs.items()}

            def source(topic: Topic, parameter: int, headers: bool) -> str:
                if topic.name in loaded.tables:
                    return loaded.tables[topic.name]
                if topic.files:
                    return of_files(topic, parameter)
                return (of_segments if separated is None else of_cases)(topic, parameter, headers)

            execution = _Execution(Database(connection), plan, [Case("", (), now)], parameters, source)
            outcome = self._run(execution)
            records = separated or SeparatedRecords(bad=[[]])
            untimed = self._untimed(execution, records)
        records.bad[0].extend(row.record for row in loaded.bad)
        return records.added(plan, outcome, [untimed])[0]

    def _untimed(self, execution: _Execution, separated: SeparatedRecords) -> list[BadRecord]:
        """Return the records of whole topics that get no time, if dead letters are written about them."""
        timeless_rows = self._timeless(execution)
        return [without_time(topic, separated.lines[topic.name, ordinal]) for _, topic, ordinal in timeless_rows]

    def _timeless(self, execution: _Execution) -> Iterator[tuple[int, Topic, tuple[int, ...]]]:
        """Yield the case, topic and ordinal of each record without a time."""
        inputs = {topic.name: topic for topic in execution.plan.inputs}
        for name, (scan, condition) in untimed(execution.plan.sinks).items():
            topic = inputs[name]
            statement = timeless_records(scan, condition, execution.source(topic, 1, False))
            for case, ordinal in self._rows(execution, statement, [execution.parameters[name]]):
                yield case, topic, tuple(ordinal) if topic.ordinal_width > 1 else (ordinal,)

    def _database(self, *, small: bool) -> Database:
        if small not in self._databases:
            self._databases[small] = Database(connect(small=small))
        return self._databases[small]

    def _run(self, execution: _Execution) -> list[Outcome]:
        """Run the statements of a plan."""
        plan, cases = execution.plan, execution.cases
        topics: list[dict[str, tuple[Record, ...]]] = [{} for _ in cases]
        counts: list[dict[str, int]] = [{} for _ in cases]
        advances = [_advances_table(cases)] if any(case.advances for case in cases) else []
        records = [case.records for case in cases]
        with_headers = any(record.headers for of_case in records for record in of_case)
        statements = lower(plan, advances=bool(advances), is_current=execution.is_current)
        for statement, sink in zip(statements, plan.sinks, strict=True):
            names, sources = _sources(execution, statement)
            with_cause = with_headers and bool(statement.keepers)
            tables = [_cases_table(cases), *advances, *sources]
            text = statement.with_counts(tables, with_cause=with_cause, first=execution.first)
            rows: list[list[Record]] = [[] for _ in cases]
            key, value = value_reader(sink.topic.key.type), value_reader(sink.topic.value.type)
            name = sink.topic.name
            result_rows = self._rows(execution, text, [execution.parameters[n] for n in names])
            for case, number, k, v, reason, *cause in result_rows:
                if reason is None:
                    headers = _kept_headers(records[case], statement.keepers, *cause) if with_cause else None
                    rows[case].append(Record(name, key(k), value(v), number or 0, headers))
                else:
                    counts[case][reason] = counts[case].get(reason, 0) + number
            for case, of_case in enumerate(rows):
                if sink.semantics == "TABLE":
                    of_case.sort(key=lambda r: codec.sort_key(sink.topic.key.type, r.key))
                topics[case][name] = tuple(of_case)
        return [Outcome(t, c) for t, c in zip(topics, counts, strict=True)]

    def _rows(self, execution: _Execution, statement: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
        """Return all rows of a statement.

        Raises LsqlcError for an error of the program (LSQ431), for a record without a time (LSQ432), and if DuckDB
        reaches a limit (LSQ433).
        """
        database, plan = execution.database, execution.plan
        database.register(statement)
        database.know(plan)
        try:
            return database.connection.execute(statement, parameters).fetchall()
        except duckdb.InvalidInputException as error:
            if (user_fault := fault(plan.name, str(error))) is not None:
                raise LsqlcError([user_fault]) from None
            message = str(error).removeprefix("Invalid Input Error: ").split("\n")[0]
            if message == NO_EVENT_TIME:
                raise LsqlcError([timeless(plan.name, (t.name for t in plan.inputs), plan.skip_setting)]) from None
            # An error about a record of a topic is the same as for a bad record in a log.
            code = "LSQ432" if " of a record of '" in message else "LSQ431"
            raise LsqlcError([Diagnostic(code, f"the model '{plan.name}': {message}")]) from None
        except (duckdb.InternalException, duckdb.FatalException):
            # After an internal error, DuckDB rejects all further statements of that database.
            self._databases.clear()
            raise
        except (duckdb.OutOfMemoryException, duckdb.ParserException, duckdb.BinderException) as error:
            message = str(error).split("\n")[0]
            if not isinstance(error, duckdb.OutOfMemoryException) and _DEPTH not in message:
                raise
            raise LsqlcError([Diagnostic("LSQ433", f"the model '{plan.name}' is too large: {message}")]) from None


def _sources(execution: _Execution, statement: Statement) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the topics whose values are parameters of a statement, in order, and the tables that it reads."""
    inputs = {topic.name: topic for topic in execution.plan.inputs}
    names = [n for n in statement.reads if n in execution.parameters]
    numbers = {n: i + 1 for i, n in enumerate(names)}
    tables = []
    for name in statement.reads:
        table = execution.source(inputs[name], numbers.get(name, 0), name in statement.headed)
        table = with_offsets(table, execution.offset) if name in statement.placed else table
        tables.append((table_name(name), table))
    return names, tables


def _kept_headers(records: Sequence[Record], keepers: frozenset[int], input: int, cause: int) -> Headers | None:
    """Return the headers of the record from which a row is derived.

    The ordinal is the index of the record in its case.
    """
    return records[cause].headers if input in keepers else None


@cache
def _forms() -> tuple[PythonForm, ...]:
    return calls.python_forms(catalogue.every_function())


def _cases_table(cases: Sequence[Case]) -> tuple[str, str]:
    """Return the table of cases with their times, for clock functions."""
    rows = ", ".join(f"({i}, make_timestamp_ms({int(case.now)}))" for i, case in enumerate(cases))
    return "cases", f'SELECT * FROM (VALUES {rows}) AS c(_case, "now")'


def _advances_table(cases: Sequence[Case]) -> tuple[str, str]:
    """Return the table of times that cases reach without a record (see `queries.lower`)."""
    highest_times: dict[tuple[int, int], int] = {}
    for number, case in enumerate(cases):
        highest = None
        for index, time in case.advances:
            highest = highest_times[number, index] = time if highest is None else max(highest, time)
    rows = ", ".join(f"({number}, {index}, {time})" for (number, index), time in highest_times.items())
    return "advances", f"SELECT * FROM (VALUES {rows}) AS a(_case, _ord, _ts)"


def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
    """Evaluate cases in the session of this thread, see `Session.evaluate`."""
    return default_session().evaluate(plan, cases)


def default_session() -> Session:
    """Return the session of this thread."""
    session: Session | None = getattr(_OWN, "session", None)
    if session is None:
        session = _OWN.session = Session()
    return session


def _line(topic: Topic, record: Record, ordinal: tuple[int, ...]) -> str:
    """Return the log line of a record of a case, without its newline."""
    if is_raw(record):
        return raw_line(topic, record, ordinal[0])
    whole = (ordinal[0], *[0] * (topic.ordinal_width - 1))
    return line_encoder(topic)(record, whole).decode().rstrip("\n")


def _check_topics(cases: Sequence[Case], topics: Mapping[str, Topic]) -> None:
    unknown = sorted({r.topic for case in cases for r in case.records} - set(topics))
    if unknown:
        raise LsqlcError(
            Diagnostic("LSQ430", f"a record is for the topic '{name}', which the program does not read")
            for name in unknown
        )


def _records_text(topic: Topic, cases: Sequence[Case], more: Sequence[str]) -> str:
    """Return the records of one topic in all cases as a JSON array. The ordinal is the index in the case.

    `more`: rows of records that came as raw text.
    """
    check_key, check_value = (
        codec.checker(f.type, strict=True, path=p) for f, p in ((topic.key, "key"), (topic.value, "value"))
    )
    write_key, write_value = codec.encoder(topic.key.type), codec.encoder(topic.value.type)
    parts = list(more)
    problems = []
    for number, case in enumerate(cases):
        for place, record in enumerate(case.records):
            if record.topic != topic.name or is_judged(topic, record):
                continue
            try:
                key, value = check_key(record.key), check_value(record.value)
            except codec.ValueProblems as bad:
                where = f"record {place + 1}" + (f" of the case '{case.name}'" if case.name else "")
                problems += [Diagnostic("LSQ430", f"{where} does not fit '{topic.name}': {p}") for p in bad.problems]
                continue
            ordinal = place if topic.ordinal_width == 1 else f"[{place}]"
            parts.append(
                f'{{"case":{number},"ordinal":{ordinal},"timestamp":{int(record.timestamp)},'
                f'"key":{write_key(key).decode()},"value":{write_value(value).decode()}'
                f"{headers_member(record.headers).decode()}}}"
            )
    if problems:
        raise LsqlcError(problems)
    return f"[{','.join(parts)}]"


@cache
def value_reader(type: DataType) -> Callable[[Any], Any]:
    """Return the function that converts values of DuckDB's client to Python values of the language."""
    match type:
        case data.TIMESTAMP:
            return _aware
        case data.BYTES:
            return lambda v: None if v is None else bytes(v)
        case Array(element):
            inner = value_reader(element)
            return _same if inner is _same else lambda v: None if v is None else [inner(e) for e in v]
        case Map(_, value):
            inner = value_reader(value)
            return _same if inner is _same else lambda v: None if v is None else {k: inner(e) for k, e in v.items()}
        case Struct(fields):
            readers = {f.name: r for f in fields if (r := value_reader(f.type)) is not _same}
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
