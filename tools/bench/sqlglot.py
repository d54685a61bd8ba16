"""What sqlglot would do where lsqlc has code of its own: what it reads, what it prints otherwise, and what each costs
beside the other. docs/internals/sqlglot.md has the decisions that rest on it.

Seconds are those of the process, so that a busy machine says as much as it can; only the ratios are worth comparing.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.dialects import Dialects
from sqlglot.errors import ErrorLevel, SqlglotError, UnsupportedError
from sqlglot.lineage import lineage as lineage_of_sql
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify

from lsqlc.diagnostics.source import SourceText
from lsqlc.functions.catalogue import every_function
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower import spark
from lsqlc.lower.duckdb import queries
from lsqlc.lower.duckdb.sources import table_name
from lsqlc.lower.spark.steps import View
from lsqlc.plan import Plan
from lsqlc.plan.lineage import lineage
from lsqlc.project.build.compile import compile_project
from lsqlc.project.discovery import load_project
from lsqlc.syntax.lenses.parser import parse
from lsqlc.syntax.tokens import tokenize
from tests.differential import test_ksql_engines
from tests.lower_duckdb.programs import PROGRAMS
from tests.snapshots import ENGINES, statements

_ROOT = Path(__file__).parents[2]
# Dialects of sqlglot whose tokenizers are not of SQL.
_OTHERS = ("prql", "dax")


def run(work: Path, quick: bool) -> None:
    rounds = 1 if quick else 5
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    plans = _plans()
    _section("tokens", _tokens(rounds))
    _section("parsing of programs", _parsing(rounds))
    _section("generating", _generating(plans, rounds))
    _section("text forms of functions", _forms())
    _section("types and lineage", _analysis(plans))
    every = {engine: [text for _, text in statements(engine)] for engine in ENGINES}
    for engine in ENGINES:
        _section(f"printing and checking, {engine}", _printing(every[engine], engine, plans))


def _section(title: str, lines: Iterator[str]) -> None:
    print(f"\n{title}")
    for line in lines:
        print(f"  {line}", flush=True)


def _plans() -> Sequence[Plan]:
    project = load_project(_ROOT).project
    assert project is not None
    return tuple(compile_project(project).plans.values())


def _tokens(rounds: int) -> Iterator[str]:
    text = ";\n".join(PROGRAMS.values())
    source = [SourceText(f"{n}.sql", text) for n in range(rounds)]
    stock = _least(rounds, lambda n: sqlglot.tokenize(text))
    ours = _least(rounds, lambda n: tokenize(source[n]))
    yield f"{len(text):,} characters: sqlglot {_ms(stock)}, our tokenizer {_ms(ours)}, {ours / stock:.1f} of sqlglot's"


def _parsing(rounds: int) -> Iterator[str]:
    ksql = [test_ksql_engines.SOURCES + text for text in test_ksql_engines.PROGRAMS.values()]
    for name, programs in (("Lenses language", list(PROGRAMS.values())), ("ksqlDB", ksql)):
        known = {d.value: [_read(text, d.value) for text in programs] for d in Dialects if d.value not in _OTHERS}
        best = max(known, key=lambda d: sum(found is not None for found in known[d]))
        taken = [found for found in known[best] if found is not None]
        meant = [found for found in taken if not any(map(_takes_a_word_for_a_name, found))]
        yield (
            f"{name}: of {len(programs)} programs the best of its {len(known)} dialects reads {len(taken)}, "
            f"{len(meant)} of them without taking STREAM or TABLE for a column"
        )
    text = ";\n".join(PROGRAMS.values())
    sql = [s.select for plan in _plans() for s in queries.lower(plan)]
    ours = _least(rounds, lambda n: [parse(program, f"{n}.sql") for program in PROGRAMS.values()])
    theirs = _least(rounds, lambda n: [sqlglot.parse(s, read="duckdb") for s in sql])
    here, there = ours / len(sqlglot.tokenize(text)), theirs / sum(len(sqlglot.tokenize(s)) for s in sql)
    yield f"a token costs our parser {here * 1e6:.1f} us, and sqlglot's {there * 1e6:.1f} us in the SQL that is emitted"


def _read(text: str, dialect: str) -> list[exp.Expr] | None:
    """The statements, if all are read, and not as a command that is taken as it is."""
    try:
        found = [statement for statement in sqlglot.parse(text, read=dialect) if statement is not None]
    except SqlglotError:
        return None
    return None if any(isinstance(statement, exp.Command) for statement in found) else found


def _takes_a_word_for_a_name(statement: exp.Expr) -> bool:
    return any(column.name.upper() in ("STREAM", "TABLE") for column in statement.find_all(exp.Column))


def _generating(plans: Sequence[Plan], rounds: int) -> Iterator[str]:
    for engine in ENGINES:
        fit = [plan for plan in plans if engine == "duckdb" or not spark.unsupported(plan)]
        trees = [sqlglot.parse_one(text, read=engine) for plan in fit for text in _texts(plan, engine)]
        ours = _least(rounds, partial(_each, partial(_texts, engine=engine), fit))
        stock = _least(rounds, partial(_each, partial(_stock, engine=engine), trees))
        yield (
            f"{engine}, {len(fit)} models, {len(trees)} statements: lowering with its text {_ms(ours)}; "
            f"text of finished trees by sqlglot {_ms(stock)}, {stock / ours:.1f} times that"
        )


def _texts(plan: Plan, engine: str) -> list[str]:
    """The statements of a plan."""
    if engine == "duckdb":
        return [statement.select for statement in queries.lower(plan)]
    steps = [step for stage in spark.lower(plan).stages for step in stage.steps]
    return [step.sql for step in steps if isinstance(step, View)]


def _stock(tree: exp.Expr, engine: str, **options: Any) -> str:
    return tree.sql(dialect=engine, **options)


def _forms() -> Iterator[str]:
    forms = {
        (f.name, f.duckdb, f.spark) for f in every_function() if isinstance(f.duckdb, str) and isinstance(f.spark, str)
    }
    other = []
    for name, ours_duckdb, ours_spark in sorted(forms):
        form, wanted = (re.sub(r"\{(\w+)\}", r"a\1", text) for text in (ours_duckdb, ours_spark))
        if sqlglot.transpile(form, read="duckdb", write="spark") != sqlglot.transpile(
            wanted, read="spark", write="spark"
        ):
            other.append(name)
    yield f"{len(forms)} functions have a template for each engine; for {len(other)} of them the one for Spark is not"
    yield f"what sqlglot makes of the one for DuckDB: {', '.join(dict.fromkeys(other))}"


def _analysis(plans: Sequence[Plan]) -> Iterator[str]:
    right = columns = 0
    seconds = dict.fromkeys(("ours", "types", "lineage"), 0.0)
    names = set[str]()
    for plan in plans:
        seconds["ours"] += _least(1, partial(_each, lineage, (plan,)))
        written = {topic.name: topic for topic in plan.outputs}
        schema: dict[str, object] = {
            table_name(t.name).strip('"'): _columns(t.key.type, t.value.type) for t in plan.inputs
        }
        for statement in queries.lower(plan):
            tree = sqlglot.parse_one(statement.select, read="duckdb")
            began = time.process_time()
            typed = annotate_types(
                qualify(tree.copy(), schema=schema, dialect="duckdb"), schema=schema, dialect="duckdb"
            )
            seconds["types"] += time.process_time() - began
            assert isinstance(typed, exp.Query)
            for facet in ("key", "value"):
                known = next(column.type for column in typed.selects if column.alias_or_name == facet)
                wanted = exp.DataType.build(
                    type_text("duckdb", getattr(written[statement.topic], facet).type), "duckdb"
                )
                columns += 1
                right += known is not None and known.sql("duckdb") == wanted.sql("duckdb")
            began = time.process_time()
            node = lineage_of_sql("value", tree, schema, dialect="duckdb")
            seconds["lineage"] += time.process_time() - began
            names |= {leaf.name for leaf in node.walk() if not leaf.downstream and "." in leaf.name}
    yield f"types: of {columns} facets sqlglot knows {right} with the type that they have; {_ms(seconds['types'])}"
    yield f"lineage of one column of each: {_ms(seconds['lineage'])}, down to {', '.join(sorted(names))}"
    yield f"lineage of plans, every field of them: {_ms(seconds['ours'])}"


def _columns(key: Any, value: Any) -> dict[str, str]:
    kinds = {"_case": "INT", "_ord": "BIGINT", "_early": "BIGINT[]", "_ts": "BIGINT", "_offset": "BIGINT"}
    return {**kinds, "k": type_text("duckdb", key), "v": type_text("duckdb", value)}


def _printing(texts: Sequence[str], engine: str, plans: Sequence[Plan]) -> Iterator[str]:
    began = time.process_time()
    trees = [sqlglot.parse_one(text, read=engine) for text in texts]
    parsing = time.process_time() - began
    read = sum(isinstance(tree, exp.Query) for tree in trees)
    yield f"{len(texts)} statements of the fixtures, {read} of them read as queries, {_ms(parsing / len(texts))} each"
    began = time.process_time()
    printed = [_stock(tree, engine, pretty=True) for tree in trees]
    printing = time.process_time() - began
    yield f"printed by sqlglot: {_ms(printing / len(texts))} each beside it"
    lost = sum(_loses(tree, engine) for tree in trees)
    same = sum(sqlglot.parse_one(text, read=engine) == tree for text, tree in zip(printed, trees, strict=True))
    yield f"of the printed ones sqlglot itself reads {same} as what they were; {lost} lose an argument of a function"
    if engine == "duckdb":
        database = duckdb.connect()
        alike = sum(_tree(database, a) == _tree(database, b) for a, b in zip(texts, printed, strict=True))
        yield f"DuckDB's own parser reads {alike} as what they were"
    fit = [plan for plan in plans if engine == "duckdb" or not spark.unsupported(plan)]
    whole = [text for plan in fit for text in _texts(plan, engine)]
    lowering = _least(3, partial(_each, partial(_texts, engine=engine), fit))
    reading = _least(3, lambda n: [sqlglot.parse_one(text, read=engine) for text in whole])
    again = _least(3, lambda n: [_stock(sqlglot.parse_one(text, read=engine), engine, pretty=True) for text in whole])
    models = len(fit)
    yield (
        f"`compile --write` of the reference project, for a model: lowering {_ms(lowering / models)}, "
        f"a check by sqlglot {_ms(reading / models)} more, printing by it {_ms(again / models)} more"
    )


def _loses(tree: exp.Expr, engine: str) -> bool:
    try:
        _stock(tree, engine, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedError:
        return True
    return False


def _tree(database: duckdb.DuckDBPyConnection, text: str) -> Any:
    """What DuckDB's parser makes of a statement, without places in the text."""
    (found,) = database.execute("SELECT json_serialize_sql($1::VARCHAR)", [text]).fetchone() or ("{}",)
    return json.loads(found, object_hook=lambda o: {k: v for k, v in o.items() if not k.startswith("query_location")})


def _each(action: Callable[[Any], object], items: Sequence[Any], round: int) -> None:
    for item in items:
        action(item)


def _least(rounds: int, action: Callable[[int], object]) -> float:
    """The least seconds of the process that an action takes."""
    measured = []
    for number in range(rounds):
        began = time.process_time()
        action(number)
        measured.append(time.process_time() - began)
    return min(measured)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
