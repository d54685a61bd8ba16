"""Running a plan's statements in DuckDB: cases side by side in one statement, or the logs of topics as they lie on
disk.

The database lives in memory and reads no file that it was not handed; it never writes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import local
from typing import Any

import duckdb

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.functions import calls, catalogue
from lsqlc.functions.signature import PythonForm
from lsqlc.lower.duckdb.bad_records import sift_cases, sift_logs
from lsqlc.lower.duckdb.queries import lower
from lsqlc.lower.duckdb.sources import of_cases, of_segments, table_name
from lsqlc.plan.plan import Plan
from lsqlc.types import codec, data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct
from lsqlc.types.record import Case, Outcome, Record, Topic, is_raw

# How many threads DuckDB may use, and up to how many characters of records it is not worth it.
_THREADS = 2
_SMALL = 1_000_000
_OWN = local()
# What DuckDB says of a statement that nests too deeply.
_DEPTH = "Max expression depth"


class Session:
    """A DuckDB connection in which plans run, one after another. Each thread needs its own."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(":memory:", config={"threads": _THREADS})
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute("SET preserve_insertion_order = false")
        self._connection.execute("SET autoinstall_known_extensions = false")
        self._registered: set[str] = set()
        self._small = False

    def evaluate(self, plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
        """The outcome of each case, all computed together. The records must be those of the plan's topics.

        Raises LsqlcError if a record does not fit its topic (LSQ430), or cannot be read and the plan's policy is to
        fail (LSQ432).
        """
        topics = {t.name: t for t in plan.inputs}
        _check_topics(cases, topics)
        sifted = sift_cases(plan, cases)
        records = {name: _records_text(topic, cases, sifted.rows.get(name, ())) for name, topic in topics.items()}
        self._tune(small=sum(map(len, records.values())) < _SMALL)
        return sifted.added(plan, self._run(plan, cases, records, of_cases))

    def evaluate_logs(self, plan: Plan, segments: Mapping[str, Sequence[Path]], now: int = 0) -> Outcome:
        """The outcome over whole topics, from the segments of their logs. `now`: epoch milliseconds.

        Where the plan's policy is to fail, the segments are taken to be well-formed, as a transport leaves them.
        """
        self._tune(small=False)
        if plan.policy != "fail":
            sifted = sift_logs(plan, segments)
            records = {name: f"[{','.join(rows)}]" for name, rows in sifted.rows.items()}
            return sifted.added(plan, self._run(plan, [Case("", (), now)], records, of_cases))[0]
        files = {topic.name: list(map(str, segments[topic.name])) for topic in plan.inputs}
        return self._run(plan, [Case("", (), now)], files, of_segments)[0]

    def _tune(self, *, small: bool) -> None:
        """Planning a statement takes longer than running it over a few records, and threads are no help there."""
        if small != self._small:
            self._connection.execute("PRAGMA disable_optimizer" if small else "PRAGMA enable_optimizer")
            self._connection.execute(f"SET threads = {1 if small else _THREADS}")
            self._small = small

    def _run(
        self, plan: Plan, cases: Sequence[Case], given: Mapping[str, Any], source: Callable[[Topic, int], str]
    ) -> list[Outcome]:
        """`given`: what each topic is read from; `source` writes how, by the number of the parameter that holds it."""
        topics: list[dict[str, tuple[Record, ...]]] = [{} for _ in cases]
        counts: list[dict[str, int]] = [{} for _ in cases]
        inputs = {topic.name: topic for topic in plan.inputs}
        for statement, sink in zip(lower(plan), plan.sinks, strict=True):
            sources = [(table_name(n), source(inputs[n], i + 1)) for i, n in enumerate(statement.reads)]
            text = statement.counted([_cases_table(cases), *sources])
            rows: list[list[Record]] = [[] for _ in cases]
            key, value = _reader(sink.topic.key.type), _reader(sink.topic.value.type)
            name = sink.topic.name
            for case, number, k, v, reason in self._rows(plan, text, [given[n] for n in statement.reads]):
                if reason is None:
                    rows[case].append(Record(name, key(k), value(v), number or 0))
                else:
                    counts[case][reason] = counts[case].get(reason, 0) + number
            for case, records in enumerate(rows):
                if sink.semantics == "TABLE":
                    records.sort(key=lambda r: codec.sort_key(sink.topic.key.type, r.key))
                topics[case][name] = tuple(records)
        return [Outcome(t, c) for t, c in zip(topics, counts, strict=True)]

    def _rows(self, plan: Plan, statement: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
        """All rows of a statement. Raises LsqlcError for a record that the program itself refuses (LSQ431), and for
        what is too much for DuckDB (LSQ433).
        """
        self._register(statement)
        try:
            return self._connection.execute(statement, parameters).fetchall()
        except duckdb.InvalidInputException as refused:
            message = str(refused).removeprefix("Invalid Input Error: ").split("\n")[0]
            raise LsqlcError([Diagnostic("LSQ431", f"the model '{plan.name}': {message}")]) from None
        except (duckdb.OutOfMemoryException, duckdb.ParserException, duckdb.BinderException) as error:
            message = str(error).split("\n")[0]
            if not isinstance(error, duckdb.OutOfMemoryException) and _DEPTH not in message:
                raise
            raise LsqlcError([Diagnostic("LSQ433", f"the model '{plan.name}' is too large: {message}")]) from None

    def _register(self, statement: str) -> None:
        """Make the Python forms known that a statement names; all of them would take longer than a small statement."""
        forms = [f for f in _forms() if f.name not in self._registered and f.name in statement]
        calls.register(self._connection, forms)
        self._registered.update(form.name for form in forms)


@cache
def _forms() -> tuple[PythonForm, ...]:
    return calls.python_forms(catalogue.every_function())


def _cases_table(cases: Sequence[Case]) -> tuple[str, str]:
    """The cases with their times, which clock functions read."""
    rows = ", ".join(f"({i}, make_timestamp_ms({int(case.now)}))" for i, case in enumerate(cases))
    return "cases", f'SELECT * FROM (VALUES {rows}) AS c(_case, "now")'


def evaluate(plan: Plan, cases: Sequence[Case]) -> list[Outcome]:
    """See `Session.evaluate`; one session serves a whole thread."""
    return default_session().evaluate(plan, cases)


def default_session() -> Session:
    """The session of the thread that asks for it."""
    session: Session | None = getattr(_OWN, "session", None)
    if session is None:
        session = _OWN.session = Session()
    return session


def _check_topics(cases: Sequence[Case], topics: Mapping[str, Topic]) -> None:
    unknown = sorted({r.topic for case in cases for r in case.records} - set(topics))
    if unknown:
        raise LsqlcError(
            Diagnostic("LSQ430", f"a record is for the topic '{name}', which the program does not read")
            for name in unknown
        )


def _records_text(topic: Topic, cases: Sequence[Case], more: Sequence[str]) -> str:
    """The records of one topic in all cases, as one JSON array; the ordinal is the place in the case. `more`: those
    that came as raw text.
    """
    check_key, check_value = (
        codec.checker(f.type, strict=True, path=p) for f, p in ((topic.key, "key"), (topic.value, "value"))
    )
    write_key, write_value = codec.encoder(topic.key.type), codec.encoder(topic.value.type)
    parts = list(more)
    problems = []
    for number, case in enumerate(cases):
        for place, record in enumerate(case.records):
            if record.topic != topic.name or is_raw(record):
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
                f'"key":{write_key(key).decode()},"value":{write_value(value).decode()}}}'
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
