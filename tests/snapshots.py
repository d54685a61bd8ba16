"""The SQL of both engines for every fixture, so that a review shows what a change of a lowering does.

`python -m tests.snapshots` writes `tests/lower_duckdb/snapshots` and `tests/lower_spark/snapshots` anew: a file for
each file of fixtures, an entry for each program in it; a file for each construct of the history.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import lsqlc
from lsqlc.lower import spark
from lsqlc.lower.duckdb import queries
from lsqlc.lower.duckdb.sources import of_cases, table_name
from lsqlc.lower.spark.steps import FileSource, Observe, Source, SparkPlan, View
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire, Wires
from lsqlc.plan import Plan
from tests.differential import test_ksql_engines
from tests.differential.test_engines import WINDOWED, plan_of
from tests.fixture_files import compiled, invalid, pairs
from tests.history.entry import CONSTRUCTS
from tests.history.entry import compiled as compiled_project
from tests.ksql import test_headers
from tests.ksql.programs import SOURCES
from tests.lower_duckdb.programs import PROGRAMS

HERE = Path(__file__).parent
ENGINES = ("duckdb", "spark")


@cache
def plans() -> Mapping[str, Mapping[str, Plan]]:
    """The plans of every fixture, by file and by title."""
    found: dict[str, dict[str, Plan]] = {}
    for path in sorted((HERE / "plan" / "fixtures").glob("*.sql")):
        if not path.stem.endswith("__invalid"):
            texts = {pair.title: pair.text for pair in pairs(path)}
            found[f"plan/{path.stem}"] = {title: _plan(compiled(text)[0].plan) for title, text in texts.items()}
    for entry in invalid(HERE / "plan" / "fixtures"):
        # Of what must fail the twin that compiles.
        name, _, title = entry.title.partition(": ")
        found.setdefault(f"plan/{name}", {})[title] = _plan(compiled(entry.right)[0].plan)
    for entry in invalid(HERE / "ksql" / "fixtures"):
        name, _, title = entry.title.partition(": ")
        plan = lsqlc.compile(SOURCES + entry.right, dialect="ksql", name="out")
        found.setdefault(f"ksql/{name}", {})[title] = plan
    found["programs"] = {name: plan_of(name) for name in PROGRAMS}
    found["windows"] = {name: plan_of(name) for name in WINDOWED}
    found["ksql/programs"] = {
        name: lsqlc.compile(test_ksql_engines.SOURCES + text, dialect="ksql", name="out")
        for name, text in test_ksql_engines.PROGRAMS.items()
    }
    found["ksql/headers"] = {name: test_headers.plan_of(text) for name, text in test_headers.PROGRAMS.items()}
    for name, plan in compiled_project(CONSTRUCTS).plans.items():
        found[f"constructs/{name}"] = {name: plan}
    return found


def texts(engine: str) -> dict[str, str]:
    """The SQL of an engine for every fixture, by path below the folder of snapshots."""
    return {
        f"{file}.sql": "\n".join(f"-- # {title}\n{_sql(engine, plan)}" for title, plan in entries.items())
        for file, entries in plans().items()
    }


def statements(engine: str, *, everywhere: bool = False) -> Iterator[tuple[str, str]]:
    """Each statement that an engine is given for the fixtures, once, with the fixture that has it first. `everywhere`:
    also in runs of cases, on servers of all versions, and over Kafka.
    """
    known = set[str]()
    for file, entries in plans().items():
        for title, plan in entries.items():
            for text in statements_of(engine, plan, everywhere):
                if text not in known:
                    known.add(text)
                    yield f"{file}: {title}", text


def folder(engine: str) -> Path:
    """Where the snapshots of an engine lie."""
    return HERE / f"lower_{engine}" / "snapshots"


def _plan(plan: Plan | None) -> Plan:
    assert plan is not None, "a fixture compiles"
    return plan


def _sql(engine: str, plan: Plan) -> str:
    if engine == "duckdb":
        return queries.plan_sql(plan)
    reasons = spark.unsupported(plan)
    return "".join(f"-- {d.message}\n" for d in reasons) if reasons else spark.plan_sql(spark.lower(plan))


def statements_of(engine: str, plan: Plan, everywhere: bool = False) -> Iterator[str]:
    """Each statement that an engine is given for a plan; `everywhere`: see `statements`."""
    if engine == "duckdb":
        yield from (statement.select for statement in queries.lower(plan))
        yield from _over_cases(plan) if everywhere else ()
    elif not spark.unsupported(plan):
        yield from _of_spark(spark.lower(plan))
        if everywhere:
            yield from _of_spark(spark.lower(plan, cases=True))
            yield from _of_spark(spark.lower(plan, server=spark.OLDEST))
            yield from _of_spark(spark.lower(plan, wires=wires)) if (wires := _wires(plan)) else ()
            yield from _of_spark(spark.lower(plan, headers=[topic.name for topic in plan.outputs]))


def _over_cases(plan: Plan) -> Iterator[str]:
    """Where times may go on without a record, and where they do not."""
    inputs = {topic.name: topic for topic in plan.inputs}
    for statement in (*queries.lower(plan), *queries.lower(plan, advances=True)):
        yield statement.with_counts(
            (table_name(name), of_cases(inputs[name], number + 1)) for number, name in enumerate(statement.reads)
        )


def _of_spark(plan: SparkPlan) -> Iterator[str]:
    for step in (step for stage in plan.stages for step in stage.steps):
        match step:
            case View(sql=sql):
                yield sql
            case Observe(metrics=metrics):
                yield from (f"SELECT {sql}" for _, sql in metrics)
            case FileSource(wanted=wanted) if wanted:
                yield wanted
            case Source(lines=lines):
                yield from (f"SELECT {sql}" for _, sql in lines)


def _wires(plan: Plan) -> Wires | None:
    """How the topics of a plan lie in Kafka; None where a format needs a schema registry."""
    wires = dict[str, TopicWire]()
    for topic in (*plan.inputs, *plan.outputs):
        facets = [None if facet.is_absent else encoding(facet, 1_000) for facet in (topic.key, topic.value)]
        if any(
            made is None and not facet.is_absent for made, facet in zip(facets, (topic.key, topic.value), strict=True)
        ):
            return None
        wires[topic.name] = TopicWire(facets[0], facets[1])
    return wires


def write() -> int:
    """Write all snapshots; how many files have changed."""
    changed = 0
    for engine in ENGINES:
        new = texts(engine)
        for stale in folder(engine).rglob("*.sql"):
            if stale.relative_to(folder(engine)).as_posix() not in new:
                stale.unlink()
                changed += 1
        for name, text in new.items():
            path = folder(engine) / name
            if not path.is_file() or path.read_text("utf-8") != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
                changed += 1
    return changed


if __name__ == "__main__":
    print(f"{write()} files written", file=sys.stderr)
