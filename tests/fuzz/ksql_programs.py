"""Random programs of ksqlDB that compile: chains of statements, each built upon the columns of those before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from lsqlc.dialects import dialect
from lsqlc.plan import Plan
from lsqlc.plan.identity import compacted
from lsqlc.plan.nodes import Sink
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct
from tests.fuzz.ksql_queries import ksql_query
from tests.fuzz.ksql_sources import KsqlKnown, named, over, some_sources
from tests.fuzz.ksql_syntax import Column, Create, CreateAs, KsqlProgram, KsqlQuery, Properties
from tests.fuzz.limits import order_is_open
from tests.fuzz.syntax import Word

_TRIES = 14
_BARE = (data.INT, data.BIGINT, data.DOUBLE, data.STRING)


def ksql_compiled(program: KsqlProgram) -> Plan | str:
    """The plan, or the code of the first error."""
    parsed = dialect("ksql").parse(str(program), "program")
    if parsed.program is None:
        return parsed.diagnostics[0].code
    result = dialect("ksql").bind(parsed.program, {}, name="out")
    if result.plan is None:
        return next(d.code for d in result.diagnostics if d.is_error)
    return result.plan


def ksql_drawn(random: Random, refused: Counter[str]) -> tuple[KsqlProgram, Plan, bool] | None:
    """A program with its plan, and whether records may be late in it; None if none came of it."""
    late = random.random() < 0.17
    declared = some_sources(random)
    statements: list[Create | CreateAs] = [create for create, _ in declared]
    sources = [known for _, known in declared]
    for number in range(random.choice((1, 1, 2, 2, 3))):
        found = _next(f"Q{number}", statements, sources, random, refused, late=late)
        if found is None:
            continue
        statement, known = found
        statements.append(statement)
        if known is None:
            continue
        sources = [*(replace(s, weight=s.weight * 0.5) for s in sources), known]
        if random.random() < 0.15:
            again = _again(f"C{number}", statement, known, random)
            if not isinstance(ksql_compiled(KsqlProgram((*statements, again[0]))), str):
                statements.append(again[0])
                sources.append(again[1])
    program = KsqlProgram(tuple(statements))
    if not program.queries:
        return None
    if random.random() < 0.12:
        more = _inserted(program, random)
        program = more if isinstance(ksql_compiled(more), Plan) else program
    program = without_unread(program)
    plan = ksql_compiled(program)
    if isinstance(plan, str) or order_is_open(plan):
        refused[plan if isinstance(plan, str) else "order is open"] += 1
        return None
    return program, plan, late


def _next(
    name: str, statements: Sequence[Create | CreateAs], sources: Sequence[KsqlKnown], random: Random,
    refused: Counter[str], *, late: bool,
) -> tuple[CreateAs, KsqlKnown | None] | None:  # fmt: skip
    """A statement that compiles, and what it makes, if its columns can be told."""
    for _ in range(_TRIES):
        query = ksql_query(sources, random, late=late)
        statement = CreateAs(_word(query, sources), name, query)
        plan = ksql_compiled(KsqlProgram((*statements, statement)))
        if plan == "LSQ365":
            # The key is of several columns, or of a type that the format of the source cannot hold.
            statement = replace(statement, properties=(("FORMAT", "JSON"),))
            plan = ksql_compiled(KsqlProgram((*statements, statement)))
        if isinstance(plan, str) or order_is_open(plan):
            refused[plan if isinstance(plan, str) else "order is open"] += 1
            continue
        return statement, _known(statement, plan, sources)
    return None


def _word(query: KsqlQuery, sources: Sequence[KsqlKnown]) -> Word:
    left = next(s for s in sources if s.name == query.source.name)
    return "TABLE" if query.group or left.word == "TABLE" else "STREAM"


def _known(statement: CreateAs, plan: Plan, sources: Sequence[KsqlKnown]) -> KsqlKnown | None:
    """The columns of what a statement makes. The name of a key of one column is in no schema: it is what the projection
    names beside the value's columns. None where that is not to be told.
    """
    sink = next(s for s in plan.sinks if s.topic.name == statement.name)
    value = sink.topic.value.type
    query = statement.query
    assert isinstance(value, Struct)
    values = [Column(f.name, f.type) for f in value.fields]
    window = query.window.split()[0] if query.window else None
    if window is None and not (query.joins or query.partition or query.group):
        window = next(s.window for s in sources if s.name == query.source.name)
    key = _unwindowed(sink, window)
    word: Word = "TABLE" if sink.semantics == "TABLE" else "STREAM"
    timed = word == "STREAM" and not any(map(compacted, sink.inputs))
    if key == data.NULL:
        return KsqlKnown(statement.name, word, tuple(values), window, False, timed, 4.0)
    if isinstance(key, Struct):
        if len(query.group or query.partition) == 1:
            return None
        columns = [Column(f.name, f.type, True) for f in key.fields]
    else:
        names = [n for n in _projected(query, sources) if n not in named(values)]
        if len(names) != 1:
            return None
        columns = [Column(names[0], key, True)]
    return KsqlKnown(statement.name, word, (*columns, *values), window, False, timed, 4.0)


def _unwindowed(sink: Sink, window: str | None) -> DataType:
    key = sink.topic.key.type
    return key.fields[0].type if window is not None and isinstance(key, Struct) else key


def _projected(query: KsqlQuery, sources: Sequence[KsqlKnown]) -> list[str]:
    """The names that a projection gives, or could give."""
    columns = {s.label: next(k for k in sources if k.name == s.name).columns for s in query.sources}
    several = len(columns) > 1
    found: list[str] = []
    for number, item in enumerate(query.items):
        text = str(item.term)
        if item.alias is not None:
            found.append(item.alias)
        elif text.endswith("*") and not item.term.parts:
            labels = list(columns) if text == "*" else [text.removesuffix(".*")]
            found += [f"{label}_{c.name}" if several else c.name for label in labels for c in columns[label]]
            found += ["ROWKEY"] if several else [f"KSQL_COL_{number}"]
        elif not item.term.parts and text.replace(".", "").replace("_", "").isalnum():
            name = text.rpartition(".")[2]
            twice = sum(name in named(of) for of in columns.values()) > 1
            found.append(text.replace(".", "_") if twice else name)
    return list(dict.fromkeys(found))


def _again(name: str, statement: CreateAs, known: KsqlKnown, random: Random) -> tuple[Create, KsqlKnown]:
    """A second stream or table over what a statement writes: the stream of a table's changes, mostly."""
    word: Word = "STREAM" if statement.word == "TABLE" or random.random() < 0.5 else "TABLE"
    own = dict(statement.properties).get("FORMAT", "JSON")
    bare = [k.type in _BARE for k in known.keys] in ([], [True]) and own == "JSON" and not statement.properties
    key: Properties = () if bare else (("KEY_FORMAT", "JSON"),)
    return over(known, name, word, (*key, ("VALUE_FORMAT", "JSON")))


def _inserted(program: KsqlProgram, random: Random) -> KsqlProgram:
    """The program with a second query into a stream that nothing reads: the same one on other conditions."""
    read = {s.name for q in program.queries for s in q.sources}
    read |= {dict(c.properties)["KAFKA_TOPIC"] for c in program.statements if isinstance(c, Create)}
    streams = [
        s for s in program.statements if isinstance(s, CreateAs) and s.word == "STREAM" and s.name not in read
    ]  # fmt: skip
    if not streams:
        return program
    chosen = random.choice(streams)
    query = replace(chosen.query, where=() if chosen.query.where and random.random() < 0.7 else chosen.query.where)
    return KsqlProgram((*program.statements, CreateAs("INSERT", chosen.name, query)))


def without_unread(program: KsqlProgram) -> KsqlProgram:
    """The program without declarations that nothing reads. Every query writes its topic."""
    read = {s.name for q in program.queries for s in q.sources}
    kept = [s for s in program.statements if not isinstance(s, Create) or s.name in read]
    return KsqlProgram(tuple(kept))
