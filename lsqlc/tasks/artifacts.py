"""The files that a build leaves below `target/`: compiled SQL per engine, and the results of the run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.build import cache

if TYPE_CHECKING:
    from lsqlc.formats.schemas import Language
    from lsqlc.lower.spark.steps import SparkPlan
    from lsqlc.plan import Plan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.remote.run.events import QuerySummary

EngineName = Literal["duckdb", "spark"]
EngineChoice = Literal["duckdb", "spark", "all"]


def engines(choice: EngineChoice) -> tuple[EngineName, ...]:
    """Return the engines that a choice stands for."""
    return ("duckdb", "spark") if choice == "all" else (choice,)


def sql_text(plan: Plan, engine: EngineName, spark_plan: SparkPlan | None = None) -> str:
    """Return a plan as commented SQL of one engine. Where Spark has no form for it, the comments give the reason.

    `spark_plan`: its streaming queries, if they have been made.
    """
    if engine == "duckdb":
        from lsqlc.lower.duckdb.queries import plan_sql

        return plan_sql(plan)
    from lsqlc.lower import spark

    reasons = spark.unsupported(plan)
    if reasons:
        return "".join(f"-- {line}\n" for d in reasons for line in (d.message, *d.notes))
    return spark.plan_sql(spark_plan or spark.lower(plan))


def write_sql(
    compilation: Compilation,
    engine: EngineChoice = "all",
    *,
    whole: bool,
    spark_plans: Mapping[str, SparkPlan] = MappingProxyType({}),
) -> tuple[Diagnostic, ...]:
    """Write `<target>/compiled/<engine>/<model>.sql` of the selected models, until a file cannot be written.

    `whole`: they are all models, and other files are removed. `spark_plans`: the streaming queries of models for which
    they have been made.
    """
    root, target = compilation.project.root, compilation.project.config.target_path
    for each in engines(engine):
        folder = root / target / "compiled" / each
        for name, plan in compilation.plans.items():
            file, text = folder / f"{name}.sql", sql_text(plan, each, spark_plans.get(name))
            problems = cache.write(file, text.encode(), f"{target}/compiled/{each}/{file.name}")
            if problems:
                return problems
        if whole and compilation.ok:
            for stale in folder.glob("*.sql"):
                if stale.name.removesuffix(".sql") not in compilation.plans:
                    stale.unlink()
    return ()


def write_schemas(compilation: Compilation, language: Language, *, whole: bool) -> tuple[Diagnostic, ...]:
    """Write the schemas of what the selected models write, `<target>/schemas/<topic>-key.avsc` and `-value.avsc`, with
    the ending of the language. `whole`: all models are selected, and files of other topics are removed. A topic without
    a schema in the language is reported, and the others are written.
    """
    from lsqlc.bind.topic_schemas import topic_schemas
    from lsqlc.formats.schemas import ENDINGS

    target = compilation.project.config.target_path
    folder, ending = compilation.project.root / target / "schemas", ENDINGS[language]
    problems: list[Diagnostic] = []
    files: set[str] = set()
    for plan in compilation.plans.values():
        for topic in plan.outputs:
            schemas, unfit = topic_schemas(topic, language, dict(plan.settings))
            problems += unfit
            for schema in schemas:
                file = f"{schema.topic}-{schema.facet}{ending}"
                files.add(file)
                failed = cache.write(folder / file, schema.text.encode(), f"{target}/schemas/{file}")
                if failed:
                    return (*problems, *failed)
    if whole and compilation.ok:
        for stale in folder.glob(f"*{ending}"):
            if stale.name not in files:
                stale.unlink()
    return tuple(problems)


def write_results(root: Path, target: str, results: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Write `<target>/run_results.json`."""
    content = json.dumps(results, ensure_ascii=False, indent=1).encode() + b"\n"
    return cache.write(root / target / "run_results.json", content, f"{target}/run_results.json")


def note_run(
    root: Path,
    compilation: Compilation,
    queries: Sequence[QuerySummary],
    *,
    began: float,
    seconds: float,
    diagnostics: Sequence[Diagnostic],
    release: str,
) -> None:
    """Write the results of a run of the models to the same file.

    `began`: in seconds since 1970; `diagnostics`: its errors at the end; `release`: the version of lsqlc. Raises
    LsqlcError for a file that cannot be written.
    """
    from lsqlc.report.command_result import CommandResult
    from lsqlc.report.json_report import run_results

    started = datetime.fromtimestamp(began, UTC).isoformat(timespec="seconds")
    result = CommandResult(compilation, diagnostics=diagnostics, started=started, seconds=seconds)
    results = run_results(result, lsqlc=release, command="run", engine="spark", queries=queries)
    problems = write_results(root, compilation.project.config.target_path, results)
    if problems:
        raise LsqlcError(problems)
