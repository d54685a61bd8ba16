"""The result of a search for a difference of two versions, as lines for reviewers, as JSON and as a case."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from lsqlc.diagnostics import listing
from lsqlc.diagnostics.paint import PLAIN, Paint
from lsqlc.golden.canonical import canonical_text
from lsqlc.golden.case_writer import WrittenCase, flow
from lsqlc.golden.show import plural
from lsqlc.search.results import OutputRows, Row, SearchResult
from lsqlc.types.codec_text import timestamp_of_millis, timestamp_text
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Raw, Record, Topic

# Rows of a topic that are printed for each version.
_ROWS = 10


def search_lines(result: SearchResult, paint: Paint = PLAIN) -> Iterator[str]:
    """Yield the answer, and for a difference the records and the rows of both versions."""
    if result.certificate is not None:
        rules = ", ".join(rule.name for rule in result.certificate.rules)
        yield f"search: {paint('same', 'good')}, both versions have one normal form ({rules})"
        return
    if result.reason is not None:
        yield f"search: not searched, {result.reason}"
        return
    tried = plural(result.tried, "sequence")
    if result.rows:
        yield f"search: {paint('different', 'bad')} over {plural(len(result.records), 'record')}"
        yield from (f"  {flow(arrival)}" for arrival in arrivals(result))
        for output in result.rows:
            yield from (f"  {line}" for line in rows_lines(output, paint))
    else:
        yield f"search: not told apart by {tried} of records, of which {result.with_rows:,} gave rows"
    if result.left_out:
        yield f"  not compared: {listing(result.left_out)}"


def rows_lines(output: OutputRows, paint: Paint = PLAIN) -> Iterator[str]:
    """Yield the name of a topic, and its rows that differ."""
    yield output.new.name
    # Times are printed where nothing else differs.
    with_times = {_text_of(output.old, r) for r in output.before} == {_text_of(output.new, r) for r in output.after}
    yield from _rows(output.old, output.before, paint("-", "removed"), with_times=with_times)
    yield from _rows(output.new, output.after, paint("+", "added"), with_times=with_times)


def _rows(topic: Topic, rows: tuple[Row, ...], sign: str, *, with_times: bool) -> Iterator[str]:
    if not rows:
        yield f"  {sign} no row"
    for row in rows[:_ROWS]:
        time = f" at {_time(row.timestamp)}" if with_times and row.timestamp is not None else ""
        yield f"  {sign} {_text_of(topic, row)}{time}"
    if len(rows) > _ROWS:
        yield f"  {sign} and {plural(len(rows) - _ROWS, 'more row')}"


def _text_of(topic: Topic, row: Row) -> str:
    return f"{_text(topic.key.type, row.key)} {_text(topic.value.type, row.value)}"


def search_data(result: SearchResult) -> dict[str, Any]:
    """Return the result as JSON-ready data. Records are in the form of case files, keys and values of rows are JSON
    texts: so numbers keep their digits.
    """
    return {
        "answer": result.answer,
        "reason": result.reason,
        "sequences": result.tried,
        "with_rows": result.with_rows,
        "records": [flow(arrival) for arrival in arrivals(result)],
        "left_out": list(result.left_out),
        "topics": [rows_data(output) for output in result.rows],
        "certificate": None if result.certificate is None else msgspec.to_builtins(result.certificate),
    }


def rows_data(output: OutputRows) -> dict[str, Any]:
    """Return the rows of a topic that differ as JSON-ready data."""
    return {
        "topic": output.new.name,
        "before": [_row(output.old, row) for row in output.before],
        "after": [_row(output.new, row) for row in output.after],
    }


def _row(topic: Topic, row: Row) -> dict[str, Any]:
    key, value = _text(topic.key.type, row.key), _text(topic.value.type, row.value)
    return {"key": key, "value": value, "timestamp": row.timestamp}


def case_of(model: str, result: SearchResult, number: int) -> WrittenCase:
    """Return the records as a case of the model, whose rows a golden file is to have. `number`: that of its file."""
    return WrittenCase(f"tells two versions apart {number}", model, arrivals(result), None)


def arrivals(result: SearchResult) -> list[dict[str, Any]]:
    """Return the records in the form of case files: without nulls, and without the time if all have the time 0. Numbers
    with a fraction are decimals.
    """
    return arrivals_of(result.topics, result.records)


def arrivals_of(topics: Sequence[Topic], records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return records of topics in the form of case files, as `arrivals`."""
    by_name = {topic.name: topic for topic in topics}
    with_times = any(record.timestamp for record in records)
    return [_arrival(by_name[record.topic], record, with_times=with_times) for record in records]


def _arrival(topic: Topic, record: Record, *, with_times: bool) -> dict[str, Any]:
    facets = (("key", topic.key.type, record.key), ("value", topic.value.type, record.value))
    members = dict(_facet(*facet) for facet in facets if facet[2] is not None)
    time = {"timestamp": _time(record.timestamp)} if with_times else {}
    return {"topic": record.topic, **members, **time}


def _facet(name: str, type: DataType, value: Any) -> tuple[str, Any]:
    """Return a facet as a member of a record in a case file; one that nobody has read as its text."""
    if isinstance(value, Raw):
        return "raw" if name == "value" else "raw_key", value.text
    return name, _member(type, value)


def _member(type: DataType, value: Any) -> Any:
    return _without_nulls(type, json.loads(_text(type, value), parse_float=Decimal))


def _without_nulls(type: DataType, value: Any) -> Any:
    if isinstance(type, Struct) and isinstance(value, dict):
        fields = {f.name: f.type for f in type.fields}
        return {name: _without_nulls(fields[name], each) for name, each in value.items() if each is not None}
    return value


def _text(type: DataType, value: Any) -> str:
    return canonical_text(type, value)


def _time(millis: int) -> str | int:
    time = timestamp_of_millis(millis)
    return millis if time is None else timestamp_text(time)
