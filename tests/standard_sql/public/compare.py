"""What becomes of a public query here: compiled, run on DuckDB over rows that change, and held against Spark."""

from __future__ import annotations

import datetime
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import lsqlc
from lsqlc import Record, Topic
from lsqlc.api import CompileError
from lsqlc.lower.duckdb import default_session
from lsqlc.types.ddl import DdlError, parse_stored
from lsqlc.types.record import Case
from tests.standard_sql.public.judge import Answer, Table
from tests.standard_sql.public.material import written_names

Kind = Literal["equal", "refused", "wrong", "crash", "unjudged"]
# Relative distance of numbers that count as equal: sums of doubles depend on their order.
_DISTANCE = 1e-8


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a query. `code`: of the first error of a refused one; `detail`: its message, or both results."""

    answer: Answer
    kind: Kind
    code: str = ""
    detail: str = ""


def verdict(answer: Answer) -> Verdict:
    """Compile the query, run it over its tables, and hold its rows against those of Spark."""
    if answer.error is not None:
        return Verdict(answer, "unjudged", detail=answer.error)
    written = written_names(answer.query.text)
    tables = {written.get(name, name): table for name, table in answer.tables.items()}
    try:
        topics = [_topic(name, table) for name, table in tables.items()]
    except DdlError as error:
        return Verdict(answer, "refused", "type", str(error))
    try:
        plan = lsqlc.compile(answer.query.text, dialect="sql", topics=topics, name="out")
    except CompileError as error:
        first = error.diagnostics[0]
        return Verdict(answer, "refused", first.code, first.message)
    except Exception as error:  # any other exception is a fault of the compiler
        return Verdict(answer, "crash", type(error).__name__, str(error))
    read = {topic.name for topic in plan.inputs}
    records = [each for each in _records(tables, answer.query.text) if each.topic in read]
    try:
        (outcome,) = default_session().evaluate(plan, [Case("rows", (tuple(records),))])
    except Exception as error:  # any exception is a fault of the lowering
        return Verdict(answer, "crash", type(error).__name__, str(error))
    rows = [tuple(row.value.values()) for row in outcome.topics["out"] if row.value is not None]
    if _same(rows, answer.rows):
        return Verdict(answer, "equal")
    more = Counter(map(repr, rows)) - Counter(map(repr, answer.rows))
    less = Counter(map(repr, answer.rows)) - Counter(map(repr, rows))
    return Verdict(answer, "wrong", detail=f"more: {list(more)[:3]}, less: {list(less)[:3]}")


def _topic(name: str, table: Table) -> Topic:
    columns = []
    for column, kind in table.columns:
        # All sessions are in UTC, where there is no difference.
        columns.append(f"`{column}` {kind.replace('timestamp_ntz', 'timestamp')}")
        parse_stored(columns[-1])
    return Topic(name, key="INT", value=", ".join(columns))


def _records(tables: Mapping[str, Table], seed: str) -> list[Record]:
    """Return records whose last versions are the rows: some rows come in another form first, and some go again."""
    rand = random.Random(seed)
    result = list[Record]()
    for name, table in tables.items():
        names = [column for column, _ in table.columns]
        values = [dict(zip(names, map(_sent, row), strict=True)) for row in table.rows]
        for key, value in enumerate(values):
            if rand.random() < 0.3:
                result.append(Record(name, key, rand.choice(values)))
            if rand.random() < 0.1:
                result.append(Record(name, key, None))
            result.append(Record(name, key, value))
        for key in range(len(values), len(values) + len(values) // 4):
            result += [Record(name, key, rand.choice(values)), Record(name, key, None)]
    order = {id(record): place for place, record in enumerate(result)}
    last: dict[tuple[str, Any], float] = {}
    # Records of one key stay in order; those of different keys are mixed.
    ranks = {}
    for record in result:
        rank = max(last.get((record.topic, record.key), 0.0), rand.random())
        last[record.topic, record.key] = ranks[id(record)] = rank
    return sorted(result, key=lambda record: (ranks[id(record)], order[id(record)]))


def _sent(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=datetime.UTC)
    if isinstance(value, dict):
        return {key: _sent(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_sent(each) for each in value]
    return value


def _same(one: Sequence[tuple[Any, ...]], other: Sequence[tuple[Any, ...]]) -> bool:
    rest = list(other)
    if len(one) != len(other):
        return False
    for row in one:
        place = next((n for n, each in enumerate(rest) if _close(row, each)), None)
        if place is None:
            return False
        rest.pop(place)
    return True


def _close(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        if set(one) == set(other):
            return all(_close(one[name], other[name]) for name in one)
        return _close(list(one.values()), list(other.values()))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float | Decimal | int) and isinstance(other, float | Decimal | int):
        if isinstance(one, float) or isinstance(other, float):
            a, b = float(one), float(other)
            return (math.isnan(a) and math.isnan(b)) or a == b or math.isclose(a, b, rel_tol=_DISTANCE)
        return one == other
    if isinstance(one, datetime.datetime) and isinstance(other, datetime.datetime):
        return one.replace(tzinfo=None) == other.replace(tzinfo=None)
    return bool(one == other)
