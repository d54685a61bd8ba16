"""Random changes, and what AUTO CDC makes of them, computed change by change from the documented meaning."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import lsqlc
from lsqlc import Record, Topic
from lsqlc.lower.duckdb import default_session
from lsqlc.types.record import Case
from tests.standard_sql.compare import prefixes
from tests.standard_sql.on_spark import Engine, cut

TOPIC = Topic(
    "changes",
    value="id INT, part STRING, name STRING, city STRING, spot STRUCT<x: INT, of: STRUCT<y: STRING>>, op STRING,"
    " seq BIGINT, step INT",
)
COLUMNS = ("id", "part", "name", "city", "spot", "op", "seq", "step")
_DELETES = "op = 'D'"


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow into `t`. `columns`: of the table; `tracked`: those that make a version, of SCD TYPE 2; `ignoring`: those
    in which a null is ignored.
    """

    keys: tuple[str, ...]
    sequence: tuple[str, ...]
    deletes: bool
    columns: tuple[str, ...]
    versions: bool
    tracked: tuple[str, ...]
    ignoring: tuple[str, ...]
    text: str


def drawn(seed: int) -> Flow:
    """A flow of every form."""
    rand = random.Random(f"flow {seed}")
    keys = rand.choice([("id",), ("id", "part"), ("part",)])
    sequence = rand.choice([("seq",), ("seq",), ("seq", "step")])
    deletes, versions = rand.random() < 0.7, rand.random() < 0.6
    others = [c for c in COLUMNS if c not in keys]
    left_out = rand.sample(others, rand.randint(0, len(others)))
    columns = tuple(c for c in COLUMNS if c not in left_out)
    rest = [c for c in columns if c not in keys]
    untracked = rand.sample(rest, rand.randint(0, len(rest)))
    tracked = tuple(c for c in rest if c not in untracked)
    order = sequence[0] if len(sequence) == 1 else f"STRUCT({', '.join(sequence)})"
    clauses = [f"SEQUENCE BY {order}"]
    if deletes:
        clauses.append(f"APPLY AS DELETE WHEN {_DELETES}")
    if left_out and rand.random() < 0.5:
        clauses.append(f"COLUMNS * EXCEPT ({', '.join(left_out)})")
    elif left_out:
        clauses.append(f"COLUMNS ({', '.join(columns)})")
    if versions:
        clauses.append("STORED AS SCD TYPE 2")
    elif rand.random() < 0.5:
        clauses.append("STORED AS SCD TYPE 1")
    if versions and untracked and (rand.random() < 0.5 or not tracked):
        clauses.append(f"TRACK HISTORY ON * EXCEPT ({', '.join(untracked)})")
    elif versions and untracked:
        clauses.append(f"TRACK HISTORY ON ({', '.join(tracked)})")
    ignored = rand.choice(["none", "none", "all", "some", "all but some"])
    some = tuple(rand.sample(rest, rand.randint(1, len(rest)))) if rest else ()
    ignoring = {"all": tuple(rest), "some": some, "all but some": tuple(c for c in rest if c not in some)}.get(
        ignored, ()
    )
    if ignored == "all" or (ignored != "none" and not some):
        ignoring = tuple(rest)
        clauses.append("IGNORE NULL UPDATES")
    elif ignored != "none":
        clauses.append(f"IGNORE NULL UPDATES ON {'' if ignored == 'some' else '* EXCEPT '}({', '.join(some)})")
    rand.shuffle(clauses)
    source = rand.choice(["STREAM(changes)", "(SELECT * FROM STREAM(changes) WHERE id IS NOT NULL OR TRUE) AS c"])
    text = f"CREATE FLOW f AS AUTO CDC INTO t FROM {source} KEYS ({', '.join(keys)}) {' '.join(clauses)}"
    return Flow(keys, sequence, deletes, columns, versions, tracked, ignoring, text)


def changes(seed: int, count: int) -> list[Record]:
    """Changes of few keys in any order, some of them equal, some without a key or a sequence."""
    rand = random.Random(f"changes {seed}")
    found = []
    for number in range(count):
        value = {
            "id": rand.choice([1, 1, 2, 3, None]),
            "part": rand.choice(["a", "b", None]),
            "name": rand.choice(["x", "y", None]),
            "city": rand.choice(["p", "q"]),
            "spot": rand.choice(
                [None, {"x": rand.choice([1, 2, None]), "of": rand.choice([None, {"y": None}, {"y": "z"}])}]
            ),
            "op": rand.choice(["U", "U", "D", None]),
            "seq": rand.choice([*range(1, 13), None]),
            "step": rand.choice([1, 2, None]),
        }
        found.append(Record("changes", None, None if rand.random() < 0.05 else value, number))
    return found


