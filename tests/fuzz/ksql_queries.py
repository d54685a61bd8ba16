"""Random queries of ksqlDB over streams and tables that are known. What the language refuses is for the compiler to
say; the key columns are projected as the rules ask, mostly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Literal

from lsqlc.bind.ksql.scope import SYSTEM
from lsqlc.bind.ksql.statistics import STATISTICS
from lsqlc.types import data
from lsqlc.types.data import Array, DataType
from tests.fuzz.expressions import SCALARS, condition, expression, groupable
from tests.fuzz.ksql_expressions import KSQL, terms
from tests.fuzz.ksql_sources import KsqlKnown, named
from tests.fuzz.ksql_syntax import Column, KsqlJoined, KsqlQuery
from tests.fuzz.syntax import Projection, Source, Term

_ON_TABLE = ("COUNT(*)", "COUNT()", "COUNT({})", "SUM({})", "AVG({})", "COLLECT_LIST({})", "HISTOGRAM({})",
             "STDDEV_SAMP({})", "STDDEV_SAMPLE({})", "CORRELATION({}, {})")  # fmt: skip
_ON_STREAM = (
    *_ON_TABLE, "MIN({})", "MAX({})", "COUNT_DISTINCT({})", "COLLECT_SET({})", "TOPK({}, 2)", "TOPKDISTINCT({}, 2)",
    "EARLIEST_BY_OFFSET({})", "EARLIEST_BY_OFFSET({}, FALSE)", "EARLIEST_BY_OFFSET({}, 2)", "LATEST_BY_OFFSET({})",
    "LATEST_BY_OFFSET({}, FALSE)", "LATEST_BY_OFFSET({}, 2)", "LATEST_BY_OFFSET({}, 2, FALSE)",
)  # fmt: skip
_NUMBERS = ("SUM", "AVG", "TOPK", "MIN", "MAX")
_WINDOWS = (
    "TUMBLING (SIZE 5 MILLISECONDS{})", "HOPPING (SIZE 9 MILLISECONDS, ADVANCE BY 4 MILLISECONDS{})",
    "HOPPING (SIZE 6 MILLISECONDS, ADVANCE BY 3 MILLISECONDS{})", "SESSION (3 MILLISECONDS{})",
    "SESSION (1 MILLISECOND{})",
)  # fmt: skip
_JOINS: dict[tuple[str, str], tuple[Literal["", "INNER ", "LEFT ", "LEFT OUTER ", "RIGHT ", "FULL OUTER "], ...]] = {
    ("STREAM", "STREAM"): ("", "INNER ", "LEFT ", "LEFT OUTER ", "RIGHT ", "FULL OUTER "),
    ("TABLE", "TABLE"): ("", "INNER ", "LEFT ", "RIGHT ", "FULL OUTER "),
    ("STREAM", "TABLE"): ("", "INNER ", "LEFT "),
}
_SHAPES = ("plain", "partition", "explode", "group", "join", "partition of a join", "group of a join")
_WEIGHTS = (4, 3, 2, 6, 8, 1, 2)


def ksql_query(sources: Sequence[KsqlKnown], random: Random, *, late: bool) -> KsqlQuery:
    """`late`: joins and windows may have a short grace of their own."""
    shape = random.choices(_SHAPES, _WEIGHTS)[0]
    if shape.endswith("join"):
        return _join(sources, random, shape, late=late)
    known = _choose([s for s in sources if shape in ("plain", "group") or s.word == "STREAM"] or sources, random)
    source = Source(known.name, random.choice((None, None, None, "X")))
    scope = terms(known, random.choice((None, None, source.label)), system=True)
    where = _where(scope, random)
    emit: Literal["", "CHANGES"] = random.choice(("", "CHANGES"))
    if shape == "group":
        return _grouped(KsqlQuery((), source, (), None, where, emit=emit), scope, known, random, late=late)
    if shape == "partition":
        return _partitioned(KsqlQuery((), source, (), None, where, emit=emit), scope, random)
    keys = [Projection(_column(scope, c), _alias(c, random)) for c in known.keys]
    if shape == "plain" and random.random() < 0.2:
        star = Projection(Term(random.choice(("*", f"{source.label}.*"))))
        items = [star, *_extra(scope, random)]
    else:
        items = [*keys, *_values(scope, random)]
        random.shuffle(items)
        items += _copies(known.keys, scope, random)
    if shape == "explode":
        items += [_exploded(scope, f"E{number}", random) for number in range(random.choice((1, 1, 2)))]
    return KsqlQuery(tuple(items), source, (), None, where, emit=emit)


def _choose(sources: Sequence[KsqlKnown], random: Random) -> KsqlKnown:
    return random.choices(sources, [s.weight for s in sources])[0]


def _column(scope: Sequence[Term], column: Column) -> Term:
    return next(t for t in scope if t.text.split(".")[-1] == column.name and not t.parts)


def _is_system(term: Term) -> bool:
    return term.text.split(".")[-1] in SYSTEM


def _alias(column: Column, random: Random) -> str | None:
    return random.choice((None, None, column.name, f"K_{column.name}"))


def _where(scope: Sequence[Term], random: Random) -> tuple[Term, ...]:
    return tuple(condition(scope, random, KSQL) for _ in range(random.choice((0, 0, 0, 1, 1, 2))))


def _any(scope: Sequence[Term], random: Random) -> Term:
    if random.random() < 0.4:
        return random.choice(scope)
    found = expression(random.choice(SCALARS), scope, random, 2, KSQL)
    assert found is not None
    return found


def _values(scope: Sequence[Term], random: Random) -> list[Projection]:
    found = []
    for number in range(random.choice((1, 2, 2, 3, 4))):
        form = random.random()
        if form < 0.2:
            own = [t for t in scope if not _is_system(t)]
            found.append(Projection(random.choice(own or scope)))
        elif form < 0.25:
            found.append(Projection(_any(scope, random)))
        else:
            found.append(Projection(_any(scope, random), f"V{number}"))
    return found


def _extra(scope: Sequence[Term], random: Random) -> list[Projection]:
    return [Projection(_any(scope, random), "MORE")] if random.random() < 0.3 else []


def _copies(keys: Sequence[Column], scope: Sequence[Term], random: Random) -> list[Projection]:
    if not keys or random.random() > 0.15:
        return []
    key = random.choice(keys)
    return [Projection(Term("AS_VALUE({})", (_column(scope, key),), key.type), "COPIED")]


def _exploded(scope: Sequence[Term], alias: str, random: Random) -> Projection:
    own = [t for t in scope if isinstance(t.type, Array)]
    cube = random.random() < 0.2
    function = "CUBE_EXPLODE({})" if cube else "EXPLODE({})"
    if own and random.random() < 0.85:
        return Projection(Term(function, (random.choice(own),)), alias)
    # A cube reads its array again for each element of each of its arrays.
    sizes, depth = ((1, 2), 0) if cube else ((1, 2, 3), 1)
    parts = tuple(p for _ in range(random.choice(sizes)) if (p := expression(data.INT, scope, random, depth, KSQL)))
    array = Term(f"ARRAY[{', '.join('{}' for _ in parts)}]", parts, Array(data.INT))
    return Projection(Term(function, (array,)), alias)


def _key(scope: Sequence[Term], random: Random) -> Term:
    """What can be a key: mostly a column of few values."""
    own = [c for c in scope if groupable(c.type) and not _is_system(c)]
    if own and random.random() < 0.75:
        return random.choice(own)
    found = expression(random.choice((data.INT, data.STRING)), scope, random, 1, KSQL)
    assert found is not None
    return found


def _partitioned(query: KsqlQuery, scope: Sequence[Term], random: Random) -> KsqlQuery:
    form = random.random()
    if form < 0.12:
        keys: tuple[Term, ...] = (Term("NULL"),)
    elif form < 0.75:
        keys = (_key(scope, random),)
    else:
        keys = (_key(scope, random), _key(scope, random))
    if random.random() < 0.3:
        items = [Projection(Term("*"))]
    else:
        items = [Projection(k, f"K{i}" if k.parts or random.random() < 0.5 else None) for i, k in enumerate(keys)]
        items = [i for i in items if str(i.term) != "NULL"] + _values(scope, random)
        random.shuffle(items)
    return KsqlQuery(
        tuple(items), query.source, query.joins, None, query.where, keys, emit=query.emit
    )  # fmt: skip


# Groups


def _grouped(
    query: KsqlQuery, scope: Sequence[Term], known: KsqlKnown | None, random: Random, *, late: bool
) -> KsqlQuery:
    """The query with aggregates, and perhaps a window and HAVING. `known`: its source, if it is but one."""
    form = random.random()
    if form < 0.25 and known is not None and known.keys:
        group = tuple(_column(scope, c) for c in known.keys)
    elif form < 0.7:
        group = (_key(scope, random),)
    else:
        group = (_key(scope, random), _key(scope, random))
    is_table = known is not None and known.word == "TABLE"
    items = [Projection(g, f"G{i}" if g.parts or random.random() < 0.4 else None) for i, g in enumerate(group)]
    calls = []
    for number in range(random.choice((1, 2, 3))):
        text = random.choice(_ON_TABLE if is_table else _ON_STREAM)
        calls.append(Projection(_call(text, scope, random), f"A{number}" if random.random() < 0.9 else None))
    if random.random() < 0.1:
        calls.append(Projection(Term("{} + 1", (calls[0].term,)), "NEXT"))
    if random.random() < 0.15:
        calls.append(Projection(Term("AS_VALUE({})", (group[0],)), "OF"))
    window = None
    emit = query.emit
    if not is_table and random.random() < 0.45:
        window = _window(random, late=late)
        if random.random() < 0.3 and known is not None:
            calls.append(Projection(Term(random.choice(("WINDOWSTART", "WINDOWEND"))), "BOUND"))
        if random.random() < 0.15:
            emit = "FINAL"
    items += calls
    if random.random() < 0.3:
        random.shuffle(items)
    having = (_having(calls, random),) if random.random() < 0.3 else ()
    return KsqlQuery(tuple(items), query.source, query.joins, window, query.where, (), group, having, emit)


def _window(random: Random, *, late: bool) -> str:
    kind = random.choice(_WINDOWS)
    more = ", RETENTION 2 DAYS" if random.random() < 0.2 else ""
    if late:
        more += f", GRACE PERIOD {random.choice((0, 2, 6))} MILLISECONDS"
    elif random.random() < 0.4:
        more += ", GRACE PERIOD 1 DAY"
    return kind.format(more)


def _call(text: str, scope: Sequence[Term], random: Random) -> Term:
    if "{}" not in text:
        return Term(text)
    if text.startswith(STATISTICS):
        # Whole numbers, whose sums have no error that depends on their order.
        parts = [expression(data.INT, scope, random, 1, KSQL) for _ in range(text.count("{}"))]
        return Term(text, tuple(p for p in parts if p is not None))
    if text.startswith("HISTOGRAM"):
        argument = expression(data.STRING, scope, random, 1, KSQL)
    elif text.startswith(_NUMBERS):
        types: tuple[DataType, ...] = (data.INT, data.INT, data.BIGINT, data.DOUBLE)
        argument = expression(random.choice(types), scope, random, 1, KSQL)
    elif random.random() < 0.4:
        argument = random.choice(scope)
    else:
        argument = expression(random.choice(SCALARS), scope, random, 1, KSQL)
    assert argument is not None
    return Term(text, (argument,))


def _having(calls: Sequence[Projection], random: Random) -> Term:
    counted = [c for c in calls if c.term.text.startswith(("COUNT", "SUM"))]
    if counted and random.random() < 0.8:
        return Term(random.choice(("{} > 1", "{} <> 2", "{} IS NOT NULL")), (random.choice(counted).term,))
    return Term("COUNT(*) > 1")


# Joins


def _join(sources: Sequence[KsqlKnown], random: Random, shape: str, *, late: bool) -> KsqlQuery:
    tables = [s for s in sources if s.word == "TABLE"]
    known = [_choose(tables if len(tables) > 1 and random.random() < 0.4 else sources, random)]
    joins: list[KsqlJoined] = []
    labels = [random.choice((known[0].name, "L"))]
    for number in range(random.choices((1, 2, 3), (7, 2, 0.7))[0]):
        word = "STREAM" if all(k.word == "STREAM" for k in known[:1]) else "TABLE"
        fitting = [s for s in sources if s not in known and (word, s.word) in _JOINS]
        if not fitting:
            break
        right = _choose(fitting, random)
        label = random.choice((right.name, f"R{number}"))
        on = _on(known, labels, right, label, random)
        if on is None:
            continue
        within, grace = _within(random, late=late) if right.word == word == "STREAM" else (None, None)
        kind = random.choice(_JOINS[word, right.word])
        joins.append(KsqlJoined(kind, Source(right.name, label if label != right.name else None), on, within, grace))
        known.append(right)
        labels.append(label)
    scope = [t for k, label in zip(known, labels, strict=True) for t in _side(k, label, bool(joins), known)]
    source = Source(known[0].name, labels[0] if labels[0] != known[0].name else None)
    emit: Literal["", "CHANGES"] = random.choice(("", "CHANGES"))
    query = KsqlQuery((), source, tuple(joins), None, _where(scope, random), emit=emit)
    if shape == "group of a join":
        return _grouped(query, scope, None, random, late=late)
    if shape == "partition of a join":
        return _partitioned(query, scope, random)
    return KsqlQuery(tuple(_join_items(known, labels, joins, scope, random)), source, tuple(joins), None, query.where,
                     emit=emit)  # fmt: skip


def _side(known: KsqlKnown, label: str, qualified: bool, all: Sequence[KsqlKnown]) -> list[Term]:
    """The columns of one side; some without its name, where no other has them."""
    found = terms(known, label if qualified else None, system=True)
    others = {n for k in all if k is not known for n in named(k.columns)}
    alone = replace(known, columns=tuple(c for c in known.columns if c.name not in others))
    return found + terms(alone, None, system=False)


def _on(
    known: Sequence[KsqlKnown], labels: Sequence[str], right: KsqlKnown, label: str, random: Random
) -> tuple[Term, Term] | None:
    """Columns, or expressions, of one type on both sides; of a table its primary key."""
    theirs = terms(right, label, system=False)
    keys = [Term(f"{label}.{c.name}", (), c.type) for c in right.keys]
    if right.word == "TABLE" or (keys and random.random() < 0.6):
        theirs = keys
    ours = [t for k, one in zip(known, labels, strict=True) for t in terms(k, one, system=False)]
    own = [Term(f"{one}.{c.name}", (), c.type) for k, one in zip(known, labels, strict=True) for c in k.keys]
    if random.random() < 0.6:
        ours = own or ours
    pairs = [(a, b) for a in ours for b in theirs if a.type == b.type and groupable(a.type)]
    if not pairs:
        return None
    a, b = random.choice(pairs)
    if random.random() < 0.15 and a.type == data.INT:
        a = Term("({} + 1)", (a,), data.INT)
        if random.random() < 0.5 and right.word == "STREAM":
            b = Term("ABS({})", (b,), data.INT)
    return (a, b) if random.random() < 0.8 else (b, a)


def _within(random: Random, *, late: bool) -> tuple[str, str | None]:
    before, after = random.choice((0, 3, 5, 9)), random.choice((0, 3, 9))
    within = f"({before} MILLISECONDS, {after} MILLISECONDS)" if random.random() < 0.4 else f"{before} MILLISECONDS"
    if random.random() < 0.5:
        return within, None
    if not late:
        return within, "1 DAY"
    # Without any time to wait ksqlDB has forgotten a record when its match comes, and Spark never forgets that early.
    waits = before > 0 or (after > 0 and within.startswith("("))
    return within, f"{random.choice((0, 2, 6) if waits else (2, 6))} MILLISECONDS"


def _join_items(
    known: Sequence[KsqlKnown], labels: Sequence[str], joins: Sequence[KsqlJoined], scope: Sequence[Term],
    random: Random,
) -> list[Projection]:  # fmt: skip
    if random.random() < 0.25:
        return [Projection(Term("*")), *_extra(scope, random)]
    plain = [side for join in joins for side in join.on if not side.parts]
    full = any(j.kind.startswith("FULL") for j in joins)
    synthetic = full or not any(not s.parts for s in (joins[-1].on if joins else ()))
    keys = [Projection(random.choice(plain))] if plain and not synthetic else [Projection(Term("ROWKEY"))]
    if known[0].word == "TABLE" and random.random() < 0.5:
        # Of a foreign-key join the left table's own.
        keys = [Projection(Term(f"{labels[0]}.{c.name}")) for c in known[0].keys]
    keys = [Projection(k.term, f"K{i}" if random.random() < 0.7 else None) for i, k in enumerate(keys)]
    if random.random() < 0.1:
        return [*keys, Projection(Term(f"{random.choice(labels)}.*"))]
    return [*keys, *_values(scope, random)]
