"""Random queries over sources whose schemas are known. What the language refuses is for the compiler to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Struct
from tests.fuzz.expressions import SCALARS, columns, condition, expression, groupable
from tests.fuzz.syntax import Joined, Kind, Projection, Query, Source, Term, Word

_ON_TABLE = ("COUNT(*)", "COUNT({})", "SUM({})", "AVG({})", "COLLECT({}, 3)")
_ON_STREAM = (
    *_ON_TABLE, "FIRST({})", "LAST({})", "COLLECT_UNIQUE({}, 2)", "MAXK({}, 1)", "MAXK({}, 2)", "MINK({}, 1)",
    "MINK({}, 2)", "MAXK_UNIQUE({}, 2)", "MINK_UNIQUE({}, 2)",
)  # fmt: skip
_NUMBERS = ("SUM", "AVG", "MAXK", "MINK")
_WINDOWS = ("TUMBLE 5ms", "HOP 9ms, 4ms", "HOP 6ms BY 3ms", "SESSION 3ms", "SESSION 1ms")
_KINDS: tuple[Kind, ...] = ("", "INNER ", "LEFT ", "RIGHT ", "OUTER ")


@dataclass(frozen=True, slots=True)
class Known:
    """What a query can read. `word`: of a WITH name, what it is; None for a topic. `weight`: how often it is chosen."""

    name: str
    key: DataType
    value: DataType
    word: Word | None = None
    weight: float = 1.0


def query(sources: Sequence[Known], random: Random, *, late: bool) -> Query:
    """`late`: windows may have a short grace of their own."""
    shapes = ("plain", "join", "group", "group of a join", "lateral", "rekey", "tables")
    shape = random.choices(shapes, (4, 9, 5, 2, 3, 2, 3))[0]
    if shape == "tables":
        return _tables(sources, random)
    if shape in ("join", "group of a join"):
        return _join(sources, random, grouped=shape != "join", late=late)
    return _single(sources, random, shape, late=late)


def _choose(sources: Sequence[Known], random: Random) -> Known:
    return random.choices(sources, [s.weight for s in sources])[0]


def _word(source: Known, random: Random) -> Word:
    if source.word is None or random.random() < 0.2:
        return random.choice(("STREAM", "TABLE"))
    return source.word


def _single(sources: Sequence[Known], random: Random, shape: str, *, late: bool) -> Query:
    if shape == "lateral":
        lists = [s for s in sources if _arrays(s.value)]
        sources = lists or sources
    known = _choose(sources, random)
    word = _word(known, random)
    source = Source(known.name, random.choice((None, None, "x", "item")))
    lateral = shape == "lateral" or (shape == "group" and bool(_arrays(known.value)) and random.random() < 0.5)
    grouped = shape == "group" or (lateral and random.random() < (0.7 if word == "TABLE" else 0.3))
    scope = columns(source.label, known.key, known.value, bare=True, bare_key=not grouped)
    event_time = None
    if random.random() < (0.3 if grouped else 0.15):
        event_time = _event_time(scope, random)
    laterals: list[tuple[Term, str]] = []
    if lateral:
        for number in range(random.choice((1, 1, 2))):
            found = _array(scope, random)
            if found is None:
                break
            alias = f"e{number}"
            laterals.append((found, alias))
            assert isinstance(found.type, Array)
            element = found.type.element
            scope.append(Term(alias, (), element))
            if isinstance(element, Struct):
                scope += [Term(f"{alias}.{f.name}", (), f.type) for f in element.fields]
            if number and random.random() < 0.5:
                break
    where = _where(scope, random)
    if grouped:
        whole = Query(word, (), source, None, event_time, tuple(laterals), where)
        return _grouped(whole, scope, known.key, random, late=late)
    keys = 0.9 if shape == "rekey" or (lateral and word == "TABLE") else 0.12
    projections = _projections(known, source, scope, random, keys)
    return Query(word, projections, source, None, event_time, tuple(laterals), where)


def _where(scope: Sequence[Term], random: Random) -> tuple[Term, ...]:
    return tuple(condition(scope, random) for _ in range(random.choice((0, 0, 0, 1, 1, 2))))


def _event_time(scope: Sequence[Term], random: Random) -> Term | None:
    """Most give a time to every record; a TIMESTAMP may be null."""
    number = expression(data.INT, [c for c in scope if c.type == data.INT], random, 0)
    times = [c for c in scope if c.type in (data.TIMESTAMP, data.DATE)]
    if times and random.random() < 0.5:
        return random.choice(times)
    return number and Term("COALESCE(ABS({}), 0) * 7", (number,), data.INT)


def _arrays(type: DataType) -> bool:
    return isinstance(type, Struct) and any(isinstance(f.type, Array) for f in type.fields)


def _array(scope: Sequence[Term], random: Random) -> Term | None:
    own = [c for c in scope if isinstance(c.type, Array)]
    if own and random.random() < 0.85:
        return random.choice(own[-4:])
    parts = [expression(data.INT, scope, random, 1) for _ in range(random.choice((1, 2, 3)))]
    text = "[" + ", ".join("{}" for _ in parts) + "]"
    return Term(text, tuple(p for p in parts if p), Array(data.INT))


# Projections


def _projections(
    known: Known | None, source: Source, scope: Sequence[Term], random: Random, keys: float
) -> tuple[Projection, ...]:
    """Projections to the value and, as often as `keys` says, to the key."""
    found = _key_projections(scope, random) if random.random() < keys else []
    form = random.random()
    if form < 0.16:
        found.insert(0, Projection(Term("*")))
        if random.random() < 0.3:
            found.append(_named(scope, random, "more"))
    elif form < 0.22 and known and isinstance(known.value, Struct):
        found.insert(0, Projection(Term(f"{source.label}.*")))
    elif form < 0.27 and known and isinstance(known.key, Struct):
        found += [Projection(Term(f"{source.label}._key.*")), _named(scope, random, "more")]
    elif form < 0.35:
        found.append(Projection(_any(scope, random), "_value"))
    elif form < 0.4:
        found.append(Projection(_any(scope, random), random.choice(("_value.v", "_value.v.w"))))
    else:
        found += _fields(scope, random)
    return tuple(found)


def _fields(scope: Sequence[Term], random: Random) -> list[Projection]:
    found: list[Projection] = []
    for number in range(random.choice((1, 2, 2, 3, 3, 4))):
        form = random.random()
        if form < 0.15:
            found.append(Projection(random.choice(scope)))
        elif form < 0.22:
            found.append(Projection(_any(scope, random), f"n.p{number}"))
        elif form < 0.26:
            found.append(Projection(_any(scope, random), f"n.deep.p{number}"))
        elif form < 0.3:
            whole = [c for c in scope if c.text.split(".")[-1] in ("_key", "_value")]
            found.append(Projection(random.choice(whole or list(scope)), f"whole{number}"))
        else:
            found.append(_named(scope, random, f"f{number}"))
    return found


def _named(scope: Sequence[Term], random: Random, alias: str) -> Projection:
    return Projection(_any(scope, random), alias)


def _any(scope: Sequence[Term], random: Random) -> Term:
    if random.random() < 0.4:
        return random.choice(scope)
    found = expression(random.choice(SCALARS), scope, random)
    assert found is not None
    return found


def _key_projections(scope: Sequence[Term], random: Random) -> list[Projection]:
    if random.random() < 0.3:
        names = random.sample(("a", "b", "c"), random.choice((1, 2)))
        return [Projection(_key(scope, random), f"_key.{name}") for name in names]
    return [Projection(_key(scope, random), "_key")]


def _key(scope: Sequence[Term], random: Random) -> Term:
    """What can be a key: mostly a column of few values."""
    own = [c for c in scope if groupable(c.type)]
    if own and random.random() < 0.75:
        return random.choice(own)
    found = expression(random.choice((data.INT, data.STRING)), scope, random, 1)
    assert found is not None
    return found


# Joins


def _join(sources: Sequence[Known], random: Random, *, grouped: bool, late: bool) -> Query:
    left = _choose(sources, random)
    right = left if random.random() < 0.15 else _choose(sources, random)
    for _ in range(4):
        if left.key == right.key or random.random() < 0.1:
            break
        right = _choose(sources, random)
    word: Word = random.choice(("STREAM", "TABLE"))
    tables = [s for s in sources if s.word == "TABLE"]
    if tables and random.random() < 0.5:
        # What is a TABLE by its name alone meets a STREAM.
        left, right, word = _meeting(sources, random.choice(tables), random)
    styles = (left.word or word, right.word or word)
    one = Source(left.name, "x" if left.name == right.name or random.random() < 0.3 else None)
    other = Source(right.name, "y" if left.name == right.name or random.random() < 0.3 else None)
    kinds_of: dict[tuple[str, str], tuple[Kind, ...]] = {
        ("STREAM", "TABLE"): ("", "LEFT ", "LEFT "),
        ("TABLE", "STREAM"): ("RIGHT ",),
    }
    kinds = kinds_of.get(styles, _KINDS)
    scope_left = columns(one.label, left.key, left.value, bare=False, bare_key=False)
    scope_right = columns(other.label, right.key, right.value, bare=False, bare_key=False)
    within = f"{random.choice((0, 3, 5, 9))}ms" if styles == ("STREAM", "STREAM") else None
    on = _on((scope_left, scope_right), random) if random.random() < 0.65 else ()
    join = Joined(random.choice(kinds), other, on, within, random.random() < 0.3)
    shared = _names(left.value) & _names(right.value)
    bare = [
        Term(f.name, (), f.type)
        for side in (left.value, right.value)
        if isinstance(side, Struct)
        for f in side.fields
        if f.name not in shared and f.name.isidentifier()
    ]
    scope = [*scope_left, *scope_right, *bare]
    where = _where(scope, random)
    whole = Query(word, (), one, join, None, (), where)
    if grouped:
        return _grouped(whole, scope, None, random, late=late)
    return Query(word, _projections(None, one, scope, random, 0.12), one, join, None, (), where)


def _tables(sources: Sequence[Known], random: Random) -> Query:
    """Two TABLEs joined on what need not be their keys, at times with a condition: rows of one key compete."""
    derived = [s for s in sources if s.word == "TABLE"]
    known = [s for s in sources if s.word != "STREAM"] or list(sources)
    sides = [_choose(derived if derived and random.random() < 0.8 else known, random), _choose(known, random)]
    alike = [s for s in known if s.key == sides[0].key and s.name != sides[0].name]
    if alike:
        sides[1] = _choose(alike, random)
    random.shuffle(sides)
    names = ("x", "y") if sides[0].name == sides[1].name else tuple(s.name for s in sides)
    scopes = [columns(n, s.key, s.value, bare=False, bare_key=False) for n, s in zip(names, sides, strict=True)]
    on = _on((scopes[0], scopes[1]), random, conditions=0.4)
    one, other = (Source(s.name, n if n != s.name else None) for n, s in zip(names, sides, strict=True))
    scope = [*scopes[0], *scopes[1]]
    projections = _projections(None, one, scope, random, 0.2)
    return Query("TABLE", projections, one, Joined(random.choice(_KINDS), other, on, None, False), None, (), ())


def _meeting(sources: Sequence[Known], table: Known, random: Random) -> tuple[Known, Known, Word]:
    """A stream and a table whose keys are of one type, if there are such, in either order."""
    streams = [s for s in sources if s.word != "TABLE"] or list(sources)
    alike = [s for s in streams if s.key == table.key]
    stream = _choose(alike or streams, random)
    return (table, stream, "STREAM") if random.random() < 0.3 else (stream, table, "STREAM")


def _names(type: DataType) -> set[str]:
    return {f.name for f in type.fields} if isinstance(type, Struct) else set()


def _on(scopes: tuple[Sequence[Term], Sequence[Term]], random: Random, *, conditions: float = 0.2) -> tuple[Term, ...]:
    """Equalities of columns of one type, and as often as `conditions` says a condition on a side."""
    pairs = [
        (a, b)
        for a in scopes[0]
        for b in scopes[1]
        if a.type == b.type and groupable(a.type) and not isinstance(a.type, Struct)
    ]
    found = []
    for _ in range(random.choice((1, 1, 1, 2, 0))):
        if pairs:
            a, b = random.choice(pairs)
            if random.random() < 0.15 and a.type == data.INT:
                a = Term("{} + 1", (a,), data.INT)
            elif random.random() < 0.1 and a.type == data.INT:
                b = Term("CAST({} AS BIGINT)", (b,), data.BIGINT)
            found.append(Term("{} = {}", (a, b) if random.random() < 0.8 else (b, a)))
    for scope in scopes:
        if random.random() < conditions:
            found.append(Term("({})", (condition(scope, random),)))
    return tuple(found)


# Groups


def _grouped(query: Query, scope: Sequence[Term], key: DataType | None, random: Random, *, late: bool) -> Query:
    """The query with aggregates, and perhaps a window and HAVING."""
    form = random.random()
    group: tuple[Projection, ...]
    if form < 0.45:
        group = (Projection(_key(scope, random)),)
    elif form < 0.6:
        group = (Projection(_key(scope, random), "g"),)
    elif form < 0.75 and key is not None:
        group = (Projection(Term(f"{query.source.label}._key", (), key)),)
    else:
        group = (Projection(_key(scope, random), "g"), Projection(_key(scope, random), random.choice((None, "h"))))
    calls: list[Projection] = []
    for number in range(random.choice((1, 2, 3))):
        text = random.choice(_ON_TABLE if query.word == "TABLE" and query.join is None else _ON_STREAM)
        calls.append(Projection(_call(text, scope, random), f"a{number}"))
    if random.random() < 0.25:
        calls.append(Projection(group[0].term, "of"))
    if random.random() < 0.1:
        calls.append(Projection(Term("{} + 1", (calls[0].term,)), "n.next"))
    if random.random() < 0.08:
        calls = [Projection(calls[0].term, "_value")]
    window = grace = None
    if query.word == "STREAM" and random.random() < 0.4:
        window = random.choice(_WINDOWS)
        if random.random() < 0.5:
            grace = random.choice(("0ms", "2ms", "6ms")) if late else "1d"
    having = (_having(calls, random),) if random.random() < 0.3 else ()
    return Query(
        query.word, tuple(calls), query.source, query.join, query.event_time, query.laterals, query.where, window,
        grace, group, having,
    )  # fmt: skip


def _call(text: str, scope: Sequence[Term], random: Random) -> Term:
    if "{}" not in text:
        return Term(text)
    name = text.split("(")[0]
    if name.startswith(_NUMBERS):
        argument = expression(random.choice((data.INT, data.INT, data.BIGINT, data.DOUBLE)), scope, random, 1)
    elif random.random() < 0.4:
        argument = random.choice(scope)
    else:
        argument = expression(random.choice(SCALARS), scope, random, 1)
    assert argument is not None
    return Term(text, (argument,))


def _having(calls: Sequence[Projection], random: Random) -> Term:
    counted = [c for c in calls if c.term.text.startswith(("COUNT", "SUM", "MAXK({}, 1", "MINK({}, 1")) and c.alias]
    if counted and random.random() < 0.8:
        chosen = random.choice(counted)
        named = (
            Term(chosen.alias)
            if chosen.alias and chosen.alias.startswith("a") and random.random() < 0.5
            else chosen.term
        )
        return Term(random.choice(("{} > 1", "{} <> 2", "{} IS NOT NULL")), (named,))
    return Term("COUNT(*) > 1")


def topics_known(schemas: Mapping[str, tuple[DataType, DataType]], weight: float) -> list[Known]:
    """Topics as sources."""
    return [Known(name, key, value, None, weight) for name, (key, value) in schemas.items()]