def differences(seed: int, engine: Engine | None = None, size: int = 40) -> list[str]:
    """What a flow of this seed gives otherwise than the documented meaning, after prefixes of its changes: on DuckDB,
    or on an engine that has them in batches, and then than DuckDB with its keys.
    """
    flow, given = drawn(seed), changes(seed, size)
    plan = lsqlc.compile(flow.text, dialect="sql", topics=[TOPIC], name="t")
    cuts = prefixes(seed, size)[-3 if engine is not None else 0 :]
    wholes = [Case(f"{n}", (tuple(given[:n]),)) for n in cuts]
    ours = [[(r.key, r.value) for r in each.topics["t"]] for each in default_session().evaluate(plan, wholes)]
    theirs = ours
    if engine is not None:
        cases = [Case(f"{n}", tuple(cut(given[:n], seed + n))) for n in cuts]
        theirs = [[(r.key, r.value) for r in each.topics["t"]] for each in engine(plan, cases)]
    for n, one, other in zip(cuts, ours, theirs, strict=True):
        wanted = sorted(map(repr, table(flow, given[:n])))
        rows = sorted(repr(value) for _, value in other)
        if rows != wanted or sorted(map(repr, one)) != sorted(map(repr, other)):
            return [f"seed {seed} after {n}: {flow.text}\n  rows:   {rows}\n  wanted: {wanted}\n  DuckDB: {one}"]
    return []


def table(flow: Flow, given: Sequence[Record]) -> list[dict[str, Any]]:
    """The rows of the table after changes."""
    by_key: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in given:
        row = record.value
        if row is None or any(row[key] is None for key in flow.keys):
            continue
        if len(flow.sequence) == 1 and row[flow.sequence[0]] is None:
            continue
        by_key.setdefault(tuple(row[key] for key in flow.keys), []).append(row)
    return [row for rows in by_key.values() for row in _rows(flow, rows)]


def _rows(flow: Flow, given: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    last: dict[Any, dict[str, Any]] = {}
    known: dict[str, Any] = {}
    for row in sorted(given, key=lambda row: _order(flow, row)):
        if _is_deleted(flow, row):
            known = {}
            last[_order(flow, row)] = {**row, "sequence": _start(flow, row)}
            continue
        whole = {column: _filled(row[column], known.get(column)) for column in flow.ignoring}
        last[_order(flow, row)] = known = {**row, **whole, "sequence": _start(flow, row)}
    rows = [last[order] for order in sorted(last)]
    if not flow.versions:
        return [_shown(flow, rows[-1])] if not _is_deleted(flow, rows[-1]) else []
    found: list[dict[str, Any]] = []
    before: dict[str, Any] | None = None
    for row in rows:
        start = row["sequence"]
        if before is not None and not _is_deleted(flow, before):
            if not _is_deleted(flow, row) and all(row[c] == before[c] for c in flow.tracked):
                found[-1] |= _shown(flow, row)
                before = row
                continue
            found[-1]["__END_AT"] = start
        if not _is_deleted(flow, row):
            found.append({**_shown(flow, row), "__START_AT": start, "__END_AT": None})
        before = row
    return found


def _filled(new: Any, old: Any) -> Any:
    """A value, in which a null is what it was before."""
    if new is None or old is None or not isinstance(new, dict):
        return old if new is None else new
    return {name: _filled(value, old[name]) for name, value in new.items()}


def _order(flow: Flow, row: dict[str, Any]) -> tuple[tuple[bool, int], ...]:
    """A null comes first."""
    return tuple((row[part] is not None, row[part] or 0) for part in flow.sequence)


def _start(flow: Flow, row: dict[str, Any]) -> Any:
    return row[flow.sequence[0]] if len(flow.sequence) == 1 else {part: row[part] for part in flow.sequence}


def _is_deleted(flow: Flow, row: dict[str, Any]) -> bool:
    return flow.deletes and row["op"] == "D"


def _shown(flow: Flow, row: dict[str, Any]) -> dict[str, Any]:
    return {column: row[column] for column in flow.columns}
